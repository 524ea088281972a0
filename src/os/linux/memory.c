/* SPDX-License-Identifier: MIT */
/* Address space: mmap and madvise. */
#include "os/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE /* in older headers */
#define MADV_POPULATE_WRITE 23
#endif

static int map(void *at, size_t size_bytes, int protection, int flags, int fd, uint64_t offset,
               void **ret_memory)
{
    void *memory = mmap(at, size_bytes, protection, flags, fd, (off_t)offset);

    if (memory == MAP_FAILED)
        return errno;
    *ret_memory = memory;
    return 0;
}

int os_memory_allocate(size_t size_bytes, void **ret_memory)
{
    return map(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0,
               ret_memory);
}

int os_memory_reserve(size_t size_bytes, void **ret_memory)
{
    return map(NULL, size_bytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0, ret_memory);
}

int os_memory_wipe_on_fork(void *memory, size_t size_bytes)
{
    return madvise(memory, size_bytes, MADV_WIPEONFORK) ? errno : 0;
}

int os_memory_map(int fd, uint64_t offset, size_t size_bytes, void **ret_memory)
{
    return map(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset, ret_memory);
}

int os_memory_map_ahead(int fd, size_t size_bytes, void **ret_memory)
{
    return map(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0,
               ret_memory);
}

/* A hypervisor with page tables of its own takes another fault at the first access in user mode. */
void os_memory_touch(void *memory, size_t size_bytes)
{
    uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t page = (uintptr_t)memory & -page_bytes;
    uintptr_t end = (uintptr_t)memory + size_bytes;

    if (madvise((void *)page, end - page, MADV_POPULATE_WRITE))
        return;
    for (; page < end; page += page_bytes)
        (void)*(volatile uint8_t *)page;
}

int os_memory_replace(void *memory, size_t size_bytes, int fd, uint64_t offset)
{
    return map(memory, size_bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fd, offset, &memory);
}

void os_memory_unmap(void *memory, size_t size_bytes)
{
    (void)munmap(memory, size_bytes);
}
