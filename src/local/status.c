/* SPDX-License-Identifier: MIT */
#include "local/status.h"
#include "local/abi.h"

#include <errno.h>
#include <sys/mman.h>

unsigned char *cairn_i_status;

_Static_assert(CAIRN_EVENT_MAX <= CAIRN_STATUS_HALF_BYTES, "every event has a byte in each half");

/* Both halves, zeros, aligned to their common size. */
static unsigned char *reserve_aligned(void)
{
    const size_t size = 2 * CAIRN_STATUS_HALF_BYTES;
    unsigned char *memory =
        mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t before;

    if (memory == MAP_FAILED)
        return NULL;
    before = (size_t)(-(uintptr_t)memory & (size - 1));
    if (before)
        munmap(memory, before);
    munmap(memory + before + size, size - before);
    return memory + before;
}

int cairn_status_map(int status_fd)
{
    unsigned char *memory = reserve_aligned();

    if (!memory)
        return errno;
    if (status_fd >= 0 && mmap(memory, CAIRN_EVENT_MAX, PROT_READ, MAP_SHARED | MAP_FIXED,
                               status_fd, 0) == MAP_FAILED) {
        int error = errno;

        munmap(memory, 2 * CAIRN_STATUS_HALF_BYTES);
        return error;
    }
    cairn_i_status = memory;
    return 0;
}

void cairn_status_arm_kernel(uint32_t index)
{
    cairn_i_status[CAIRN_STATUS_HALF_BYTES + index] = 1;
}
