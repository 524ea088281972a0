/* SPDX-License-Identifier: MIT */
/* The events of cairn register get their tracepoints in each backend, and lose them. */
#include "cli/register.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void explain(const struct cli_registration *r, const char *command, int error,
                    const char *backend)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    uint32_t position;

    if (cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, &position)) {
        cli_error(r->verb, "no command of user_events, from byte %" PRIu32 " on: %s", position,
                  command);
        return;
    }
    if (error == EPROTONOSUPPORT || error == EBADMSG) {
        cli_directory_error(r->verb, error, "the local engine");
        return;
    }
    cli_errno(r->verb, error, "%s: %.*s", backend, (int)schema.name.length, schema.name.text);
    if (error == EADDRINUSE)
        fprintf(stderr, "The name is in use with other fields; cairn list --fields shows them.\n");
    else if (error == EPERM && r->flags & CAIRN_USER_EVENT_PERSIST)
        fprintf(stderr, "Of the kernel's events only those of users with CAP_PERFMON persist.\n");
    else if (error == ENOSPC)
        fprintf(stderr, "There is no room for another event; cairn doctor tells how much memory is "
                        "free.\n");
    else
        fprintf(stderr, "cairn doctor tells more about what works here.\n");
}

static int register_with(const struct cli_registration *r, struct cli_registered_event *event,
                         bool in_kernel)
{
    const struct cairn_tracepoint_options how = {
        .size = sizeof(how),
        .flags = r->flags,
        .backends = in_kernel ? CAIRN_BACKEND_KERNEL : CAIRN_BACKEND_LOCAL,
    };
    int error = cairn_tracepoint_register_with(in_kernel ? &event->kernel : &event->local,
                                               event->command, &how);

    if (!error)
        return CLI_OK;
    explain(r, event->command, error, in_kernel ? "the kernel" : "the local engine");
    return CLI_FAILED;
}

int cli_register_all(struct cli_registration *r)
{
    int status = CLI_OK;

    for (size_t i = 0; i < r->event_count && !status; i++) {
        if (r->backends & CAIRN_BACKEND_KERNEL)
            status = register_with(r, &r->events[i], true);
        if (r->backends & CAIRN_BACKEND_LOCAL && !status)
            status = register_with(r, &r->events[i], false);
        /* Nobody asked for the local engine by name, and the kernel will do. */
        if (r->events[i].kernel.registered && !(r->backends & CAIRN_BACKEND_REQUIRED))
            status = CLI_OK;
    }
    return status;
}

void cli_register_find_kernel(struct cli_registration *r)
{
    if (!(r->backends & CAIRN_BACKEND_REQUIRED) && cairn_backend_probe_kernel(NULL, 0))
        r->backends &= ~(uint32_t)CAIRN_BACKEND_KERNEL;
}

void cli_registration_close(struct cli_registration *r)
{
    cli_counters_close(&r->counters);
    for (size_t i = 0; i < r->event_count; i++) {
        (void)cairn_tracepoint_unregister(&r->events[i].kernel);
        (void)cairn_tracepoint_unregister(&r->events[i].local);
        free(r->events[i].own_command);
    }
    free(r->events);
}
