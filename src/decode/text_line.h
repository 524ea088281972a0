/* SPDX-License-Identifier: MIT */
/*
 * A line of the kernel's trace file or trace_pipe:
 *
 *             bash-1977    (   1977) [000] d..2.  3889.993472: sched_waking: comm=sh pid=1
 *
 * The thread group, in parentheses, and the flags are optional. The bytes are untrusted.
 */
#ifndef DECODE_TEXT_LINE_H
#define DECODE_TEXT_LINE_H

#include <cairn/schema.h>
#include <stdbool.h>
#include <stdint.h>

enum decode_text_line_kind {
    DECODE_TEXT_EVENT,
    DECODE_TEXT_LOST,    /* "CPU:1 [LOST 17 EVENTS]" */
    DECODE_TEXT_COMMENT, /* or nothing */
    DECODE_TEXT_OTHER,
};

struct decode_text_line {
    enum decode_text_line_kind kind;
    struct cairn_slice comm;
    struct cairn_slice name;
    struct cairn_slice text; /* after the name */
    uint32_t tid;
    uint32_t pid;
    bool has_pid;  /* it has the thread group */
    bool is_stack; /* the lines that follow and begin with DECODE_TEXT_FRAME are its frames */
    uint32_t cpu;
    uint64_t time_ns; /* or the number of another clock, as it is */
    uint64_t lost;    /* also of the kernel's comment that counts overwritten events */
};

/* A line of a stack: " => schedule". */
#define DECODE_TEXT_FRAME       " => "
#define DECODE_TEXT_FRAME_BYTES 4u

/* The beginning of a file that decode_text_is_trace tests. */
#define DECODE_TEXT_MAGIC_BYTES 18u

/* True if a file begins as these do: with the kernel's comment, an event, or a loss. */
bool decode_text_is_trace(const uint8_t begin[DECODE_TEXT_MAGIC_BYTES]);

/* Parses a line without its end. */
void decode_text_line_parse(struct cairn_slice line, struct decode_text_line *ret_line);

#endif
