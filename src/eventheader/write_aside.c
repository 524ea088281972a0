/* SPDX-License-Identifier: MIT */
/* The general path of CAIRN_WRITE_EVENT: the values are encoded once, into memory of the library,
 * and copied from there to each backend and session. */
#include "eventheader/emit.h"
#include "eventheader/scratch.h"
#include "eventheader/write.h"

#include <string.h>

/* The head of a scratch; the values follow. */
struct write_aside_head {
    struct eventheader_aside aside;
    uint8_t values[];
};

struct eventheader_aside *eventheader_aside_of(const uint8_t *at)
{
    struct write_aside_head *head = (void *)eventheader_scratch_of(at);

    return &head->aside;
}

uint8_t *eventheader_begin_aside(const struct engine_thread_event *event)
{
    struct write_aside_head *head = (void *)eventheader_scratch_take();
    const struct engine_event_entry *entry;

    if (head) {
        head->aside = (struct eventheader_aside){.event = *event, .values = head->values};
        return head->values;
    }
    entry = core_load_acquire(&event->tracepoint->local);
    if (entry)
        engine_count_lost_event(entry, CAIRN_LOSS_LIMIT);
    return NULL;
}

uint8_t *eventheader_move_aside(struct engine_thread *thread, const uint8_t *end)
{
    struct engine_thread_event event = thread->event;
    const uint8_t *from = thread->recent.writer.next + CORE_RECORD_HEAD_BYTES;
    uint32_t variant = event.descriptor % ENGINE_ID_VARIANTS;
    uint8_t *to;

    if (variant)
        from +=
            variant == ENGINE_ID_RELATED ? 2 * CAIRN_ACTIVITY_ID_BYTES : CAIRN_ACTIVITY_ID_BYTES;
    else
        event.activity_id = NULL;
    to = eventheader_begin_aside(&event);
    if (!to)
        return NULL;
    memcpy(to, from, (size_t)(end - from));
    engine_emit_abandon(thread);
    return to + (end - from);
}

int eventheader_commit_aside(const uint8_t *end, const void *caller)
{
    const struct eventheader_aside *aside = eventheader_aside_of(end);
    int error = aside->error;

    if (!error)
        error = eventheader_emit(&(struct eventheader_event){
            .tracepoint = aside->event.tracepoint,
            .constant = aside->event.constant,
            .activity_id = aside->event.activity_id,
            .related_id = aside->event.related_id,
            .values = aside->values,
            .values_bytes = (uint32_t)(end - aside->values),
            .caller = caller,
        });
    eventheader_scratch_give(end);
    return error;
}
