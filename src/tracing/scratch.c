/* SPDX-License-Identifier: MIT */
/* Temporary copies of texts, for a layer while it reads an event or a span. */
#include "tracing/thread.h"

#include <stdint.h>
#include <stdlib.h>

#define PART_BYTES_MIN 1024u

/* A part is never moved: layers have addresses in it. */
struct tracing_scratch {
    struct tracing_scratch *older;
    size_t used;
    size_t capacity;
    uint64_t space[];
};

struct tracing_scratch *tracing_scratch_make(size_t capacity)
{
    struct tracing_scratch *scratch = malloc(sizeof(*scratch) + capacity);

    if (scratch)
        *scratch = (struct tracing_scratch){.capacity = capacity};
    return scratch;
}

void tracing_scratch_destroy(struct tracing_scratch *scratch)
{
    while (scratch) {
        struct tracing_scratch *older = scratch->older;

        free(scratch);
        scratch = older;
    }
}

void tracing_scratch_free(struct tracing_thread *thread)
{
    tracing_scratch_destroy(thread->scratch);
    thread->scratch = NULL;
}

/* The newest part is used again: it is the largest, and large enough for the same amount. The older
 * ones, together no larger, stay until the thread ends: an event of a signal handler, which may
 * have interrupted malloc, must free nothing. */
void tracing_scratch_reset(struct tracing_thread *thread)
{
    thread->scratch->used = 0;
}

static void *take(struct tracing_thread *thread, size_t bytes)
{
    struct tracing_scratch *scratch = thread->scratch;
    void *memory;

    if (!scratch || bytes > scratch->capacity - scratch->used) {
        size_t capacity = scratch ? 2 * scratch->capacity : PART_BYTES_MIN;

        while (capacity < bytes)
            capacity *= 2;
        scratch = thread->may_not_allocate ? NULL : tracing_scratch_make(capacity);
        if (!scratch)
            return NULL;
        scratch->older = thread->scratch;
        thread->scratch = scratch;
    }
    memory = (char *)scratch->space + scratch->used;
    scratch->used += bytes;
    return memory;
}

/* Does not use `scratch`, which an event of a signal handler would reset. */
static void *take_outside(struct tracing_thread *thread, size_t bytes)
{
    thread->read_outside.length = 0;
    thread->read_outside.is_cut = false;
    return tracing_line_reserve(&thread->read_outside, bytes) ? thread->read_outside.text : NULL;
}

void *tracing_scratch(size_t bytes)
{
    struct tracing_thread *thread = tracing_thread_get();

    bytes = (bytes + 7) & ~(size_t)7;
    if (!thread)
        return NULL;
    return thread->is_busy ? take(thread, bytes) : take_outside(thread, bytes);
}
