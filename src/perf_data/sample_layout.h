/* SPDX-License-Identifier: MIT */
/* Positions of the fields of samples, and of the trailers of other records, by the attr. */
#ifndef PERF_DATA_SAMPLE_LAYOUT_H
#define PERF_DATA_SAMPLE_LAYOUT_H

#include <cairn/perf_data.h>

/*
 * The positions of fixed fields: in a sample from the record's start, in the trailer of another
 * record from its end. 0: missing.
 */
struct perf_data_sample_layout {
    uint16_t id_at;
    uint16_t ip_at;
    uint16_t tid_at;
    uint16_t time_at;
    uint16_t addr_at;
    uint16_t stream_id_at;
    uint16_t cpu_at;
    uint16_t period_at;
    uint16_t fixed_bytes; /* position of the fields of varying size */
    uint16_t tail_id;
    uint16_t tail_time;
    uint16_t tail_tid;
    uint16_t tail_cpu;
};

/* flags  the attr's bit field */
struct perf_data_sample_layout perf_data_sample_layout_of(uint64_t sample_type, uint64_t flags);

/* Loads the bit field of an attr from its bytes. */
uint64_t perf_data_attr_load_flags(const uint8_t *from, bool swap);

/*
 * Parses a sample of the attr, of which sample_type and read_format are used.
 *
 * ret_sample  filled in place, so undefined on failure
 *
 * Returns 0; EBADMSG it is shorter than its attr requires.
 */
int perf_data_sample_fill(const struct cairn_perf_attr *attr,
                          const struct perf_data_sample_layout *layout, const uint8_t *data,
                          size_t size_bytes, bool swap, struct cairn_perf_sample *ret_sample);

#endif
