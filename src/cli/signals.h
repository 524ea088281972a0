/* SPDX-License-Identifier: MIT */
/* Signals that ask a verb to end, while it waits. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "cli/command.h"

#include <stdint.h>

struct cli_signals {
    sigset_t before;  /* as they were: for the command */
    sigset_t watched; /* those that we wait for */
    uint32_t asked;   /* so many have asked us to end */
};

/* From now on they come when we wait for them. */
void cli_signals_block(struct cli_signals *signals);

/*
 * Sleeps for at most so long. False: a signal says to end; at a terminal, Ctrl-C reaches the
 * command as well, and this is noted there.
 */
bool cli_signals_wait(struct cli_signals *signals, struct cli_command *command, uint32_t wait_ms);

#endif
