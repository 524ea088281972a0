/* SPDX-License-Identifier: MIT */
/* A tracepoint's registration with every backend in use. */
#include "local/command_words.h"
#include "local/dynamic_fields.h"
#include "local/engine.h"
#include "local/status.h"
#include "user_events/backend.h"
#include "user_events/kernel.h"

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

static int register_kernel(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    uint32_t index = tp->local ? cairn_sample_index(tp->sample_id) : 0;
    int error = cairn_i_status ? 0 : cairn_status_map(-1);

    if (error)
        return error;
    cairn_status_arm_kernel(index);
    /* From its registration on the kernel sets and clears a bit of this pointer. */
    cairn_status_point(tp, index);
    error = cairn_kernel_register(tp, command, (uint16_t)flags);
    if (error && !tp->local)
        __atomic_store_n(&tp->enabled, cairn_i_never_enabled, __ATOMIC_RELEASE);
    return error;
}

static struct cairn_backends backends_named(uint32_t backends)
{
    if (!backends)
        return cairn_backends_chosen();
    return (struct cairn_backends){
        .local = (backends & CAIRN_BACKEND_LOCAL) != 0,
        .kernel = (backends & CAIRN_BACKEND_KERNEL) != 0,
        .required = true,
    };
}

/* When the caller named the backends, each must take it; else one is enough, and none is none's
 * fault. */
static int register_locked(struct cairn_tracepoint *tp, const char *command,
                           const struct cairn_user_event_options *options)
{
    struct cairn_backends backends = backends_named(options->backends);
    int local = backends.local ? cairn_engine_register(tp, command, options->flags) : 0;
    int kernel = backends.kernel ? register_kernel(tp, command, options->flags) : 0;

    tp->registered = true;
    __atomic_store_n(&tp->command, command, __ATOMIC_RELAXED);
    cairn_engine_list(tp);
    if (options->backends)
        return local ? local : kernel;
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
    int error;

    cairn_engine_unlist(tp);
    error = unregister_kernel(tp);
    cairn_engine_unregister(tp);
    tp->registered = false;
    __atomic_store_n(&tp->command, NULL, __ATOMIC_RELAXED);
    return error;
}

static bool is_known(const struct cairn_user_event_options *options)
{
    const uint32_t flags = CAIRN_USER_EVENT_PERSIST | CAIRN_USER_EVENT_MULTI_FORMAT;
    const uint32_t backends = CAIRN_BACKEND_KERNEL | CAIRN_BACKEND_LOCAL;

    return !(options->flags & ~flags) && !(options->backends & ~backends);
}

/* `schema` is NULL when the command makes no sense to us: no backend will take it, but each has a
 * reason of its own. */
static int register_checked(struct cairn_tracepoint *tp, const char *command,
                            const struct cairn_user_event_options *options,
                            const struct cairn_schema *schema)
{
    int error;

    if (schema) {
        __atomic_store_n(&tp->fixed_bytes, schema->fixed_size_bytes - CAIRN_COMMON_BYTES,
                         __ATOMIC_RELAXED);
        cairn_dynamic_fields_note(tp, schema);
    }
    error = register_locked(tp, command, options);
    if (!error && !schema)
        error = EINVAL;
    if (error)
        (void)unregister_locked(tp);
    return error;
}

/* One in zeroed memory is none, and is made one, so that nobody who goes on with it crashes. */
static int check_initialized(struct cairn_tracepoint *tp)
{
    static const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;

    if (tp->enabled)
        return 0;
    *tp = unregistered;
    return EINVAL;
}

int cairn_user_event_register_with(struct cairn_tracepoint *tp, const char *command,
                                   const struct cairn_user_event_options *options)
{
    static const struct cairn_user_event_options defaults = {0};
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char room[CAIRN_WORDS_MAX_BYTES];
    struct cairn_schema schema;
    cairn_engine_guard guard;
    int error = cairn_command_check_head(command);
    bool makes_sense = !error && !cairn_command_parse_taken(command, room, fields, &schema);

    if (!options)
        options = &defaults;
    if (!error && !is_known(options))
        error = EINVAL;
    if (error)
        return error;
    cairn_engine_lock(&guard);
    cairn_engine_check_process();
    error = check_initialized(tp);
    if (!error)
        error = tp->registered
                    ? EALREADY
                    : register_checked(tp, command, options, makes_sense ? &schema : NULL);
    cairn_engine_unlock(&guard);
    return error;
}

int cairn_user_event_register(struct cairn_tracepoint *tp, const char *command)
{
    return cairn_user_event_register_with(tp, command, NULL);
}

int cairn_user_event_register_schema(struct cairn_tracepoint *tp, const struct cairn_schema *schema,
                                     char command[CAIRN_COMMAND_MAX_BYTES],
                                     const struct cairn_user_event_options *options)
{
    int error = cairn_schema_write_command(schema, command, CAIRN_COMMAND_MAX_BYTES, NULL);

    if (error)
        return error == ENOSPC ? E2BIG : error;
    return cairn_user_event_register_with(tp, command, options);
}

int cairn_user_event_delete(const char *name, uint32_t named)
{
    struct cairn_backends backends = backends_named(named);
    cairn_engine_guard guard;
    int kernel = ENOENT;
    int local = ENOENT;

    if (named & ~(uint32_t)(CAIRN_BACKEND_KERNEL | CAIRN_BACKEND_LOCAL))
        return EINVAL;
    cairn_engine_lock(&guard);
    cairn_engine_check_process();
    if (backends.local)
        local = cairn_engine_delete(name);
    if (backends.kernel)
        kernel = cairn_kernel_delete(name);
    cairn_engine_unlock(&guard);
    if (local && (named || !is_absence(local)) && local != ENOENT)
        return local;
    if (kernel && (named || !is_absence(kernel) || kernel == EPERM) && kernel != ENOENT)
        return kernel;
    return local && kernel ? ENOENT : 0;
}

uint32_t cairn_user_event_status(const struct cairn_tracepoint *tp)
{
    /* Pairs with the release of cairn_status_point. */
    const unsigned char *byte = __atomic_load_n(&tp->enabled, __ATOMIC_ACQUIRE);
    uintptr_t offset = (uintptr_t)byte - (uintptr_t)cairn_i_status;
    uint32_t listeners;

    if (!byte || offset >= 4 * CAIRN_STATUS_PART_BYTES)
        return 0;
    listeners =
        __atomic_load_n(&cairn_i_status[offset & (CAIRN_STATUS_PART_BYTES - 1)], __ATOMIC_RELAXED);
    if (offset & CAIRN_STATUS_PART_BYTES)
        listeners |= CAIRN_LISTENER_KERNEL;
    if (offset & CAIRN_STATUS_OWN_BYTES)
        listeners |= CAIRN_LISTENER_CALLBACK;
    return listeners;
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
