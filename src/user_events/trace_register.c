/* SPDX-License-Identifier: MIT */
/*
 * Typed tracepoints of a program or shared object: each is registered as the user_event
 * SYSTEM_NAME, with the fields that its schema has.
 */
#include "core/trace_state.h"
#include "user_events/trace_host.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Objects are loaded and unloaded by several threads: one lock for all of them. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* user_events has one system for all: the tracepoint's own becomes part of the name. */
static int make_command(const struct cairn_trace_event *event, char **ret_command)
{
    char name[CAIRN_NAME_MAX_BYTES];
    struct cairn_schema schema;
    char *command;
    int length = snprintf(name, sizeof(name), "%s_%s", event->system, event->name);
    int error;

    if (length < 0 || (size_t)length >= sizeof(name))
        return E2BIG;
    command = malloc(CAIRN_COMMAND_MAX_BYTES);
    if (!command)
        return ENOMEM;
    cairn_trace_event_schema(event, &schema);
    schema.name = (struct cairn_slice){name, (uint32_t)length};
    error = cairn_schema_write_command(&schema, command, CAIRN_COMMAND_MAX_BYTES, NULL);
    if (error) {
        free(command);
        return error;
    }
    *ret_command = command;
    return 0;
}

/* An event that several sources define stands in the section several times. */
static int register_event(struct cairn_trace_event *event)
{
    char *command;
    int error;

    if (event->tracepoint.registered)
        return 0;
    event->trace = &cairn_i_trace_user;
    error = make_command(event, &command);
    if (error)
        return error;
    error = cairn_user_event_register(&event->tracepoint, command);
    if (error)
        free(command);
    return error;
}

int cairn_tracepoints_register(struct cairn_trace_event *const *start,
                               struct cairn_trace_event *const *stop)
{
    int first_error = 0;

    cairn_trace_user_prepare();
    (void)pthread_mutex_lock(&mutex);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        int error = *at ? register_event(*at) : 0;

        first_error = first_error ? first_error : error;
    }
    (void)pthread_mutex_unlock(&mutex);
    return first_error;
}

static int unregister_event(struct cairn_trace_event *event)
{
    const char *command = event->tracepoint.command;
    int error;

    if (!event->tracepoint.registered)
        return 0;
    error = cairn_user_event_unregister(&event->tracepoint);
    free((void *)command);
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

    (void)pthread_mutex_lock(&mutex);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        int error = *at ? unregister_event(*at) : 0;

        if (*at && (*at)->trace)
            cairn_i_state_drop(*at);
        first_error = first_error ? first_error : error;
    }
    (void)pthread_mutex_unlock(&mutex);
    /* Nobody runs a callback of theirs, or looks at them, from here on. */
    if (start < stop && !first_error)
        first_error = cairn_trace_synchronize(&cairn_i_trace_user);
    if (!first_error && !cairn_trace_user_is_forked())
        wait_for_settlers(start, stop);
    return first_error;
}
