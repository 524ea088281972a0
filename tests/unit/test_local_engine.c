/* SPDX-License-Identifier: MIT */
/*
 * Test of both sides of the local engine: a program (this one, or a child of it) registers and
 * writes, a session enables events and reads the pools.
 */
#include "engine_test.h"

/* ---- registering ---- */

static void an_event_that_is_not_registered_is_disabled_and_harmless(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_false(cairn_tracepoint_is_enabled(&tp));
    assert_int_equal(write_number(&tp, 1), EBADF);
    assert_int_equal(cairn_tracepoint_unregister(&tp), ENOENT);
}

static void index_zero_is_never_assigned(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "first u32 a"), 0);
    assert_true(engine_sample_index(tp.sample_id) > 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

static void the_same_fields_share_an_event_and_others_are_refused(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint b = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint c = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&a, "shared u32 a"), 0);
    assert_int_equal(cairn_tracepoint_register(&b, "shared u32 a"), 0);
    assert_int_equal(a.sample_id, b.sample_id);
    assert_int_equal(cairn_tracepoint_register(&c, "shared u64 a"), EADDRINUSE);
    assert_int_equal(cairn_tracepoint_unregister(&c), ENOENT);
    assert_int_equal(cairn_tracepoint_unregister(&a), 0);
    assert_int_equal(cairn_tracepoint_register(&c, "shared u64 a"), EADDRINUSE);
    assert_int_equal(cairn_tracepoint_unregister(&b), 0);
    assert_int_equal(cairn_tracepoint_register(&c, "shared u64 a"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&c), 0);
}

static void registering_twice_or_with_invalid_arguments_is_refused(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, ""), EINVAL);
    assert_int_equal(cairn_tracepoint_register(&tp, "bad nosuchtype a"), EINVAL);
    assert_int_equal(cairn_tracepoint_register(&tp, "good u32 a"), 0);
    assert_int_equal(cairn_tracepoint_register(&tp, "good u32 a"), EALREADY);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
}

static void entries_are_reused_after_unregistering(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    uint32_t before;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "again u32 a"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    before = engine_registry_end(&recorder);
    for (int i = 0; i < 10000; i++) {
        assert_int_equal(cairn_tracepoint_register(&tp, "again u32 a"), 0);
        assert_int_equal(cairn_tracepoint_unregister(&tp), 0);
    }
    assert_int_equal(engine_registry_end(&recorder), before);
}

/* ---- sessions ---- */

static void a_session_enables_matching_events_registered_before_and_after_its_begin(void **state)
{
    struct cairn_tracepoint before = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint after = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;
    struct engine_session session;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&before, "match_before u32 a"), 0);
    assert_false(cairn_tracepoint_is_enabled(&before));
    session = begin("match_*");
    assert_true(cairn_tracepoint_is_enabled(&before));
    assert_int_equal(cairn_tracepoint_register(&after, "match_after u32 a"), 0);
    assert_int_equal(cairn_tracepoint_register(&other, "other u32 a"), 0);
    assert_true(cairn_tracepoint_is_enabled(&after));
    assert_false(cairn_tracepoint_is_enabled(&other));
    assert_int_equal(*after.enabled, ENGINE_STATUS_RECORDER);
    end(&session);
    assert_false(cairn_tracepoint_is_enabled(&before));
    assert_false(cairn_tracepoint_is_enabled(&after));
    assert_int_equal(write_number(&before, 1), EBADF);
    cairn_tracepoint_unregister(&before);
    cairn_tracepoint_unregister(&after);
    cairn_tracepoint_unregister(&other);
}

static void two_sessions_get_the_events_of_their_own_patterns(void **state)
{
    struct cairn_tracepoint a = CAIRN_TRACEPOINT_INIT;
    struct cairn_tracepoint b = CAIRN_TRACEPOINT_INIT;
    struct engine_session all = begin("two_*");
    struct engine_session one = begin("two_b");

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&a, "two_a u32 a"), 0);
    assert_int_equal(cairn_tracepoint_register(&b, "two_b u32 a"), 0);
    assert_int_equal(write_number(&a, 1), 0);
    assert_int_equal(write_number(&b, 2), 0);
    assert_int_equal(read_session(&all).records, 2);
    assert_int_equal(read_session(&one).records, 1);
    end(&one);
    assert_int_equal(write_number(&b, 3), 0);
    assert_int_equal(read_session(&all).last, 3);
    end(&all);
    cairn_tracepoint_unregister(&a);
    cairn_tracepoint_unregister(&b);
    assert_int_equal(files_in("pools"), files_in("processes"));
    assert_int_equal(files_in("sessions"), 0);
}

static void a_payload_of_the_wrong_size_is_refused(void **state)
{
    static uint8_t large[1 << 16];
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session = begin("sized");
    struct iovec part = {large, 3};

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "sized u32 a"), 0);
    assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), EINVAL);
    part.iov_len = sizeof(large);
    assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), E2BIG);
    part.iov_len = CAIRN_PAYLOAD_MAX_BYTES;
    assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), 0);
    assert_int_equal(read_session(&session).records, 1);
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

static void events_that_do_not_fit_are_counted(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session = begin("many");
    uint32_t written = 0;
    struct found found;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "many u32 a"), 0);
    while (write_number(&tp, written) == 0)
        written++;
    assert_int_equal(write_number(&tp, 0), ENOSPC);
    found = read_session(&session);
    assert_int_equal(found.records, written);
    assert_int_equal(found.lost, 2);
    assert_int_equal(write_number(&tp, 7), 0);
    end(&session);
    cairn_tracepoint_unregister(&tp);
}

/* ---- processes ---- */

static void write_and_be_killed(void)
{
    static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    if (cairn_tracepoint_register(&tp, "killed u32 a"))
        _exit(1);
    for (uint32_t i = 0; i < 1000; i++)
        (void)write_number(&tp, i);
    (void)kill(getpid(), SIGKILL);
}

static void a_killed_process_leaves_only_its_events(void **state)
{
    struct engine_session session = begin("killed");
    uint32_t processes = files_in("processes");
    struct found found;

    (void)state;
    wait_for(run_child(write_and_be_killed));
    found = read_session(&session);
    assert_int_equal(found.records, 1000);
    assert_int_equal(found.last, 999);
    end(&session);
    assert_int_equal(engine_registry_lock(&recorder), 0);
    engine_registry_sweep(&recorder);
    assert_int_equal(engine_registry_find(&recorder, "killed"), 0);
    engine_registry_unlock(&recorder);
    assert_int_equal(files_in("processes"), processes);
}

static struct cairn_tracepoint forked = CAIRN_TRACEPOINT_INIT;

static void write_one_as_child(void)
{
    if (write_number(&forked, 2))
        _exit(1);
}

static void a_forked_child_writes_to_its_parents_pool(void **state)
{
    struct engine_session session = begin("forked");
    struct found found;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&forked, "forked u32 a"), 0);
    assert_int_equal(write_number(&forked, 1), 0);
    wait_for(run_child(write_one_as_child));
    assert_int_equal(write_number(&forked, 3), 0);
    found = read_session(&session);
    assert_int_equal(found.pools, 1);
    assert_int_equal(found.records, 3);
    end(&session);
    cairn_tracepoint_unregister(&forked);
}

static struct cairn_tracepoint before_fork = CAIRN_TRACEPOINT_INIT;
static struct cairn_tracepoint after_fork = CAIRN_TRACEPOINT_INIT;
static int may_look[2];

static void wait_and_look(void)
{
    char byte;

    close(may_look[1]);
    _exit(read(may_look[0], &byte, 1) < 0 || !cairn_tracepoint_is_enabled(&before_fork));
}

static void an_event_used_by_a_child_stays_when_its_parent_unregisters(void **state)
{
    struct engine_session session;
    int status;
    pid_t child;

    (void)state;
    assert_int_equal(pipe(may_look), 0);
    assert_int_equal(cairn_tracepoint_register(&before_fork, "order u32 a"), 0);
    child = run_child(wait_and_look);
    assert_int_equal(cairn_tracepoint_register(&after_fork, "order u32 a"), 0);
    assert_int_equal(cairn_tracepoint_unregister(&before_fork), 0);
    assert_int_equal(cairn_tracepoint_unregister(&after_fork), 0);
    session = begin("order");
    close(may_look[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(may_look[0]);
    end(&session);
}

static void wait_until_enabled_and_write(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 100000 && !cairn_tracepoint_is_enabled(&forked); i++)
        (void)nanosleep(&pause, NULL);
    (void)write_number(&forked, (uint32_t)getpid());
}

static void fork_and_exit(void)
{
    if (cairn_tracepoint_register(&forked, "daemon u32 a"))
        _exit(1);
    if (fork() == 0)
        wait_until_enabled_and_write();
}

static void a_daemon_stays_traceable_after_its_parent_has_ended(void **state)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    struct engine_session session;
    struct found found = {0};
    pid_t parent = run_child(fork_and_exit);

    (void)state;
    wait_for(parent);
    session = begin("daemon"); /* removes what the parent registered */
    for (int i = 0; i < 100000 && !found.records; i++) {
        (void)nanosleep(&pause, NULL);
        found = read_session(&session);
    }
    assert_int_equal(found.records, 1);
    assert_int_equal(found.last, found.pid);
    assert_int_not_equal(found.pid, (uint32_t)parent);
    end(&session);
}

static void die_under_the_lock(void)
{
    struct engine_registry local = {.lock_fd = -1};
    uint32_t index;

    if (engine_registry_open(&local) || engine_registry_lock(&local))
        _exit(1);
    (void)engine_registry_add(&local, "halfway u32 a", 0, &index);
    local.buckets[local.entries[index].hash % ENGINE_REGISTRY_BUCKETS] = 0; /* broken hash chains */
    (void)kill(getpid(), SIGKILL);
}

static void the_next_process_repairs_the_registry_after_a_death_under_the_lock(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "whole u32 a"), 0);
    wait_for(run_child(die_under_the_lock));
    assert_int_equal(engine_registry_lock(&recorder), 0);
    assert_int_equal(engine_registry_find(&recorder, "halfway"), 0);
    assert_int_equal(engine_registry_find(&recorder, "whole"), engine_sample_index(tp.sample_id));
    engine_registry_unlock(&recorder);
    cairn_tracepoint_unregister(&tp);
}

static void begin_and_be_killed(void)
{
    (void)begin("orphan");
    (void)kill(getpid(), SIGKILL);
}

static void a_killed_recorders_session_ends_when_a_process_opens_the_directory(void **state)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "orphan u32 a"), 0);
    wait_for(run_child(begin_and_be_killed));
    assert_true(cairn_tracepoint_is_enabled(&tp));
    session = begin("nothing");
    assert_false(cairn_tracepoint_is_enabled(&tp));
    end(&session);
    cairn_tracepoint_unregister(&tp);
    assert_int_equal(files_in("sessions"), 0);
}

/* ---- threads and signals ---- */

static struct cairn_tracepoint busy = CAIRN_TRACEPOINT_INIT;
static volatile sig_atomic_t handled;

static void write_in_handler(int signal_number)
{
    (void)signal_number;
    (void)write_number(&busy, UINT32_MAX);
    handled++;
}

static void a_signal_handler_may_write_at_any_instruction(void **state)
{
    const struct sigaction action = {.sa_handler = write_in_handler};
    const struct itimerspec often = {{.tv_nsec = 20000}, {.tv_nsec = 20000}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct engine_session session = begin("busy");
    uint32_t written = 0;
    struct found found;
    timer_t timer;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&busy, "busy u32 a"), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    assert_int_equal(timer_settime(timer, 0, &often, NULL), 0);
    /* With a slow machine or a sanitizer, the buffer is full before: the last event is lost. */
    while (written < 5000 && write_number(&busy, written++) == 0)
        ;
    timer_delete(timer);
    found = read_session(&session);
    /* An event written while its thread was about to join the session is counted as a loss of the
     * session. */
    found.lost += lost_early(&session);
    assert_int_equal(found.records + found.lost, written + (uint32_t)handled);
    assert_true(found.lost < 10);
    end(&session);
    cairn_tracepoint_unregister(&busy);
}

static void *write_some(void *arg)
{
    struct cairn_tracepoint *tp = arg;

    for (uint32_t i = 0; i < 1000; i++)
        (void)write_number(tp, i);
    return NULL;
}

static void threads_that_end_release_their_chunks(void **state)
{
    struct engine_session session = begin("threads");
    struct found found = {0};

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&busy, "threads u32 a"), 0);
    for (int i = 0; i < 30; i++) { /* more than there are chunks */
        pthread_t thread;

        assert_int_equal(pthread_create(&thread, NULL, write_some, &busy), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        found.records += read_session(&session).records;
    }
    assert_int_equal(found.records, 30000);
    assert_int_equal(read_session(&session).lost, 0);
    end(&session);
    cairn_tracepoint_unregister(&busy);
}

/* ---- the directory ---- */

/* ---- pools ---- */

static void a_slot_can_be_reused_by_sessions_of_other_sizes_any_number_of_times(void **state)
{
    static const char *const pattern = "turns";
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct engine_session session;
    struct engine_process_pool pool;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&tp, "turns u32 a"), 0);
    for (uint32_t i = 0; i < 60; i++) {
        /* 16 and 32 MiB; the third has the range of the second */
        static const struct engine_session_request requests[] = {
            {&pattern, NULL, 1, ENGINE_STATUS_RECORDER, 128 << 10, 128, 0, 0, false},
            {&pattern, NULL, 1, ENGINE_STATUS_RECORDER, 128 << 10, 256, 32, 0, false},
            {&pattern, NULL, 1, ENGINE_STATUS_RECORDER, 128 << 10, 200, 32, 0, false},
        };
        const struct engine_session_request *request = &requests[i % 3];

        assert_int_equal(engine_session_begin(&recorder, request, &session), 0);
        assert_int_equal(engine_find_pool(session.slot, session.generation, &pool), 0);
        assert_int_equal(pool.large.chunk_count, request->chunk_count);
        assert_int_equal(pool.small_chunks, request->small_chunks);
        assert_int_equal(write_number(&tp, i), 0);
        assert_int_equal(read_session(&session).records, 1);
        end(&session);
    }
    cairn_tracepoint_unregister(&tp);
}

static void a_directory_that_anybody_may_write_to_is_refused(void **state)
{
    struct engine_directory directory;

    (void)state;
    assert_int_equal(chmod(tracing_dir, 0777), 0);
    assert_int_equal(engine_directory_find(&directory), EACCES);
    assert_int_equal(directory.fault, ENGINE_DIRECTORY_OPEN_TO_OTHERS);
    assert_int_equal(chmod(tracing_dir, 0700), 0);
    assert_int_equal(engine_directory_find(&directory), 0);
}

static void a_symlink_in_the_directorys_place_is_refused(void **state)
{
    struct engine_directory directory;
    char path[128];

    (void)state;
    (void)snprintf(path, sizeof(path), "%s/link", tracing_dir);
    assert_int_equal(symlink(tracing_dir, path), 0);
    assert_int_equal(setenv("CAIRN_TRACING_DIR", path, 1), 0);
    assert_int_equal(engine_directory_find(&directory), ENOTDIR);
    assert_int_equal(directory.fault, ENGINE_DIRECTORY_NO_DIRECTORY);
    (void)snprintf(path, sizeof(path), "%s/link//", tracing_dir);
    assert_int_equal(setenv("CAIRN_TRACING_DIR", path, 1), 0);
    assert_int_equal(engine_directory_find(&directory), ENOTDIR);
    assert_int_equal(setenv("CAIRN_TRACING_DIR", tracing_dir, 1), 0);
    (void)snprintf(path, sizeof(path), "%s/link", tracing_dir);
    assert_int_equal(unlink(path), 0);
}

static void a_relative_directory_is_found_after_chdir(void **state)
{
    struct engine_directory directory;
    char elsewhere[ENGINE_PATH_MAX];
    char before[64];

    (void)state;
    assert_non_null(getcwd(elsewhere, sizeof(elsewhere)));
    assert_int_equal(chdir("/tmp"), 0);
    (void)snprintf(before, sizeof(before), "%s/", strrchr(tracing_dir, '/') + 1);
    assert_int_equal(setenv("CAIRN_TRACING_DIR", before, 1), 0);
    assert_int_equal(engine_directory_find(&directory), 0);
    assert_string_equal(directory.path, tracing_dir);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(setenv("CAIRN_TRACING_DIR", "proc/nowhere", 1), 0);
    assert_int_not_equal(engine_directory_find(&directory), 0);
    assert_string_equal(directory.path, "//proc/nowhere");
    assert_int_equal(setenv("CAIRN_TRACING_DIR", tracing_dir, 1), 0);
    assert_int_equal(chdir(elsewhere), 0);
}

static void a_registry_of_another_version_is_reported(void **state)
{
    struct engine_registry local = {.lock_fd = -1};

    (void)state;
    recorder.registry->version = 77;
    assert_int_equal(engine_registry_open(&local), EPROTONOSUPPORT);
    assert_int_equal(local.found_version, 77);
    engine_registry_close(&local);
    recorder.registry->version = ENGINE_REGISTRY_VERSION;
}

/* ---- the clock ---- */

/* Time by the line that was published last. */
static uint64_t time_by(const struct engine_clock_publisher *publisher)
{
    const struct engine_clock_line *line = &publisher->line;

    if (!line->ticks)
        return os_clock_ns(); /* the counter cannot be used here */
    return line->time_ns +
           (uint64_t)((unsigned __int128)(os_ticks() - line->ticks) * line->mult >> 32);
}

static bool is_right(const struct engine_clock_publisher *publisher)
{
    uint64_t before = os_clock_ns();
    uint64_t ours = time_by(publisher);

    return ours + 1000 >= before && ours <= os_clock_ns() + 1000;
}

static void the_clock_follows_CLOCK_MONOTONIC_to_a_microsecond(void **state)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    struct engine_clock_publisher publisher = {0};

    (void)state;
    for (int i = 0; i < 40; i++) {
        engine_clock_publish(&publisher, &recorder.registry->clock);
        (void)nanosleep(&pause, NULL);
        assert_true(is_right(&publisher));
    }
}

static void time_does_not_jump_between_two_lines(void **state)
{
    struct engine_clock_publisher publisher = {0};
    const struct engine_clock_line *line = &publisher.line;

    (void)state;
    engine_clock_publish(&publisher, &recorder.registry->clock);
    for (int i = 0; i < 100 && line->ticks; i++) {
        struct engine_clock_line before;
        uint64_t there;

        if (i == 20 || i == 60) /* as if the recorder had stood still for some seconds */
            publisher.line.time_ns += i == 20 ? 8000 : -(uint64_t)16000;
        before = *line;
        engine_clock_publish(&publisher, &recorder.registry->clock);
        there = before.time_ns +
                (uint64_t)((unsigned __int128)(line->ticks - before.ticks) * before.mult >> 32);
        assert_true(line->time_ns + 2 >= there && line->time_ns <= there + 2);
    }
}

static void the_clock_is_right_after_a_suspend(void **state)
{
    const uint64_t jumps[] = {UINT64_C(1) << 40, -(UINT64_C(1) << 40)};
    struct engine_clock_publisher publisher = {0};
    struct engine_clock *clock = &recorder.registry->clock;

    (void)state;
    for (int i = 0; i < 2; i++) {
        engine_clock_publish(&publisher, clock);
        assert_true(is_right(&publisher));
        /* Simulates a counter that ran while the clock stood still, and one that restarted. */
        clock->tsc_base -= jumps[i];
        publisher.line.ticks -= publisher.line.ticks ? jumps[i] : 0;
        publisher.anchor_tsc -= jumps[i];
        publisher.next_tsc -= jumps[i];
        engine_clock_publish(&publisher, clock);
        engine_clock_publish(&publisher, clock);
        if (clock->usable)
            assert_true(os_clock_ns() - clock->time_ns < 1000000000);
        assert_true(is_right(&publisher));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_that_is_not_registered_is_disabled_and_harmless),
        cmocka_unit_test(index_zero_is_never_assigned),
        cmocka_unit_test(the_same_fields_share_an_event_and_others_are_refused),
        cmocka_unit_test(registering_twice_or_with_invalid_arguments_is_refused),
        cmocka_unit_test(entries_are_reused_after_unregistering),
        cmocka_unit_test(a_session_enables_matching_events_registered_before_and_after_its_begin),
        cmocka_unit_test(two_sessions_get_the_events_of_their_own_patterns),
        cmocka_unit_test(a_payload_of_the_wrong_size_is_refused),
        cmocka_unit_test(events_that_do_not_fit_are_counted),
        cmocka_unit_test(a_killed_process_leaves_only_its_events),
        cmocka_unit_test(a_forked_child_writes_to_its_parents_pool),
        cmocka_unit_test(an_event_used_by_a_child_stays_when_its_parent_unregisters),
        cmocka_unit_test(a_daemon_stays_traceable_after_its_parent_has_ended),
        cmocka_unit_test(the_next_process_repairs_the_registry_after_a_death_under_the_lock),
        cmocka_unit_test(a_killed_recorders_session_ends_when_a_process_opens_the_directory),
        cmocka_unit_test(a_signal_handler_may_write_at_any_instruction),
        cmocka_unit_test(threads_that_end_release_their_chunks),
        cmocka_unit_test(a_slot_can_be_reused_by_sessions_of_other_sizes_any_number_of_times),
        cmocka_unit_test(a_directory_that_anybody_may_write_to_is_refused),
        cmocka_unit_test(a_symlink_in_the_directorys_place_is_refused),
        cmocka_unit_test(a_relative_directory_is_found_after_chdir),
        cmocka_unit_test(a_registry_of_another_version_is_reported),
        cmocka_unit_test(the_clock_follows_CLOCK_MONOTONIC_to_a_microsecond),
        cmocka_unit_test(time_does_not_jump_between_two_lines),
        cmocka_unit_test(the_clock_is_right_after_a_suspend),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
