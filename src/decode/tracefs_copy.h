/* SPDX-License-Identifier: MIT */
/*
 * A copy of the kernel's files of a recording, as a trace.dat of version 6:
 *
 *   events/header_page, events/header_event, events/SYSTEM/EVENT/format
 *   per_cpu/cpuN/trace_pipe_raw  pages of the ring buffers
 *   saved_cmdlines, printk_formats, if there are
 */
#ifndef DECODE_TRACEFS_COPY_H
#define DECODE_TRACEFS_COPY_H

#include "perf_data/source.h"

/* True if a directory has the first of these files. */
bool decode_tracefs_copy_is_one(const char *directory);

/*
 * Makes the trace.dat, in a temporary file.
 *
 * ret_text    the reason, after EBADMSG and EOPNOTSUPP
 *
 * Returns 0; EBADMSG; EOPNOTSUPP the directory is the kernel's: reading its pages would remove
 * them; ENOENT there are no pages; ENOMEM; or the error of a system call.
 */
int decode_tracefs_copy_open(const char *directory, struct perf_data_source *ret_source,
                             const char **ret_text);

#endif
