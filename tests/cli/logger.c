/* SPDX-License-Identifier: MIT */
/*
 * A program that logs, for `cairn filter`: logger [MODE]. Emits events of the targets `net` and
 * `disk` and spans `request`, each millisecond, until standard input ends. Mode `child`: a forked
 * child does so. Mode `idle`: initializes the facade, and reaches no call site.
 */
#include <cairn/tracing.h>

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool goes_on(int pause_ms)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return !poll(&input, 1, pause_ms);
}

static void serve(int id)
{
    CAIRN_SCOPE(INFO, "request", kv("id", id));

    CAIRN_TRACE((target("disk")), "read");
    CAIRN_DEBUG((target("net")), "packet");
}

static void work(void)
{
    for (int i = 0; i < 60000 && goes_on(1); i++)
        serve(i % 10);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";

    if (cairn_tracing_init())
        return 1;
    if (!strcmp(mode, "idle")) {
        (void)goes_on(60000);
    } else if (!strcmp(mode, "child")) {
        if (!fork()) {
            work();
            _exit(0);
        }
        (void)wait(NULL);
    } else {
        work();
    }
    return 0;
}
