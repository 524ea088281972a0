/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#ifndef TRACEFS_CONTENT_H
#define TRACEFS_CONTENT_H

#include "tracefs/place.h"

/*
 * Writes the content of a place as it is now into a file, in place of what was in it; the file's
 * position stays. Under the engine's lock. Returns 0; ENODEV the event is gone; or what a system
 * call said.
 */
int cairn_content_renew(const struct cairn_place *place, int fd);

#endif
