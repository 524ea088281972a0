/* SPDX-License-Identifier: MIT */
/* The tables of a trace file: descriptors, processes, the names of threads, facts, losses. */
#ifndef TRACE_FILE_TABLES_H
#define TRACE_FILE_TABLES_H

#include "perf_data/arena.h"
#include "perf_data/map.h"
#include "trace_file/clock.h"

#include <cairn/eventheader_abi.h>
#include <cairn/perf_data.h>

/* The constant part of the events of a call site or of a tracepoint. Slices are "" if absent. */
struct cairn_tracefile_descriptor {
    uint32_t index;  /* from 0, in the order of the file: for tables on the side */
    uint32_t number; /* as in records */
    uint8_t kind;    /* enum cairn_tracefile_descriptor_kind */
    uint8_t flags;   /* CAIRN_TRACEFILE_HAS_ */

    /* A tracepoint's: */
    uint32_t id; /* in its format text, and in its common fields */
    uint32_t long_size_bytes;
    struct cairn_slice system;
    struct cairn_slice name;
    struct cairn_slice format;

    /* An EventHeader event's: */
    const struct cairn_tracefile_descriptor *tracepoint;
    uint8_t header[sizeof(struct cairn_eventheader)]; /* as in the event */
    struct cairn_slice metadata;                      /* the extension's contents */
    struct cairn_slice file;
    struct cairn_slice function;
    uint32_t line;
};

struct cairn_tracefile_process {
    uint32_t number;
    uint32_t pid;
    uint32_t domain;
};

/* A thread's name from a time on. */
struct cairn_tracefile_name {
    uint64_t time_ns;
    uint32_t process;
    uint32_t tid;
    const char *text;
};

struct cairn_tracefile_tables {
    struct cairn_arena arena;
    struct cairn_tracefile_clocks clocks;
    struct cairn_tracefile_descriptor **descriptors;
    struct cairn_map descriptor_of; /* number */
    uint32_t descriptor_count;
    struct cairn_tracefile_process **processes;
    struct cairn_map process_of; /* number */
    uint32_t process_count;
    struct cairn_map id_of;              /* process and its own number, to the file's number */
    struct cairn_tracefile_name **names; /* those before name_next are in force */
    uint32_t name_count;
    uint32_t name_next;
    struct cairn_map name_of; /* process and thread, to the index of its name */
    struct cairn_perf_host host;
    const char **args;
    struct cairn_perf_missing missing;
    uint64_t lost; /* events, from all blocks and records */
};

/* Apply a block's contents. Return 0; EBADMSG; ENOMEM. */
int cairn_tracefile_tables_host(struct cairn_tracefile_tables *tables, struct cairn_cursor c);
int cairn_tracefile_tables_processes(struct cairn_tracefile_tables *tables, struct cairn_cursor c);
int cairn_tracefile_tables_names(struct cairn_tracefile_tables *tables, struct cairn_cursor c);
int cairn_tracefile_tables_descriptors(struct cairn_tracefile_tables *tables,
                                       struct cairn_cursor c);
int cairn_tracefile_tables_ids(struct cairn_tracefile_tables *tables, struct cairn_cursor c);
int cairn_tracefile_tables_losses(struct cairn_tracefile_tables *tables, struct cairn_cursor c);

/* Find by number. NULL: unknown. */
const struct cairn_tracefile_descriptor *
cairn_tracefile_tables_descriptor(const struct cairn_tracefile_tables *tables, uint32_t number);
const struct cairn_tracefile_process *
cairn_tracefile_tables_process(const struct cairn_tracefile_tables *tables, uint32_t number);

/* The file's number of a descriptor of a process; 0: unknown. */
uint32_t cairn_tracefile_tables_number(const struct cairn_tracefile_tables *tables,
                                       uint32_t process, uint32_t own_number);

/* Returns a thread's name at a time, which does not become less from call to call; or NULL. */
const char *cairn_tracefile_tables_name(struct cairn_tracefile_tables *tables, uint32_t process,
                                        uint32_t tid, uint64_t time_ns);

void cairn_tracefile_tables_free(struct cairn_tracefile_tables *tables);

#endif
