/* SPDX-License-Identifier: MIT */
/* Signals that ask a verb to end: blocked, and received while it waits. */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "cli/command.h"

#include <stdint.h>

struct cli_signals {
    sigset_t before;       /* the original mask, for the command */
    sigset_t watched;      /* the signals that cli_signals_wait receives */
    uint32_t end_requests; /* signals that asked the verb to end */
    bool takes_snapshots;  /* on SIGUSR2; set before cli_signals_block */
    bool wants_snapshot;   /* it came */
    int signal_fd;         /* to wait for them and for `wait_fd`; 0: none yet */
    int wait_fd;           /* ends the wait when it can be read; 0: none */
};

/* Blocks the signals: from now on cli_signals_wait receives them. */
void cli_signals_block(struct cli_signals *signals);

/*
 * Sleeps for at most wait_ms, until a child ends, or until wait_fd can be read. False: a signal
 * asked the verb to end. This is noted in the command too, which Ctrl-C at a terminal also reaches.
 */
bool cli_signals_wait(struct cli_signals *signals, struct cli_command *command, uint32_t wait_ms);

#endif
