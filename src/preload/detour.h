/* SPDX-License-Identifier: MIT */
/*
 * Paths that come to our directory by a detour: through a symbolic link, or from a directory
 * outside. To find out takes system calls: they are made for paths alone that end in a name of a
 * tracefs.
 */
#ifndef PRELOAD_DETOUR_H
#define PRELOAD_DETOUR_H

#include "preload/place_path.h"

/* True if a path ends in a name that a kernel's tracefs has too: its target must be known before
 * it is opened. */
bool preload_detour_is_likely(const char *path);

/* The same for a path that nothing was found at. */
bool preload_detour_may_be(const char *path);

/*
 * Follows a path as the kernel does. True: it leads into our directory. `follows_last` is whether a
 * link at its end is followed.
 */
bool preload_detour_find(int directory, const char *path, bool follows_last,
                         tracefs_place_path ret_path);

#endif
