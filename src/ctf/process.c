/* SPDX-License-Identifier: MIT */
/* Starts the process that reads CTF, and reads what it writes. */
#include "ctf/process.h"

#include "ctf/library.h"
#include "ctf/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_BYTES 131072u

/* Memory of the process: the numbers in damaged metadata ask for more. */
#define DATA_MAX_BYTES ((rlim_t)2 << 30)

/* Some damaged traces make the library loop. It writes thousands of events a second otherwise. */
#define SILENCE_MAX_MS 60000

/* ---- the process ---- */

static void limit(int resource, rlim_t most)
{
    struct rlimit now;

    if (!getrlimit(resource, &now) && (now.rlim_cur == RLIM_INFINITY || now.rlim_cur > most)) {
        now.rlim_cur = most;
        (void)setrlimit(resource, &now);
    }
}

/* The bytes that RLIMIT_DATA counts already: the reader's memory, of which this process has a copy.
 */
static rlim_t data_bytes(void)
{
    char text[256];
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    unsigned long pages = 0;

    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return 0;
    text[length] = '\0';
    if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        return 0;
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static pid_t reader; /* the process that reads the events; set in the process that is started */

/* A process that loops writes nothing, so that it does not notice that nobody reads. */
static void end_without_reader(int signal)
{
    (void)signal;
    if (getppid() != reader)
        _exit(0);
}

static void watch_reader(void)
{
    const struct itimerval each_second = {{1, 0}, {1, 0}};
    struct sigaction action = {.sa_handler = end_without_reader, .sa_flags = SA_RESTART};

    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &each_second, NULL);
}

/* The program's handlers are not for what happens here: a crash of the library is no crash of the
 * program. An interrupt from the terminal is for the reader alone. */
static void leave_handlers(void)
{
    struct sigaction action;
    sigset_t none;

    for (int number = 1; number < NSIG; number++) {
        if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_IGN)
            (void)signal(number, SIG_DFL);
    }
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGINT, SIG_IGN);
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

#define OUTPUT (STDERR_FILENO + 1)

/* It has only the pipe: what the libraries print when they abort is of no use to anybody, and other
 * files of the program, such as sockets, are closed when the program closes them. */
static void leave_descriptors(const int fds[2])
{
    int null;

    if (fds[1] != OUTPUT)
        (void)dup2(fds[1], OUTPUT);
    if (fds[0] != OUTPUT)
        close(fds[0]);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < OUTPUT; fd++)
        (void)dup2(null, fd);
    (void)syscall(SYS_close_range, OUTPUT + 1u, UINT_MAX, 0u);
}

static void run(const struct ctf_paths *paths, const int fds[2])
{
    leave_descriptors(fds);
    limit(RLIMIT_DATA, data_bytes() + DATA_MAX_BYTES);
    limit(RLIMIT_CORE, 0);
    leave_handlers();
    watch_reader();
    ctf_serve(paths, OUTPUT);
    _exit(0);
}

/* Signals are blocked until the handlers of the program are left. */
static int start(struct ctf_process *process, const struct ctf_paths *paths)
{
    pid_t own = getpid();
    sigset_t before;
    sigset_t all;
    int fds[2];
    int err;

    if (pipe2(fds, O_CLOEXEC))
        return errno;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    process->pid = fork();
    err = process->pid < 0 ? errno : 0;
    if (!process->pid) {
        reader = own;
        run(paths, fds);
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(fds[1]);
    if (err) {
        process->pid = 0;
        close(fds[0]);
        return err;
    }
    process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0u);
    process->fd = fds[0];
    return 0;
}

/* The program may have waited for all its children, so that the number is another process's. */
static void end(const struct ctf_process *process)
{
    if (process->pidfd >= 0)
        (void)syscall(SYS_pidfd_send_signal, process->pidfd, SIGKILL, NULL, 0u);
    else
        (void)kill(process->pid, SIGKILL);
}

/* Waits for its end. Returns its status, or -1. */
static int await(struct ctf_process *process)
{
    int status = -1;
    pid_t pid;

    do {
        pid = waitpid(process->pid, &status, 0);
    } while (pid < 0 && errno == EINTR);
    process->pid = 0;
    return pid < 0 ? -1 : status;
}

/* The process ended without its last frame. */
static int fail_at_end(struct ctf_process *process)
{
    int status = process->pid ? await(process) : -1;

    if (status != -1 && WIFSIGNALED(status))
        (void)snprintf(process->error_text, sizeof(process->error_text),
                       "the trace is damaged: libbabeltrace2 ended with signal %d",
                       WTERMSIG(status));
    else
        (void)snprintf(process->error_text, sizeof(process->error_text),
                       "the process that reads the trace ended");
    return EBADMSG;
}

/* ---- frames ---- */

static int make_room(struct ctf_process *process, size_t size)
{
    size_t capacity = size > READ_BYTES ? 2 * size : 2 * (size_t)READ_BYTES;
    uint8_t *bigger;

    if (process->begin) {
        memmove(process->buffer, process->buffer + process->begin, process->end - process->begin);
        process->end -= process->begin;
        process->begin = 0;
    }
    if (size <= process->capacity)
        return 0;
    bigger = (uint8_t *)realloc(process->buffer, capacity);
    if (!bigger)
        return ENOMEM;
    process->buffer = bigger;
    process->capacity = capacity;
    return 0;
}

/* Waits for bytes. Returns 0; ETIMEDOUT; or the error of poll. */
static int await_bytes(const struct ctf_process *process)
{
    struct pollfd fd = {.fd = process->fd, .events = POLLIN};
    int count;

    do {
        count = poll(&fd, 1, SILENCE_MAX_MS);
    } while (count < 0 && errno == EINTR);
    if (count < 0)
        return errno;
    return count ? 0 : ETIMEDOUT;
}

static int fail_in_silence(struct ctf_process *process)
{
    (void)snprintf(process->error_text, sizeof(process->error_text),
                   "the trace is damaged: libbabeltrace2 found nothing for %u seconds",
                   SILENCE_MAX_MS / 1000);
    return EBADMSG;
}

/* Reads what is there. Returns 0; EBADMSG it is the end, or nothing comes; or the error of read. */
static int read_some(struct ctf_process *process)
{
    int err = await_bytes(process);
    ssize_t n;

    if (err)
        return err == ETIMEDOUT ? fail_in_silence(process) : err;
    n = read(process->fd, process->buffer + process->end, process->capacity - process->end);
    if (!n)
        return fail_at_end(process);
    if (n < 0)
        return errno == EINTR ? 0 : errno;
    process->end += (size_t)n;
    return 0;
}

/* Reads until `size` bytes are there. */
static int need(struct ctf_process *process, size_t size)
{
    int err = process->end - process->begin < size ? make_room(process, size) : 0;

    while (!err && process->end - process->begin < size)
        err = read_some(process);
    return err;
}

static int fail_by_frame(struct ctf_process *process)
{
    (void)snprintf(process->error_text, sizeof(process->error_text),
                   "the trace is damaged: so is what the process that reads it has written");
    return EBADMSG;
}

/* True if a text ends with its zero, or is absent. The library may have damaged it. */
static bool is_text(const uint8_t *bytes, uint32_t size, bool is_there)
{
    return is_there ? size && !bytes[size - 1] : !size;
}

static bool is_valid(const struct ctf_frame *frame, const uint8_t *bytes)
{
    bool is_event = frame->kind == CTF_FRAME_EVENT;

    return is_text(bytes, frame->name_bytes, is_event || frame->kind == CTF_FRAME_END) &&
           is_text(bytes + frame->name_bytes, frame->comm_bytes, frame->has & CTF_FRAME_HAS_COMM);
}

/* Takes a frame; its bytes are in one piece. */
static int take_frame(struct ctf_process *process, struct ctf_frame *ret_frame,
                      const uint8_t **ret_bytes)
{
    struct ctf_frame frame;
    uint64_t size;
    int err = need(process, sizeof(frame));

    if (err)
        return err;
    memcpy(&frame, process->buffer + process->begin, sizeof(frame));
    size = (uint64_t)frame.name_bytes + frame.comm_bytes + frame.record_bytes;
    if (size > CTF_FRAME_BYTES_MAX)
        return fail_by_frame(process);
    err = need(process, sizeof(frame) + (size_t)size);
    if (err)
        return err;
    if (!is_valid(&frame, process->buffer + process->begin + sizeof(frame)))
        return fail_by_frame(process);
    *ret_bytes = process->buffer + process->begin + sizeof(frame);
    *ret_frame = frame;
    process->begin += sizeof(frame) + (size_t)size;
    process->lost = frame.lost;
    process->lost_packets = frame.lost_packets;
    process->unreadable = frame.unreadable;
    return 0;
}

/* Keeps a text of the library, which may have bytes of the trace: they are for a terminal. */
static void keep_text(struct ctf_process *process, const uint8_t *text)
{
    (void)snprintf(process->error_text, sizeof(process->error_text), "%s", (const char *)text);
    for (char *c = process->error_text; *c; c++)
        *c = *c < ' ' || *c > '~' ? '?' : *c; /* some obey bytes above, too */
}

/* Returns the error of the last frame: `expected`, ENOMEM, or EBADMSG. Another one would have
 * another meaning for the caller: EAGAIN, that more will come. */
static int end_of(struct ctf_process *process, const struct ctf_frame *frame, const uint8_t *bytes,
                  int expected)
{
    if (frame->kind != CTF_FRAME_END)
        return fail_by_frame(process);
    keep_text(process, bytes);
    return frame->error == expected || frame->error == ENOMEM ? frame->error : EBADMSG;
}

static int next(struct ctf_process *process, struct ctf_process_event *ret_event)
{
    const uint8_t *bytes;
    int err = take_frame(process, &ret_event->frame, &bytes);

    if (err)
        return err;
    if (ret_event->frame.kind != CTF_FRAME_EVENT)
        return end_of(process, &ret_event->frame, bytes, ENODATA);
    ret_event->name = (const char *)bytes;
    bytes += ret_event->frame.name_bytes;
    ret_event->comm = ret_event->frame.has & CTF_FRAME_HAS_COMM ? (const char *)bytes : NULL;
    ret_event->record = bytes + ret_event->frame.comm_bytes;
    return 0;
}

int ctf_process_next(struct ctf_process *process, struct ctf_process_event *ret_event)
{
    if (!process->error)
        process->error = next(process, ret_event);
    return process->error;
}

/* ---- opening ---- */

static int await_opened(struct ctf_process *process)
{
    struct ctf_frame frame;
    const uint8_t *bytes;
    int err = take_frame(process, &frame, &bytes);

    if (err || frame.kind == CTF_FRAME_OPENED)
        return err;
    return end_of(process, &frame, bytes, EOPNOTSUPP);
}

int ctf_process_open_pipe(struct ctf_process *process, int fd)
{
    process->fd = fd;
    process->pidfd = -1;
    return await_opened(process);
}

int ctf_process_open(struct ctf_process *process, const char *directory)
{
    struct ctf_paths paths;
    int err;

    process->fd = process->pidfd = -1;
    err = ctf_paths_find(directory, &paths);
    if (!err && !ctf_library()) { /* here, since another thread may be loading a library */
        (void)snprintf(process->error_text, sizeof(process->error_text),
                       "CTF is read by libbabeltrace2.so.0, which is not installed");
        err = EOPNOTSUPP;
    }
    if (!err)
        err = start(process, &paths);
    if (!err)
        err = await_opened(process);
    ctf_paths_free(&paths);
    return err == ENOENT ? EISDIR : err;
}

void ctf_process_close(struct ctf_process *process)
{
    if (process->pid) {
        end(process);
        (void)await(process);
    }
    if (process->pidfd >= 0)
        close(process->pidfd);
    if (process->fd >= 0)
        close(process->fd);
    free(process->buffer);
}
