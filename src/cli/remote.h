/* SPDX-License-Identifier: MIT */
/*
 * A recorder that other commands can ask: cairn record --name. Requests and answers are lines:
 *
 *   status     ok, then lines of a word and a value: events, lost, bytes, seconds, mode, file
 *   snapshot   ok, then events and file
 *   stop       ok
 *   add PATTERN, or add PATTERN \x01 FILTER (without the spaces), remove PATTERN   ok
 *
 * An error is "error TEXT".
 */
#ifndef CLI_REMOTE_H
#define CLI_REMOTE_H

#include "cli/collection.h"
#include "cli/flight.h"

#define CLI_REMOTE_FILTER "\x01"

struct cli_remote {
    const struct cli_verb *verb;
    const char *name;  /* NULL: that of a flight recorder, "record-PID"; others have none */
    char own_name[32]; /* that one */
    struct cairn_recorder *recorder;
    struct cli_collection *collection;
    struct cli_flight *flight;
    const struct cli_record_output *output;
};

/* Applies the option --name. Returns an exit status. */
int cli_remote_set_name(struct cli_remote *remote, const char *name);

/* Can be asked from now on. Returns an exit status. */
int cli_remote_open(struct cli_remote *remote);

/* Answers what was asked. */
void cli_remote_poll(struct cli_remote *remote);

void cli_remote_close(struct cli_remote *remote);

#endif
