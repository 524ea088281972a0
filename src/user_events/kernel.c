/* SPDX-License-Identifier: MIT */
#include "user_events/kernel.h"

#include "local/kernel_abi.h"
#include "user_events/kernel_limit.h"
#include "user_events/kernel_file.h"

#include <cairn/record.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int cairn_kernel_register(struct cairn_tracepoint *tp, const char *command, uint16_t flags)
{
    struct cairn_user_reg reg = {
        .size = sizeof(reg),
        .enable_bit = CAIRN_KERNEL_BIT,
        .enable_size = sizeof(tp->enabled),
        .flags = flags,
        .enable_addr = (uintptr_t)&tp->enabled,
        .name_args = (uintptr_t)command,
    };
    struct cairn_kernel_file file;
    int err;

    if (tp->kernel_index >= 0)
        return EALREADY;
    err = cairn_kernel_file_get(&file);
    if (err)
        return err;
    if (ioctl(file.fd, CAIRN_USER_EVENTS_REG, &reg) < 0)
        return errno;

    tp->kernel_epoch = file.epoch;
    /* Pairs with the acquire in cairn_kernel_write: the epoch before the index that is of it. */
    __atomic_store_n(&tp->kernel_index, (int32_t)reg.write_index, __ATOMIC_RELEASE);
    return 0;
}

int cairn_kernel_unregister(struct cairn_tracepoint *tp)
{
    struct cairn_user_unreg unreg = {
        .size = sizeof(unreg),
        .disable_bit = CAIRN_KERNEL_BIT,
        .disable_addr = (uintptr_t)&tp->enabled,
    };
    struct cairn_kernel_file file;
    int err;

    if (tp->kernel_index < 0)
        return ENOENT;
    err = cairn_kernel_file_get(&file);
    if (err)
        return err;
    if (ioctl(file.fd, CAIRN_USER_EVENTS_UNREG, &unreg) < 0)
        return errno;

    __atomic_store_n(&tp->kernel_index, -1, __ATOMIC_RELAXED);
    return 0;
}

int cairn_kernel_delete(const char *name)
{
    struct cairn_kernel_file file;
    int err = cairn_kernel_file_get(&file);

    if (err)
        return err;
    return ioctl(file.fd, CAIRN_USER_EVENTS_DEL, name) < 0 ? errno : 0;
}

/* Bytes of all parts, or something over `max`. */
static size_t payload_size(const struct iovec *parts, int count, size_t max)
{
    size_t size = 0;

    for (int i = 0; i < count && size <= max; i++)
        size = parts[i].iov_len > max ? max + 1 : size + parts[i].iov_len;
    return size;
}

/* What the kernel would drop without a word. */
static bool is_too_large(const struct iovec *parts, int count)
{
    size_t size = payload_size(parts, count, CAIRN_PAYLOAD_MAX_BYTES);

    return size > CAIRN_KERNEL_PAYLOAD_SURE_BYTES && size > cairn_kernel_payload_max_bytes();
}

int cairn_kernel_write(const struct cairn_tracepoint *tp, const struct iovec *parts, int count)
{
    struct iovec all[1 + CAIRN_KERNEL_PARTS_MAX];
    struct cairn_kernel_file file;
    int saved_errno = errno, err = 0;
    int32_t index;

    if (count < 0 || count > CAIRN_KERNEL_PARTS_MAX)
        return EINVAL;
    if (is_too_large(parts, count)) {
        errno = saved_errno;
        return E2BIG;
    }
    index = __atomic_load_n(&tp->kernel_index, __ATOMIC_ACQUIRE);
    all[0] = (struct iovec){.iov_base = &index, .iov_len = sizeof(index)};
    for (int i = 0; i < count; i++)
        all[1 + i] = parts[i];

    if (index < 0 || !cairn_kernel_file_current(&file) || file.epoch != tp->kernel_epoch)
        err = EBADF;
    else if (syscall(SYS_writev, file.fd, all, 1 + count) <
             0) /* writev() is a cancellation point */
        err = errno;
    errno = saved_errno;
    return err;
}
