/* SPDX-License-Identifier: MIT */
/*
 * A program that is to be killed, and knows cairn: registers three events, writes to them from two
 * threads for ever, and prints a line when it has begun.
 */
#include <cairn/user_events.h>

#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static struct cairn_tracepoint events[3] = {
    CAIRN_TRACEPOINT_INIT,
    CAIRN_TRACEPOINT_INIT,
    CAIRN_TRACEPOINT_INIT,
};

static void *write_for_ever(void *arg)
{
    struct iovec part = {&arg, sizeof(arg)};

    for (unsigned int i = 0;; i++) {
        (void)cairn_tracepoint_write(&events[i % 3], &part, 1);
        if (i % 64 == 0)
            (void)usleep(100);
    }
    return NULL;
}

int main(void)
{
    static const char *const commands[] = {"mortal_a u64 a", "mortal_b u64 a", "mortal_c u64 a"};
    pthread_t thread;

    for (int i = 0; i < 3; i++) {
        if (cairn_tracepoint_register(&events[i], commands[i]))
            return 1;
    }
    if (pthread_create(&thread, NULL, write_for_ever, NULL) || write(STDOUT_FILENO, "\n", 1) != 1)
        return 1;
    (void)write_for_ever(NULL);
    return 0;
}
