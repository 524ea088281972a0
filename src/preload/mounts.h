/* SPDX-License-Identifier: MIT */
/*
 * The tables of what is mounted, where programs look for a tracefs. Where the kernel's table has
 * one at the place of our directory, it is the program's as it is; otherwise it gets a table that
 * has.
 */
#ifndef PRELOAD_MOUNTS_H
#define PRELOAD_MOUNTS_H

#include "tracefs/output.h"

#include <stdbool.h>
#include <stdint.h>

enum preload_mounts_form {
    PRELOAD_MOUNTS_TABLE = 0, /* /proc/self/mounts, fstab(5) */
    PRELOAD_MOUNTS_INFO,      /* /proc/self/mountinfo, proc(5) */
};

/* True if a path is that of one of the tables. */
bool preload_mounts_find(const char *path, uint32_t *ret_form);

/* True if the kernel's table has a tracefs at the path of the tracing directory. */
bool preload_mounts_have_ours(uint32_t form);

/* The table with a tracefs at the place of our directory, and none elsewhere. */
void preload_mounts_print(uint32_t form, struct tracefs_output *output);

#endif
