/* SPDX-License-Identifier: MIT */
/* Test of perf.data that is truncated, inconsistent, or not perf.data: valid records are read, and
 * the error is returned. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "perf_image.h"
#include "perf_walk.h"

#define RECORDS 7

static void put_records(struct image *data)
{
    image_comm(data, 8, "walker", 0);
    image_sample(data, 102, 500, 8);
    image_round(data);
    image_sample(data, 201, 400, 9);
    image_lost(data, 101, 5, 450);
    image_round(data);
    image_sample(data, 101, 550, 8);
}

/* Opens a copy of exactly its size, so that sanitizers find reads beyond it. */
static int open_copy(const void *bytes, size_t size, void **ret_copy,
                     struct cairn_perf_error *error, struct cairn_perf_file **ret_file)
{
    *ret_copy = malloc(size ? size : 1);
    assert_non_null(*ret_copy);
    memcpy(*ret_copy, bytes, size);
    return perf_data_file_open_memory(*ret_copy, size, error, ret_file);
}

/* Result of reading a whole image. */
struct outcome {
    int err; /* of opening, or the last one of reading */
    bool opened;
    uint64_t records;
    struct cairn_perf_error error;
};

static struct outcome read_whole(const struct image *im, size_t size, bool ordered)
{
    struct outcome o = {0};
    struct cairn_perf_file *file = NULL;
    void *copy;

    o.err = open_copy(im->bytes, size, &copy, &o.error, &file);
    if (!o.err) {
        o.opened = true;
        o.err = perf_walk(file, ordered, &o.records);
        o.error = *cairn_perf_file_error(file);
        cairn_perf_file_close(file);
    } else {
        assert_null(file);
    }
    if (o.err != ENODATA) {
        assert_int_equal(o.error.code, o.err);
        assert_non_null(o.error.text);
        assert_true(o.error.offset <= size);
    }
    free(copy);
    return o;
}

static void expect_not_opened(const void *bytes, size_t size, uint64_t offset)
{
    struct cairn_perf_error error = {0};
    struct cairn_perf_file *file = NULL;

    assert_int_equal(perf_data_file_open_memory(bytes, size, &error, &file), EBADMSG);
    assert_null(file);
    assert_int_equal(error.code, EBADMSG);
    assert_int_equal(error.offset, offset);
    assert_non_null(error.text);
    assert_int_equal(perf_data_file_open_memory(bytes, size, NULL, &file), EBADMSG);
}

static void input_that_is_not_perf_data_has_an_error_of_its_own(void **state)
{
    (void)state;
    expect_not_opened("", 0, 0);
    expect_not_opened("PERFILE2", 8, 0);
    expect_not_opened("#!/bin/sh\nexit 0\n", 17, 0);
    expect_not_opened("PERFILE2\x18\0\0\0\0\0\0\0", 16, 8);
    expect_not_opened("PERFILE2\x68\0\0\0\0\0\0\0", 16, 16);
}

static void an_empty_pipe_has_an_error_of_its_own(void **state)
{
    struct cairn_perf_error error = {0};
    struct cairn_perf_file *file = NULL;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    close(fds[1]);
    assert_int_equal(cairn_perf_file_open_fd(fds[0], &error, &file), EBADMSG);
    assert_string_equal(error.text, "the file is empty");
    close(fds[0]);
    assert_int_equal(cairn_perf_file_open_fd(fds[0], &error, &file), EBADF);
}

/* An image truncated at any byte has as many records as fit, and an error, unless it ends with a
 * record. */
static void cut_everywhere(const struct image *im, uint64_t all_records)
{
    uint64_t most = 0;

    for (int ordered = 0; ordered < 2; ordered++) {
        most = 0;
        for (size_t size = 0; size < im->size; size++) {
            struct outcome o = read_whole(im, size, ordered);

            assert_true(o.err == EBADMSG || (o.opened && o.err == ENODATA));
            assert_true(o.records >= most || !o.opened);
            if (o.opened)
                most = o.records;
        }
        assert_true(most <= all_records);
        assert_true(most + 1 >= all_records);
        assert_int_equal(read_whole(im, im->size, ordered).records, all_records);
        assert_int_equal(read_whole(im, im->size, ordered).err, ENODATA);
    }
}

static void a_truncated_file_is_read_up_to_its_end(void **state)
{
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        struct image data = {.swap = swap};
        struct image im;

        put_records(&data);
        image_file(&im, &data, 96);
        cut_everywhere(&im, RECORDS);
        image_pipe(&im, &data, 96);
        cut_everywhere(&im, RECORDS + 7); /* attrs, features and tracing data are records too */
    }
}

static uint64_t seed = 2463534242u;

static uint32_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static void damaged_files_are_harmless(void **state)
{
    (void)state;
    for (int round = 0; round < 4000; round++) {
        struct image data = {.swap = round & 1};
        struct image im;

        put_records(&data);
        if (round & 2)
            image_file(&im, &data, 96);
        else
            image_pipe(&im, &data, 96);
        for (uint32_t i = 0; i <= random_number() % 8; i++) {
            uint32_t at = random_number() % im.size;

            im.bytes[at] = random_number() % 2 ? (uint8_t)random_number()
                                               : im.bytes[at] ^ (1u << random_number() % 8);
        }
        read_whole(&im, im.size, round & 4);
    }
}

/* Reads the image that most tests below use, with a u64 in it changed. */
static struct outcome read_changed(size_t at, uint64_t value)
{
    struct image data = {0};
    struct image im;

    put_records(&data);
    image_file(&im, &data, 96);
    image_set_u64(&im, at, value);
    return read_whole(&im, im.size, true);
}

#define ATTRS_AT (IMAGE_HEADER + 24)
#define DATA_AT  (ATTRS_AT + 2 * 112)

static void inconsistent_headers_are_errors(void **state)
{
    static const uint64_t lies[] = {0, 1, 15, 79, UINT64_MAX, INT64_MAX, 1u << 20};

    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        assert_int_equal(read_changed(8, lies[i]).err, EBADMSG);             /* header size */
        assert_int_equal(read_changed(24, lies[i] | 1u << 31).err, EBADMSG); /* attrs' offset */
        assert_int_equal(read_changed(40, lies[i]).err, EBADMSG);            /* data's offset */
        assert_int_equal(read_changed(ATTRS_AT + 96, lies[i] | 1u << 31).err, EBADMSG); /* ids */
    }
    assert_int_equal(read_changed(16, 79).err, EBADMSG);                   /* size of an attr */
    assert_int_equal(read_changed(32, 1u << 30).err, EBADMSG);             /* size of all attrs */
    assert_int_equal(read_changed(ATTRS_AT + 104, 1u << 30).err, EBADMSG); /* size of their ids */
    assert_int_equal(read_changed(24, DATA_AT + 8).err, EBADMSG);          /* attrs in the data */
}

static void truncated_data_are_an_error_after_the_last_record(void **state)
{
    struct outcome o = read_changed(48, 1u << 20);

    (void)state;
    assert_true(o.opened);
    assert_int_equal(o.err, EBADMSG);
    assert_true(o.records >= RECORDS);
}

static void inconsistent_features_leave_the_records_readable(void **state)
{
    struct image data = {0};
    size_t table;

    (void)state;
    put_records(&data);
    table = DATA_AT + data.size;
    for (size_t feature = 0; feature < IMAGE_FEATURES; feature++) {
        struct outcome beyond = read_changed(table + 16 * feature, 1u << 30);
        struct outcome huge = read_changed(table + 16 * feature + 8, UINT64_MAX);
        struct outcome small = read_changed(table + 16 * feature + 8, 3);

        assert_int_equal(beyond.err, EBADMSG);
        assert_int_equal(beyond.records, RECORDS);
        assert_int_equal(huge.err, EBADMSG);
        assert_int_equal(huge.records, RECORDS);
        assert_int_equal(small.err, EBADMSG);
        assert_int_equal(small.records, RECORDS);
    }
}

static void ids_that_many_attrs_share_are_refused(void **state)
{
    struct image im = {0};

    (void)state;
    image_zeros(&im, IMAGE_HEADER);
    for (int i = 0; i < 100; i++) { /* each claims the whole file as its ids */
        image_attr(&im, 2, 1, CAIRN_RECORD_SAMPLE_TYPE, 64);
        image_u64(&im, 0);
        image_u64(&im, IMAGE_HEADER + 100 * 80);
    }
    image_set_u64(&im, 0, 0x32454c4946524550u);
    image_set_u64(&im, 8, IMAGE_HEADER);
    image_set_u64(&im, 16, 80);
    image_set_u64(&im, 24, IMAGE_HEADER);
    image_set_u64(&im, 32, 100 * 80);
    image_set_u64(&im, 40, im.size);
    assert_int_equal(read_whole(&im, im.size, false).err, EBADMSG);
}

static void a_record_of_size_zero_is_an_error_with_its_offset(void **state)
{
    struct image data = {0};
    struct image im;
    struct outcome o;

    (void)state;
    image_sample(&data, 101, 1, 1);
    image_u64(&data, 9); /* type 9, size 0 */
    image_sample(&data, 101, 2, 1);
    image_file(&im, &data, 96);
    o = read_whole(&im, im.size, true);
    assert_int_equal(o.err, EBADMSG);
    assert_int_equal(o.records, 1);
    assert_int_equal(o.error.offset, DATA_AT + 56);
}

/* Parses a sample with the given variable part, for an attr of the sample type. */
static int parse_varying(uint64_t sample_type, uint64_t read_format, const uint64_t *words,
                         size_t count)
{
    struct image im = {0};
    struct cairn_perf_file *file = NULL;
    struct cairn_perf_record record;
    struct cairn_perf_sample s;
    size_t begin;
    void *copy;
    int err;

    image_u64(&im, 0x32454c4946524550u);
    image_u64(&im, 16);
    begin = image_record(&im, CAIRN_PERF_RECORD_HEADER_ATTR);
    image_attr(&im, 2, 1, sample_type, 64);
    image_set_u64(&im, begin + 8 + 32, read_format);
    image_end_record(&im, begin);
    begin = image_record(&im, CAIRN_PERF_RECORD_SAMPLE);
    for (size_t i = 0; i < count; i++)
        image_u64(&im, words[i]);
    image_end_record(&im, begin);
    assert_int_equal(open_copy(im.bytes, im.size, &copy, NULL, &file), 0);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    assert_int_equal(cairn_perf_file_next(file, &record), 0);
    err = cairn_perf_sample_parse(file, &record, &s);
    cairn_perf_file_close(file);
    free(copy);
    return err;
}

static void samples_with_wrong_counts_are_errors(void **state)
{
    const uint64_t huge[] = {UINT64_MAX, 1, 2, 3};
    const uint64_t third[] = {UINT64_C(0x2000000000000001), 1, 2, 3};
    const uint64_t exact[] = {3, 1, 2, 3};
    const uint64_t more[] = {4, 1, 2, 3};

    (void)state;
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_CALLCHAIN, 0, huge, 4), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_CALLCHAIN, 0, third, 4), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_CALLCHAIN, 0, more, 4), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_CALLCHAIN, 0, exact, 4), 0);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_READ, PERF_DATA_READ_GROUP, huge, 4), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_READ, PERF_DATA_READ_GROUP, third, 4), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_READ, PERF_DATA_READ_GROUP, exact, 4), 0);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_RAW, 0, huge, 4), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_RAW, 0, exact, 4), 0);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_RAW, 0, huge, 0), EBADMSG);
    assert_int_equal(parse_varying(PERF_DATA_SAMPLE_IP | PERF_DATA_SAMPLE_TIME, 0, huge, 1),
                     EBADMSG);
}

/* Reads a stream of one metadata record and one sample. */
static struct outcome read_after(uint32_t type, const void *body, size_t size)
{
    struct image data = {0};
    struct image im;
    size_t begin = image_record(&data, type);

    image_put(&data, body, size);
    image_end_record(&data, begin);
    image_sample(&data, 101, 1, 1);
    image_pipe(&im, &data, 96);
    return read_whole(&im, im.size, true);
}

#define PIPE_RECORDS 7 /* records at the begin of every stream of this test */

static void inconsistent_metadata_leave_the_records_readable(void **state)
{
    static const uint32_t types[] = {
        CAIRN_PERF_RECORD_HEADER_ATTR,
        CAIRN_PERF_RECORD_EVENT_UPDATE,
        CAIRN_PERF_RECORD_HEADER_FEATURE,
    };
    const uint32_t attr[16] = {2, 4096};
    const uint32_t cmdline[] = {CAIRN_PERF_FEATURE_CMDLINE, 0, UINT32_MAX, 5};
    const uint32_t event_desc[] = {CAIRN_PERF_FEATURE_EVENT_DESC, 0, UINT32_MAX, 64, 0};
    uint32_t description[30] = {11};

    (void)state;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
        struct outcome o = read_after(types[i], "", 0);

        assert_int_equal(o.err, EBADMSG);
        assert_int_equal(o.records, PIPE_RECORDS + 2);
    }
    assert_int_equal(read_after(types[0], attr, sizeof(attr)).err, EBADMSG);
    assert_int_equal(read_after(types[2], cmdline, sizeof(cmdline)).err, EBADMSG);
    assert_int_equal(read_after(types[2], event_desc, sizeof(event_desc)).err, EBADMSG);
    memcpy((char *)description + 72, "CAIRNTP1", 8);
    for (int field = 20; field < 24; field++) { /* ids, system, name, format */
        struct outcome o;

        description[field] = UINT32_MAX;
        o = read_after(CAIRN_PERF_RECORD_HEADER_EVENT_TYPE, description, sizeof(description));
        assert_int_equal(o.err, EBADMSG);
        assert_int_equal(o.records, PIPE_RECORDS + 2);
        description[field] = 0;
    }
    assert_int_equal(
        read_after(CAIRN_PERF_RECORD_HEADER_EVENT_TYPE, description, sizeof(description)).err,
        ENODATA);
}

static void read_lost(uint64_t first, uint64_t second, bool cut, struct outcome *ret_outcome,
                      uint64_t *ret_lost)
{
    struct image data = {0};
    struct image im;
    struct cairn_perf_file *file = NULL;
    void *copy;

    image_lost(&data, 101, first, 10);
    if (cut)
        image_end_record(&data, image_record(&data, CAIRN_PERF_RECORD_LOST_SAMPLES));
    image_sample(&data, 101, 1, 1);
    image_lost(&data, 101, second, 20);
    image_file(&im, &data, 96);
    *ret_outcome = read_whole(&im, im.size, true);
    assert_int_equal(open_copy(im.bytes, im.size, &copy, NULL, &file), 0);
    (void)perf_walk(file, true, &(uint64_t){0});
    *ret_lost = cairn_perf_file_counts(file)->lost_events;
    cairn_perf_file_close(file);
    free(copy);
}

static void impossible_loss_counts_are_damage(void **state)
{
    static const uint64_t lies[] = {UINT64_MAX, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX - 41,
                                    UINT64_C(1) << 49};
    struct outcome o;
    uint64_t lost;

    (void)state;
    for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
        read_lost(lies[i], 42, false, &o, &lost);
        assert_int_equal(o.err, EBADMSG);
        assert_int_equal(o.records, 3);
        assert_int_equal(lost, 42);
    }
    read_lost(UINT64_C(1) << 40, 42, true, &o, &lost);
    assert_int_equal(o.err, EBADMSG);
    assert_int_equal(lost, (UINT64_C(1) << 40) + 42);
    read_lost(UINT64_C(1) << 40, 42, false, &o, &lost);
    assert_int_equal(o.err, ENODATA);
}

static void a_missing_payload_ends_the_stream(void **state)
{
    const uint64_t size = UINT64_C(1) << 62;
    struct outcome o = read_after(CAIRN_PERF_RECORD_AUXTRACE, &size, sizeof(size));

    (void)state;
    assert_int_equal(o.err, EBADMSG);
    assert_int_equal(o.records, PIPE_RECORDS);
    o = read_after(CAIRN_PERF_RECORD_AUXTRACE, "", 0);
    assert_int_equal(o.err, EBADMSG);
}

/* A pipe announces 4 GiB of tracing data and then ends: no memory is allocated in advance. */
static void announced_tracing_data_take_no_memory(void **state)
{
    struct image im = {0};
    struct cairn_perf_file *file = NULL;
    struct cairn_perf_record record;
    size_t begin;
    int fds[2];

    (void)state;
    image_u64(&im, 0x32454c4946524550u);
    image_u64(&im, 16);
    begin = image_record(&im, CAIRN_PERF_RECORD_HEADER_TRACING_DATA);
    image_u32(&im, UINT32_MAX);
    image_end_record(&im, begin);
    image_zeros(&im, 100);
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], im.bytes, im.size), im.size);
    close(fds[1]);
    assert_int_equal(cairn_perf_file_open_fd(fds[0], NULL, &file), 0);
    assert_int_equal(cairn_perf_file_next_ordered(file, &record), EBADMSG);
    assert_int_equal(cairn_perf_file_next_ordered(file, &record), EBADMSG);
    cairn_perf_file_close(file);
    close(fds[0]);
}

static void read_through_pipe(const struct image *im, size_t size)
{
    struct cairn_perf_file *file = NULL;
    uint64_t records;
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], im->bytes, size), size);
    close(fds[1]);
    if (!cairn_perf_file_open_fd(fds[0], NULL, &file)) {
        (void)perf_walk(file, true, &records); /* aborts if a block is not released */
        cairn_perf_file_close(file);
    }
    close(fds[0]);
}

/* Samples wait for their round when metadata with bytes after them prove to be truncated. */
static void a_truncated_stream_releases_all_memory(void **state)
{
    /* Filling each stream's buffers, as MALLOC_PERTURB_ does, takes long. */
    const size_t step = getenv("CAIRN_TEST_ALL") ? 1 : 7;
    const uint64_t auxtrace_bytes = 40;
    struct image data = {0};
    struct image im;
    size_t begin;

    (void)state;
    image_sample(&data, 101, 1, 1);
    begin = image_record(&data, CAIRN_PERF_RECORD_AUXTRACE);
    image_u64(&data, auxtrace_bytes);
    image_end_record(&data, begin);
    image_zeros(&data, auxtrace_bytes);
    image_sample(&data, 101, 2, 1);
    begin = image_record(&data, CAIRN_PERF_RECORD_HEADER_TRACING_DATA);
    image_u32(&data, 40);
    image_u32(&data, 0);
    image_end_record(&data, begin);
    image_zeros(&data, 40);
    image_pipe(&im, &data, 96);
    for (size_t size = 0; size <= im.size; size += step)
        read_through_pipe(&im, size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(input_that_is_not_perf_data_has_an_error_of_its_own),
        cmocka_unit_test(an_empty_pipe_has_an_error_of_its_own),
        cmocka_unit_test(a_truncated_file_is_read_up_to_its_end),
        cmocka_unit_test(damaged_files_are_harmless),
        cmocka_unit_test(inconsistent_headers_are_errors),
        cmocka_unit_test(truncated_data_are_an_error_after_the_last_record),
        cmocka_unit_test(inconsistent_features_leave_the_records_readable),
        cmocka_unit_test(ids_that_many_attrs_share_are_refused),
        cmocka_unit_test(a_record_of_size_zero_is_an_error_with_its_offset),
        cmocka_unit_test(samples_with_wrong_counts_are_errors),
        cmocka_unit_test(inconsistent_metadata_leave_the_records_readable),
        cmocka_unit_test(impossible_loss_counts_are_damage),
        cmocka_unit_test(a_missing_payload_ends_the_stream),
        cmocka_unit_test(announced_tracing_data_take_no_memory),
        cmocka_unit_test(a_truncated_stream_releases_all_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
