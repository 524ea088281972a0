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

/* ---- plans ---- */

/* The place of a field that a plan uses, or NULL. */
static struct timeline_sched_place *place_of(struct timeline_sched_plan *plan,
                                             struct cairn_slice name)
{
    struct timeline_sched_places *thread = &plan->next;

    if (core_slice_is(name, "target_cpu"))
        return &plan->target_cpu;
    if (plan->kind == TIMELINE_SCHED_SWITCH) {
        if (core_slice_is(name, "prev_state"))
            return &plan->state;
        if (core_slice_take(&name, "prev_"))
            thread = &plan->prev;
        else if (!core_slice_take(&name, "next_"))
            return NULL;
    }
    if (core_slice_is(name, "comm"))
        return &thread->comm;
    if (core_slice_is(name, "prio"))
        return &thread->priority;
    return core_slice_is(name, "pid") ? &thread->tid : NULL;
}

static bool is_number(struct timeline_sched_place place)
{
    return place.size_bytes == 1 || place.size_bytes == 2 || place.size_bytes == 4 ||
           place.size_bytes == 8;
}

static bool is_number_or_none(struct timeline_sched_place place)
{
    return !place.size_bytes || is_number(place);
}

static bool are_numbers(const struct timeline_sched_plan *plan)
{
    bool is_switch = plan->kind == TIMELINE_SCHED_SWITCH;

    return is_number(plan->next.tid) && (!is_switch || is_number(plan->prev.tid)) &&
           (!is_switch || is_number(plan->state)) && is_number_or_none(plan->prev.priority) &&
           is_number_or_none(plan->next.priority) && is_number_or_none(plan->target_cpu);
}

/* The fields of the kernel's formats have places of their own. */
static void make_plan(struct timeline_sched_plan *plan, const struct decode_layout *layout)
{
    *plan = (struct timeline_sched_plan){
        .serial = layout->serial,
        .kind = timeline_sched_kind_of(&layout->type),
        .is_direct = true,
    };
    for (uint32_t n = 0; n < layout->field_count && plan->kind != TIMELINE_SCHED_NONE; n++) {
        const struct decode_layout_field *field = &layout->fields[n];
        struct timeline_sched_place *place = place_of(plan, field->item.name);
        uint64_t end = (uint64_t)field->offset + field->size_bytes;

        if (!place)
            continue;
        if (field->location != DECODE_LAYOUT_INLINE || field->array != DECODE_LAYOUT_SINGLE ||
            field->kind != DECODE_LAYOUT_VALUE || place->size_bytes || end > UINT16_MAX)
            plan->is_direct = false;
        *place = (struct timeline_sched_place){field->offset, field->size_bytes};
        plan->end = end > plan->end ? (uint32_t)end : plan->end;
    }
    plan->is_direct = plan->is_direct && are_numbers(plan);
}

static uint64_t load(const struct cairn_event *event, struct timeline_sched_place place)
{
    return place.size_bytes
               ? core_load_unsigned(event->data + place.offset, place.size_bytes, event->swap)
               : 0;
}

static void load_thread(const struct cairn_event *event, const struct timeline_sched_places *places,
                        struct timeline_sched_thread *thread)
{
    const char *comm = (const char *)event->data + places->comm.offset;
    size_t length =
        strnlen(comm, places->comm.size_bytes < TIMELINE_COMM_BYTES - 1 ? places->comm.size_bytes
                                                                        : TIMELINE_COMM_BYTES - 1);

    thread->tid = (uint32_t)load(event, places->tid);
    thread->priority = (int32_t)load(event, places->priority);
    memcpy(thread->comm, comm, length);
    thread->comm[length] = 0;
}

static void load_event(const struct cairn_event *event, const struct timeline_sched_plan *plan,
                       struct timeline_sched_event *ret_event)
{
    ret_event->target_cpu =
        plan->target_cpu.size_bytes ? (uint32_t)load(event, plan->target_cpu) : UINT32_MAX;
    ret_event->prev_state = load(event, plan->state);
    load_thread(event, &plan->prev, &ret_event->prev);
    load_thread(event, &plan->next, &ret_event->next);
}

enum timeline_sched_kind timeline_sched_read(struct timeline_sched_reader *reader,
                                             struct cairn_items *items,
                                             const struct cairn_event *event,
                                             struct timeline_sched_event *ret_event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct timeline_sched_plan *plan = &reader->plans[layout->serial % TIMELINE_SCHED_PLANS];
    struct timeline_sched_event searched = {.target_cpu = UINT32_MAX};

    if (cairn_unlikely(plan->serial != layout->serial))
        make_plan(plan, layout);
    if (plan->kind == TIMELINE_SCHED_NONE)
        return TIMELINE_SCHED_NONE;
    if (plan->is_direct && event->data && event->data_bytes >= plan->end) {
        load_event(event, plan, ret_event);
        return plan->kind;
    }
    if (!search(items, event, plan->kind, &searched))
        return TIMELINE_SCHED_NONE;
    *ret_event = searched;
    return plan->kind;
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
