/* SPDX-License-Identifier: MIT */
/*
 * The uses of an opening of user_events_data, in the order of their write indexes, in the opening's
 * memory file: a process that inherits the descriptor, by fork or through exec, finds them there.
 */
#ifndef PRELOAD_DATA_LINES_H
#define PRELOAD_DATA_LINES_H

#include "tracefs/data_uses.h"

/* Under the engine's lock: makes the state of an opening, or makes the one that is there fit for
 * another. Returns 0; ENOMEM. */
int preload_data_lines_take(struct tracefs_data **data, int fd);

/* The slow half of preload_data_lines_use. */
struct tracefs_use *preload_data_lines_find(struct tracefs_data *data, int fd, uint32_t index);

/* The use of a write index, or NULL: another process may have registered it. Any thread, any signal
 * handler. */
static inline struct tracefs_use *preload_data_lines_use(struct tracefs_data *data, int fd,
                                                         uint32_t index)
{
    struct tracefs_use *use = tracefs_data_use(data, index);

    return __builtin_expect(use != NULL, 1) ? use : preload_data_lines_find(data, fd, index);
}

#endif
