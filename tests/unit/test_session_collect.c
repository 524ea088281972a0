/* SPDX-License-Identifier: MIT */
/* Test of collecting: a session collects what programs write, and survives damage that they do to
 * their pools. */
#include "core/compact_record.h"
#include "engine/descriptors.h"
#include "engine/thread.h"
#include "session/internal.h"
#include "session/take.h"
#include "session_format.h"
#include "tracing_dir.h"

#include <cairn/perf_data.h>
#include <cairn/session.h>
#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmocka.h>

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
static char output[128];

static pid_t fork_writer(void);
static pid_t writer_pid;

static int set_up(void **state)
{
    (void)state;
    if (tracing_dir_make())
        return -1;
    (void)snprintf(output, sizeof(output), "%s/output.perf.data", tracing_dir);
    writer_pid = fork_writer();
    if (writer_pid < 0)
        return -1;
    return cairn_tracepoint_register(&tp, "collected u32 number");
}

static int tear_down(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&tp);
    tracing_dir_remove();
    return 0;
}

static int write_number(uint32_t number)
{
    struct iovec part = {&number, sizeof(number)};

    return cairn_tracepoint_write(&tp, &part, 1);
}

struct recording {
    struct cairn_session *session;
    int fd;
};

static struct recording begin(const char *pattern)
{
    struct recording r = {.fd = open(output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = &pattern, .pattern_count = 1, .fd = r.fd};

    assert_true(r.fd >= 0);
    set_format(&options);
    assert_int_equal(cairn_session_create(&options, &r.session), 0);
    return r;
}

static void poll_once(struct recording *r)
{
    uint32_t wait_ms;

    assert_int_equal(cairn_session_poll(r->session, &wait_ms), 0);
}

/* Ends the session, and reads the file: every record must be whole. Returns the number of
 * samples. */
static uint64_t finish(struct recording *r)
{
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    uint64_t samples;
    int error;

    assert_int_equal(cairn_session_finish(r->session), 0);
    cairn_session_destroy(r->session);
    close(r->fd);
    make_perf(output);
    assert_int_equal(cairn_perf_file_open(output, NULL, &file), 0);
    do {
        error = cairn_perf_file_next(file, &record);
    } while (!error);
    assert_int_equal(error, ENODATA);
    samples = cairn_perf_file_counts(file)->samples;
    cairn_perf_file_close(file);
    return samples;
}

/* The chunk that this thread fills. */
static uint8_t *my_chunk(const struct cairn_session *session)
{
    const struct engine_thread_session *ts =
        engine_thread_session_of(engine_thread_self, session->directories->handle.slot);

    assert_non_null(ts);
    return ts->writers[0].start;
}

static struct engine_process_pool my_pool(const struct recording *r)
{
    const struct engine_session *session = &r->session->directories->handle;
    struct engine_process_pool pool;

    assert_int_equal(engine_find_pool(session->slot, session->generation, &pool), 0);
    return pool;
}

static void written_events_are_in_the_file(void **state)
{
    struct recording r = begin("collected");

    (void)state;
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(write_number(i), 0);
        if (i % 3000 == 0)
            poll_once(&r);
    }
    assert_int_equal(cairn_session_counts(r.session)->tracepoints, 1);
    assert_string_equal(cairn_session_tracepoint(r.session, 0)->name, "collected");
    assert_int_equal(finish(&r), 10000);
}

static void losses_are_in_the_counts_and_in_the_file(void **state)
{
    struct recording r = begin("collected");
    uint64_t written = 0;
    struct cairn_perf_record record;
    struct cairn_perf_file *file;

    (void)state;
    while (write_number(1) == 0)
        written++;
    assert_int_equal(write_number(1), ENOSPC);
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->lost, 2);
    assert_int_equal(cairn_session_counts(r.session)->events, written);
    assert_int_equal(finish(&r), written);
    assert_int_equal(cairn_perf_file_open(output, NULL, &file), 0);
    while (!cairn_perf_file_next(file, &record))
        ;
    assert_int_equal(cairn_perf_file_counts(file)->lost_events, 2);
    cairn_perf_file_close(file);
}

/* ---- a receiver ---- */

struct received {
    uint32_t tracepoints;
    uint32_t records;
    uint64_t last_ns;
    uint32_t first;
    uint32_t numbers[64]; /* the payloads, in the order in which they were received */
    char comms[64][17];
    int answer;
};

static int receive_tracepoint(void *context, const struct cairn_perf_tracepoint *tracepoint)
{
    struct received *received = context;

    assert_string_equal(tracepoint->name, "collected");
    assert_non_null(strstr(tracepoint->format, "field:u32 number;"));
    received->tracepoints++;
    return 0;
}

static int receive_record(void *context, const struct cairn_session_record *record)
{
    struct received *received = context;
    struct cairn_record_head head;

    memcpy(&head, record->bytes, sizeof(head));
    assert_int_equal(head.size_bytes, record->size_bytes);
    assert_int_equal(record->tracepoint, 0);
    assert_true(*record->comm);
    assert_true(head.time_ns >= received->last_ns);
    received->last_ns = head.time_ns;
    if (!received->records)
        memcpy(&received->first, record->bytes + sizeof(head), sizeof(received->first));
    (void)snprintf(received->comms[received->records % 64], 17, "%s", record->comm);
    memcpy(&received->numbers[received->records++ % 64], record->bytes + sizeof(head), 4);
    return received->answer;
}

static struct cairn_session *begin_receiving(struct received *received)
{
    static const char *pattern = "collected";
    const struct cairn_session_receiver receiver = {sizeof(receiver), received, receive_tracepoint,
                                                    receive_record};
    struct cairn_session_options options = {.size = sizeof(options),
                                            .patterns = &pattern,
                                            .pattern_count = 1,
                                            .receiver = &receiver,
                                            .fd = -1};
    struct cairn_session *session;

    assert_int_equal(cairn_session_create(&options, &session), 0);
    return session;
}

static void wait_until_settled(void)
{
    usleep(SESSION_SETTLED_NS / 1000 + 1000);
}

static void a_receiver_gets_every_event_and_is_a_text_reader(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);
    uint32_t wait_ms;

    (void)state;
    assert_int_equal(received.tracepoints, 1);
    assert_int_equal(*tp.enabled, ENGINE_STATUS_TEXT);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(write_number(i), 0);
    wait_until_settled();
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(received.records, 10);
    assert_int_equal(received.numbers[9], 9);
    assert_int_equal(write_number(10), 0);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(received.records, 11);
    assert_int_equal(cairn_session_counts(session)->events, 11);
    assert_int_equal(*tp.enabled, 0);
    cairn_session_destroy(session);
}

static void *write_alternately(void *context)
{
    for (uint32_t i = 0; i < 20000; i++)
        (void)write_number(i);
    return context;
}

/* Checks the time order of each record: a poll never delivers a record before an earlier one. */
static void a_receiver_gets_the_events_of_two_threads_in_time_order(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);
    pthread_t threads[2];
    uint32_t wait_ms;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_alternately, NULL), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(received.records, 40000);
    cairn_session_destroy(session);
}

/*
 * A thread is preempted after it has taken the time of an event and before it commits: later events
 * of others must wait for it. The test hides the event, as if it were not committed yet.
 */
static void an_event_that_is_committed_late_is_received_in_time_order(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);
    uint64_t began_ns = os_clock_ns();
    struct cairn_chunk *chunk;
    pthread_t other;
    uint32_t committed;
    uint32_t wait_ms;

    (void)state;
    assert_int_equal(write_number(4711), 0);
    chunk = engine_thread_session_of(engine_thread_self, session->directories->handle.slot)
                ->writers[0]
                .chunk;
    committed = chunk->committed;
    chunk->committed = 0;
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(pthread_create(&other, NULL, write_alternately, NULL), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    (void)session_drain_pool(session, session->directories->pools);
    session_end_poll(session, began_ns + 90000000); /* nearly 0.1 s later */
    assert_int_equal(received.records, 0);
    chunk->committed = committed;
    (void)session_drain_pool(session, session->directories->pools);
    session_end_poll(session, os_clock_ns() + SESSION_SETTLED_NS);
    assert_int_equal(received.records, 20001); /* and in time order */
    assert_int_equal(received.first, 4711);
    assert_int_equal(cairn_session_finish(session), 0);
    cairn_session_destroy(session);
}

/* A poll without what it does with the records. Without it the recorder counts as dead after
 * seconds. */
static void drain(struct cairn_session *session)
{
    struct session_directory *directory = session->directories;

    (void)engine_session_beat(&directory->local, &directory->handle);
    (void)session_drain_pool(session, directory->pools);
}

/* The memory of waiting records is bounded: above the limit, the earlier half is delivered without
 * waiting. */
static void the_memory_of_waiting_records_is_bounded(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);
    static uint8_t payload[60000];
    struct iovec part = {payload, sizeof(payload)};
    const uint32_t count = 2000; /* 120 MB */
    uint32_t wait_ms;
    size_t most = 0;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), 0);
        if (i == 0)
            assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
        if (i % 50 == 0)
            drain(session);
        if (session->queue.blocks.in_use > most)
            most = session->queue.blocks.in_use;
    }
    assert_true(most > 32 && most <= 65); /* blocks of 1 MiB */
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(received.records, count);
    cairn_session_destroy(session);
}

/* ---- taking records ---- */

static struct cairn_session *begin_taking(struct received *received)
{
    static const char *pattern = "collected";
    const struct cairn_session_receiver receiver = {sizeof(receiver), received, receive_tracepoint,
                                                    NULL};
    struct cairn_session_options options = {.size = sizeof(options),
                                            .patterns = &pattern,
                                            .pattern_count = 1,
                                            .receiver = &receiver,
                                            .fd = -1};
    struct cairn_session *session;

    assert_int_equal(cairn_session_create(&options, &session), 0);
    return session;
}

static uint32_t take_all(struct cairn_session *session, struct received *received)
{
    struct cairn_session_record record;
    uint32_t before = received->records;

    while (session_take(session, &record))
        (void)receive_record(received, &record);
    return received->records - before;
}

static void records_are_taken_one_by_one(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_taking(&received);
    uint32_t wait_ms;

    (void)state;
    assert_int_equal(take_all(session, &received), 0);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(write_number(i), 0);
    wait_until_settled();
    assert_int_equal(take_all(session, &received), 0); /* nothing before a poll */
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(take_all(session, &received), 10);
    assert_int_equal(received.numbers[9], 9);
    assert_int_equal(write_number(10), 0);
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(take_all(session, &received), 0); /* not old enough */
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(take_all(session, &received), 1);
    cairn_session_destroy(session);
}

/* If too many records wait, the earlier ones are returned without waiting. */
static void records_that_wait_to_be_taken_are_bounded(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_taking(&received);
    static uint8_t payload[60000];
    struct iovec part = {payload, sizeof(payload)};
    const uint32_t count = 1500; /* 90 MB */
    uint32_t wait_ms;

    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), 0);
        if (i == 0)
            assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
        if (i % 50 == 0)
            drain(session);
    }
    assert_true(session->queue.blocks.in_use > 64);
    assert_true(take_all(session, &received) > 0);
    assert_true(session->queue.blocks.in_use <= 64);
    assert_int_equal(cairn_session_finish(session), 0);
    (void)take_all(session, &received);
    assert_int_equal(received.records, count);
    cairn_session_destroy(session);
}

static void a_receivers_error_is_the_sessions_error(void **state)
{
    struct received received = {.answer = EPIPE};
    struct cairn_session *session = begin_receiving(&received);
    uint32_t wait_ms;

    (void)state;
    assert_int_equal(write_number(1), 0);
    assert_int_equal(write_number(2), 0);
    wait_until_settled();
    assert_int_equal(cairn_session_poll(session, &wait_ms), EPIPE);
    assert_int_equal(received.records, 1);
    assert_int_equal(cairn_session_poll(session, &wait_ms), EPIPE);
    assert_int_equal(cairn_session_finish(session), EPIPE);
    cairn_session_destroy(session);
}

static void *write_and_rename(void *context)
{
    assert_int_equal(prctl(PR_SET_NAME, "caterpillar"), 0);
    assert_int_equal(write_number(0), 0);
    pthread_barrier_wait(context);
    pthread_barrier_wait(context);
    assert_int_equal(prctl(PR_SET_NAME, "butterfly"), 0);
    assert_int_equal(write_number(1), 0);
    assert_int_equal(write_number(2), 0);
    pthread_barrier_wait(context);
    pthread_barrier_wait(context); /* events have been collected */
    assert_int_equal(prctl(PR_SET_NAME, "a name of 15 by"), 0);
    assert_int_equal(write_number(3), 0);
    pthread_barrier_wait(context);
    pthread_barrier_wait(context);
    return context;
}

static const char *const names_of_events[4] = {"caterpillar", "butterfly", "butterfly",
                                               "a name of 15 by"};

static void poll_session(struct cairn_session *session)
{
    uint32_t wait_ms;

    usleep(12000); /* longer than the interval between two reads of the name */
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
}

/* Collects between the renamings. Both threads wait at the barrier. */
static void rename_a_thread(struct cairn_session *session)
{
    pthread_barrier_t barrier;
    pthread_t thread;

    assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
    assert_int_equal(pthread_create(&thread, NULL, write_and_rename, &barrier), 0);
    for (int i = 0; i < 3; i++) {
        pthread_barrier_wait(&barrier);
        poll_session(session);
        pthread_barrier_wait(&barrier);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_barrier_destroy(&barrier);
}

static void a_receiver_gets_the_new_name_of_a_thread(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);

    (void)state;
    rename_a_thread(session);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_int_equal(received.records, 4);
    for (int i = 0; i < 4; i++)
        assert_string_equal(received.comms[i], names_of_events[i]);
    cairn_session_destroy(session);
}

static void a_file_has_the_new_name_of_a_thread(void **state)
{
    struct recording r = begin("collected");
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    struct cairn_perf_sample sample;
    uint32_t samples = 0;

    (void)state;
    rename_a_thread(r.session);
    assert_int_equal(finish(&r), 4);
    assert_int_equal(cairn_perf_file_open(output, NULL, &file), 0);
    while (!cairn_perf_file_next_ordered(file, &record)) {
        if (record.type != CAIRN_RECORD_SAMPLE)
            continue;
        assert_int_equal(cairn_perf_sample_parse(file, &record, &sample), 0);
        assert_string_equal(cairn_perf_file_comm(file, sample.tid), names_of_events[samples++]);
    }
    assert_int_equal(cairn_perf_file_counts(file)->late, 0);
    cairn_perf_file_close(file);
}

/* In a container a process has another number than outside, where its number belongs to another
 * process. */
static void a_name_is_not_read_from_a_process_of_another_namespace(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);
    struct session_process *process;

    (void)state;
    assert_int_equal(prctl(PR_SET_NAME, "known"), 0);
    assert_int_equal(write_number(0), 0);
    poll_session(session);
    assert_non_null(session->directories->pools);
    assert_int_equal(session->directories->pools->processes[0].number, SESSION_PROCESS_KNOWN);
    engine_thread_session_of(engine_thread_self, session->directories->handle.slot)
        ->writers[0]
        .chunk->pid = (uint32_t)getppid();
    assert_int_equal(prctl(PR_SET_NAME, "unknown"), 0);
    assert_int_equal(write_number(1), 0);
    usleep(12000);
    (void)session_drain_pool(session, session->directories->pools);
    process = session_note_process(session, session->directories->pools, (uint32_t)getppid());
    assert_int_equal(process->number, SESSION_PROCESS_UNKNOWN);
    assert_int_equal(cairn_session_finish(session), 0);
    assert_string_equal(received.comms[0], "known");
    assert_string_equal(received.comms[1], "known");
    cairn_session_destroy(session);
}

/* Record number `index` of the first chunk, which begins with control records. */
static uint8_t *record_at(struct cairn_session *session, uint32_t index)
{
    uint8_t *record = my_chunk(session);

    for (;;) {
        uint16_t head[2]; /* id, size */

        memcpy(head, record, sizeof(head));
        if (head[0] != CORE_RECORD_CONTROL && !index--)
            return record;
        record += core_record_padded(head[1]);
    }
}

static void set_size(uint8_t *record, uint16_t size_bytes)
{
    memcpy(record + 2, &size_bytes, sizeof(size_bytes));
}

static void a_record_with_false_sizes_damages_only_its_pool(void **state)
{
    struct recording r = begin("collected");

    (void)state;
    assert_int_equal(write_number(1), 0);
    assert_int_equal(write_number(2), 0);
    assert_int_equal(write_number(3), 0);
    set_size(record_at(r.session, 1), 65528);
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    assert_int_equal(finish(&r), 1);
}

/* Ten equal records; bits of a byte of the sixth are changed. Returns the number of events in the
 * file. */
static uint64_t record_with_false_byte(size_t offset, uint8_t bits)
{
    struct recording r = begin("collected");

    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(write_number(i), 0);
    record_at(r.session, 5)[offset] ^= bits;
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    return finish(&r);
}

static void a_false_record_among_equal_records_is_detected(void **state)
{
    (void)state;
    assert_int_equal(record_with_false_byte(2, 8), 5);    /* smaller than a head */
    assert_int_equal(record_with_false_byte(2, 0x40), 5); /* larger than the rest */
    /* Without a descriptor the record is skipped. */
    assert_int_equal(record_with_false_byte(1, 0x40), 9);
    assert_int_equal(record_with_false_byte(0, 1),
                     9); /* with an activity, of no EventHeader event */
}

static void records_of_all_sizes_are_in_the_file(void **state)
{
    static uint8_t payload[512];
    struct recording r = begin("collected");

    (void)state;
    for (uint32_t i = 0; i < 5000; i++) {
        struct iovec part = {payload, 4 + (i % 7 ? i % 13 * 8 : i % 500)};

        assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), 0);
        if (i % 900 == 0)
            poll_once(&r);
    }
    assert_int_equal(finish(&r), 5000);
}

static void losses_of_a_damaged_pool_are_reported(void **state)
{
    struct recording r = begin("collected");

    (void)state;
    assert_int_equal(write_number(1), 0);
    set_size(record_at(r.session, 0), 65528);
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    assert_int_equal(cairn_session_counts(r.session)->lost, 0);
    while (write_number(2) == 0)
        ;
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    assert_int_equal(cairn_session_counts(r.session)->lost, 1);
    assert_int_equal(finish(&r), 0);
}

static void a_decreasing_count_of_losses_is_not_a_loss(void **state)
{
    struct recording r = begin("collected");

    (void)state;
    assert_int_equal(write_number(1), 0);
    my_pool(&r).large.header->lost = 5;
    poll_once(&r);
    my_pool(&r).large.header->lost = 3;
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->lost, 5);
    assert_int_equal(finish(&r), 1);
}

/* Times after the base, in the units of the counter: some seconds. */
static const uint32_t futures[] = {UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 1000, 3u << 30};

static void set_time(uint8_t *record, uint32_t time)
{
    memcpy(record + 4, &time, sizeof(time));
}

/* The other records are delivered in time order, this one with the time of its reading, and none
 * waits permanently. */
static void a_record_from_the_future_delays_no_other(void **state)
{
    struct received received = {0};
    struct cairn_session *session = begin_receiving(&received);
    uint32_t wait_ms;

    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(write_number(i), 0);
    for (uint32_t i = 0; i < 4; i++)
        set_time(record_at(session, 3 + 5 * i), futures[i]);
    wait_until_settled();
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(received.records, 16);
    usleep(2000); /* the next event is later than the time of reading */
    assert_int_equal(write_number(20), 0);
    wait_until_settled();
    assert_int_equal(cairn_session_poll(session, &wait_ms), 0);
    assert_int_equal(received.records, 21);
    assert_int_equal(received.numbers[16], 3);
    assert_int_equal(received.numbers[20], 20);
    assert_int_equal(session->queue.blocks.in_use, 1); /* the block that is being filled */
    assert_int_equal(cairn_session_counts(session)->misdated, 4);
    assert_int_equal(cairn_session_counts(session)->damaged, 0);
    assert_int_equal(cairn_session_finish(session), 0);
    cairn_session_destroy(session);
}

/* A file is sorted round by round: one such record would leave all later rounds unsorted. */
static void a_record_from_the_future_leaves_the_file_sorted(void **state)
{
    struct recording r = begin("collected");
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    uint64_t last_ns = 0;

    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(write_number(i), 0);
    for (uint32_t i = 0; i < 4; i++)
        set_time(record_at(r.session, 3 + 5 * i), futures[i]);
    poll_once(&r);
    assert_int_equal(write_number(20), 0);
    assert_int_equal(finish(&r), 21);
    assert_int_equal(cairn_perf_file_open(output, NULL, &file), 0);
    while (!cairn_perf_file_next_ordered(file, &record)) {
        if (record.type != CAIRN_RECORD_SAMPLE)
            continue;
        assert_true(record.time_ns >= last_ns);
        last_ns = record.time_ns;
    }
    assert_true(last_ns <= os_clock_ns());
    assert_int_equal(cairn_perf_file_counts(file)->samples, 21);
    cairn_perf_file_close(file);
}

/* A chunk begins with a control record: the base of its times is at 12. */
static void a_base_in_the_future_is_not_a_time(void **state)
{
    static const uint64_t bases[] = {UINT64_C(1) << 62, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};

    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct recording r = begin("collected");

        for (uint32_t n = 0; n < 20; n++)
            assert_int_equal(write_number(n), 0);
        memcpy(my_chunk(r.session) + 12, &bases[i], sizeof(bases[i]));
        poll_once(&r);
        assert_int_equal(cairn_session_counts(r.session)->damaged, 0);
        assert_int_equal(finish(&r), 20);
    }
}

/* The sum of all numbers in the file, whose times are sorted. */
static uint64_t sum_of_file(void)
{
    struct cairn_perf_record record;
    struct cairn_perf_sample sample;
    struct cairn_perf_file *file;
    uint64_t last_ns = 0;
    uint64_t sum = 0;

    assert_int_equal(cairn_perf_file_open(output, NULL, &file), 0);
    while (!cairn_perf_file_next_ordered(file, &record)) {
        uint32_t number;

        if (record.type != CAIRN_RECORD_SAMPLE)
            continue;
        assert_true(record.time_ns >= last_ns);
        last_ns = record.time_ns;
        assert_int_equal(cairn_perf_sample_parse(file, &record, &sample), 0);
        memcpy(&number, sample.raw + 8, sizeof(number));
        sum += number;
    }
    cairn_perf_file_close(file);
    return sum;
}

static void times_that_go_back_are_in_the_file_and_sorted(void **state)
{
    struct recording r = begin("collected");

    (void)state;
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(write_number(i), 0);
    for (uint32_t i = 0; i < 4; i++)
        set_time(record_at(r.session, 3 + 5 * i), i);
    poll_once(&r);
    assert_int_equal(write_number(20), 0);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 0);
    assert_int_equal(finish(&r), 21);
    assert_int_equal(sum_of_file(), 20 * 21 / 2);
}

/* Writers use the counter while a recorder keeps the calibration, and else the clock. */
static void a_thread_may_change_from_the_counter_to_the_clock_and_back(void **state)
{
    struct recording r = begin("collected");
    uint32_t *usable = &r.session->directories->local.registry->clock.usable;
    uint32_t kept;

    (void)state;
    poll_once(&r);
    kept = *usable;
    for (uint32_t i = 0; i < 40; i++) {
        *usable = i / 5 % 2 ? 0 : kept;
        assert_int_equal(write_number(i), 0);
        if (i % 13 == 12)
            poll_once(&r);
    }
    *usable = kept;
    assert_int_equal(cairn_session_counts(r.session)->damaged, 0);
    assert_int_equal(finish(&r), 40);
    assert_int_equal(sum_of_file(), 39 * 40 / 2);
}

static void a_record_of_an_unknown_event_is_omitted(void **state)
{
    struct recording r = begin("collected");
    uint32_t id = tp.descriptor;
    struct engine_descriptor *descriptor;

    (void)state;
    assert_int_equal(write_number(1), 0);
    assert_int_equal(write_number(2), 0);
    id = tp.descriptor;
    assert_int_not_equal(id, ENGINE_ID_NONE);
    descriptor = (struct engine_descriptor *)(void *)((uint8_t *)(void *)engine_descriptors() +
                                                      (size_t)(id / ENGINE_ID_VARIANTS) *
                                                          ENGINE_DESCRIPTOR_UNIT);
    descriptor->sample_id += 1 << 16;
    poll_once(&r);
    descriptor->sample_id -= 1 << 16;
    assert_int_equal(cairn_session_counts(r.session)->damaged, 2);
    assert_int_equal(finish(&r), 0);
}

static void a_descriptor_that_is_not_valid_costs_its_records(void **state)
{
    struct recording r = begin("collected");
    struct engine_descriptor_table *table = engine_descriptors();
    uint8_t *descriptor;
    uint8_t kept[8];

    (void)state;
    assert_int_equal(write_number(1), 0);
    descriptor = (uint8_t *)(void *)table +
                 (size_t)(tp.descriptor / ENGINE_ID_VARIANTS) * ENGINE_DESCRIPTOR_UNIT;
    memcpy(kept, descriptor, sizeof(kept));
    memset(descriptor, 0xff, sizeof(kept)); /* size, kind, size of the metadata */
    poll_once(&r);
    memcpy(descriptor, kept, sizeof(kept));
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    assert_int_equal(write_number(2), 0);
    assert_int_equal(finish(&r), 1);
}

/* When the table has no space, records name their tracepoint themselves. */
static void events_without_a_descriptor_are_recorded(void **state)
{
    static struct cairn_tracepoint undescribed = CAIRN_TRACEPOINT_INIT;
    struct engine_descriptor_table *table = engine_descriptors();
    uint32_t backed = table->backed_units;
    struct recording r = begin("undescribed");

    (void)state;
    assert_int_equal(cairn_tracepoint_register(&undescribed, "undescribed u32 number"), 0);
    table->backed_units = table->used_units;
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(cairn_tracepoint_write_bytes(&undescribed, &i, sizeof(i)), 0);
    assert_int_equal(undescribed.descriptor, ENGINE_ID_NONE);
    table->backed_units = backed;
    assert_int_equal(cairn_tracepoint_write_bytes(&undescribed, &backed, sizeof(backed)), 0);
    assert_int_not_equal(undescribed.descriptor, ENGINE_ID_NONE);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 0);
    assert_int_equal(finish(&r), 101);
    assert_int_equal(cairn_tracepoint_unregister(&undescribed), 0);
}

/* A program that writes one event and then waits until it is killed. */
static void be_writer(int go, int done)
{
    char byte;

    if (read(go, &byte, 1) != 1 || cairn_tracepoint_register(&tp, "collected u32 number"))
        _exit(1);
    (void)write_number(1);
    (void)!write(done, "", 1);
    for (;;)
        (void)pause();
}

/* Forked before this process has registered: it is not a child of a traced process, and has a pool
 * file of its own. */
static int go_end;
static int done_end;

static pid_t fork_writer(void)
{
    int go[2];
    int done[2];
    pid_t pid;

    if (pipe(go) || pipe(done))
        return -1;
    pid = fork();
    if (pid == 0)
        be_writer(go[0], done[1]);
    go_end = go[1];
    done_end = done[0];
    return pid;
}

static pid_t start_writer(void)
{
    char done;

    assert_int_equal(write(go_end, "", 1), 1);
    assert_int_equal(read(done_end, &done, 1), 1);
    return writer_pid;
}

static void a_truncated_pool_does_not_kill_the_recorder(void **state)
{
    struct recording r = begin("collected");
    pid_t writer = start_writer();
    const struct session_pool *pool;
    char path[256];

    (void)state;
    poll_once(&r);
    pool = r.session->directories->pools;
    while (pool && strtol(pool->name, NULL, 10) != writer)
        pool = pool->next;
    assert_non_null(pool);
    (void)snprintf(path, sizeof(path), "%s/pools/%s", tracing_dir, pool->name);
    assert_int_equal(truncate(path, 0), 0);
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    assert_int_equal(kill(writer, SIGKILL), 0);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    assert_int_equal(finish(&r), 1);
}

static void files_that_are_not_pools_are_skipped(void **state)
{
    struct recording r = begin("collected");
    char path[256];
    int fd;

    (void)state;
    (void)snprintf(path, sizeof(path), "%s/pools/1.1", tracing_dir);
    fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_int_equal(ftruncate(fd, 1 << 20), 0);
    close(fd);
    assert_int_equal(write_number(1), 0);
    poll_once(&r);
    assert_int_equal(cairn_session_counts(r.session)->processes, 1);
    assert_int_equal(finish(&r), 1);
}

static void the_error_of_a_full_disk_is_kept(void **state)
{
    const char *pattern = "collected";
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = &pattern, .pattern_count = 1, .mode = CAIRN_PERF_PIPE};
    struct cairn_session *session;
    uint32_t wait_ms;
    int error = 0;

    (void)state;
    options.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(options.fd >= 0);
    set_format(&options);
    assert_int_equal(cairn_session_create(&options, &session), 0);
    for (uint32_t i = 0; i < 100000 && !error; i++) {
        (void)write_number(i);
        error = i % 10000 ? 0 : cairn_session_poll(session, &wait_ms);
    }
    if (!error)
        error = cairn_session_finish(session);
    else
        assert_int_equal(cairn_session_finish(session), ENOSPC);
    assert_int_equal(error, ENOSPC);
    cairn_session_destroy(session);
    close(options.fd);
}

static void invalid_options_are_refused(void **state)
{
    const char *pattern = "x";
    struct cairn_session_options options = {.size = sizeof(options), .patterns = &pattern};
    struct cairn_session *session = NULL;

    (void)state;
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    options.pattern_count = 1;
    options.buffer_bytes = 1;
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    assert_null(session);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_events_are_in_the_file),
        cmocka_unit_test(losses_are_in_the_counts_and_in_the_file),
        cmocka_unit_test(a_receiver_gets_every_event_and_is_a_text_reader),
        cmocka_unit_test(a_receiver_gets_the_events_of_two_threads_in_time_order),
        cmocka_unit_test(an_event_that_is_committed_late_is_received_in_time_order),
        cmocka_unit_test(the_memory_of_waiting_records_is_bounded),
        cmocka_unit_test(records_are_taken_one_by_one),
        cmocka_unit_test(records_that_wait_to_be_taken_are_bounded),
        cmocka_unit_test(a_receivers_error_is_the_sessions_error),
        cmocka_unit_test(a_receiver_gets_the_new_name_of_a_thread),
        cmocka_unit_test(a_file_has_the_new_name_of_a_thread),
        cmocka_unit_test(a_name_is_not_read_from_a_process_of_another_namespace),
        cmocka_unit_test(a_record_with_false_sizes_damages_only_its_pool),
        cmocka_unit_test(a_false_record_among_equal_records_is_detected),
        cmocka_unit_test(records_of_all_sizes_are_in_the_file),
        cmocka_unit_test(losses_of_a_damaged_pool_are_reported),
        cmocka_unit_test(a_decreasing_count_of_losses_is_not_a_loss),
        cmocka_unit_test(a_record_from_the_future_delays_no_other),
        cmocka_unit_test(a_record_from_the_future_leaves_the_file_sorted),
        cmocka_unit_test(a_base_in_the_future_is_not_a_time),
        cmocka_unit_test(times_that_go_back_are_in_the_file_and_sorted),
        cmocka_unit_test(a_thread_may_change_from_the_counter_to_the_clock_and_back),
        cmocka_unit_test(a_record_of_an_unknown_event_is_omitted),
        cmocka_unit_test(a_descriptor_that_is_not_valid_costs_its_records),
        cmocka_unit_test(events_without_a_descriptor_are_recorded),
        cmocka_unit_test(a_truncated_pool_does_not_kill_the_recorder),
        cmocka_unit_test(files_that_are_not_pools_are_skipped),
        cmocka_unit_test(the_error_of_a_full_disk_is_kept),
        cmocka_unit_test(invalid_options_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
