/* SPDX-License-Identifier: MIT */
/*
 * Typed tracepoints of a program or shared object: each is registered as the user_event
 * SYSTEM_NAME, with the fields that its schema has.
 */
#include "core/trace_state.h"
#include "local/locks.h"
#include "user_events/trace_host.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* user_events has one system for all: the tracepoint's own becomes part of the name. */
static int make_command(const struct cairn_trace_event *event,
                        char command[CAIRN_COMMAND_MAX_BYTES])
{
    char name[CAIRN_NAME_MAX_BYTES];
    struct cairn_schema schema;
    int length = snprintf(name, sizeof(name), "%s_%s", event->system, event->name);

    if (length < 0 || (size_t)length >= sizeof(name))
        return E2BIG;
    cairn_trace_event_schema(event, &schema);
    schema.name = (struct cairn_slice){name, (uint32_t)length};
    return cairn_schema_write_command(&schema, command, CAIRN_COMMAND_MAX_BYTES, NULL);
}

static void list(struct cairn_trace_registered *registered)
{
    registered->next = cairn_i_trace_registered;
    registered->link = &cairn_i_trace_registered;
    if (registered->next)
        registered->next->link = &registered->next;
    cairn_i_trace_registered = registered;
}

static void unlist(const struct cairn_trace_registered *registered)
{
    *registered->link = registered->next;
    if (registered->next)
        registered->next->link = registered->link;
}

/* An event that several sources define stands in the section several times. */
static int register_event(struct cairn_trace_event *event)
{
    struct cairn_trace_registered *registered;
    int error;

    if (event->tracepoint.registered)
        return 0;
    event->trace = &cairn_i_trace_user;
    registered = malloc(sizeof(*registered));
    if (!registered)
        return ENOMEM;
    registered->event = event;
    error = make_command(event, registered->command);
    if (!error)
        error = cairn_user_event_register(&event->tracepoint, registered->command);
    if (error)
        free(registered);
    else
        list(registered);
    return error;
}

int cairn_tracepoints_register(struct cairn_trace_event *const *start,
                               struct cairn_trace_event *const *stop)
{
    int first_error = 0;

    cairn_trace_user_prepare();
    cairn_lock(CAIRN_LOCK_TRACEPOINTS);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        int error = *at ? register_event(*at) : 0;

        first_error = first_error ? first_error : error;
    }
    cairn_unlock(CAIRN_LOCK_TRACEPOINTS);
    return first_error;
}

static int unregister_event(struct cairn_trace_event *event)
{
    const char *command = event->tracepoint.command;
    struct cairn_trace_registered *registered;
    int error;

    if (!event->tracepoint.registered)
        return 0;
    error = cairn_user_event_unregister(&event->tracepoint);
    registered =
        (struct cairn_trace_registered *)((uintptr_t)command -
                                          offsetof(struct cairn_trace_registered, command));
    unlist(registered);
    free(registered);
    return error;
}

static void wait_for_settlers(struct cairn_trace_event *const *start,
                              struct cairn_trace_event *const *stop)
{
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        if (*at && (*at)->trace)
            cairn_i_trace_wait_for_settlers(*at);
    }
}

int cairn_tracepoints_unregister(struct cairn_trace_event *const *start,
                                 struct cairn_trace_event *const *stop)
{
    int first_error = 0;

    cairn_lock(CAIRN_LOCK_TRACEPOINTS);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        int error = *at ? unregister_event(*at) : 0;

        if (*at && (*at)->trace)
            cairn_i_state_drop(*at);
        first_error = first_error ? first_error : error;
    }
    cairn_unlock(CAIRN_LOCK_TRACEPOINTS);
    /* A callback may last for as long as the process. */
    if (start < stop && !first_error && cairn_process_is_ending())
        return EINPROGRESS;
    /* Nobody runs a callback of theirs, or looks at them, from here on. */
    if (start < stop && !first_error)
        first_error = cairn_trace_synchronize(&cairn_i_trace_user);
    if (!first_error)
        wait_for_settlers(start, stop);
    return first_error;
}
