/* SPDX-License-Identifier: MIT */
/* Constant strings of the kernel, from printk_formats. */
#include "decode/kernel_strings.h"

#include "decode/kernel_symbols.h"

#include <stdlib.h>
#include <string.h>

struct decode_kernel_string {
    uint64_t address;
    struct cairn_slice text;
};

void decode_kernel_strings_close(struct decode_kernel_strings *strings)
{
    free(strings->strings);
    free(strings->text);
}

/* ---- reading the table ---- */

/* A line: 0xADDRESS : "TEXT". The text is as the kernel writes it, except for a newline at the end,
 * as in perf. */
static bool parse_line(const char *line, size_t length, struct decode_kernel_string *ret_string)
{
    const char *colon = (const char *)memchr(line, ':', length);
    const char *text = colon ? colon + 1 : line;
    const char *end = line + length;
    char address[24] = "";
    char *rest;

    if (!colon || (size_t)(colon - line) >= sizeof(address))
        return false;
    memcpy(address, line, (size_t)(colon - line));
    ret_string->address = strtoull(address, &rest, 16);
    if (rest == address)
        return false;
    text += text < end && *text == ' ';
    text += text < end && *text == '"';
    end -= end > text && end[-1] == '"';
    end -= end - text >= 2 && !memcmp(end - 2, "\\n", 2) ? 2 : 0;
    ret_string->text = (struct cairn_slice){text, (uint32_t)(end - text)};
    return true;
}

static int compare(const void *left, const void *right)
{
    const struct decode_kernel_string *a = (const struct decode_kernel_string *)left;
    const struct decode_kernel_string *b = (const struct decode_kernel_string *)right;

    return a->address < b->address ? -1 : a->address > b->address;
}

/* An address that has different strings, in a recording of several kernels, has none. */
static void drop_ambiguous(struct decode_kernel_strings *strings)
{
    uint32_t kept = 0;
    uint32_t next;

    for (uint32_t first = 0; first < strings->count; first = next) {
        const struct decode_kernel_string string = strings->strings[first];
        bool is_ambiguous = false;

        for (next = first + 1; next < strings->count; next++) {
            if (strings->strings[next].address != string.address)
                break;
            is_ambiguous |= !core_slice_equal(strings->strings[next].text, string.text);
        }
        if (!is_ambiguous)
            strings->strings[kept++] = string;
    }
    strings->count = kept;
}

static size_t count_lines(struct cairn_slice table)
{
    size_t count = 1;

    for (uint32_t n = 0; n < table.length; n++)
        count += table.text[n] == '\n';
    return count;
}

static void parse(struct decode_kernel_strings *strings, struct cairn_slice table)
{
    const char *end = table.text + table.length;

    strings->strings =
        (struct decode_kernel_string *)calloc(count_lines(table), sizeof(*strings->strings));
    if (!strings->strings)
        return;
    for (const char *line = table.text; line < end;) {
        const char *stop = (const char *)memchr(line, '\n', (size_t)(end - line));
        size_t length = (size_t)((stop ? stop : end) - line);

        strings->count += parse_line(line, length, &strings->strings[strings->count]);
        line += length + 1;
    }
    qsort(strings->strings, strings->count, sizeof(*strings->strings), compare);
    drop_ambiguous(strings);
}

/* Once, when something of it is needed. */
static void read_table(struct decode_kernel_symbols *kernel)
{
    struct decode_kernel_strings *strings = &kernel->strings;

    if (strings->was_read)
        return;
    strings->was_read = true;
    if (!strings->table.length && decode_kernel_is_running(kernel)) {
        strings->text = decode_kernel_read_file("/sys/kernel/tracing/printk_formats");
        if (strings->text)
            strings->table = core_slice_of(strings->text);
    }
    if (strings->table.length)
        parse(strings, strings->table);
}

struct cairn_slice decode_kernel_strings_text(struct decode_kernel_symbols *kernel)
{
    read_table(kernel);
    return kernel->strings.table;
}

bool decode_kernel_strings_find(void *context, uint64_t address, struct cairn_slice *ret_string)
{
    struct decode_kernel_symbols *kernel = (struct decode_kernel_symbols *)context;
    const struct decode_kernel_string wanted = {.address = address};
    const struct decode_kernel_string *found = NULL;

    read_table(kernel);
    if (kernel->strings.count)
        found = (const struct decode_kernel_string *)bsearch(
            &wanted, kernel->strings.strings, kernel->strings.count, sizeof(wanted), compare);
    if (found)
        *ret_string = found->text;
    return found != NULL;
}
