/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#ifndef TRACEFS_CONTENT_H
#define TRACEFS_CONTENT_H

#include "tracefs/place.h"

/*
 * Replaces the content of a file by the current content of a place; the file's position stays.
 * Under the engine's lock. Returns 0; ENODEV the event is gone; or the error of a system call.
 */
int tracefs_content_renew(const struct tracefs_place *place, int fd);

#endif
