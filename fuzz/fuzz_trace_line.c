/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the printer of text lines with any record of any event: it returns a line or an error, and
 * the same line when it prints in parts.
 *
 * The input: a byte of flags, a command text or a format text up to a NUL, the record.
 */
#include <cairn/record.h>
#include <cairn/kernel/trace_line.h>

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define IS_FORMAT  0x01 /* the text is a format text */
#define IS_FRAMED  0x02 /* the record gets a valid head */
#define HAS_PRINT  0x04 /* the event has a print function */
#define HAS_COMM   0x08
#define ID_UNKNOWN 0x10

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    uint8_t choices;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
};

/* Prints the record with every helper. */
static void print(struct cairn_text *to, const void *raw, size_t raw_bytes)
{
    static const struct cairn_text_name names[] = {{1, "one"}, {2, "two"}, {0, NULL}};
    const uint8_t *bytes = raw;
    uint64_t number;

    memcpy(&number, bytes, sizeof(number));
    cairn_text_printf(to, "%.*s %s %s", (int)raw_bytes, (const char *)bytes,
                      cairn_text_flags(to, "|", number, names),
                      cairn_text_symbolic(to, number, names));
    cairn_text_printf(to, " %s %*ph", cairn_text_hex(to, bytes, raw_bytes, ' '), (int)raw_bytes,
                      bytes);
    cairn_text_printf(to, " %s %s", cairn_text_array(to, bytes, raw_bytes / 4, 4),
                      cairn_text_bitmask(to, bytes, raw_bytes));
}

static int find_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    struct input *input = data;

    (void)id;
    if (input->choices & ID_UNKNOWN)
        return ENOENT;
    *ret_format = (struct cairn_trace_format){.name = input->schema.name,
                                              .schema = &input->schema,
                                              .print = input->choices & HAS_PRINT ? print : NULL};
    return 0;
}

static int find_comm(void *data, uint32_t tid, char ret_comm[16])
{
    struct input *input = data;

    memset(ret_comm, (int)tid, 16); /* without a NUL */
    return input->choices & HAS_COMM ? 0 : ENOENT;
}

/* Makes a record of the input's bytes, which are the whole record or the part after its head.
 * Returns its size. */
static size_t make_record(uint8_t *to, uint8_t choices, const uint8_t *data, size_t size)
{
    struct cairn_record_head head = {.type = CAIRN_RECORD_SAMPLE};
    size_t from = offsetof(struct cairn_record_head, id), whole;

    if (!(choices & IS_FRAMED)) {
        memcpy(to, data, size);
        return size;
    }
    size = size < 60000 ? size : 60000;
    whole = (from + size + 7) & ~(size_t)7;
    if (whole < sizeof(head))
        whole = 56;
    memset(to, 0, whole);
    memcpy(to + from, data, size);
    memcpy(to, &head, from);
    head.size_bytes = (uint16_t)whole;
    memcpy(to + offsetof(struct cairn_record_head, size_bytes), &head.size_bytes, 2);
    head.raw_size_bytes = (uint32_t)(whole - offsetof(struct cairn_record_head, common_type));
    memcpy(to + offsetof(struct cairn_record_head, raw_size_bytes), &head.raw_size_bytes, 4);
    return whole;
}

static void check_parts(const struct cairn_trace_names *names, const uint8_t *record, size_t size,
                        const char *line, size_t length)
{
    char part[97];

    for (size_t at = 0; at < length && at < 4096; at += sizeof(part)) {
        struct cairn_text text = cairn_text(part, sizeof(part));
        size_t bytes = length - at < sizeof(part) ? length - at : sizeof(part);

        text.skip = at;
        text.cut = true;
        assert(cairn_trace_line(names, record, size, &text) ==
               (length - at > sizeof(part) ? ENOSPC : 0));
        assert(cairn_text_length(&text) == bytes);
        assert(memcmp(part, line + at, bytes) == 0);
    }
}

static void check_line(const struct cairn_trace_names *names, const uint8_t *record, size_t size,
                       bool in_parts)
{
    size_t capacity = 1 << 20;
    char *line = malloc(capacity);
    struct cairn_text text = cairn_text(line, capacity);
    int err;

    assert(line);
    err = cairn_trace_line(names, record, size, &text);
    assert(err == 0 || err == EBADMSG || err == ENOSPC);
    assert(cairn_text_length(&text) + text.left == capacity);
    assert((err == EBADMSG) == !cairn_text_length(&text));
    assert((err == ENOSPC) == text.full);
    if (!err) {
        assert(text.at[-1] == '\n');
        if (in_parts)
            check_parts(names, record, size, line, cairn_text_length(&text));
    }
    free(line);
}

/* A copy in memory of exactly its size, so that an overflow is reported. */
static char *copy_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    assert(text);
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input;
    struct cairn_trace_names names = {find_event, find_comm, &input};
    const uint8_t *end = size ? memchr(data + 1, '\0', size - 1) : NULL;
    size_t text_bytes, record_bytes;
    uint8_t *record, *exact;
    char *text;

    if (!end)
        return 0;
    input.choices = data[0];
    text_bytes = (size_t)(end - data) - 1;
    text = copy_text(data + 1, text_bytes);
    if (input.choices & IS_FORMAT ? cairn_schema_parse_format(text, text_bytes, 8, input.fields,
                                                              CAIRN_FIELDS_MAX, &input.schema)
                                  : cairn_schema_parse_command(text, input.fields, CAIRN_FIELDS_MAX,
                                                               &input.schema, NULL)) {
        free(text);
        return 0;
    }
    size -= text_bytes + 2;
    record = malloc(size + 128);
    assert(record);
    record_bytes = make_record(record, input.choices, end + 1, size);
    exact = malloc(record_bytes + 1);
    assert(exact);
    memcpy(exact + 1, record, record_bytes);
    check_line(&names, exact + 1, record_bytes, !(input.choices & HAS_PRINT));
    free(exact);
    free(record);
    free(text);
    return 0;
}
