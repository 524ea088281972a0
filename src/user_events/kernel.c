/* SPDX-License-Identifier: MIT */
/* The kernel backend: registers, unregisters, deletes and writes events of the kernel's
 * user_events. */
#include "user_events/kernel.h"

#include "core/atomic.h"
#include "engine/kernel_abi.h"
#include "user_events/kernel_limit.h"
#include "user_events/kernel_file.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int user_events_kernel_register(struct cairn_tracepoint *tp, const char *command, uint16_t flags)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_bit = USER_EVENTS_KERNEL_BIT,
        .enable_size = sizeof(tp->enabled),
        .flags = flags,
        .enable_addr = (uintptr_t)&tp->enabled,
        .name_args = (uintptr_t)command,
    };
    struct user_events_kernel_file file;
    int err;

    if (tp->kernel_index >= 0)
        return EALREADY;
    err = user_events_kernel_file_get(&file);
    if (err)
        return err;
    if (ioctl(file.fd, ENGINE_USER_EVENTS_REG, &reg) < 0)
        return errno;
    /* Read here, since a write may open no file. */
    if (tp->fixed_bytes > ENGINE_KERNEL_PAYLOAD_MAX_BYTES)
        user_events_kernel_limit_look();

    tp->kernel_epoch = file.epoch;
    /* Pairs with the acquire in user_events_kernel_write: the epoch is visible before the index
     * that belongs to it. */
    core_store_release(&tp->kernel_index, (int32_t)reg.write_index);
    return 0;
}

int user_events_kernel_unregister(struct cairn_tracepoint *tp)
{
    struct engine_user_unreg unreg = {
        .size = sizeof(unreg),
        .disable_bit = USER_EVENTS_KERNEL_BIT,
        .disable_addr = (uintptr_t)&tp->enabled,
    };
    struct user_events_kernel_file file;
    int err;

    if (tp->kernel_index < 0)
        return ENOENT;
    err = user_events_kernel_file_get(&file);
    if (err)
        return err;
    if (ioctl(file.fd, ENGINE_USER_EVENTS_UNREG, &unreg) < 0)
        return errno;

    core_store_relaxed(&tp->kernel_index, -1);
    return 0;
}

int user_events_kernel_delete(const char *name)
{
    struct user_events_kernel_file file;
    int err = user_events_kernel_file_get(&file);

    if (err)
        return err;
    return ioctl(file.fd, ENGINE_USER_EVENTS_DEL, name) < 0 ? errno : 0;
}

int user_events_kernel_write(const struct cairn_tracepoint *tp, uint8_t *record,
                             size_t payload_bytes)
{
    int32_t index = core_load_acquire(&tp->kernel_index);
    struct user_events_kernel_file file;
    int saved_errno = errno;
    int err = 0;

    if (payload_bytes > user_events_kernel_payload_max_bytes())
        return E2BIG;
    memcpy(record, &index, sizeof(index));
    if (index < 0 || !user_events_kernel_file_for_write(&file) || file.epoch != tp->kernel_epoch)
        err = EBADF;
    else if (syscall(SYS_write, file.fd, record, sizeof(index) + payload_bytes) <
             0) /* write() is a cancellation point */
        err = errno;
    errno = saved_errno;
    return err;
}
