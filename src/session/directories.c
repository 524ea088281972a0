/* SPDX-License-Identifier: MIT */
/*
 * Tracing directories of a session: one's own and, in a shared directory, those of other users that
 * this process can open, which are all of them for root. Each has a session of its own in its
 * registry; together they have one output.
 *
 * Another user may change the files of a directory at any time: they are opened without following
 * links, checked, copied before they are read, and accessed under a SIGBUS guard only.
 */
#include "engine/liveness.h"
#include "engine/users.h"
#include "os/guard.h"
#include "session/resume.h"
#include "session/sleep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Time between two looks for other users' directories, while none comes. */
#define LOOK_NS UINT64_C(100000000)

/* A directory that has just been created is complete soon. */
#define SOON_NS UINT64_C(1000000000)

/* ---- a step in a directory ---- */

struct directory_step {
    void (*run)(struct cairn_session *session, struct session_directory *directory);
    struct cairn_session *session;
    struct session_directory *directory;
};

static void run_step(void *arg)
{
    struct directory_step *step = arg;

    step->run(step->session, step->directory);
}

static void close_directory(struct session_directory *directory)
{
    session_free_pools(directory);
    if (directory->local.lock_fd >= 0)
        close(directory->local.lock_fd);
    directory->local.lock_fd = -1;
    if (directory->handle.liveness_fd >= 0)
        close(directory->handle.liveness_fd);
    if (directory->former.liveness_fd >= 0)
        close(directory->former.liveness_fd);
    directory->handle.liveness_fd = directory->former.liveness_fd = -1;
    engine_registry_close(&directory->local);
    directory->begun = false;
}

/* Its user has truncated a file. Events that were collected before stay. */
static void give_up(struct cairn_session *session, struct session_directory *directory)
{
    for (const struct session_pool *pool = directory->pools; pool; pool = pool->next)
        session_count_alive(session, pool, -(int32_t)pool->process_count);
    directory->begun = false;
    session_sleep_wake(session); /* its registry has a word that is watched */
    close_directory(directory);
    directory->error = EBADMSG;
    directory->is_given_up = true;
    session_forget_unrecorded(directory);
    session_count_unrecorded(directory, EBADMSG);
    if (!directory->user)
        session_fail(session, EBADMSG);
}

static void run_guarded(struct cairn_session *session, struct session_directory *directory,
                        void (*run)(struct cairn_session *, struct session_directory *))
{
    struct directory_step step = {run, session, directory};

    if (!os_guard_run(run_step, &step))
        give_up(session, directory);
}

void session_each_directory(struct cairn_session *session,
                            void (*step)(struct cairn_session *session,
                                         struct session_directory *directory))
{
    for (struct session_directory *d = session->directories; d; d = d->next) {
        if (d->begun)
            run_guarded(session, d, step);
    }
}

bool session_guard_pool(const struct session_directory *directory, void (*body)(void *arg),
                        void *arg)
{
    if (!directory->user)
        return os_guard_run(body, arg);
    body(arg); /* the guard of the step ends both */
    return true;
}

/* ---- beginning ---- */

static struct session_directory *new_directory(const char *user)
{
    struct session_directory *directory = calloc(1, sizeof(*directory));

    if (!directory)
        return NULL;
    directory->local.lock_fd = -1;
    directory->handle.liveness_fd = directory->former.liveness_fd = -1;
    directory->fd = -1;
    directory->sources = calloc(ENGINE_EVENT_MAX, sizeof(*directory->sources));
    directory->user = user ? strdup(user) : NULL;
    if (directory->sources && (directory->user || !user))
        return directory;
    free(directory->sources);
    free(directory->user);
    free(directory);
    return NULL;
}

static void identify(struct session_directory *directory)
{
    struct stat st;

    if (!stat(directory->local.directory.path, &st)) {
        directory->device = st.st_dev;
        directory->inode = st.st_ino;
    }
}

/* A session that could be resumed later is not replaced by another one. */
static int take_place_or_begin(struct cairn_session *session, struct session_directory *directory)
{
    int error = session->resume ? session_resume_directory(session, directory) : ENOENT;

    if (!error) /* there are pools already */
        directory->seen_pools = ~directory->local.registry->pools;
    if (error != ENOENT)
        return error;
    if (session->resume)
        session_resume_note(session, directory);
    return engine_session_begin(&directory->local, &session->request, &directory->handle);
}

static void begin(struct cairn_session *session, struct session_directory *directory)
{
    const struct engine_registry_file *registry = directory->local.registry;

    identify(directory);

    directory->error = session_open_pools(directory);
    if (directory->error)
        return;
    /* Writers need the time before the first event is enabled. */
    engine_clock_publish(&directory->clock, &directory->local.registry->clock);
    directory->seen_changes = ~registry->changes;
    directory->seen_pools = registry->pools;
    directory->refused = registry->refused;
    directory->error = take_place_or_begin(session, directory);
    if (directory->error)
        return;
    directory->begun = true;
    if (session->resume && !directory->has_next)
        session_resume_note(session, directory);
    /* A recorder that is killed before its first round is to be missed, too. */
    (void)engine_session_beat(&directory->local, &directory->handle);
    session_update_tracepoints(session, directory);
}

int session_begin_own(struct cairn_session *session)
{
    struct session_directory *directory = new_directory(NULL);

    if (!directory)
        return ENOMEM;
    session->directories = directory;
    directory->error = engine_registry_open(&directory->local);
    if (!directory->error && session->resume_name) {
        directory->error = session_resume_open(session, session->resume_name);
        if (!directory->error)
            directory->error = session_resume_output(session, session->output.fd);
    }
    if (!directory->error)
        run_guarded(session, directory, begin);
    if (directory->begun)
        engine_users_announce(&directory->local.directory);
    return directory->error;
}

/* ---- other users ---- */

static struct session_directory *find(const struct cairn_session *session, const char *user)
{
    struct session_directory *d = session->directories->next;

    while (d && strcmp(d->user, user) != 0)
        d = d->next;
    return d;
}

static void open_other(struct cairn_session *session, struct session_directory *directory)
{
    if (directory->fd >= 0)
        directory->error = engine_registry_open_descriptor(&directory->local, directory->fd);
    else
        directory->error = engine_registry_open_other(
            &directory->local, &session->directories->local.directory, directory->user);
    if (!directory->error)
        begin(session, directory);
}

/* The living processes of a directory that cannot be recorded are missing. */
static void count_missing(struct session_directory *directory)
{
    const struct engine_directory *files = &directory->local.directory;
    DIR *processes = engine_directory_list(files, "processes");
    const char *name;
    uint32_t count = 0;

    session_forget_unrecorded(directory);
    while (processes && (name = engine_directory_next(files, processes, &count))) {
        int fd = openat(dirfd(processes), name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);

        if (fd < 0)
            continue;
        if (engine_liveness_of_process_file(fd))
            session_count_unrecorded(directory, directory->error);
        close(fd);
    }
    if (processes)
        closedir(processes);
}

/* Not accessible to this process, or incomplete: nothing is missing. */
static bool is_none_of_ours(int error)
{
    return error == EACCES || error == ENOENT || error == EINVAL;
}

static struct session_directory *add(struct cairn_session *session, const char *user)
{
    struct session_directory *directory = new_directory(user);

    if (directory) {
        directory->next = session->directories->next;
        session->directories->next = directory;
    }
    return directory;
}

/* Begins, also where it failed before. */
static void begin_other(struct cairn_session *session, struct session_directory *directory)
{
    if (directory->begun || directory->is_given_up)
        return;
    run_guarded(session, directory, open_other);
    if (directory->is_given_up)
        return;
    if (directory->begun) {
        session_forget_unrecorded(directory);
        return;
    }
    if (!is_none_of_ours(directory->error))
        count_missing(directory);
    close_directory(directory);
}

static struct session_directory *find_same(const struct cairn_session *session,
                                           const struct stat *st)
{
    struct session_directory *d = session->directories;

    while (d && (d->device != st->st_dev || d->inode != st->st_ino))
        d = d->next;
    return d;
}

/* In a session of the machine it may have been found elsewhere. */
static bool is_found_elsewhere(const struct cairn_session *session, const char *name)
{
    const struct engine_directory *own = &session->directories->local.directory;
    char path[ENGINE_PATH_MAX];
    struct stat st;

    (void)snprintf(path, sizeof(path), "%.*s/%s", (int)own->shared_length, own->path, name);
    return session->is_of_machine && !lstat(path, &st) && find_same(session, &st);
}

static void visit(void *arg, const char *name)
{
    struct cairn_session *session = arg;
    struct session_directory *directory = find(session, name);

    if (!directory && !is_found_elsewhere(session, name))
        directory = add(session, name);
    if (directory)
        begin_other(session, directory);
}

/* ---- owners ---- */

/* More are counted as this number. */
#define LEFT_OUT_MAX 4096u

/* Users name directories in the environment of their processes: without a limit, one of them could
 * use all descriptors of the recorder. */
static bool may_own_another(const struct cairn_session *session, uid_t owner)
{
    uint32_t count = 0;

    for (const struct session_directory *d = session->directories; d; d = d->next)
        count += d->fd >= 0 && d->owner == owner;
    return !owner || count < CAIRN_SESSION_OWNED_MAX;
}

static bool is_left_out(const struct cairn_session *session, const struct stat *st)
{
    for (uint32_t i = 0; i < session->counts.directories_left_out; i++) {
        if (session->left_out[i].device == st->st_dev && session->left_out[i].inode == st->st_ino)
            return true;
    }
    return false;
}

/* Without memory it is counted by the next search, which finds it again. */
static void leave_out(struct cairn_session *session, const struct stat *st)
{
    uint32_t count = session->counts.directories_left_out;

    if (!session->left_out)
        session->left_out = calloc(LEFT_OUT_MAX, sizeof(*session->left_out));
    if (!session->left_out || count == LEFT_OUT_MAX || is_left_out(session, st))
        return;
    session->left_out[count] = (struct session_left_out){st->st_dev, st->st_ino};
    session->counts.directories_left_out++;
}

void session_add_directory(struct cairn_session *session, const char *label, const char *container,
                           int fd, const struct stat *st)
{
    struct session_directory *directory = find_same(session, st);

    if (!directory && !may_own_another(session, st->st_uid)) {
        leave_out(session, st);
        return;
    }
    if (!directory) {
        int own = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

        directory = own < 0 ? NULL : add(session, label);
        if (!directory) { /* the next search finds it again */
            if (own >= 0)
                close(own);
            return;
        }
        directory->device = st->st_dev;
        directory->inode = st->st_ino;
        directory->owner = st->st_uid;
        directory->fd = own;
        directory->container = container ? strdup(container) : NULL;
    }
    if (directory->fd >= 0)
        begin_other(session, directory);
}

/* True if another user's directory was created, or may have been completed meanwhile. */
static bool is_due(struct cairn_session *session, const struct engine_directory *own, uint64_t now)
{
    int shared = own->shared_length ? engine_directory_open_shared(own, O_PATH) : -1;
    struct stat st;
    bool is_known = shared >= 0 && !fstat(shared, &st);

    if (shared >= 0)
        close(shared);
    if (!is_known)
        return false;
    if (memcmp(&st.st_mtim, &session->users_mtime, sizeof(st.st_mtim)) != 0) {
        session->users_mtime = st.st_mtim;
        session->users_changed_ns = now;
    }
    return now - session->users_changed_ns < SOON_NS || now - session->users_looked_ns >= LOOK_NS;
}

void session_update_users(struct cairn_session *session)
{
    const struct engine_directory *own = &session->directories->local.directory;
    uint64_t now = os_clock_ns();

    if (!is_due(session, own, now))
        return;
    session->users_looked_ns = now;
    engine_users_each(own, visit, session);
}

/* ---- ending ---- */

static void free_directory(struct session_directory *directory)
{
    close_directory(directory);
    if (directory->fd >= 0)
        close(directory->fd);
    free(directory->sources);
    free(directory->user);
    free(directory->container);
    free(directory);
}

/* True if a directory elsewhere was removed, and there is nothing to read or to report of it. */
static bool is_over(const struct session_directory *directory)
{
    struct stat st;

    return directory->fd >= 0 && !directory->pools && !directory->unrecorded &&
           !directory->unregistered && !fstat(directory->fd, &st) && !st.st_nlink;
}

void session_forget_directories(struct cairn_session *session)
{
    struct session_directory **link = &session->directories;

    while (*link) {
        struct session_directory *directory = *link;

        if (is_over(directory) && directory->begun)
            run_guarded(session, directory, session_count_slot_losses);
        if (!is_over(directory)) {
            link = &directory->next;
            continue;
        }
        session_sleep_wake(session); /* its registry has a word that is watched */
        session_resume_forget(session, directory);
        *link = directory->next;
        free_directory(directory);
    }
}

void session_free_directories(struct cairn_session *session)
{
    free(session->left_out);
    if (session->directories)
        engine_users_withdraw(&session->directories->local.directory);
    while (session->directories) {
        struct session_directory *directory = session->directories;

        session->directories = directory->next;
        free_directory(directory);
    }
}
