/* SPDX-License-Identifier: MIT */
/* Applies a compiled filter to an event, and makes the record that it needs. */
#include "select/filter_event.h"

#include "condition/number.h"
#include "export/value_print.h"

#include <errno.h>

/* ---- kinds of values ---- */

static bool is_number(enum decode_value value)
{
    switch (value) {
    case DECODE_VALUE_UNSIGNED_INT:
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_HEX_INT:
    case DECODE_VALUE_ERRNO:
    case DECODE_VALUE_PID:
    case DECODE_VALUE_TIME:
    case DECODE_VALUE_BOOLEAN:
    case DECODE_VALUE_FLOAT:
    case DECODE_VALUE_PORT:
        return true;
    default:
        return false;
    }
}

/* The kind of counted bytes whose size is right for a number. */
static enum decode_value counted_number(const struct decode_layout_field *field)
{
    for (uint32_t size_bytes = 8; size_bytes; size_bytes /= 2) {
        enum decode_value value =
            decode_value_of(field->item.encoding, field->item.format, size_bytes);

        if (is_number(value))
            return value;
    }
    return DECODE_VALUE_BY_SIZE;
}

bool select_filter_is_signed(enum decode_value value)
{
    return value == DECODE_VALUE_SIGNED_INT || value == DECODE_VALUE_PID ||
           value == DECODE_VALUE_TIME || value == DECODE_VALUE_FLOAT || value == DECODE_VALUE_ERRNO;
}

struct select_filter_slot select_filter_slot_of(const struct decode_layout_field *field,
                                                bool counted_are_texts)
{
    enum decode_value value = (enum decode_value)field->value[DECODE_LAYOUT_DECLARED];
    struct select_filter_slot slot = {.value = (uint8_t)value};
    enum decode_value counted =
        value == DECODE_VALUE_BY_SIZE ? counted_number(field) : DECODE_VALUE_BY_SIZE;

    if (is_number(counted) && !counted_are_texts) {
        slot.value = (uint8_t)counted;
        slot.may_lack = true;
    } else if (is_number(value) && field->extent == DECODE_LAYOUT_FIXED && field->unit_bytes <= 8) {
        slot.size_bytes = field->unit_bytes;
        slot.may_lack = value == DECODE_VALUE_FLOAT;
    } else {
        slot.is_text = true;
    }
    if (slot.may_lack)
        slot.size_bytes = sizeof(struct filter_number_or_none);
    return slot;
}

/* ---- the record ---- */

static uint64_t number_of(enum decode_value value, struct decode_value_data data)
{
    if (value == DECODE_VALUE_PORT)
        return core_load_unsigned(data.data, data.size_bytes,
                                  __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    if (select_filter_is_signed(value))
        return (uint64_t)core_load_signed(data.data, data.size_bytes, data.swap);
    return core_load_unsigned(data.data, data.size_bytes, data.swap);
}

static struct filter_number_or_none number_or_none(const struct select_filter_slot *slot,
                                                   struct decode_value_data data,
                                                   const struct decode_layout_field *field)
{
    enum decode_value value = (enum decode_value)slot->value;

    if (field->extent != DECODE_LAYOUT_FIXED &&
        decode_value_of(field->item.encoding, field->item.format, data.size_bytes) != value)
        return (struct filter_number_or_none){0, FILTER_NUMBER_NONE};
    if (value == DECODE_VALUE_FLOAT)
        return condition_integral(data.data, data.size_bytes, data.swap);
    return condition_integer(number_of(value, data));
}

/* The filter reads integers in this machine's byte order. */
static void put_number(uint8_t *to, uint64_t number, uint32_t size_bytes)
{
    uint8_t bytes[sizeof(number)];

    memcpy(bytes, &number, sizeof(number));
    memcpy(to, bytes + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(number) - size_bytes : 0),
           size_bytes);
}

static void put_number_or_none(const struct select_filter_slot *slot, struct decode_value_data data,
                               const struct decode_layout_field *field, uint8_t *to)
{
    struct filter_number_or_none number = number_or_none(slot, data, field);

    memcpy(to, &number, sizeof(number));
}

/* Offsets and lengths have 16 bits. A record has no more, so that only texts that become longer
 * when they are printed are truncated. */
#define TEXTS_MAX_BYTES 61000u

/* Text is copied as it is, even if it is invalid; other values as they are printed. */
static void put_text(const struct select_filter_slot *slot, struct decode_value_data data,
                     const struct decode_layout_field *field, uint8_t *to,
                     struct export_print_output *text)
{
    size_t begin = (size_t)(text->at - text->begin);
    enum decode_value value = (enum decode_value)slot->value;
    uint32_t where;

    if (value == DECODE_VALUE_BY_SIZE)
        value = decode_value_of(field->item.encoding, field->item.format, data.size_bytes);
    if (value == DECODE_VALUE_UTF8)
        export_output_bytes(text, data.data, data.size_bytes);
    else
        export_value_print(text, CAIRN_STYLE_TEXT, value, data);
    if ((size_t)(text->at - text->begin) > TEXTS_MAX_BYTES)
        text->at = text->begin + TEXTS_MAX_BYTES;
    if (begin > TEXTS_MAX_BYTES)
        begin = TEXTS_MAX_BYTES;
    export_output_byte(text, 0);
    where = (uint32_t)begin;
    where |= (uint32_t)((size_t)(text->at - text->begin) - begin) << 16;
    memcpy(to, &where, sizeof(where));
}

static uint64_t header_member(const struct cairn_event_type *type, uint32_t member)
{
#define MEMBER(name) type->name,
    const uint64_t members[] = {SELECT_FILTER_HEADER(MEMBER)};
#undef MEMBER
    return members[member];
}

static void begin_record(const struct select_compiled_filter *compiled,
                         const struct cairn_event *event, struct export_print_output *record)
{
    int32_t tid = (int32_t)event->tid;

    record->at = record->begin;
    record->error = 0;
    memset(export_output_reserve(record, compiled->record_bytes), 0, compiled->record_bytes);
    if (event->raw && event->raw_bytes >= CAIRN_COMMON_BYTES && !event->swap)
        memcpy(record->begin, event->raw, CAIRN_COMMON_BYTES);
    memcpy(record->begin + 4, &tid, sizeof(tid));
    record->at = record->begin + compiled->record_bytes;
}

/* Texts are collected in other memory: until here their offsets count from the end of the fixed
 * part. */
static void join(const struct select_compiled_filter *compiled, struct export_print_output *record,
                 const struct export_print_output *text)
{
    export_output_bytes(record, text->begin, (size_t)(text->at - text->begin));
    for (uint32_t n = 0; n < compiled->slot_count; n++) {
        uint8_t *at = (uint8_t *)record->begin + compiled->slots[n].offset;
        uint32_t where;

        if (!compiled->slots[n].is_text)
            continue;
        memcpy(&where, at, sizeof(where));
        where += compiled->record_bytes;
        memcpy(at, &where, sizeof(where));
    }
}

/* Finds the slot of a field among the remaining ones, which are in the order of fields. */
static const struct select_filter_slot *slot_of(const struct select_compiled_filter *compiled,
                                                uint32_t field, uint32_t next)
{
    return next < compiled->slot_count && compiled->slots[next].field == field
               ? &compiled->slots[next]
               : NULL;
}

bool select_filter_make_record(const struct select_compiled_filter *compiled,
                               const struct cairn_event *event, struct export_print_output *record,
                               struct export_print_output *text)
{
    struct cairn_items items;
    struct cairn_item item;
    uint32_t next = 0;

    begin_record(compiled, event, record);
    text->at = text->begin;
    text->error = 0;
    for (; next < compiled->slot_count && compiled->slots[next].field >= SELECT_FILTER_HEADER_FIRST;
         next++)
        put_number(
            (uint8_t *)record->begin + compiled->slots[next].offset,
            header_member(event->type, compiled->slots[next].field - SELECT_FILTER_HEADER_FIRST),
            compiled->slots[next].size_bytes);
    cairn_items_begin(&items, event);
    while (next < compiled->slot_count && cairn_items_next(&items, &item)) {
        const struct select_filter_slot *slot =
            item.is_element ? NULL : slot_of(compiled, decode_items_index(&items, &item), next);
        struct decode_value_data data = {item.data, item.size_bytes, items.data.swap};

        if (!slot)
            continue;
        next++;
        if (slot->is_text)
            put_text(slot, data, decode_layout_field_of(item.field),
                     (uint8_t *)record->begin + slot->offset, text);
        else if (slot->may_lack)
            put_number_or_none(slot, data, decode_layout_field_of(item.field),
                               (uint8_t *)record->begin + slot->offset);
        else
            put_number((uint8_t *)record->begin + slot->offset,
                       number_of((enum decode_value)slot->value, data), slot->size_bytes);
    }
    if (next < compiled->slot_count)
        return false;
    join(compiled, record, text);
    return true;
}

/* ---- matching ---- */

static void set_comm(char comm[CAIRN_FILTER_COMM_BYTES], const char *name)
{
    memset(comm, 0, CAIRN_FILTER_COMM_BYTES);
    if (name)
        memcpy(comm, name, strnlen(name, CAIRN_FILTER_COMM_BYTES));
}

/* Texts are converted to the memory of `scratch`, which grows until they fit. */
static int match_condition(const struct condition *condition, const struct cairn_event *event,
                           struct export_print_output *scratch, bool *ret_is_selected)
{
    char comm[CAIRN_FILTER_COMM_BYTES];
    struct condition_event values = {
        .values = event->data,
        .values_bytes = event->data ? event->data_bytes : 0,
        .common_type = event->raw ? core_load16(event->raw, false) : 0,
        .cpu = event->cpu,
        .pid = event->pid,
        .tid = event->tid,
        .comm = comm,
        .text_max_bytes = SIZE_MAX,
    };
    enum condition_verdict verdict;

    set_comm(comm, event->comm);
    for (;;) {
        values.scratch = scratch->begin;
        values.scratch_bytes = (size_t)(scratch->end - scratch->begin);
        verdict = condition_match(condition, &values);
        if (verdict != CONDITION_UNDECIDED)
            break;
        scratch->at = scratch->end;
        export_output_make_room(scratch);
        if (scratch->error)
            return ENOMEM;
    }
    *ret_is_selected = verdict == CONDITION_TRUE;
    return 0;
}

int select_compiled_filter_match(const struct select_compiled_filter *compiled,
                                 const struct cairn_event *event,
                                 struct export_print_output *record,
                                 struct export_print_output *text, bool *ret_is_selected)
{
    char comm[CAIRN_FILTER_COMM_BYTES];
    const struct cairn_filter_task task = {event->cpu, comm};
    const void *raw = event->raw;
    size_t raw_bytes = event->raw_bytes;

    *ret_is_selected = false;
    if (compiled->condition)
        return match_condition(compiled->condition, event, text, ret_is_selected);
    if (!compiled->filter)
        return 0;
    if (compiled->needs_record) {
        if (!select_filter_make_record(compiled, event, record, text))
            return 0;
        if (record->error || text->error)
            return ENOMEM;
        raw = record->begin;
        raw_bytes = (size_t)(record->at - record->begin);
    }
    if (compiled->needs_task)
        set_comm(comm, event->comm);
    *ret_is_selected = raw && cairn_filter_match(compiled->filter, raw, raw_bytes,
                                                 compiled->needs_task ? &task : NULL);
    return 0;
}
