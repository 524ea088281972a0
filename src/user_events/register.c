/* SPDX-License-Identifier: MIT */
/* A tracepoint's registration with every backend in use. */
#include "local/engine.h"
#include "local/status.h"
#include "user_events/backend.h"
#include "user_events/kernel.h"

#include <cairn/schema.h>
#include <cairn/user_events.h>
#include <errno.h>

/* Why a backend is not there at all (0: it was not asked): no fault of the registration. */
static bool is_absence(int error)
{
    switch (error) {
    case EINVAL:
    case E2BIG:
    case EADDRINUSE:
    case ENOSPC:
    case ENOMEM:
    case EBUSY:
        return false;
    default:
        return true;
    }
}

static int register_kernel(struct cairn_tracepoint *tp, const char *command)
{
    uint32_t index = tp->local ? cairn_sample_index(tp->sample_id) : 0;
    int error = cairn_i_status ? 0 : cairn_status_map(-1);

    if (error)
        return error;
    cairn_status_arm_kernel(index);
    /* From its registration on the kernel sets and clears a bit of this pointer. */
    cairn_status_point(tp, index);
    error = cairn_kernel_register(tp, command);
    if (error && !tp->local)
        __atomic_store_n(&tp->enabled, cairn_i_never_enabled, __ATOMIC_RELEASE);
    return error;
}

/* Registers with those backends that are there. Fails only when none of them took it. */
static int register_locked(struct cairn_tracepoint *tp, const char *command)
{
    struct cairn_backends backends = cairn_backends_chosen();
    int local = backends.local ? cairn_engine_register(tp, command, 0) : 0;
    int kernel = backends.kernel ? register_kernel(tp, command) : 0;

    tp->registered = true;
    tp->command = command;
    tp->next = cairn_i_engine.tracepoints;
    cairn_i_engine.tracepoints = tp;
    if (tp->local || tp->kernel_index >= 0)
        return 0;
    if (!is_absence(local))
        return local;
    return is_absence(kernel) ? 0 : kernel;
}

/*
 * Returns EBUSY when the kernel goes on setting and clearing its bit of the pointer, because it
 * takes the registration back only in another thread (README.md, "Threads"). The pointer then rests
 * where both ways lead to a byte: that of no event.
 */
static int unregister_kernel(struct cairn_tracepoint *tp)
{
    bool let_go = tp->kernel_index < 0 || cairn_kernel_unregister(tp) == 0;

    tp->kernel_index = -1;
    __atomic_store_n(&tp->enabled, let_go ? cairn_i_never_enabled : cairn_i_status,
                     __ATOMIC_RELAXED);
    return let_go ? 0 : EBUSY;
}

static int unregister_locked(struct cairn_tracepoint *tp)
{
    struct cairn_tracepoint **link = &cairn_i_engine.tracepoints;
    int error;

    while (*link && *link != tp)
        link = &(*link)->next;
    if (*link)
        *link = tp->next;
    error = unregister_kernel(tp);
    cairn_engine_unregister(tp);
    tp->registered = false;
    tp->next = NULL;
    tp->command = NULL;
    return error;
}

int cairn_user_event_register(struct cairn_tracepoint *tp, const char *command)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    cairn_engine_guard guard;
    int error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);

    if (error)
        return error;
    cairn_engine_lock(&guard);
    cairn_engine_check_process();
    if (tp->registered) {
        error = EALREADY;
    } else {
        __atomic_store_n(&tp->fixed_bytes, schema.fixed_size_bytes - CAIRN_COMMON_BYTES,
                         __ATOMIC_RELAXED);
        error = register_locked(tp, command);
        if (error)
            (void)unregister_locked(tp);
    }
    cairn_engine_unlock(&guard);
    return error;
}

int cairn_user_event_unregister(struct cairn_tracepoint *tp)
{
    cairn_engine_guard guard;
    int error;

    cairn_engine_lock(&guard);
    cairn_engine_check_process();
    error = tp->registered ? unregister_locked(tp) : ENOENT;
    cairn_engine_unlock(&guard);
    return error;
}
