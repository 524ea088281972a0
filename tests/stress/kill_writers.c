/* SPDX-License-Identifier: MIT */
/*
 * Test of programs that write with several threads and are killed at any moment: every event whose
 * write returned success is in the file, and at most one more for each thread.
 *
 * usage: kill_writers [ROUNDS]   without it, few; many if everything is tried (tests/extent.py)
 */
#include <cairn/perf_data.h>
#include <cairn/session.h>
#include <cairn/user_events.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tracing_dir.h"

#define THREADS 3

/* Memory shared with the writers: numbers of events that a thread knows to be written, or lost. */
struct tally {
    uint64_t written[THREADS];
    uint64_t lost[THREADS];
};

static struct tally *tally;
static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

static _Noreturn void fail(const char *what, int error)
{
    fprintf(stderr, "kill_writers: %s: %s\n", what, strerror(error));
    tracing_dir_remove();
    exit(1);
}

static void *write_for_ever(void *arg)
{
    uint64_t thread = (uint64_t)(uintptr_t)arg;
    uint64_t payload[2] = {thread, 0};
    struct iovec part = {payload, sizeof(payload)};

    for (;; payload[1]++) {
        uint64_t *count =
            cairn_tracepoint_write(&tp, &part, 1) ? &tally->lost[thread] : &tally->written[thread];

        __atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

static _Noreturn void be_writer(void)
{
    pthread_t threads[THREADS];

    if (cairn_tracepoint_register(&tp, "stress u64 thread; u64 number"))
        _exit(1);
    for (uintptr_t i = 1; i < THREADS; i++)
        (void)pthread_create(&threads[i], NULL, write_for_ever, (void *)i);
    (void)write_for_ever((void *)0);
    _exit(0);
}

/* Polls the session for this time. */
static void collect_for(struct cairn_session *session, uint64_t microseconds)
{
    const struct timespec pause = {.tv_nsec = 200000};

    for (uint64_t t = 0; t < microseconds; t += 200) {
        uint32_t wait_ms;
        int error = cairn_session_poll(session, &wait_ms);

        if (error)
            fail("polling", error);
        (void)nanosleep(&pause, NULL);
    }
}

/* Counts the events of each thread in the file; they must be in order, without a gap except for
 * losses. */
static void count_events(const char *path, uint64_t counts[THREADS], uint64_t *lost)
{
    struct cairn_perf_record record;
    struct cairn_perf_sample sample;
    struct cairn_perf_file *file;
    int error = cairn_perf_file_open(path, NULL, &file);

    if (error)
        fail(path, error);
    while (!(error = cairn_perf_file_next(file, &record))) {
        uint64_t thread;

        if (record.type != CAIRN_PERF_RECORD_SAMPLE)
            continue;
        if (cairn_perf_sample_parse(file, &record, &sample) ||
            sample.raw_size_bytes < CAIRN_COMMON_BYTES + 16)
            fail("a sample", EBADMSG);
        memcpy(&thread, sample.raw + CAIRN_COMMON_BYTES, sizeof(thread));
        if (thread >= THREADS)
            fail("a thread's number", EBADMSG);
        counts[thread]++;
    }
    if (error != ENODATA)
        fail("reading", error);
    *lost = cairn_perf_file_counts(file)->lost_events;
    cairn_perf_file_close(file);
}

static void run_round(const char *path, unsigned int seed)
{
    const char *pattern = "stress";
    struct cairn_session_options options = {
        .size = sizeof(options), .patterns = &pattern, .pattern_count = 1, .buffer_bytes = 2 << 20};
    uint64_t counts[THREADS] = {0};
    struct cairn_session *session;
    uint64_t lost_in_file;
    uint64_t lost = 0;
    int error;
    pid_t pid;

    memset(tally, 0, sizeof(*tally));
    options.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    error = options.fd < 0 ? errno : cairn_session_create(&options, &session);
    if (error)
        fail("beginning a session", error);
    pid = fork();
    if (pid == 0)
        be_writer();
    collect_for(session, 2000 + seed * 997 % 20000);
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0);
    error = cairn_session_finish(session);
    if (error)
        fail("finishing", error);
    cairn_session_destroy(session);
    close(options.fd);

    count_events(path, counts, &lost_in_file);
    for (int i = 0; i < THREADS; i++) {
        if (counts[i] < tally->written[i] || counts[i] > tally->written[i] + 1) {
            fprintf(stderr, "thread %d wrote %llu, %llu are in the file\n", i,
                    (unsigned long long)tally->written[i], (unsigned long long)counts[i]);
            fail("an event", ENODATA);
        }
        lost += tally->lost[i];
    }
    /* A thread may have been killed after it counted a loss in the pool and before it counted the
     * loss itself. */
    if (lost_in_file < lost || lost_in_file > lost + THREADS)
        fail("the number of losses", ERANGE);
}

int main(int argc, char **argv)
{
    unsigned int rounds = getenv("CAIRN_TEST_ALL") ? 20 : 6;
    char path[128];

    if (argc > 1)
        rounds = (unsigned int)strtoul(argv[1], NULL, 10);
    tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED || tracing_dir_make())
        fail("setting up", errno);
    (void)snprintf(path, sizeof(path), "%s/output.perf.data", tracing_dir);
    for (unsigned int i = 0; i < rounds; i++)
        run_round(path, i);
    tracing_dir_remove();
    printf("%u programs killed; each event that was written is in the file\n", rounds);
    return 0;
}
