/* SPDX-License-Identifier: MIT */
/*
 * Timers on the processor time of other processes. Each sends a signal to a thread that has it
 * blocked, and waits for it.
 */
#include "session/processor_time.h"

#include "core/atomic.h"
#include "os/thread.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* A program that writes events at full speed fills a part of its buffer's first memory in this
 * time, and in the kernel's tick until it is noticed. */
#define USED_NS 5000000

/* The signal by which C libraries implement their own timers: programs can neither send it nor wait
 * for it, so that the thread takes nobody else's. */
#define SIGNAL 32

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

struct session_processor_time {
    void (*notice)(void *context);
    void *context;
    pthread_t thread;
    pid_t tid;
    sem_t begun;
    bool is_ended;
    int *timers; /* as the kernel numbers them */
    uint32_t count;
    uint32_t capacity;
};

/* ---- the thread ---- */

/* The C library's functions exclude its own signals. */
static const uint64_t signal_mask = UINT64_C(1) << (SIGNAL - 1);

static void *wait_for_signals(void *context)
{
    struct session_processor_time *time = context;

    (void)syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signal_mask, NULL, sizeof(signal_mask));
    time->tid = (pid_t)syscall(SYS_gettid);
    sem_post(&time->begun);
    for (;;) {
        long number = syscall(SYS_rt_sigtimedwait, &signal_mask, NULL, NULL, sizeof(signal_mask));

        if (core_load_acquire(&time->is_ended))
            return NULL;
        if (number == SIGNAL)
            time->notice(time->context);
    }
}

static int start_thread(struct session_processor_time *time)
{
    os_signals before;
    int error;

    os_signals_block(&before);
    error = pthread_create(&time->thread, NULL, wait_for_signals, time);
    os_signals_restore(&before);
    while (!error && sem_wait(&time->begun))
        ;
    return error;
}

int session_processor_time_begin(void (*notice)(void *context), void *context,
                                 struct session_processor_time **ret_time)
{
    struct session_processor_time *time = calloc(1, sizeof(*time));
    int error;

    if (!time)
        return ENOMEM;
    time->notice = notice;
    time->context = context;
    sem_init(&time->begun, 0, 0);
    error = start_thread(time);
    if (error) {
        sem_destroy(&time->begun);
        free(time);
        return error;
    }
    *ret_time = time;
    return 0;
}

/* ---- timers ---- */

static int make_room(struct session_processor_time *time)
{
    uint32_t capacity = time->capacity ? 2 * time->capacity : 64;
    int *timers;

    if (time->count < time->capacity)
        return 0;
    timers = realloc(time->timers, capacity * sizeof(*timers));
    if (!timers)
        return ENOMEM;
    time->timers = timers;
    time->capacity = capacity;
    return 0;
}

int session_processor_time_watch(struct session_processor_time *time, uint32_t pid)
{
    const struct timespec used = {0, USED_NS};
    const struct itimerspec when = {used, used};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL};
    clockid_t clock;
    int timer;
    int error = make_room(time);

    if (error)
        return error;
    event.sigev_notify_thread_id = time->tid;
    if (clock_getcpuclockid((pid_t)pid, &clock))
        return 0;
    if (syscall(SYS_timer_create, clock, &event, &timer))
        return kill((pid_t)pid, 0) && errno == ESRCH ? 0 : EAGAIN;
    if (syscall(SYS_timer_settime, timer, 0, &when, NULL)) {
        error = errno;
        (void)syscall(SYS_timer_delete, timer);
        return error == ESRCH ? 0 : error;
    }
    time->timers[time->count++] = timer;
    return 0;
}

void session_processor_time_forget(struct session_processor_time *time)
{
    while (time->count)
        (void)syscall(SYS_timer_delete, time->timers[--time->count]);
}

void session_processor_time_end(struct session_processor_time *time)
{
    if (!time)
        return;
    session_processor_time_forget(time);
    core_store_release(&time->is_ended, true);
    (void)syscall(SYS_tgkill, getpid(), time->tid, SIGNAL);
    pthread_join(time->thread, NULL);
    sem_destroy(&time->begun);
    free(time->timers);
    free(time);
}
