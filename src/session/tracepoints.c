/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints of a session: those whose entry has our bit in its mask. Users have registries of
 * their own, so one event may have different numbers, and one number may be that of different
 * events: the output has one tracepoint for the same event of all users, with a unique number.
 */
#include "core/atomic.h"
#include "session/internal.h"
#include "trace_file/eventheader.h"

#include <cairn/schema.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Begins at 1: index 0 is never assigned. */
#define FIRST_NUMBER 1u

/* Enough for the format text of the longest command. */
#define FORMAT_MAX_BYTES 32768

static int describe(struct cairn_session *session, const struct session_tracepoint *tp,
                    const struct cairn_schema *schema)
{
    struct cairn_perf_tracepoint tracepoint = {
        .system = tp->is_multi ? SESSION_SYSTEM_NAME "_multi" : SESSION_SYSTEM_NAME,
        .name = tp->name,
        .id = ENGINE_TYPE_BASE + engine_sample_index(tp->sample_id),
        .sample_ids = &tp->sample_id,
        .sample_id_count = 1,
    };
    char *format = malloc(FORMAT_MAX_BYTES);
    int error;

    if (!format)
        return ENOMEM;
    error = cairn_schema_write_format(schema, tracepoint.id, format, FORMAT_MAX_BYTES,
                                      &tracepoint.format_bytes);
    tracepoint.format = format;
    if (!error)
        error = session_put_tracepoint(session, &tracepoint);
    free(format);
    return error;
}

static struct session_tracepoint *new_tracepoint(struct cairn_session *session)
{
    if (session->tracepoint_count == session->tracepoint_capacity) {
        uint32_t capacity = session->tracepoint_capacity ? 2 * session->tracepoint_capacity : 64;
        struct session_tracepoint *more =
            reallocarray(session->tracepoints, capacity, sizeof(*session->tracepoints));

        if (!more)
            return NULL;
        session->tracepoints = more;
        session->tracepoint_capacity = capacity;
    }
    return &session->tracepoints[session->tracepoint_count];
}

/* The number that the event has already, so that its records can stay as they are; or, where that
 * of another user's has it, one from the end. Returns 0 when all are in use. */
static uint32_t unused_number(struct cairn_session *session, uint32_t index)
{
    if (!session->by_number[index])
        return index;
    while (session->last_unused > FIRST_NUMBER && session->by_number[session->last_unused])
        session->last_unused--;
    return session->by_number[session->last_unused] ? 0 : session->last_unused;
}

static void free_tracepoint(struct session_tracepoint *tp)
{
    session_free_filters(tp);
    free(tp->command);
}

static int fill(struct cairn_session *session, struct session_tracepoint *tp,
                const struct cairn_schema *schema, const char *command)
{
    int error;

    memcpy(tp->name, schema->name.text, schema->name.length);
    tp->command = strdup(command);
    if (!tp->command)
        return ENOMEM;
    tp->is_eventheader = trace_file_eventheader_is_in(schema);
    error = describe(session, tp, schema);
    return error ? error : session_filter_tracepoint(session, tp);
}

int session_put_tracepoints(struct cairn_session *session)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    int error = 0;

    for (uint32_t i = 0; i < session->tracepoint_count && !error; i++) {
        const struct session_tracepoint *tp = &session->tracepoints[i];
        struct cairn_schema schema;

        error = cairn_schema_parse_command(tp->command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
        if (!error)
            error = describe(session, tp, &schema);
    }
    return error;
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* An event that no other user has registered yet. */
static int add_new(struct cairn_session *session, const char *command, bool is_multi,
                   uint32_t index, uint64_t generation)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct session_tracepoint *tp = new_tracepoint(session);
    uint32_t number = unused_number(session, index);
    struct cairn_schema schema;
    int error;

    if (!tp)
        return ENOMEM;
    if (!number)
        return E2BIG;
    error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
    if (error)
        return error;
    *tp = (struct session_tracepoint){
        .sample_id = engine_sample_id(generation, number),
        .is_multi = is_multi,
    };
    error = fill(session, tp, &schema, command);
    if (!error)
        error =
            perf_data_map_set(&session->by_command, hash_of(command), session->tracepoint_count);
    if (error) {
        free_tracepoint(tp);
        return error;
    }
    session->by_number[number] = ++session->tracepoint_count;
    return 0;
}

/* The same event of another user, counted from 1; 0: there is none. */
static uint32_t find_same(const struct cairn_session *session, const char *command, bool is_multi)
{
    uint32_t index = perf_data_map_get(&session->by_command, hash_of(command));
    const struct session_tracepoint *tp;

    if (index == PERF_DATA_MAP_NONE || !session->tracepoints)
        return 0;
    tp = &session->tracepoints[index];
    return tp->is_multi == is_multi && !strcmp(tp->command, command) ? index + 1 : 0;
}

/* The entry may be anything: it is shared memory. Its command is copied before it is looked at. */
static int add(struct cairn_session *session, struct session_directory *directory, uint32_t index,
               uint64_t generation)
{
    const struct engine_event_entry *entry = &directory->local.entries[index];
    bool is_multi = entry->flags & ENGINE_ENTRY_MULTI;
    char command[CAIRN_COMMAND_MAX_BYTES];
    uint32_t number_of_1;
    int error;

    memcpy(command, entry->command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    number_of_1 = find_same(session, command, is_multi);
    if (!number_of_1) {
        error = add_new(session, command, is_multi, index, generation);
        if (error)
            return error;
        number_of_1 = session->tracepoint_count;
    }
    directory->sources[index] = (struct session_source){
        .generation = generation,
        .number_of_1 = number_of_1,
        /* Those before the session began are not its own. */
        .lost = generation > directory->handle.generation ? 0 : core_load_relaxed(&entry->lost),
    };
    return 0;
}

static void look_at(struct cairn_session *session, struct session_directory *directory,
                    uint32_t index)
{
    const struct engine_event_entry *entry = &directory->local.entries[index];
    const struct session_source *source = &directory->sources[index];
    uint64_t generation = core_load_acquire(&entry->generation);
    int error;

    if (!generation || (source->number_of_1 && source->generation == generation) ||
        !(core_load_acquire(&entry->sessions) >> directory->handle.slot & 1))
        return;
    error = add(session, directory, index, generation);
    /* An invalid event cannot be recorded; its records will count as damaged. */
    if (error && error != EINVAL && error != E2BIG)
        session_fail(session, error);
}

void session_update_tracepoints(struct cairn_session *session, struct session_directory *directory)
{
    const struct engine_registry *local = &directory->local;
    /* Pairs with the release in engine_registry_notify: the entries come before the number. */
    uint32_t changes = core_load_acquire(&local->registry->changes);

    if (changes == directory->seen_changes)
        return;
    directory->seen_changes = changes;
    for (uint32_t i = 1; i < engine_registry_end(local); i++)
        look_at(session, directory, i);
}

struct session_tracepoint *session_find_tracepoint(struct cairn_session *session,
                                                   const struct session_directory *directory,
                                                   uint64_t sample_id)
{
    uint32_t index = engine_sample_index(sample_id);
    const struct session_source *source;

    if (index >= ENGINE_EVENT_MAX)
        return NULL;
    source = &directory->sources[index];
    if (!source->number_of_1 || source->generation != engine_sample_generation(sample_id))
        return NULL;
    return &session->tracepoints[source->number_of_1 - 1];
}

struct session_tracepoint *session_look_up_tracepoint(struct cairn_session *session,
                                                      struct session_directory *directory,
                                                      uint64_t sample_id)
{
    struct session_tracepoint *tp = session_find_tracepoint(session, directory, sample_id);

    if (tp)
        return tp;
    session_update_tracepoints(session, directory);
    return session_find_tracepoint(session, directory, sample_id);
}

struct session_tracepoint *session_tracepoint_of_output(const struct cairn_session *session,
                                                        uint64_t sample_id)
{
    return &session->tracepoints[session->by_number[engine_sample_index(sample_id)] - 1];
}

void session_free_tracepoints(struct cairn_session *session)
{
    for (uint32_t i = 0; i < session->tracepoint_count; i++)
        free_tracepoint(&session->tracepoints[i]);
    free(session->tracepoints);
    free(session->by_number);
    perf_data_map_free(&session->by_command);
}
