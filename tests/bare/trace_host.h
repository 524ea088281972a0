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

/* Makes a trace with all events of the image. own_grace: uses the host's synchronize, not the
 * core's. The rings are as large as the memory allows. Returns an errno code. */
int bare_trace_open(enum cairn_trace_mode mode, bool own_grace);

/* Removes the events; another trace can be made with them. Returns an errno code. */
int bare_trace_close(void);

/* Sets the clock to a fixed time, which increases by 1 us at each event. 0: uses the machine's
 * clock. */
void bare_trace_set_time(uint64_t time_ns);

/* Number of memory blocks that the core has allocated. */
uint32_t bare_trace_allocated(void);

/* Prints a file of tracefs, `trace`, or the current contents of `trace_pipe`. */
void bare_trace_print_file(const char *path);
void bare_trace_print(bool consume);

/* Writes a text to a file of tracefs. Returns an errno code. */
int bare_trace_write_file(const char *path, const char *text);

#endif
