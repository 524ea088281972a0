/* SPDX-License-Identifier: MIT */
/* The server of a mount: one thread answers requests, another keeps bits and waiting readers up to
 * date. */
#include "run/server.h"
#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/engine.h"
#include "engine/watch.h"
#include "run/answers.h"
#include "run/programs.h"
#include "tracefs/enabler.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The times to wait for changes of the registry. */
#define IDLE_MS  500
#define PIPE_MS  10
#define DRAIN_MS 100

/* ---- keeping bits up to date ---- */

void tracefs_transport_update(void)
{
    if (tracefs_enabler_update())
        run_programs_request_scan();
}

static uint32_t update(void)
{
    uint32_t pause_ms;

    tracefs_transport_update();
    pause_ms = tracefs_text_session_drain_ours() ? DRAIN_MS : IDLE_MS;
    return run_pipes_feed() ? PIPE_MS : pause_ms;
}

static void *update_always(void *nothing)
{
    struct engine_registry *local = &engine_self.local;

    for (;;) {
        engine_lock_state lock_state;
        uint32_t pause_ms;
        uint32_t scan_ms;
        bool any_waits;
        uint32_t seen;

        engine_watch_recorders(os_clock_ns());
        /* Pairs with the release in engine_registry_notify: the listeners are stored before the
         * number. */
        seen = core_load_acquire(&local->registry->changes);
        engine_lock(&lock_state);
        pause_ms = update();
        run_status_take();
        engine_unlock(&lock_state);
        any_waits = run_status_store();
        scan_ms = run_programs_scan();
        if (!any_waits)
            engine_registry_wait(local, seen, scan_ms < pause_ms ? scan_ms : pause_ms);
    }
    return nothing;
}

/* ---- requests ---- */

static run_answer *const answers[] = {
    [FUSE_INIT] = run_fuse_begin,
    [FUSE_LOOKUP] = run_directories_find,
    [FUSE_GETATTR] = run_directories_attributes,
    [FUSE_SETATTR] = run_directories_set_attributes,
    [FUSE_OPENDIR] = run_directories_open,
    [FUSE_READDIR] = run_directories_read,
    [FUSE_STATFS] = run_directories_statfs,
    [FUSE_OPEN] = run_files_open,
    [FUSE_READ] = run_files_read,
    [FUSE_WRITE] = run_files_write,
    [FUSE_IOCTL] = run_files_ioctl,
    [FUSE_POLL] = run_files_poll,
    [FUSE_RELEASE] = run_files_release,
    [FUSE_INTERRUPT] = run_pipes_interrupt,
};

/* The codes of a tracefs for what cannot be done there. */
static const uint8_t refusals[] = {
    [FUSE_FSYNC] = EINVAL,  [FUSE_CREATE] = EACCES, [FUSE_MKNOD] = EPERM,  [FUSE_MKDIR] = EPERM,
    [FUSE_SYMLINK] = EPERM, [FUSE_LINK] = EPERM,    [FUSE_UNLINK] = EPERM, [FUSE_RMDIR] = EPERM,
    [FUSE_RENAME] = EPERM,  [FUSE_RENAME2] = EPERM,
};

/* Nodes are not stored, so there is nothing to forget; these requests have no reply. Others are
 * refused, which the kernel ignores for the end of a directory's opening, and of the mount. */
static void answer(const struct run_request *request)
{
    const uint32_t opcode = request->head->opcode;

    if (opcode < sizeof(answers) / sizeof(*answers) && answers[opcode])
        answers[opcode](request);
    else if (opcode < sizeof(refusals) && refusals[opcode])
        run_fuse_reply(request, refusals[opcode], NULL, 0);
    else if (opcode != FUSE_FORGET && opcode != FUSE_BATCH_FORGET)
        run_fuse_reply(request, ENOSYS, NULL, 0);
}

/* Events are written without the lock. */
static void answer_locked(const struct run_request *request)
{
    const bool is_write = request->head->opcode == FUSE_WRITE;
    engine_lock_state lock_state;

    if (!is_write)
        engine_lock(&lock_state);
    answer(request);
    if (!is_write)
        engine_unlock(&lock_state);
}

/* Each program that registers takes a descriptor, and each thread that writes. The recorder does it
 * for itself: its command gets the former limit. */
static void raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Requests have numbers of this process's pid namespace, by which programs are found in /proc. */
static bool proc_is_ours(void)
{
    char number[32];
    ssize_t size = readlink("/proc/self", number, sizeof(number) - 1);

    number[size > 0 ? size : 0] = 0;
    return strtol(number, NULL, 10) == getpid();
}

static int prepare(void)
{
    engine_lock_state lock_state;
    int error;

    if (!proc_is_ours())
        return ESRCH;
    raise_limit();
    engine_lock(&lock_state);
    /* A program that registers by the files needs the answer: nobody completes it later. */
    engine_self.local.lock_tries = ENGINE_LOCK_TRIES_LONG;
    error = engine_attach();
    engine_unlock(&lock_state);
    return error;
}

int run_server_serve(int fd, void (*ready)(void *context), void *context)
{
    static _Alignas(16) uint8_t buffer[RUN_BUFFER_MAX_BYTES];
    struct run_request request;
    pthread_t thread;
    int error = prepare();

    run_fuse_connection = fd;
    if (!error)
        error = pthread_create(&thread, NULL, update_always, NULL);
    if (error)
        return error;
    for (;;) {
        error = run_fuse_receive(buffer, &request);
        if (error == EAGAIN)
            continue;
        if (error)
            return error == ENODEV ? 0 : error;
        answer_locked(&request);
        if (ready)
            ready(context);
        ready = NULL;
    }
}

/* ---- a process of its own ---- */

static int status_fd;

static void be_ready(void *context)
{
    int error = 0;

    (void)context;
    (void)!write(status_fd, &error, sizeof(error));
    close(status_fd);
    status_fd = -1;
}

/* The server keeps no descriptor of the program: a pipe of its output must end with it. */
static void leave_descriptors(int *fd)
{
    if (dup2(*fd, STDERR_FILENO + 1) >= 0 && dup2(status_fd, STDERR_FILENO + 2) >= 0) {
        *fd = STDERR_FILENO + 1;
        status_fd = STDERR_FILENO + 2;
        (void)close_range(STDERR_FILENO + 3, ~0u, 0);
    }
}

int run_child_ask(void (*function)(int out, const void *arg), const void *arg, void *ret_answer,
                  size_t size_bytes)
{
    int ends[2];
    int error;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    pid = fork();
    error = pid < 0 ? errno : 0;
    if (pid == 0) {
        function(ends[1], arg);
        _exit(0);
    }
    close(ends[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!error && read(ends[0], ret_answer, size_bytes) != (ssize_t)size_bytes)
        error = EIO;
    close(ends[0]);
    return error;
}

struct start {
    int fd;
    const char *directory;
    int (*leave)(const char *directory);
};

static _Noreturn void serve(const struct start *start)
{
    int error = start->leave ? start->leave(start->directory) : 0;
    int fd = start->fd;

    leave_descriptors(&fd);
    if (!error)
        error = run_server_serve(fd, be_ready, NULL);
    if (status_fd >= 0)
        (void)!write(status_fd, &error, sizeof(error));
    else if (error && !start->leave)
        (void)run_fuse_unmount(start->directory);
    _exit(error != 0);
}

static void start_server(int out, const void *start)
{
    status_fd = out;
    /* A session of its own: it gets no signals of the terminal. */
    if (!daemon(true, false))
        serve(start);
}

int run_server_start(int fd, const char *directory, int (*leave)(const char *directory))
{
    const struct start start = {fd, directory, leave};
    int server_error = 0;
    int error = run_child_ask(start_server, &start, &server_error, sizeof(server_error));

    return error ? error : server_error;
}
