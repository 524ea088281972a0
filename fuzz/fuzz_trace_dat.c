/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a trace.dat of trace-cmd. The first byte selects the kind of input: the file as it
 * is, or pages of a ring buffer with a valid head before them.
 */
#include "decode/reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE_BYTES 256u

static const char format[] =
    "name: tick\nID: 300\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n\nprint fmt: \"%d\", REC->n\n";

struct image {
    uint8_t *bytes; /* enough for the head */
    size_t size;
};

static void put(struct image *image, const void *data, size_t size)
{
    memcpy(image->bytes + image->size, data, size);
    image->size += size;
}

static void put32(struct image *image, uint32_t number)
{
    put(image, &number, sizeof(number));
}

static void put64(struct image *image, uint64_t number)
{
    put(image, &number, sizeof(number));
}

/* Two CPUs have the same pages. */
static void put_head(struct image *image, size_t pages_bytes)
{
    static const uint8_t order[] = {__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 8};
    const size_t length = sizeof(format) - 1;
    const uint64_t at = 1024;

    put(image, "\027\010\104tracing6", 12);
    put(image, order, 2);
    put32(image, PAGE_BYTES);
    put(image, "header_page", 12);
    put64(image, 0);
    put(image, "header_event", 13);
    put64(image, 0);
    put32(image, 0);
    put32(image, 1);
    put(image, "test", 5);
    put32(image, 1);
    put64(image, length);
    put(image, format, length);
    put64(image, 0);
    put64(image, 0);
    put32(image, 2);
    put(image, "flyrecord", 10);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        put64(image, at);
        put64(image, pages_bytes);
    }
    image->size = at;
}

static void read_events(const uint8_t *bytes, size_t size)
{
    const struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct perf_data_source source = {.map = bytes, .map_bytes = size, .end = size, .fd = -1};
    struct perf_data_block_pool pool = {0};
    struct cairn_perf_error error;
    const struct cairn_event *event;
    struct cairn_reader *reader;
    struct cairn_item item;

    if (!decode_reader_is_dat(&source, &pool) ||
        decode_reader_open_dat("fuzz", &options, &source, &pool, &error, &reader))
        return;
    while (!cairn_reader_next(reader, &event)) {
        struct cairn_items *items = cairn_reader_items(reader);

        while (cairn_items_next(items, &item))
            ;
    }
    (void)cairn_reader_counts(reader);
    cairn_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct image image = {(uint8_t *)calloc(1, size + 4096), 0};

    if (size && image.bytes) {
        if (*data & 1)
            put_head(&image, size - 1);
        put(&image, data + 1, size - 1);
        image.bytes = (uint8_t *)realloc(image.bytes, image.size ? image.size : 1);
        read_events(image.bytes, image.size);
    }
    free(image.bytes);
    return 0;
}
