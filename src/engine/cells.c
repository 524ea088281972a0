/* SPDX-License-Identifier: MIT */
/* Cells: memory for the state of writing threads, without the heap. */
#include "engine/cells.h"

#include "core/atomic.h"
#include "os/memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define CELLS_MAX 32768u
#define CELLS_MIN 256u

/* The kernel wipes it in a child of fork. */
struct cells {
    uint32_t next; /* the search begins here */
    uint8_t taken[CELLS_MAX];
};

static struct cells *cells;
static uint8_t *memory; /* cell 0 is never allocated */
static uint32_t count;
static uint32_t highest; /* cells that were ever allocated; keeps its value in a child */

/* A page fault in a program's first event would take longer than the rest of it. */
static void touch_first(void)
{
    core_store_relaxed(&cells->taken[0], 1);
    core_store_relaxed(memory + ENGINE_CELL_BYTES, 0);
}

int engine_cells_map(void)
{
    const size_t head = (sizeof(struct cells) + 4095) & ~(size_t)4095;

    if (cells)
        return 0;
    /* If the address space is limited, fewer cells are mapped. */
    for (uint32_t n = CELLS_MAX; n >= CELLS_MIN; n /= 2) {
        size_t size = head + n * ENGINE_CELL_BYTES;
        void *bytes;

        if (os_memory_reserve(size, &bytes))
            continue;
        (void)os_memory_wipe_on_fork(bytes, size);
        memory = (uint8_t *)bytes + head;
        count = n;
        cells = bytes;
        touch_first();
        return 0;
    }
    return ENOMEM;
}

static void note_highest(uint32_t at)
{
    if (at > core_load_relaxed(&highest))
        core_store_relaxed(&highest, at);
}

void engine_cells_forget(void)
{
    core_store_relaxed(&highest, 0);
}

/* Allocates the lowest free cell, so that few pages are in use. A child that was made by clone()
 * itself allocates those above its parent's, since one of these may still be its first thread's. */
void *engine_cell_take(void)
{
    uint32_t first = cells ? core_load_relaxed(&cells->next) : 0;

    if (!first)
        first = core_load_relaxed(&highest) + 1;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (first + i) % count;
        uint8_t is_free = 0;

        if (at == 0 || core_load_relaxed(&cells->taken[at]) ||
            !core_compare_exchange_acquire(&cells->taken[at], &is_free, 1))
            continue;
        core_store_relaxed(&cells->next, at + 1);
        note_highest(at);
        return memset(memory + at * ENGINE_CELL_BYTES, 0, ENGINE_CELL_BYTES);
    }
    return NULL;
}

uint32_t engine_cell_number(const void *cell)
{
    return (uint32_t)((size_t)((const uint8_t *)cell - memory) / ENGINE_CELL_BYTES);
}

void *engine_cell_at(uint32_t number)
{
    return memory + number * ENGINE_CELL_BYTES;
}

void engine_cell_give(void *cell)
{
    uint32_t at = engine_cell_number(cell);

    core_store_release(&cells->taken[at], 0);
    if (at && at < core_load_relaxed(&cells->next))
        core_store_relaxed(&cells->next, at);
}
