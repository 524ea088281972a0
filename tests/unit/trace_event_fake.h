/* SPDX-License-Identifier: MIT */
/*
 * Takes what the code of CAIRN_TRACEPOINT calls, in a kernel's place: one record at a time, and
 * callbacks. To be included instead of cairn/typed_tracepoint.h: these stand for the core's
 * functions.
 */
#ifndef TRACE_EVENT_FAKE_H
#define TRACE_EVENT_FAKE_H

#define CAIRN_KERNEL

#define cairn_trace_write_enter           fake_enter
#define cairn_trace_write_typed           fake_typed
#define cairn_trace_write_reserve         fake_reserve
#define cairn_trace_write_commit          fake_commit
#define cairn_trace_write_raw             fake_raw
#define cairn_trace_write_leave           fake_leave
#define cairn_trace_write_finish          fake_finish
#define cairn_trace_event_callback_add    fake_callback_add
#define cairn_trace_event_callback_remove fake_callback_remove
#include <cairn/typed_tracepoint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The largest raw part of a record. */
#define FAKE_RAW_MAX_BYTES (CAIRN_PAYLOAD_MAX_BYTES + CAIRN_COMMON_BYTES)

#define FAKE_CALLBACKS 4

struct fake {
    uint32_t todo;
    uint32_t entered;
    uint32_t committed;
    uint32_t refused;
    uint32_t left;
    const struct cairn_trace_event *event; /* the last that was entered */
    uint32_t record_bytes;                 /* as enter was told */
    uint32_t raw_bytes;
    uint32_t argument_count;
    uint64_t arguments[16];
    struct cairn_trace_callback callbacks[FAKE_CALLBACKS];
    uint32_t callback_count;
    uint8_t *raw; /* the last record's raw part: exactly its bytes are allocated */
};

extern struct fake fake;

/* Nothing seen, nobody listens but for `todo`; all keys stay as they are. */
void fake_reset(uint32_t todo);

/* The text of an event that is `raw`, with the zeros behind it that a printer counts on. */
const char *fake_print(const struct cairn_trace_class *event_class, const void *raw,
                       size_t raw_bytes);

#endif
