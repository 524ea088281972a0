/* SPDX-License-Identifier: MIT */
/* Positions of the fields of samples. */
#include "perf_data/sample_layout.h"

#include "core/load.h"
#include "perf_data/disk.h"

/* Returns the position of the next field of 8 bytes, if the sample type has it. */
static uint16_t field_at(uint64_t has, uint16_t *at)
{
    uint16_t here = *at;

    if (!has)
        return 0;
    *at += 8;
    return here;
}

/* The order of the fields is that of perf_event_open(2), in samples and in trailers. */
struct perf_data_sample_layout perf_data_sample_layout_of(uint64_t type, uint64_t flags)
{
    struct perf_data_sample_layout l = {0};
    uint16_t at = PERF_DATA_RECORD_HEADER_BYTES;
    uint16_t id;

    l.id_at = field_at(type & PERF_DATA_SAMPLE_IDENTIFIER, &at);
    l.ip_at = field_at(type & PERF_DATA_SAMPLE_IP, &at);
    l.tid_at = field_at(type & PERF_DATA_SAMPLE_TID, &at);
    l.time_at = field_at(type & PERF_DATA_SAMPLE_TIME, &at);
    l.addr_at = field_at(type & PERF_DATA_SAMPLE_ADDR, &at);
    id = field_at(type & PERF_DATA_SAMPLE_ID, &at);
    l.id_at = l.id_at ? l.id_at : id;
    l.stream_id_at = field_at(type & PERF_DATA_SAMPLE_STREAM_ID, &at);
    l.cpu_at = field_at(type & PERF_DATA_SAMPLE_CPU, &at);
    l.period_at = field_at(type & PERF_DATA_SAMPLE_PERIOD, &at);
    l.fixed_bytes = at;
    if (!(flags & PERF_DATA_ATTR_SAMPLE_ID_ALL))
        return l;
    at = 8; /* positions in trailers count from the end */
    l.tail_id = field_at(type & PERF_DATA_SAMPLE_IDENTIFIER, &at);
    l.tail_cpu = field_at(type & PERF_DATA_SAMPLE_CPU, &at);
    field_at(type & PERF_DATA_SAMPLE_STREAM_ID, &at);
    id = field_at(type & PERF_DATA_SAMPLE_ID, &at);
    l.tail_id = l.tail_id ? l.tail_id : id;
    l.tail_time = field_at(type & PERF_DATA_SAMPLE_TIME, &at);
    l.tail_tid = field_at(type & PERF_DATA_SAMPLE_TID, &at);
    return l;
}

/* In the other byte order the bits of each byte of a bit field are reversed. */
uint64_t perf_data_attr_load_flags(const uint8_t *from, bool swap)
{
    uint64_t flags = core_load64(from, false);

    if (!swap)
        return flags;
    flags = (flags & 0x0f0f0f0f0f0f0f0fu) << 4 | (flags >> 4 & 0x0f0f0f0f0f0f0f0fu);
    flags = (flags & 0x3333333333333333u) << 2 | (flags >> 2 & 0x3333333333333333u);
    return (flags & 0x5555555555555555u) << 1 | (flags >> 1 & 0x5555555555555555u);
}
