/* SPDX-License-Identifier: MIT */
/* Any bytes as an ETL file. With an odd first byte, the rest are events after a valid head, so that
 * more inputs have some: a byte for the size of the metadata, the metadata, and the values. */
#include "decode/reader.h"
#include "etl/convert.h"
#include "etl/file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void convert(struct etl_converter *converter, const struct etl_record *record)
{
    bool is_whole;

    (void)etl_convert(converter, record, 8, &is_whole);
}

static void convert_one(const uint8_t *data, size_t size)
{
    static struct etl_converter converter;
    size_t metadata_bytes = data[0] < size ? data[0] : size - 1;
    struct etl_record record = {
        .kind = ETL_EVENT,
        .bytes = data,
        .schema = {data + 1, (uint32_t)metadata_bytes},
        .traits = {data + 1, (uint32_t)metadata_bytes},
        .data = {data + 1 + metadata_bytes, (uint32_t)(size - 1 - metadata_bytes)},
    };

    if (record.data.size <= UINT16_MAX)
        convert(&converter, &record);
}

static void read_file(const uint8_t *data, size_t size)
{
    struct etl_converter *converter = (struct etl_converter *)calloc(1, sizeof(*converter));
    const struct etl_record *record;
    struct etl_file file = {0};
    uint32_t cpu;

    if (converter && !etl_file_open(&file, data, size)) {
        while (!etl_file_next(&file, &record, &cpu)) {
            (void)etl_file_time_ns(&file, record->ticks);
            (void)etl_file_wall_ns(&file, record->ticks);
            convert(converter, record);
        }
    }
    etl_file_close(&file);
    if (converter)
        etl_converter_free(converter);
    free(converter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (*data & 1)
        convert_one(data + 1, size - 1);
    else
        read_file(data + 1, size - 1);
    return 0;
}
