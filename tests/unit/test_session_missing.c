/* SPDX-License-Identifier: MIT */
/* Test of the counts of missing events: they are counted by cause, and stored in the file. */
#include "engine/engine.h"
#include "engine/loss.h"
#include "engine/thread.h"
#include "session/internal.h"
#include "session/sink_trace.h"
#include "tracing_dir.h"

#include <cairn/perf_data.h>
#include <cairn/reader.h>
#include <cairn/session.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
static int output;
static struct cairn_session *session;

static int make_directory(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&tp, "missed u32 number");
}

static int remove_directory(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&tp);
    tracing_dir_remove();
    return 0;
}

static int begin(void **state)
{
    const char *pattern = "missed";
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = &pattern, .pattern_count = 1};

    (void)state;
    output = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    options.fd = output;
    return output < 0 || cairn_session_create(&options, &session);
}

static int end(void **state)
{
    (void)state;
    cairn_session_destroy(session);
    return close(output);
}

static int write_number(uint32_t number)
{
    struct iovec part = {&number, sizeof(number)};

    return cairn_tracepoint_write(&tp, &part, 1);
}

static struct cairn_session_counts poll_once(void)
{
    uint32_t wait_ms;

    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    return *cairn_session_counts(session);
}

/* Polls when the session looks for new processes again. */
static struct cairn_session_counts poll_later(void)
{
    (void)usleep(150000);
    return poll_once();
}

/* Ends the session, and returns what the file reports as missing; ret_counts may be NULL. */
static struct cairn_perf_missing finish(struct cairn_perf_counts *ret_counts)
{
    struct cairn_perf_missing missing;
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    char path[32];
    int error;

    assert_int_equal(cairn_session_finish(session), 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", output);
    assert_int_equal(cairn_perf_file_open(path, NULL, &file), 0);
    do {
        error = cairn_perf_file_next(file, &record);
    } while (!error);
    assert_int_equal(error, ENODATA);
    missing = *cairn_perf_file_missing(file);
    if (ret_counts)
        *ret_counts = *cairn_perf_file_counts(file);
    cairn_perf_file_close(file);
    return missing;
}

static struct rlimit limit(int which, rlim_t soft)
{
    struct rlimit before;
    struct rlimit after;

    assert_int_equal(getrlimit(which, &before), 0);
    after = (struct rlimit){soft, before.rlim_max};
    assert_int_equal(setrlimit(which, &after), 0);
    return before;
}

static void a_complete_recording_has_no_missing_events(void **state)
{
    const struct cairn_perf_missing nothing = {0};
    struct cairn_perf_missing missing;

    (void)state;
    assert_int_equal(write_number(1), 0);
    (void)poll_once();
    missing = finish(NULL);
    assert_memory_equal(&missing, &nothing, sizeof(missing));
}

static void a_full_buffer_is_a_cause(void **state)
{
    struct cairn_perf_counts counts;
    struct cairn_perf_missing missing;

    (void)state;
    while (write_number(1) == 0)
        ;
    assert_int_equal(poll_once().lost_by_cause[CAIRN_LOSS_FULL], 1);
    missing = finish(&counts);
    assert_int_equal(missing.lost[CAIRN_LOSS_FULL], 1);
    assert_int_equal(counts.lost_events, 1);
}

/* Reads the file as a recorder that is killed now leaves it. */
static struct cairn_reader_counts read_unfinished(void)
{
    struct cairn_reader_counts counts;
    const struct cairn_event *event;
    struct cairn_reader *reader;
    char path[32];
    int error;

    assert_int_equal(session_trace_write(session->trace), 0);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", output);
    assert_int_equal(cairn_reader_open(path, NULL, NULL, &reader), 0);
    do
        error = cairn_reader_next(reader, &event);
    while (!error);
    assert_int_equal(error, EBADMSG); /* there is no end */
    counts = *cairn_reader_counts(reader);
    cairn_reader_close(reader);
    return counts;
}

static void a_trace_file_has_losses_before_the_events_after_them(void **state)
{
    const char *pattern = "missed";
    struct cairn_session_options options = {.size = sizeof(options),
                                            .patterns = &pattern,
                                            .pattern_count = 1,
                                            .buffer_bytes = CAIRN_SESSION_BUFFER_MIN_BYTES,
                                            .format = CAIRN_SESSION_TRACE};
    struct cairn_reader_counts counts;
    uint64_t written = 0;

    output = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    options.fd = output;
    assert_int_equal(cairn_session_create(&options, &session), 0);
    (void)poll_once();
    while (write_number(1) == 0)
        written++;
    (void)poll_once();
    assert_int_equal(write_number(2), 0);
    (void)poll_once();
    counts = read_unfinished();
    assert_int_equal(counts.events, written + 1);
    assert_int_equal(counts.missing.lost[CAIRN_LOSS_FULL], 1);
    (void)end(state);
}

static void each_cause_has_a_count(void **state)
{
    const struct engine_session *mine = &session->directories->handle;
    struct cairn_session_counts counts;
    struct cairn_perf_missing missing;

    (void)state;
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        engine_count_lost_of(mine->slot, mine->generation, (enum cairn_loss)cause, cause + 1);
    /* A program built with an older version has no counts by cause. */
    engine_self.local.slots[session->directories->handle.slot].lost += 10;
    counts = poll_once();
    assert_int_equal(counts.lost, 36 + 10);
    missing = finish(NULL);
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        uint64_t expected = cause + 1 + (cause == CAIRN_LOSS_OTHER ? 10 : 0);

        assert_int_equal(counts.lost_by_cause[cause], expected);
        assert_int_equal(missing.lost[cause], expected);
    }
}

static struct engine_thread_session *my_thread_session(void)
{
    return engine_thread_session_of(engine_thread_self, session->directories->handle.slot);
}

struct loss_of {
    uint32_t count; /* with a thread */
    char event[64];
    uint32_t pid;
    uint32_t tid;
    uint64_t lost;
    char tracepoint[64]; /* of those without a thread */
    uint64_t of_tracepoint;
    uint64_t unknown;
};

static void note_loss(void *context, const struct cairn_session_loss *loss)
{
    struct loss_of *noted = context;

    if (!loss->tid && !*loss->provider) {
        noted->unknown = loss->lost;
        return;
    }
    if (!loss->tid) {
        (void)snprintf(noted->tracepoint, sizeof(noted->tracepoint), "%s:%s", loss->provider,
                       loss->event);
        noted->of_tracepoint = loss->lost;
        return;
    }
    (void)snprintf(noted->event, sizeof(noted->event), "%s:%s", loss->provider, loss->event);
    noted->count++;
    noted->pid = loss->pid;
    noted->tid = loss->tid;
    noted->lost = loss->lost;
}

static void losses_have_a_thread_and_an_event(void **state)
{
    struct loss_of noted = {0};
    int lost = 0;

    (void)state;
    while (write_number(1) == 0)
        ;
    for (lost = 1; lost < 100; lost++)
        (void)write_number(1);
    engine_count_lost_event(tp.local, CAIRN_LOSS_NESTED); /* has no thread */
    assert_int_equal(poll_once().lost, lost + 1);
    cairn_session_each_loss(session, note_loss, &noted);
    assert_string_equal(noted.event, "user_events:missed");
    assert_int_equal(noted.pid, getpid());
    assert_int_equal(noted.tid, gettid());
    assert_int_equal(noted.lost, lost);
    assert_string_equal(noted.tracepoint, "user_events:missed");
    assert_int_equal(noted.of_tracepoint, 1);
    assert_int_equal(noted.unknown, 0);
}

/* A process may write anything there. */
static void losses_by_thread_are_never_more_than_all(void **state)
{
    struct engine_pool_loss *losses;
    struct loss_of noted = {0};

    (void)state;
    assert_int_equal(write_number(1), 0);
    losses = engine_pool_losses(my_thread_session()->pool.large.header);
    for (uint32_t i = 0; i < ENGINE_POOL_LOSSES; i++)
        losses[i] = (struct engine_pool_loss){UINT64_MAX - i, i * 1000, i, i};
    engine_loss_add(&my_thread_session()->pool.large.header->lost,
                    session->directories->handle.generation, 7);
    assert_int_equal(poll_once().lost, 7);
    cairn_session_each_loss(session, note_loss, &noted);
    assert_int_equal(noted.lost + noted.unknown, 7);
}

/* Otherwise a process could fill the memory of the recorder, or all that it has for losses. */
static void a_process_cannot_make_up_threads_that_lost_events(void **state)
{
    uint64_t generation = session->directories->handle.generation;
    struct cairn_pool_header *pool;
    struct loss_of noted = {0};

    (void)state;
    assert_int_equal(write_number(1), 0);
    pool = my_thread_session()->pool.large.header;
    for (uint32_t n = 0; n < 3; n++) {
        for (uint32_t i = 0; i < ENGINE_POOL_LOSSES; i++) {
            core_store_relaxed(&engine_pool_losses(pool)[i].key,
                               engine_pool_loss_key(i * (n + 1), 0));
            engine_loss_add(&engine_pool_losses(pool)[i].count, generation, 1);
        }
        engine_loss_add(&pool->lost, generation, ENGINE_POOL_LOSSES);
        (void)poll_once();
    }
    cairn_session_each_loss(session, note_loss, &noted);
    assert_int_equal(noted.count, ENGINE_POOL_LOSSES - 1);
    assert_int_equal(noted.unknown, 2 * ENGINE_POOL_LOSSES + 1);
}

/* A writer may be interrupted after it decided that its event is lost, and before it counts it.
 * The next session has the same slot and the same pool by then. */
static void a_late_loss_is_not_one_of_the_next_session(void **state)
{
    struct engine_session first = session->directories->handle;
    struct engine_thread_session late;
    struct cairn_session_counts counts;

    assert_int_equal(write_number(1), 0);
    late = *my_thread_session();
    assert_int_equal(late.session, first.generation);
    (void)finish(NULL);
    (void)end(state);
    assert_int_equal(begin(state), 0);
    assert_int_equal(session->directories->handle.slot, first.slot);
    assert_int_equal(write_number(2), 0);
    assert_ptr_equal(my_thread_session()->pool.large.header, late.pool.large.header);

    assert_null(engine_thread_reserve(engine_thread_self, &late, 1, CAIRN_RECORD_MAX_BYTES * 2, 0));
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        engine_count_lost_of(first.slot, first.generation, (enum cairn_loss)cause, 1);
    counts = poll_once();
    assert_int_equal(counts.lost, 0);
    assert_int_equal(counts.damaged, 0);

    /* One of its own is counted. */
    assert_null(engine_thread_reserve(engine_thread_self, my_thread_session(), 1,
                                      CAIRN_RECORD_MAX_BYTES * 2, 0));
    engine_count_lost_of(first.slot, session->directories->handle.generation, CAIRN_LOSS_NESTED, 1);
    counts = poll_once();
    assert_int_equal(counts.lost, 2);
    assert_int_equal(counts.lost_by_cause[CAIRN_LOSS_NESTED], 1);
    assert_int_equal(finish(NULL).lost[CAIRN_LOSS_FULL], 1);
}

/* The pattern of the slot's next session may not match what that of its last one did. */
static void an_event_that_no_session_wants_is_not_lost(void **state)
{
    struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&other, "unwanted u32 number"), 0);
    engine_count_lost_event(other.local, CAIRN_LOSS_TOO_LARGE);
    assert_int_equal(poll_once().lost, 0);
    engine_count_lost_event(tp.local, CAIRN_LOSS_TOO_LARGE);
    assert_int_equal(poll_once().lost_by_cause[CAIRN_LOSS_TOO_LARGE], 1);
    assert_int_equal(finish(NULL).lost[CAIRN_LOSS_TOO_LARGE], 1);
    assert_int_equal(cairn_tracepoint_unregister(&other), 0);
}

/* A count that is full does not become another session's. */
static void a_full_count_stays_full(void **state)
{
    uint64_t count = engine_loss_begin(7);

    (void)state;
    engine_loss_add(&count, 7, (UINT64_C(1) << 48) - 2);
    engine_loss_add(&count, 7, 1);
    engine_loss_add(&count, 7, 1);
    assert_int_equal(engine_loss_value(count, 7), (UINT64_C(1) << 48) - 1);
    assert_int_equal(engine_loss_value(count, 8), UINT64_MAX);
    assert_int_equal(engine_loss_value(3, 8), 3); /* of an older build */
}

/* There was no memory for more of the pool, but the buffer was not full. */
static void a_lack_of_memory_is_a_cause(void **state)
{
    const struct engine_session *handle = &session->directories->handle;
    struct cairn_session_counts counts;
    struct engine_process_pool pool;

    (void)state;
    assert_int_equal(write_number(1), 0);
    assert_int_equal(engine_find_pool(handle->slot, handle->generation, &pool), 0);
    for (int i = 0; i < 10; i++) /* the recorder gives memory to all of the pool */
        (void)poll_once();
    pool.large.header->lost = 5;
    counts = poll_once();
    assert_int_equal(counts.lost_by_cause[CAIRN_LOSS_FULL], 5);
    pool.large.header->bare_error = ENOSPC;
    pool.large.header->lost = 8;
    counts = poll_once();
    assert_int_equal(counts.lost, 8);
    assert_int_equal(counts.lost_by_cause[CAIRN_LOSS_FULL], 5);
    assert_int_equal(counts.lost_by_cause[CAIRN_LOSS_STORAGE], 3);
    assert_int_equal(finish(NULL).lost[CAIRN_LOSS_STORAGE], 3);
}

static void errno_codes_are_causes(void **state)
{
    (void)state;
    assert_int_equal(engine_loss_of_error(EACCES), CAIRN_LOSS_PERMISSION);
    assert_int_equal(engine_loss_of_error(EPERM), CAIRN_LOSS_PERMISSION);
    assert_int_equal(engine_loss_of_error(EMFILE), CAIRN_LOSS_LIMIT);
    assert_int_equal(engine_loss_of_error(EFBIG), CAIRN_LOSS_LIMIT);
    assert_int_equal(engine_loss_of_error(ENOMEM), CAIRN_LOSS_LIMIT);
    assert_int_equal(engine_loss_of_error(ENOSPC), CAIRN_LOSS_STORAGE);
    assert_int_equal(engine_loss_of_error(EDQUOT), CAIRN_LOSS_STORAGE);
    assert_int_equal(engine_loss_of_error(ENOENT), CAIRN_LOSS_UNREACHABLE);
    assert_int_equal(engine_loss_of_error(EIO), CAIRN_LOSS_OTHER);
}

static void an_impossible_count_is_damage_and_not_a_loss(void **state)
{
    struct cairn_session_counts counts;

    (void)state;
    engine_self.local.slots[session->directories->handle.slot].lost_by_cause[CAIRN_LOSS_FULL] =
        UINT64_MAX;
    counts = poll_once();
    assert_int_equal(counts.lost, 0);
    assert_int_equal(counts.damaged, 1);
    assert_int_equal(finish(NULL).damaged, 1);
}

static void a_process_is_recorded_as_soon_as_descriptors_are_free(void **state)
{
    struct cairn_perf_counts in_file;
    struct cairn_session_counts counts;
    struct cairn_perf_missing missing;
    struct rlimit before;

    (void)state;
    assert_int_equal(write_number(1), 0);
    before = limit(RLIMIT_NOFILE, 0);
    counts = poll_once();
    assert_int_equal(counts.unrecorded, 1);
    assert_int_equal(counts.unrecorded_error, EMFILE);
    assert_int_equal(counts.unrecorded_by_cause[CAIRN_LOSS_LIMIT], 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    counts = poll_later();
    assert_int_equal(counts.unrecorded, 0);
    (void)poll_once();
    missing = finish(&in_file);
    assert_int_equal(missing.processes[CAIRN_LOSS_LIMIT], 0);
    assert_int_equal(in_file.samples, 1);
}

static void a_process_that_could_not_be_recorded_is_in_the_file(void **state)
{
    struct cairn_perf_missing missing;
    struct rlimit before;
    char path[160];
    char kept[160];

    (void)state;
    assert_int_equal(write_number(1), 0);
    (void)snprintf(path, sizeof(path), "%s/pools/%s", tracing_dir, engine_self.pool_name);
    before = limit(RLIMIT_NOFILE, 0);
    assert_int_equal(poll_once().unrecorded, 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    /* Even root does not follow a link there. */
    (void)snprintf(kept, sizeof(kept), "%s/kept", tracing_dir);
    assert_int_equal(rename(path, kept), 0);
    assert_int_equal(symlink("/nonexistent", path), 0);
    missing = finish(NULL);
    assert_int_equal(rename(kept, path), 0);
    assert_int_equal(missing.processes[CAIRN_LOSS_UNREACHABLE], 1);
}

/* As if the file system had been full when the session began. */
static void a_process_whose_pool_could_not_be_created_gets_it_later(void **state)
{
    const char *pattern = "missed";
    struct cairn_session_options options = {.size = sizeof(options),
                                            .patterns = &pattern,
                                            .pattern_count = 1,
                                            .buffer_bytes = 64 << 20};
    struct rlimit before;

    (void)state;
    (void)signal(SIGXFSZ, SIG_IGN);
    output = open("/tmp", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    assert_true(output >= 0);
    options.fd = output;
    before = limit(RLIMIT_FSIZE, 64 << 10);
    assert_int_equal(cairn_session_create(&options, &session), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(write_number(0), ENOSPC);

    for (int i = 0; i < 100 && write_number(1); i++)
        (void)poll_later();
    assert_int_equal(write_number(2), 0);
    assert_int_equal(poll_later().unrecorded, 0);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(cairn_session_counts(session)->events, 2);
    (void)end(NULL);
}

static void a_removed_directory_is_detected(void **state)
{
    char elsewhere[96];
    struct cairn_perf_counts in_file;

    (void)state;
    assert_int_equal(write_number(1), 0);
    assert_false(poll_once().directory_gone);
    (void)snprintf(elsewhere, sizeof(elsewhere), "%s.gone", tracing_dir);
    assert_int_equal(rename(tracing_dir, elsewhere), 0);
    assert_true(poll_later().directory_gone);
    /* A process that has a buffer by then is recorded to the end. */
    assert_int_equal(write_number(2), 0);
    assert_int_equal(finish(&in_file).directory_gone, 1);
    assert_int_equal(in_file.samples, 2);
    assert_int_equal(rename(elsewhere, tracing_dir), 0);
}

static void a_replaced_directory_is_detected(void **state)
{
    char elsewhere[96];

    (void)state;
    (void)snprintf(elsewhere, sizeof(elsewhere), "%s.gone", tracing_dir);
    assert_int_equal(rename(tracing_dir, elsewhere), 0);
    assert_int_equal(mkdir(tracing_dir, 0700), 0);
    assert_true(poll_later().directory_gone);
    assert_int_equal(finish(NULL).directory_gone, 1);
    tracing_dir_remove();
    (void)snprintf(tracing_dir, sizeof(tracing_dir), "%.*s", (int)(strlen(elsewhere) - 5),
                   elsewhere);
    assert_int_equal(rename(elsewhere, tracing_dir), 0);
}

/* A directory whose files disappear one after the other is being removed; its processes are not
 * dead. */
static void a_process_whose_file_is_removed_first_is_recorded_to_the_end(void **state)
{
    struct cairn_perf_counts in_file;
    char path[160];

    (void)state;
    assert_int_equal(write_number(1), 0);
    (void)poll_once();
    (void)snprintf(path, sizeof(path), "%s/%s", tracing_dir, engine_self.process_name);
    assert_int_equal(unlink(path), 0);
    (void)poll_later();
    (void)snprintf(path, sizeof(path), "%s/registry", tracing_dir);
    assert_int_equal(unlink(path), 0);
    assert_true(poll_later().directory_gone);
    assert_int_equal(write_number(2), 0);
    assert_int_equal(finish(&in_file).directory_gone, 1);
    assert_int_equal(in_file.samples, 2);
}

/* The file cannot grow, as one on a full disk. */
static void a_snapshot_that_fails_counts_its_events_as_not_stored(void **state)
{
    const char *pattern = "missed";
    struct cairn_session_options options = {.size = sizeof(options),
                                            .patterns = &pattern,
                                            .pattern_count = 1,
                                            .flight_bytes = CAIRN_SESSION_FLIGHT_MIN_BYTES,
                                            .format = CAIRN_SESSION_TRACE};
    int full = memfd_create("full", MFD_ALLOW_SEALING);
    uint64_t events = 0;

    (void)state;
    output = memfd_create("output", 0);
    assert_true(full >= 0 && output >= 0);
    assert_int_equal(fcntl(full, F_ADD_SEALS, F_SEAL_GROW), 0);
    assert_int_equal(cairn_session_create(&options, &session), 0);
    assert_int_equal(write_number(1), 0);
    assert_int_equal(write_number(2), 0);
    assert_int_not_equal(cairn_session_snapshot(session, full, &events), 0);
    assert_int_equal(events, 0);
    assert_int_equal(cairn_session_counts(session)->unstored, 2);
    assert_int_equal(poll_once().unstored, 2);
    assert_int_equal(cairn_session_snapshot(session, output, &events), 0);
    assert_int_equal(events, 2);
    assert_int_equal(cairn_session_counts(session)->unstored, 0);
    assert_int_not_equal(cairn_session_snapshot(session, -1, &events), 0);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(cairn_session_counts(session)->unstored, 2);
    (void)end(NULL);
    close(full);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_complete_recording_has_no_missing_events),
        TEST(a_full_buffer_is_a_cause),
        cmocka_unit_test(a_trace_file_has_losses_before_the_events_after_them),
        TEST(each_cause_has_a_count),
        TEST(losses_have_a_thread_and_an_event),
        TEST(losses_by_thread_are_never_more_than_all),
        TEST(a_process_cannot_make_up_threads_that_lost_events),
        TEST(a_lack_of_memory_is_a_cause),
        TEST(errno_codes_are_causes),
        TEST(an_impossible_count_is_damage_and_not_a_loss),
        TEST(a_process_is_recorded_as_soon_as_descriptors_are_free),
        TEST(a_process_that_could_not_be_recorded_is_in_the_file),
        TEST(a_late_loss_is_not_one_of_the_next_session),
        TEST(an_event_that_no_session_wants_is_not_lost),
        cmocka_unit_test(a_full_count_stays_full),
        cmocka_unit_test(a_process_whose_pool_could_not_be_created_gets_it_later),
        cmocka_unit_test(a_snapshot_that_fails_counts_its_events_as_not_stored),
        TEST(a_removed_directory_is_detected),
        TEST(a_replaced_directory_is_detected),
        TEST(a_process_whose_file_is_removed_first_is_recorded_to_the_end),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
