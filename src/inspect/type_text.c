/* SPDX-License-Identifier: MIT */
/* The fields of a type of EventHeader events as text: "u32 Number; struct Owner { u32 User }; u16
 * Counts[]". */
#include "core/cursor.h"
#include "inspect/types.h"

#include <cairn/eventheader_abi.h>
#include <stdlib.h>
#include <string.h>

/* Structs in structs, as the decoder accepts them. */
#define DEPTH_MAX 16u

/* A field's definition. */
struct type_definition {
    const char *name;
    int name_length; /* without attributes */
    uint8_t encoding;
    uint8_t format;
    bool is_array;
    uint16_t count; /* of an array; 0: it differs */
};

static bool take(struct core_cursor *c, struct type_definition *d)
{
    size_t length;
    uint8_t array;

    *d = (struct type_definition){0};
    d->name = core_cursor_string(c, &length);
    d->encoding = core_cursor_u8(c);
    d->format = d->encoding & CAIRN_ENCODING_CHAIN ? core_cursor_u8(c) : 0;
    if (d->format & CAIRN_FORMAT_CHAIN)
        (void)core_cursor_u16(c);
    array = d->encoding & (CAIRN_ENCODING_CARRAY | CAIRN_ENCODING_VARRAY);
    if (array == CAIRN_ENCODING_CARRAY)
        d->count = core_cursor_u16(c);
    if (c->error)
        return false;
    d->name_length = (int)strcspn(d->name, ";");
    d->is_array = array != 0;
    d->encoding &= CAIRN_ENCODING_VALUE_MASK;
    d->format &= CAIRN_FORMAT_VALUE_MASK;
    return d->encoding != CAIRN_ENCODING_INVALID && d->encoding < CAIRN_ENCODING_MAX &&
           (d->encoding != CAIRN_ENCODING_STRUCT || d->format);
}

static uint32_t width_of(uint8_t encoding)
{
    return encoding <= CAIRN_ENCODING_VALUE128 ? 8u << (encoding - CAIRN_ENCODING_VALUE8) : 0;
}

/* Numbers, in the words of CAIRN_WRITE_EVENT. */
static void print_number(FILE *to, const struct type_definition *d)
{
    uint32_t width = width_of(d->encoding);

    switch (d->format) {
    case CAIRN_FORMAT_SIGNED_INT:
        fprintf(to, "s%u", width);
        break;
    case CAIRN_FORMAT_HEX_INT:
        fprintf(to, "u%u_hex", width);
        break;
    case CAIRN_FORMAT_ERRNO:
        fputs("errno", to);
        break;
    case CAIRN_FORMAT_PID:
        fputs("pid", to);
        break;
    case CAIRN_FORMAT_TIME:
        fprintf(to, "time%u", width);
        break;
    case CAIRN_FORMAT_BOOLEAN:
        fprintf(to, "bool%u", width);
        break;
    case CAIRN_FORMAT_FLOAT:
        fprintf(to, "f%u", width);
        break;
    case CAIRN_FORMAT_PORT:
        fputs("port", to);
        break;
    case CAIRN_FORMAT_UUID:
        fputs("guid", to);
        break;
    case CAIRN_FORMAT_IP_ADDRESS:
    case CAIRN_FORMAT_IP_ADDRESS_OBSOLETE:
        fputs(width == 128 ? "ipv6" : "ipv4", to);
        break;
    case CAIRN_FORMAT_STRING8:
    case CAIRN_FORMAT_STRING_UTF:
        fprintf(to, "char%u", width);
        break;
    default:
        fputs(width == 128 ? "hex_bytes" : "", to);
        if (width != 128)
            fprintf(to, "u%u", width);
        break;
    }
}

static void print_type(FILE *to, const struct type_definition *d)
{
    static const char *const texts[] = {"str8",  "str16", "str32", "str8",
                                        "str16", "str32", "binary"};

    if (d->encoding == CAIRN_ENCODING_STRUCT)
        fputs("struct", to);
    else if (d->encoding <= CAIRN_ENCODING_VALUE128)
        print_number(to, d);
    else
        fputs(texts[d->encoding - CAIRN_ENCODING_ZSTRING_CHAR8], to);
}

static void print_field(FILE *to, const struct type_definition *d)
{
    print_type(to, d);
    fputc(' ', to);
    for (int i = 0; i < d->name_length; i++) /* a terminal obeys control characters */
        fputc((unsigned char)d->name[i] < 0x20 || d->name[i] == 0x7f ? '?' : d->name[i], to);
    if (d->is_array && d->count)
        fprintf(to, "[%u]", d->count);
    else if (d->is_array)
        fputs("[]", to);
}

void inspect_type_print_fields(FILE *to, const void *metadata, size_t metadata_bytes)
{
    struct core_cursor c = core_cursor(metadata, metadata_bytes, false);
    uint32_t left[DEPTH_MAX]; /* members of open structs */
    uint32_t depth = 0;
    bool is_first = true;
    struct type_definition d;
    size_t length;

    (void)core_cursor_string(&c, &length); /* the event's name */
    while (c.left && !c.error && take(&c, &d)) {
        if (d.encoding == CAIRN_ENCODING_STRUCT && depth == DEPTH_MAX)
            break;
        if (!is_first)
            fputs("; ", to);
        print_field(to, &d);
        is_first = d.encoding == CAIRN_ENCODING_STRUCT;
        if (depth)
            left[depth - 1]--;
        if (is_first) {
            fputs(" { ", to);
            left[depth++] = d.format;
        }
        for (; depth && !left[depth - 1]; depth--)
            fputs(" }", to);
    }
    while (depth--)
        fputs(" }", to);
}
