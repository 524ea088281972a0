/* SPDX-License-Identifier: MIT */
#include "preload/trace_line.h"

#include <cairn/record.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct line {
    char *at;
    size_t left; /* a place for the newline and a NUL kept */
};

/* The raw part of a record: offsets are from its start. */
struct raw {
    const uint8_t *bytes;
    size_t size_bytes;
};

static __attribute__((format(printf, 2, 3))) void print(struct line *line, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(line->at, line->left, format, arguments);
    va_end(arguments);
    if (length < 0 || !line->left)
        return;
    if ((size_t)length >= line->left)
        length = (int)line->left - 1;
    line->at += length;
    line->left -= (size_t)length;
}

static bool is_text(const struct cairn_field *field)
{
    return memmem(field->type.text, field->type.length, "char", 4) != NULL;
}

/* A text ends at its NUL; a newline in it would look like another line. */
static void print_text(struct line *line, const uint8_t *bytes, size_t size_bytes)
{
    size_t length = strnlen((const char *)bytes, size_bytes);

    for (size_t i = 0; i < length; i++)
        print(line, "%c", bytes[i] == '\n' ? ' ' : bytes[i]);
}

static void print_array(struct line *line, const uint8_t *bytes, size_t size_bytes)
{
    print(line, "ARRAY[");
    for (size_t i = 0; i < size_bytes; i++)
        print(line, "%s%02x", i ? ", " : "", bytes[i]);
    print(line, "]");
}

static void print_dynamic(struct line *line, const struct cairn_field *field, const struct raw *raw)
{
    uint32_t location;
    size_t size;
    size_t at;

    memcpy(&location, raw->bytes + field->offset, sizeof(location));
    at = location & 0xffff;
    size = location >> 16;
    if (field->location == CAIRN_FIELD_REL_LOC)
        at += field->offset + sizeof(location);
    if (at + size > raw->size_bytes)
        print(line, "<OVERFLOW>");
    else if (is_text(field))
        print_text(line, raw->bytes + at, size);
    else
        print_array(line, raw->bytes + at, size);
}

static void print_number(struct line *line, const uint8_t *bytes, uint32_t size_bytes)
{
    uint64_t u64;
    uint32_t u32;
    uint16_t u16;

    switch (size_bytes) {
    case 1:
        if (isprint(*bytes))
            print(line, "'%c'", *bytes);
        print(line, "(%d)", *bytes);
        break;
    case 2:
        memcpy(&u16, bytes, sizeof(u16));
        print(line, "0x%x (%d)", u16, u16);
        break;
    case 4:
        memcpy(&u32, bytes, sizeof(u32));
        print(line, "0x%" PRIx32 " (%" PRId32 ")", u32, (int32_t)u32);
        break;
    case 8:
        memcpy(&u64, bytes, sizeof(u64));
        print(line, "0x%" PRIx64 " (%" PRId64 ")", u64, (int64_t)u64);
        break;
    default:
        print(line, "<INVALID-SIZE>");
        break;
    }
}

static void print_field(struct line *line, const struct cairn_field *field, const struct raw *raw)
{
    const uint8_t *bytes = raw->bytes + field->offset;

    print(line, " %.*s=", (int)field->name.length, field->name.text);
    if (field->offset + (size_t)field->size_bytes > raw->size_bytes)
        print(line, "<OVERFLOW>");
    else if (field->location != CAIRN_FIELD_INLINE)
        print_dynamic(line, field, raw);
    else if (field->is_array && is_text(field))
        print_text(line, bytes, field->size_bytes);
    else
        print_number(line, bytes, field->size_bytes);
}

size_t cairn_trace_line(char *text, size_t size_bytes, const struct cairn_schema *schema,
                        const char *comm, const uint8_t *record)
{
    struct line line = {.at = text, .left = size_bytes - 1};
    struct cairn_record_head head;
    struct raw raw = {record + offsetof(struct cairn_record_head, common_type), 0};
    uint64_t us;

    memcpy(&head, record, sizeof(head));
    raw.size_bytes = head.raw_size_bytes;
    us = (head.time_ns + 500) / 1000;
    print(&line, "%16s-%-7" PRIu32 " [%03" PRIu32 "] ..... %5" PRIu64 ".%06" PRIu64 ": %.*s:", comm,
          head.tid, head.cpu, us / 1000000, us % 1000000, (int)schema->name.length,
          schema->name.text);
    for (uint32_t i = 0; i < schema->field_count; i++)
        print_field(&line, &schema->fields[i], &raw);
    if (!schema->field_count)
        print(&line, "No fields found");
    *line.at++ = '\n';
    return (size_t)(line.at - text);
}
