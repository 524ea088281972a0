/* SPDX-License-Identifier: MIT */
/* The memory of the program that a library of ours is loaded into. */
#include "accelerator/own_memory.h"
#include "core/atomic.h"
#include "engine/abi.h"
#include "os/memory.h"
#include "tracefs/program.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum accelerator_access access_kind;

/* The pid of this process, in a page that is wiped in children: 0 until it is read again. */
static uint32_t *own_pid;

void accelerator_own_memory_set(enum accelerator_access access)
{
    core_store_relaxed(&access_kind, access);
}

/* ---- one page ---- */

static bool can_check;

/*
 * True if the page of an address can be read. The operation is an invalid one: the kernel reads a
 * set of signals from the page first, and returns EFAULT if it cannot, otherwise EINVAL.
 */
static bool is_readable(uintptr_t address)
{
    int saved = errno;
    bool is = syscall(SYS_rt_sigprocmask, ~0, address & ~(uintptr_t)7, NULL, 8) && errno == EINVAL;

    errno = saved;
    return is;
}

static bool is_in_page_of(uintptr_t page, const void *at, size_t size_bytes)
{
    uintptr_t offset = (uintptr_t)at - page;

    return offset < ENGINE_PAGE_BYTES && size_bytes <= ENGINE_PAGE_BYTES - offset;
}

static uintptr_t page_of(const void *at)
{
    return (uintptr_t)at & ~(uintptr_t)(ENGINE_PAGE_BYTES - 1);
}

static bool may_be_copied(const void *at, size_t size_bytes)
{
    if (core_load_relaxed(&access_kind) == ACCELERATOR_PLAINLY)
        return true;
    return can_check && is_in_page_of(page_of(at), at, size_bytes) && is_readable((uintptr_t)at);
}

bool accelerator_own_memory_copy(void *to, const void *from, size_t size_bytes)
{
    if (!size_bytes || !may_be_copied(from, size_bytes))
        return false;
    memcpy(to, from, size_bytes);
    return true;
}

bool accelerator_own_memory_copy_parts(void *to, size_t space, const struct iovec *parts, int count,
                                       size_t *ret_size)
{
    const bool is_plain = core_load_relaxed(&access_kind) == ACCELERATOR_PLAINLY;

    if (!may_be_copied(parts, (size_t)count * sizeof(*parts)))
        return false;
    for (int i = 0; i < count && !is_plain; i++) {
        if (!is_in_page_of(page_of(parts), parts[i].iov_base, parts[i].iov_len))
            return false;
    }
    *ret_size = tracefs_memory_copy_parts(to, space, parts, count);
    return true;
}

/* Other kernels and emulators may check the operation before they read the page. */
static void find_out(void)
{
    can_check = !is_readable(0) && is_readable((uintptr_t)&can_check);
}

/* ---- all pages ---- */

static __attribute__((constructor)) void prepare(void)
{
    void *page;

    find_out();
    if (!os_memory_allocate(ENGINE_PAGE_BYTES, &page) &&
        !os_memory_wipe_on_fork(page, ENGINE_PAGE_BYTES))
        own_pid = page;
}

static pid_t pid_of_self(void)
{
    uint32_t pid = own_pid ? core_load_relaxed(own_pid) : 0;

    if (!pid) {
        pid = (uint32_t)getpid();
        if (own_pid)
            core_store_relaxed(own_pid, pid);
    }
    return (pid_t)pid;
}

/* ESRCH: the pid is that of a process that has ended, whose child shares this memory. */
static ssize_t ask_kernel(const struct iovec *ours, const struct iovec *parts, int count)
{
    ssize_t size = process_vm_readv(pid_of_self(), ours, 1, parts, (unsigned long)count, 0);

    return size < 0 && errno == ESRCH
               ? process_vm_readv(getpid(), ours, 1, parts, (unsigned long)count, 0)
               : size;
}

static bool is_refused(ssize_t size)
{
    return size < 0 && (errno == ENOSYS || errno == EPERM) &&
           core_load_relaxed(&access_kind) != ACCELERATOR_BY_KERNEL;
}

int tracefs_memory_gather(void *to, size_t size_bytes, const struct iovec *parts, int count,
                          size_t *ret_size)
{
    const struct iovec ours = {to, size_bytes};
    const bool is_plain = core_load_relaxed(&access_kind) == ACCELERATOR_PLAINLY;
    int saved = errno;
    int error = 0;
    ssize_t size;

    if (count < 0)
        return EINVAL;
    size = is_plain ? -1 : ask_kernel(&ours, parts, count);
    if (is_plain || is_refused(size))
        size = (ssize_t)tracefs_memory_copy_parts(to, size_bytes, parts, count);
    if (size < 0)
        error = errno == EINVAL ? EINVAL : EFAULT;
    else
        *ret_size = (size_t)size;
    errno = saved;
    return error;
}

int tracefs_memory_read(const struct tracefs_program *program, void *to, uint64_t from,
                        size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    size_t size = 0;

    (void)program; /* there is one */
    return tracefs_memory_gather(to, size_bytes, &part, 1, &size) || size != size_bytes ? EFAULT
                                                                                        : 0;
}

int tracefs_memory_write(const struct tracefs_program *program, uint64_t to, const void *from,
                         size_t size_bytes)
{
    const struct iovec ours = {(void *)(uintptr_t)from, size_bytes};
    const struct iovec theirs = {(void *)(uintptr_t)to, size_bytes};
    int saved = errno;
    ssize_t size = process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0);

    (void)program;
    if (is_refused(size)) {
        memcpy(theirs.iov_base, from, size_bytes);
        size = (ssize_t)size_bytes;
    }
    errno = saved;
    return size == (ssize_t)size_bytes ? 0 : EFAULT;
}

/* A futex operation that wakes no thread: the kernel changes a word atomically. */
int tracefs_memory_set_bit(const struct tracefs_program *program, uint64_t address,
                           uint32_t word_bytes, uint32_t bit, int value)
{
    static uint32_t nobody;
    uint32_t half = bit / 32;
    uint32_t change = FUTEX_OP_OPARG_SHIFT | (value ? FUTEX_OP_OR : FUTEX_OP_ANDN);
    uint32_t operation = FUTEX_OP(change, bit % 32, FUTEX_OP_CMP_EQ, 0);
    int saved = errno;
    int error = 0;

    (void)program;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = word_bytes / 4 - 1 - half;
#else
    (void)word_bytes;
#endif
    if (syscall(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL,
                (uintptr_t)address + (size_t)4 * half, operation) < 0)
        error = errno;
    errno = saved;
    return error;
}
