/* SPDX-License-Identifier: MIT */
/* Test of the engine's effects on its process, which may fork, end threads, be cancelled, close
 * descriptors and exec. */
#include "engine_test.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static int exit_status_of(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static struct cairn_tracepoint own = CAIRN_TRACEPOINT_INIT;

/* Renames a directory inside the tracing directory. */
static int rename_directory(const char *from, const char *to)
{
    char old[128];
    char new[128];

    (void)snprintf(old, sizeof(old), "%s/%s", tracing_dir, from);
    (void)snprintf(new, sizeof(new), "%s/%s", tracing_dir, to);
    return rename(old, new);
}

/* ---- errno, cancellation ---- */

static void writing_never_changes_errno(void **state)
{
    struct engine_session session = begin("own");
    uint32_t written = 0;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    errno = 77;
    for (int error = 0; !error; written++) { /* the first write, writes to new chunks, and one too
                                              * many */
        error = write_number(&own, written);
        assert_int_equal(errno, 77);
    }
    end(&session);
    assert_int_equal(rename_directory("pools", "elsewhere"), 0);
    session = begin("own"); /* no pool can be created: its directory is missing */
    errno = 77;
    assert_int_equal(write_number(&own, 1), ENOSPC);
    assert_int_equal(errno, 77);
    assert_int_equal(rename_directory("elsewhere", "pools"), 0);
    end(&session);
    cairn_tracepoint_unregister(&own);
}

/* A thread that is cancelled while it writes its first event must not end with the engine's lock
 * held. */
static void *write_cancelled(void *arg)
{
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
    (void)pthread_cancel(pthread_self());
    (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
    *(int *)arg = write_number(&own, 1) + 1;
    return NULL;
}

static void a_write_is_not_a_cancellation_point(void **state)
{
    struct engine_session session = begin("own");
    pthread_t thread;
    int result = 0;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_cancelled, &result), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(result, 1);
    assert_int_equal(write_number(&own, 1), 0);
    assert_int_equal(read_session(&session).records, 2);
    end(&session);
    cairn_tracepoint_unregister(&own);
}

/* ---- threads that end ---- */

static void *write_in_thread(void *arg)
{
    *(int *)arg = write_number(&own, 1);
    return NULL;
}

static pthread_key_t late_key;

/* A destructor that writes, and registers itself to run again. */
static void write_late(void *arg)
{
    (void)write_number(&own, 1);
    (void)pthread_setspecific(late_key, arg);
}

static void *end_late(void *arg)
{
    (void)write_number(&own, 1);
    (void)pthread_setspecific(late_key, arg);
    return NULL;
}

__attribute__((unused)) static void a_threads_last_destructors_may_write(void **state)
{
    struct engine_session session = begin("own");
    struct found found = {0};
    pthread_t thread;
    int error;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_in_thread, &error), 0);
    assert_int_equal(pthread_join(thread, NULL), 0); /* the engine's key is created before this
                                                      * one */
    assert_int_equal(pthread_key_create(&late_key, write_late), 0);
    for (int i = 0; i < 20; i++) { /* more than there are chunks */
        assert_int_equal(pthread_create(&thread, NULL, end_late, &own), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        found.records += read_session(&session).records;
    }
    assert_int_equal(pthread_key_delete(late_key), 0);
    /* Events written after the last destructor that could release the thread's chunk are
     * counted. */
    assert_int_equal(found.records + lost_early(&session),
                     1 + 20 * (1 + PTHREAD_DESTRUCTOR_ITERATIONS));
    assert_int_equal(lost_early(&session), 20);
    assert_int_equal(read_session(&session).lost, 0);
    end(&session);
    cairn_tracepoint_unregister(&own);
}

static void *use_plugin(void *arg)
{
    void *plugin = dlopen(CAIRN_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    int (*write_event)(void) = plugin ? (int (*)(void))dlsym(plugin, "engine_plugin_write") : NULL;

    *(int *)arg = write_event ? write_event() : ENOENT;
    if (plugin)
        (void)dlclose(plugin);
    return NULL;
}

static void a_thread_outlives_a_plugin_that_traced_in_it(void **state)
{
    struct engine_session session = begin("plugin");
    pthread_t thread;
    int error;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, use_plugin, &error), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(error, 0);
    assert_int_equal(read_session(&session).records, 1);
    end(&session);
    if (fork() == 0) /* unloading has removed its handlers */
        _exit(0);
    (void)wait(NULL);
}

/* ---- unregistering ---- */

/* An instrumented reader takes a hundred times as long for what a busy writer has written. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define UNREGISTRATIONS 50
#else
#define UNREGISTRATIONS 1000
#endif

static int stop;

static void *write_until_stopped(void *arg)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        (void)write_number(arg, 1);
    return NULL;
}

static void a_writer_interrupted_by_unregistering_writes_the_event_or_nothing(void **state)
{
    struct engine_session session = begin("own");
    pthread_t thread;

    (void)state;
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    assert_int_equal(pthread_create(&thread, NULL, write_until_stopped, &own), 0);
    for (int i = 0; i < UNREGISTRATIONS; i++) {
        assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
        sched_yield();
        assert_int_equal(cairn_tracepoint_unregister(&own), 0);
        assert_int_equal(read_session(&session).nameless, 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    end(&session);
}

/* ---- page faults ---- */

static bool is_mapped(int pagemap, const void *page)
{
    uint64_t entry = 0;

    assert_int_equal(
        pread(pagemap, &entry, sizeof(entry), (off_t)((uintptr_t)page / 4096 * sizeof(entry))),
        sizeof(entry));
    return entry >> 63;
}

static void the_first_event_finds_its_buffer_mapped(void **state)
{
    struct engine_session session = begin("own");
    int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    struct engine_process_pool pool;

    (void)state;
    assert_true(pagemap >= 0);
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    assert_int_equal(engine_find_pool(session.slot, session.generation, &pool), 0);
    if (madvise(NULL, 0, MADV_POPULATE_WRITE))
        skip(); /* before Linux 5.14 */
    assert_true(is_mapped(pagemap, pool.large.chunks));
    assert_true(is_mapped(pagemap, pool.small.chunks));
    assert_true(is_mapped(pagemap, pool.large.data));
    close(pagemap);
    cairn_tracepoint_unregister(&own);
    end(&session);
}

/* ---- no space ---- */

static void limit_file_size(rlim_t bytes)
{
    struct rlimit limit;

    (void)getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

/* Number of writes until one succeeds; 0: none did. */
static uint32_t tries_until_written(void)
{
    for (uint32_t i = 1; i <= 5000; i++) {
        if (!write_number(&own, i))
            return i;
    }
    return 0;
}

static void write_within_limits(void)
{
    if (cairn_tracepoint_register(&own, "own u32 a"))
        _exit(1);
    limit_file_size(0);
    _exit(tries_until_written() == 1 ? 0 : 2);
}

static void a_file_size_limit_set_after_registering_loses_no_events(void **state)
{
    struct engine_session session = begin("own");
    pid_t child = run_child(write_within_limits);

    (void)state;
    assert_int_equal(exit_status_of(child), 0);
    assert_int_equal(read_session(&session).records, 1);
    assert_int_equal(lost_early(&session), 0);
    end(&session);
}

/* In a process that has not registered anything before. */
static int registration_with_limit(int resource)
{
    const struct rlimit none = {0, 0};
    pid_t child = fork();

    assert_true(child >= 0);
    if (child)
        return exit_status_of(child);
    (void)setrlimit(resource, &none);
    _exit(cairn_tracepoint_register(&own, "own u32 a"));
}

static void a_limit_is_an_error_of_registering(void **state)
{
    (void)state;
    assert_int_equal(registration_with_limit(RLIMIT_NOFILE), EMFILE);
    assert_int_equal(registration_with_limit(RLIMIT_FSIZE), EFBIG);
}

/* The parent registers; a child without free descriptors must not remove the parent's registration
 * or the session. */
static void sweep_without_descriptors(void)
{
    struct rlimit few;
    int fds[64];
    int count = 0;

    (void)getrlimit(RLIMIT_NOFILE, &few);
    few.rlim_cur = 64;
    if (setrlimit(RLIMIT_NOFILE, &few))
        _exit(1);
    while (count < 64 && (fds[count] = open("/dev/null", O_RDONLY)) >= 0)
        count++;
    while (count > 0) { /* one, two, ... descriptors left: each step of a sweep fails once */
        close(fds[--count]);
        if (engine_registry_lock(&recorder))
            continue;
        engine_registry_sweep(&recorder);
        engine_registry_unlock(&recorder);
    }
    _exit(0);
}

static void register_and_be_killed(void)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)cairn_tracepoint_register(&tp, "mortal u32 a");
    (void)kill(getpid(), SIGKILL);
}

static void a_process_without_descriptors_removes_nothing_of_living_processes(void **state)
{
    struct engine_session session = begin("own");
    pid_t child;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    assert_int_equal(exit_status_of(run_child(register_and_be_killed)), 1000 + SIGKILL);
    child = run_child(sweep_without_descriptors);
    assert_int_equal(exit_status_of(child), 0);
    assert_int_equal(recorder.slots[session.slot].generation, session.generation);
    assert_int_equal(write_number(&own, 1), 0);
    end(&session);
    assert_int_equal(((struct engine_event_entry *)own.local)->generation,
                     engine_sample_generation(own.sample_id));
    cairn_tracepoint_unregister(&own);
}

/* ---- other kinds of children ---- */

/* Calls clone() directly: the C library's handlers do not run. */
static pid_t clone_without_handlers(void)
{
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void a_cloned_child_keeps_its_parents_registration(void **state)
{
    struct engine_session session;
    pid_t child;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    child = clone_without_handlers();
    if (child == 0)
        _exit(cairn_tracepoint_unregister(&own));
    assert_int_equal(exit_status_of(child), 0);
    assert_int_equal(((struct engine_event_entry *)own.local)->generation,
                     engine_sample_generation(own.sample_id));
    session = begin("own");
    assert_int_equal(write_number(&own, 1), 0);
    child = clone_without_handlers();
    if (child == 0)
        _exit(write_number(&own, 2));
    assert_int_equal(exit_status_of(child), 0);
    assert_int_equal(write_number(&own, 3), 0);
    assert_int_equal(read_session(&session).records, 3);
    end(&session);
    cairn_tracepoint_unregister(&own);
}

static __attribute__((noinline)) pid_t write_in_child_of_vfork(void)
{
    pid_t child = vfork();

    if (child == 0) {
        (void)write_number(&own, 1);
        _exit(0);
    }
    return child;
}

/* The child shares the parent's memory: a change of the engine's state is one of the parent's,
 * too. */
__attribute__((unused)) static void a_child_of_vfork_writes_as_its_parent(void **state)
{
    struct engine_session session = begin("own");
    uint32_t processes;
    struct found found;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&own, "own u32 a"), 0);
    processes = files_in("processes");
    assert_int_equal(exit_status_of(write_in_child_of_vfork()), 0);
    assert_int_equal(write_number(&own, 2), 0);
    found = read_session(&session);
    assert_int_equal(found.records, 2);
    assert_int_equal(found.pools, 1);
    assert_int_equal(files_in("processes"), processes);
    end(&session);
    cairn_tracepoint_unregister(&own);
}

static int pipe_fds[2];

/* Registers, notifies the parent, and executes a program that does not use the library. */
static void register_and_exec(void)
{
    if (cairn_tracepoint_register(&own, "execed u32 a"))
        _exit(1);
    (void)dup2(pipe_fds[0], STDIN_FILENO);
    (void)execlp("sh", "sh", "-c", "echo >&$0; read line", "9", NULL);
    _exit(2);
}

static void exec_releases_what_a_process_registered(void **state)
{
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
    int ready[2];
    char byte;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(dup2(ready[1], 9), 9);
    child = run_child(register_and_exec);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_registry_sweep(&recorder);
    engine_registry_unlock(&recorder);
    assert_int_equal(cairn_tracepoint_register(&other, "execed u64 other"), 0);
    cairn_tracepoint_unregister(&other);
    assert_int_equal(write(pipe_fds[1], "\n", 1), 1);
    assert_int_equal(exit_status_of(child), 0);
    close(9);
    for (int i = 0; i < 2; i++) {
        close(ready[i]);
        close(pipe_fds[i]);
    }
}

/* Its parent has not waited for it: its pid is still in use. */
static void record_and_stay_a_zombie(void)
{
    (void)begin("unburied");
}

static void a_recording_ends_when_its_recorder_is_a_zombie(void **state)
{
    uint32_t sessions = files_in("sessions");
    siginfo_t info = {0};
    pid_t child = run_child(record_and_stay_a_zombie);

    (void)state;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_int_equal(files_in("sessions"), sessions + 1);
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_registry_sweep(&recorder);
    engine_registry_unlock(&recorder);
    assert_int_equal(files_in("sessions"), sessions);
    assert_int_equal(exit_status_of(child), 0);
}

static void close_all_and_wait(void)
{
    char byte;

    close(pipe_fds[1]);
    if (cairn_tracepoint_register(&own, "own u32 a"))
        _exit(1);
    for (int fd = 0; fd < 1024; fd++) {
        if (fd != pipe_fds[0])
            close(fd);
    }
    while (read(pipe_fds[0], &byte, 1) == 1) {
        if (write_number(&own, 1))
            _exit(2);
    }
    _exit(0);
}

static void a_daemon_that_closes_all_descriptors_is_alive(void **state)
{
    struct engine_session session = begin("own");
    pid_t child;

    (void)state;
    assert_int_equal(pipe(pipe_fds), 0);
    child = run_child(close_all_and_wait);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(engine_registry_lock(&recorder), 0);
        engine_registry_sweep(&recorder);
        engine_registry_unlock(&recorder);
    }
    assert_int_equal(write(pipe_fds[1], "\n", 1), 1);
    close(pipe_fds[1]);
    assert_int_equal(exit_status_of(child), 0);
    close(pipe_fds[0]);
    assert_int_equal(read_session(&session).records, 1);
    end(&session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_an_error_of_registering), /* before anything is registered */
        cmocka_unit_test(writing_never_changes_errno),
        cmocka_unit_test(a_write_is_not_a_cancellation_point),
        cmocka_unit_test(a_writer_interrupted_by_unregistering_writes_the_event_or_nothing),
#ifndef __SANITIZE_THREAD__ /* ThreadSanitizer has freed its own state of the thread by then */
        cmocka_unit_test(a_threads_last_destructors_may_write),
#endif
        cmocka_unit_test(a_thread_outlives_a_plugin_that_traced_in_it),
        cmocka_unit_test(the_first_event_finds_its_buffer_mapped),
        cmocka_unit_test(a_file_size_limit_set_after_registering_loses_no_events),
        cmocka_unit_test(a_process_without_descriptors_removes_nothing_of_living_processes),
        cmocka_unit_test(a_cloned_child_keeps_its_parents_registration),
#ifndef __SANITIZE_THREAD__ /* ThreadSanitizer turns it into a fork */
        cmocka_unit_test(a_child_of_vfork_writes_as_its_parent),
#endif
        cmocka_unit_test(exec_releases_what_a_process_registered),
        cmocka_unit_test(a_recording_ends_when_its_recorder_is_a_zombie),
        cmocka_unit_test(a_daemon_that_closes_all_descriptors_is_alive),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
