/* SPDX-License-Identifier: MIT */
/* Ids of records and what they mean: by the descriptors of a pool. */
#include "session/known.h"
#include "engine/sample.h"
#include "session/expand.h"
#include "session/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MAX (ENGINE_TABLE_UNITS * ENGINE_ID_VARIANTS)

void session_free_known(struct session_process *process)
{
    free(process->known);
    free(process->known_of_id);
    process->known = NULL;
    process->known_of_id = NULL;
    process->known_count = 0;
    process->id_count = 0;
}

/* Makes the table of ids long enough. False: no memory. */
static bool extend_ids(struct session_process *process, uint32_t id)
{
    uint32_t count = process->id_count ? process->id_count : 64;
    uint32_t *more;

    while (count <= id)
        count *= 2;
    if (count == process->id_count)
        return true;
    more = reallocarray(process->known_of_id, count, sizeof(*more));
    if (!more)
        return false;
    memset(more + process->id_count, 0, (count - process->id_count) * sizeof(*more));
    process->known_of_id = more;
    process->id_count = count;
    return true;
}

static bool extend_known(struct session_process *process)
{
    uint32_t count = process->known_count;
    struct session_known *more;

    if (count & (count - 1))
        return true;
    more = reallocarray(process->known, count ? 2 * (size_t)count : 1, sizeof(*more));
    if (!more)
        return false;
    process->known = more;
    return true;
}

/* An EventHeader descriptor may have records with ids of activities, others have none. */
static bool is_variant_valid(const struct engine_descriptor *descriptor, uint32_t id)
{
    uint32_t variant = id % ENGINE_ID_VARIANTS;

    return variant == ENGINE_ID_PLAIN ||
           (descriptor->kind == ENGINE_DESCRIPTOR_EVENTHEADER && variant <= ENGINE_ID_RELATED);
}

/* True if a rule takes all events of the descriptor. */
static bool takes_all(struct cairn_session *session, struct session_tracepoint *tp,
                      const struct engine_descriptor *descriptor)
{
    const struct session_type type = {
        .header = descriptor->header,
        .metadata = descriptor->texts + ENGINE_EXTENSION_BYTES,
        .metadata_bytes = descriptor->metadata_bytes - ENGINE_EXTENSION_BYTES,
    };
    struct session_choice *choice;

    if (descriptor->kind != ENGINE_DESCRIPTOR_EVENTHEADER || !tp->is_eventheader ||
        descriptor->metadata_bytes < ENGINE_EXTENSION_BYTES)
        return false;
    choice = session_choice_of(session, tp, &type);
    return choice && session_choice_takes_all(session, choice);
}

static int fill(struct cairn_session *session, const struct engine_descriptor *descriptor,
                uint32_t id, struct session_tracepoint *tp, struct session_known *known)
{
    int error = session_trace_descriptor(session->trace, tp->sample_id, descriptor,
                                         id % ENGINE_ID_VARIANTS, &known->number);

    known->tracepoint = (uint32_t)(tp - session->tracepoints);
    known->is_filtered = tp->filtered && !takes_all(session, tp, descriptor);
    known->least_bytes = engine_sample_activity_bytes(id);
    known->most_bytes = engine_sample_payload_max(descriptor, id);
    return error == EOPNOTSUPP ? 0 : error;
}

static struct session_known *add(struct cairn_session *session, struct session_process *process,
                                 const struct engine_descriptor *descriptor, uint32_t id,
                                 struct session_tracepoint *tp)
{
    struct session_known known = {0};
    int error = extend_ids(process, id) && extend_known(process) ? 0 : ENOMEM;

    error = error ? error : fill(session, descriptor, id, tp, &known);
    if (error) {
        session_fail(session, error);
        return NULL;
    }
    if (known.number)
        session_trace_put_id(session->trace, process->number_in_file, id, known.number);
    process->known[process->known_count] = known;
    process->known_of_id[id] = ++process->known_count;
    return &process->known[process->known_count - 1];
}

struct session_known *session_find_known(struct cairn_session *session, struct session_pool *pool,
                                         struct session_process *process, uint32_t id)
{
    const struct engine_descriptor *descriptor;
    struct session_tracepoint *tp;

    if (id < process->id_count && process->known_of_id[id])
        return &process->known[process->known_of_id[id] - 1];
    if (!id || id >= IDS_MAX)
        return NULL;
    descriptor = session_find_descriptor(session, pool, id);
    if (!descriptor || !is_variant_valid(descriptor, id))
        return NULL;
    tp = session_look_up_tracepoint(session, pool->directory, descriptor->sample_id);
    return tp ? add(session, process, descriptor, id, tp) : NULL;
}
