/* SPDX-License-Identifier: MIT */
#include "cli/stuck.h"

#include <errno.h>
#include <poll.h>

#define LOOK_MS 50

/* A reader that takes nothing for so long when the recording is to end is given up. One that is
 * slow gets everything. */
#define PATIENCE_NS UINT64_C(1000000000)

static bool can_be_written(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLOUT};

    return poll(&wanted, 1, LOOK_MS) > 0;
}

/* Whether the recording is to end, by a signal or because its time is over. */
static bool is_to_end(struct cli_collection *c)
{
    (void)cli_signals_wait(&c->signals, &c->command, 0);
    return c->signals.asked || (c->duration_ns && cli_collection_elapsed_ns(c) >= c->duration_ns);
}

int cli_wait_for_reader(void *context, int fd)
{
    struct cli_collection *c = context;
    uint32_t asked_before = c->signals.asked;
    uint64_t since_ns = 0; /* when it was to end, and we waited */

    while (!can_be_written(fd)) {
        uint64_t now_ns = cli_now_ns();

        if (!is_to_end(c))
            continue;
        if (!since_ns)
            since_ns = now_ns;
        if (now_ns - since_ns >= PATIENCE_NS || (asked_before && c->signals.asked > asked_before) ||
            c->signals.asked > asked_before + 1)
            return ETIMEDOUT;
    }
    return 0;
}
