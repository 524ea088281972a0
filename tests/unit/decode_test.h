/* SPDX-License-Identifier: MIT */
/* Functions that build events byte by byte, and that compare what the printers write for them. */
#ifndef DECODE_TEST_H
#define DECODE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "export/exporter.h"
#include "decode/tracepoint_name.h"

#include <errno.h>

#include <stdio.h>
#include <stdlib.h>

/* The fields that every format text begins with, and its end. */
#define COMMON_FIELDS                                                              \
    "format:\n"                                                                    \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define PRINT_FMT "\n"

/* An EventHeader tracepoint of level 5 and keyword 0x2a. */
#define EVENTHEADER_FORMAT                                           \
    "name: P_L5K2a\nID: 7\n" COMMON_FIELDS                           \
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n" \
    "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"           \
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"              \
    "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"             \
    "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"           \
    "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n" PRINT_FMT

/* A buffer of bytes to append to, with a byte order of its own. */
struct bytes {
    uint8_t data[70000];
    size_t size;
    bool big_endian;
};

static inline void put_bytes(struct bytes *b, const void *data, size_t size)
{
    assert_true(b->size + size <= sizeof(b->data));
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static inline void put_number(struct bytes *b, uint64_t value, unsigned size)
{
    for (unsigned n = 0; n < size; n++) {
        unsigned shift = 8 * (b->big_endian ? size - 1 - n : n);
        uint8_t byte = (uint8_t)(value >> shift);

        put_bytes(b, &byte, 1);
    }
}

/* Appends a string constant with the zeros inside it, but without its terminating NUL. */
#define PUT(b, literal) put_bytes(b, literal, sizeof(literal) - 1)

static inline void put_common(struct bytes *b)
{
    put_number(b, 7, 2);
    put_number(b, 0, 2);
    put_number(b, 1234, 4);
}

/* Common fields and an EventHeader with id 1, version 2, tag 3, opcode 0 and level 5. */
static inline void put_header(struct bytes *b, uint8_t flags)
{
    put_common(b);
    put_number(b, flags | (b->big_endian ? 0 : CAIRN_EVENTHEADER_LITTLE_ENDIAN), 1);
    put_number(b, 2, 1);
    put_number(b, 1, 2);
    put_number(b, 3, 2);
    put_number(b, 0, 1);
    put_number(b, 5, 1);
}

static inline void put_extension(struct bytes *b, uint16_t kind, const void *data, size_t size)
{
    put_number(b, size, 2);
    put_number(b, kind, 2);
    put_bytes(b, data, size);
}

/* A whole event: the metadata, which begins with the event's name "E", and the data. */
static inline void put_event(struct bytes *b, const struct bytes *fields, const struct bytes *data)
{
    struct bytes metadata = {.big_endian = b->big_endian};

    PUT(&metadata, "E\0");
    put_bytes(&metadata, fields->data, fields->size);
    put_header(b, CAIRN_EVENTHEADER_EXTENSION | CAIRN_EVENTHEADER_POINTER64);
    put_extension(b, CAIRN_EXTENSION_METADATA, metadata.data, metadata.size);
    put_bytes(b, data->data, data->size);
}

static inline struct cairn_slice slice(const char *text)
{
    return (struct cairn_slice){text, (uint32_t)strlen(text)};
}

static inline uint32_t add_tracepoint_of(struct cairn_decoder *decoder, const char *format,
                                         bool swap, uint32_t long_size_bytes)
{
    const struct cairn_decoder_format description = {.system = slice("sys"),
                                                     .text = slice(format),
                                                     .long_size_bytes = long_size_bytes,
                                                     .swap = swap};
    uint32_t tracepoint = UINT32_MAX;

    assert_int_equal(cairn_decoder_add(decoder, &description, &tracepoint), 0);
    return tracepoint;
}

static inline uint32_t add_tracepoint(struct cairn_decoder *decoder, const char *format, bool swap)
{
    return add_tracepoint_of(decoder, format, swap, 8);
}

/* Returns what a printer in memory has written; the caller frees it. */
static inline char *take_text(const struct cairn_printer *printer)
{
    return strndup(printer->out.begin, (size_t)(printer->out.at - printer->out.begin));
}

struct printed {
    char *text; /* freed by the caller */
    enum cairn_event_error error;
};

/* Prints an event, whose bytes are in memory of exactly their size, so that a sanitizer finds reads
 * beyond it. */
static inline enum cairn_event_error print_exact(struct cairn_printer *printer,
                                                 struct cairn_decoder *decoder, uint32_t tracepoint,
                                                 const void *raw, size_t size,
                                                 struct cairn_event *event)
{
    void *exact = malloc(size + !size);
    enum cairn_event_error error;

    memcpy(exact, raw, size);
    assert_int_equal(cairn_decoder_event(decoder, tracepoint, exact, size, event), 0);
    error = cairn_printer_event(printer, event);
    free(exact);
    return error;
}

/* Prints one event in a style; `sample` has what is not in the event's bytes. */
static inline struct printed print_one(enum cairn_style style, const char *format, const void *raw,
                                       size_t size, const struct cairn_event *sample, bool swap)
{
    struct cairn_decoder *decoder;
    struct cairn_printer *printer;
    struct cairn_event event = sample ? *sample : (struct cairn_event){0};
    struct printed printed;

    assert_int_equal(cairn_decoder_create(&decoder), 0);
    assert_int_equal(cairn_printer_create(style, -1, &printer), 0);
    printed.error =
        print_exact(printer, decoder, add_tracepoint(decoder, format, swap), raw, size, &event);
    printed.text = take_text(printer);
    cairn_printer_destroy(printer);
    cairn_decoder_destroy(decoder);
    return printed;
}

/* Checks the fields of an EventHeader event in a style: the text between the event's head and its
 * end. */
static inline void assert_fields(enum cairn_style style, const struct bytes *fields,
                                 const struct bytes *data, const char *expected,
                                 enum cairn_event_error error)
{
    static const char *const heads[] = {
        [CAIRN_STYLE_JSON] = "\n {\"n\":\"P:E\"",
        [CAIRN_STYLE_JSONL] = ("{\"provider\":\"P\",\"event\":\"E\",\"level\":\"verbose\","
                               "\"keyword\":\"0x2A\",\"id\":1,\"version\":2,\"tag\":3,"
                               "\"fields\":{"),
        [CAIRN_STYLE_TEXT] = "P:E:",
    };
    static const char *const tails[] = {",\"meta\":{", "}", " (level="};
    struct bytes event = {.big_endian = data->big_endian};
    struct printed printed;
    size_t head = strlen(heads[style]);
    size_t expected_length = strlen(expected);

    put_event(&event, fields, data);
    printed = print_one(style, EVENTHEADER_FORMAT, event.data, event.size, NULL, false);
    assert_memory_equal(printed.text, heads[style], head);
    if (strncmp(printed.text + head, expected, expected_length) ||
        strncmp(printed.text + head + expected_length, tails[style], strlen(tails[style])))
        fail_msg("expected %s%s, got %s", expected, tails[style], printed.text + head);
    assert_int_equal(printed.error, error);
    free(printed.text);
}

#endif
