/* SPDX-License-Identifier: MIT */
/* Applies a condition: goes over the values of an event, and lets core's filter compare those that
 * it names. The values are untrusted. */
#include "condition/number.h"
#include "condition/program.h"
#include "core/cursor.h"

/* A loop that is being run. */
struct loop {
    uint32_t body; /* its first step */
    uint32_t index;
    uint32_t count;
};

struct walk {
    const struct condition *condition;
    const struct condition_event *event;
    struct core_cursor data;
    struct condition_scratch scratch;
    uint8_t *record;
    uint32_t missing; /* wanted values that were not reached yet */
    uint32_t depth;
    bool is_too_long; /* a text */
    struct loop loops[CONDITION_DEPTH_MAX + 1];
};

/* ---- cells ---- */

static void put(uint8_t *cell, const void *value, size_t size_bytes)
{
    __builtin_memcpy(cell, value, size_bytes);
}

/* Copies of constant sizes are no calls. */
static void put_number(uint8_t *cell, const uint8_t *data, size_t size_bytes)
{
    if (size_bytes == 4)
        __builtin_memcpy(cell, data, 4);
    else if (size_bytes == 8)
        __builtin_memcpy(cell, data, 8);
    else if (size_bytes == 2)
        __builtin_memcpy(cell, data, 2);
    else
        *cell = *data;
}

/* A number that may be missing. */
static struct filter_number_or_none number_or_none(const struct condition_want *want,
                                                   const uint8_t *data, size_t size_bytes)
{
    uint32_t size = (uint32_t)size_bytes;

    if (want->sizes && (size_bytes > 8 || size & (size - 1) || !(want->sizes & size)))
        return (struct filter_number_or_none){0, FILTER_NUMBER_NONE};
    switch (want->value) {
    case CONDITION_FLOAT:
        return condition_integral(data, size, false);
    case CONDITION_PORT:
        return condition_integer(core_load16(data, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__));
    case CONDITION_NUMBER_SIGNED:
        return condition_integer((uint64_t)core_load_signed(data, size, false));
    default:
        return condition_integer(core_load_unsigned(data, size, false));
    }
}

static void put_text(struct walk *w, uint8_t *cell, enum condition_value value, const uint8_t *data,
                     size_t size_bytes)
{
    struct filter_text_at text = {(const char *)data, size_bytes};

    if (value != CONDITION_UTF8) {
        text.text = w->scratch.at;
        condition_convert(value, data, size_bytes, &w->scratch);
        text.length = (uint64_t)(w->scratch.at - text.text);
    }
    w->is_too_long |= text.length > w->event->text_max_bytes;
    put(cell, &text, sizeof(text));
}

static void put_value(struct walk *w, const struct condition_want *want, const uint8_t *data,
                      size_t size_bytes)
{
    uint8_t *cell = w->record + CONDITION_RECORD_BYTES(want->cell);
    enum condition_value value = (enum condition_value)want->value;
    struct filter_number_or_none number;
    uint16_t port;

    w->missing--;
    if (condition_is_text(value)) {
        put_text(w, cell, value, data, size_bytes);
    } else if (condition_may_lack(want)) {
        number = number_or_none(want, data, size_bytes);
        put(cell, &number, sizeof(number));
    } else if (value == CONDITION_PORT) {
        port = core_load16(data, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
        put(cell, &port, sizeof(port));
    } else {
        put_number(cell, data, size_bytes);
    }
}

/* True if the loops are at the element that is wanted; `depth` of them count. */
static bool is_here(const struct walk *w, const struct condition_want *want, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++) {
        if (w->loops[i].index != want->indexes[i])
            return false;
    }
    return true;
}

static void take_wanted(struct walk *w, const struct condition_step *step, const uint8_t *data,
                        size_t size_bytes)
{
    const struct condition_want *want = &w->condition->wants[step->first_want];

    for (uint32_t i = 0; i < step->want_count; i++, want++) {
        if (is_here(w, want, want->depth))
            put_value(w, want, data, size_bytes);
    }
}

/* ---- values ---- */

static void take_fixed(struct walk *w, const struct condition_step *step)
{
    const uint8_t *data = core_cursor_take(&w->data, step->unit);

    if (data)
        take_wanted(w, step, data, step->unit);
}

static size_t terminated_bytes(const struct core_cursor *data, size_t unit)
{
    size_t bytes = 0;

    while (data->left - bytes >= unit &&
           core_load_unsigned(data->at + bytes, (uint32_t)unit, false))
        bytes += unit;
    return bytes;
}

static void take_terminated(struct walk *w, const struct condition_step *step)
{
    size_t bytes = terminated_bytes(&w->data, step->unit);
    const uint8_t *data = core_cursor_take(&w->data, bytes);

    (void)core_cursor_take(&w->data, step->unit);
    if (!w->data.error)
        take_wanted(w, step, data, bytes);
}

static void take_counted(struct walk *w, const struct condition_step *step)
{
    size_t bytes = (size_t)core_cursor_u16(&w->data) * step->unit;
    const uint8_t *data = core_cursor_take(&w->data, bytes);

    if (data)
        take_wanted(w, step, data, bytes);
}

static uint32_t take_count(struct walk *w, const struct condition_step *step)
{
    return step->count ? step->count : core_cursor_u16(&w->data);
}

static void take_array(struct walk *w, const struct condition_step *step)
{
    const struct condition_want *want = &w->condition->wants[step->first_want];
    uint32_t count = take_count(w, step);
    const uint8_t *data = core_cursor_take(&w->data, (size_t)count * step->unit);

    if (!data)
        return;
    for (uint32_t i = 0; i < step->want_count; i++, want++) {
        uint32_t index = want->indexes[want->depth - 1];

        if (index < count && is_here(w, want, want->depth - 1u))
            put_value(w, want, data + (size_t)index * step->unit, step->unit);
    }
}

/* ---- loops ---- */

/* Returns the next step. */
static uint32_t begin_loop(struct walk *w, uint32_t at)
{
    const struct condition_step *step = &w->condition->steps[at];
    uint32_t count = take_count(w, step);

    if (!count)
        return step->target;
    w->loops[w->depth++] = (struct loop){.body = at + 1, .count = count};
    return at + 1;
}

static uint32_t end_loop(struct walk *w, uint32_t at)
{
    struct loop *loop = &w->loops[w->depth - 1];

    if (++loop->index < loop->count)
        return loop->body;
    w->depth--;
    return at + 1;
}

/* False: the event lacks a value that is wanted. */
static bool walk(struct walk *w)
{
    const struct condition *c = w->condition;
    uint32_t at = 0;

    while (w->missing && at < c->step_count && !w->data.error) {
        const struct condition_step *step = &c->steps[at++];

        switch (step->kind) {
        case CONDITION_STEP_SKIP:
            (void)core_cursor_take(&w->data, (size_t)step->target << 16 | step->count);
            break;
        case CONDITION_STEP_FIXED:
            take_fixed(w, step);
            break;
        case CONDITION_STEP_TERMINATED:
            take_terminated(w, step);
            break;
        case CONDITION_STEP_COUNTED:
            take_counted(w, step);
            break;
        case CONDITION_STEP_ARRAY:
            take_array(w, step);
            break;
        case CONDITION_STEP_LOOP:
            at = begin_loop(w, at - 1);
            break;
        default:
            at = end_loop(w, at - 1);
            break;
        }
    }
    return !w->missing;
}

/* ---- the event ---- */

static void put_members(const struct walk *w)
{
    const struct condition *c = w->condition;

    for (uint32_t i = 0; i < CONDITION_MEMBER_COUNT; i++) {
        uint64_t value = i == CONDITION_MEMBER_pid   ? w->event->pid
                         : i == CONDITION_MEMBER_tid ? w->event->tid
                                                     : c->members[i];

        if (c->cell_of_member_of_1[i])
            put(w->record + CONDITION_RECORD_BYTES(c->cell_of_member_of_1[i] - 1u), &value,
                sizeof(value));
    }
}

static void put_common(const struct walk *w)
{
    const uint16_t type[2] = {w->event->common_type, 0};

    put(w->record, type, sizeof(type));
    put(w->record + sizeof(type), &w->event->tid, sizeof(w->event->tid));
}

/* The filter reads no common fields: the bytes before the values may be anything. */
enum condition_verdict condition_match_direct(const struct condition *condition,
                                              const uint8_t *values, size_t values_bytes,
                                              size_t text_max_bytes)
{
    size_t at = condition->direct_text_at;
    size_t length;

    if (at) {
        if (values_bytes < at)
            return CONDITION_FALSE;
        length = core_load16(values + at - sizeof(uint16_t), false);
        if (length > values_bytes - at)
            return CONDITION_FALSE;
        if (length > text_max_bytes)
            return CONDITION_UNDECIDED;
    }
    return cairn_filter_match(condition->filter, values - CAIRN_COMMON_BYTES,
                              values_bytes + CAIRN_COMMON_BYTES, NULL)
               ? CONDITION_TRUE
               : CONDITION_FALSE;
}

enum condition_verdict condition_match(const struct condition *condition,
                                       const struct condition_event *event)
{
    const struct cairn_filter_task task = {event->cpu, event->comm};
    uint8_t record[CONDITION_RECORD_BYTES(CONDITION_NAMES_MAX)];
    struct walk w;

    if (condition->is_direct)
        return condition_match_direct(condition, event->values, event->values_bytes,
                                      event->text_max_bytes);
    w.condition = condition;
    w.event = event;
    w.data = core_cursor(event->values, event->values_bytes, false);
    w.scratch =
        (struct condition_scratch){event->scratch, event->scratch + event->scratch_bytes, false};
    w.record = record;
    w.missing = condition->want_count;
    w.depth = 0;
    w.is_too_long = false;
    if (!walk(&w))
        return CONDITION_FALSE;
    if (w.is_too_long || w.scratch.is_full)
        return CONDITION_UNDECIDED;
    put_common(&w);
    put_members(&w);
    return cairn_filter_match(condition->filter, record,
                              CONDITION_RECORD_BYTES(condition->cell_count), &task)
               ? CONDITION_TRUE
               : CONDITION_FALSE;
}
