/* SPDX-License-Identifier: MIT */
/* Prints a record as a line of text, as ftrace does. */
#ifndef KERNEL_TRACE_LINE_H
#define KERNEL_TRACE_LINE_H

#include <cairn/kernel/trace_line.h>

/*
 * As cairn_trace_line, with spare_bytes of the caller's memory after the text's, for a copy of the
 * record and the strings of a print function. The line itself may not use them.
 */
int kernel_trace_line_spare(const struct cairn_trace_names *names, const void *record,
                            size_t size_bytes, struct cairn_text *to, size_t spare_bytes);

/* Adds a time as ftrace shows it: seconds, and microseconds to the nearest. */
void kernel_text_add_time(struct cairn_text *to, uint64_t time_ns);

#endif
