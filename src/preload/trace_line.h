/* SPDX-License-Identifier: MIT */
/* A record as a line of ftrace's text. */
#ifndef PRELOAD_TRACE_LINE_H
#define PRELOAD_TRACE_LINE_H

#include <cairn/schema.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The line as the kernel prints user_events, newline included: cut when it does not fit.
 * comm    of the thread
 * record  well-formed (cairn_record_check)
 * Returns its length.
 */
size_t cairn_trace_line(char *line, size_t size_bytes, const struct cairn_schema *schema,
                        const char *comm, const uint8_t *record);

#endif
