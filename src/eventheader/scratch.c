/* SPDX-License-Identifier: MIT */
/* Memory for the values of events. */
#include "eventheader/scratch.h"
#include "core/atomic.h"
#include "engine/thread.h"
#include "os/memory.h"

#include <errno.h>

/* One for each thread that writes such an event at this moment, also of those that do not run. */
#define COUNT_MAX 1024u
#define COUNT_MIN 8u

#define STRIDE_BYTES (EVENTHEADER_SCRATCH_BYTES + 4096u)
#define HEAD_BYTES   (4096u + EVENTHEADER_SCRATCH_GAP_BYTES)

/* The kernel wipes it in a child of fork. */
static uint8_t *taken; /* for each */
static uint8_t *memory;
static uint32_t count;

int eventheader_scratch_reserve(void)
{
    if (taken)
        return 0;
    /* A limit of the address space may be near. */
    for (uint32_t n = COUNT_MAX; n >= COUNT_MIN; n /= 2) {
        size_t size = HEAD_BYTES + (size_t)n * STRIDE_BYTES;
        void *bytes;

        if (os_memory_reserve(size, &bytes))
            continue;
        (void)os_memory_wipe_on_fork(bytes, size);
        count = n;
        memory = (uint8_t *)bytes + HEAD_BYTES;
        core_store_relaxed((uint8_t *)bytes,
                           0); /* for the first event, of a thread without a cell */
        core_store_relaxed(memory, 0);
        /* Pairs with the acquire in taking: memory and count come first. */
        core_store_release(&taken, (uint8_t *)bytes);
        return 0;
    }
    return ENOMEM;
}

/* A thread takes the same one each time, so that few pages are in use and few threads meet. */
void *eventheader_scratch_take(void)
{
    uint8_t *locks = core_load_acquire(&taken);
    uint32_t first = engine_thread_self ? engine_cell_number(engine_thread_self) : 0;

    for (uint32_t n = 0; locks && n < count; n++) {
        uint32_t at = (first + n) % count;
        uint8_t is_free = 0;

        if (!core_load_relaxed(&locks[at]) &&
            core_compare_exchange_acquire(&locks[at], &is_free, 1))
            return memory + (size_t)at * STRIDE_BYTES;
    }
    return NULL;
}

static size_t number_of(const uint8_t *at)
{
    return (size_t)(at - memory) / STRIDE_BYTES;
}

void *eventheader_scratch_of(const uint8_t *at)
{
    return memory + number_of(at) * STRIDE_BYTES;
}

void eventheader_scratch_give(const uint8_t *at)
{
    core_store_release(&taken[number_of(at)], 0);
}
