/* SPDX-License-Identifier: MIT */
/* Address space: VirtualAlloc. What only the engine asks for is not here. */
#include "os/memory.h"

#include <errno.h>
#include <windows.h>

int os_memory_allocate(size_t size_bytes, void **ret_memory)
{
    void *memory = VirtualAlloc(NULL, size_bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);

    if (!memory)
        return ENOMEM;
    *ret_memory = memory;
    return 0;
}

/* Processes are not forked. */
int os_memory_wipe_on_fork(void *memory, size_t size_bytes)
{
    (void)memory;
    (void)size_bytes;
    return 0;
}

void os_memory_unmap(void *memory, size_t size_bytes)
{
    (void)size_bytes;
    (void)VirtualFree(memory, 0, MEM_RELEASE);
}
