/* SPDX-License-Identifier: MIT */
/* The memory of the program that this library is loaded into. The kernel copies and sets bits for
 * us: memory that is not mapped gives EFAULT, and no signal. */
#include "preload/follow.h"
#include "tracefs/memory.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int tracefs_memory_gather(const struct tracefs_program *program, void *to, size_t size_bytes,
                          const struct iovec *parts, int count, size_t *ret_size)
{
    struct iovec ours = {to, size_bytes};
    int saved = errno;
    ssize_t size;
    int error;

    (void)program; /* there is one */
    if (count < 0)
        return EINVAL;
    size = process_vm_readv(preload_follow_pid(), &ours, 1, parts, (unsigned long)count, 0);
    /* A child that shares our memory has outlived its parent. */
    if (size < 0 && errno == ESRCH)
        size = process_vm_readv(getpid(), &ours, 1, parts, (unsigned long)count, 0);
    /* If a sandbox forbids the system call, the memory is read without a check. */
    if (size < 0 && (errno == ENOSYS || errno == EPERM))
        size = (ssize_t)tracefs_memory_copy_parts(to, size_bytes, parts, count);
    error = size >= 0 ? 0 : errno == EINVAL ? EINVAL : EFAULT;
    errno = saved;
    if (!error)
        *ret_size = (size_t)size;
    return error;
}

int tracefs_memory_write(const struct tracefs_program *program, uint64_t to, const void *from,
                         size_t size_bytes)
{
    struct iovec ours = {(void *)(uintptr_t)from, size_bytes};
    struct iovec theirs = {(void *)(uintptr_t)to, size_bytes};
    int error = errno;
    ssize_t size = process_vm_writev(getpid(), &ours, 1, &theirs, 1, 0);

    (void)program;
    if (size < 0 && (errno == ENOSYS || errno == EPERM)) {
        memcpy((void *)(uintptr_t)to, from, size_bytes);
        size = (ssize_t)size_bytes;
    }
    errno = error;
    return size == (ssize_t)size_bytes ? 0 : EFAULT;
}

/*
 * A futex operation that wakes nobody: its atomic change of a word is done by the kernel, which
 * says EFAULT where we would be killed.
 */
int tracefs_memory_set_bit(const struct tracefs_program *program, uint64_t address,
                           uint32_t word_bytes, uint32_t bit, int value)
{
    static uint32_t nobody;
    uint32_t half = bit / 32;
    uint32_t change = FUTEX_OP_OPARG_SHIFT | (value ? FUTEX_OP_OR : FUTEX_OP_ANDN);
    uint32_t operation = FUTEX_OP(change, bit % 32, FUTEX_OP_CMP_EQ, 0);
    int error = errno;
    long result;

    (void)program;
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    half = word_bytes / 4 - 1 - half;
#else
    (void)word_bytes;
#endif
    result = syscall(SYS_futex, &nobody, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL,
                     (uintptr_t)address + (size_t)4 * half, operation);
    if (result >= 0) {
        errno = error;
        return 0;
    }
    result = errno;
    errno = error;
    return result == EFAULT ? EFAULT : (int)result;
}
