/* SPDX-License-Identifier: MIT */
/* This process: the one thread of the library, which sets and clears enable bits when listeners
 * come and go; and children. */
#ifndef PRELOAD_PROCESS_H
#define PRELOAD_PROCESS_H

#include <stdbool.h>

/* Under the engine's lock, which is attached: from here on children of fork are handled. */
void preload_process_join(void);

/* False in a child that shares memory with its parent. */
bool preload_process_is_own(void);

/* True in the library's thread, whose descriptors are not the program's. */
bool preload_process_is_updater(void);

/* Under the engine's lock: starts the thread, if it does not run. */
void preload_process_update_always(void);

#endif
