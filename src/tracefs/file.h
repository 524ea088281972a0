/* SPDX-License-Identifier: MIT */
/* The files of the tracing directory: their purposes, their tree, and what is read from them and
 * written to them. All under the engine's lock. */
#ifndef TRACEFS_FILE_H
#define TRACEFS_FILE_H

#include "engine/output.h"

#include <cairn/schema.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

/* From TRACEFS_FILE_STATUS on they can only be read. */
enum tracefs_file_kind {
    TRACEFS_FILE_NONE = 0,   /* a directory */
    TRACEFS_FILE_DATA,       /* user_events_data */
    TRACEFS_FILE_DYNAMIC,    /* dynamic_events */
    TRACEFS_FILE_SET,        /* set_event */
    TRACEFS_FILE_ON,         /* tracing_on */
    TRACEFS_FILE_TRACE,      /* trace */
    TRACEFS_FILE_ERRORS,     /* error_log */
    TRACEFS_FILE_ENABLE_ALL, /* events/enable, events/SYSTEM/enable */
    TRACEFS_FILE_ENABLE,     /* events/SYSTEM/NAME/enable */
    TRACEFS_FILE_FILTER,
    TRACEFS_FILE_FILTER_ALL, /* events/SYSTEM/filter */
    TRACEFS_FILE_STATUS,     /* user_events_status */
    TRACEFS_FILE_EVENTS,     /* available_events */
    TRACEFS_FILE_FORMAT,
    TRACEFS_FILE_ID,
    TRACEFS_FILE_PIPE,  /* trace_pipe */
    TRACEFS_FILE_FIXED, /* its text never changes */
};

enum tracefs_system {
    TRACEFS_SYSTEM_BOTH = 0,
    TRACEFS_SYSTEM_SINGLE, /* user_events */
    TRACEFS_SYSTEM_MULTI,  /* user_events_multi */
};

struct tracefs_file {
    uint32_t kind;       /* enum tracefs_file_kind */
    uint32_t system;     /* of TRACEFS_FILE_ENABLE_ALL, _FILTER_ALL */
    uint64_t event;      /* the sample id, of an event's file; otherwise 0 */
    const char *text;    /* of TRACEFS_FILE_FIXED */
    unsigned int mode;   /* with the type */
    uint64_t size_bytes; /* as it is shown */
};

/*
 * ---- the tree, as a file system has it ----
 *
 * Directories and files have numbers. A number identifies a file completely: nothing is stored for
 * it. The number of an event's file contains the event's sample id, so it never means another
 * event's.
 */

typedef uint64_t tracefs_node;

#define TRACEFS_NODE_ROOT   ((tracefs_node)1)
#define TRACEFS_NODE_STATUS ((tracefs_node)11) /* user_events_status */

struct tracefs_node_entry {
    tracefs_node node;
    unsigned int mode;
    char name[CAIRN_NAME_MAX_BYTES + 64];
};

/* Returns 0; ENOENT; ENOTDIR; or why the registry cannot be used. */
int tracefs_node_find(tracefs_node directory, const char *name, tracefs_node *ret_node);

/* The entry of a directory at a position, or the next one; *position is then that of its successor.
 * The first is at 0. False: there is none. */
bool tracefs_node_list(tracefs_node directory, uint64_t *position,
                       struct tracefs_node_entry *ret_entry);

/* The file of a node. Returns 0; ENOENT the event is gone. */
int tracefs_node_file(tracefs_node node, struct tracefs_file *ret_file);

/* ---- reading, writing ---- */

/* Replaces a content by the current one of a file. Returns 0; ENODEV the event is gone; or the
 * error of a system call. */
int tracefs_content_renew(const struct tracefs_file *file, struct engine_output *output);

/*
 * Executes a program's write, part by part. *size_bytes is the number of bytes, and then of those
 * that were accepted. The list of parts is readable. Returns 0; EFAULT; EINVAL it is malformed, or
 * the file cannot be written to; ENOENT, ENODEV no such event; EMFILE no more events; or as
 * engine_registry_command.
 */
int tracefs_control_write(const struct tracefs_file *file, const struct iovec *parts, int count,
                          size_t *size_bytes);

/* Empties a file that was opened with O_TRUNC. Returns 0; EBUSY an event is in use. */
int tracefs_control_truncate(const struct tracefs_file *file);

#endif
