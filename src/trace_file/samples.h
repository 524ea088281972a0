/* SPDX-License-Identifier: MIT */
/*
 * Builds a trace file from samples of tracepoints, as perf.data and the buffers of programs have
 * them: the bytes that all events of a call site have in common become a descriptor.
 */
#ifndef TRACE_FILE_SAMPLES_H
#define TRACE_FILE_SAMPLES_H

#include "trace_file/pieces.h"

/* An EventHeader event's descriptor that was written, and the bytes before its fields. */
struct trace_file_call_site;

/* A process that was looked up, and its number. */
struct trace_file_found_process;

/* A tracepoint whose samples are added. Its address must not change. */
struct trace_file_sample_type {
    struct trace_file_descriptor
        tracepoint; /* its texts must be valid as long as samples are added */
    bool is_eventheader;
    uint32_t number; /* number of the descriptor for events without common flags; 0: none yet */
    uint32_t common_number; /* number of the one for events with the common fields; 0: none yet */
    struct trace_file_call_site *recent; /* of its last event */
};

struct trace_file_sample {
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;     /* TRACE_FILE_CPU_UNKNOWN */
    uint32_t domain;  /* of the clock */
    uint32_t machine; /* domain of the process */
    uint64_t time_ns;
    const uint8_t *raw; /* from the common fields on */
    size_t raw_bytes;
};

/* All zeros: not begun. */
struct trace_file_samples {
    struct trace_file_writer writer;
    struct trace_file_tables_writer tables;
    struct trace_file_pieces pieces;
    struct trace_file_call_site **sites;
    struct perf_data_map site_of; /* maps a hash of tracepoint and prefix to the index */
    uint32_t site_count;
    struct cairn_bytes *
        *descriptors; /* by number, from 1: the bytes that were written, without the number */
    struct perf_data_map descriptor_of; /* maps a hash of these bytes to the number */
    uint32_t descriptor_count;
    struct trace_file_found_process **processes;
    struct perf_data_map process_of; /* maps a hash of domain, pid and container to the index */
    uint32_t found_count;
    uint32_t process_count;       /* of the file: the highest number */
    struct perf_data_map name_of; /* maps process and thread to the index of the name */
    char (*names)[16];
    uint32_t name_count;
    struct cairn_bytes prefix;
    const struct trace_file_found_process *recent_process; /* the last one; NULL: none yet */
};

/* Arguments and codes as trace_file_writer_begin. */
int trace_file_samples_begin(struct trace_file_samples *samples, int fd, int level);

/*
 * Describes a tracepoint.
 *
 * tracepoint  its `number` is ignored
 */
void trace_file_sample_type_set(struct trace_file_sample_type *type,
                                const struct trace_file_descriptor *tracepoint);

/* The payload of a record: two parts, of which one may be empty. */
#define TRACE_FILE_PARTS 2

struct trace_file_split {
    uint32_t descriptor;
    struct iovec parts[TRACE_FILE_PARTS];
};

/* Finds the descriptor of a sample, and the rest of the sample. Returns 0; ENOMEM. */
int trace_file_samples_split(struct trace_file_samples *samples,
                             struct trace_file_sample_type *type,
                             const struct trace_file_sample *sample,
                             struct trace_file_split *ret_parts);

/* Finds the number of a tracepoint's descriptor: of records without the common fields. Returns 0;
 * ENOMEM. */
int trace_file_samples_tracepoint(struct trace_file_samples *samples,
                                  struct trace_file_sample_type *type, uint32_t *ret_number);

/* Adds an event. Returns as trace_file_pieces_add. */
int trace_file_samples_add(struct trace_file_samples *samples, struct trace_file_sample_type *type,
                           const struct trace_file_sample *sample);

/*
 * Finds the number of a descriptor, which is written when there is no equal one yet.
 *
 * descriptor  its `number` is ignored; the one of its tracepoint is this file's
 *
 * Returns 0; ENOMEM.
 */
int trace_file_samples_descriptor(struct trace_file_samples *samples,
                                  const struct trace_file_descriptor *descriptor,
                                  uint32_t *ret_number);

/* Adds a process of its own, also where there is one of this number; container NULL: it is in none.
 * Returns the file's number. */
uint32_t trace_file_samples_new_process(struct trace_file_samples *samples, uint32_t domain,
                                        uint32_t pid, const char *container);

/* Finds the number of a process. Equal pids are different processes in different containers, which
 * may have pids of their own. Returns 0; ENOMEM. */
int trace_file_samples_process(struct trace_file_samples *samples, uint32_t domain, uint32_t pid,
                               const char *container, uint32_t *ret_number);

/* Writes a thread's name, if it is not the one that was written last. Returns 0; ENOMEM. */
int trace_file_samples_name(struct trace_file_samples *samples, const struct trace_file_name *name);

/* Writes the collected events, the index and the end. Returns as trace_file_writer_block. */
int trace_file_samples_finish(struct trace_file_samples *samples);

void trace_file_samples_free(struct trace_file_samples *samples);

#endif
