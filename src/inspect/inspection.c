/* SPDX-License-Identifier: MIT */
/* The interface of a snapshot of the tracing directory. */
#include "core/options.h"
#include "engine/sweep.h"
#include "inspect/inspection.h"
#include "inspect/types.h"

#include <errno.h>
#include <stdlib.h>

struct cairn_inspection {
    struct inspect_item *items;
    struct cairn_inspected_event *events; /* they point to the items */
    uint32_t event_count;
    struct inspect_sessions sessions;
    struct inspect_types types;
};

/* Under the lock. */
static int read_own(const struct engine_registry *local,
                    const struct cairn_inspection_options *options, struct inspect_events *events,
                    struct inspect_sessions *sessions, struct inspect_types *types)
{
    int error = inspect_events_of_own(events, local);

    if (!error && options->with_sessions)
        error = inspect_sessions_read(local, sessions);
    if (!error && options->with_types)
        error = inspect_types_read(types, local);
    return error;
}

static int read_all(const struct cairn_inspection_options *options, struct inspect_events *events,
                    struct inspect_sessions *sessions, struct inspect_types *types)
{
    struct engine_registry local = {.lock_fd = -1};
    int error = engine_registry_open(&local);

    if (!error)
        error = engine_registry_lock(&local);
    if (!error) {
        engine_registry_sweep(&local);
        error = read_own(&local, options, events, sessions, types);
        engine_registry_unlock(&local);
    }
    if (!error && options->all_users)
        error = inspect_events_of_others(events, &local.directory);
    engine_registry_close(&local);
    return error;
}

static int show_events(struct cairn_inspection *inspection)
{
    inspection->events = (struct cairn_inspected_event *)calloc((size_t)inspection->event_count + 1,
                                                                sizeof(*inspection->events));
    if (!inspection->events)
        return ENOMEM;
    for (uint32_t i = 0; i < inspection->event_count; i++) {
        const struct inspect_item *item = &inspection->items[i];

        inspection->events[i] = (struct cairn_inspected_event){
            .name = item->name,
            .fields = item->fields,
            .number = item->number,
            .listeners = item->listeners,
            .registrations = item->registrations,
        };
    }
    return 0;
}

static int fill(struct cairn_inspection *inspection, const struct cairn_inspection_options *options)
{
    struct inspect_events events = {.patterns = options->patterns,
                                    .pattern_count = options->pattern_count};
    int error;

    inspection->types.patterns = options->patterns;
    inspection->types.pattern_count = options->pattern_count;
    error = read_all(options, &events, &inspection->sessions, &inspection->types);

    inspection->items = events.items;
    inspection->event_count = events.count;
    return error ? error : show_events(inspection);
}

int cairn_inspection_create(const struct cairn_inspection_options *given,
                            struct cairn_inspection **ret_inspection)
{
    struct cairn_inspection_options options = CAIRN_INSPECTION_OPTIONS_INIT;
    struct cairn_inspection *inspection;
    int error = core_options_copy(
        given, CORE_OPTIONS_BYTES_TO(struct cairn_inspection_options, with_sessions),
        sizeof(options), &options);

    if (error)
        return error;
    inspection = (struct cairn_inspection *)calloc(1, sizeof(*inspection));
    if (!inspection)
        return ENOMEM;
    error = fill(inspection, &options);
    if (error) {
        cairn_inspection_destroy(inspection);
        return error;
    }
    *ret_inspection = inspection;
    return 0;
}

void cairn_inspection_destroy(struct cairn_inspection *inspection)
{
    if (!inspection)
        return;
    inspect_sessions_free(&inspection->sessions);
    inspect_types_free(&inspection->types);
    free(inspection->events);
    free(inspection->items);
    free(inspection);
}

uint32_t cairn_inspection_event_count(const struct cairn_inspection *inspection)
{
    return inspection->event_count;
}

uint32_t cairn_inspection_event_max(const struct cairn_inspection *inspection)
{
    (void)inspection;
    return ENGINE_EVENT_MAX;
}

const struct cairn_inspected_event *
cairn_inspection_event(const struct cairn_inspection *inspection, uint32_t index)
{
    return index < inspection->event_count ? &inspection->events[index] : NULL;
}

uint32_t cairn_inspection_type_count(const struct cairn_inspection *inspection)
{
    return inspection->types.count;
}

const struct cairn_inspected_type *cairn_inspection_type(const struct cairn_inspection *inspection,
                                                         uint32_t index)
{
    return index < inspection->types.count ? &inspection->types.types[index] : NULL;
}

uint32_t cairn_inspection_session_count(const struct cairn_inspection *inspection)
{
    return inspection->sessions.session_count;
}

const struct cairn_inspected_session *
cairn_inspection_session(const struct cairn_inspection *inspection, uint32_t index)
{
    return index < inspection->sessions.session_count ? &inspection->sessions.sessions[index].shown
                                                      : NULL;
}

uint32_t cairn_inspection_buffer_count(const struct cairn_inspection *inspection)
{
    return inspection->sessions.buffer_count;
}

const struct cairn_inspected_buffer *
cairn_inspection_buffer(const struct cairn_inspection *inspection, uint32_t index)
{
    return index < inspection->sessions.buffer_count ? &inspection->sessions.buffers[index] : NULL;
}
