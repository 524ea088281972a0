/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files that serve call sites (cairn/eventheader/values.h).
 *
 * A call site keeps nothing but the place of the next value. So that place says where the values of
 * its event are: in the buffer of the thread, after the thread's last record; or aside, in memory
 * of the library. Events of signal handlers begin and end while another event is written, and have
 * places of their own.
 */
#ifndef EVENTHEADER_WRITE_H
#define EVENTHEADER_WRITE_H

#include "engine/emit.h"
#include "eventheader/copy.h"

#include <cairn/eventheader/values.h>
#include <cairn/record.h>

/* A short value, its count and its zero take no more than CAIRN_I_SHORT_BYTES. */
_Static_assert(EVENTHEADER_SHORT_BYTES + 2 + 4 <= CAIRN_I_SHORT_BYTES, "reserved for a value");

/* Values in a buffer take less; at least this number of bytes is between the buffers and the memory
 * for values that are aside. */
#define EVENTHEADER_BUFFER_MAX_BYTES 0x8000u

/* Bytes from the record that the thread is writing, if any, to a place: less than
 * EVENTHEADER_BUFFER_MAX_BYTES, and a slack, if the place is in this record. */
static inline size_t eventheader_bytes_in_buffer(const struct engine_thread *thread,
                                                 const uint8_t *at)
{
    return (uintptr_t)at - (uintptr_t)thread->recent.writer.next;
}

static inline bool eventheader_is_in_buffer(const struct engine_thread *thread, const uint8_t *at)
{
    return thread && eventheader_bytes_in_buffer(thread, at) < 2 * EVENTHEADER_BUFFER_MAX_BYTES;
}

/* An event whose values are aside. */
struct eventheader_aside {
    struct engine_thread_event event;
    int error; /* not 0: it is not written */
    uint8_t *values;
};

/* The values go to memory of the library: the event is for other backends too, or for several
 * sessions, or nested, or the thread's buffer has no space. Returns their place, or NULL. */
uint8_t *eventheader_begin_aside(const struct engine_thread_event *event);

/* Moves the values of the thread's event, which end there, from its buffer to memory of the
 * library. Returns their new end, or NULL. */
uint8_t *eventheader_move_aside(struct engine_thread *thread, const uint8_t *end);

/* The event of a place that is aside. */
struct eventheader_aside *eventheader_aside_of(const uint8_t *at);

/* Writes an event whose values end there to all backends that are enabled, and frees the memory. A
 * stack begins at the caller. Returns what user_events_emit_by does, or the reason why it is not
 * written. */
int eventheader_commit_aside(const uint8_t *end, const void *caller);

#endif
