/* SPDX-License-Identifier: MIT */
/* Registers and unregisters the events of cairn register with each backend. */
#include "cli/register.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *remedy_for(const struct cli_registration *r, int error)
{
    if (error == EADDRINUSE)
        return "the name is in use with other fields, which cairn list --fields prints";
    if (error == EPERM && r->flags & CAIRN_USER_EVENT_PERSIST)
        return "in the kernel, only users with CAP_PERFMON can make events persist";
    if (error == ENOSPC)
        return "no space for another event; cairn doctor prints how much memory is free";
    return "run cairn doctor";
}

static void report_error(const struct cli_registration *r, const char *command, int error,
                         const char *backend)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    uint32_t position;

    if (cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, &position)) {
        cli_error(r->verb, "invalid command text, at byte %" PRIu32 ": %s", position, command);
        return;
    }
    if (error == EPROTONOSUPPORT || error == EBADMSG) {
        cli_directory_error(r->verb, error, "cannot use the local engine");
        return;
    }
    cli_error(r->verb, "cannot register %.*s with %s: %s (%s)", (int)schema.name.length,
              schema.name.text, backend, strerror(error), remedy_for(r, error));
}

static int register_with(const struct cli_registration *r, struct cli_registered_event *event,
                         bool in_kernel)
{
    const struct cairn_tracepoint_options options = {
        .size = sizeof(options),
        .flags = r->flags,
        .backends = in_kernel ? CAIRN_BACKEND_KERNEL : CAIRN_BACKEND_LOCAL,
    };
    int error = cairn_tracepoint_register_with(in_kernel ? &event->kernel : &event->local,
                                               event->command, &options);

    if (!error)
        return CLI_OK;
    report_error(r, event->command, error, in_kernel ? "the kernel" : "the local engine");
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
        /* The local engine was not selected by name: the kernel alone is sufficient. */
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
