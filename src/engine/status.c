/* SPDX-License-Identifier: MIT */
/* The status mapping: four quarters for two backends and callbacks. */
#include "engine/status.h"
#include "core/atomic.h"
#include "engine/abi.h"
#include "os/memory.h"

unsigned char *engine_status;

_Static_assert(ENGINE_EVENT_MAX + ENGINE_PENDING_PAGES * ENGINE_PENDING_MAX ==
                   ENGINE_STATUS_PART_BYTES,
               "every event has a byte in each quarter, and so has every pending one");

/* All quarters, zeros, aligned to their common size. */
static int allocate_aligned(unsigned char **ret_memory)
{
    const size_t size = 4 * ENGINE_STATUS_PART_BYTES;
    unsigned char *bytes;
    void *memory;
    size_t before;
    int error = os_memory_allocate(2 * size, &memory);

    if (error)
        return error;
    bytes = memory;
    before = (size_t)(-(uintptr_t)bytes & (size - 1));
    if (before)
        os_memory_unmap(bytes, before);
    os_memory_unmap(bytes + before + size, size - before);
    *ret_memory = bytes + before;
    return 0;
}

static int map_page(unsigned char *memory, int status_fd)
{
    return status_fd < 0 ? 0 : os_memory_replace(memory, ENGINE_EVENT_MAX, status_fd, 0);
}

int engine_status_map(int status_fd)
{
    int error;
    unsigned char *memory = engine_status;

    if (memory) /* replaces the zeros, at the same address */
        return map_page(memory, status_fd);
    error = allocate_aligned(&memory);
    if (error)
        return error;
    error = map_page(memory, status_fd);
    if (error) {
        os_memory_unmap(memory, 4 * ENGINE_STATUS_PART_BYTES);
        return error;
    }
    engine_status = memory;
    return 0;
}

int engine_status_map_pending(uint32_t index, int fd, size_t offset)
{
    return os_memory_replace(engine_status + index, ENGINE_PENDING_MAX, fd, offset);
}

void engine_status_arm_kernel(uint32_t index)
{
    core_store_relaxed(&engine_status[ENGINE_STATUS_PART_BYTES + index], 1);
}

static void arm_own(uint32_t index)
{
    unsigned char *byte = engine_status + ENGINE_STATUS_OWN_BYTES + index;

    /* Writers in other threads read them. */
    core_store_relaxed(byte, 1);
    core_store_relaxed(byte + ENGINE_STATUS_PART_BYTES, 1);
}

void engine_status_point(struct cairn_tracepoint *tracepoint, uint32_t index)
{
    const unsigned char *byte = engine_status + index;

    if (tracepoint->own) {
        arm_own(index);
        byte += ENGINE_STATUS_OWN_BYTES;
    }
    core_store_release(&tracepoint->enabled, byte);
}

uint32_t engine_status_index(const struct cairn_tracepoint *tracepoint)
{
    const unsigned char *byte = core_load_acquire(&tracepoint->enabled);
    uintptr_t offset = (uintptr_t)byte - (uintptr_t)engine_status;

    return offset < 4 * ENGINE_STATUS_PART_BYTES
               ? (uint32_t)(offset & (ENGINE_STATUS_PART_BYTES - 1))
               : 0;
}

/* The mapping is aligned: the lower bits of a pointer into it are the index. The kernel and
 * engine_status_set_own change the others at any time, and must find ones where these lead. */
void engine_status_move(struct cairn_tracepoint *tracepoint, uint32_t index)
{
    engine_status_arm_kernel(index);
    arm_own(index);
    (void)core_fetch_xor_release((uintptr_t *)(void *)&tracepoint->enabled,
                                 (uintptr_t)(engine_status_index(tracepoint) ^ index));
}

void engine_status_set_own(struct cairn_tracepoint *tracepoint, bool on)
{
    uintptr_t *pointer = (uintptr_t *)(void *)&tracepoint->enabled;
    uintptr_t offset = (uintptr_t)tracepoint->enabled - (uintptr_t)engine_status;

    tracepoint->own = on;
    if (offset >= 4 * ENGINE_STATUS_PART_BYTES) { /* registered with no backend */
        if (on)
            engine_status_point(tracepoint, 0);
        return;
    }
    arm_own((uint32_t)(offset & (ENGINE_STATUS_PART_BYTES - 1)));
    if (on)
        core_fetch_or_release(pointer, ENGINE_STATUS_OWN_BYTES);
    else
        core_fetch_and_release(pointer, ~(uintptr_t)ENGINE_STATUS_OWN_BYTES);
}
