/* SPDX-License-Identifier: MIT */
/* The thread that updates enable bits, and its start in children. */
#include "preload/process.h"
#include "accelerator/next.h"
#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/watch.h"
#include "tracefs/enabler.h"
#include "tracefs/program.h"
#include "tracefs/text_session.h"

#include <linux/close_range.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)256 << 10)

/* The times to wait for changes of the registry. */
#define IDLE_MS  1000
#define DRAIN_MS 100

#define FUNCTIONS(FUNCTION) FUNCTION(int, close_range, (unsigned int, unsigned int, int))

ACCELERATOR_NEXT_TABLE(FUNCTIONS)

static __thread bool is_updater;
static pid_t own_pid; /* 0: not joined yet */
static bool is_running;

void tracefs_transport_update(void)
{
    (void)tracefs_enabler_update();
}

/*
 * The thread opens files for moments. They must not take numbers that the program expects to be
 * free, and the program must not replace them, so the thread has a table of descriptors of its own,
 * which is empty; except where a descriptor, and not a mapping, holds the process file.
 */
static void leave_descriptors(void)
{
    if (engine_self.process_fd < 0)
        (void)ACCELERATOR_NEXT(close_range)(0, ~0u, CLOSE_RANGE_UNSHARE);
}

static void *update_always(void *nothing)
{
    struct engine_registry *local = &engine_self.local;

    (void)prctl(PR_SET_NAME, "cairn");
    is_updater = true;
    leave_descriptors();
    for (;;) {
        engine_lock_state lock_state;
        bool is_filled;
        uint32_t seen;

        engine_watch_recorders(os_clock_ns());
        /* Pairs with the release in engine_registry_notify: the listeners are stored before the
         * number. */
        seen = core_load_acquire(&local->registry->changes);
        engine_lock(&lock_state);
        tracefs_transport_update();
        is_filled = tracefs_text_session_drain_ours();
        engine_unlock(&lock_state);
        engine_registry_wait(local, seen, is_filled ? DRAIN_MS : IDLE_MS);
    }
    return nothing;
}

/* All signals are blocked under the lock, and stay so in the thread: they are the program's. */
void preload_process_update_always(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    if (is_running || pthread_attr_init(&attributes))
        return;
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    is_running = !pthread_create(&thread, &attributes, update_always, NULL) ||
                 (!pthread_attr_setstacksize(&attributes, 8 << 20) &&
                  !pthread_create(&thread, &attributes, update_always, NULL));
    (void)pthread_attr_destroy(&attributes);
}

static void become_child(void)
{
    engine_lock_state lock_state;
    bool was_running = is_running;

    engine_lock(&lock_state);
    engine_check_process();
    own_pid = getpid();
    is_running = false;
    if (was_running)
        preload_process_update_always();
    engine_unlock(&lock_state);
}

/* After the engine's handlers: a child's are called in the order of their registration. */
void preload_process_join(void)
{
    if (own_pid)
        return;
    own_pid = getpid();
    (void)pthread_atfork(NULL, NULL, become_child);
}

bool preload_process_is_updater(void)
{
    return is_updater;
}

bool preload_process_is_own(void)
{
    return getpid() == own_pid;
}
