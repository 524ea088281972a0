/* SPDX-License-Identifier: MIT */
/* The thread that updates enable bits and feeds trace_pipe, and its start in children. */
#include "preload/follow.h"
#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/watch.h"
#include "preload/bits.h"
#include "preload/event_memory.h"
#include "tracefs/enabler.h"
#include "preload/pipe.h"
#include "tracefs/program.h"
#include "tracefs/text_session.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10)

/* Nobody need wake us for what cannot happen without a change of the registry. */
#define IDLE_MS  1000
#define PIPE_MS  10
#define DRAIN_MS 100

/* Reads as zeros in a child, however it was made, and not in one that shares our memory. */
struct process {
    pid_t pid;
    bool is_running; /* the thread */
};

static struct process *process;

pid_t preload_follow_pid(void)
{
    const struct process *mine = core_load_acquire(&process);

    return mine ? mine->pid : getpid();
}

static uint32_t pause_ms(void)
{
    if (preload_pipe_any())
        return PIPE_MS;
    return tracefs_text_session_is_filled_by_us() ? DRAIN_MS : IDLE_MS;
}

void tracefs_transport_update(void)
{
    (void)tracefs_enabler_update();
    preload_bits_update();
}

static void *follow(void *nothing)
{
    struct engine_registry *local = &engine_self.local;
    engine_lock_state lock_state;
    uint32_t pause;
    uint32_t seen;

    (void)prctl(PR_SET_NAME, "cairn");
    for (;;) {
        engine_watch_recorders(os_clock_ns());
        /* Pairs with the release in engine_registry_notify: who listens comes before the number. */
        seen = core_load_acquire(&local->registry->changes);
        engine_lock(&lock_state);
        tracefs_transport_update();
        if (tracefs_text_session_is_filled_by_us())
            tracefs_text_session_drain();
        preload_pipe_feed_all();
        pause = pause_ms();
        engine_unlock(&lock_state);
        engine_registry_wait(local, seen, pause);
    }
    return nothing;
}

/* All signals are blocked, and stay so in the thread: they are the program's. */
void preload_follow_start(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    if (!process || process->is_running || pthread_attr_init(&attributes))
        return;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    process->is_running = !pthread_create(&thread, &attributes, follow, NULL) ||
                          (!pthread_attr_setstacksize(&attributes, 8 << 20) &&
                           !pthread_create(&thread, &attributes, follow, NULL));
    (void)pthread_attr_destroy(&attributes);
}

void tracefs_transport_follow(struct tracefs_program *program)
{
    (void)program;
    preload_follow_start();
}

static void become_child(void)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    if (!process->pid) {
        preload_event_memory_check_process();
        engine_check_process();
        process->pid = getpid();
        if (tracefs_enabler_any() || preload_bits_any() || preload_pipe_any())
            preload_follow_start();
    }
    engine_unlock(&lock_state);
}

/* Our thread of the parent may have held the lock at that moment. */
void preload_follow_check_process(void)
{
    if (!process || process->pid)
        return;
    engine_locks_check_process();
    become_child();
}

/* After the engine's handlers: a child's are called in the order of their registration. */
void preload_follow_join(void)
{
    struct process *mine;

    if (process)
        return;
    mine = mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mine == MAP_FAILED)
        return;
    (void)madvise(mine, sizeof(*mine), MADV_WIPEONFORK);
    mine->pid = getpid();
    core_store_release(&process, mine);
    (void)pthread_atfork(NULL, NULL, become_child);
}
