/* SPDX-License-Identifier: MIT */
/* Names of a kernel's addresses, from the text of /proc/kallsyms. */
#include "decode/kernel_symbols.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEP_BYTES ((size_t)4 << 20)
#define MAX_BYTES  ((size_t)256 << 20)

struct decode_kernel_symbol {
    uint64_t address;
    const char *name;
    bool is_weak;
    bool is_global;
};

void decode_kernel_symbols_close(struct decode_kernel_symbols *table)
{
    free(table->symbols);
    free(table->text);
    decode_kernel_strings_close(&table->strings);
}

/* ---- reading the table ---- */

/* Reserves space for another step and a NUL. The kernel returns a page at a time: so memory
 * doubles, and the text is not copied for each of a thousand steps. */
static bool reserve_space(char **text, size_t used, size_t *capacity)
{
    size_t wanted = *capacity ? 2 * *capacity : 2 * STEP_BYTES;
    char *bigger;

    if (used + STEP_BYTES < *capacity)
        return true;
    bigger = (char *)realloc(*text, wanted);
    if (!bigger)
        return false;
    *text = bigger;
    *capacity = wanted;
    return true;
}

char *decode_kernel_read_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    size_t capacity = 0;
    size_t used = 0;
    ssize_t size = fd < 0 ? -1 : 1;

    while (size > 0 && used < MAX_BYTES) {
        size = reserve_space(&text, used, &capacity) ? read(fd, text + used, STEP_BYTES) : -1;
        used += size > 0 ? (size_t)size : 0;
    }
    if (fd >= 0)
        close(fd);
    if (size) {
        free(text);
        return NULL;
    }
    text[used] = 0;
    return text;
}

/* A line: address, type, name, and "[module]" after a tab. Code and data have names, as in perf. */
static bool parse_line(char *line, struct decode_kernel_symbol *ret_symbol)
{
    char *end;
    uint64_t address = strtoull(line, &end, 16);
    char type;

    if (end == line || *end != ' ' || !end[1] || end[2] != ' ')
        return false;
    type = end[1];
    end[3 + strcspn(end + 3, " \t")] = 0;
    *ret_symbol = (struct decode_kernel_symbol){
        .address = address,
        .name = end + 3,
        .is_weak = type == 'w' || type == 'W',
        .is_global = type >= 'A' && type <= 'Z',
    };
    return strchr("TWDB", type & ~0x20) && end[3];
}

static size_t underscores(const char *name)
{
    return strspn(name, "_");
}

/* If an address has several names, the first one is used, as in perf. */
static int compare(const void *left, const void *right)
{
    const struct decode_kernel_symbol *a = (const struct decode_kernel_symbol *)left;
    const struct decode_kernel_symbol *b = (const struct decode_kernel_symbol *)right;
    size_t a_length;
    size_t b_length;

    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    if (a->is_weak != b->is_weak)
        return a->is_weak ? 1 : -1;
    if (a->is_global != b->is_global)
        return a->is_global ? -1 : 1;
    if (underscores(a->name) != underscores(b->name))
        return underscores(a->name) < underscores(b->name) ? -1 : 1;
    a_length = strlen(a->name);
    b_length = strlen(b->name);
    if (a_length != b_length)
        return a_length > b_length ? -1 : 1;
    return a->name < b->name ? -1 : a->name > b->name; /* that of the earlier line */
}

static void sort(struct decode_kernel_symbols *table)
{
    uint32_t kept = 0;

    qsort(table->symbols, table->count, sizeof(*table->symbols), compare);
    for (uint32_t i = 0; i < table->count; i++) {
        if (!kept || table->symbols[kept - 1].address != table->symbols[i].address)
            table->symbols[kept++] = table->symbols[i];
    }
    table->count = kept;
}

static uint32_t count_lines(const char *text)
{
    uint32_t count = 0;

    while ((text = strchr(text, '\n'))) {
        text++;
        count++;
    }
    return count;
}

/* True if the symbols are those of the recorded kernel: the reference symbol has the recorded
 * address. Otherwise the recording is of another kernel, or of another boot. Where the reader of
 * the table was not allowed to see addresses, all are 0. */
static bool parse(struct decode_kernel_symbols *table)
{
    bool is_same = false;
    bool has_addresses = false;
    char *next;

    for (char *line = table->text; line && *line; line = next) {
        struct decode_kernel_symbol symbol;

        next = strchr(line, '\n');
        if (next)
            *next++ = 0;
        if (!parse_line(line, &symbol))
            continue;
        table->symbols[table->count++] = symbol;
        has_addresses |= symbol.address != 0;
        is_same |=
            symbol.address == table->reference_address && !strcmp(symbol.name, table->reference);
    }
    return table->recorded.length ? has_addresses : is_same;
}

/* Returns the table as a text of its own, for free. */
static char *read_text(const struct decode_kernel_symbols *table)
{
    if (table->recorded.length)
        return strndup(table->recorded.text, table->recorded.length);
    return table->reference_address ? decode_kernel_read_file("/proc/kallsyms") : NULL;
}

/* Once, when something of it is needed. */
static void read_table(struct decode_kernel_symbols *table)
{
    if (table->was_read)
        return;
    table->was_read = true;
    table->text = read_text(table);
    if (!table->text)
        return;
    table->symbols = (struct decode_kernel_symbol *)calloc(count_lines(table->text) + (size_t)1,
                                                           sizeof(*table->symbols));
    if (!table->symbols)
        return;
    if (parse(table))
        sort(table);
    else
        table->count = 0;
}

/* ---- */

bool decode_kernel_is_running(struct decode_kernel_symbols *table)
{
    read_table(table);
    return table->count && !table->recorded.length;
}

bool decode_kernel_symbols_resolve(void *context, uint64_t address, const char **ret_name,
                                   uint64_t *ret_offset)
{
    struct decode_kernel_symbols *table = (struct decode_kernel_symbols *)context;
    uint32_t first = 0;
    uint32_t count;

    read_table(table);
    /* Finds the last symbol that does not begin after the address. */
    for (count = table->count; count;) {
        uint32_t half = count / 2;

        if (table->symbols[first + half].address <= address) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    if (!first || first == table->count) /* the end of the last one is not known */
        return false;
    *ret_name = table->symbols[first - 1].name;
    *ret_offset = address - table->symbols[first - 1].address;
    return true;
}
