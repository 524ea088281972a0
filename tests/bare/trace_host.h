/* SPDX-License-Identifier: MIT */
/* A host of the tracepoint core, as a kernel supplies it (docs/porting.md), on these machines. */
#ifndef TRACE_HOST_H
#define TRACE_HOST_H

#include <cairn/kernel/host.h>
#include <cairn/kernel/static_key.h>
#include <cairn/kernel/control.h>
#include <cairn/kernel/trace_buffer.h>

extern struct cairn_trace bare_trace;
extern struct cairn_trace_buffer bare_trace_buffer;
extern struct cairn_static_keys bare_trace_keys;

/* Makes a trace of all events of the image. own_grace: with the host's synchronize, not the core's.
 * The number of bytes for each CPU's ring is as large as the memory allows. Returns an errno code.
 */
int bare_trace_open(enum cairn_trace_mode mode, bool own_grace);

/* Takes the events out; another trace may be made of them. Returns an errno code. */
int bare_trace_close(void);

/* The clock stands still at this time, but goes on by 1 us at each event. 0: it is the machine's.
 */
void bare_trace_set_time(uint64_t time_ns);

/* Pieces of memory that the core has. */
uint32_t bare_trace_allocated(void);

/* Prints a file of tracefs, `trace`, or all that `trace_pipe` has now. */
void bare_trace_print_file(const char *path);
void bare_trace_print(bool consume);

/* Writes a text to a file of tracefs. Returns an errno code. */
int bare_trace_write_file(const char *path, const char *text);

#endif
