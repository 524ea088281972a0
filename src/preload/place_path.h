/* SPDX-License-Identifier: MIT */
/*
 * Which paths are ours. The tracing directory, which the program sees as /sys/kernel/tracing, has a
 * real one that it is stored in, CAIRN_TRACING_DIR/tracefs, with a directory for each event and
 * empty files (tree.h): looking around works there. What is opened is served (served.h).
 */
#ifndef PRELOAD_PLACE_PATH_H
#define PRELOAD_PLACE_PATH_H

#include "engine/directory.h"
#include "tracefs/place.h"

/* /proc/mounts and the like: mounts.h; `system` is the form. */
#define PRELOAD_PLACE_MOUNTS TRACEFS_PLACE_KINDS

/* The position of the working directory: if it is in the tracing directory, so are relative paths.
 * Most programs never need it. */
enum preload_place_inside {
    PRELOAD_PLACE_NOT_INSIDE = 0,
    PRELOAD_PLACE_INSIDE,
    PRELOAD_PLACE_PERHAPS_INSIDE, /* nobody has looked yet */
};

extern enum preload_place_inside preload_place_inside;

/* The slow half of preload_place_is_inside. */
bool preload_place_look(void);

static inline bool preload_place_is_inside(void)
{
    return __builtin_expect(preload_place_inside != PRELOAD_PLACE_NOT_INSIDE, 0) &&
           preload_place_look();
}

/* Takes note of where the real directory is, from the environment. False: nothing is to be served.
 */
bool preload_place_prepare(void);

/* Takes note that the working directory is another. */
void preload_place_look_around(void);

/* The real directory. */
const char *preload_place_root(void);

/* The first letters of the real directory's path, after its slash; zeros when nothing is served. */
extern char preload_place_letters[3];

/* True if a path begins with one of the names of the tracing directory. */
bool preload_place_begins(const char *path);

/* True if a path is that of a parent of the tracing directory. */
bool preload_place_is_on_the_way(const char *path);

/* A quick check: false if an absolute path cannot be in the tracing directory, as most. */
static inline bool preload_place_may_be(const char *path)
{
    return ((path[1] == 's' && path[2] == 'y' && path[3] == 's') ||
            (path[1] == preload_place_letters[0] && path[1] &&
             path[2] == preload_place_letters[1] && path[3] == preload_place_letters[2])) &&
           preload_place_begins(path);
}

enum preload_place_side {
    PRELOAD_PLACE_OUTSIDE = 0,
    PRELOAD_PLACE_OURS,
    PRELOAD_PLACE_LED_OUT, /* from our directory on, through .. of it */
};

/*
 * Finds out if a path is in the tracing directory: one beneath /sys/kernel/tracing or
 * /sys/kernel/debug/tracing, or relative to a directory of ours. ret_path is where it leads: in our
 * directory, or for one that is led out, from the system's root on.
 */
enum preload_place_side preload_place_resolve(int directory, const char *path,
                                              tracefs_place_path ret_path);

/* The same for a directory by its name: whether a path that begins there ends in our directory. */
bool preload_place_resolve_from(const char *directory, const char *path,
                                tracefs_place_path ret_path);

#endif
