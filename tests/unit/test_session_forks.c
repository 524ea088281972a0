/* SPDX-License-Identifier: MIT */
/* Test of forked children: they write to their parent's pools, with their own process and thread
 * ids. */
#include "session/internal.h"
#include "session_test.h"

#include <cairn/user_events.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define FORKS     300u
#define KILLED    200u
#define PER_CHILD 3u

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

struct stage {
    uint32_t ready;
    uint32_t go;
    uint32_t pid;
};

static struct stage *stage;

static int write_number(struct cairn_tracepoint *tracepoint, uint32_t number)
{
    return cairn_tracepoint_write_bytes(tracepoint, &number, sizeof(number));
}

/* A third of the children, unless everything is tried. */
static uint32_t some_of(uint32_t all)
{
    return getenv("CAIRN_TEST_ALL") ? all : all / 3;
}

/* The events of the children: each child writes a number of its own. */
struct found {
    uint32_t events;
    uint32_t disorder; /* events whose pid and tid are not those of a process with one thread */
    uint32_t pids[FORKS];
    uint32_t of_child[FORKS];
};

static void count_event(const struct cairn_perf_sample *sample, void *arg)
{
    struct found *found = arg;
    uint32_t number = number_of(sample);

    assert_in_range(number, 0, FORKS - 1);
    found->events++;
    found->of_child[number]++;
    found->disorder += sample->pid != sample->tid;
    found->disorder += found->pids[number] && found->pids[number] != sample->pid;
    found->pids[number] = sample->pid;
}

static void assert_ended_with(pid_t pid, int expected)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, expected);
}

static _Noreturn void write_and_exit(uint32_t number)
{
    for (uint32_t i = 0; i < PER_CHILD; i++) {
        if (write_number(&tp, number))
            _exit(1);
    }
    _exit(0);
}

/* ---- many children ---- */

static void forks_leave_no_file_without_a_session(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < some_of(FORKS); i++) {
        pid_t pid = fork();

        if (pid == 0)
            _exit(write_number(&tp, i) == EBADF ? 0 : 1);
        assert_ended_with(pid, 0);
    }
    assert_int_equal(files_in("processes"), 1);
    assert_int_equal(files_in("pools"), 1);
}

static void forks_leave_all_their_events_and_no_file(void **state)
{
    static struct found found;
    static pid_t pids[FORKS];
    struct recording r = begin_recording("forks", 0);
    const uint32_t forks = some_of(FORKS);

    (void)state;
    for (uint32_t i = 0; i < forks; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            write_and_exit(i);
        assert_ended_with(pids[i], 0);
        if (i % 10 == 0) /* in less than the five seconds after which programs disable events */
            poll_recording(&r);
    }
    assert_int_equal(files_in("processes"), 1);
    assert_int_equal(files_in("pools"), 1);
    end_recording(&r, count_event, &found);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(found.events, forks * PER_CHILD);
    assert_int_equal(found.disorder, 0);
    for (uint32_t i = 0; i < forks; i++) {
        assert_int_equal(found.of_child[i], PER_CHILD);
        assert_int_equal(found.pids[i], pids[i]);
    }
}

/* Does what a recorder does once a second: finds dead processes, and reads their chunks. */
static void poll_a_second_later(struct recording *r)
{
    r->session->checked_ns = 0;
    for (int i = 0; i < 3; i++)
        poll_recording(r);
}

/* The smallest buffer has 4 chunks of 32 parts: those of killed children must be released. */
static void killed_children_do_not_use_up_the_smallest_buffer(void **state)
{
    static struct found found;
    struct recording r = begin_recording("forks", CAIRN_SESSION_BUFFER_MIN_BYTES);

    (void)state;
    for (uint32_t i = 0; i < KILLED; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            (void)write_number(&tp, i);
            (void)kill(getpid(), SIGKILL);
        }
        assert_ended_with(pid, SIGKILL);
        if (i % 20 == 0)
            poll_a_second_later(&r);
    }
    end_recording(&r, count_event, &found);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(found.events, KILLED);
    assert_int_equal(found.disorder, 0);
}

/* ---- special cases ---- */

static pid_t fork_on_stage(void)
{
    memset(stage, 0, sizeof(*stage));
    return fork();
}

static void processes_that_have_ended_are_forgotten_and_stay_counted(void **state)
{
    struct recording r = begin_recording("forks", 0);

    (void)state;
    assert_int_not_equal(
        r.session->directories->local.slots[r.session->directories->handle.slot].heartbeat_ns, 0);
    for (uint32_t i = 0; i < 50; i++) {
        pid_t pid = fork();

        if (pid == 0)
            write_and_exit(i);
        assert_ended_with(pid, 0);
    }
    poll_recording(&r);
    assert_int_equal(r.session->directories->pools->process_count, 50);
    for (int i = 0; i < 8; i++) {
        (void)usleep(110000);
        poll_recording(&r);
    }
    assert_int_equal(r.session->directories->pools->process_count, 0);
    assert_int_equal(cairn_session_counts(r.session)->alive, 0);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.processes, 50);
    assert_int_equal(r.counts.events, 50 * PER_CHILD);
}

/* Runs in a process of its own, which ends before its child writes. */
static void a_child_is_recorded_after_its_parent_has_ended(void **state)
{
    static struct found found;
    struct recording r = begin_recording("forks", 0);
    pid_t parent = fork_on_stage();

    (void)state;
    if (parent == 0) {
        struct cairn_tracepoint own = CAIRN_TRACEPOINT_INIT;

        /* This process has a file of its own, which its child inherits. */
        if (cairn_tracepoint_register(&own, "forks_parent u32 number"))
            _exit(1);
        if (fork() == 0) {
            set_word(&stage->pid, (uint32_t)getpid());
            wait_until(&stage->go, 1);
            write_and_exit(7);
        }
        _exit(0);
    }
    assert_ended_with(parent, 0);
    wait_until(&stage->pid, 1);
    poll_recording(&r);
    set_word(&stage->go, 1);
    assert_ended_with((pid_t)stage->pid, 0);
    end_recording(&r, count_event, &found);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(found.events, PER_CHILD);
    assert_int_equal(found.pids[7], stage->pid);
    assert_int_equal(found.disorder, 0);
}

static void
a_child_that_gives_up_its_rights_is_recorded_by_a_session_that_begins_later(void **state)
{
    const struct rlimit none = {0, 0};
    static struct found found;
    struct recording r;
    pid_t pid = fork_on_stage();

    (void)state;
    if (pid == 0) {
        if (setrlimit(RLIMIT_NOFILE, &none) || setrlimit(RLIMIT_FSIZE, &none) ||
            prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
            (!geteuid() && (chroot("/proc") || setgid(65534) || setuid(65534))))
            _exit(2);
        set_word(&stage->ready, 1);
        wait_until(&stage->go, 1);
        write_and_exit(8);
    }
    wait_until(&stage->ready, 1);
    r = begin_recording("forks", 0);
    set_word(&stage->go, 1);
    assert_ended_with(pid, 0);
    end_recording(&r, count_event, &found);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(found.of_child[8], PER_CHILD);
    assert_int_equal(found.pids[8], pid);
}

static void a_child_that_registers_has_a_file_of_its_own_until_it_ends(void **state)
{
    static struct found found;
    struct recording r = begin_recording("forks*", 0);
    pid_t pid = fork_on_stage();

    (void)state;
    if (pid == 0) {
        struct cairn_tracepoint own = CAIRN_TRACEPOINT_INIT;

        if (cairn_tracepoint_register(&own, "forks_own u32 number") || write_number(&own, 9))
            _exit(1);
        set_word(&stage->ready, 1);
        wait_until(&stage->go, 1);
        write_and_exit(9);
    }
    wait_until(&stage->ready, 1);
    assert_int_equal(files_in("processes"), 2);
    set_word(&stage->go, 1);
    assert_ended_with(pid, 0);
    end_recording(&r, count_event, &found);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(found.of_child[9], PER_CHILD + 1);
    assert_int_equal(found.pids[9], pid);
    /* The next recorder removes what the process registered: the name can be used with other
     * fields. */
    r = begin_recording("forks*", 0);
    end_recording(&r, NULL, NULL);
    assert_int_equal(files_in("processes"), 1);
    {
        struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;

        assert_int_equal(cairn_tracepoint_register(&other, "forks_own u64 other"), 0);
        assert_int_equal(cairn_tracepoint_unregister(&other), 0);
    }
}

static void a_child_is_recorded_after_its_parent_has_unregistered(void **state)
{
    static struct found found;
    struct recording r = begin_recording("forks*", 0);
    pid_t pid = fork_on_stage();

    (void)state;
    if (pid == 0) {
        wait_until(&stage->go, 1);
        write_and_exit(10);
    }
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    set_word(&stage->go, 1);
    assert_ended_with(pid, 0);
    end_recording(&r, count_event, &found);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(found.of_child[10], PER_CHILD);
    assert_int_equal(found.pids[10], pid);
    assert_int_equal(cairn_tracepoint_register(&tp, "forks u32 number"), 0);
}

static int set_up(void **state)
{
    (void)state;
    stage = shared_memory(sizeof(*stage));
    return tracing_dir_make() || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) ||
           cairn_tracepoint_register(&tp, "forks u32 number");
}

static int tear_down(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&tp);
    tracing_dir_remove();
    return 0;
}

static int write_by_plugin(void)
{
    void *plugin = dlopen(CAIRN_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
    int (*write_event)(void) = plugin ? (int (*)(void))dlsym(plugin, "engine_plugin_write") : NULL;
    int error = write_event ? write_event() : ENOENT;

    if (plugin)
        (void)dlclose(plugin);
    return error;
}

/* Each time the plugin has an engine and a pool of its own. */
static void a_process_that_loads_a_plugin_again_is_counted_once(void **state)
{
    struct recording r = begin_recording("plugin", 0);
    pid_t pid;

    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(write_by_plugin(), 0);
        poll_a_second_later(&r);
    }
    assert_int_equal(cairn_session_counts(r.session)->processes, 1);
    pid = fork();
    if (pid == 0)
        _exit(write_by_plugin() || write_by_plugin());
    assert_ended_with(pid, 0);
    end_recording(&r, NULL, NULL);
    assert_int_equal(r.counts.events, 7);
    assert_int_equal(r.counts.processes, 2);
}

static void another_process_of_the_same_number_is_counted(void **state)
{
    const struct session_pool pool = {.pid_namespace = 1};
    struct recording r = begin_recording("forks", 0);

    (void)state;
    session_count_process(r.session, &pool, 17);
    session_count_process(r.session, &pool, 17);
    session_count_process(r.session, &pool, 18);
    assert_int_equal(cairn_session_counts(r.session)->processes, 2);
    session_count_end(r.session, &pool, 17);
    session_count_process(r.session, &pool, 17);
    session_count_process(r.session, &pool, 18);
    assert_int_equal(cairn_session_counts(r.session)->processes, 3);
    end_recording(&r, NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forks_leave_no_file_without_a_session),
        cmocka_unit_test(forks_leave_all_their_events_and_no_file),
        cmocka_unit_test(processes_that_have_ended_are_forgotten_and_stay_counted),
        cmocka_unit_test(a_child_is_recorded_after_its_parent_has_ended),
        cmocka_unit_test(
            a_child_that_gives_up_its_rights_is_recorded_by_a_session_that_begins_later),
        cmocka_unit_test(a_child_that_registers_has_a_file_of_its_own_until_it_ends),
        cmocka_unit_test(a_child_is_recorded_after_its_parent_has_unregistered),
        cmocka_unit_test(killed_children_do_not_use_up_the_smallest_buffer),
        cmocka_unit_test(a_process_that_loads_a_plugin_again_is_counted_once),
        cmocka_unit_test(another_process_of_the_same_number_is_counted),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
