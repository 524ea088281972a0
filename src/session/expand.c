/* SPDX-License-Identifier: MIT */
/* Compact records become samples. */
#include "session/expand.h"
#include "core/compact_record.h"
#include "engine/sample.h"
#include "perf_data/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptors ---- */

void session_free_descriptors(struct session_pool *pool)
{
    for (uint32_t i = 0; i < pool->descriptor_count; i++)
        free(pool->descriptors[i]);
    free(pool->descriptors);
    perf_data_map_free(&pool->descriptor_of_unit);
}

/* Adds a copy to those that are known. */
static struct engine_descriptor *add_descriptor(struct session_pool *pool, uint32_t unit,
                                                struct engine_descriptor *descriptor)
{
    uint32_t count = pool->descriptor_count;

    if (perf_data_array_grow((void ***)&pool->descriptors, count) ||
        perf_data_map_set(&pool->descriptor_of_unit, unit, count))
        return NULL;
    pool->descriptors[pool->descriptor_count++] = descriptor;
    pool->descriptor_bytes += descriptor->size_bytes;
    return descriptor;
}

/* Descriptors that overlap could be any number, and take any amount of memory: a process that makes
 * such a table lies. */
static int copy(const struct session_pool *pool, uint32_t id,
                struct engine_descriptor **ret_descriptor)
{
    int error = engine_descriptor_copy(pool->table, id, ret_descriptor);

    if (error || (*ret_descriptor)->size_bytes <= ENGINE_TABLE_BYTES - pool->descriptor_bytes)
        return error;
    free(*ret_descriptor);
    return EBADMSG;
}

const struct engine_descriptor *session_find_descriptor(struct cairn_session *session,
                                                        struct session_pool *pool, uint32_t id)
{
    uint32_t unit = id / ENGINE_ID_VARIANTS;
    uint32_t index = perf_data_map_get(&pool->descriptor_of_unit, unit);
    struct engine_descriptor *descriptor = NULL;
    int error;

    if (index != PERF_DATA_MAP_NONE)
        return pool->descriptors[index];
    error = copy(pool, id, &descriptor);
    if (!error && !add_descriptor(pool, unit, descriptor)) {
        free(descriptor);
        error = ENOMEM;
    }
    if (error == ENOMEM)
        session_fail(session, ENOMEM);
    return error ? NULL : descriptor;
}

/* ---- samples ---- */

/* A counter that nothing converts is of a process that lies: its time is that of the reading. */
static uint64_t time_of(const struct cairn_session *session,
                        const struct session_expansion *expansion,
                        const struct engine_record *record)
{
    uint64_t time_ns = record->counter;

    if (expansion->baseline->unit == ENGINE_UNIT_TICKS &&
        !session_ticks_time(&session->ticks, record->counter, &time_ns))
        time_ns = session->taken_ns;
    return time_ns;
}

uint32_t session_expand_record(struct cairn_session *session,
                               const struct session_expansion *expansion,
                               const struct engine_record *record, uint8_t *to)
{
    const struct engine_descriptor *descriptor =
        record->id ? session_find_descriptor(session, expansion->pool, record->id) : NULL;
    const struct engine_sample_origin origin = {
        .time_ns = time_of(session, expansion, record),
        .cpu = expansion->baseline->cpu,
        .pid = expansion->pid,
        .tid = expansion->tid,
    };
    uint32_t size_bytes = engine_sample_expand(record, descriptor, &origin, to);

    session->counts.damaged += !size_bytes;
    return size_bytes;
}

/* A stack belongs to the record after it. */
static void note_stack(struct session_expansion *expansion, const struct engine_record *record)
{
    expansion->stack = NULL;
    if (!record->is_stack)
        return;
    expansion->stack = expansion->at - record->size_bytes + CORE_CONTROL_STACK_HEAD;
    expansion->stack_count =
        (record->size_bytes - CORE_CONTROL_STACK_HEAD) / (uint32_t)sizeof(uint64_t);
}

size_t session_expand(struct cairn_session *session, struct session_expansion *expansion)
{
    uint8_t *to = session->expanded;
    const uint8_t *limit = session->expanded + SESSION_EXPANDED_BYTES - CAIRN_RECORD_MAX_BYTES;

    expansion->stack = NULL;
    while (expansion->at < expansion->end && to <= limit) {
        struct engine_record record;

        if (!engine_record_read(expansion->baseline, expansion->at,
                                (size_t)(expansion->end - expansion->at), &record)) {
            session->counts.damaged++;
            expansion->pool->spoilt = true;
            expansion->at = expansion->end;
            break;
        }
        if (record.is_stack && to != session->expanded)
            break;
        expansion->at += record.size_bytes;
        if (record.payload)
            to += session_expand_record(session, expansion, &record, to);
        if (record.payload && expansion->stack)
            break;
        note_stack(expansion, &record);
    }
    return (size_t)(to - session->expanded);
}
