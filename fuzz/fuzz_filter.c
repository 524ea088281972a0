/* SPDX-License-Identifier: MIT */
/* Fuzzes the filter compiler, and the filters with a record. The input is "FILTER\nRECORD", FILTER
 * without a newline. */
#include <cairn/filter.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char command[] =
    "test u8 a; s8 b; u16 c; s16 d; u32 e; s32 f; u64 g; s64 h; char[16] s; char[4] t; struct p p "
    "12;"
    " __data_loc cpumask_t m; __rel_loc cpumask_t n; __data_loc char[] x; __rel_loc char[] y";

static struct cairn_field fields[CAIRN_FIELDS_MAX];
static struct cairn_schema schema;

int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    assert(!cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL));
    return 0;
}

/* A copy in memory of exactly its size: the sanitizer reports a read after it. */
static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size ? size : 1);

    assert(copy);
    if (size)
        memcpy(copy, bytes, size);
    return copy;
}

static void check_mistake(const char *text, size_t length, const struct cairn_filter_error *error)
{
    size_t shown_max = 2 * length + 100;
    char *shown = malloc(shown_max);
    size_t shown_length;

    assert(shown && error->position <= length + 3 && error->kind < CAIRN_FILTER_BAD_SYSTEM);
    assert(error->reason == cairn_filter_reason(error->kind));
    assert(!cairn_filter_write_error(text, length, error, shown, shown_max, &shown_length));
    assert(strlen(shown) == shown_length);
    free(shown);
}

/* Checks that the filter's text compiles to the same filter, and that a copy is equal too. */
static void check_filter(const struct cairn_filter *filter, const uint8_t *record, size_t size)
{
    static const struct cairn_filter_task tasks[] = {{0, "0123456789abcdef"},
                                                     {UINT32_MAX, "a\0\0\0\0\0\0\0\0\0\0\0\0\0\0"}};
    const char *text = cairn_filter_text(filter);
    size_t length = strlen(text);
    size_t memory_bytes = cairn_filter_memory_bytes(length);
    struct cairn_filter *copy = copy_of(filter, cairn_filter_bytes(filter));
    void *memory = malloc(memory_bytes);
    struct cairn_filter *again;

    assert(memory);
    assert(!cairn_filter_compile(&schema, text, length, memory, memory_bytes, &again, NULL));
    assert(cairn_filter_bytes(again) == cairn_filter_bytes(filter));
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        bool chosen = cairn_filter_match(filter, record, size, &tasks[i]);

        assert(chosen == cairn_filter_match(copy, record, size, &tasks[i]));
        assert(chosen == cairn_filter_match(again, record, size, &tasks[i]));
        assert(!chosen || size >= schema.fixed_size_bytes);
    }
    assert(!cairn_filter_needs_task(filter) || !cairn_filter_match(filter, record, size, NULL));
    free(memory);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *newline = size ? memchr(data, '\n', size) : NULL;
    size_t length = newline ? (size_t)(newline - data) : size;
    size_t record_size = newline ? size - length - 1 : 0;
    size_t memory_bytes = cairn_filter_memory_bytes(length);
    char *text = copy_of(data, length);
    uint8_t *record = copy_of(data + size - record_size, record_size);
    void *memory = malloc(memory_bytes);
    struct cairn_filter *filter = NULL;
    struct cairn_filter_error error = {0};
    int err;

    assert(memory);
    err = cairn_filter_compile(&schema, text, length, memory, memory_bytes, &filter, &error);
    assert(!err == !!filter);
    assert(err != ENOSPC && (err == E2BIG) == (length >= CAIRN_FILTER_TEXT_MAX_BYTES));
    if (!err)
        check_filter(filter, record, record_size);
    else if (err == EINVAL)
        check_mistake(text, length, &error);
    free(memory);
    free(record);
    free(text);
    return 0;
}
