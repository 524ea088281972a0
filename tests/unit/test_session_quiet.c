/* SPDX-License-Identifier: MIT */
/* Test of many threads with few events, and of threads that become busy, in a buffer of the default
 * size. */
#include "engine/thread.h"
#include "session/internal.h"
#include "session_test.h"

#include <cairn/user_events.h>
#include <pthread.h>

/* ThreadSanitizer looks for races here. It maps several areas for each thread, of which there are
 * not any number, and is so slow that thousands of threads starve the recorder. */
#ifdef __SANITIZE_THREAD__
#define LIVE_THREADS  300u
#define MANY_THREADS  1000u
#define WAITING       500u
#define SHORT_THREADS 2000u
#else
#define LIVE_THREADS  1000u
#define MANY_THREADS  10000u
#define WAITING       3000u
#define SHORT_THREADS 10000u
#endif
#define FEW_EVENTS 5u

/* A trace file is recorded by the same code as perf.data: a fifth of the threads are enough. */
static uint32_t some_of(uint32_t all)
{
    return getenv("CAIRN_TEST_TRACE") && !getenv("CAIRN_TEST_ALL") ? all / 5 : all;
}

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
static uint32_t refused;

static int write_number(uint32_t number)
{
    return cairn_tracepoint_write_bytes(&tp, &number, sizeof(number));
}

static void write_few(uint32_t first)
{
    for (uint32_t i = 0; i < FEW_EVENTS; i++) {
        if (write_number(first + i))
            add_to_word(&refused, 1);
    }
}

/* ---- contents of a file ---- */

/* Checks that each number of a thread follows the one before, and is not earlier. */
struct order {
    uint8_t *seen; /* of each number */
    uint32_t numbers;
    uint32_t events;
    uint32_t twice;
    uint32_t disorder;
    uint32_t next; /* next number of the one thread whose order is checked; its events are those
                    * with its tid */
    uint32_t tid;
    uint64_t time_ns;
};

static void note(const struct cairn_perf_sample *sample, void *arg)
{
    struct order *o = arg;
    uint32_t number = number_of(sample);

    assert_in_range(number, 0, o->numbers - 1);
    o->events++;
    o->twice += o->seen[number]++;
    if (sample->tid != o->tid)
        return;
    o->disorder += number != o->next++ || sample->time_ns < o->time_ns;
    o->time_ns = sample->time_ns;
}

static struct order end_in_order(struct recording *r, uint32_t numbers, uint32_t tid)
{
    struct order o = {.numbers = numbers, .tid = tid};

    o.seen = calloc(numbers, 1);
    assert_non_null(o.seen);
    end_recording(r, note, &o);
    free(o.seen);
    assert_int_equal(r->counts.lost, 0);
    assert_int_equal(refused, 0);
    assert_int_equal(o.events, numbers);
    assert_int_equal(o.twice, 0);
    assert_int_equal(o.disorder, 0);
    return o;
}

/* ---- many threads ---- */

static uint32_t written;
static pthread_rwlock_t may_end = PTHREAD_RWLOCK_INITIALIZER;

static void *write_few_and_stay(void *arg)
{
    write_few((uint32_t)(size_t)arg * FEW_EVENTS);
    add_to_word(&written, 1);
    (void)pthread_rwlock_rdlock(&may_end);
    (void)pthread_rwlock_unlock(&may_end);
    return NULL;
}

static void *write_few_and_end(void *arg)
{
    write_few((uint32_t)(size_t)arg * FEW_EVENTS);
    return NULL;
}

static void start_thread(pthread_t *thread, void *(*body)(void *), uint32_t number)
{
    pthread_attr_t attributes;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
    assert_int_equal(pthread_create(thread, &attributes, body, (void *)(size_t)number), 0);
    (void)pthread_attr_destroy(&attributes);
}

static bool try_thread(pthread_t *thread, void *(*body)(void *), uint32_t number)
{
    pthread_attr_t attributes;
    int error;

    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, 64 << 10), 0);
    error = pthread_create(thread, &attributes, body, (void *)(size_t)number);
    (void)pthread_attr_destroy(&attributes);
    return !error;
}

/* Does the work of a poll, without the records: a recorder that does nothing counts as dead after
 * seconds.
 */
static void beat(const struct recording *r)
{
    struct session_directory *directory = r->session->directories;

    (void)engine_session_beat(&directory->local, &directory->handle);
}

/* Reads nothing until `count` threads have written. */
static void beat_until_written(const struct recording *r, uint32_t count)
{
    while (__atomic_load_n(&written, __ATOMIC_ACQUIRE) < count) {
        beat(r);
        (void)usleep(1000);
    }
}

/* The file is read after all threads have written. */
static void a_thousand_living_threads_lose_nothing(void **state)
{
    static pthread_t threads[LIVE_THREADS];
    struct recording r = begin_recording("quiet", 0);

    (void)state;
    assert_int_equal(pthread_rwlock_wrlock(&may_end), 0);
    for (uint32_t i = 0; i < LIVE_THREADS; i++)
        start_thread(&threads[i], write_few_and_stay, i);
    beat_until_written(&r, LIVE_THREADS);
    poll_recording(&r);
    assert_int_equal(pthread_rwlock_unlock(&may_end), 0);
    for (uint32_t i = 0; i < LIVE_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    (void)end_in_order(&r, LIVE_THREADS * FEW_EVENTS, 0);
}

static pthread_rwlock_t may_go_on = PTHREAD_RWLOCK_INITIALIZER;

static void *write_few_twice(void *arg)
{
    uint32_t first = (uint32_t)(size_t)arg * 2 * FEW_EVENTS;

    write_few(first);
    add_to_word(&written, 1);
    (void)pthread_rwlock_rdlock(&may_go_on);
    (void)pthread_rwlock_unlock(&may_go_on);
    write_few(first + FEW_EVENTS);
    add_to_word(&written, 1);
    (void)pthread_rwlock_rdlock(&may_end);
    (void)pthread_rwlock_unlock(&may_end);
    return NULL;
}

/* Polls until `count` threads have written. */
static void poll_until_written(struct recording *r, uint32_t count)
{
    do {
        poll_recording(r);
        (void)usleep(1000);
    } while (__atomic_load_n(&written, __ATOMIC_ACQUIRE) < count);
}

/* All threads live and hold a chunk when they write again. */
static void ten_thousand_living_threads_lose_nothing_with_64_mib(void **state)
{
    static pthread_t threads[MANY_THREADS];
    struct recording r = begin_recording("quiet", 64 << 20);
    const uint32_t many = some_of(MANY_THREADS);
    uint32_t count = 0;

    (void)state;
    set_word(&written, 0);
    assert_int_equal(pthread_rwlock_wrlock(&may_go_on), 0);
    assert_int_equal(pthread_rwlock_wrlock(&may_end), 0);
    while (count < many && try_thread(&threads[count], write_few_twice, count)) {
        if (++count % 100 == 0)
            poll_until_written(&r, count - 100);
    }
    poll_until_written(&r, count);
    assert_int_equal(pthread_rwlock_unlock(&may_go_on), 0);
    poll_until_written(&r, 2 * count);
    assert_int_equal(pthread_rwlock_unlock(&may_end), 0);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    (void)end_in_order(&r, 2 * count * FEW_EVENTS, 0);
    if (count < many) {
        print_message("only %u threads may live at the same time here\n", count);
        skip();
    }
}

static void *wait_and_write_few(void *arg)
{
    (void)pthread_rwlock_rdlock(&may_go_on);
    (void)pthread_rwlock_unlock(&may_go_on);
    return write_few_and_stay(arg);
}

static uint32_t free_chunks(const struct recording *r)
{
    const struct engine_session *handle = &r->session->directories->handle;
    struct engine_process_pool pool;

    assert_int_equal(engine_find_pool(handle->slot, handle->generation, &pool), 0);
    return pool.large.header->free_chunks;
}

/* The recorder adds memory only after all threads have written. Some that divide chunks may be
 * preempted meanwhile. */
static void threads_find_memory_when_a_session_begins(void **state)
{
    static pthread_t threads[WAITING];
    struct recording r;

    (void)state;
    set_word(&written, 0);
    assert_int_equal(pthread_rwlock_wrlock(&may_go_on), 0);
    assert_int_equal(pthread_rwlock_wrlock(&may_end), 0);
    for (uint32_t i = 0; i < WAITING; i++)
        start_thread(&threads[i], wait_and_write_few, i);
    r = begin_recording("quiet", 0);
    assert_true(free_chunks(&r) >= (WAITING + 31) / 32 + 4); /* of 32 parts each */
    assert_int_equal(pthread_rwlock_unlock(&may_go_on), 0);
    beat_until_written(&r, WAITING);
    assert_int_equal(pthread_rwlock_unlock(&may_end), 0);
    for (uint32_t i = 0; i < WAITING; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    (void)end_in_order(&r, WAITING * FEW_EVENTS, 0);
}

/* The recorder reads from time to time, as it does about every tenth of a second. */
static void ten_thousand_ending_threads_lose_nothing(void **state)
{
    struct recording r = begin_recording("quiet", 0);
    const uint32_t many = some_of(SHORT_THREADS);
    pthread_t threads[4];

    (void)state;
    for (uint32_t i = 0; i < many; i += 4) {
        for (uint32_t k = 0; k < 4; k++)
            start_thread(&threads[k], write_few_and_end, i + k);
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(pthread_join(threads[k], NULL), 0);
        beat(&r);
        if (i % 500 == 0)
            poll_recording(&r);
    }
    (void)end_in_order(&r, many * FEW_EVENTS, 0);
}

/* ---- from small chunks to large ones, and back ---- */

static size_t chunk_bytes(const struct recording *r)
{
    const struct engine_thread_session *ts =
        engine_thread_session_of(engine_thread_self, r->session->directories->handle.slot);

    assert_non_null(ts);
    return (size_t)(ts->writers[0].end - ts->writers[0].start) + CAIRN_POOL_SLACK_BYTES;
}

/* Writes until the thread has another chunk; the test sets the time of the last claim to now, or to
 * a minute ago, so that the machine's speed does not matter. */
static void fill_chunk(const struct recording *r, uint32_t *number, bool is_busy)
{
    struct engine_thread_session *ts =
        engine_thread_session_of(engine_thread_self, r->session->directories->handle.slot);
    uint64_t sequence = ts->writers[0].chunk->sequence;
    const uint64_t minute_ns = UINT64_C(60000000000);

    while (ts->writers[0].chunk->sequence == sequence) {
        ts->claimed_ns[0] = os_clock_ns() - (is_busy ? 0 : minute_ns);
        assert_int_equal(write_number((*number)++), 0);
    }
}

static void
a_thread_that_grows_busy_gets_large_chunks_and_one_that_grows_quiet_small_ones(void **state)
{
    struct recording r = begin_recording("quiet", 0);
    uint32_t number = 0;

    (void)state;
    assert_int_equal(write_number(number++), 0);
    for (int i = 0; i < 8; i++)
        poll_recording(&r); /* adds memory: if little is free, it is reserved for quiet threads */
    for (uint32_t round = 0; round < 5; round++) {
        assert_int_equal(chunk_bytes(&r), 4 << 10);
        fill_chunk(&r, &number, false);
        assert_int_equal(chunk_bytes(&r), 4 << 10);
        fill_chunk(&r, &number, true);
        assert_int_equal(chunk_bytes(&r), 128 << 10);
        if (round % 2)
            poll_recording(&r);
        fill_chunk(&r, &number, true);
        assert_int_equal(chunk_bytes(&r), 128 << 10);
        fill_chunk(&r, &number, false);
    }
    (void)end_in_order(&r, number, (uint32_t)gettid());
}

/* ---- */

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&tp, "quiet u32 number");
}

static int tear_down(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&tp);
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousand_living_threads_lose_nothing),
        cmocka_unit_test(ten_thousand_living_threads_lose_nothing_with_64_mib),
        cmocka_unit_test(threads_find_memory_when_a_session_begins),
        cmocka_unit_test(ten_thousand_ending_threads_lose_nothing),
        cmocka_unit_test(
            a_thread_that_grows_busy_gets_large_chunks_and_one_that_grows_quiet_small_ones),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
