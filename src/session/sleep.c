/* SPDX-License-Identifier: MIT */
/*
 * Sleeping: engine/doorbell.h has the protocol. A thread waits for the words, since a descriptor
 * cannot, and writes to an eventfd, which is polled with the rings of the kernel.
 */
#include "session/sleep.h"

#include "engine/doorbell.h"
#include "os/inspect.h"
#include "os/thread.h"
#include "perf_events/perf_events.h"
#include "session/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Time without an event, and without a new process, after which a recorder sleeps. A program that
 * is going to forbid itself system calls has done so by then, mostly. */
#define IDLE_NS UINT64_C(3000000000)

/* Time for writers that are in the fast path to complete their event: SESSION_SETTLED_NS. Then the
 * doorbell is out for so long before the recorder sleeps. */
#define BELL_NS UINT64_C(10000000)

#define SLEEP_MS 1000u

/* Processes that are looked at each second while the recorder sleeps. */
#define LOOKED_AT_MAX 64u

/* More of the kernel's records than this are no trickle. */
#define BUSY_BYTES ((size_t)1 << 20)

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* As the kernel's struct futex_waitv, which older headers lack; and its limit. */
struct word {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};
#define WORDS_MAX   128u
#define WORD_IS_U32 2u

enum state { STATE_AWAKE, STATE_DROWSY, STATE_LISTENING, STATE_ASLEEP };

struct session_sleep {
    enum state state;
    uint64_t since_ns;  /* of the state; awake: of the last activity */
    uint64_t idle_ns;   /* IDLE_NS */
    uint64_t signature; /* of what else than events counts as activity */
    int poll_fd;
    int event_fd;
    bool has_thread;
    pthread_t thread;
    sem_t armed; /* the thread may wait for the words; */
    sem_t done;  /* it does not any more */
    bool is_armed;
    bool is_ended;
    struct word words[WORDS_MAX];
    uint32_t word_count;
};

/* ---- the thread ---- */

static long wait_for(const struct word *words, uint32_t count)
{
    return syscall(SYS_futex_waitv, words, count, 0, NULL, 0);
}

static void *listen_to(void *context)
{
    struct session_sleep *sleep = context;
    const uint64_t one = 1;

    for (;;) {
        while (sem_wait(&sleep->armed))
            ;
        if (sleep->is_ended)
            return NULL;
        while (wait_for(sleep->words, sleep->word_count) < 0 && errno == EINTR)
            ;
        (void)!write(sleep->event_fd, &one, sizeof(one));
        sem_post(&sleep->done);
    }
}

static int start_thread(struct session_sleep *sleep)
{
    sigset_t all;
    sigset_t before;
    int error;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    error = pthread_create(&sleep->thread, NULL, listen_to, sleep);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    sleep->has_thread = !error;
    return error;
}

/* ---- begin ---- */

static int watch(struct session_sleep *sleep, int fd)
{
    struct epoll_event event = {.events = EPOLLIN};

    return epoll_ctl(sleep->poll_fd, EPOLL_CTL_ADD, fd, &event) ? errno : 0;
}

static int open_descriptors(struct cairn_session *session, struct session_sleep *sleep)
{
    int error;

    sleep->poll_fd = epoll_create1(EPOLL_CLOEXEC);
    sleep->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (sleep->poll_fd < 0 || sleep->event_fd < 0)
        return errno;
    error = watch(sleep, sleep->event_fd);
    for (uint32_t n = 0; !error && n < session_kernel_ring_count(session); n++)
        error = watch(sleep, session_kernel_ring_fd(session, n));
    return error;
}

int session_sleep_begin(struct cairn_session *session, int *ret_fd)
{
    struct session_sleep *sleep;
    int error;

    if (session->sleep) {
        *ret_fd = session->sleep->poll_fd;
        return 0;
    }
    if (wait_for(NULL, 0) < 0 && errno == ENOSYS)
        return EOPNOTSUPP;
    sleep = calloc(1, sizeof(*sleep));
    if (!sleep)
        return ENOMEM;
    session->sleep = sleep;
    sem_init(&sleep->armed, 0, 0);
    sem_init(&sleep->done, 0, 0);
    sleep->since_ns = os_clock_ns();
    sleep->idle_ns = IDLE_NS;
    error = open_descriptors(session, sleep);
    error = error ? error : start_thread(sleep);
    if (error)
        session_sleep_end(session);
    else
        *ret_fd = sleep->poll_fd;
    return error;
}

/* ---- who may be asked to make a system call ---- */

/* Forked children that have not written yet are known by their parent's file. */
static bool may_children_wake(const struct session_directory *directory, const char *name)
{
    struct engine_process_file head;
    char path[96];
    bool may;
    int fd;

    (void)snprintf(path, sizeof(path), "processes/%s", name);
    fd = engine_directory_open(&directory->local.directory, path, O_RDWR);
    if (fd < 0)
        return errno == ENOENT;
    may = pread(fd, &head, offsetof(struct engine_process_file, reserved), 0) ==
              (ssize_t)offsetof(struct engine_process_file, reserved) &&
          !head.children_unknown && !head.forking && !os_process_is_confined(head.pid);
    close(fd);
    for (uint32_t n = 0; may && n < ENGINE_CHILDREN_MAX; n++)
        may = !head.children[n] || !os_process_is_confined(head.children[n]);
    return may;
}

static bool may_pool_wake(const struct session_pool *pool)
{
    bool may = pool->namespace_is_ours && may_children_wake(pool->directory, pool->name);

    for (uint32_t n = 0; may && n < pool->process_count; n++)
        may = !os_process_is_confined(pool->processes[n].pid);
    return may;
}

/* A sandbox may kill a process for a system call: then nobody is asked for one. */
static bool may_all_wake(const struct cairn_session *session)
{
    uint32_t count = 0;

    for (const struct session_directory *d = session->directories; d; d = d->next) {
        count += d->begun;
        for (const struct session_pool *pool = d->pools; pool && d->begun; pool = pool->next) {
            if (!may_pool_wake(pool))
                return false;
        }
    }
    return count <= WORDS_MAX;
}

/* ---- states ---- */

static void enter(struct session_sleep *sleep, enum state state)
{
    sleep->state = state;
    sleep->since_ns = os_clock_ns();
}

static void doze(struct cairn_session *session, struct session_directory *directory)
{
    (void)session;
    engine_doorbell_doze(&directory->local, &directory->handle);
}

static void rouse(struct cairn_session *session, struct session_directory *directory)
{
    (void)session;
    engine_doorbell_rouse(&directory->local, &directory->handle);
}

static void hang(struct cairn_session *session, struct session_directory *directory)
{
    struct session_sleep *sleep = session->sleep;
    uint32_t *doorbell = engine_doorbell_hang(&directory->local, &directory->handle);

    sleep->words[sleep->word_count++] = (struct word){1, (uintptr_t)doorbell, WORD_IS_U32, 0};
}

/* The thread stops waiting before the words are changed, or a directory is given up. */
static void wake(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;
    uint64_t count;

    session_each_directory(session, rouse);
    if (sleep->is_armed)
        while (sem_wait(&sleep->done))
            ;
    sleep->is_armed = false;
    (void)!read(sleep->event_fd, &count, sizeof(count));
    session->wait_ms = SESSION_WAIT_MIN_MS;
    enter(sleep, STATE_AWAKE);
}

static bool is_rung(const struct session_sleep *sleep)
{
    for (uint32_t n = 0; sleep->state >= STATE_LISTENING && n < sleep->word_count; n++) {
        if (!core_load_relaxed((const uint32_t *)(uintptr_t)sleep->words[n].address))
            return true;
    }
    return false;
}

/* Changes when there is a new process, a new pool or another event. */
static uint64_t signature_of(const struct cairn_session *session)
{
    uint64_t signature = session->counts.processes;

    for (const struct session_directory *d = session->directories; d; d = d->next)
        signature += (uint64_t)d->seen_changes + d->seen_pools + d->begun + d->unrecorded;
    return signature;
}

static void doze_off(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;

    if (!may_all_wake(session)) {
        enter(sleep, STATE_AWAKE);
        return;
    }
    session_each_directory(session, doze);
    enter(sleep, STATE_DROWSY);
}

static void fall_asleep(struct session_sleep *sleep)
{
    sleep->is_armed = true;
    sem_post(&sleep->armed);
    enter(sleep, STATE_ASLEEP);
}

/* A process that begins to forbid itself system calls while the recorder sleeps is noticed within
 * a second, unless there are so many that looking would cost noticeable time. */
static bool may_sleep_on(const struct cairn_session *session)
{
    uint32_t count = 0;

    for (const struct session_directory *d = session->directories; d; d = d->next) {
        for (const struct session_pool *pool = d->pools; pool; pool = pool->next)
            count += 1 + pool->process_count;
    }
    return count > LOOKED_AT_MAX || may_all_wake(session);
}

static void step(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;
    uint64_t passed_ns = os_clock_ns() - sleep->since_ns;

    if (sleep->state == STATE_AWAKE && passed_ns >= sleep->idle_ns) {
        doze_off(session);
    } else if (sleep->state == STATE_DROWSY && passed_ns >= SESSION_SETTLED_NS) {
        sleep->word_count = 0;
        session_each_directory(session, hang);
        enter(sleep, STATE_LISTENING);
    } else if (sleep->state == STATE_LISTENING && passed_ns >= BELL_NS) {
        fall_asleep(sleep);
    }
}

void session_sleep_update(struct cairn_session *session, size_t moved)
{
    struct session_sleep *sleep = session->sleep;
    uint64_t signature = signature_of(session);

    if (!sleep)
        return;
    if (moved || signature != sleep->signature || is_rung(sleep)) {
        sleep->signature = signature;
        if (sleep->state == STATE_AWAKE)
            sleep->since_ns = os_clock_ns();
        else
            wake(session);
        return;
    }
    if (sleep->state == STATE_ASLEEP && !may_sleep_on(session))
        wake(session);
    step(session);
    if (sleep->state == STATE_ASLEEP && session->moved < BUSY_BYTES)
        session->wait_ms = SLEEP_MS;
}

void session_sleep_set_idle(struct cairn_session *session, uint64_t idle_ns)
{
    session->sleep->idle_ns = idle_ns;
}

bool session_sleep_is_deep(const struct cairn_session *session)
{
    return session->sleep && session->sleep->state == STATE_ASLEEP;
}

void session_sleep_end(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;

    if (!sleep)
        return;
    if (sleep->state != STATE_AWAKE)
        wake(session);
    if (sleep->has_thread) {
        sleep->is_ended = true;
        sem_post(&sleep->armed);
        pthread_join(sleep->thread, NULL);
    }
    if (sleep->poll_fd >= 0)
        close(sleep->poll_fd);
    if (sleep->event_fd >= 0)
        close(sleep->event_fd);
    sem_destroy(&sleep->armed);
    sem_destroy(&sleep->done);
    free(sleep);
    session->sleep = NULL;
}
