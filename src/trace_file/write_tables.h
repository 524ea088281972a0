/* SPDX-License-Identifier: MIT */
/*
 * Builds the entries of a trace file's tables. They are collected, and written before the events
 * that refer to them.
 */
#ifndef TRACE_FILE_WRITE_TABLES_H
#define TRACE_FILE_WRITE_TABLES_H

#include "trace_file/tables.h"
#include "trace_file/writer.h"

/* Initialized with zeros. */
struct trace_file_tables_writer {
    struct cairn_bytes host;
    struct cairn_bytes kernel_strings;
    struct cairn_bytes clocks;
    struct cairn_bytes processes;
    struct cairn_bytes names;
    struct cairn_bytes descriptors;
    struct cairn_bytes ids;
    struct cairn_bytes perf_attrs;
    struct cairn_bytes losses;
};

/* Each adds an entry. Errors are kept until trace_file_tables_write. */
void trace_file_put_host(struct trace_file_tables_writer *tables,
                         const struct cairn_perf_host *host);
/* text: of the file printk_formats of a kernel's tracefs */
void trace_file_put_kernel_strings(struct trace_file_tables_writer *tables, uint32_t domain,
                                   struct cairn_slice text);
void trace_file_put_clock(struct trace_file_tables_writer *tables,
                          const struct trace_file_clock_pair *pair);
void trace_file_put_process(struct trace_file_tables_writer *tables,
                            const struct trace_file_process *process);
void trace_file_put_name(struct trace_file_tables_writer *tables,
                         const struct trace_file_name *name);
void trace_file_put_descriptor(struct trace_file_tables_writer *tables,
                               const struct trace_file_descriptor *descriptor);
/* In records of the process, `id` means the descriptor `number`. */
void trace_file_put_id(struct trace_file_tables_writer *tables, uint32_t process, uint32_t id,
                       uint32_t number);
/* An attr as perf_event_open got it.
 *
 * descriptor  of its tracepoint; 0: none
 * attr        the struct perf_event_attr */
void trace_file_put_perf_attr(struct trace_file_tables_writer *tables, uint32_t descriptor,
                              uint32_t domain, struct cairn_slice attr, const uint64_t *ids,
                              uint32_t id_count);
void trace_file_put_missing(struct trace_file_tables_writer *tables,
                            const struct cairn_perf_missing *missing);

/* Writes the collected entries. Returns as trace_file_writer_block. */
int trace_file_tables_write(struct trace_file_tables_writer *tables,
                            struct trace_file_writer *writer);

void trace_file_tables_writer_free(struct trace_file_tables_writer *tables);

#endif
