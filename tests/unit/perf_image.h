/* SPDX-License-Identifier: MIT */
/* perf.data images of either byte order, made byte by byte: input for tests of the reader. */
#ifndef PERF_IMAGE_H
#define PERF_IMAGE_H

#include "cairn/perf_data.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define IMAGE_BYTES 32768

struct image {
    uint8_t bytes[IMAGE_BYTES];
    size_t size;
    bool swap; /* of the other byte order */
};

static inline void image_put(struct image *im, const void *data, size_t size)
{
    if (im->size + size > IMAGE_BYTES)
        __builtin_trap();
    memcpy(im->bytes + im->size, data, size);
    im->size += size;
}

static inline void image_u8(struct image *im, uint8_t v)
{
    image_put(im, &v, sizeof(v));
}

static inline void image_u16(struct image *im, uint16_t v)
{
    v = im->swap ? __builtin_bswap16(v) : v;
    image_put(im, &v, sizeof(v));
}

static inline void image_u32(struct image *im, uint32_t v)
{
    v = im->swap ? __builtin_bswap32(v) : v;
    image_put(im, &v, sizeof(v));
}

static inline void image_u64(struct image *im, uint64_t v)
{
    v = im->swap ? __builtin_bswap64(v) : v;
    image_put(im, &v, sizeof(v));
}

static inline void image_set_u64(struct image *im, size_t at, uint64_t v)
{
    v = im->swap ? __builtin_bswap64(v) : v;
    memcpy(im->bytes + at, &v, sizeof(v));
}

static inline void image_zeros(struct image *im, size_t count)
{
    while (count--)
        image_u8(im, 0);
}

static inline void image_string(struct image *im, const char *text)
{
    size_t size = strlen(text) + 1;
    size_t padding = -size & 63;

    image_u32(im, (uint32_t)(size + padding));
    image_put(im, text, size);
    image_zeros(im, padding);
}

static inline size_t image_record(struct image *im, uint32_t type)
{
    size_t begin = im->size;

    image_u32(im, type);
    image_u16(im, 0);
    image_u16(im, 0);
    return begin;
}

static inline void image_end_record(struct image *im, size_t begin)
{
    size_t end = im->size;

    im->size = begin + 6;
    image_u16(im, (uint16_t)(end - begin));
    im->size = end;
}

/* An attr of size bytes, at least 64, with the flag sample_id_all. */
static inline void image_attr(struct image *im, uint32_t type, uint64_t config,
                              uint64_t sample_type, size_t size)
{
    uint8_t flags[8] = {0, 0, im->swap ? 0x20 : 0x04}; /* bit 18, in the bit order of the other byte
                                                        * order */

    image_u32(im, type);
    image_u32(im, (uint32_t)size);
    image_u64(im, config);
    image_u64(im, 1);
    image_u64(im, sample_type);
    image_u64(im, 0);
    image_put(im, flags, sizeof(flags));
    image_zeros(im, size - 48);
}

/* A sample of CAIRN_RECORD_SAMPLE_TYPE with 8 bytes of raw data. */
static inline void image_sample(struct image *im, uint64_t id, uint64_t time_ns, uint32_t tid)
{
    size_t begin = image_record(im, CAIRN_PERF_RECORD_SAMPLE);

    image_u64(im, id);
    image_u32(im, 7); /* pid */
    image_u32(im, tid);
    image_u64(im, time_ns);
    image_u32(im, 3); /* cpu */
    image_u32(im, 0);
    image_u32(im, 12);
    image_put(im, "rawbytes\0\0\0", 12);
    image_end_record(im, begin);
}

/* The trailer of other records: TID, TIME, CPU, IDENTIFIER. */
static inline void image_trailer(struct image *im, uint64_t id, uint64_t time_ns)
{
    image_u32(im, 7);
    image_u32(im, 8);
    image_u64(im, time_ns);
    image_u64(im, 0);
    image_u64(im, id);
}

static inline void image_lost(struct image *im, uint64_t id, uint64_t lost, uint64_t time_ns)
{
    size_t begin = image_record(im, CAIRN_PERF_RECORD_LOST);

    image_u64(im, id);
    image_u64(im, lost);
    image_trailer(im, id, time_ns);
    image_end_record(im, begin);
}

static inline void image_comm(struct image *im, uint32_t tid, const char *comm, uint64_t time_ns)
{
    size_t begin = image_record(im, CAIRN_PERF_RECORD_COMM);
    char padded[16] = {0};

    memcpy(padded, comm, strnlen(comm, 15));
    image_u32(im, 7);
    image_u32(im, tid);
    image_put(im, padded, sizeof(padded));
    image_trailer(im, 0, time_ns);
    image_end_record(im, begin);
}

static inline void image_fork(struct image *im, uint32_t tid, uint32_t parent, uint64_t time_ns)
{
    size_t begin = image_record(im, CAIRN_PERF_RECORD_FORK);

    image_u32(im, 7);
    image_u32(im, 7);
    image_u32(im, tid);
    image_u32(im, parent);
    image_u64(im, time_ns);
    image_trailer(im, 0, time_ns);
    image_end_record(im, begin);
}

static inline void image_round(struct image *im)
{
    image_end_record(im, image_record(im, CAIRN_PERF_RECORD_FINISHED_ROUND));
}

#define IMAGE_FORMAT_OPEN \
    "name: open\nID: 11\nformat:\n\tfield:u64 x;\toffset:8;\tsize:8;\tsigned:0;\n"
#define IMAGE_FORMAT_CLOSE \
    "name: close\nID: 12\nformat:\n\tfield:u64 y;\toffset:8;\tsize:8;\tsigned:0;\n"

static inline void image_sized(struct image *im, const char *text)
{
    image_u64(im, strlen(text));
    image_put(im, text, strlen(text));
}

/* Tracing data with two formats in two systems. */
static inline void image_tracing_data(struct image *im)
{
    bool big = im->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

    image_put(im, "\027\010\104tracing0.6", 14);
    image_u8(im, big);
    image_u8(im, 8);
    image_u32(im, 4096);
    image_put(im, "header_page", 12);
    image_sized(im, "page\n");
    image_put(im, "header_event", 13);
    image_sized(im, "event\n");
    image_u32(im, 1);
    image_sized(im, "name: function\nID: 1\n");
    image_u32(im, 2);
    image_put(im, "files", 6);
    image_u32(im, 1);
    image_sized(im, IMAGE_FORMAT_OPEN);
    image_put(im, "more", 5);
    image_u32(im, 1);
    image_sized(im, IMAGE_FORMAT_CLOSE);
    image_u32(im, 0);
    image_u32(im, 0);
    image_sized(im, "21 early\n22 bird of prey\n");
}

/* Two tracepoints: ids 101 and 102 belong to files:open, 201 to more:close. */
#define IMAGE_ATTRS 2
static const uint64_t image_ids[IMAGE_ATTRS][2] = {{101, 102}, {201, 0}};
static const uint32_t image_id_counts[IMAGE_ATTRS] = {2, 1};
static const uint64_t image_configs[IMAGE_ATTRS] = {11, 12};
static const char *const image_names[IMAGE_ATTRS] = {"files:open", "more:close"};

static inline void image_ids_of(struct image *im, int attr)
{
    for (uint32_t i = 0; i < image_id_counts[attr]; i++)
        image_u64(im, image_ids[attr][i]);
}

static inline void image_event_desc(struct image *im, size_t attr_bytes)
{
    image_u32(im, IMAGE_ATTRS);
    image_u32(im, (uint32_t)attr_bytes);
    for (int i = 0; i < IMAGE_ATTRS; i++) {
        image_attr(im, CAIRN_PERF_TYPE_TRACEPOINT, image_configs[i], CAIRN_RECORD_SAMPLE_TYPE,
                   attr_bytes);
        image_u32(im, image_id_counts[i]);
        image_string(im, image_names[i]);
        image_ids_of(im, i);
    }
}

static inline void image_clock_data(struct image *im)
{
    image_u32(im, 1);
    image_u32(im, 1); /* CLOCK_MONOTONIC */
    image_u64(im, 1000000);
    image_u64(im, 400);
}

enum { IMAGE_FEATURES = 5 };

/* Appends a feature of the image by its position; returns its number. */
static inline unsigned image_feature(struct image *im, int place, size_t attr_bytes)
{
    switch (place) {
    case 0:
        image_tracing_data(im);
        return CAIRN_PERF_FEATURE_TRACING_DATA;
    case 1:
        image_string(im, "thehost");
        return CAIRN_PERF_FEATURE_HOSTNAME;
    case 2:
        image_u32(im, 2);
        image_string(im, "perf");
        image_string(im, "record");
        return CAIRN_PERF_FEATURE_CMDLINE;
    case 3:
        image_event_desc(im, attr_bytes);
        return CAIRN_PERF_FEATURE_EVENT_DESC;
    default:
        image_clock_data(im);
        return CAIRN_PERF_FEATURE_CLOCK_DATA;
    }
}

#define IMAGE_HEADER 104

/* A file with the records in `data`, which must have the same byte order. */
static inline void image_file(struct image *im, const struct image *data, size_t attr_bytes)
{
    size_t ids_at[IMAGE_ATTRS];
    size_t attrs_at;
    size_t table;
    uint64_t flags = 0;

    im->size = 0;
    im->swap = data->swap;
    image_zeros(im, IMAGE_HEADER);
    for (int i = 0; i < IMAGE_ATTRS; i++) {
        ids_at[i] = im->size;
        image_ids_of(im, i);
    }
    attrs_at = im->size;
    for (int i = 0; i < IMAGE_ATTRS; i++) {
        image_attr(im, CAIRN_PERF_TYPE_TRACEPOINT, image_configs[i], CAIRN_RECORD_SAMPLE_TYPE,
                   attr_bytes);
        image_u64(im, ids_at[i]);
        image_u64(im, 8 * image_id_counts[i]);
    }
    image_set_u64(im, 16, attr_bytes + 16);
    image_set_u64(im, 24, attrs_at);
    image_set_u64(im, 32, im->size - attrs_at);
    image_set_u64(im, 40, im->size);
    image_set_u64(im, 48, data->size);
    image_put(im, data->bytes, data->size);
    table = im->size;
    image_zeros(im, 16 * IMAGE_FEATURES);
    for (int i = 0; i < IMAGE_FEATURES; i++) {
        size_t begin = im->size;

        flags |= UINT64_C(1) << image_feature(im, i, attr_bytes);
        image_set_u64(im, table + 16 * (size_t)i, begin);
        image_set_u64(im, table + 16 * (size_t)i + 8, im->size - begin);
    }
    image_set_u64(im, 0, 0x32454c4946524550u);
    image_set_u64(im, 8, IMAGE_HEADER);
    image_set_u64(im, 72, flags);
}

/* A pipe stream with the records in `data`. */
static inline void image_pipe(struct image *im, const struct image *data, size_t attr_bytes)
{
    struct image blob = {.swap = data->swap};
    size_t begin;

    im->size = 0;
    im->swap = data->swap;
    image_u64(im, 0x32454c4946524550u);
    image_u64(im, 16);
    for (int i = 0; i < IMAGE_ATTRS; i++) {
        begin = image_record(im, CAIRN_PERF_RECORD_HEADER_ATTR);
        image_attr(im, CAIRN_PERF_TYPE_TRACEPOINT, image_configs[i], CAIRN_RECORD_SAMPLE_TYPE,
                   attr_bytes);
        image_ids_of(im, i);
        image_end_record(im, begin);
    }
    for (int i = 1; i < IMAGE_FEATURES; i++) {
        size_t number_at;

        begin = image_record(im, CAIRN_PERF_RECORD_HEADER_FEATURE);
        number_at = im->size;
        image_u64(im, 0);
        image_set_u64(im, number_at, image_feature(im, i, attr_bytes));
        image_end_record(im, begin);
    }
    image_tracing_data(&blob);
    image_zeros(&blob, -blob.size & 7);
    begin = image_record(im, CAIRN_PERF_RECORD_HEADER_TRACING_DATA);
    image_u32(im, (uint32_t)blob.size);
    image_end_record(im, begin);
    image_put(im, blob.bytes, blob.size);
    image_put(im, data->bytes, data->size);
}

#endif
