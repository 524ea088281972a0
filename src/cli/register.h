/* SPDX-License-Identifier: MIT */
/* A run of cairn register: its options and its steps. */
#ifndef CLI_REGISTER_H
#define CLI_REGISTER_H

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/counters.h"
#include "cli/signals.h"

#include <cairn/inspect.h>

/* A command text, and its tracepoint in each backend. */
struct cli_registered_event {
    const char *command;
    char *own_command; /* allocated, for a provider; NULL: the text is a word of the command line */
    struct cairn_tracepoint kernel;
    struct cairn_tracepoint local;
};

/* The options fill it in, the functions below execute it. */
struct cli_registration {
    const struct cli_verb *verb;
    struct cli_registered_event *events;
    size_t event_count;
    uint32_t backends; /* of enum cairn_backend, and CAIRN_BACKEND_REQUIRED */
    uint32_t flags;    /* of enum cairn_user_event_flag */
    bool quiet;
    const char *bpf_header; /* path of the header of --bpf; NULL: without --bpf */
    struct cli_counters counters;
    char **argv;
    int argc;
    char **command_argv; /* NULL: none */
    struct cli_signals signals;
    struct cli_command command;
};

/* With `auto`, deselects the kernel if it is not usable. */
void cli_register_find_kernel(struct cli_registration *r);

/* Registers each event with each selected backend. Reports errors. Returns an exit status. */
int cli_register_all(struct cli_registration *r);

/* Writes the header for BPF programs and counts the events. Reports errors. Returns an exit status.
 */
int cli_register_for_bpf(struct cli_registration *r);

/* Prints the names to standard output, as perf knows them. Returns an exit status. */
int cli_register_print_names(const struct cli_registration *r);

/* Holds the registrations until a signal arrives or the command, which it runs, ends. Returns an
 * exit status: the command's own, if there is one. */
int cli_register_stay(struct cli_registration *r);

/* Unregisters all events that were registered. */
void cli_registration_close(struct cli_registration *r);

#endif
