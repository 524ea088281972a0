/* SPDX-License-Identifier: MIT */
/* Blocks the signals that end a verb, and waits for them. */
#include "cli/signals.h"

#include <poll.h>
#include <sys/signalfd.h>
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

/* Without a descriptor for signals the wait is as short as one without wait_fd is. */
static int wait_for_any(struct cli_signals *signals, uint32_t wait_ms)
{
    const struct timespec now = {0};
    struct pollfd fds[2] = {{.fd = signals->wait_fd, .events = POLLIN}, {.events = POLLIN}};

    if (!signals->signal_fd)
        signals->signal_fd = signalfd(-1, &signals->watched, SFD_CLOEXEC | SFD_NONBLOCK);
    fds[1].fd = signals->signal_fd;
    (void)poll(fds, 2, (int)(signals->signal_fd < 0 && wait_ms > 10 ? 10 : wait_ms));
    return sigtimedwait(&signals->watched, NULL, &now);
}

bool cli_signals_wait(struct cli_signals *signals, struct cli_command *command, uint32_t wait_ms)
{
    const struct timespec timeout = {wait_ms / 1000, (long)(wait_ms % 1000) * 1000000};
    int signal_number = signals->wait_fd && wait_ms
                            ? wait_for_any(signals, wait_ms)
                            : sigtimedwait(&signals->watched, NULL, &timeout);

    if (signal_number == SIGUSR2)
        signals->wants_snapshot = true;
    if (signal_number <= 0 || signal_number == SIGCHLD || signal_number == SIGUSR2)
        return true;
    command->asked_to_end = true;
    signals->end_requests++;
    return false;
}
