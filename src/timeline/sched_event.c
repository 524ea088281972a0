/* SPDX-License-Identifier: MIT */
/* Reads sched_switch, sched_waking, sched_wakeup and sched_wakeup_new. */
#include "timeline/sched_event.h"

#include "core/load.h"
#include "core/slice.h"
#include "decode/layout.h"

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
    if (type->is_eventheader)
        return TIMELINE_SCHED_NONE;
    if (core_slice_is(type->provider, "perf") && core_slice_is(type->name, "context_switch"))
        return TIMELINE_SCHED_HALF;
    if (!core_slice_is(type->provider, "sched"))
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

/* Reads the fields one by one. False: some that are needed are missing. */
static bool search(struct cairn_items *items, const struct cairn_event *event,
                   enum timeline_sched_kind kind, struct timeline_sched_event *result)
{
    unsigned wanted = kind == TIMELINE_SCHED_SWITCH ? 3 : 1; /* both pids, the state */
    struct cairn_item item;

    cairn_items_begin(items, event);
    while (cairn_items_next(items, &item)) {
        if (item.kind == CAIRN_ITEM_VALUE && !item.is_element)
            wanted -= read_item(&item, event->swap, kind, result);
    }
    return !wanted;
}

/* ---- layouts ---- */

/* The location of a field that an event of the scheduler has, or NULL. */
static struct timeline_sched_location *location_of(struct timeline_sched_layout *known,
                                                   struct cairn_slice name)
{
    struct timeline_sched_locations *thread = &known->next;

    if (core_slice_is(name, "target_cpu"))
        return &known->target_cpu;
    if (known->kind == TIMELINE_SCHED_SWITCH) {
        if (core_slice_is(name, "prev_state"))
            return &known->state;
        if (core_slice_take(&name, "prev_"))
            thread = &known->prev;
        else if (!core_slice_take(&name, "next_"))
            return NULL;
    }
    if (core_slice_is(name, "comm"))
        return &thread->comm;
    if (core_slice_is(name, "prio"))
        return &thread->priority;
    return core_slice_is(name, "pid") ? &thread->tid : NULL;
}

static bool is_number(struct timeline_sched_location location)
{
    return location.size_bytes == 1 || location.size_bytes == 2 || location.size_bytes == 4 ||
           location.size_bytes == 8;
}

static bool is_number_or_none(struct timeline_sched_location location)
{
    return !location.size_bytes || is_number(location);
}

static bool are_numbers(const struct timeline_sched_layout *known)
{
    bool is_switch = known->kind == TIMELINE_SCHED_SWITCH;

    return is_number(known->next.tid) && (!is_switch || is_number(known->prev.tid)) &&
           (!is_switch || is_number(known->state)) && is_number_or_none(known->prev.priority) &&
           is_number_or_none(known->next.priority) && is_number_or_none(known->target_cpu);
}

/* The fields of the kernel's formats have locations of their own. */
static void make_layout(struct timeline_sched_layout *known, const struct decode_layout *layout)
{
    *known = (struct timeline_sched_layout){
        .serial = layout->serial,
        .kind = timeline_sched_kind_of(&layout->type),
        .is_direct = true,
    };
    for (uint32_t n = 0; n < layout->field_count && known->kind != TIMELINE_SCHED_NONE; n++) {
        const struct decode_layout_field *field = &layout->fields[n];
        struct timeline_sched_location *location = location_of(known, field->item.name);
        uint64_t end = (uint64_t)field->offset + field->size_bytes;

        if (!location)
            continue;
        if (field->location != DECODE_LAYOUT_INLINE || field->array != DECODE_LAYOUT_SINGLE ||
            field->kind != DECODE_LAYOUT_VALUE || location->size_bytes || end > UINT16_MAX)
            known->is_direct = false;
        *location = (struct timeline_sched_location){field->offset, field->size_bytes};
        known->end = end > known->end ? (uint32_t)end : known->end;
    }
    known->is_direct = known->is_direct && are_numbers(known);
}

static uint64_t load(const struct cairn_event *event, struct timeline_sched_location location)
{
    return location.size_bytes
               ? core_load_unsigned(event->data + location.offset, location.size_bytes, event->swap)
               : 0;
}

static void load_thread(const struct cairn_event *event,
                        const struct timeline_sched_locations *locations,
                        struct timeline_sched_thread *thread)
{
    const char *comm = (const char *)event->data + locations->comm.offset;
    size_t length = strnlen(comm, locations->comm.size_bytes < TIMELINE_COMM_BYTES - 1
                                      ? locations->comm.size_bytes
                                      : TIMELINE_COMM_BYTES - 1);

    thread->tid = (uint32_t)load(event, locations->tid);
    thread->priority = (int32_t)load(event, locations->priority);
    memcpy(thread->comm, comm, length);
    thread->comm[length] = 0;
}

static void load_event(const struct cairn_event *event, const struct timeline_sched_layout *known,
                       struct timeline_sched_event *ret_event)
{
    ret_event->target_cpu =
        known->target_cpu.size_bytes ? (uint32_t)load(event, known->target_cpu) : UINT32_MAX;
    ret_event->prev_state = load(event, known->state);
    load_thread(event, &known->prev, &ret_event->prev);
    load_thread(event, &known->next, &ret_event->next);
}

enum timeline_sched_kind timeline_sched_read(struct timeline_sched_reader *reader,
                                             struct cairn_items *items,
                                             const struct cairn_event *event,
                                             struct timeline_sched_event *ret_event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct timeline_sched_layout *known = &reader->layouts[layout->serial % TIMELINE_SCHED_LAYOUTS];
    struct timeline_sched_event searched = {.target_cpu = UINT32_MAX};

    if (cairn_unlikely(known->serial != layout->serial))
        make_layout(known, layout);
    if (known->kind == TIMELINE_SCHED_NONE || known->kind == TIMELINE_SCHED_HALF)
        return known->kind;
    if (known->is_direct && event->data && event->data_bytes >= known->end) {
        load_event(event, known, ret_event);
        return known->kind;
    }
    if (!search(items, event, known->kind, &searched))
        return TIMELINE_SCHED_NONE;
    *ret_event = searched;
    return known->kind;
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
