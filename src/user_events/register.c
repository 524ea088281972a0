/* SPDX-License-Identifier: MIT */
/* Registers a tracepoint with every backend in use. */
#include "core/atomic.h"
#include "core/options.h"
#include "engine/command_words.h"
#include "engine/dynamic_fields.h"
#include "engine/engine.h"
#include "engine/event_entry.h"
#include "engine/pending.h"
#include "engine/status.h"
#include "user_events/backend.h"
#include "user_events/batch.h"
#include "user_events/kernel.h"
#include "user_events/kernel_file.h"

#include <cairn/user_events.h>
#include <errno.h>

/* True if the error means "backend unavailable" or "not asked" (0), not "registration refused". A
 * limit of the process is a refusal: it is the program's own, and its author can raise it. */
static bool is_absence(int error)
{
    switch (error) {
    case EINVAL:
    case E2BIG:
    case EADDRINUSE:
    case ENOSPC:
    case ENOMEM:
    case EBUSY:
    case EMFILE:
    case ENFILE:
    case EFBIG:
        return false;
    default:
        return true;
    }
}

/* ---- one tracepoint, under the engine's lock ---- */

static int register_kernel(struct cairn_tracepoint *tp, const char *command, uint32_t flags)
{
    const uint32_t index = engine_status_index(tp);
    int error = engine_status ? 0 : engine_status_map(-1);

    if (error)
        return error;
    engine_status_arm_kernel(index);
    /* From its registration on the kernel sets and clears a bit of this pointer. */
    if (!index)
        engine_status_point(tp, index);
    error = user_events_kernel_register(tp, command, (uint16_t)flags);
    if (error && !index)
        core_store_release(&tp->enabled, cairn_i_never_enabled);
    return error;
}

/* The backends that the caller named; if it named none, those that the user chose. */
static uint32_t backends_of(uint32_t named)
{
    return named ? named : user_events_choice_of_user().backends;
}

/* Combines the results of the backends. If the caller named the backends, each must accept the
 * tracepoint; otherwise one is enough, and the absence of all of them is no error. */
static int result_of(const struct cairn_tracepoint *tp, bool are_named, int local, int kernel)
{
    if (are_named)
        return local ? local : kernel;
    if (tp->local || tp->kernel_index >= 0)
        return 0;
    if (!is_absence(local))
        return local;
    return is_absence(kernel) ? 0 : kernel;
}

static void note_registered(struct cairn_tracepoint *tp, const char *command)
{
    tp->registered = true;
    core_store_relaxed(&tp->command, command);
    engine_list(tp);
}

/* Parameters of a registration. */
struct way {
    uint32_t backends; /* of enum cairn_backend */
    uint32_t flags;
    bool are_named;   /* the caller named the backends */
    bool is_parsed;   /* the command is valid and complete */
    bool makes_sense; /* if not, every backend refuses it, each with an error of its own */
    int kernel_error; /* the reason if the kernel accepts no events at all; 0: not known */
};

static int register_locked(struct cairn_tracepoint *tp, const char *command, const struct way *way)
{
    const uint32_t local_flags = way->flags | (way->is_parsed ? ENGINE_EVENT_IS_PARSED : 0);
    int local = way->backends & CAIRN_BACKEND_LOCAL ? engine_register(tp, command, local_flags) : 0;
    int kernel = way->kernel_error;

    if (local == EBUSY)
        local = engine_pending_register(tp, command, local_flags);
    if (way->backends & CAIRN_BACKEND_KERNEL && !kernel)
        kernel = register_kernel(tp, command, way->flags);
    note_registered(tp, command);
    return result_of(tp, way->are_named, local, kernel);
}

/* Returns EBUSY if the kernel continues to set and clear its bit of the pointer, because only
 * another thread can unregister it (README.md, "Threads"). The pointer is then set so that it leads
 * to a valid byte, which belongs to no event, with either value of the bit. */
static int unregister_kernel(struct cairn_tracepoint *tp)
{
    bool let_go = tp->kernel_index < 0 || user_events_kernel_unregister(tp) == 0;

    tp->kernel_index = -1;
    core_store_relaxed(&tp->enabled, let_go ? cairn_i_never_enabled : engine_status);
    return let_go ? 0 : EBUSY;
}

static int unregister_locked(struct cairn_tracepoint *tp)
{
    int error;

    engine_unlist(tp);
    engine_pending_end(tp);
    error = unregister_kernel(tp);
    engine_unregister(tp);
    tp->registered = false;
    core_store_relaxed(&tp->command, NULL);
    return error;
}

static bool is_known(const struct cairn_tracepoint_options *options)
{
    const uint32_t flags = CAIRN_USER_EVENT_PERSIST | CAIRN_USER_EVENT_MULTI_FORMAT;

    return !(options->flags & ~flags) && !(options->backends & ~(uint32_t)USER_EVENTS_BACKENDS);
}

/* The contents of a command; `schema` is valid if the command makes sense. */
struct command_reading {
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char buffer[ENGINE_WORDS_MAX_BYTES];
    struct cairn_schema schema;
    bool is_good; /* valid and complete */
    bool makes_sense;
};

static int read_command(const char *command, struct command_reading *reading)
{
    int error;

    reading->is_good = !cairn_schema_parse_command(command, reading->fields, CAIRN_FIELDS_MAX,
                                                   &reading->schema, NULL);
    reading->makes_sense = reading->is_good;
    if (reading->is_good)
        return 0;
    error = engine_command_check_head(command);
    reading->makes_sense = !error && !engine_command_parse_taken(command, reading->buffer,
                                                                 reading->fields, &reading->schema);
    return error;
}

static int register_whole(struct cairn_tracepoint *tp, const char *command, const struct way *way)
{
    int error = register_locked(tp, command, way);

    if (!error && !way->makes_sense)
        error = EINVAL;
    if (error)
        (void)unregister_locked(tp);
    return error;
}

static bool is_readable(const struct cairn_tracepoint *tp)
{
    return core_version_is_known(tp->version, CAIRN_I_TRACEPOINT_VERSION);
}

/* Zeroed memory is no tracepoint. It is initialized, so that a caller that ignores the error does
 * not crash. */
static int check_initialized(struct cairn_tracepoint *tp)
{
    static const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;

    if (tp->enabled)
        return is_readable(tp) ? 0 : EPROTONOSUPPORT;
    *tp = unregistered;
    return EINVAL;
}

static int register_read(struct cairn_tracepoint *tp, const char *command, struct way *way,
                         const struct command_reading *reading)
{
    way->is_parsed = reading->is_good;
    way->makes_sense = reading->makes_sense;
    if (reading->makes_sense) {
        core_store_relaxed(&tp->fixed_bytes, reading->schema.fixed_size_bytes - CAIRN_COMMON_BYTES);
        engine_dynamic_fields_note(tp, &reading->schema);
    }
    return register_whole(tp, command, way);
}

/* ---- the interface ---- */

int cairn_tracepoint_register_with(struct cairn_tracepoint *tp, const char *command,
                                   const struct cairn_tracepoint_options *given)
{
    struct cairn_tracepoint_options options = CAIRN_TRACEPOINT_OPTIONS_INIT;
    struct command_reading reading;
    engine_lock_state lock_state;
    int error = read_command(command, &reading);
    struct way way;

    if (!error)
        error = core_options_copy(given,
                                  CORE_OPTIONS_BYTES_TO(struct cairn_tracepoint_options, backends),
                                  sizeof(options), &options);
    if (!error && !is_known(&options))
        error = EINVAL;
    if (error)
        return error;
    way = (struct way){.backends = backends_of(options.backends),
                       .flags = options.flags,
                       .are_named = options.backends != 0};
    engine_lock(&lock_state);
    engine_check_process();
    error = check_initialized(tp);
    if (!error)
        error = tp->registered ? EALREADY : register_read(tp, command, &way, &reading);
    engine_unlock(&lock_state);
    return error;
}

int cairn_tracepoint_register(struct cairn_tracepoint *tp, const char *command)
{
    return cairn_tracepoint_register_with(tp, command, NULL);
}

int cairn_tracepoint_register_schema(struct cairn_tracepoint *tp, const struct cairn_schema *schema,
                                     char command[CAIRN_COMMAND_MAX_BYTES],
                                     const struct cairn_tracepoint_options *options)
{
    int error = cairn_schema_write_command(schema, command, CAIRN_COMMAND_MAX_BYTES, NULL);

    if (error)
        return error == ENOSPC ? E2BIG : error;
    return cairn_tracepoint_register_with(tp, command, options);
}

int cairn_user_event_delete(const char *name, uint32_t named)
{
    uint32_t backends = backends_of(named);
    engine_lock_state lock_state;
    int kernel = ENOENT;
    int local = ENOENT;

    if (named & ~(uint32_t)USER_EVENTS_BACKENDS)
        return EINVAL;
    engine_lock(&lock_state);
    engine_check_process();
    if (backends & CAIRN_BACKEND_LOCAL)
        local = engine_delete(name);
    if (backends & CAIRN_BACKEND_KERNEL)
        kernel = user_events_kernel_delete(name);
    engine_unlock(&lock_state);
    if (local && (named || !is_absence(local)) && local != ENOENT)
        return local;
    if (kernel && (named || !is_absence(kernel) || kernel == EPERM) && kernel != ENOENT)
        return kernel;
    return local && kernel ? ENOENT : 0;
}

uint32_t cairn_tracepoint_status(const struct cairn_tracepoint *tp)
{
    /* Pairs with the release of engine_status_point. */
    const unsigned char *byte = core_load_acquire(&tp->enabled);
    uintptr_t offset = (uintptr_t)byte - (uintptr_t)engine_status;
    uint32_t listeners;

    if (!byte || offset >= 4 * ENGINE_STATUS_PART_BYTES)
        return 0;
    listeners = core_load_relaxed(&engine_status[offset & (ENGINE_STATUS_PART_BYTES - 1)]);
    if (offset & ENGINE_STATUS_PART_BYTES)
        listeners |= CAIRN_LISTENER_KERNEL;
    if (offset & ENGINE_STATUS_OWN_BYTES)
        listeners |= CAIRN_LISTENER_CALLBACK;
    return listeners;
}

int cairn_tracepoint_unregister(struct cairn_tracepoint *tp)
{
    engine_lock_state lock_state;
    int error;

    engine_lock(&lock_state);
    engine_check_process();
    error = tp->registered ? unregister_locked(tp) : ENOENT;
    engine_unlock(&lock_state);
    return error;
}

/* ---- many at once ---- */

#define BATCH_MAX 256

static void take_locks(struct user_events_batch *batch)
{
    engine_lock(&batch->lock_state);
    engine_check_process();
    engine_open_batch();
    batch->count = 0;
}

static void drop_locks(struct user_events_batch *batch)
{
    engine_close_batch();
    engine_unlock(&batch->lock_state);
}

static void give_others_a_turn(struct user_events_batch *batch)
{
    if (++batch->count <= BATCH_MAX || engine_batch_failed())
        return;
    drop_locks(batch);
    take_locks(batch);
}

void user_events_batch_open(struct user_events_batch *batch)
{
    batch->last = NULL;
    batch->fixed_bytes = 0;
    batch->kernel_is_asked = false;
    batch->choice = user_events_choice_of_user();
    take_locks(batch);
}

void user_events_batch_close(struct user_events_batch *batch)
{
    drop_locks(batch);
}

static int register_known(struct cairn_tracepoint *tp, const char *command, struct way *way,
                          uint32_t fixed_bytes)
{
    way->is_parsed = true;
    way->makes_sense = true;
    core_store_relaxed(&tp->fixed_bytes, fixed_bytes);
    core_store_relaxed(&tp->dynamic_count, 0);
    return register_whole(tp, command, way);
}

static int kernel_error_of(struct user_events_batch *batch)
{
    struct user_events_kernel_file file;

    if (!batch->kernel_is_asked)
        batch->kernel_error =
            batch->choice.backends & CAIRN_BACKEND_KERNEL ? user_events_kernel_file_get(&file) : 0;
    batch->kernel_is_asked = true;
    return batch->kernel_error;
}

static int register_first(struct user_events_batch *batch, struct cairn_tracepoint *tp,
                          const char *command)
{
    struct way way = {.backends = batch->choice.backends, .kernel_error = kernel_error_of(batch)};
    struct command_reading reading;
    int error;

    if (batch->fixed_bytes) {
        error = register_known(tp, command, &way, batch->fixed_bytes);
    } else {
        error = read_command(command, &reading);
        if (!error)
            error = register_read(tp, command, &way, &reading);
    }
    batch->last = error ? NULL : tp;
    return error;
}

static void copy_layout(struct cairn_tracepoint *tp, const struct cairn_tracepoint *other)
{
    core_store_relaxed(&tp->fixed_bytes, other->fixed_bytes);
    for (size_t i = 0; i < sizeof(tp->dynamic) / sizeof(*tp->dynamic); i++)
        core_store_relaxed(&tp->dynamic[i], other->dynamic[i]);
    core_store_relaxed(&tp->dynamic_count, other->dynamic_count);
}

/* Registers with the event that another tracepoint has. ENOENT, without any effect: it no longer
 * has one. */
static int register_like(struct cairn_tracepoint *tp, const struct cairn_tracepoint *other)
{
    int local = other->local ? engine_register_again(tp, other) : 0;
    int kernel = 0;
    int error;

    if (local == ENOENT || local == EBUSY || engine_pending_has(other))
        return ENOENT;
    copy_layout(tp, other);
    if (other->kernel_index >= 0)
        kernel = register_kernel(tp, other->command, 0);
    note_registered(tp, other->command);
    error = result_of(tp, false, local, kernel);
    if (error)
        (void)unregister_locked(tp);
    return error;
}

int user_events_batch_register(struct user_events_batch *batch, struct cairn_tracepoint *tp,
                               const char *command)
{
    const struct cairn_tracepoint *last = batch->last;
    int error = ENOENT;

    give_others_a_turn(batch);
    if (!is_readable(tp))
        return EPROTONOSUPPORT;
    if (tp->registered)
        return EALREADY;
    if (last && last->registered && last->command == command)
        error = register_like(tp, last);
    return error == ENOENT ? register_first(batch, tp, command) : error;
}

int user_events_batch_unregister(struct user_events_batch *batch, struct cairn_tracepoint *tp)
{
    give_others_a_turn(batch);
    return tp->registered ? unregister_locked(tp) : ENOENT;
}
