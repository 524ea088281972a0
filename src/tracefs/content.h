/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#ifndef TRACEFS_CONTENT_H
#define TRACEFS_CONTENT_H

#include "engine/output.h"
#include "tracefs/file.h"

/*
 * Replaces a content by the current one of a file. Under the engine's lock. Returns 0; ENODEV the
 * event is gone; or the error of a system call.
 */
int tracefs_content_renew(const struct tracefs_file *file, struct engine_output *output);

#endif
