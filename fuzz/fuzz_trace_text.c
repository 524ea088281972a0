/* SPDX-License-Identifier: MIT */
/* Any bytes as the text of the kernel's trace file. The first byte is not part of it: an odd one
 * adds a beginning that is valid. */
#include "decode/reader.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_events(const uint8_t *bytes, size_t size)
{
    const struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct perf_data_source source = {.map = bytes, .map_bytes = size, .end = size, .fd = -1};
    struct perf_data_block_pool pool = {0};
    const struct cairn_event *event;
    struct cairn_reader *reader;
    struct cairn_item item;

    if (!decode_reader_is_text(&source, &pool) ||
        decode_reader_open_text("fuzz", &options, &source, &pool, &reader))
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
    static const char begin[] = "# tracer: nop\n";
    size_t begin_bytes = size && (*data & 1) ? sizeof(begin) - 1 : 0;
    uint8_t *bytes;

    if (!size)
        return 0;
    bytes = (uint8_t *)malloc(begin_bytes + size);
    if (!bytes)
        return 0;
    memcpy(bytes, begin, begin_bytes);
    memcpy(bytes + begin_bytes, data + 1, size - 1);
    read_events(bytes, begin_bytes + size - 1);
    free(bytes);
    return 0;
}
