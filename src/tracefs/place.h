/* SPDX-License-Identifier: MIT */
/*
 * The files of the tracing directory, as a program sees it at /sys/kernel/tracing: from paths to
 * files, and back.
 */
#ifndef TRACEFS_PLACE_H
#define TRACEFS_PLACE_H

#include <stdbool.h>
#include <stdint.h>

enum tracefs_place_kind {
    TRACEFS_PLACE_NONE = 0,   /* nothing that is served: a directory, or no file */
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
    TRACEFS_PLACE_KINDS,      /* a transport's own kinds begin here */
};

enum tracefs_place_system {
    TRACEFS_SYSTEM_BOTH = 0,
    TRACEFS_SYSTEM_SINGLE, /* user_events */
    TRACEFS_SYSTEM_MULTI,  /* user_events_multi */
};

struct tracefs_place {
    uint32_t kind;       /* enum tracefs_place_kind */
    uint32_t system;     /* of TRACEFS_PLACE_ENABLE_ALL, _FILTER_ALL; a transport's own */
    uint32_t index;      /* of an event's place */
    uint64_t generation; /* of the event */
};

#define TRACEFS_PLACE_PATH_MAX 1024

/* The file that a path names, relative to the tracing directory: without . and .., "" for the
 * directory itself. */
typedef char tracefs_place_path[TRACEFS_PLACE_PATH_MAX];

/*
 * Finds the file at a path, under the engine's lock. Returns 0 (kind may be TRACEFS_PLACE_NONE);
 * ENOENT an event's file, and there is no such event; or the error of the engine.
 */
int tracefs_place_find(const char *path, struct tracefs_place *ret_place);

/* Finds the kind of the file at a path, without a look if its event exists. False: no file. */
bool tracefs_place_name(const char *path, struct tracefs_place *place);

/* ---- all that there is ---- */

/* The path and the place of a fixed file, by its number from 0 on. False: there is none. */
bool tracefs_place_of_fixed(uint32_t number, const char **ret_path,
                            struct tracefs_place *ret_place);

/* The name and the kind of a file that each event has. */
bool tracefs_place_of_event_file(uint32_t number, const char **ret_name, uint32_t *ret_kind);

/* The name and the content of a file that never changes, and is at the top. */
bool tracefs_place_of_text(uint32_t number, const char **ret_name, const char **ret_text);

/* Under the engine's lock: the index and generation of an event by its name, which has a suffix if
 * it is one of several formats. Returns 0; ENOENT; or why the registry cannot be used. */
int tracefs_place_find_event(const char *name, bool is_multi, struct tracefs_place *place);

/* The path of a file. Under the engine's lock. False: it has none, because its event is gone. */
bool tracefs_place_find_path(const struct tracefs_place *place, tracefs_place_path ret_path);

/* The file's mode, as tracefs has it. */
unsigned int tracefs_place_mode(uint32_t kind);

#endif
