/* SPDX-License-Identifier: MIT */
/*
 * Finds the tracing directories of the machine. Other users may change them, and their parents, at
 * any time. So each path component is opened relative to the previous one, symbolic links are not
 * followed, and the directory is used by its descriptor.
 */
#include "session/machine.h"

#include "os/inspect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEARCH_NS UINT64_C(1000000000)

/* Root directories that are searched; processes of a container share one. */
#define ROOTS_MAX 1024u

#define NAME_BYTES 64u

/* A root directory to be searched. */
struct root {
    struct cairn_session *session;
    int fd;
    const char *container; /* NULL: the root directory is our own */
    const char *label;     /* prefix of its paths in messages */
};

/* Opens a directory in another one, and closes that one. */
static int step_into(int from, const char *name)
{
    int fd = from < 0
                 ? -1
                 : openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (from >= 0)
        close(from);
    return fd;
}

/* The same, without closing it. */
static int open_in(int from, const char *name)
{
    return openat(from, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

static bool is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* True if a directory belongs to the user in whose name it is. In containers it is not checked:
 * user ids there are those of another user namespace. */
static bool is_owned(const struct root *root, const struct stat *st, const char *number)
{
    return is_number(number) && (root->container || st->st_uid == strtoul(number, NULL, 10));
}

/* ---- directories ---- */

/* Adds a tracing directory, unless no program has used it yet: then a later search finds it.
 * Returns false in this case. */
static bool add(const struct root *root, int fd, const struct stat *st, const char *path)
{
    char label[256];

    if (st->st_mode & S_IWOTH || faccessat(fd, "registry", F_OK, AT_SYMLINK_NOFOLLOW))
        return false;
    (void)snprintf(label, sizeof(label), "%s%s", root->label, path);
    session_add_directory(root->session, label, root->container, fd, st);
    return true;
}

static bool is_shared(const struct stat *st)
{
    return st->st_uid == 0 && st->st_mode & S_IWGRP;
}

/* Adds the users' directories of a shared directory, which are named by user id. Closes fd. */
static void add_users(const struct root *root, int fd, const char *path)
{
    DIR *list = fdopendir(fd);
    const struct dirent *item;

    if (!list)
        close(fd);
    while (list && (item = readdir(list))) {
        int user = is_number(item->d_name) ? open_in(dirfd(list), item->d_name) : -1;
        char below[128];
        struct stat st;

        (void)snprintf(below, sizeof(below), "%s/%.32s", path, item->d_name);
        if (user >= 0 && !fstat(user, &st) && is_owned(root, &st, item->d_name))
            (void)add(root, user, &st, below);
        if (user >= 0)
            close(user);
    }
    if (list)
        closedir(list);
}

static void add_system(const struct root *root)
{
    int fd = step_into(open_in(root->fd, "run"), "cairn");
    struct stat st;

    if (fd < 0 || fstat(fd, &st)) {
        if (fd >= 0)
            close(fd);
        return;
    }
    if (is_shared(&st)) {
        add_users(root, fd, "/run/cairn");
        return;
    }
    (void)add(root, fd, &st, "/run/cairn");
    close(fd);
}

/* Adds the users' directories BEFORE UID AFTER of a directory. Closes fd. */
static void add_users_by_name(const struct root *root, int fd, const char *path, const char *before,
                              const char *after)
{
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *item;

    if (fd >= 0 && !list)
        close(fd);
    while (list && (item = readdir(list))) {
        const char *number = item->d_name + strlen(before);
        char below[128];
        struct stat st;
        int found;

        if (strncmp(item->d_name, before, strlen(before)) != 0 || !is_number(number))
            continue;
        found = open_in(dirfd(list), item->d_name);
        if (*after)
            found = step_into(found, after);
        (void)snprintf(below, sizeof(below), "%s/%.32s%s%s", path, item->d_name, *after ? "/" : "",
                       after);
        if (found >= 0 && !fstat(found, &st) && is_owned(root, &st, number))
            (void)add(root, found, &st, below);
        if (found >= 0)
            close(found);
    }
    if (list)
        closedir(list);
}

static void search(const struct root *root)
{
    add_system(root);
    add_users_by_name(root, step_into(open_in(root->fd, "run"), "user"), "/run/user", "", "cairn");
    add_users_by_name(root, step_into(open_in(root->fd, "dev"), "shm"), "/dev/shm", "cairn-", "");
}

/* ---- containers ---- */

/* Identifies a root directory. */
struct root_id {
    uint64_t mounts; /* the mount namespace */
    dev_t device;
    ino_t inode;
};

static bool open_root(uint32_t pid, struct root_id *ret_id, int *ret_fd)
{
    char path[48];
    struct stat st;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%u/ns/mnt", pid);
    if (stat(path, &st))
        return false;
    ret_id->mounts = st.st_ino;
    (void)snprintf(path, sizeof(path), "/proc/%u/root", pid);
    fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &st)) {
        close(fd);
        return false;
    }
    ret_id->device = st.st_dev;
    ret_id->inode = st.st_ino;
    *ret_fd = fd;
    return true;
}

static bool is_same(const struct root_id *a, const struct root_id *b)
{
    return a->mounts == b->mounts && a->device == b->device && a->inode == b->inode;
}

struct root_ids {
    struct root_id at[ROOTS_MAX];
    uint32_t count;
};

static bool is_known(const struct root_ids *known, const struct root_id *id)
{
    for (uint32_t n = 0; n < known->count; n++) {
        if (is_same(&known->at[n], id))
            return true;
    }
    return false;
}

/* Sets *ret_id to that of the process's root directory. */
static void search_root_of(struct cairn_session *session, uint32_t pid, struct root_ids *known,
                           struct root_id *ret_id)
{
    char name[NAME_BYTES];
    char label[48];
    struct root root = {.session = session, .container = name, .label = label};

    if (!open_root(pid, ret_id, &root.fd))
        return;
    if (!is_known(known, ret_id) && known->count < ROOTS_MAX) {
        known->at[known->count++] = *ret_id;
        os_container_name(pid, name, sizeof(name));
        (void)snprintf(label, sizeof(label), "/proc/%u/root", pid);
        search(&root);
    }
    close(root.fd);
}

/* ---- directories that programs were given ---- */

#define VARIABLE "CAIRN_TRACING_DIR="

/* A process that is not new is examined again after this number of searches: it may have another
 * root directory, or another environment, if it has executed another program. */
#define LOOK_AGAIN 32u

#define ENVIRON_BYTES ((size_t)64 << 10) /* a longer environment is searched up to here */

struct session_seen_process {
    uint32_t pid;
    uint32_t looks;      /* searches in which it was looked at since it was new */
    struct root_id root; /* when it was looked at last */
};

/* New processes are looked at in two searches: a child has its parent's environment first. */
#define LOOK_AT_NEW 2u

static bool is_to_be_looked_at(const struct cairn_session *session,
                               const struct session_seen_process *process)
{
    return process->looks < LOOK_AT_NEW ||
           (session->machine_search + process->pid) % LOOK_AGAIN == 0;
}

/* Finds the value of the variable in an environment. NULL: there is none, or no absolute path. */
static const char *find_value(const char *environment, size_t size_bytes)
{
    const char *end = environment + size_bytes;
    const char *at = environment;

    while (at < end) {
        size_t bytes = strnlen(at, (size_t)(end - at));

        if (at + bytes == end)
            break; /* it is cut */
        if (!strncmp(at, VARIABLE, sizeof(VARIABLE) - 1)) {
            at += sizeof(VARIABLE) - 1;
            return *at == '/' ? at : NULL;
        }
        at += bytes + 1;
    }
    return NULL;
}

/* Reads a process's environment as it was at its beginning. Returns how many bytes. */
static size_t read_environment(uint32_t pid, char *to)
{
    char path[48];
    size_t size_bytes = 0;
    ssize_t more = 1;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%u/environ", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && more > 0 && size_bytes < ENVIRON_BYTES) {
        more = read(fd, to + size_bytes, ENVIRON_BYTES - size_bytes);
        size_bytes += more > 0 ? (size_t)more : 0;
    }
    if (fd >= 0)
        close(fd);
    return size_bytes;
}

/* Opens a path in a root directory, without following links. Negative: there is none. */
static int open_path(int root, const char *path)
{
    int fd = open_in(root, ".");
    char name[256];

    while (fd >= 0 && *path) {
        size_t bytes = strcspn(path, "/");

        if (bytes >= sizeof(name) || (bytes == 2 && !strncmp(path, "..", 2))) {
            close(fd);
            return -1;
        }
        memcpy(name, path, bytes);
        name[bytes] = '\0';
        if (bytes)
            fd = step_into(fd, name);
        path += bytes + (path[bytes] == '/');
    }
    return fd;
}

/* Adds a directory that belongs to root or to the user of the process. False: it is not used yet,
 * or not there. */
static bool add_given(const struct root *root, uint32_t pid, const char *path)
{
    int fd = open_path(root->fd, path);
    bool is_used = false;
    char process[32];
    struct stat user;
    struct stat st;

    (void)snprintf(process, sizeof(process), "/proc/%u", pid);
    if (fd >= 0 && !stat(process, &user) && !fstat(fd, &st) &&
        (!st.st_uid || st.st_uid == user.st_uid))
        is_used = add(root, fd, &st, path);
    if (fd >= 0)
        close(fd);
    return is_used;
}

/* False: the process was given a directory that nobody uses yet. */
static bool search_given(struct cairn_session *session, uint32_t pid, const struct root_id *own,
                         char *environment)
{
    const char *path = find_value(environment, read_environment(pid, environment));
    char name[NAME_BYTES];
    char label[48] = "";
    struct root root = {.session = session, .label = label};
    struct root_id id;
    bool is_used;

    if (!path || !open_root(pid, &id, &root.fd))
        return true;
    if (!is_same(&id, own)) {
        os_container_name(pid, name, sizeof(name));
        root.container = name;
        (void)snprintf(label, sizeof(label), "/proc/%u/root", pid);
    }
    is_used = add_given(&root, pid, path);
    close(root.fd);
    return is_used;
}

/* ---- processes ---- */

/* Returns what is known of a process. Those of the last search are in the order in which /proc has
 * them, by number; `at` is the position in them. */
static struct session_seen_process find_seen(const struct session_seen *last, uint32_t pid,
                                             size_t *at)
{
    while (*at < last->count && last->list[*at].pid < pid)
        ++*at;
    return *at < last->count && last->list[*at].pid == pid
               ? last->list[*at]
               : (struct session_seen_process){pid, 0, {0}};
}

/* Without memory it counts as new in the next search. Returns false then. */
static bool add_seen(struct session_seen *seen, const struct session_seen_process *process)
{
    size_t capacity = seen->capacity ? 2 * seen->capacity : 256;
    struct session_seen_process *list;

    if (seen->count == seen->capacity) {
        list = reallocarray(seen->list, capacity, sizeof(*list));
        if (!list)
            return false;
        seen->list = list;
        seen->capacity = capacity;
    }
    seen->list[seen->count++] = *process;
    return true;
}

/* Most processes need no system call: they were looked at, and another one has the same root. */
static void search_process(struct cairn_session *session, struct session_seen_process *process,
                           struct root_ids *known, char *environment)
{
    bool is_wanted = is_to_be_looked_at(session, process);

    if (is_wanted || !is_known(known, &process->root))
        search_root_of(session, process->pid, known, &process->root);
    if (!is_wanted)
        return;
    if (!search_given(session, process->pid, &known->at[0], environment))
        process->looks = 0; /* it will use it soon */
    else if (process->looks < LOOK_AT_NEW)
        process->looks++;
}

/* Returns true if all processes are seen. */
static bool search_all(struct cairn_session *session, DIR *processes, struct root_ids *known,
                       char *environment)
{
    struct session_seen seen = {0};
    const struct dirent *item;
    bool is_all = true;
    size_t at = 0;

    while ((item = readdir(processes))) {
        uint32_t pid = is_number(item->d_name) ? (uint32_t)strtoul(item->d_name, NULL, 10) : 0;
        struct session_seen_process process = find_seen(&session->machine_seen, pid, &at);

        if (!pid)
            continue;
        search_process(session, &process, known, environment);
        is_all &= add_seen(&seen, &process);
    }
    session_free_machine(session);
    session->machine_seen = seen;
    return is_all;
}

static void search_seen(struct cairn_session *session, struct root_ids *known, char *environment)
{
    for (size_t n = 0; n < session->machine_seen.count; n++)
        search_process(session, &session->machine_seen.list[n], known, environment);
}

/* The number that the kernel gave last to a process or thread of our pid namespace, or of one
 * below: the last number of /proc/loadavg; 0: not known. */
static uint32_t last_pid(void)
{
    char text[128];
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
    const char *word;

    if (fd >= 0)
        close(fd);
    if (size <= 0)
        return 0;
    text[size] = '\0';
    word = strrchr(text, ' ');
    return word ? (uint32_t)strtoul(word, NULL, 10) : 0;
}

static void search_processes(struct cairn_session *session)
{
    struct root_ids *known = calloc(1, sizeof(*known));
    char *environment = malloc(ENVIRON_BYTES);
    uint32_t last = last_pid(); /* processes that come while others are seen are new */
    bool has_new = !last || last != session->machine_seen.last_pid;
    DIR *processes = has_new ? opendir("/proc") : NULL;
    int own;

    if (known && environment && open_root((uint32_t)getpid(), &known->at[0], &own)) {
        close(own);
        known->count = 1;
        if (!processes)
            search_seen(session, known, environment);
        else if (search_all(session, processes, known, environment))
            session->machine_seen.last_pid = last;
    }
    session->machine_search++;
    if (processes)
        closedir(processes);
    free(environment);
    free(known);
}

void session_free_machine(struct cairn_session *session)
{
    free(session->machine_seen.list);
    session->machine_seen = (struct session_seen){0};
}

void session_update_machine(struct cairn_session *session)
{
    struct root root = {.session = session, .label = ""};
    uint64_t now = os_clock_ns();

    if (!session->is_of_machine ||
        (session->machine_looked_ns && now - session->machine_looked_ns < SEARCH_NS))
        return;
    session->machine_looked_ns = now;
    session_forget_directories(session);
    root.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root.fd >= 0) {
        search(&root);
        close(root.fd);
    }
    search_processes(session);
}
