/* SPDX-License-Identifier: MIT */
/* The tables of a trace file: descriptors, processes, the names of threads, facts, losses. */
#ifndef TRACE_FILE_TABLES_H
#define TRACE_FILE_TABLES_H

#include "perf_data/arena.h"
#include "perf_data/map.h"
#include "trace_file/clock.h"

#include <cairn/eventheader_abi.h>
#include <cairn/perf_data.h>

/* The part that all events of a call site or of a tracepoint have in common. Slices are "" if
 * absent. */
struct trace_file_descriptor {
    uint32_t index;  /* from 0, in the order of the file: index for other tables */
    uint32_t number; /* as in records */
    uint8_t kind;    /* enum trace_file_descriptor_kind */
    uint8_t flags;   /* TRACE_FILE_HAS_ */

    /* A tracepoint's: */
    uint32_t id; /* in its format text, and in its common fields */
    uint32_t long_size_bytes;
    struct cairn_slice system;
    struct cairn_slice name;
    struct cairn_slice format;

    /* An EventHeader event's: */
    const struct trace_file_descriptor *tracepoint;
    uint8_t header[sizeof(struct cairn_eventheader)]; /* as in the event */
    struct cairn_slice metadata;                      /* the extension's contents */
    struct cairn_slice file;
    struct cairn_slice function;
    uint32_t line;
};

struct trace_file_process {
    uint32_t number;
    uint32_t pid;
    uint32_t domain;
    const char *container; /* in which it runs; NULL: none that is known */
};

/* A thread's name, and the time from which on it is valid. */
struct trace_file_name {
    uint64_t time_ns;
    uint32_t process;
    uint32_t tid;
    const char *text;
};

struct trace_file_perf_attr;

struct trace_file_tables {
    struct perf_data_arena arena;
    struct trace_file_clocks clocks;
    struct trace_file_descriptor **descriptors;
    struct perf_data_map descriptor_of; /* number */
    uint32_t descriptor_count;
    struct trace_file_process **processes;
    struct perf_data_map process_of; /* number */
    uint32_t process_count;
    struct trace_file_perf_attr **perf_attrs;
    struct perf_data_map perf_attr_of_id;
    uint32_t perf_attr_count;
    struct perf_data_map id_of; /* maps a process and its id of a descriptor to the file's number */
    struct trace_file_name **names; /* those before name_next are valid now */
    uint32_t name_count;
    uint32_t name_next;
    bool names_are_unsorted;      /* from name_next on */
    struct perf_data_map name_of; /* maps process and thread to the index of the name */
    struct trace_file_recent_name {
        uint64_t until_ns; /* before this time it is valid, while there are no new names */
        uint32_t name_count;
        uint32_t process;
        uint32_t tid;
        const char *text;
    } recent_name;                     /* that was found last */
    struct cairn_slice kernel_strings; /* of all domains, as in printk_formats */
    uint32_t kernel_string_entries;
    struct cairn_perf_host host;
    const char **args;
    struct cairn_perf_missing missing;
    uint64_t lost; /* events, from all blocks and records */
};

/* Applies the contents of a block of a table; other blocks have none. Returns 0; EBADMSG; ENOMEM.
 */
int trace_file_tables_apply(struct trace_file_tables *tables, uint32_t type, struct core_cursor c);

/* Apply a block's contents. Return 0; EBADMSG; ENOMEM. */
int trace_file_tables_host(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_kernel_strings(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_processes(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_names(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_descriptors(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_ids(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_perf_attrs(struct trace_file_tables *tables, struct core_cursor c);
int trace_file_tables_losses(struct trace_file_tables *tables, struct core_cursor c);

/* Find by number. NULL: unknown. */
const struct trace_file_descriptor *
trace_file_tables_descriptor(const struct trace_file_tables *tables, uint32_t number);
const struct trace_file_process *trace_file_tables_process(const struct trace_file_tables *tables,
                                                           uint32_t number);

/* Returns the file's number of a process's descriptor; 0: unknown. */
uint32_t trace_file_tables_number(const struct trace_file_tables *tables, uint32_t process,
                                  uint32_t own_number);

/* The slow path of the next. */
const char *trace_file_tables_find_name(struct trace_file_tables *tables, uint32_t process,
                                        uint32_t tid, uint64_t time_ns);

/* Returns a thread's name at a time, or NULL. The time must not decrease from call to call. */
static inline const char *trace_file_tables_name(struct trace_file_tables *tables, uint32_t process,
                                                 uint32_t tid, uint64_t time_ns)
{
    const struct trace_file_recent_name *recent = &tables->recent_name;

    if (cairn_likely(time_ns < recent->until_ns && recent->tid == tid &&
                     recent->process == process && recent->name_count == tables->name_count))
        return recent->text;
    return trace_file_tables_find_name(tables, process, tid, time_ns);
}

void trace_file_tables_free(struct trace_file_tables *tables);

#endif
