/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes conditions: any filter, for any metadata, applied to any values: nothing outside is read,
 * and a verdict that was undecided for lack of memory is one with enough of it. The metadata and
 * the filters of a session come from shared memory, so they may be anything in a traced program,
 * too.
 *
 * The input is a filter, a zero, the metadata's size as a byte, the metadata, and the values.
 */
#include "condition/condition.h"

#include <assert.h>
#include <cairn/eventheader_abi.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A copy without bytes around it: a sanitizer sees reads after its end. */
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    assert(copy);
    memcpy(copy, data, size);
    return copy;
}

static enum condition_verdict match(const struct condition *condition, const uint8_t *values,
                                    size_t size, size_t scratch_bytes)
{
    char *scratch = malloc(scratch_bytes + 1);
    const struct condition_event event = {.values = values,
                                          .values_bytes = size,
                                          .comm = "fuzz\0\0\0\0\0\0\0\0\0\0\0",
                                          .scratch = scratch,
                                          .scratch_bytes = scratch_bytes,
                                          .text_max_bytes = scratch_bytes ? SIZE_MAX : 8};
    enum condition_verdict verdict;

    assert(scratch);
    verdict = condition_match(condition, &event);
    free(scratch);
    return verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    const uint8_t header[sizeof(struct cairn_eventheader)] = {CAIRN_EVENTHEADER_NATIVE_FLAGS};
    struct condition_type type = {.header = header, .keyword = 1};
    struct cairn_filter_error problem;
    struct condition *condition;
    size_t length = end ? (size_t)(end - data) : 0;
    size_t memory_bytes;
    char *filter;
    uint8_t *metadata;
    uint8_t *values;
    void *memory;

    if (!end || length + 2 > size || length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return 0;
    filter = (char *)copy_of(data, length + 1);
    condition_mark_names(filter);
    data += length + 2;
    size -= length + 2;
    type.metadata_bytes = data[-1] < size ? data[-1] : size;
    metadata = copy_of(data, type.metadata_bytes);
    type.metadata = metadata;
    size -= type.metadata_bytes;
    values = copy_of(data + type.metadata_bytes, size);
    memory_bytes = condition_memory_bytes(length, type.metadata_bytes);
    memory = malloc(memory_bytes);
    assert(memory);
    if (!condition_compile(&type, filter, length, memory, memory_bytes, &condition, &problem)) {
        enum condition_verdict little = match(condition, values, size, 0);
        enum condition_verdict enough = match(condition, values, size, 1 << 20);

        assert(condition_bytes(condition) <= memory_bytes);
        assert(enough != CONDITION_UNDECIDED);
        assert(little == enough || little == CONDITION_UNDECIDED);
    }
    free(memory);
    free(values);
    free(metadata);
    free(filter);
    return 0;
}
