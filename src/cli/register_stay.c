/* SPDX-License-Identifier: MIT */
/* cairn register, after registering: prints the names, runs the command, waits for its end. */
#include "cli/register.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *backend_names(const struct cli_registration *r)
{
    if (!(r->backends & CAIRN_BACKEND_KERNEL))
        return "the local engine";
    return r->backends & CAIRN_BACKEND_LOCAL ? "the kernel and the local engine" : "the kernel";
}

/* The suffix of a format is unknown: the pattern selects all formats of the name. */
int cli_register_print_names(const struct cli_registration *r)
{
    const char *multi = r->flags & CAIRN_USER_EVENT_MULTI_FORMAT ? "_multi" : "";

    for (size_t i = 0; i < r->event_count; i++)
        printf("user_events%s:%.*s%s\n", multi, (int)strcspn(r->events[i].command, " :"),
               r->events[i].command, *multi ? ".*" : "");
    if (!fflush(stdout))
        return CLI_OK;
    cli_errno(r->verb, errno, "cannot write the names");
    return CLI_FAILED;
}

int cli_register_stay(struct cli_registration *r)
{
    const struct cli_command_setting setting = {.signals = &r->signals.before};
    int status;

    if (r->flags & CAIRN_USER_EVENT_PERSIST && !r->command_argv)
        return CLI_OK;
    if (!r->command_argv) {
        if (!r->quiet)
            fprintf(stderr, "Registered with %s. Press Ctrl-C to end.\n", backend_names(r));
        while (cli_signals_wait(&r->signals, &r->command, 1000))
            ;
        return CLI_OK;
    }
    status = cli_command_run(r->verb, &r->command, r->command_argv, &setting);
    if (status)
        return status;
    while (!cli_command_has_ended(&r->command)) {
        if (!cli_signals_wait(&r->signals, &r->command, 1000))
            cli_command_stop(&r->command);
    }
    return cli_command_exit_status(&r->command);
}
