/* SPDX-License-Identifier: MIT */
/*
 * Runs each action in two threads repeatedly, while the process forks, cancels threads, starts
 * programs, loads and unloads an object, or exits. A child runs the same action. Each cell of the
 * matrix is a process of its own; one that does not end within a minute is killed, and reported.
 *
 * usage: matrix PLUGIN [WAY [ACTION]]
 */
#include "actions.h"

#include "engine/locks.h"
#include "engine/session.h"
#include "tracing_dir.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CELL_ENDS_IN_S 60
#define CELL_NS        UINT64_C(10000000) /* shortest time of a cell */
#define TIMES          2                  /* smallest number of repetitions */
#define MORE           3                  /* times both, with CAIRN_TEST_ALL */
#define WORKERS        2

static const char *plugin_path;

static void fail(const char *what)
{
    (void)fprintf(stderr, "  %s\n", what);
    _exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void sleep_us(long us)
{
    const struct timespec time = {.tv_nsec = us * 1000};

    (void)nanosleep(&time, NULL);
}

/* ---- threads that repeat an action ---- */

static bool is_enough;

static void *work(void *arg)
{
    const struct action *action = arg;

    while (!__atomic_load_n(&is_enough, __ATOMIC_ACQUIRE)) {
        action->run();
        pthread_testcancel();
    }
    return NULL;
}

static pthread_t start(void *(*run)(void *), const struct action *action)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, run, (void *)(uintptr_t)action))
        fail("no thread");
    return thread;
}

static void start_workers(const struct action *action, pthread_t workers[WORKERS])
{
    for (int i = 0; i < WORKERS; i++)
        workers[i] = start(work, action);
}

static void end_workers(const pthread_t workers[WORKERS])
{
    __atomic_store_n(&is_enough, true, __ATOMIC_RELEASE);
    for (int i = 0; i < WORKERS; i++)
        (void)pthread_join(workers[i], NULL);
}

static void do_everything(void)
{
    for (size_t i = 0; i < action_count; i++)
        actions[i].run();
}

/* Checks the state without running actions: no lock is held, and no operation is half done. */
static void check_calm(void)
{
    do_everything();
    if (__atomic_load_n(&spans_begun, __ATOMIC_RELAXED) !=
        __atomic_load_n(&spans_over, __ATOMIC_RELAXED))
        fail("a span is not over");
    if (__atomic_load_n(&engine_lock_faults, __ATOMIC_RELAXED))
        fail("locks were taken against their order");
}

static void expect_end(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("no child");
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail("a child did not end well");
}

/* ---- the ways ---- */

static void fork_meanwhile(const struct action *action)
{
    pid_t child = fork();

    if (!child) {
        action->run();
        do_everything();
        _exit(__atomic_load_n(&engine_lock_faults, __ATOMIC_RELAXED) != 0);
    }
    expect_end(child);
}

/* vfork, in posix_spawn: the child shares the memory until it executes another program. */
static void spawn_meanwhile(const struct action *action)
{
    char *const arguments[] = {(char[]){"true"}, NULL};
    pid_t child;

    (void)action;
    if (posix_spawnp(&child, "true", NULL, NULL, arguments, environ))
        fail("no program");
    expect_end(child);
}

static void cancel_meanwhile(const struct action *action)
{
    pthread_t thread = start(work, action);

    sleep_us((long)(now_ns() % 2000));
    (void)pthread_cancel(thread);
    (void)pthread_join(thread, NULL);
}

static void *do_once_though_cancelled(void *arg)
{
    const struct action *action = arg;
    static char done;

    (void)pthread_cancel(pthread_self());
    action->run();
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    return &done;
}

/* A cancelled thread must not reach a cancellation point in the library. */
static void pass_cancelled(const struct action *action)
{
    pthread_t thread = start(do_once_though_cancelled, action);
    void *result;

    (void)pthread_join(thread, &result);
    if (result == PTHREAD_CANCELED)
        fail("it is a cancellation point");
}

/* The first use of the library, which initializes it. */
static void pass_cancelled_first(const struct action *action)
{
    pid_t child = fork();

    if (!child) {
        pass_cancelled(action);
        _exit(0);
    }
    expect_end(child);
}

static void use_plugin(void)
{
    void *plugin = dlopen(plugin_path, RTLD_NOW | RTLD_LOCAL);
    void (*trace)(void);

    if (!plugin)
        fail(dlerror());
    *(void **)&trace = dlsym(plugin, "plugin_trace");
    trace();
    (void)dlclose(plugin);
}

static void load_meanwhile(const struct action *action)
{
    pid_t child;

    (void)action;
    use_plugin();
    child = fork();
    if (!child) {
        use_plugin();
        _exit(0);
    }
    expect_end(child);
}

/* ---- exit: in a process forked before there were threads ---- */

static void exit_meanwhile(const struct action *action)
{
    pid_t child = fork();
    pthread_t workers[WORKERS];

    if (!child) {
        start_workers(action, workers);
        sleep_us((long)(now_ns() % 3000));
        exit(0);
    }
    expect_end(child);
}

static void *exit_after_one(void *arg)
{
    const struct action *action = arg;

    action->run();
    exit(0);
}

/* A thread other than the first one calls exit. */
static void exit_of_another(const struct action *action)
{
    pid_t child = fork();
    pthread_t workers[WORKERS];

    if (!child) {
        start_workers(action, workers);
        (void)pthread_join(start(exit_after_one, action), NULL);
        _exit(1);
    }
    expect_end(child);
}

static const struct way {
    const char *name;
    void (*run)(const struct action *action);
    bool has_workers;
} ways[] = {
    {"fork", fork_meanwhile, true},
    {"spawn", spawn_meanwhile, true},
    {"cancel", cancel_meanwhile, true},
    {"pass cancelled", pass_cancelled, true},
    {"pass cancelled first", pass_cancelled_first, false},
    {"load", load_meanwhile, true},
    {"exit", exit_meanwhile, false},
    {"exit of another", exit_of_another, false},
};

/* ---- cells ---- */

static void run_cell(const struct way *way, const struct action *action)
{
    unsigned int more = getenv("CAIRN_TEST_ALL") ? MORE : 1;
    uint64_t end_ns = now_ns() + more * CELL_NS;
    pthread_t workers[WORKERS] = {0};

    if (way->has_workers)
        start_workers(action, workers);
    for (unsigned int i = 0; i < more * TIMES || now_ns() < end_ns; i++)
        way->run(action);
    if (way->has_workers)
        end_workers(workers);
    check_calm();
    _exit(0);
}

/* Returns false if the process did not end in time, and was killed. */
static bool wait_for(pid_t cell, int *ret_status)
{
    uint64_t end_ns = now_ns() + CELL_ENDS_IN_S * UINT64_C(1000000000);

    while (waitpid(cell, ret_status, WNOHANG) != cell) {
        if (now_ns() > end_ns) {
            (void)kill(-cell, SIGKILL);
            (void)waitpid(cell, ret_status, 0);
            return false;
        }
        sleep_us(1000);
    }
    return true;
}

static bool is_cell_good(const struct way *way, const struct action *action)
{
    pid_t cell = fork();
    int status = 0;
    bool has_ended;

    if (!cell) {
        (void)setpgid(0, 0);
        run_cell(way, action);
    }
    (void)setpgid(cell, cell);
    has_ended = wait_for(cell, &status);
    if (has_ended && WIFEXITED(status) && !WEXITSTATUS(status))
        return true;
    (void)fprintf(stderr, "%s x %s: %s %d\n", way->name, action->name,
                  !has_ended            ? "hangs"
                  : WIFSIGNALED(status) ? "dies of signal"
                                        : "ends with",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return false;
}

static bool is_meant(const char *name, const char *wanted)
{
    return !wanted || !strcmp(name, wanted);
}

/* AddressSanitizer's allocator may be locked by another thread when a process forks: the child
 * waits for it permanently. */
static bool is_possible(const struct way *way)
{
#ifdef __SANITIZE_ADDRESS__
    return way->run != fork_meanwhile;
#else
    (void)way;
    return true;
#endif
}

static int run_matrix(const char *way, const char *action)
{
    int cells = 0;
    int bad = 0;

    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        if (!is_possible(&ways[w])) {
            (void)fprintf(stderr, "%s: skipped, malloc may hang in its children\n", ways[w].name);
            continue;
        }
        for (size_t a = 0; a < action_count; a++) {
            if (!is_meant(ways[w].name, way) || !is_meant(actions[a].name, action))
                continue;
            cells++;
            bad += !is_cell_good(&ways[w], &actions[a]);
        }
    }
    (void)printf("%d of %d cells are good\n", cells - bad, cells);
    return bad || !cells;
}

int main(int argc, char **argv)
{
    static const char *const patterns[] = {"matrix_*", "Matrix_*"};
    const struct engine_session_request request = {
        patterns, NULL, 2, ENGINE_STATUS_RECORDER, 128 << 10, 8, 0, 0, false};
    struct engine_registry recorder = {.lock_fd = -1};
    struct engine_session session;
    int failed;

    if (argc < 2 || tracing_dir_make() || engine_registry_open(&recorder) ||
        engine_session_begin(&recorder, &request, &session))
        return 2;
    plugin_path = argv[1];
    (void)setenv("CAIRN_LOG", "error", 1);
    failed = run_matrix(argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL);
    engine_session_end(&recorder, &session);
    engine_registry_close(&recorder);
    tracing_dir_remove();
    return failed;
}
