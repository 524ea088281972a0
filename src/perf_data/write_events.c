/* SPDX-License-Identifier: MIT */
/* Adds tracepoints to a recording. */
#include "perf_data/writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SYSTEM_MAX_BYTES 255u /* perf reads them into a buffer of fixed size */
#define NAME_MAX_BYTES   4095u
#define FORMAT_MAX_BYTES (1u << 20)
#define IDS_MAX          8000u /* an attr with its ids is one record */

#define SAMPLE_TYPE_NEEDED \
    (PERF_DATA_SAMPLE_IDENTIFIER | PERF_DATA_SAMPLE_TIME | PERF_DATA_SAMPLE_RAW)

static int check(const struct cairn_perf_writer *writer, const struct cairn_perf_tracepoint *t)
{
    if (writer->finished || !t->system || !t->system[0] || !t->name || !t->name[0] || !t->format ||
        !t->format_bytes || !t->sample_id_count)
        return EINVAL;
    if (t->sample_type && (t->sample_type & SAMPLE_TYPE_NEEDED) != SAMPLE_TYPE_NEEDED)
        return EINVAL;
    if (strlen(t->system) > SYSTEM_MAX_BYTES || strlen(t->name) > NAME_MAX_BYTES ||
        t->format_bytes > FORMAT_MAX_BYTES || t->sample_id_count > IDS_MAX)
        return E2BIG;
    for (size_t i = 0; i < t->sample_id_count; i++) {
        if (!t->sample_ids[i])
            return EINVAL;
        if (perf_data_map_get(&writer->event_of_sample_id, t->sample_ids[i]) != PERF_DATA_MAP_NONE)
            return EEXIST;
    }
    return 0;
}

static const char *join(struct perf_data_arena *arena, const char *system, const char *name)
{
    size_t size = strlen(system) + 1 + strlen(name) + 1;
    char *joined = perf_data_arena_alloc(arena, size);

    if (joined)
        snprintf(joined, size, "%s:%s", system, name);
    return joined;
}

/*
 * Compares an event with earlier events of the same tracepoint id. Its format may be one of theirs.
 * /
 */
static void compare_with_earlier(const struct cairn_perf_writer *writer,
                                 struct perf_data_written_event *event,
                                 const struct cairn_perf_tracepoint *t)
{
    for (uint32_t at = event->next; at != PERF_DATA_MAP_NONE; at = writer->events[at]->next) {
        const struct perf_data_written_event *earlier = writer->events[at];

        if (earlier->format_bytes == t->format_bytes &&
            earlier->system_bytes == event->system_bytes && !strcmp(earlier->name, event->name) &&
            !memcmp(earlier->format, t->format, t->format_bytes)) {
            event->known_format = true;
            event->format = earlier->format;
            event->perf_format = earlier->perf_format;
        } else {
            event->other_format = true;
        }
    }
}

static int copy(struct cairn_perf_writer *writer, const struct cairn_perf_tracepoint *t,
                struct perf_data_written_event *event)
{
    size_t ids_bytes = t->sample_id_count * sizeof(*t->sample_ids);
    uint64_t *ids = perf_data_arena_alloc(&writer->arena, ids_bytes);

    *event = (struct perf_data_written_event){
        .name = join(&writer->arena, t->system, t->name),
        .system_bytes = (uint32_t)strlen(t->system),
        .format_bytes = (uint32_t)t->format_bytes,
        .type = CAIRN_PERF_TYPE_TRACEPOINT,
        .config = t->id,
        .sample_type = t->sample_type ? t->sample_type : CAIRN_RECORD_SAMPLE_TYPE,
        .flags = PERF_DATA_ATTR_SAMPLE_ID_ALL,
        .ids = ids,
        .id_count = (uint32_t)t->sample_id_count,
        .next = perf_data_map_get(&writer->event_of_tracepoint_id, t->id),
        .index = writer->event_count,
    };
    if (!ids || !event->name)
        return ENOMEM;
    memcpy(ids, t->sample_ids, ids_bytes);
    compare_with_earlier(writer, event, t);
    if (event->format)
        return 0;
    event->format = perf_data_arena_text(&writer->arena, t->format, t->format_bytes);
    return event->format ? perf_data_format_for_perf(&writer->arena, event, &event->perf_format)
                         : ENOMEM;
}

/* An event that needs a description must fit into one. */
static bool fits(const struct cairn_perf_writer *writer,
                 const struct perf_data_written_event *event)
{
    struct cairn_bytes b = {0};
    bool fits;

    if (!writer->begun && !perf_data_event_needs_description(event))
        return true;
    perf_data_put_description(&b, event);
    fits = b.error != E2BIG;
    perf_data_bytes_free(&b);
    return fits;
}

/*
 * From here on the event is part of the writer's state; a partial change would be worse than an
 * error.
 */
static int register_event(struct cairn_perf_writer *writer, struct perf_data_written_event *event)
{
    int err = perf_data_array_grow((void ***)&writer->events, writer->event_count);

    if (err)
        return err;
    writer->events[writer->event_count++] = event;
    for (uint32_t i = 0; i < event->id_count && !err; i++)
        err = perf_data_map_set(&writer->event_of_sample_id, event->ids[i], event->index);
    if (!err)
        err = perf_data_map_set(&writer->event_of_tracepoint_id, event->config, event->index);
    if (!err && writer->begun)
        err = perf_data_writer_announce(writer, event);
    if (err)
        writer->error = err;
    return err;
}

int cairn_perf_writer_add_tracepoint(struct cairn_perf_writer *writer,
                                     const struct cairn_perf_tracepoint *tracepoint)
{
    struct perf_data_written_event *event;
    int err = check(writer, tracepoint);

    if (err)
        return err;
    event = perf_data_arena_alloc(&writer->arena, sizeof(*event));
    err = event ? copy(writer, tracepoint, event) : ENOMEM;
    if (!err && !fits(writer, event))
        err = E2BIG;
    return err ? err : register_event(writer, event);
}
