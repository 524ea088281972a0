/* SPDX-License-Identifier: MIT */
/* The entries of a block: each begins with its size. */
#ifndef TRACE_FILE_ENTRY_H
#define TRACE_FILE_ENTRY_H

#include "core/cursor.h"

/* Applies an entry's contents. Returns 0; EBADMSG; ENOMEM. */
typedef int cairn_tracefile_apply(void *context, struct cairn_cursor entry);

/* Applies each entry of a block, up to the first error. Returns it; EBADMSG; 0. */
static inline int cairn_tracefile_each_entry(struct cairn_cursor c, cairn_tracefile_apply *apply,
                                             void *context)
{
    int err = 0;

    while (c.left && !err) {
        uint32_t size = cairn_cursor_u32(&c);
        const void *at = size < sizeof(size) ? NULL : cairn_cursor_take(&c, size - sizeof(size));

        err = at ? apply(context, cairn_cursor(at, size - sizeof(size), c.swap)) : EBADMSG;
    }
    return err;
}

#endif
