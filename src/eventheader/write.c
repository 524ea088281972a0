/* SPDX-License-Identifier: MIT */
/*
 * Begin and commit of CAIRN_WRITE_EVENT: nearly every event is for one session, and is encoded
 * straight into the thread's buffer.
 *
 * While the time stamp counter is read a processor can do little else, so the rest of the cost of
 * an event is its number of instructions: each of them counts.
 */
#define CAIRN_I_HOT

#include "eventheader/emit.h"
#include "eventheader/encode_string.h"
#include "eventheader/write.h"
#include "user_events/emit.h"

static inline __attribute__((always_inline)) uint8_t *
begin(const struct cairn_tracepoint *tracepoint, const void *event, uint32_t room_bytes,
      bool fits_buffer, const void *activity_id, const void *related_id)
{
    const uint32_t ids_bytes = activity_id ? 2 * CAIRN_ACTIVITY_ID_BYTES : 0;
    struct engine_thread *thread;
    uint32_t id =
        core_load_acquire(&tracepoint->descriptor); /* pairs with the release in adding it */
    uint8_t *to = NULL;

    if (cairn_likely(user_events_is_local(tracepoint) && fits_buffer))
        to = engine_emit_begin(tracepoint, id, room_bytes + ids_bytes, &thread);
    if (cairn_unlikely(!to))
        return eventheader_begin_aside(&(struct engine_thread_event){tracepoint, event, room_bytes,
                                                                     0, activity_id, related_id});
    thread->event.tracepoint = tracepoint;
    thread->event.constant = event;
    thread->event.room_bytes = room_bytes;
    thread->event.descriptor = id + eventheader_variant_of(activity_id, related_id);
    if (activity_id) {
        thread->event.activity_id = activity_id;
        thread->event.related_id = related_id;
    }
    return eventheader_put_ids(to, activity_id, related_id);
}

uint8_t *cairn_i_event_begin(const struct cairn_tracepoint *tracepoint, const void *event,
                             uint32_t room_bytes)
{
    return begin(tracepoint, event, room_bytes, true, NULL, NULL);
}

uint8_t *cairn_i_event_begin_any(const struct cairn_tracepoint *tracepoint, const void *event,
                                 uint32_t room_bytes, const void *activity_id,
                                 const void *related_id)
{
    return begin(tracepoint, event, room_bytes, room_bytes <= CAIRN_I_ROOM_SMALL_BYTES, activity_id,
                 related_id);
}

int cairn_i_event_commit(uint8_t *end)
{
    struct engine_thread *thread = engine_thread_self;

    if (cairn_unlikely(!eventheader_is_in_buffer(thread, end)))
        return eventheader_commit_aside(end, __builtin_return_address(0));
    return engine_emit_commit(thread, end, thread->event.descriptor);
}

/* ---- an event of few values, in one call ---- */

/* Without a session that the thread wrote to last, with a long text, for other backends, ... The
 * compiler makes the call a jump: so this returns to the program. */
static __attribute__((noinline, cold)) int write_apart(const struct cairn_tracepoint *tracepoint,
                                                       const void *event, uint64_t numbers,
                                                       uint32_t bytes, const char *text,
                                                       bool has_text)
{
    const void *caller = __builtin_return_address(0);
    uint8_t *to = cairn_i_event_begin(tracepoint, event,
                                      bytes + (has_text ? (uint32_t)CAIRN_I_SHORT_BYTES : 0));

    if (!to)
        return ENOMEM;
    __builtin_memcpy(to, &numbers, sizeof(numbers));
    to += bytes;
    if (has_text)
        to = cairn_i_put_text(to, text);
    if (eventheader_is_in_buffer(engine_thread_self, to))
        return cairn_i_event_commit(to);
    return eventheader_commit_aside(to, caller);
}

static inline __attribute__((always_inline)) int
write_packed(const struct cairn_tracepoint *tracepoint, const void *event, uint64_t numbers,
             uint32_t bytes, const char *text, bool has_text)
{
    struct engine_thread *thread;
    uint32_t id =
        core_load_acquire(&tracepoint->descriptor); /* pairs with the release in adding it */
    uint8_t *to = NULL;

    if (cairn_likely(user_events_is_local(tracepoint)))
        to = engine_emit_begin(tracepoint, id, sizeof(numbers) + CAIRN_I_SHORT_BYTES, &thread);
    if (cairn_likely(to)) {
        __builtin_memcpy(to, &numbers, sizeof(numbers));
        to = has_text ? eventheader_encode_string(to + bytes, text) : to + bytes;
        if (cairn_likely(to))
            return engine_emit_commit(thread, to, id);
        engine_emit_abandon(thread);
    }
    return write_apart(tracepoint, event, numbers, bytes, text, has_text);
}

int cairn_i_event_numbers(const struct cairn_tracepoint *tracepoint, const void *event,
                          uint64_t numbers, uint32_t bytes)
{
    return write_packed(tracepoint, event, numbers, bytes, NULL, false);
}

int cairn_i_event_text(const struct cairn_tracepoint *tracepoint, const void *event,
                       uint64_t numbers, uint32_t bytes, const char *text)
{
    return write_packed(tracepoint, event, numbers, bytes, text, true);
}
