/* SPDX-License-Identifier: MIT */
/*
 * Places in the tracing folder that the program sees as /sys/kernel/tracing, and what stands there.
 *
 * Behind that folder there is a real one, CAIRN_TRACING_DIR/tracefs, with a folder for each event
 * and empty files (tree.h): looking around works there. What is opened is served (served.h).
 */
#ifndef PRELOAD_PLACE_H
#define PRELOAD_PLACE_H

#include "engine/directory.h"

#include <stdbool.h>
#include <stdint.h>

enum cairn_place_kind {
    CAIRN_PLACE_NONE = 0,   /* nothing that is served: a folder, or not there */
    CAIRN_PLACE_DATA,       /* user_events_data */
    CAIRN_PLACE_STATUS,     /* user_events_status */
    CAIRN_PLACE_DYNAMIC,    /* dynamic_events */
    CAIRN_PLACE_EVENTS,     /* available_events */
    CAIRN_PLACE_SET,        /* set_event */
    CAIRN_PLACE_ON,         /* tracing_on */
    CAIRN_PLACE_TRACE,      /* trace */
    CAIRN_PLACE_PIPE,       /* trace_pipe */
    CAIRN_PLACE_ENABLE_ALL, /* events/enable, events/SYSTEM/enable */
    CAIRN_PLACE_ENABLE,     /* events/SYSTEM/NAME/enable */
    CAIRN_PLACE_FORMAT,
    CAIRN_PLACE_ID,
    CAIRN_PLACE_FILTER,
    CAIRN_PLACE_FILTER_ALL, /* events/SYSTEM/filter */
    CAIRN_PLACE_ERRORS,     /* error_log */
    CAIRN_PLACE_MOUNTS,     /* /proc/mounts and the like: mounts.h */
    CAIRN_PLACE_KINDS,
};

enum cairn_place_system {
    CAIRN_SYSTEM_BOTH = 0,
    CAIRN_SYSTEM_SINGLE, /* user_events */
    CAIRN_SYSTEM_MULTI,  /* user_events_multi */
};

struct cairn_place {
    uint32_t kind;       /* enum cairn_place_kind */
    uint32_t system;     /* of CAIRN_PLACE_ENABLE_ALL, _FILTER_ALL; the form of _MOUNTS */
    uint32_t index;      /* of an event's place */
    uint64_t generation; /* of the event */
};

#define CAIRN_PLACE_PATH_MAX 1024

/* Where a path leads, from the tracing folder on: without . and .., "" for the folder itself. */
typedef char cairn_place_path[CAIRN_PLACE_PATH_MAX];

/* ---- which paths are ours: place_path.c ---- */

/* Whether the working folder is in ours: then relative paths are, too. Most programs never ask. */
enum cairn_place_inside {
    CAIRN_PLACE_NOT_INSIDE = 0,
    CAIRN_PLACE_INSIDE,
    CAIRN_PLACE_PERHAPS_INSIDE, /* nobody has looked yet */
};

extern enum cairn_place_inside cairn_i_place_inside;

/* The slow half of cairn_place_is_inside. */
bool cairn_place_look(void);

static inline bool cairn_place_is_inside(void)
{
    return __builtin_expect(cairn_i_place_inside != CAIRN_PLACE_NOT_INSIDE, 0) &&
           cairn_place_look();
}

/* Takes note of where the real folder is, from the environment. False: nothing is to be served. */
bool cairn_place_prepare(void);

/* Takes note that the working folder is another. */
void cairn_place_look_around(void);

/* The real folder. */
const char *cairn_place_root(void);

/* The first letters of the real folder's path, after its slash; zeros when nothing is served. */
extern char cairn_i_place_letters[3];

/* Whether a path begins as one of the names of our folder. */
bool cairn_place_begins(const char *path);

/* Whether a path is of a folder that our folder would be in. */
bool cairn_place_is_on_the_way(const char *path);

/* Whether an absolute path can be in our folder at all: a glance, for the many that cannot. */
static inline bool cairn_place_may_be(const char *path)
{
    return ((path[1] == 's' && path[2] == 'y' && path[3] == 's') ||
            (path[1] == cairn_i_place_letters[0] && path[1] &&
             path[2] == cairn_i_place_letters[1] && path[3] == cairn_i_place_letters[2])) &&
           cairn_place_begins(path);
}

enum cairn_place_side {
    CAIRN_PLACE_OUTSIDE = 0,
    CAIRN_PLACE_OURS,
    CAIRN_PLACE_LED_OUT, /* from our folder on, through .. of it */
};

/*
 * Whether a path is in our folder: one beneath /sys/kernel/tracing or /sys/kernel/debug/tracing,
 * or relative to a folder of ours. ret_path is where it leads: in our folder, or for one that is
 * led out, from the system's root on.
 */
enum cairn_place_side cairn_place_resolve(int folder, const char *path, cairn_place_path ret_path);

/* The same for a folder by its name: whether a path that begins there ends in our folder. */
bool cairn_place_resolve_from(const char *folder, const char *path, cairn_place_path ret_path);

/* ---- what stands there: place.c ---- */

/*
 * What is served at a path, under the engine's lock. Returns 0 (kind may be CAIRN_PLACE_NONE);
 * ENOENT an event's file, and there is no such event; or why there is no engine.
 */
int cairn_place_find(const char *path, struct cairn_place *ret_place);

/* What would be served at a path if its event is there: the kind alone. False: nothing. */
bool cairn_place_name(const char *path, struct cairn_place *place);

/* Where a place is. Under the engine's lock. False: nowhere, as its event is gone. */
bool cairn_place_find_path(const struct cairn_place *place, cairn_place_path ret_path);

/* The file's mode, as tracefs has it. */
unsigned int cairn_place_mode(uint32_t kind);

#endif
