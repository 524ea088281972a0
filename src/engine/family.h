/* SPDX-License-Identifier: MIT */
/*
 * A process and the children that it forked. A child writes the events that its parent registered,
 * so these stay registered while a child lives: the child records its pid in the process files that
 * have the registrations.
 */
#ifndef ENGINE_FAMILY_H
#define ENGINE_FAMILY_H

#include "engine/abi.h"

#include <stdbool.h>

/* Call these around a fork: until the child has recorded its pid, nobody knows whether it lives. */
void engine_family_before_fork(void);
void engine_family_after_fork(void);

/* In a forked child: its registrations are those in this file, too, which stays mapped. No system
 * call. */
void engine_family_inherit(struct engine_process_file *file);

/* In a forked child: records the process in all files that it has inherited. `is_known` is false if
 * its pid is that of another pid namespace. No system call. */
void engine_family_join(uint32_t pid, bool is_known);

/* True if a child that needs a process's registrations may be alive. Takes some 0.1 ms for a
 * child that is. `pool_name` is the name of the family's pool file, which they have mapped. */
bool engine_family_has_children(struct engine_process_file *file, const char *pool_name);

#endif
