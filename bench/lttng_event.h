/* SPDX-License-Identifier: MIT */
/* The events, as they are declared for LTTng-UST: one u32 and one short string; the eight fields of
 * writer_mixed.c. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER cairn_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "lttng_event.h"

#if !defined(BENCH_LTTNG_EVENT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_LTTNG_EVENT_H

#include <lttng/tracepoint.h>

#include <stdint.h>

// clang-format off
LTTNG_UST_TRACEPOINT_EVENT(cairn_bench, event,
    LTTNG_UST_TP_ARGS(uint32_t, number, const char *, text),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint32_t, number, number)
        lttng_ust_field_string(text, text)))

LTTNG_UST_TRACEPOINT_EVENT(cairn_bench, mixed,
    LTTNG_UST_TP_ARGS(uint32_t, number, const char *, text, const char *, path, const uint8_t *, identity,
                      double, load, int64_t, bytes, uint8_t, kept, const uint32_t *, timings_us),
    LTTNG_UST_TP_FIELDS(
        lttng_ust_field_integer(uint32_t, number, number)
        lttng_ust_field_string(text, text)
        lttng_ust_field_string(path, path)
        lttng_ust_field_array_hex(uint8_t, identity, identity, 16)
        lttng_ust_field_float(double, load, load)
        lttng_ust_field_integer(int64_t, bytes, bytes)
        lttng_ust_field_integer(uint8_t, kept, kept)
        lttng_ust_field_sequence(uint32_t, timings_us, timings_us, uint16_t, 3)))
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
