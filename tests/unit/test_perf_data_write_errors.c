/* SPDX-License-Identifier: MIT */
/* Test of outputs that fail, and of recorders that are killed: what was written stays readable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "perf_recording.h"
#include "perf_walk.h"

static struct cairn_perf_writer *create(int fd, enum cairn_perf_mode mode)
{
    struct cairn_perf_writer *writer = NULL;

    assert_int_equal(cairn_perf_writer_create(fd, mode, &writer), 0);
    return writer;
}

/* Reads a whole file. Returns the number of its samples. */
static uint64_t samples_of(int fd, int expected_err, bool is_pipe)
{
    struct cairn_perf_file *file = NULL;
    uint64_t records;
    uint64_t samples;

    assert_int_equal(cairn_perf_file_open_fd(fd, NULL, &file), 0);
    assert_int_equal(cairn_perf_file_is_pipe(file), is_pipe);
    assert_int_equal(perf_walk(file, true, &records), expected_err);
    samples = cairn_perf_file_counts(file)->samples;
    cairn_perf_file_close(file);
    return samples;
}

static void descriptors_of_the_wrong_kind_are_refused(void **state)
{
    char path[] = "/tmp/cairn-test-XXXXXX";
    struct cairn_perf_writer *writer = NULL;
    int fd = mkstemp(path);
    int append = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    int reading = open(path, O_RDONLY | O_CLOEXEC);
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(cairn_perf_writer_create(fds[1], (enum cairn_perf_mode)7, &writer), EINVAL);
    assert_int_equal(cairn_perf_writer_create(append, CAIRN_PERF_FILE, &writer), EINVAL);
    assert_int_equal(cairn_perf_writer_create(reading, CAIRN_PERF_FILE, &writer), EINVAL);
    assert_int_equal(cairn_perf_writer_create(reading, CAIRN_PERF_PIPE, &writer), EINVAL);
    assert_int_equal(cairn_perf_writer_create(fds[1], CAIRN_PERF_FILE, &writer), EINVAL);
    assert_int_equal(cairn_perf_writer_create(fds[0], CAIRN_PERF_PIPE, &writer), EINVAL);
    assert_null(writer);
    close(fds[0]);
    close(fds[1]);
    assert_int_equal(cairn_perf_writer_create(fds[1], CAIRN_PERF_PIPE, &writer), EBADF);
    close(append);
    close(reading);
    close(fd);
    unlink(path);
}

static void the_error_of_a_full_device_is_returned_and_kept(void **state)
{
    int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct cairn_perf_writer *writer;

    (void)state;
    if (fd < 0)
        skip();
    writer = create(fd, CAIRN_PERF_PIPE);
    assert_int_equal(write_close(writer, 0, 1), ENOSPC);
    assert_int_equal(write_close(writer, 0, 1), ENOSPC);
    assert_int_equal(cairn_perf_writer_round(writer), ENOSPC);
    assert_int_equal(cairn_perf_writer_flush(writer), ENOSPC);
    assert_int_equal(cairn_perf_writer_finish(writer), ENOSPC);
    cairn_perf_writer_destroy(writer);
    close(fd);
}

static void a_closed_pipe_is_an_error(void **state)
{
    struct cairn_perf_writer *writer;
    int fds[2];

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(fds), 0);
    close(fds[0]);
    writer = create(fds[1], CAIRN_PERF_PIPE);
    assert_int_equal(write_close(writer, 0, 1), EPIPE);
    assert_int_equal(cairn_perf_writer_finish(writer), EPIPE);
    cairn_perf_writer_destroy(writer);
    close(fds[1]);
}

struct reader {
    int fd;
    int copy;
};

static void *read_slowly(void *arg)
{
    const struct reader *reader = arg;
    char bytes[1000];
    ssize_t got;

    while ((got = read(reader->fd, bytes, sizeof(bytes))) > 0) {
        if (write(reader->copy, bytes, (size_t)got) != got)
            break;
    }
    return NULL;
}

/* Every write to a small non-blocking pipe is a partial one. */
static void partial_writes_lose_nothing(void **state)
{
    const uint64_t count = 5000;
    struct cairn_perf_writer *writer;
    struct reader reader;
    pthread_t thread;
    int fds[2];

    (void)state;
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
    assert_int_equal(fcntl(fds[0], F_SETFL, 0), 0);
    fcntl(fds[1], F_SETPIPE_SZ, 4096);
    reader = (struct reader){fds[0], memory_file()};
    assert_int_equal(pthread_create(&thread, NULL, read_slowly, &reader), 0);
    writer = create(fds[1], CAIRN_PERF_PIPE);
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(write_close(writer, 0, i + 1), 0);
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
    close(fds[1]);
    pthread_join(thread, NULL);
    assert_int_equal(samples_of(reader.copy, ENODATA, true), count);
    close(fds[0]);
    close(reader.copy);
}

static void limit_file_size(uint64_t size)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* Writes until the limit is reached, and finishes with or without the limit. */
static uint64_t write_limited(uint64_t limit, bool lifted, int *fd)
{
    struct cairn_perf_writer *writer;
    uint64_t written = 0;

    *fd = memory_file();
    writer = create(*fd, CAIRN_PERF_FILE);
    assert_int_equal(add_tracepoint(writer, "user_events", "conn_open", 1701, FORMAT_OPEN, 100), 0);
    limit_file_size(limit);
    for (;;) {
        int err = write_open(writer, 100, written + 1);

        if (!err)
            err = cairn_perf_writer_flush(writer);
        if (err == EFBIG)
            break;
        assert_int_equal(err, 0);
        written++;
    }
    if (lifted)
        limit_file_size(RLIM_INFINITY);
    assert_int_equal(cairn_perf_writer_finish(writer), EFBIG);
    limit_file_size(RLIM_INFINITY);
    cairn_perf_writer_destroy(writer);
    return written;
}

static void a_full_disk_keeps_all_whole_records(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    for (uint64_t limit = 4000; limit < 4200; limit += 3) {
        for (int lifted = 0; lifted < 2; lifted++) {
            int fd;
            uint64_t written = write_limited(limit, lifted, &fd);

            /* With space again the stream becomes a file, without it stays a stream. */
            assert_true(written > 0);
            assert_int_equal(samples_of(fd, ENODATA, !lifted), written);
            close(fd);
        }
    }
}

static void no_space_for_the_metadata_is_an_error(void **state)
{
    struct cairn_perf_writer *writer;
    int fd = memory_file();
    struct stat st;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    writer = create(fd, CAIRN_PERF_FILE);
    limit_file_size(200);
    assert_int_equal(write_close(writer, 0, 1), EFBIG);
    assert_int_equal(cairn_perf_writer_finish(writer), EFBIG);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_size, 0);
    cairn_perf_writer_destroy(writer);
    close(fd);
}

/* A recorder that is killed at any instruction leaves a prefix of its output. */
static void a_truncated_unfinished_file_is_readable_up_to_its_end(void **state)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer = create(fd, CAIRN_PERF_FILE);
    uint64_t most = 0;
    struct stat st;

    (void)state;
    for (uint64_t i = 1; i < 20; i++) {
        assert_int_equal(add_tracepoint(writer, "s", "x", (uint32_t)i, "name: x\nID: 1\n", i), 0);
        assert_int_equal(write_close(writer, i, i), 0);
    }
    assert_int_equal(cairn_perf_writer_flush(writer), 0);
    cairn_perf_writer_destroy(writer);
    assert_int_equal(fstat(fd, &st), 0);
    for (off_t size = st.st_size; size > 16; size--) {
        struct cairn_perf_file *file = NULL;
        uint64_t records;
        int err;

        assert_int_equal(ftruncate(fd, size), 0);
        assert_int_equal(cairn_perf_file_open_fd(fd, NULL, &file), 0);
        err = perf_walk(file, true, &records);
        assert_true(err == ENODATA || err == EBADMSG);
        if (size == st.st_size)
            assert_int_equal(cairn_perf_file_counts(file)->samples, 19);
        else
            assert_true(records <= most && records + 2 >= most);
        most = records;
        cairn_perf_file_close(file);
    }
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors_of_the_wrong_kind_are_refused),
        cmocka_unit_test(the_error_of_a_full_device_is_returned_and_kept),
        cmocka_unit_test(a_closed_pipe_is_an_error),
        cmocka_unit_test(partial_writes_lose_nothing),
        cmocka_unit_test(a_full_disk_keeps_all_whole_records),
        cmocka_unit_test(no_space_for_the_metadata_is_an_error),
        cmocka_unit_test(a_truncated_unfinished_file_is_readable_up_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
