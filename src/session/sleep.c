/* SPDX-License-Identifier: MIT */
/*
 * Sleeping of a recorder: engine/doorbell.h has the protocol. One thread waits for the doorbells
 * (by futex_waitv) and then writes to an eventfd, which is polled with the rings of the kernel.
 * Another thread checks the doorbells whenever a process has used processor time.
 */
#include "session/sleep.h"

#include "engine/doorbell.h"
#include "os/lock.h"
#include "os/thread.h"
#include "perf_events/perf_events.h"
#include "session/kernel.h"
#include "session/processor_time.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Time without an event, and without a new process, after which a recorder sleeps. */
#define IDLE_NS UINT64_C(3000000000)

/* Time between arming the doorbells and sleeping. (Before that, SESSION_SETTLED_NS pass, in which
 * writers that are in the fast path complete their event.) */
#define ARMED_NS UINT64_C(10000000)

/* The time after which single events are noticed; it is less if somebody may be reading them. */
#define SLEEP_MS        1000u
#define SLEEP_READER_MS 100u

/* The recorder does not sleep if more than this of the kernel's records is read at once. */
#define BUSY_BYTES ((size_t)1 << 20)

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* As the kernel's struct futex_waitv, which older headers lack; and its limit. */
struct futex {
    uint64_t value;
    uint64_t address;
    uint32_t flags;
    uint32_t reserved;
};
#define FUTEXES_MAX 128u
#define WORD_IS_U32 2u

/* The value of `woken` while the thread may wait for it. */
#define NOT_WOKEN 0u

enum sleep_state { STATE_AWAKE, STATE_SETTLING, STATE_ARMED, STATE_ASLEEP };

struct session_sleep {
    enum sleep_state state;
    uint64_t since_ns;  /* of the state; awake: of the last activity */
    uint64_t idle_ns;   /* IDLE_NS */
    uint64_t signature; /* changes with activity other than events */
    int poll_fd;
    int event_fd;
    bool has_thread;
    pthread_t thread;
    sem_t armed; /* posted when the thread may wait for the futexes */
    sem_t done;  /* posted when it no longer does */
    bool is_armed;
    bool is_ended;
    uint32_t woken; /* the first futex: a doorbell may be in a file that its user has cut */
    struct futex futexes[FUTEXES_MAX];
    uint32_t futex_count;
    struct session_processor_time *processor_time;
    pthread_mutex_t lock; /* for the futexes, while is_watching */
    bool is_watching;     /* processes are watched */
};

/* ---- the threads ---- */

/* until  NULL: without a timeout */
static long wait_for(const struct futex *futexes, uint32_t count, const struct timespec *until)
{
    return syscall(SYS_futex_waitv, futexes, count, 0, until, CLOCK_MONOTONIC);
}

static void make_readable(const struct session_sleep *sleep)
{
    const uint64_t one = 1;

    (void)!write(sleep->event_fd, &one, sizeof(one));
}

static void *wait_for_futexes(void *context)
{
    struct session_sleep *sleep = context;

    for (;;) {
        while (sem_wait(&sleep->armed))
            ;
        if (sleep->is_ended)
            return NULL;
        while (wait_for(sleep->futexes, sleep->futex_count, NULL) < 0 && errno == EINTR)
            ;
        make_readable(sleep);
        sem_post(&sleep->done);
    }
}

/* The futexes are read by the kernel: a thread of ours could get SIGBUS, because their file may
 * have been truncated. */
static bool is_rung(const struct session_sleep *sleep)
{
    const struct timespec past = {0, 0};

    return sleep->futex_count &&
           (wait_for(sleep->futexes, sleep->futex_count, &past) >= 0 || errno != ETIMEDOUT);
}

/* Called when a process has used processor time. */
static void check_futexes(void *context)
{
    struct session_sleep *sleep = context;

    pthread_mutex_lock(&sleep->lock);
    if (sleep->is_watching && is_rung(sleep))
        make_readable(sleep);
    pthread_mutex_unlock(&sleep->lock);
}

static int start_thread(struct session_sleep *sleep)
{
    os_signals before;
    int error;

    os_signals_block(&before);
    error = pthread_create(&sleep->thread, NULL, wait_for_futexes, sleep);
    os_signals_restore(&before);
    sleep->has_thread = !error;
    return error;
}

/* ---- begin ---- */

static int poll_also(struct session_sleep *sleep, int fd)
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
    error = poll_also(sleep, sleep->event_fd);
    for (uint32_t n = 0; !error && n < session_kernel_ring_count(session); n++)
        error = poll_also(sleep, session_kernel_ring_fd(session, n));
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
    if (wait_for(NULL, 0, NULL) < 0 && errno == ENOSYS)
        return EOPNOTSUPP;
    sleep = calloc(1, sizeof(*sleep));
    if (!sleep)
        return ENOMEM;
    session->sleep = sleep;
    sem_init(&sleep->armed, 0, 0);
    sem_init(&sleep->done, 0, 0);
    pthread_mutex_init(&sleep->lock, NULL);
    sleep->since_ns = os_clock_ns();
    sleep->idle_ns = IDLE_NS;
    error = open_descriptors(session, sleep);
    error = error ? error : start_thread(sleep);
    error =
        error ? error : session_processor_time_begin(check_futexes, sleep, &sleep->processor_time);
    if (error)
        session_sleep_end(session);
    else
        *ret_fd = sleep->poll_fd;
    return error;
}

/* ---- the processes that may write ---- */

static int watch(struct session_sleep *sleep, uint32_t pid)
{
    return pid ? session_processor_time_watch(sleep->processor_time, pid) : 0;
}

/* Forked children that have not written yet are known by their parent's file. Without one, the
 * process has ended. */
static int watch_family(struct session_sleep *sleep, const struct session_pool *pool,
                        uint32_t *ret_pid)
{
    const size_t head_bytes = offsetof(struct engine_process_file, reserved);
    struct engine_process_file head;
    ssize_t size;
    char path[96];
    int error;
    int fd;

    (void)snprintf(path, sizeof(path), "processes/%s", pool->name);
    fd = engine_directory_open(&pool->directory->local.directory, path, O_RDWR);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno;
    size = pread(fd, &head, head_bytes, 0);
    close(fd);
    if (size != (ssize_t)head_bytes || head.children_unknown || head.forking)
        return EBUSY;
    *ret_pid = head.pid;
    error = watch(sleep, head.pid);
    for (uint32_t n = 0; !error && n < ENGINE_CHILDREN_MAX; n++)
        error = watch(sleep, head.children[n]);
    return error;
}

static int watch_pool(struct session_sleep *sleep, const struct session_pool *pool)
{
    uint32_t pid = 0;
    int error = pool->namespace_is_ours ? watch_family(sleep, pool, &pid) : EBUSY;

    for (uint32_t n = 0; !error && n < pool->process_count; n++) {
        if (pool->processes[n].pid != pid)
            error = watch(sleep, pool->processes[n].pid);
    }
    return error;
}

/* Returns an error if there is a process whose processor time cannot be watched. */
static int watch_all(const struct cairn_session *session)
{
    int error = 0;

    for (const struct session_directory *d = session->directories; !error && d; d = d->next) {
        for (const struct session_pool *pool = d->pools; !error && pool && d->begun;
             pool = pool->next)
            error = watch_pool(session->sleep, pool);
    }
    return error;
}

static void set_watching(struct session_sleep *sleep, bool is_watching)
{
    pthread_mutex_lock(&sleep->lock);
    sleep->is_watching = is_watching;
    pthread_mutex_unlock(&sleep->lock);
    if (!is_watching)
        session_processor_time_forget(sleep->processor_time);
}

/* False if it is known in advance that not all processes can be watched, or there is something to
 * be done soon. */
static bool may_sleep(const struct cairn_session *session)
{
    uint32_t count = 0;

    for (const struct session_directory *d = session->directories; d; d = d->next) {
        count += d->begun;
        if (session_has_former(d))
            return false;
        for (const struct session_pool *pool = d->pools; pool && d->begun; pool = pool->next) {
            if (!pool->namespace_is_ours)
                return false;
        }
    }
    return count < FUTEXES_MAX;
}

/* ---- states ---- */

static void enter(struct session_sleep *sleep, enum sleep_state state)
{
    sleep->state = state;
    sleep->since_ns = os_clock_ns();
}

static void end_fast_path(struct cairn_session *session, struct session_directory *directory)
{
    (void)session;
    engine_doorbell_end_fast_path(&directory->local, &directory->handle);
}

static void allow_fast_path(struct cairn_session *session, struct session_directory *directory)
{
    (void)session;
    engine_doorbell_allow_fast_path(&directory->local, &directory->handle);
}

static void add_futex(struct session_sleep *sleep, const uint32_t *word, uint32_t value)
{
    sleep->futexes[sleep->futex_count++] = (struct futex){value, (uintptr_t)word, WORD_IS_U32, 0};
}

static void arm(struct cairn_session *session, struct session_directory *directory)
{
    const uint32_t *doorbell = engine_doorbell_arm(&directory->local, &directory->handle);

    add_futex(session->sleep, doorbell, ENGINE_DOORBELL_ARMED);
}

/* Makes the threads stop using the futexes, which may be changed and unmapped afterwards. */
static void wake(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;
    uint64_t count;

    set_watching(sleep, false);
    core_store_release(&sleep->woken, NOT_WOKEN + 1);
    os_wake_all(&sleep->woken);
    session_each_directory(session, allow_fast_path);
    if (sleep->is_armed)
        while (sem_wait(&sleep->done))
            ;
    sleep->is_armed = false;
    (void)!read(sleep->event_fd, &count, sizeof(count));
    session->wait_ms = SESSION_WAIT_MIN_MS;
    enter(sleep, STATE_AWAKE);
}

/* Changes when there is a new process, a new pool or another event. */
static uint64_t signature_of(const struct cairn_session *session)
{
    uint64_t signature = session->counts.processes;

    for (const struct session_directory *d = session->directories; d; d = d->next)
        signature += (uint64_t)d->seen_changes + d->seen_pools + d->begun + d->unrecorded;
    return signature;
}

static void begin_settling(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;

    if (!may_sleep(session)) {
        enter(sleep, STATE_AWAKE);
        return;
    }
    session_each_directory(session, end_fast_path);
    enter(sleep, STATE_SETTLING);
}

/* Processes that start from now on ring the doorbell. */
static void fall_asleep(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;

    set_watching(sleep, true);
    if (watch_all(session)) {
        wake(session);
        return;
    }
    sleep->is_armed = true;
    sem_post(&sleep->armed);
    enter(sleep, STATE_ASLEEP);
}

static void step(struct cairn_session *session)
{
    struct session_sleep *sleep = session->sleep;
    uint64_t passed_ns = os_clock_ns() - sleep->since_ns;

    if (sleep->state == STATE_AWAKE && passed_ns >= sleep->idle_ns) {
        begin_settling(session);
    } else if (sleep->state == STATE_SETTLING && passed_ns >= SESSION_SETTLED_NS) {
        sleep->futex_count = 0;
        core_store_relaxed(&sleep->woken, NOT_WOKEN);
        add_futex(sleep, &sleep->woken, NOT_WOKEN);
        session_each_directory(session, arm);
        enter(sleep, STATE_ARMED);
    } else if (sleep->state == STATE_ARMED && passed_ns >= ARMED_NS) {
        fall_asleep(session);
    }
}

void session_sleep_update(struct cairn_session *session, size_t moved)
{
    struct session_sleep *sleep = session->sleep;
    uint64_t signature = signature_of(session);

    if (!sleep)
        return;
    if (moved || signature != sleep->signature || (sleep->state >= STATE_ARMED && is_rung(sleep))) {
        sleep->signature = signature;
        if (sleep->state == STATE_AWAKE)
            sleep->since_ns = os_clock_ns();
        else
            wake(session);
        return;
    }
    step(session);
    if (sleep->state == STATE_ASLEEP && session->moved < BUSY_BYTES)
        session->wait_ms = session->writer ? SLEEP_MS : SLEEP_READER_MS;
}

void session_sleep_set_idle(struct cairn_session *session, uint64_t idle_ns)
{
    session->sleep->idle_ns = idle_ns;
}

bool session_sleep_is_deep(const struct cairn_session *session)
{
    return session->sleep && session->sleep->state == STATE_ASLEEP;
}

void session_sleep_wake(struct cairn_session *session)
{
    if (session->sleep && session->sleep->state != STATE_AWAKE)
        wake(session);
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
    session_processor_time_end(sleep->processor_time);
    if (sleep->poll_fd >= 0)
        close(sleep->poll_fd);
    if (sleep->event_fd >= 0)
        close(sleep->event_fd);
    pthread_mutex_destroy(&sleep->lock);
    sem_destroy(&sleep->armed);
    sem_destroy(&sleep->done);
    free(sleep);
    session->sleep = NULL;
}
