/* SPDX-License-Identifier: MIT */
/* Compiled filters: the layout of their memory, and the public functions. */
#include "core/filter.h"

#define ALIGN_8(n) (((n) + 7) & ~(size_t)7)

#define TEST_TEXT_MIN_BYTES 5  /* "a<1" and the "||" before the next */
#define SET_TEXT_MIN_BYTES  11 /* "a&CPUS{,}" and the same */
#define SET_MAX_BYTES       (FILTER_SET_U64S(CAIRN_FILTER_CPUS_MAX) * sizeof(uint64_t))

/* Moves the sets up to the tests, so that the filter is in one piece. */
static void finish_sets(struct filter_build *build, uint32_t sets_end)
{
    struct cairn_filter *filter = build->filter;
    uint32_t tests_end = (uint32_t)((char *)(build->tests + build->test_count) - (char *)filter);
    uint32_t size_bytes = sets_end - build->sets_at;

    if (size_bytes)
        __builtin_memmove((char *)filter + tests_end, (char *)filter + build->sets_at, size_bytes);
    for (uint32_t i = 0; i < build->test_count; i++) {
        if (filter_has_set((enum filter_code)build->tests[i].code))
            build->tests[i].set.at -= build->sets_at - tests_end;
    }
    filter->size_bytes = tests_end + size_bytes;
    filter->test_count = (uint16_t)build->test_count;
}

static uint64_t record_min_bytes(const struct cairn_schema *schema)
{
    uint64_t min_bytes = CAIRN_COMMON_BYTES;

    if (min_bytes < schema->fixed_size_bytes)
        min_bytes = schema->fixed_size_bytes;
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];
        uint32_t size_bytes = field->size_bytes;
        uint64_t end;

        /* A field may count as dynamic by its type's name, whatever its size. */
        if (core_slice_contains(field->type, "_loc") && size_bytes < 4)
            size_bytes = 4;
        end = (uint64_t)field->offset + size_bytes;
        if (min_bytes < end)
            min_bytes = end;
    }
    return min_bytes;
}

static int compile(struct filter_build *build, uint32_t memory_bytes)
{
    uint32_t depth;
    uint32_t terms_max;
    uint32_t levels_bytes;
    uint32_t sets_end;
    int err = core_filter_scan(build, &depth, &terms_max);

    if (err)
        return err;
    levels_bytes = (uint32_t)ALIGN_8(depth);
    if (build->filter->tests_at + levels_bytes > memory_bytes)
        return ENOSPC;
    sets_end = memory_bytes - levels_bytes;
    build->sets_at = sets_end;
    err = core_filter_parse(build, (uint8_t *)build->filter + sets_end, depth, terms_max);
    if (!err)
        finish_sets(build, sets_end);
    return err;
}

/* Begins a filter with its text; the rest of memory is free. */
static int begin(struct filter_build *build, struct cairn_slice text, void *memory,
                 uint32_t memory_bytes)
{
    size_t tests_at = sizeof(struct cairn_filter) + ALIGN_8(text.length + 1);
    char *copy = (char *)memory + sizeof(struct cairn_filter);

    if (memory_bytes < tests_at)
        return ENOSPC;
    build->filter = (struct cairn_filter *)memory;
    *build->filter = (struct cairn_filter){
        .record_min_bytes = record_min_bytes(build->schema),
        .text_length = (uint16_t)text.length,
        .tests_at = (uint16_t)tests_at,
    };
    if (text.length)
        __builtin_memcpy(copy, text.text, text.length);
    __builtin_memset(copy + text.length, 0, tests_at - sizeof(struct cairn_filter) - text.length);
    build->text = (struct cairn_slice){copy, text.length};
    build->tests = (struct filter_test *)((char *)memory + tests_at);
    return 0;
}

int cairn_filter_compile_for_cpus(const struct cairn_schema *schema, uint32_t cpu_count,
                                  const char *text, size_t length, void *memory,
                                  size_t memory_bytes, struct cairn_filter **ret_filter,
                                  struct cairn_filter_error *ret_error)
{
    struct filter_build build = {.schema = schema, .cpu_count = cpu_count};
    uint32_t used_bytes;
    int err;

    if ((uintptr_t)memory % 8)
        return EINVAL;
    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    if (!cpu_count || cpu_count > CAIRN_FILTER_CPUS_MAX)
        build.cpu_count = CAIRN_FILTER_CPUS_MAX;
    if (memory_bytes > cairn_filter_memory_bytes(length))
        memory_bytes = cairn_filter_memory_bytes(length);
    used_bytes = (uint32_t)(memory_bytes & ~(size_t)7);

    err = begin(&build, core_slice_written((struct cairn_slice){text, (uint32_t)length}), memory,
                used_bytes);
    if (!err)
        err = compile(&build, used_bytes);
    if (err == EINVAL && ret_error)
        *ret_error = build.error;
    if (!err)
        *ret_filter = build.filter;
    return err;
}

int cairn_filter_compile(const struct cairn_schema *schema, const char *text, size_t length,
                         void *memory, size_t memory_bytes, struct cairn_filter **ret_filter,
                         struct cairn_filter_error *ret_error)
{
    return cairn_filter_compile_for_cpus(schema, CAIRN_FILTER_CPUS_MAX, text, length, memory,
                                         memory_bytes, ret_filter, ret_error);
}

/*
 * An upper bound: as many tests and sets as fit into the text, and the compiler's temporary
 * memory.
 */
size_t cairn_filter_memory_bytes(size_t length)
{
    if (length > CAIRN_FILTER_TEXT_MAX_BYTES)
        length = CAIRN_FILTER_TEXT_MAX_BYTES;
    return sizeof(struct cairn_filter) + ALIGN_8(length + 1) +
           (length / TEST_TEXT_MIN_BYTES + 2) * sizeof(struct filter_test) +
           (length / SET_TEXT_MIN_BYTES + 2) * SET_MAX_BYTES + ALIGN_8(length / 2 + 2);
}

const char *cairn_filter_text(const struct cairn_filter *filter)
{
    return (const char *)(filter + 1);
}

size_t cairn_filter_bytes(const struct cairn_filter *filter)
{
    return filter->size_bytes;
}

bool cairn_filter_needs_task(const struct cairn_filter *filter)
{
    return filter->needs_task;
}
