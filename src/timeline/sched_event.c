/* SPDX-License-Identifier: MIT */
/* Reads sched_switch, sched_waking, sched_wakeup and sched_wakeup_new. */
#include "timeline/sched_event.h"

#include "core/load.h"
#include "core/slice.h"

#include <string.h>

/* Bits of prev_state as the kernel reports them: include/linux/sched.h, TASK_REPORT. */
#define STATE_SLEEPING 0x01u
#define STATE_BLOCKED  0x02u
#define STATE_STOPPED  0x0cu /* T and t */
#define STATE_DEAD     0x30u /* X and Z */
#define STATE_PARKED   0xc0u /* P and I */
#define STATE_REPORTED 0xffu /* the bit above these: it was preempted */

enum timeline_sched_kind timeline_sched_kind_of(const struct cairn_event_type *type)
{
    if (type->is_eventheader || !core_slice_is(type->provider, "sched"))
        return TIMELINE_SCHED_NONE;
    if (core_slice_is(type->name, "sched_switch"))
        return TIMELINE_SCHED_SWITCH;
    if (core_slice_is(type->name, "sched_waking") || core_slice_is(type->name, "sched_wakeup") ||
        core_slice_is(type->name, "sched_wakeup_new"))
        return TIMELINE_SCHED_WAKE;
    return TIMELINE_SCHED_NONE;
}

static void copy_comm(const struct cairn_item *item, char comm[TIMELINE_COMM_BYTES])
{
    uint32_t length = item->size_bytes;

    if (length > TIMELINE_COMM_BYTES - 1)
        length = TIMELINE_COMM_BYTES - 1;
    memcpy(comm, item->data, length);
    comm[length] = 0;
}

static bool read_thread(struct cairn_slice field, const struct cairn_item *item, bool swap,
                        struct timeline_sched_thread *thread)
{
    if (core_slice_is(field, "comm")) {
        copy_comm(item, thread->comm);
        return false;
    }
    if (core_slice_is(field, "prio"))
        thread->priority = (int32_t)core_load_unsigned(item->data, item->size_bytes, swap);
    if (!core_slice_is(field, "pid"))
        return false;
    thread->tid = (uint32_t)core_load_unsigned(item->data, item->size_bytes, swap);
    return true;
}

/* Returns the number of pids and states that the item gave. */
static unsigned read_item(const struct cairn_item *item, bool swap, enum timeline_sched_kind kind,
                          struct timeline_sched_event *event)
{
    struct cairn_slice name = item->field->name;

    if (core_slice_is(name, "target_cpu"))
        event->target_cpu = (uint32_t)core_load_unsigned(item->data, item->size_bytes, swap);
    if (kind == TIMELINE_SCHED_WAKE)
        return read_thread(name, item, swap, &event->next);
    if (core_slice_is(name, "prev_state")) {
        event->prev_state = core_load_unsigned(item->data, item->size_bytes, swap);
        return 1;
    }
    if (core_slice_take(&name, "prev_"))
        return read_thread(name, item, swap, &event->prev);
    if (core_slice_take(&name, "next_"))
        return read_thread(name, item, swap, &event->next);
    return 0;
}

bool timeline_sched_read(struct cairn_items *items, const struct cairn_event *event,
                         enum timeline_sched_kind kind, struct timeline_sched_event *ret_event)
{
    unsigned wanted = kind == TIMELINE_SCHED_SWITCH ? 3 : 1; /* both pids, the state */
    struct timeline_sched_event result = {.target_cpu = UINT32_MAX};
    struct cairn_item item;

    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item)) {
        if (item.kind == CAIRN_ITEM_VALUE && !item.is_element)
            wanted -= read_item(&item, event->swap, kind, &result);
    }
    if (wanted)
        return false;
    *ret_event = result;
    return true;
}

enum timeline_state_kind timeline_sched_state(uint64_t prev_state)
{
    uint64_t state = prev_state & STATE_REPORTED;

    if (state & STATE_DEAD)
        return TIMELINE_DEAD;
    if (state & STATE_PARKED)
        return TIMELINE_PARKED;
    if (state & STATE_STOPPED)
        return TIMELINE_STOPPED;
    if (state & STATE_BLOCKED)
        return TIMELINE_BLOCKED;
    return state & STATE_SLEEPING ? TIMELINE_SLEEPING : TIMELINE_RUNNABLE;
}
