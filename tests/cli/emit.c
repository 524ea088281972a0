/* SPDX-License-Identifier: MIT */
/*
 * A program to be recorded: emit NAME COUNT [wait|kill|follow|pace]. Registers `NAME u32 number;
 * char text[8]` and writes COUNT events. With `wait` it waits first until the event is enabled;
 * with `kill` it ends by SIGKILL. With `follow` it waits, and after COUNT events continues with one
 * each millisecond until the event is disabled, for at most 300 seconds. With `pace` it waits, and
 * then writes 64 events in each period of 2 ms. After a pause it catches up: its duration is COUNT
 * / 32000 s.
 */
#include <cairn/user_events.h>

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct cairn_tracepoint tracepoint = CAIRN_TRACEPOINT_INIT;

static void wait_until_enabled(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 300000 && !cairn_tracepoint_is_enabled(&tracepoint); i++)
        (void)nanosleep(&pause, NULL);
}

/* Sleeps until the next period begins. Periods follow from the first one, `next`. */
static void pause_after(uint32_t number, struct timespec *next)
{
    if (number % 64 != 63)
        return;
    if (!next->tv_sec)
        (void)clock_gettime(CLOCK_MONOTONIC, next);
    next->tv_nsec += 2000000;
    if (next->tv_nsec >= 1000000000) {
        next->tv_nsec -= 1000000000;
        next->tv_sec++;
    }
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static void write_until_disabled(const struct iovec *part)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 300000 && cairn_tracepoint_is_enabled(&tracepoint); i++) {
        (void)cairn_tracepoint_write(&tracepoint, part, 1);
        (void)nanosleep(&pause, NULL);
    }
    puts(cairn_tracepoint_is_enabled(&tracepoint) ? "enabled" : "disabled");
}

int main(int argc, char **argv)
{
    const char *mode = argc > 3 ? argv[3] : "";
    char command[128];
    struct payload {
        uint32_t number;
        char text[8];
    } payload = {.text = "hello"};
    struct iovec part = {&payload, sizeof(payload)};
    struct timespec next = {0};
    unsigned long count;
    bool is_paced = !strcmp(mode, "pace");
    int error;

    if (argc < 3)
        return 2;
    (void)snprintf(command, sizeof(command), "%s u32 number; char[8] text", argv[1]);
    error = cairn_tracepoint_register(&tracepoint, command);
    if (error) {
        fprintf(stderr, "emit: %s\n", strerror(error));
        return 1;
    }
    if (!strcmp(mode, "wait") || !strcmp(mode, "follow") || is_paced)
        wait_until_enabled();
    count = strtoul(argv[2], NULL, 10);
    for (payload.number = 0; payload.number < count; payload.number++) {
        (void)cairn_tracepoint_write(&tracepoint, &part, 1);
        if (is_paced)
            pause_after(payload.number, &next);
    }
    if (!strcmp(mode, "follow"))
        write_until_disabled(&part);
    if (!strcmp(mode, "kill"))
        (void)raise(SIGKILL);
    return cairn_tracepoint_unregister(&tracepoint) ? 1 : 0;
}
