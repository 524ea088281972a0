/* SPDX-License-Identifier: MIT */
/* cairn register --bpf: writes a header that describes the events, and opens counters that keep
 * them enabled. */
#include "cli/bpf_header.h"
#include "cli/register.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int count_and_describe(struct cli_registration *r, FILE *header, const char *command)
{
    int length = (int)strcspn(command, " :");
    uint32_t id;
    int error = cli_event_id(command, (size_t)length, &id);

    if (error) {
        cli_errno(r->verb, error, "cannot read the id of user_events:%.*s", length, command);
        return CLI_FAILED;
    }
    error = cli_counters_add(&r->counters, id);
    if (error) {
        cli_errno(r->verb, error, "cannot count user_events:%.*s", length, command);
        return CLI_FAILED;
    }
    return cli_bpf_header_add(header, command, id) ? CLI_FAILED : CLI_OK;
}

int cli_register_for_bpf(struct cli_registration *r)
{
    FILE *header = fopen(r->bpf_header, "we");
    int status = CLI_OK;

    if (!header) {
        cli_errno(r->verb, errno, "cannot write %s", r->bpf_header);
        return CLI_FAILED;
    }
    cli_bpf_header_begin(header);
    for (size_t i = 0; i < r->event_count && !status; i++)
        status = count_and_describe(r, header, r->events[i].command);
    if (ferror(header) | fclose(header)) {
        cli_errno(r->verb, errno, "cannot write %s", r->bpf_header);
        return CLI_FAILED;
    }
    return status;
}
