/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#ifndef TRACEFS_CONTENT_H
#define TRACEFS_CONTENT_H

#include "tracefs/output.h"
#include "tracefs/place.h"

/*
 * Replaces a content by the current one of a place. Under the engine's lock. Returns 0; ENODEV the
 * event is gone; or the error of a system call.
 */
int tracefs_content_renew(const struct tracefs_place *place, struct tracefs_output *output);

#endif
