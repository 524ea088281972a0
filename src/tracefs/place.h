/* SPDX-License-Identifier: MIT */
/* The purposes of files of the tracing directory. */
#ifndef TRACEFS_PLACE_H
#define TRACEFS_PLACE_H

#include <stdint.h>

enum tracefs_place_kind {
    TRACEFS_PLACE_NONE = 0,   /* a directory, or a file with a fixed text */
    TRACEFS_PLACE_DATA,       /* user_events_data */
    TRACEFS_PLACE_STATUS,     /* user_events_status */
    TRACEFS_PLACE_DYNAMIC,    /* dynamic_events */
    TRACEFS_PLACE_EVENTS,     /* available_events */
    TRACEFS_PLACE_SET,        /* set_event */
    TRACEFS_PLACE_ON,         /* tracing_on */
    TRACEFS_PLACE_TRACE,      /* trace */
    TRACEFS_PLACE_PIPE,       /* trace_pipe */
    TRACEFS_PLACE_ENABLE_ALL, /* events/enable, events/SYSTEM/enable */
    TRACEFS_PLACE_ENABLE,     /* events/SYSTEM/NAME/enable */
    TRACEFS_PLACE_FORMAT,
    TRACEFS_PLACE_ID,
    TRACEFS_PLACE_FILTER,
    TRACEFS_PLACE_FILTER_ALL, /* events/SYSTEM/filter */
    TRACEFS_PLACE_ERRORS,     /* error_log */
};

enum tracefs_place_system {
    TRACEFS_SYSTEM_BOTH = 0,
    TRACEFS_SYSTEM_SINGLE, /* user_events */
    TRACEFS_SYSTEM_MULTI,  /* user_events_multi */
};

struct tracefs_place {
    uint32_t kind;       /* enum tracefs_place_kind */
    uint32_t system;     /* of TRACEFS_PLACE_ENABLE_ALL, _FILTER_ALL */
    uint32_t index;      /* of an event's place */
    uint64_t generation; /* of the event */
};

#endif
