/* SPDX-License-Identifier: MIT */
/* The event, as it is declared for LTTng-UST: one u32 and one short string. */
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
// clang-format on

#endif

#include <lttng/tracepoint-event.h>
