/* SPDX-License-Identifier: MIT */
/* What cairn register is asked for, and its steps. */
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
    char
        *own_command; /* of a provider's tracepoint; NULL: the text is a word of the command line */
    struct cairn_tracepoint kernel;
    struct cairn_tracepoint local;
};

/* From the command line to the end: options fill it, the steps below carry it out. */
struct cli_registration {
    const struct cli_verb *verb;
    struct cli_registered_event *events;
    size_t event_count;
    uint32_t backends; /* of enum cairn_backend, and CAIRN_BACKEND_REQUIRED */
    uint32_t flags;    /* of enum cairn_user_event_flag */
    bool quiet;
    const char *bpf_header; /* where it goes, and counters are wanted; NULL: neither */
    struct cli_counters counters;
    char **argv;
    int argc;
    char **command_argv; /* NULL: none */
    struct cli_signals signals;
    struct cli_command command;
};

/* With `auto` the kernel takes part where it can. */
void cli_register_find_kernel(struct cli_registration *r);

/* Each event with each backend that is wanted. Returns an exit status; what failed is told. */
int cli_register_all(struct cli_registration *r);

/* Writes the header for BPF programs and counts the events. Returns an exit status; what failed is
 * told. */
int cli_register_for_bpf(struct cli_registration *r);

/* To standard output, as perf knows them. Returns an exit status. */
int cli_register_print_names(const struct cli_registration *r);

/* The time for which they are registered: until a signal comes, or the command ends. Returns an
 * exit status, the command's own if there is one. */
int cli_register_stay(struct cli_registration *r);

/* Unregisters whatever has been registered. */
void cli_registration_close(struct cli_registration *r);

#endif
