/* SPDX-License-Identifier: MIT */
/* Test of reading well-formed perf.data of all kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perf_data/file.h"
#include "perf_image.h"
#include "perf_recording.h"

/* The records of most tests: two rounds, not in time order. */
static void put_records(struct image *data)
{
    image_comm(data, 8, "walker", 0);
    image_sample(data, 102, 500, 8);
    image_sample(data, 201, 400, 9);
    image_round(data);
    image_lost(data, 101, 5, 450);
    image_sample(data, 101, 450, 8);
    image_fork(data, 30, 8, 460);
    image_sample(data, 201, 600, 30);
    image_round(data);
    image_sample(data, 101, 550, 8);
    image_comm(data, 8, "runner", 560);
}

static struct cairn_perf_file *open_image(const struct image *im)
{
    struct cairn_perf_error error = {0};
    struct cairn_perf_file *file = NULL;
    int err = perf_data_file_open_memory(im->bytes, im->size, &error, &file);

    if (err)
        print_message("open: %d at %llu: %s\n", err, (unsigned long long)error.offset, error.text);
    assert_int_equal(err, 0);
    return file;
}

/* Checks the metadata that every image has. */
static void expect_metadata(struct cairn_perf_file *file)
{
    const struct cairn_perf_attr *attr = cairn_perf_file_attr_of_id(file, 201);
    const struct cairn_perf_host *host = cairn_perf_file_host(file);
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(file);

    assert_int_equal(cairn_perf_file_attr_count(file), 2);
    assert_non_null(attr);
    assert_ptr_equal(attr, cairn_perf_file_attr(file, 1));
    assert_int_equal(attr->index, 1);
    assert_string_equal(attr->name, "more:close");
    assert_int_equal(attr->type, CAIRN_PERF_TYPE_TRACEPOINT);
    assert_int_equal(attr->config, 12);
    assert_int_equal(attr->sample_type, CAIRN_RECORD_SAMPLE_TYPE);
    assert_int_equal(attr->flags, PERF_DATA_ATTR_SAMPLE_ID_ALL);
    assert_int_equal(attr->id_count, 1);
    assert_int_equal(attr->ids[0], 201);
    assert_int_equal(attr->system.length, 4);
    assert_memory_equal(attr->system.text, "more", 4);
    assert_int_equal(attr->format.length, strlen(IMAGE_FORMAT_CLOSE));
    assert_memory_equal(attr->format.text, IMAGE_FORMAT_CLOSE, attr->format.length);
    assert_ptr_equal(cairn_perf_file_attr_of_id(file, 102), cairn_perf_file_attr(file, 0));
    assert_null(cairn_perf_file_attr_of_id(file, 103));

    assert_int_equal(cairn_perf_file_format_count(file), 3);
    assert_memory_equal(cairn_perf_file_format(file, 0)->system.text, "ftrace", 6);
    assert_int_equal(cairn_perf_file_format(file, 2)->id, 12);
    assert_int_equal(cairn_perf_file_tracing(file)->page_size_bytes, 4096);
    assert_int_equal(cairn_perf_file_tracing(file)->header_page.length, 5);

    assert_string_equal(host->hostname, "thehost");
    assert_int_equal(host->arg_count, 2);
    assert_string_equal(host->args[1], "record");
    assert_null(host->arch);
    assert_true(clock->wall_clock_known);
    assert_int_equal(clock->clockid, 1);
    assert_int_equal(cairn_perf_clock_wall_ns(clock, 500), 1000100);
}

static void expect_sample(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    struct cairn_perf_sample s = {0};

    assert_int_equal(cairn_perf_sample_parse(file, record, &s), 0);
    assert_ptr_equal(s.attr, record->attr);
    assert_ptr_equal(s.attr, cairn_perf_file_attr_of_id(file, s.id));
    assert_int_equal(s.time_ns, record->time_ns);
    assert_int_equal(s.pid, 7);
    assert_int_equal(s.cpu, 3);
    assert_int_equal(s.raw_size_bytes, 12);
    assert_memory_equal(s.raw, "rawbytes", 9);
    assert_null(s.callchain);
    assert_int_equal(s.period, 0);
}

static void expect_records(struct cairn_perf_file *file, bool ordered, const uint64_t *times,
                           size_t count)
{
    int (*next)(struct cairn_perf_file *, struct cairn_perf_record *) =
        ordered ? cairn_perf_file_next_ordered : cairn_perf_file_next;
    struct cairn_perf_record record;
    size_t seen = 0;

    while (!next(file, &record)) {
        if (record.type == CAIRN_PERF_RECORD_SAMPLE)
            expect_sample(file, &record);
        if (record.type >= CAIRN_PERF_RECORD_USER_FIRST)
            continue;
        assert_true(seen < count);
        assert_int_equal(record.time_ns, times[seen]);
        seen++;
    }
    assert_int_equal(seen, count);
    assert_int_equal(next(file, &record), ENODATA);
    assert_int_equal(cairn_perf_file_error(file)->code, 0);
    assert_int_equal(cairn_perf_file_counts(file)->samples, 5);
    assert_int_equal(cairn_perf_file_counts(file)->lost_events, 5);
    assert_int_equal(cairn_perf_file_counts(file)->rounds, 2);
}

static const uint64_t file_order[] = {0, 500, 400, 450, 450, 460, 600, 550, 560};
static const uint64_t time_order[] = {0, 400, 450, 450, 460, 500, 550, 560, 600};
#define RECORDS (sizeof(file_order) / sizeof(*file_order))

static void read_both_ways(const struct image *im, bool is_pipe)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        struct cairn_perf_file *file = open_image(im);

        assert_int_equal(cairn_perf_file_is_pipe(file), is_pipe);
        assert_int_equal(cairn_perf_file_is_swapped(file), im->swap);
        if (!is_pipe)
            expect_metadata(file);
        expect_records(file, ordered, ordered ? time_order : file_order, RECORDS);
        expect_metadata(file);
        assert_string_equal(cairn_perf_file_comm(file, 8), "runner");
        assert_string_equal(cairn_perf_file_comm(file, 30), "walker");
        assert_string_equal(cairn_perf_file_comm(file, 22), "bird of prey");
        assert_null(cairn_perf_file_comm(file, 9));
        cairn_perf_file_close(file);
    }
}

static void a_file_of_either_byte_order_and_any_age_is_read(void **state)
{
    static const size_t attr_sizes[] = {64, 72, 96, 136, 400};
    struct image data;
    struct image im;

    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        for (size_t i = 0; i < sizeof(attr_sizes) / sizeof(*attr_sizes); i++) {
            data = (struct image){.swap = swap};
            put_records(&data);
            image_file(&im, &data, attr_sizes[i]);
            read_both_ways(&im, false);
        }
    }
}

static void a_stored_pipe_stream_of_either_byte_order_is_read(void **state)
{
    struct image data;
    struct image im;

    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        data = (struct image){.swap = swap};
        put_records(&data);
        image_pipe(&im, &data, swap ? 64 : 136);
        read_both_ways(&im, true);
    }
}

struct feed {
    const struct image *im;
    int fd;
    size_t piece;
};

static void *feed_pipe(void *arg)
{
    const struct feed *feed = arg;

    for (size_t at = 0; at < feed->im->size;) {
        size_t piece = feed->im->size - at < feed->piece ? feed->im->size - at : feed->piece;
        ssize_t done = write(feed->fd, feed->im->bytes + at, piece);

        if (done <= 0)
            break;
        at += (size_t)done;
    }
    close(feed->fd);
    return NULL;
}

static void read_through_pipe(const struct image *im, size_t piece, bool is_pipe)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        struct cairn_perf_file *file = NULL;
        struct feed feed = {.im = im, .piece = piece};
        pthread_t thread;
        int fds[2];

        assert_int_equal(pipe(fds), 0);
        feed.fd = fds[1];
        assert_int_equal(pthread_create(&thread, NULL, feed_pipe, &feed), 0);
        assert_int_equal(cairn_perf_file_open_fd(fds[0], NULL, &file), 0);
        assert_int_equal(cairn_perf_file_is_pipe(file), is_pipe);
        expect_records(file, ordered, ordered ? time_order : file_order, RECORDS);
        expect_metadata(file);
        cairn_perf_file_close(file);
        pthread_join(thread, NULL);
        close(fds[0]);
    }
}

static void a_pipe_stream_is_read_while_it_is_written(void **state)
{
    struct image data = {0};
    struct image im;

    (void)state;
    put_records(&data);
    image_pipe(&im, &data, 128);
    read_through_pipe(&im, 1, true);
    read_through_pipe(&im, 4096, true);
}

static void a_file_can_be_read_through_a_pipe(void **state)
{
    struct image data = {.swap = true};
    struct image im;

    (void)state;
    put_records(&data);
    image_file(&im, &data, 128);
    read_through_pipe(&im, 1000, false);
}

static void a_file_is_opened_by_its_path(void **state)
{
    char path[] = "/tmp/cairn-test-XXXXXX";
    struct cairn_perf_error error = {0};
    struct cairn_perf_file *file = NULL;
    struct image data = {0};
    struct image im;
    int fd = mkstemp(path);

    (void)state;
    put_records(&data);
    image_file(&im, &data, 112);
    assert_int_equal(write(fd, im.bytes, im.size), im.size);
    assert_int_equal(cairn_perf_file_open(path, &error, &file), 0);
    expect_records(file, true, time_order, RECORDS);
    cairn_perf_file_close(file);
    close(fd);
    unlink(path);
    file = NULL;
    assert_int_equal(cairn_perf_file_open(path, &error, &file), ENOENT);
    assert_int_equal(error.code, ENOENT);
    assert_null(file);
    assert_int_equal(cairn_perf_file_open("/tmp", &error, &file), EISDIR);
    cairn_perf_file_close(NULL);
}

/* Records of several sorted buffers in rounds, some late; the thread is the record's number. */
static void put_random_records(struct image *data, unsigned *seed)
{
    uint64_t times[4] = {100, 100, 100, 100};

    for (uint32_t n = 1; n <= 250; n++) {
        uint64_t *time_ns = &times[(unsigned)rand_r(seed) % 4];

        *time_ns += (unsigned)rand_r(seed) % 3;
        image_sample(data, n % 3 ? 101 : 201, n % 50 ? *time_ns : 90, n);
        if (n % 37 == 0)
            image_sample(data, 4711, *time_ns, 0); /* of no event, but with a time */
        if (!((unsigned)rand_r(seed) % 20))
            image_round(data);
        if (!((unsigned)rand_r(seed) % 40))
            image_comm(data, 8, "walker", 0);
    }
}

static size_t list_samples(struct cairn_perf_file *file, uint32_t *tids, uint64_t *ret_late)
{
    struct cairn_perf_record record;
    size_t count = 0;

    while (!cairn_perf_file_next_ordered(file, &record)) {
        struct cairn_perf_sample sample;

        if (cairn_perf_sample_parse(file, &record, &sample))
            continue;
        tids[count++] = sample.tid;
    }
    *ret_late = cairn_perf_file_counts(file)->late;
    cairn_perf_file_close(file);
    return count;
}

/* A file's records wait in spans, those of a stream one by one. */
static void a_file_has_the_order_of_its_stream(void **state)
{
    (void)state;
    for (unsigned round = 1; round < 100; round++) {
        unsigned seed = round;
        struct image data = {.swap = round % 2};
        struct image file_image;
        struct image stream_image;
        uint32_t tids[3][256];
        uint64_t late[3];
        struct cairn_perf_file *file = NULL;
        int fd = memfd_create("perf.data", MFD_CLOEXEC);

        put_random_records(&data, &seed);
        image_file(&file_image, &data, 112);
        image_pipe(&stream_image, &data, 112);
        assert_int_equal(write(fd, file_image.bytes, file_image.size), file_image.size);
        assert_int_equal(cairn_perf_file_open_fd(fd, NULL, &file), 0);
        close(fd);
        assert_int_equal(list_samples(open_image(&stream_image), tids[0], &late[0]), 250);
        assert_int_equal(list_samples(open_image(&file_image), tids[1], &late[1]), 250);
        assert_int_equal(list_samples(file, tids[2], &late[2]), 250);
        for (int n = 1; n < 3; n++) {
            assert_memory_equal(tids[n], tids[0], 250 * sizeof(**tids));
            assert_int_equal(late[n], late[0]);
        }
    }
}

static void the_file_of_a_killed_recorder_is_readable(void **state)
{
    struct image data = {0};
    struct image im;
    struct cairn_perf_file *file;

    (void)state;
    put_records(&data);
    image_file(&im, &data, 128);
    im.size = IMAGE_HEADER + 24 + 2 * 144 + data.size; /* no features were written */
    image_set_u64(&im, 48, 0);
    file = open_image(&im);
    expect_records(file, true, time_order, RECORDS);
    assert_string_equal(cairn_perf_file_attr(file, 0)->name, "");
    cairn_perf_file_close(file);
}

static void features_of_a_big_endian_32_bit_machine_are_found(void **state)
{
    struct image data = {.swap = true};
    struct image im;
    uint8_t low[4];

    (void)state;
    put_records(&data);
    image_file(&im, &data, 96);
    memcpy(low, im.bytes + 72, 4); /* its longs have half the size */
    memcpy(im.bytes + 72, im.bytes + 76, 4);
    memcpy(im.bytes + 76, low, 4);
    read_both_ways(&im, false);
}

static void a_file_with_the_old_magic_is_read(void **state)
{
    struct image data = {0};
    struct image im;

    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        data = (struct image){.swap = swap};
        put_records(&data);
        image_file(&im, &data, 72);
        memcpy(im.bytes, "PERFFILE", 8);
        read_both_ways(&im, false);
    }
}

static void data_after_auxtrace_records_are_skipped(void **state)
{
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    struct image data = {0};
    struct image im;
    size_t begin;

    (void)state;
    begin = image_record(&data, CAIRN_PERF_RECORD_AUXTRACE);
    image_u64(&data, 1001);
    image_zeros(&data, 32);
    image_end_record(&data, begin);
    for (int i = 0; i < 1001; i++)
        image_u8(&data, 0xff);
    begin = image_record(&data, 79); /* TIME_CONV, and an unknown type */
    image_zeros(&data, 24);
    image_end_record(&data, begin);
    begin = image_record(&data, 4711);
    image_end_record(&data, begin);
    image_sample(&data, 101, 1, 1);
    image_file(&im, &data, 128);
    file = open_image(&im);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_int_equal(record.type, CAIRN_PERF_RECORD_AUXTRACE);
    assert_int_equal(record.size_bytes, 48);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_int_equal(record.type, 79);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_int_equal(record.type, 4711);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_int_equal(record.type, CAIRN_PERF_RECORD_SAMPLE);
    assert_int_equal(cairn_perf_file_next(file, &record), ENODATA);
    cairn_perf_file_close(file);
}

/* PERF_SAMPLE_ IP TID TIME ADDR ID STREAM_ID CPU PERIOD READ CALLCHAIN RAW */
#define FULL_SAMPLE_TYPE 0x7ffu

static void put_full_sample(struct image *data, bool group)
{
    size_t begin = image_record(data, CAIRN_PERF_RECORD_SAMPLE);

    image_u64(data, 0x1000); /* ip */
    image_u32(data, 1);
    image_u32(data, 2);
    image_u64(data, 33);
    image_u64(data, 0x44); /* addr */
    image_u64(data, 55);   /* id */
    image_u64(data, 66);   /* stream id */
    image_u32(data, 7);
    image_u32(data, 0);
    image_u64(data, 88); /* period */
    if (group)
        image_u64(data, 2); /* values */
    image_zeros(data, 16);  /* times enabled and running */
    image_zeros(data, (group ? 2 : 1) * 24);
    image_u64(data, 3); /* callchain */
    image_zeros(data, 24);
    image_u32(data, 4); /* raw */
    image_put(data, "raw!", 4);
    image_zeros(data, 40); /* bytes after these are ignored */
    image_end_record(data, begin);
}

static void samples_with_all_fields_are_parsed(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bool group = i & 1;
        struct image im = {.swap = i & 2};
        struct cairn_perf_record record;
        struct cairn_perf_sample s;
        struct cairn_perf_file *file;
        size_t begin;

        image_u64(&im, 0x32454c4946524550u);
        image_u64(&im, 16);
        for (int attr = 0; attr < 2; attr++) { /* the id is found without IDENTIFIER */
            size_t read_format;

            begin = image_record(&im, CAIRN_PERF_RECORD_HEADER_ATTR);
            read_format = im.size + 32;
            image_attr(&im, 0, 0, FULL_SAMPLE_TYPE, 128);
            image_set_u64(&im, read_format, 0x17u | (group ? 8u : 0u));
            image_u64(&im, attr ? 55 : 54);
            image_end_record(&im, begin);
        }
        put_full_sample(&im, group);
        file = open_image(&im);
        for (int skip = 0; skip < 3; skip++)
            assert_int_equal(cairn_perf_file_next(file, &record), 0);
        assert_int_equal(cairn_perf_sample_parse(file, &record, &s), 0);
        assert_int_equal(s.attr->index, 1);
        assert_int_equal(s.ip, 0x1000);
        assert_int_equal(s.pid, 1);
        assert_int_equal(s.tid, 2);
        assert_int_equal(s.time_ns, 33);
        assert_int_equal(s.addr, 0x44);
        assert_int_equal(s.id, 55);
        assert_int_equal(s.stream_id, 66);
        assert_int_equal(s.cpu, 7);
        assert_int_equal(s.period, 88);
        assert_int_equal(s.callchain_count, 3);
        assert_int_equal(s.raw_size_bytes, 4);
        assert_memory_equal(s.raw, "raw!", 4);
        cairn_perf_file_close(file);
    }
}

static void an_event_update_names_an_event(void **state)
{
    struct cairn_perf_file *file;
    struct cairn_perf_record record;
    struct image data = {0};
    struct image im;
    size_t begin;

    (void)state;
    begin = image_record(&data, CAIRN_PERF_RECORD_EVENT_UPDATE);
    image_u64(&data, 2);
    image_u64(&data, 201);
    image_put(&data, "renamed", 8);
    image_end_record(&data, begin);
    image_pipe(&im, &data, 128);
    file = open_image(&im);
    while (!cairn_perf_file_next(file, &record))
        continue;
    assert_string_equal(cairn_perf_file_attr_of_id(file, 201)->name, "renamed");
    cairn_perf_file_close(file);
}

static void a_feature_is_returned_as_bytes(void **state)
{
    const void *bytes = NULL;
    size_t size = 0;
    struct cairn_perf_file *file;
    struct image data = {0};
    struct image im;

    (void)state;
    put_records(&data);
    image_file(&im, &data, 128);
    file = open_image(&im);
    assert_int_equal(cairn_perf_file_feature(file, CAIRN_PERF_FEATURE_CLOCK_DATA, &bytes, &size),
                     0);
    assert_int_equal(size, 24);
    assert_int_equal(cairn_perf_file_feature(file, CAIRN_PERF_FEATURE_BUILD_ID, &bytes, &size),
                     ENOENT);
    cairn_perf_file_close(file);
}

static void only_samples_of_known_attrs_are_parsed(void **state)
{
    struct cairn_perf_record record;
    struct cairn_perf_sample s = {.id = 99};
    struct cairn_perf_file *file;
    struct image data = {0};
    struct image im;

    (void)state;
    image_comm(&data, 1, "x", 0);
    image_sample(&data, 4711, 5, 1);
    image_file(&im, &data, 128);
    file = open_image(&im);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_int_equal(cairn_perf_sample_parse(file, &record, &s), EINVAL);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_null(record.attr);
    assert_int_equal(cairn_perf_sample_parse(file, &record, &s), ENOENT);
    assert_int_equal(s.id, 99);
    cairn_perf_file_close(file);
}

/* ---- resident memory ---- */

/* The pages of files that are resident: of files in /tmp, which may be memory, too. */
static size_t resident_file_bytes(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    size_t sum = 0;
    char line[128];
    size_t kib;

    assert_non_null(status);
    while (fgets(line, sizeof(line), status)) {
        if (sscanf(line, "RssFile: %zu", &kib) == 1 || sscanf(line, "RssShmem: %zu", &kib) == 1)
            sum += kib << 10;
    }
    assert_int_equal(fclose(status), 0);
    return sum;
}

/* Takes the next bytes up to an offset, and returns the largest number of bytes that were resident.
 */
static size_t take_up_to(struct perf_data_source *source, uint64_t offset)
{
    size_t most = 0;

    while (source->offset < offset) {
        size_t now;

        perf_data_source_take(source, (size_t)2 << 20);
        now = resident_file_bytes();
        most = now > most ? now : most;
    }
    return most;
}

#define SPARSE_BYTES ((uint64_t)192 << 20)
#define MOST_BYTES   ((size_t)32 << 20)

static void a_large_file_does_not_fill_memory(void **state)
{
    FILE *sparse = tmpfile();
    struct perf_data_source source = {.fd = -1};
    size_t before = resident_file_bytes();

    (void)state;
    assert_non_null(sparse);
    assert_int_equal(ftruncate(fileno(sparse), (off_t)SPARSE_BYTES), 0);
    assert_int_equal(perf_data_source_map(&source, fileno(sparse)), 0);
    assert_true(take_up_to(&source, SPARSE_BYTES / 2) < before + MOST_BYTES);

    /* what is read again far before the position is given back by its reader, or later */
    for (uint64_t at = 0; at < SPARSE_BYTES / 4; at += 4096)
        assert_int_equal(*(const volatile uint8_t *)(source.map + at), 0);
    assert_true(resident_file_bytes() > before + SPARSE_BYTES / 4);
    perf_data_source_give_back(&source, source.map, SPARSE_BYTES / 8);
    assert_true(resident_file_bytes() < before + SPARSE_BYTES / 8 + MOST_BYTES);
    (void)take_up_to(&source, SPARSE_BYTES - ((uint64_t)2 << 20));
    assert_true(resident_file_bytes() < before + MOST_BYTES);

    perf_data_source_close(&source, NULL);
    assert_int_equal(fclose(sparse), 0);
}

/* Samples of two events in runs, as the buffers of CPUs have them; some are late, have no time, or
 * an id that no event has. Each fourth file is larger than what is kept of its bytes. */
static int write_runs(unsigned seed)
{
    struct cairn_perf_writer *writer;
    uint64_t time_ns = 1000;
    int fd = memory_file();
    int count = seed % 4 == 3 ? 60000 : 4000;

    srand(seed);
    assert_int_equal(cairn_perf_writer_create(fd, CAIRN_PERF_FILE, &writer), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_open", 1701, FORMAT_OPEN, 11), 0);
    if (seed % 3)
        assert_int_equal(add_tracepoint(writer, "net", "conn_close", 1702, FORMAT_CLOSE, 12), 0);
    for (int n = 0; n < count; n++) {
        uint64_t id = seed % 3 && rand() % 50 == 0 ? 12 + (uint64_t)(rand() % 2) : 11;
        bool is_odd = rand() % 200 == 0;

        time_ns =
            rand() % 100 ? time_ns + (uint64_t)(rand() % 3) : time_ns - (uint64_t)(rand() % 200);
        assert_int_equal(write_open(writer, id, is_odd ? (rand() % 2 ? 0 : UINT64_MAX) : time_ns),
                         0);
        if (rand() % 300 == 0)
            assert_int_equal(cairn_perf_writer_comm(writer, 4000, 4001, "other", time_ns), 0);
        if (rand() % (count / 10) == 0)
            assert_int_equal(cairn_perf_writer_round(writer), 0);
    }
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
    return fd;
}

static void a_file_that_is_read_by_its_descriptor_has_the_order_of_memory(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 12; seed++) {
        int fd = write_runs(seed);
        size_t size = (size_t)lseek(fd, 0, SEEK_END);
        void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        struct cairn_perf_file *files[2];
        struct cairn_perf_record records[2] = {0};
        int errors[2];

        assert_ptr_not_equal(bytes, MAP_FAILED);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        assert_int_equal(perf_data_file_open_memory(bytes, size, NULL, &files[0]), 0);
        assert_int_equal(cairn_perf_file_open_fd(fd, NULL, &files[1]), 0);
        do {
            for (int n = 0; n < 2; n++)
                errors[n] = cairn_perf_file_next_ordered(files[n], &records[n]);
            assert_int_equal(errors[0], errors[1]);
            assert_int_equal(records[0].offset, records[1].offset);
            assert_int_equal(records[0].time_ns, records[1].time_ns);
        } while (!errors[0]);
        assert_int_equal(cairn_perf_file_counts(files[0])->late,
                         cairn_perf_file_counts(files[1])->late);
        for (int n = 0; n < 2; n++)
            cairn_perf_file_close(files[n]);
        munmap(bytes, size);
        close(fd);
    }
}

/* All waits for the end, and is read again then. */
static void a_file_that_changes_while_it_is_read_is_damaged(void **state)
{
    struct cairn_perf_error error = {0};
    struct cairn_perf_writer *writer;
    struct cairn_perf_record record;
    struct cairn_perf_file *file;
    int fd = memory_file();
    off_t size;
    int count = 0;
    int err;

    (void)state;
    assert_int_equal(cairn_perf_writer_create(fd, CAIRN_PERF_FILE, &writer), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_open", 1701, FORMAT_OPEN, 11), 0);
    for (uint64_t n = 0; n < 60000; n++)
        assert_int_equal(write_open(writer, 11, 1000 + n), 0);
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(cairn_perf_file_open_fd(fd, &error, &file), 0);
    assert_int_equal(cairn_perf_file_next_ordered(file, &record), 0);
    size = lseek(fd, 0, SEEK_END);
    assert_int_equal(ftruncate(fd, size / 2), 0);
    assert_int_equal(ftruncate(fd, size), 0); /* zeros */
    while (!(err = cairn_perf_file_next_ordered(file, &record)))
        count++;
    assert_int_equal(err, EBADMSG);
    assert_string_equal(cairn_perf_file_error(file)->text,
                        "the file has changed while it was read");
    assert_in_range(count, 20000, 40000);
    cairn_perf_file_close(file);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_read_by_its_descriptor_has_the_order_of_memory),
        cmocka_unit_test(a_file_that_changes_while_it_is_read_is_damaged),
        cmocka_unit_test(a_file_of_either_byte_order_and_any_age_is_read),
        cmocka_unit_test(a_stored_pipe_stream_of_either_byte_order_is_read),
        cmocka_unit_test(a_pipe_stream_is_read_while_it_is_written),
        cmocka_unit_test(a_file_can_be_read_through_a_pipe),
        cmocka_unit_test(a_file_is_opened_by_its_path),
        cmocka_unit_test(a_file_has_the_order_of_its_stream),
        cmocka_unit_test(the_file_of_a_killed_recorder_is_readable),
        cmocka_unit_test(features_of_a_big_endian_32_bit_machine_are_found),
        cmocka_unit_test(a_file_with_the_old_magic_is_read),
        cmocka_unit_test(data_after_auxtrace_records_are_skipped),
        cmocka_unit_test(samples_with_all_fields_are_parsed),
        cmocka_unit_test(an_event_update_names_an_event),
        cmocka_unit_test(a_feature_is_returned_as_bytes),
        cmocka_unit_test(only_samples_of_known_attrs_are_parsed),
        cmocka_unit_test(a_large_file_does_not_fill_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
