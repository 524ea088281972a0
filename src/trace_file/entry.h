/* SPDX-License-Identifier: MIT */
/* The entries of a block: each begins with its size. */
#ifndef TRACE_FILE_ENTRY_H
#define TRACE_FILE_ENTRY_H

#include "core/cursor.h"

/* Applies an entry's contents. Returns 0; EBADMSG; ENOMEM. */
typedef int trace_file_apply(void *context, struct core_cursor entry);

/* Applies each entry of a block, up to the first error. Returns it; EBADMSG; 0. */
static inline int trace_file_each_entry(struct core_cursor c, trace_file_apply *apply,
                                        void *context)
{
    int err = 0;

    while (c.left && !err) {
        uint32_t size = core_cursor_u32(&c);
        const void *at = size < sizeof(size) ? NULL : core_cursor_take(&c, size - sizeof(size));

        err = at ? apply(context, core_cursor(at, size - sizeof(size), c.swap)) : EBADMSG;
    }
    return err;
}

#endif
