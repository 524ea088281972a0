/* SPDX-License-Identifier: MIT */
/* The command that is recorded. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct cli_command {
    pid_t pid;         /* 0: none was started, or it has ended */
    int status;        /* of its end, as waitpid gives it */
    bool asked_to_end; /* by us, or by whoever asked us */
};

/* What a command finds that we have changed for ourselves. */
struct cli_command_setting {
    const sigset_t *signals;          /* its blocked ones */
    const struct rlimit *descriptors; /* its RLIMIT_NOFILE; NULL: as ours */
    bool output_to_error;             /* its standard output is our standard error */
};

/*
 * Starts argv in a child of this setting.
 * Returns 0 or why it cannot be run: an errno code of fork or of exec.
 */
int cli_command_start(struct cli_command *command, char **argv,
                      const struct cli_command_setting *setting);

/* The same; that it cannot be run is told. Returns an exit status. */
int cli_command_run(const struct cli_verb *verb, struct cli_command *command, char **argv,
                    const struct cli_command_setting *setting);

/* Looks whether the command has ended; does not wait. */
bool cli_command_has_ended(struct cli_command *command);

/* Asks a command that still runs to end, and waits for it for at most a second. */
void cli_command_stop(struct cli_command *command);

/* The signal that ended the command; 0 when none did, or one that asked it to end with us. */
int cli_command_fatal_signal(const struct cli_command *command);

/* The exit status that a shell would show; 0 when it ended because it was asked to. */
int cli_command_exit_status(const struct cli_command *command);

#endif
