/* SPDX-License-Identifier: MIT */
/* The purposes of files of the tracing directory. */
#ifndef TRACEFS_FILE_H
#define TRACEFS_FILE_H

#include <stdint.h>

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
    uint32_t kind;    /* enum tracefs_file_kind */
    uint32_t system;  /* of TRACEFS_FILE_ENABLE_ALL, _FILTER_ALL */
    uint64_t event;   /* the sample id, of an event's file; otherwise 0 */
    const char *text; /* of TRACEFS_FILE_FIXED */
};

#endif
