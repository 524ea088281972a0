/* SPDX-License-Identifier: MIT */
/*
 * The filter of the facade of a running program, read and changed in its process file. The file is
 * read and written by system calls, not mapped: its owner may cut it short. The program, too, takes
 * what is in it for text of any bytes.
 */
#include "engine/abi.h"
#include "engine/directory.h"
#include "engine/liveness.h"
#include "engine/users.h"
#include "os/clock.h"

#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define LOOK_NS UINT64_C(2000000)
#define LOCK_MS 1000u

_Static_assert(CAIRN_PROGRAM_FILTER_BYTES == ENGINE_FACADE_TEXT_BYTES, "the public name");

/* Position of a member of the facade in a process file. */
#define AT(member) \
    ((off_t)(offsetof(struct engine_process_file, facade) + offsetof(struct engine_facade, member)))

/* ---- finding the program's file ---- */

struct program_filter_search {
    uint32_t pid;
    bool of_parent; /* look for the file of a process that forked it */
    const struct engine_directory *own;
    int fd; /* of the file, or -1 */
    int error;
};

/* The part of a process file before its references. */
union program_filter_head {
    struct engine_process_file file;
    char bytes[offsetof(struct engine_process_file, references)];
};

static bool has_child(const struct engine_process_file *file, uint32_t pid)
{
    for (uint32_t i = 0; i < ENGINE_CHILDREN_MAX; i++) {
        if (file->children[i] == pid)
            return true;
    }
    return false;
}

static bool is_wanted(struct program_filter_search *search, int fd,
                      const struct engine_process_file *file)
{
    if (file->magic != ENGINE_PROCESS_MAGIC ||
        file->pid_namespace != engine_liveness_of_self().pid_namespace ||
        !(search->of_parent ? has_child(file, search->pid) : file->pid == search->pid) ||
        !engine_liveness_of_process_file(fd))
        return false;
    if (file->version == ENGINE_REGISTRY_VERSION)
        return true;
    search->error = EPROTONOSUPPORT;
    return false;
}

/* A process file begins with the number of its process. */
static bool may_be(const struct program_filter_search *search, const char *name)
{
    return search->of_parent || strtoul(name, NULL, 10) == search->pid;
}

static void search_directory(struct program_filter_search *search,
                             const struct engine_directory *directory)
{
    DIR *list = engine_directory_list(directory, "processes");
    union program_filter_head *head = malloc(sizeof(*head));
    uint32_t count = 0;
    const char *name;

    while (list && head && search->fd < 0 &&
           (name = engine_directory_next(directory, list, &count))) {
        int fd;

        if (!may_be(search, name))
            continue;
        fd = openat(dirfd(list), name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
        if (fd < 0)
            continue;
        if (pread(fd, head, sizeof(head->bytes), 0) == (ssize_t)sizeof(head->bytes) &&
            is_wanted(search, fd, &head->file))
            search->fd = fd;
        else
            close(fd);
    }
    free(head);
    if (list)
        closedir(list);
}

static void search_user(void *arg, const char *user)
{
    struct program_filter_search *search = arg;
    struct engine_directory directory;

    if (search->fd < 0 && !engine_directory_of_other(search->own, user, &directory))
        search_directory(search, &directory);
}

/* In the process's own tracing directory first, then in those of others, if they are open to it. */
static int find(int32_t pid, int *ret_fd)
{
    struct engine_directory own;
    struct program_filter_search search = {
        .pid = (uint32_t)pid, .own = &own, .fd = -1, .error = ENOENT};
    int error = pid <= 0 || (kill(pid, 0) && errno == ESRCH) ? ESRCH : engine_directory_find(&own);

    for (int pass = 0; !error && search.fd < 0 && pass < 2; pass++) {
        search.of_parent = pass == 1;
        search_directory(&search, &own);
        if (search.fd < 0)
            engine_users_each(&own, search_user, &search);
    }
    if (error || search.fd < 0)
        return error ? error : search.error;
    *ret_fd = search.fd;
    return 0;
}

/* ---- its words ---- */

static int read_word(int fd, off_t at, uint32_t *ret_word)
{
    ssize_t size = pread(fd, ret_word, sizeof(*ret_word), at);

    return size == (ssize_t)sizeof(*ret_word) ? 0 : size < 0 ? errno : EBADMSG;
}

static int write_bytes(int fd, off_t at, const void *bytes, size_t size_bytes)
{
    ssize_t size = pwrite(fd, bytes, size_bytes, at);

    return size == (ssize_t)size_bytes ? 0 : size < 0 ? errno : EIO;
}

static int check_open(int fd)
{
    uint32_t is_open = 0;
    int error = read_word(fd, AT(is_open), &is_open);

    return error ? error : is_open ? 0 : EOPNOTSUPP;
}

static void pause_until(uint64_t until_ns)
{
    uint64_t now_ns = os_clock_ns();

    if (now_ns < until_ns)
        os_sleep(until_ns - now_ns < LOOK_NS ? until_ns - now_ns : LOOK_NS);
}

/* ---- reading ---- */

/* The program may be changing it. */
static int read_text(int fd, char text[CAIRN_PROGRAM_FILTER_BYTES])
{
    uint64_t until_ns = os_clock_ns() + LOCK_MS * UINT64_C(1000000);
    uint32_t before = 0;
    uint32_t after = 1;
    int error = 0;

    while (!error && os_clock_ns() < until_ns) {
        error = read_word(fd, AT(shown), &before);
        if (!error &&
            pread(fd, text, CAIRN_PROGRAM_FILTER_BYTES, AT(text)) != CAIRN_PROGRAM_FILTER_BYTES)
            error = EBADMSG;
        if (!error)
            error = read_word(fd, AT(shown), &after);
        if (!error && before == after && !(before & 1))
            break;
        pause_until(until_ns);
    }
    text[CAIRN_PROGRAM_FILTER_BYTES - 1] = 0;
    return error ? error : before == after && !(before & 1) ? 0 : EBUSY;
}

int cairn_program_filter_read(int32_t pid, char ret_text[CAIRN_PROGRAM_FILTER_BYTES])
{
    char text[CAIRN_PROGRAM_FILTER_BYTES];
    int fd;
    int error = find(pid, &fd);

    if (error)
        return error;
    error = check_open(fd);
    if (!error)
        error = read_text(fd, text);
    close(fd);
    if (!error)
        memcpy(ret_text, text, sizeof(text));
    return error;
}

/* ---- changing ---- */

/* Keeps out others who ask; the program takes no lock. */
static int lock(int fd)
{
    uint64_t until_ns = os_clock_ns() + LOCK_MS * UINT64_C(1000000);

    while (flock(fd, LOCK_EX | LOCK_NB)) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return errno;
        if (os_clock_ns() >= until_ns)
            return EBUSY;
        pause_until(until_ns);
    }
    return 0;
}

/* The bell of the one that comes half a turn later is silenced. */
static int ring(int fd, uint32_t number)
{
    const uint8_t on = 1;
    const uint8_t off = 0;
    int error =
        write_bytes(fd, AT(bells) + (number + ENGINE_FACADE_BELLS / 2) % ENGINE_FACADE_BELLS, &off,
                    sizeof(off));

    return error ? error
                 : write_bytes(fd, AT(bells) + number % ENGINE_FACADE_BELLS, &on, sizeof(on));
}

/* The program looks at the bell after that of the last request it took. If one who asked was killed
 * before it rang, that is not ours alone. */
static int ring_since_taken(int fd, uint32_t number)
{
    uint32_t taken = number - 1;
    int error = read_word(fd, AT(taken), &taken);

    if (number - taken > ENGINE_FACADE_BELLS / 2)
        taken = number - 1;
    while (!error && taken != number)
        error = ring(fd, ++taken);
    return error;
}

/* One that was killed while it wrote leaves an odd number. */
static int write_request(int fd, const char *text, uint32_t *ret_number)
{
    uint32_t request = 0;
    int error = read_word(fd, AT(request), &request);

    request |= 1;
    if (!error)
        error = write_bytes(fd, AT(request), &request, sizeof(request));
    if (!error)
        error = write_bytes(fd, AT(request_text), text, strlen(text) + 1);
    request++;
    if (!error)
        error = write_bytes(fd, AT(request), &request, sizeof(request));
    if (!error)
        error = ring_since_taken(fd, request / 2);
    if (!error)
        *ret_number = request / 2;
    return error;
}

/* Another one may ask meanwhile: its answer is for both then. */
static int wait_for_answer(int fd, uint32_t number, uint32_t timeout_ms,
                           struct cairn_directives_error *error_at)
{
    uint64_t until_ns = os_clock_ns() + timeout_ms * UINT64_C(1000000);
    uint32_t taken = 0;
    uint32_t answer = 0;
    uint32_t at = 0;
    int error = read_word(fd, AT(taken), &taken);

    while (!error && (int32_t)(taken - number) < 0) {
        if (os_clock_ns() >= until_ns)
            return engine_liveness_of_process_file(fd) ? ETIMEDOUT : ESRCH;
        pause_until(until_ns);
        error = read_word(fd, AT(taken), &taken);
    }
    if (!error)
        error = read_word(fd, AT(error), &answer);
    if (!error)
        error = read_word(fd, AT(error_at), &at);
    if (error)
        return error;
    if (answer == EINVAL)
        *error_at = (struct cairn_directives_error){at, "the program does not know this"};
    return answer > INT16_MAX ? EBADMSG : (int)answer;
}

static int check_text(const char *text, struct cairn_directives_error *error_at)
{
    struct cairn_directives *directives;
    int error = cairn_directives_parse(text, &directives, error_at);

    if (error)
        return error;
    cairn_directives_destroy(directives);
    return strlen(text) < CAIRN_PROGRAM_FILTER_BYTES ? 0 : E2BIG;
}

static int ask(int fd, const char *text, uint32_t timeout_ms,
               struct cairn_directives_error *error_at)
{
    uint32_t number = 0;
    int error = check_open(fd);

    if (!error)
        error = lock(fd);
    if (!error)
        error = write_request(fd, text, &number);
    (void)flock(fd, LOCK_UN);
    return error ? error : wait_for_answer(fd, number, timeout_ms, error_at);
}

int cairn_program_filter_change(int32_t pid, const char *text, uint32_t timeout_ms,
                                struct cairn_directives_error *ret_error)
{
    struct cairn_directives_error error_at = {0, ""};
    int fd = -1;
    int error = check_text(text, &error_at);

    if (!error)
        error = find(pid, &fd);
    if (!error)
        error = ask(fd, text, timeout_ms, &error_at);
    if (fd >= 0)
        close(fd);
    if (error == EINVAL && ret_error)
        *ret_error = error_at;
    return error;
}
