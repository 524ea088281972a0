/* SPDX-License-Identifier: MIT */
/* Goes through the records of a piece, which are untrusted. */
#ifndef TRACE_FILE_PIECE_CURSOR_H
#define TRACE_FILE_PIECE_CURSOR_H

#include "trace_file/reader.h"

struct cairn_tracefile_cursor {
    struct cairn_tracefile_event event; /* the one that comes next */
    struct cairn_tracefile_block *block;
    const uint8_t *at;
    const uint8_t *end;
    uint32_t process;
    uint32_t flags;
    uint64_t base;     /* of the counter */
    uint64_t sequence; /* of the piece, for events of equal time */
};

/*
 * Begins a piece at the cursor `c` and moves it after the piece; takes a reference to the block.
 * Returns 0; EBADMSG; ENOMEM.
 */
int cairn_tracefile_cursor_begin(struct cairn_tracefile_reader *reader,
                                 struct cairn_tracefile_block *block, struct cairn_cursor *c,
                                 struct cairn_tracefile_cursor **ret_cursor);

/* Goes to the next event. Returns 0; ENODATA the end; EBADMSG. */
int cairn_tracefile_cursor_next(struct cairn_tracefile_reader *reader,
                                struct cairn_tracefile_cursor *cursor);

void cairn_tracefile_cursor_end(struct cairn_tracefile_reader *reader,
                                struct cairn_tracefile_cursor *cursor);

#endif
