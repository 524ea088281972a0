/* SPDX-License-Identifier: MIT */
/* Attributes of spans and log records: the fields of events, and what their headers have. */
#include "exchange/otlp.h"

#include "exchange/text.h"
#include "export/number.h"
#include "export/value_print.h"

#include <errno.h>
#include <string.h>

/* Tags of AnyValue and KeyValue. */
#define ANY_ARRAY  0x2a
#define ANY_STRUCT 0x32
#define KEY_VALUE  0x12

/* ---- ids ---- */

static int digit_of(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_id(const struct cairn_item *item, uint8_t *id, size_t id_bytes, bool *ret_has)
{
    if (item->kind != CAIRN_ITEM_VALUE || item->size_bytes != 2 * id_bytes)
        return false;
    for (size_t n = 0; n < id_bytes; n++) {
        int high = digit_of(item->data[2 * n]);
        int low = digit_of(item->data[2 * n + 1]);

        if (high < 0 || low < 0)
            return false;
        id[n] = (uint8_t)(high << 4 | low);
    }
    *ret_has = true;
    return true;
}

/* True: the item is one of the facade's ids, which is no attribute then. */
static bool take_id(const struct cairn_item *item, enum exchange_otlp_id id,
                    struct exchange_otlp_ids *ids)
{
    switch (id) {
    case EXCHANGE_OTLP_TRACE_ID:
        return read_id(item, ids->trace, sizeof(ids->trace), &ids->has_trace);
    case EXCHANGE_OTLP_SPAN_ID:
        return read_id(item, ids->span, sizeof(ids->span), &ids->has_span);
    case EXCHANGE_OTLP_PARENT_ID:
        return read_id(item, ids->parent, sizeof(ids->parent), &ids->has_parent);
    case EXCHANGE_OTLP_LINK_TRACE_ID:
        return read_id(item, ids->link_trace, sizeof(ids->link_trace), &ids->has_link);
    case EXCHANGE_OTLP_LINK_SPAN_ID:
        return read_id(item, ids->link_span, sizeof(ids->link_span), &ids->has_link);
    default:
        return false;
    }
}

struct level {
    struct exchange_otlp_coder *coder;
    struct export_print_output *out;
    const struct cairn_event *event;
    const struct exchange_otlp_texts *texts;
    const struct exchange_otlp_keys *taken; /* NULL: keys stay as they are */
    struct export_print_output *keys;       /* NULL: they are not needed */
};

/* ---- keys ---- */

static bool has_key(const struct exchange_otlp_keys *taken, struct cairn_slice key)
{
    const char *at = taken->text;
    const char *end = at + taken->size_bytes;
    uint32_t length;

    while (at < end) {
        memcpy(&length, at, sizeof(length));
        at += sizeof(length);
        if (length == key.length && !memcmp(at, key.text, length))
            return true;
        at += length;
    }
    return false;
}

static void add_key(struct export_print_output *keys, struct cairn_slice key)
{
    if (!keys)
        return;
    export_output_bytes(keys, &key.length, sizeof(key.length));
    export_output_bytes(keys, key.text, key.length);
}

/* Puts the name "stop.NAME" of a field into memory, where it stays while the key is made of it.
 * Returns its length; 0: no memory. */
static size_t put_longer_name(struct export_print_output *out, struct cairn_slice name)
{
    size_t length;

    out->at = out->begin;
    export_output_string(out, "stop.");
    export_output_bytes(out, name.text, name.length);
    length = exchange_otlp_position(out);
    if (length > UINT32_MAX / 2)
        return 0;
    while (!out->error && (size_t)(out->end - out->at) < 8 * length + EXPORT_OUTPUT_STEP_BYTES)
        export_output_make_room(out);
    return out->error ? 0 : length;
}

/* The key "stop.NAME" of a field, in the coder's memory. Without memory the output fails. */
static struct cairn_slice longer_key(const struct level *level, struct cairn_slice name)
{
    static const char padding[EXPORT_OUTPUT_PADDING_BYTES];
    struct exchange_otlp_coder *coder = level->coder;
    struct export_print_output *out = &coder->scratch;
    size_t begin = put_longer_name(out, name);

    if (!begin) {
        export_output_fail(level->out, ENOMEM);
        return (struct cairn_slice){padding, 0};
    }
    exchange_otlp_put_key(coder, out, (struct cairn_slice){out->begin, (uint32_t)begin});
    exchange_otlp_pad(out);
    return (struct cairn_slice){out->begin + begin,
                                (uint32_t)(exchange_otlp_position(out) - begin)};
}

/* ---- fields ---- */

static void add_inner(const struct level *level, const struct cairn_item *item,
                      enum exchange_otlp_place place, struct cairn_slice key);

static struct cairn_slice key_of(const struct level *level, const struct exchange_otlp_key *key,
                                 const struct cairn_item *item)
{
    if (key->is_replaced)
        exchange_note(level->coder->exporter, CAIRN_EXPORTER_TEXTS);
    if (level->taken && has_key(level->taken, key->text))
        return longer_key(level, decode_name_without_attributes(item->field->name));
    add_key(level->keys, key->text);
    return key->text;
}

/* Adds items up to the end of the level. `ids`: NULL inside of a field. */
static void add_items(const struct level *level, enum exchange_otlp_place place,
                      struct exchange_otlp_ids *ids)
{
    struct cairn_items *items = &level->coder->exporter->items;
    struct cairn_item item;

    while (cairn_items_next(items, &item)) {
        struct decode_value_data data = {item.data, item.size_bytes, level->event->swap};
        const struct exchange_otlp_key *key;
        struct cairn_slice text = {0};

        if (item.kind == CAIRN_ITEM_ARRAY_END || item.kind == CAIRN_ITEM_STRUCT_END)
            return;
        key = &level->texts->keys[decode_items_index(items, &item)];
        if (cairn_unlikely(key->id && ids) && !item.is_element && take_id(&item, key->id, ids))
            continue;
        if (!item.is_element)
            text = key_of(level, key, &item);
        if (item.kind != CAIRN_ITEM_VALUE)
            add_inner(level, &item, place, text);
        else if (item.is_element)
            exchange_otlp_add_element(level->coder, level->out, exchange_value_of(&item), data);
        else
            exchange_otlp_add_value(level->coder, level->out, place, text, exchange_value_of(&item),
                                    data);
    }
}

/* In protobuf: a list in a value, in an attribute or an element. */
static void wrap_inner(const struct level *level, bool is_array, bool is_element,
                       enum exchange_otlp_place place, size_t begin, size_t list)
{
    struct export_print_output *out = level->out;

    exchange_otlp_wrap(out, list, is_array ? ANY_ARRAY : ANY_STRUCT);
    if (is_element) {
        exchange_otlp_wrap(out, begin, EXCHANGE_OTLP_IN_MESSAGE);
        return;
    }
    exchange_otlp_wrap(out, list, KEY_VALUE);
    exchange_otlp_wrap(out, begin, (uint8_t)place);
}

/* Adds an array or a struct up to its end. */
static void add_inner(const struct level *level, const struct cairn_item *item,
                      enum exchange_otlp_place place, struct cairn_slice key)
{
    static const char name[] = "\"values\":";
    const struct level inner = {level->coder, level->out, level->event, level->texts, NULL, NULL};
    struct export_print_output *out = level->out;
    bool is_array = item->kind == CAIRN_ITEM_ARRAY_BEGIN;
    bool is_json = level->coder->is_json;
    size_t begin = exchange_otlp_position(out);
    size_t list;

    if (is_json && item->is_element)
        export_output_byte(out, ',');
    export_output_bytes(out, key.text, key.length);
    if (is_json)
        export_output_string(out, is_array ? "{\"arrayValue\":{" : "{\"kvlistValue\":{");
    list = exchange_otlp_begin_list(level->coder, out, name);
    add_items(&inner, EXCHANGE_OTLP_IN_MESSAGE, NULL);
    exchange_otlp_end_list(level->coder, out, name, list);
    if (is_json)
        export_output_string(out, item->is_element ? "}}" : "}}}");
    else
        wrap_inner(level, is_array, item->is_element, place, begin, list);
}

static enum exchange_otlp_place place_of(enum exchange_otlp_kind kind)
{
    return kind == EXCHANGE_OTLP_SPANS ? EXCHANGE_OTLP_IN_SPAN : EXCHANGE_OTLP_IN_LOG;
}

static void add_error(const struct level *level, enum exchange_otlp_place place, const char *text)
{
    static const struct cairn_slice name = {"cairn.error", sizeof("cairn.error") - 1};
    const struct decode_value_data data = {(const uint8_t *)text, (uint32_t)strlen(text), false};
    struct cairn_slice key = level->coder->names[EXCHANGE_OTLP_NAME_ERROR];

    if (level->taken && has_key(level->taken, key))
        key = longer_key(level, name);
    add_key(level->keys, key);
    exchange_otlp_add_value(level->coder, level->out, place, key, DECODE_VALUE_UTF8, data);
}

void exchange_otlp_add_fields(struct exchange_otlp_coder *coder, struct export_print_output *out,
                              enum exchange_otlp_kind kind, const struct cairn_event *event,
                              const struct exchange_otlp_texts *texts,
                              const struct exchange_otlp_keys *taken,
                              struct export_print_output *keys, struct exchange_otlp_ids *ret_ids)
{
    struct cairn_items *items = &coder->exporter->items;
    const struct level level = {coder, out, event, texts, taken, keys};
    enum cairn_event_error error;

    *ret_ids = (struct exchange_otlp_ids){0};
    cairn_items_begin(items, event);
    add_items(&level, place_of(kind), event->activity_id ? ret_ids : NULL);
    error = cairn_items_error(items);
    if (!error)
        return;
    exchange_note_damage(coder->exporter);
    add_error(&level, place_of(kind), cairn_event_error_text(error));
}

/* ---- the header ---- */

static void add_id(struct exchange_otlp_coder *coder, struct export_print_output *out,
                   enum exchange_otlp_place place, enum exchange_otlp_name name, const uint8_t *id)
{
    char text[40];

    if (id)
        exchange_otlp_add_text(
            coder, out, place, name,
            (struct cairn_slice){text, (uint32_t)(export_put_uuid(text, id) - text)});
}

/* Without memory the output fails. */
static void add_stack(struct exchange_otlp_coder *coder, struct export_print_output *out,
                      enum exchange_otlp_place place, const struct cairn_event *event)
{
    struct export_print_output *stack = &coder->stack;
    struct cairn_frame frame;

    stack->at = stack->begin;
    for (uint32_t n = 0; cairn_event_frame(event, n, &frame); n++) { /* the innermost first */
        exchange_put_frame(coder->exporter, stack, &frame);
        export_output_byte(stack, '\n');
    }
    if (stack->error)
        export_output_fail(out, stack->error);
    exchange_otlp_add_text(
        coder, out, place, EXCHANGE_OTLP_NAME_STACK,
        (struct cairn_slice){stack->begin, (uint32_t)exchange_otlp_position(stack)});
}

static void add_names(const struct exchange_otlp_coder *coder, const struct cairn_event *event,
                      struct export_print_output *keys)
{
    const struct cairn_event_type *type = event->type;
    const bool has[EXCHANGE_OTLP_NAME_COUNT] = {
        [EXCHANGE_OTLP_NAME_KEYWORD] = type->is_eventheader,
        [EXCHANGE_OTLP_NAME_OPCODE] = type->opcode,
        [EXCHANGE_OTLP_NAME_ID] = type->id,
        [EXCHANGE_OTLP_NAME_VERSION] = type->version,
        [EXCHANGE_OTLP_NAME_TAG] = type->tag,
        [EXCHANGE_OTLP_NAME_ACTIVITY] = event->activity_id != NULL,
        [EXCHANGE_OTLP_NAME_RELATED] = event->related_id != NULL,
        [EXCHANGE_OTLP_NAME_CPU] = event->has & CAIRN_EVENT_CPU,
        [EXCHANGE_OTLP_NAME_TID] = event->has & CAIRN_EVENT_TID,
        [EXCHANGE_OTLP_NAME_COMM] = event->comm != NULL,
        [EXCHANGE_OTLP_NAME_STACK] = event->stack != NULL,
    };

    for (int n = 0; n < EXCHANGE_OTLP_NAME_COUNT; n++) {
        if (has[n])
            add_key(keys, coder->names[n]);
    }
}

void exchange_otlp_add_header(struct exchange_otlp_coder *coder, struct export_print_output *out,
                              enum exchange_otlp_kind kind, const struct cairn_event *event,
                              const struct exchange_otlp_texts *texts,
                              struct export_print_output *keys)
{
    enum exchange_otlp_place place = place_of(kind);

    coder->exporter->counts.notes[CAIRN_EXPORTER_TEXTS] += texts->replaced;
    export_output_bytes(out, texts->tail.text, texts->tail.length);
    add_id(coder, out, place, EXCHANGE_OTLP_NAME_ACTIVITY, event->activity_id);
    add_id(coder, out, place, EXCHANGE_OTLP_NAME_RELATED, event->related_id);
    if (event->has & CAIRN_EVENT_CPU)
        exchange_otlp_add_number(coder, out, place, EXCHANGE_OTLP_NAME_CPU, event->cpu);
    if (event->has & CAIRN_EVENT_TID)
        exchange_otlp_add_number(coder, out, place, EXCHANGE_OTLP_NAME_TID,
                                 export_task_number(event->tid));
    if (event->comm)
        exchange_otlp_add_text(coder, out, place, EXCHANGE_OTLP_NAME_COMM,
                               (struct cairn_slice){event->comm, (uint32_t)strlen(event->comm)});
    if (event->stack)
        add_stack(coder, out, place, event);
    if (keys)
        add_names(coder, event, keys);
}
