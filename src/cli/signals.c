/* SPDX-License-Identifier: MIT */
/* Blocks the signals that end a verb, and waits for them. */
#include "cli/signals.h"

#include <time.h>

void cli_signals_block(struct cli_signals *signals)
{
    sigset_t blocked;

    sigemptyset(&signals->watched);
    sigaddset(&signals->watched, SIGINT);
    sigaddset(&signals->watched, SIGTERM);
    sigaddset(&signals->watched, SIGHUP);
    sigaddset(&signals->watched, SIGCHLD);
    if (signals->takes_snapshots)
        sigaddset(&signals->watched, SIGUSR2);
    (void)sigprocmask(SIG_BLOCK, &signals->watched, &signals->before);
    /* Blocked, writing fails with EPIPE or EFBIG instead. Not ignored: the command would inherit
     * that. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGXFSZ);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
}

bool cli_signals_wait(struct cli_signals *signals, struct cli_command *command, uint32_t wait_ms)
{
    const struct timespec timeout = {wait_ms / 1000, (long)(wait_ms % 1000) * 1000000};
    int signal_number = sigtimedwait(&signals->watched, NULL, &timeout);

    if (signal_number == SIGUSR2)
        signals->wants_snapshot = true;
    if (signal_number <= 0 || signal_number == SIGCHLD || signal_number == SIGUSR2)
        return true;
    command->asked_to_end = true;
    signals->end_requests++;
    return false;
}
