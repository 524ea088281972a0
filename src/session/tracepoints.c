/* SPDX-License-Identifier: MIT */
/* The tracepoints of a session: those whose entry has our bit in its mask. */
#include "session/internal.h"

#include <cairn/schema.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Enough for the format text of the longest command. */
#define FORMAT_MAX_BYTES 32768

static int describe(struct cairn_session *session, const struct session_tracepoint *tp,
                    const struct cairn_schema *schema)
{
    uint64_t sample_id = cairn_sample_id(tp->generation, tp->index);
    bool is_multi = session->local.entries[tp->index].flags & CAIRN_ENTRY_MULTI;
    struct cairn_perf_tracepoint tracepoint = {
        .system = is_multi ? CAIRN_SYSTEM_NAME "_multi" : CAIRN_SYSTEM_NAME,
        .name = tp->name,
        .id = CAIRN_TYPE_BASE + tp->index,
        .sample_ids = &sample_id,
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
        error = cairn_session_put_tracepoint(session, &tracepoint);
    free(format);
    return error;
}

static struct session_tracepoint *new_tracepoint(struct cairn_session *session)
{
    if (session->tracepoint_count == session->tracepoint_room) {
        uint32_t room = session->tracepoint_room ? 2 * session->tracepoint_room : 64;
        struct session_tracepoint *more =
            reallocarray(session->tracepoints, room, sizeof(*session->tracepoints));

        if (!more)
            return NULL;
        session->tracepoints = more;
        session->tracepoint_room = room;
    }
    return &session->tracepoints[session->tracepoint_count];
}

/* The entry may be anything: it is shared memory. Its command is copied before it is looked at. */
static int add(struct cairn_session *session, uint32_t index, uint64_t generation)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct session_tracepoint *tp = new_tracepoint(session);
    struct cairn_schema schema;
    int error;

    if (!tp)
        return ENOMEM;
    memcpy(command, session->local.entries[index].command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
    if (error)
        return error;
    *tp = (struct session_tracepoint){.index = index, .generation = generation};
    memcpy(tp->name, schema.name.text, schema.name.length);
    error = describe(session, tp, &schema);
    if (!error)
        error = cairn_session_filter_tracepoint(session, tp, &schema);
    if (error) {
        cairn_session_free_filters(tp);
        return error;
    }
    session->by_index[index] = ++session->tracepoint_count;
    return 0;
}

static void look_at(struct cairn_session *session, uint32_t index)
{
    const struct cairn_event_entry *entry = &session->local.entries[index];
    uint64_t generation = __atomic_load_n(&entry->generation, __ATOMIC_ACQUIRE);
    int error;

    if (!generation || session->by_index[index] ||
        !(__atomic_load_n(&entry->sessions, __ATOMIC_ACQUIRE) >> session->handle.slot & 1))
        return;
    error = add(session, index, generation);
    /* What is no event of sense cannot be recorded; its records will count as damaged. */
    if (error && error != EINVAL && error != E2BIG)
        cairn_session_fail(session, error);
}

void cairn_session_update_tracepoints(struct cairn_session *session)
{
    /* Pairs with the release in cairn_registry_notify: the entries come before the number. */
    uint32_t changes = __atomic_load_n(&session->local.registry->changes, __ATOMIC_ACQUIRE);

    if (changes == session->seen_changes)
        return;
    session->seen_changes = changes;
    for (uint32_t i = 1; i < cairn_registry_end(&session->local); i++)
        look_at(session, i);
}

struct session_tracepoint *cairn_session_find_tracepoint(struct cairn_session *session,
                                                         uint64_t sample_id)
{
    uint32_t index = cairn_sample_index(sample_id);
    struct session_tracepoint *tp;

    if (index >= CAIRN_EVENT_MAX || !session->by_index[index])
        return NULL;
    tp = &session->tracepoints[session->by_index[index] - 1];
    return tp->generation == cairn_sample_generation(sample_id) ? tp : NULL;
}
