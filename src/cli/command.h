/* SPDX-License-Identifier: MIT */
/* A command that a verb runs: its start, its end, its exit status. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct cli_command {
    pid_t pid;         /* 0: none was started, or it has ended */
    int status;        /* of its end, as from waitpid */
    bool asked_to_end; /* a signal asked the verb to end, or the verb asked the command */
};

/* Attributes of a command that differ from those of this process. */
struct cli_command_setting {
    const sigset_t *signals;          /* the blocked ones */
    const struct rlimit *descriptors; /* RLIMIT_NOFILE; NULL: that of this process */
    bool output_to_error;             /* its standard output is our standard error */
};

/*
 * Starts argv in a child with these attributes.
 * Returns 0 or an errno code of pipe, fork or exec.
 */
int cli_command_start(struct cli_command *command, char **argv,
                      const struct cli_command_setting *setting);

/* The same; reports an error. Returns an exit status. */
int cli_command_run(const struct cli_verb *verb, struct cli_command *command, char **argv,
                    const struct cli_command_setting *setting);

/* True if the command has ended; does not wait. */
bool cli_command_has_ended(struct cli_command *command);

/* Asks a running command to end (SIGTERM), and waits for it for at most a second. */
void cli_command_stop(struct cli_command *command);

/* The signal that ended the command; 0 if none did, or if it was asked to end. */
int cli_command_fatal_signal(const struct cli_command *command);

/* The exit status as in a shell; 0 if the command ended because it was asked to. */
int cli_command_exit_status(const struct cli_command *command);

#endif
