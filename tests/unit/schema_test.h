/* SPDX-License-Identifier: MIT */
/* Functions that the tests of schemas share. */
#ifndef SCHEMA_TEST_H
#define SCHEMA_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cairn/schema.h>

/* A schema and the memory of its fields. */
struct parsed {
    struct cairn_schema schema;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
};

static inline void assert_slice(struct cairn_slice slice, const char *expected)
{
    assert_int_equal(slice.length, strlen(expected));
    assert_memory_equal(slice.text, expected, slice.length);
}

static inline void parse_command(const char *command, struct parsed *parsed)
{
    assert_int_equal(cairn_schema_parse_command(command, parsed->fields, CAIRN_FIELDS_MAX,
                                                &parsed->schema, NULL),
                     0);
}

/* The event "t" with the same field repeated as often as a command can contain it. */
static inline void repeat_field(const char *field, char command[CAIRN_COMMAND_MAX_BYTES])
{
    size_t length = strlen(field);
    size_t at = 2;

    memcpy(command, "t ", sizeof("t "));
    for (; at + length < CAIRN_COMMAND_MAX_BYTES; at += length)
        memcpy(command + at, field, length + 1);
}

/* Parses a copy that ends where the text ends, so that a sanitizer finds reads beyond it. */
static inline int parse_format_bytes(const char *text, size_t size_bytes, uint32_t long_size_bytes,
                                     struct parsed *parsed)
{
    char *copy = malloc(size_bytes ? size_bytes : 1);
    int err;

    assert_non_null(copy);
    memcpy(copy, text, size_bytes);
    err = cairn_schema_parse_format(copy, size_bytes, long_size_bytes, parsed->fields,
                                    CAIRN_FIELDS_MAX, &parsed->schema);
    free(copy);
    return err;
}

static inline void parse_format(const char *text, struct parsed *parsed)
{
    assert_int_equal(cairn_schema_parse_format(text, strlen(text), 8, parsed->fields,
                                               CAIRN_FIELDS_MAX, &parsed->schema),
                     0);
}

#endif
