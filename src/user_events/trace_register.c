/* SPDX-License-Identifier: MIT */
/* Registers the typed tracepoints of a program or shared object: each as the user_event
 * SYSTEM_NAME, with the fields of its schema. */
#include "core/options.h"
#include "kernel/event_state.h"
#include "engine/locks.h"
#include "user_events/batch.h"
#include "user_events/trace_host.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A command text; exists as long as the event is registered with it. */
struct trace_register_command {
    struct trace_register_command
        *next; /* the next of those that are registered or unregistered together */
    struct cairn_trace_event *event;
    char text[CAIRN_COMMAND_MAX_BYTES];
};

/* All user_events have one system: the tracepoint's own system becomes part of the name. */
static int write_command(const struct cairn_trace_event *event, char *text)
{
    char name[CAIRN_NAME_MAX_BYTES];
    struct cairn_schema schema;
    int length = snprintf(name, sizeof(name), "%s_%s", event->system, event->name);

    if (length < 0 || (size_t)length >= sizeof(name))
        return E2BIG;
    cairn_trace_event_schema(event, &schema);
    schema.name = (struct cairn_slice){name, (uint32_t)length};
    return cairn_schema_write_command(&schema, text, CAIRN_COMMAND_MAX_BYTES, NULL);
}

static bool is_readable(const struct cairn_trace_event *event)
{
    return core_version_is_known(event->version, CAIRN_I_TRACE_VERSION) &&
           core_version_is_known(event->event_class->version, CAIRN_I_TRACE_VERSION);
}

static int make_command(struct cairn_trace_event *event, struct trace_register_command **commands)
{
    struct trace_register_command *command;
    int error;

    if (!is_readable(event))
        return EPROTONOSUPPORT;
    command = malloc(sizeof(*command));
    if (!command)
        return ENOMEM;
    error = write_command(event, command->text);
    if (error) {
        free(command);
        return error;
    }
    event->trace = &user_events_trace_user;
    command->event = event;
    command->next = *commands;
    *commands = command;
    return 0;
}

static void free_commands(struct trace_register_command *commands)
{
    while (commands) {
        struct trace_register_command *command = commands;

        commands = command->next;
        free(command);
    }
}

/* Returns the first failure; `ret_unused` receives the commands without a registered event. */
static int register_commands(struct trace_register_command *commands,
                             struct trace_register_command **ret_unused)
{
    struct user_events_batch batch;
    struct trace_register_command *next;
    int first_error = 0;

    user_events_batch_open(&batch);
    for (struct trace_register_command *command = commands; command; command = next) {
        int error = user_events_batch_register(&batch, &command->event->tracepoint, command->text);

        next = command->next;
        if (error) {
            command->next = *ret_unused;
            *ret_unused = command;
        }
        /* An event that several sources define is in the section several times. */
        if (error != EALREADY && !first_error)
            first_error = error;
    }
    user_events_batch_close(&batch);
    return first_error;
}

/* Memory is allocated before the locks are taken: the program's allocator may write events. */
int cairn_trace_events_register(struct cairn_trace_event *const *start,
                                struct cairn_trace_event *const *stop)
{
    struct trace_register_command *commands = NULL;
    struct trace_register_command *unused = NULL;
    int first_error = 0;
    int error;

    user_events_trace_user_prepare();
    engine_lock_take(ENGINE_LOCK_TRACEPOINTS);
    for (struct cairn_trace_event *const *at = stop; at > start; at--) {
        struct cairn_trace_event *event = at[-1];

        error = event && !event->tracepoint.registered ? make_command(event, &commands) : 0;
        first_error = first_error ? first_error : error;
    }
    error = commands ? register_commands(commands, &unused) : 0;
    engine_lock_release(ENGINE_LOCK_TRACEPOINTS);
    free_commands(unused);
    return first_error ? first_error : error;
}

/* Returns the first failure; `ret_unused` receives the commands of the unregistered events. */
static int unregister_events(struct cairn_trace_event *const *start,
                             struct cairn_trace_event *const *stop,
                             struct trace_register_command **ret_unused)
{
    struct user_events_batch batch;
    int first_error = 0;

    user_events_batch_open(&batch);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        const char *text = *at ? (*at)->tracepoint.command : NULL;
        int error = text ? user_events_batch_unregister(&batch, &(*at)->tracepoint) : 0;

        if (text) {
            struct trace_register_command *command =
                (struct trace_register_command *)(uintptr_t)(text -
                                                             offsetof(struct trace_register_command,
                                                                      text));

            command->next = *ret_unused;
            *ret_unused = command;
        }
        first_error = first_error ? first_error : error;
    }
    user_events_batch_close(&batch);
    return first_error;
}

static void wait_for_switches(struct cairn_trace_event *const *start,
                              struct cairn_trace_event *const *stop)
{
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        if (*at && (*at)->trace)
            kernel_trace_wait_for_switches(*at);
    }
}

int cairn_trace_events_unregister(struct cairn_trace_event *const *start,
                                  struct cairn_trace_event *const *stop)
{
    struct trace_register_command *unused = NULL;
    int first_error;

    engine_lock_take(ENGINE_LOCK_TRACEPOINTS);
    first_error = start < stop ? unregister_events(start, stop, &unused) : 0;
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        if (*at && (*at)->trace)
            kernel_state_drop(*at);
    }
    engine_lock_release(ENGINE_LOCK_TRACEPOINTS);
    free_commands(unused);
    /* A callback may last as long as the process. */
    if (start < stop && !first_error && engine_process_is_ending())
        return EINPROGRESS;
    /* After this no thread runs their callbacks or reads them. */
    if (start < stop && !first_error)
        first_error = cairn_trace_synchronize(&user_events_trace_user);
    if (!first_error)
        wait_for_switches(start, stop);
    return first_error;
}
