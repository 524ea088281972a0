/* SPDX-License-Identifier: MIT */
/* Waits until a stream can be written; ends the wait after the session is to end. */
#include "cli/stuck.h"

#include <errno.h>
#include <poll.h>

#define LOOK_MS 50

/* The time after which a session that is to end stops waiting for a reader that reads nothing. A
 * slow reader gets everything. */
#define PATIENCE_NS UINT64_C(1000000000)

static bool can_be_written(int fd)
{
    struct pollfd output = {.fd = fd, .events = POLLOUT};

    return poll(&output, 1, LOOK_MS) > 0;
}

/* True if the session is to end, by a signal or by --duration. */
static bool is_to_end(struct cli_collection *c)
{
    (void)cli_signals_wait(&c->signals, &c->command, 0);
    return c->signals.end_requests ||
           (c->duration_ns && cli_collection_elapsed_ns(c) >= c->duration_ns);
}

int cli_wait_for_reader(void *context, int fd)
{
    struct cli_collection *c = context;
    uint32_t requests_before = c->signals.end_requests;
    uint64_t end_ns = 0; /* the time since which the session is to end */

    while (!can_be_written(fd)) {
        uint64_t now_ns = cli_now_ns();

        if (!is_to_end(c))
            continue;
        if (!end_ns)
            end_ns = now_ns;
        /* A second signal ends the wait at once. */
        if (now_ns - end_ns >= PATIENCE_NS ||
            (requests_before && c->signals.end_requests > requests_before) ||
            c->signals.end_requests > requests_before + 1)
            return ETIMEDOUT;
    }
    return 0;
}
