/* SPDX-License-Identifier: MIT */
/*
 * Builds the entries of a trace file's tables. They are gathered, and written before the events
 * that refer to them.
 */
#ifndef TRACE_FILE_WRITE_TABLES_H
#define TRACE_FILE_WRITE_TABLES_H

#include "trace_file/tables.h"
#include "trace_file/writer.h"

/* Zeros are a valid beginning. */
struct cairn_tracefile_tables_writer {
    struct cairn_bytes host;
    struct cairn_bytes clocks;
    struct cairn_bytes processes;
    struct cairn_bytes names;
    struct cairn_bytes descriptors;
    struct cairn_bytes losses;
};

/* Each adds what its argument says. Errors are kept until cairn_tracefile_tables_write. */
void cairn_tracefile_put_host(struct cairn_tracefile_tables_writer *tables,
                              const struct cairn_perf_host *host);
void cairn_tracefile_put_clock(struct cairn_tracefile_tables_writer *tables,
                               const struct cairn_tracefile_clock_pair *pair);
void cairn_tracefile_put_process(struct cairn_tracefile_tables_writer *tables,
                                 const struct cairn_tracefile_process *process);
void cairn_tracefile_put_name(struct cairn_tracefile_tables_writer *tables,
                              const struct cairn_tracefile_name *name);
void cairn_tracefile_put_descriptor(struct cairn_tracefile_tables_writer *tables,
                                    const struct cairn_tracefile_descriptor *descriptor);
void cairn_tracefile_put_missing(struct cairn_tracefile_tables_writer *tables,
                                 const struct cairn_perf_missing *missing);

/* Writes what was gathered. Returns as cairn_tracefile_writer_block. */
int cairn_tracefile_tables_write(struct cairn_tracefile_tables_writer *tables,
                                 struct cairn_tracefile_writer *writer);

void cairn_tracefile_tables_writer_free(struct cairn_tracefile_tables_writer *tables);

#endif
