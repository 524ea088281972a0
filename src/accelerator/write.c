/* SPDX-License-Identifier: MIT */
/* Writes an event that a program hands to the mount into the ring buffer. */
#include "accelerator/write.h"
#include "accelerator/openings.h"
#include "engine/engine.h"
#include "os/memory.h"
#include "tracefs/data.h"
#include "tracefs/memory.h"

#include <errno.h>
#include <unistd.h>

/* An event is on the program's stack, which may be a small one of signals. */
#define EVENT_MAX_BYTES 512
#define PARTS_MAX       16

/* This process; 0 in a child until it has written: the page is wiped. */
static uint32_t *own_pid;

static uint32_t pid_of_self(void)
{
    uint32_t pid = own_pid ? core_load_relaxed(own_pid) : 0;

    if (!pid) {
        pid = (uint32_t)getpid();
        if (own_pid)
            core_store_relaxed(own_pid, pid);
    }
    return pid;
}

static __attribute__((constructor)) void prepare(void)
{
    void *page;

    if (!os_memory_allocate(ENGINE_PAGE_BYTES, &page) &&
        !os_memory_wipe_on_fork(page, ENGINE_PAGE_BYTES))
        own_pid = page;
}

/* The kernel copies: memory that is not mapped is no signal. */
int tracefs_memory_gather(const struct tracefs_program *program, void *to, size_t size_bytes,
                          const struct iovec *parts, int count, size_t *ret_size)
{
    const struct iovec ours = {to, size_bytes};
    int saved = errno;
    ssize_t size = process_vm_readv((pid_t)pid_of_self(), &ours, 1, parts, (unsigned long)count, 0);
    int error = size < 0 ? EFAULT : 0;

    (void)program; /* there is one */
    errno = saved;
    if (!error)
        *ret_size = (size_t)size;
    return error;
}

/* False: an overflow of a size_t, too. The kernel has copied by this list: it is readable. */
static bool has_size(const struct iovec *parts, int count, size_t size_bytes)
{
    size_t left = size_bytes;

    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len > left)
            return false;
        left -= parts[i].iov_len;
    }
    return left == 0;
}

bool accelerator_write(int fd, const struct iovec *parts, int count, ssize_t *ret_size)
{
    struct accelerator_opening *opening = accelerator_opening_of(fd);
    uint8_t bytes[EVENT_MAX_BYTES];
    const struct tracefs_use *use;
    size_t size = 0;
    uint32_t index;

    if (!opening || count < 1 || count > PARTS_MAX ||
        tracefs_memory_gather(NULL, bytes, sizeof(bytes), parts, count, &size) ||
        !has_size(parts, count, size) || tracefs_data_index(bytes, size, &index))
        return false;
    use = accelerator_use_of(opening, index);
    if (!use || tracefs_data_write_event(use, bytes, size, size))
        return false;
    *ret_size = (ssize_t)size;
    return true;
}
