/* SPDX-License-Identifier: MIT */
/* Records other processes: begins a session, ends it, and passes the events of its file to a
 * function. */
#ifndef TESTS_SESSION_TEST_H
#define TESTS_SESSION_TEST_H

#include "session_format.h"
#include "tracing_dir.h"

#include <cairn/perf_data.h>
#include <cairn/session.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cmocka.h>

struct recording {
    struct cairn_session *session;
    struct cairn_session_counts counts; /* valid after the end */
    struct cairn_perf_missing missing;  /* according to the file; valid after the end */
    char path[96];
    int fd;
};

static inline struct recording begin_recording(const char *pattern, size_t buffer_bytes)
{
    struct cairn_session_options options = {.size = sizeof(options),
                                            .patterns = &pattern,
                                            .pattern_count = 1,
                                            .buffer_bytes = buffer_bytes};
    struct recording r = {0};

    (void)snprintf(r.path, sizeof(r.path), "%s/output.perf.data", tracing_dir);
    r.fd = open(r.path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(r.fd >= 0);
    options.fd = r.fd;
    set_format(&options);
    assert_int_equal(cairn_session_create(&options, &r.session), 0);
    return r;
}

static inline void poll_recording(struct recording *r)
{
    uint32_t wait_ms;

    assert_int_equal(cairn_session_poll(r->session, &wait_ms), 0);
}

/* Ends the recording, and passes each event in the order of the file to `visit`, which may be
 * NULL. */
static inline void end_recording(struct recording *r,
                                 void (*visit)(const struct cairn_perf_sample *sample, void *arg),
                                 void *arg)
{
    struct cairn_perf_sample sample;
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    int error;

    assert_int_equal(cairn_session_finish(r->session), 0);
    r->counts = *cairn_session_counts(r->session);
    cairn_session_destroy(r->session);
    close(r->fd);
    make_perf(r->path);
    assert_int_equal(cairn_perf_file_open(r->path, NULL, &file), 0);
    while (!(error = cairn_perf_file_next(file, &record))) {
        if (record.type != CAIRN_PERF_RECORD_SAMPLE || !visit)
            continue;
        assert_int_equal(cairn_perf_sample_parse(file, &record, &sample), 0);
        visit(&sample, arg);
    }
    assert_int_equal(error, ENODATA);
    r->missing = *cairn_perf_file_missing(file);
    cairn_perf_file_close(file);
}

/* The first number of an event's payload. */
static inline uint32_t number_of(const struct cairn_perf_sample *sample)
{
    uint32_t number;

    assert_true(sample->raw_size_bytes >= 12);
    memcpy(&number, sample->raw + 8, sizeof(number));
    return number;
}

static inline uint32_t files_in(const char *directory)
{
    char path[96];
    uint32_t count = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/%s", tracing_dir, directory);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));)
        count += item->d_name[0] != '.';
    closedir(dir);
    return count;
}

/* Memory that processes share, filled with zeros. */
static inline void *shared_memory(size_t size_bytes)
{
    void *memory =
        mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    assert_true(memory != MAP_FAILED);
    return memory;
}

/* Waits until the word, which other threads or processes change, is at least `value`. */
static inline void wait_until(const uint32_t *word, uint32_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
        (void)usleep(500);
}

static inline void set_word(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static inline void add_to_word(uint32_t *word, uint32_t value)
{
    __atomic_fetch_add(word, value, __ATOMIC_ACQ_REL);
}

#endif
