/* SPDX-License-Identifier: MIT */
/* Test of compressed records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "perf_image.h"
#include "perf_walk.h"

#define SAMPLES 200

static void put_samples(struct image *data)
{
    for (uint64_t i = 0; i < SAMPLES; i++) {
        image_sample(data, 101 + i % 2, 1000 + (i ^ 3), (uint32_t)i);
        if (i % 32 == 31)
            image_round(data);
    }
}

#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>

static void put_packed_record(struct image *data, uint32_t type, const void *packed, size_t size)
{
    size_t begin = image_record(data, type);

    if (type == CAIRN_PERF_RECORD_COMPRESSED2)
        image_u64(data, size);
    image_put(data, packed, size);
    if (type == CAIRN_PERF_RECORD_COMPRESSED2)
        image_zeros(data, -size & 7);
    image_end_record(data, begin);
}

/* Compresses `plain` as perf does: one zstd stream for everything, in pieces that do not end with
 * records. */
static void put_packed(struct image *data, uint32_t type, const struct image *plain, size_t piece)
{
    static uint8_t packed[IMAGE_BYTES];
    ZSTD_CStream *stream = ZSTD_createCStream();

    for (size_t at = 0; at < plain->size; at += piece) {
        size_t size = plain->size - at < piece ? plain->size - at : piece;
        ZSTD_inBuffer in = {plain->bytes + at, size, 0};
        ZSTD_outBuffer out = {packed, sizeof(packed), 0};

        while (in.pos < in.size)
            assert_false(ZSTD_isError(ZSTD_compressStream(stream, &out, &in)));
        assert_int_equal(ZSTD_flushStream(stream, &out), 0);
        put_packed_record(data, type, packed, out.pos);
    }
    ZSTD_freeCStream(stream);
}

static struct cairn_perf_file *open_image(const struct image *im)
{
    struct cairn_perf_file *file = NULL;

    assert_int_equal(perf_data_file_open_memory(im->bytes, im->size, NULL, &file), 0);
    return file;
}

static void expect_samples(const struct image *im, uint64_t more)
{
    for (int ordered = 0; ordered < 2; ordered++) {
        struct cairn_perf_file *file = open_image(im);
        struct cairn_perf_record record;
        uint64_t last = 0;
        uint64_t samples = 0;
        int err;

        while (!(err = ordered ? cairn_perf_file_next_ordered(file, &record)
                               : cairn_perf_file_next(file, &record))) {
            perf_walk_record(file, &record);
            assert_true(record.offset < im->size);
            if (record.type != CAIRN_PERF_RECORD_SAMPLE)
                continue;
            assert_true(!ordered || record.time_ns >= last);
            last = record.time_ns;
            samples++;
        }
        assert_int_equal(err, ENODATA);
        assert_int_equal(samples, SAMPLES + more);
        cairn_perf_file_close(file);
    }
}

static void records_are_decompressed_wherever_pieces_end(void **state)
{
    static const size_t pieces[] = {1, 7, 56, 100, 4096, IMAGE_BYTES};

    (void)state;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
        struct image plain = {.swap = i & 1};
        struct image data = {.swap = i & 1};
        struct image im;
        uint32_t type = i & 2 ? CAIRN_PERF_RECORD_COMPRESSED2 : CAIRN_PERF_RECORD_COMPRESSED;

        put_samples(&plain);
        if (pieces[i] == 1)
            plain.size = 56 * 20; /* each piece adds a record */
        put_packed(&data, type, &plain, pieces[i]);
        image_sample(&data, 201, 2000, 1);
        if (pieces[i] == 1)
            for (int k = 20; k < SAMPLES; k++)
                image_sample(&data, 201, 2000, 1);
        image_file(&im, &data, 96);
        expect_samples(&im, 1);
    }
}

static struct cairn_perf_error error_of(const struct image *data)
{
    struct cairn_perf_error error;
    struct cairn_perf_file *file;
    struct image im;
    uint64_t records;

    image_file(&im, data, 96);
    file = open_image(&im);
    assert_int_equal(perf_walk(file, true, &records), EBADMSG);
    error = *cairn_perf_file_error(file);
    cairn_perf_file_close(file);
    return error;
}

static void damaged_compressed_records_are_errors(void **state)
{
    struct image plain = {0};
    struct image data = {0};
    size_t begin;

    (void)state;
    put_packed_record(&data, CAIRN_PERF_RECORD_COMPRESSED, "no zstd at all", 14);
    assert_string_equal(error_of(&data).text, "compressed data are damaged");

    data.size = 0;
    begin = image_record(&data, CAIRN_PERF_RECORD_COMPRESSED2);
    image_u64(&data, 9);
    image_u64(&data, 0);
    image_end_record(&data, begin);
    assert_string_equal(error_of(&data).text, "a compressed record has a wrong size");

    data.size = 0;
    image_sample(&plain, 101, 1, 1);
    plain.size -= 8;
    put_packed(&data, CAIRN_PERF_RECORD_COMPRESSED, &plain, 100);
    assert_string_equal(error_of(&data).text, "compressed data end in a record");

    data.size = 0;
    plain.size = 0;
    image_end_record(&plain, image_record(&plain, CAIRN_PERF_RECORD_COMPRESSED));
    put_packed(&data, CAIRN_PERF_RECORD_COMPRESSED, &plain, 100);
    assert_string_equal(error_of(&data).text, "a compressed record is invalid");

    data.size = 0;
    plain.size = 0;
    image_u64(&plain, 9); /* size 0 */
    put_packed(&data, CAIRN_PERF_RECORD_COMPRESSED, &plain, 100);
    assert_string_equal(error_of(&data).text, "a compressed record is invalid");
}

/* Records that compress a thousandfold are decompressed while they are read, not before. */
static void highly_compressed_records_are_decompressed_piece_by_piece(void **state)
{
    const size_t count = 200000;
    struct image sample = {0};
    struct image im;
    struct image data = {0};
    struct cairn_perf_file *file;
    uint8_t *plain;
    static uint8_t packed[IMAGE_BYTES / 2];
    size_t size;
    uint64_t records;

    (void)state;
    image_sample(&sample, 101, 5, 1);
    plain = malloc(sample.size * count);
    assert_non_null(plain);
    for (size_t i = 0; i < count; i++)
        memcpy(plain + i * sample.size, sample.bytes, sample.size);
    size = ZSTD_compress(packed, sizeof(packed), plain, sample.size * count, 3);
    free(plain);
    assert_false(ZSTD_isError(size));
    put_packed_record(&data, CAIRN_PERF_RECORD_COMPRESSED, packed, size);
    image_file(&im, &data, 96);
    file = open_image(&im);
    assert_int_equal(perf_walk(file, false, &records), ENODATA);
    assert_int_equal(records, count);
    assert_true(file->blocks.in_use <= 2);
    cairn_perf_file_close(file);
}

#else

static void without_zstd_compressed_records_are_refused(void **state)
{
    struct cairn_perf_file *file = NULL;
    struct image data = {0};
    struct image im;
    uint64_t records;

    (void)state;
    put_samples(&data);
    image_end_record(&data, image_record(&data, CAIRN_PERF_RECORD_COMPRESSED));
    image_file(&im, &data, 96);
    assert_int_equal(perf_data_file_open_memory(im.bytes, im.size, NULL, &file), 0);
    assert_int_equal(perf_walk(file, true, &records), EOPNOTSUPP);
    assert_int_equal(cairn_perf_file_counts(file)->samples, SAMPLES);
    cairn_perf_file_close(file);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef CAIRN_HAVE_ZSTD
        cmocka_unit_test(records_are_decompressed_wherever_pieces_end),
        cmocka_unit_test(damaged_compressed_records_are_errors),
        cmocka_unit_test(highly_compressed_records_are_decompressed_piece_by_piece),
#else
        cmocka_unit_test(without_zstd_compressed_records_are_refused),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
