/* SPDX-License-Identifier: MIT */
/* Functions that the tests of filters share. */
#ifndef FILTER_TEST_H
#define FILTER_TEST_H

#include "schema_test.h"

#include <cairn/filter.h>

/* A compiled filter in memory of exactly its size, so that a sanitizer finds accesses beyond it. */
struct compiled {
    void *memory;
    struct cairn_filter *filter;
    struct cairn_filter_error error;
    int err;
};

static inline struct compiled compile_bytes(const struct cairn_schema *schema, const char *text,
                                            size_t length, size_t memory_bytes)
{
    struct compiled compiled = {.memory = malloc(memory_bytes ? memory_bytes : 1)};
    char *copy = malloc(length ? length : 1);

    assert_true(compiled.memory && copy);
    memcpy(copy, text, length);
    compiled.err = cairn_filter_compile_for_cpus(schema, 128, copy, length, compiled.memory,
                                                 memory_bytes, &compiled.filter, &compiled.error);
    free(copy);
    return compiled;
}

static inline struct compiled compile_text(const struct cairn_schema *schema, const char *text)
{
    return compile_bytes(schema, text, strlen(text), cairn_filter_memory_bytes(strlen(text)));
}

/* Returns true if a filter selects a record, whose copy ends where the record ends. */
static inline bool chooses(const struct cairn_schema *schema, const char *text, const void *record,
                           size_t size_bytes, const struct cairn_filter_task *task)
{
    struct compiled compiled = compile_text(schema, text);
    uint8_t *copy = malloc(size_bytes ? size_bytes : 1);
    bool chosen;

    assert_non_null(copy);
    memcpy(copy, record, size_bytes);
    if (compiled.err)
        fail_msg("%s: %s at %u", text, compiled.error.reason, compiled.error.position);
    chosen = cairn_filter_match(compiled.filter, copy, size_bytes, task);
    free(copy);
    free(compiled.memory);
    return chosen;
}

#endif
