/* SPDX-License-Identifier: MIT */
/* Attributes of spans and log records: the fields of events. */
#include "exchange/otlp.h"

#include "core/load.h"
#include "core/slice.h"
#include "exchange/text.h"
#include "export/names.h"
#include "export/number.h"
#include "export/value_print.h"

#include <errno.h>
#include <string.h>

typedef ExchangeOtlp__AnyValue any_value;

struct exchange_otlp_node {
    ExchangeOtlp__KeyValue key_value;
    any_value value;
    struct exchange_otlp_node *next;
};

/* ---- memory ---- */

void *exchange_otlp_take(struct exchange_otlp_memory *memory, size_t size_bytes)
{
    void *taken = exchange_arena_take(&memory->arena, size_bytes);

    if (!taken)
        memory->error = ENOMEM;
    return taken;
}

ProtobufCBinaryData exchange_otlp_bytes(struct exchange_otlp_memory *memory, const void *data,
                                        size_t size_bytes)
{
    ProtobufCBinaryData bytes = {.data = (uint8_t *)exchange_otlp_take(memory, size_bytes)};

    if (!bytes.data)
        return bytes;
    bytes.len = size_bytes;
    if (size_bytes)
        memcpy(bytes.data, data, size_bytes);
    return bytes;
}

static ProtobufCBinaryData copy_text(struct exchange_otlp_memory *memory)
{
    const struct export_print_output *text = &memory->exporter->text;

    return exchange_otlp_bytes(memory, text->begin, (size_t)(text->at - text->begin));
}

ProtobufCBinaryData exchange_otlp_text(struct exchange_otlp_memory *memory, struct cairn_slice text)
{
    struct export_print_output *out = &memory->exporter->text;

    if (exchange_is_plain(text.text, text.length))
        return exchange_otlp_bytes(memory, text.text, text.length);
    out->at = out->begin;
    exchange_put_text(memory->exporter, out, text);
    return copy_text(memory);
}

/* ---- lists ---- */

/* Appends an attribute whose value is not set. NULL after a failure. */
static struct exchange_otlp_node *append(struct exchange_otlp_memory *memory,
                                         struct exchange_otlp_list *list)
{
    struct exchange_otlp_node *node =
        (struct exchange_otlp_node *)exchange_otlp_take(memory, sizeof(*node));

    if (!node)
        return NULL;
    exchange_otlp__key_value__init(&node->key_value);
    exchange_otlp__any_value__init(&node->value);
    node->key_value.value = &node->value;
    node->next = NULL;
    if (list->last)
        list->last->next = node;
    else
        list->first = node;
    list->last = node;
    list->count++;
    return node;
}

static void set_key(struct exchange_otlp_memory *memory, struct exchange_otlp_node *node,
                    struct cairn_slice key)
{
    node->key_value.has_key = true;
    node->key_value.key = exchange_otlp_text(memory, key);
}

/* The key is a literal, which is not copied. */
static struct exchange_otlp_node *append_named(struct exchange_otlp_memory *memory,
                                               struct exchange_otlp_list *list, const char *key)
{
    struct exchange_otlp_node *node = append(memory, list);

    if (!node)
        return NULL;
    node->key_value.has_key = true;
    node->key_value.key = (ProtobufCBinaryData){strlen(key), (uint8_t *)(uintptr_t)key};
    return node;
}

ExchangeOtlp__KeyValue **exchange_otlp_array(struct exchange_otlp_memory *memory,
                                             const struct exchange_otlp_list *list)
{
    ExchangeOtlp__KeyValue **array =
        (ExchangeOtlp__KeyValue **)exchange_otlp_take(memory, list->count * sizeof(*array));
    struct exchange_otlp_node *node = list->first;

    for (size_t n = 0; array && node; n++, node = node->next)
        array[n] = &node->key_value;
    return array;
}

static any_value **values_of(struct exchange_otlp_memory *memory,
                             const struct exchange_otlp_list *list)
{
    any_value **array = (any_value **)exchange_otlp_take(memory, list->count * sizeof(*array));
    struct exchange_otlp_node *node = list->first;

    for (size_t n = 0; array && node; n++, node = node->next)
        array[n] = &node->value;
    return array;
}

/* ---- values ---- */

static void set_text(any_value *to, ProtobufCBinaryData text)
{
    to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_STRING_VALUE;
    to->string_value = text;
}

static void set_signed(any_value *to, int64_t number)
{
    to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_INT_VALUE;
    to->int_value = number;
}

/* Numbers from 2^63 on are texts. */
static void set_unsigned(struct exchange_otlp_memory *memory, any_value *to, uint64_t number)
{
    char text[20];

    if (number <= INT64_MAX) {
        set_signed(to, (int64_t)number);
        return;
    }
    exchange_note(memory->exporter, CAIRN_EXPORTER_LARGE_NUMBERS);
    set_text(to,
             exchange_otlp_bytes(memory, text, (size_t)(export_put_unsigned(text, number) - text)));
}

static double float_of(struct decode_value_data v)
{
    uint64_t bits = core_load_unsigned(v.data, v.size_bytes, v.swap);
    uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;

    memcpy(&single, &bits32, sizeof(single));
    memcpy(&value, &bits, sizeof(value));
    return v.size_bytes == sizeof(single) ? (double)single : value;
}

static void set_boolean(any_value *to, uint32_t number)
{
    if (number > 1) {
        set_signed(to, (int32_t)number);
        return;
    }
    to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_BOOL_VALUE;
    to->bool_value = number != 0;
}

static void set_value(struct exchange_otlp_memory *memory, any_value *to, enum decode_value value,
                      struct decode_value_data v)
{
    struct export_print_output *text = &memory->exporter->text;

    switch (value) {
    case DECODE_VALUE_NULL:
        break;
    case DECODE_VALUE_UNSIGNED_INT:
        set_unsigned(memory, to, core_load_unsigned(v.data, v.size_bytes, v.swap));
        break;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        set_signed(to, core_load_signed(v.data, v.size_bytes, v.swap));
        break;
    case DECODE_VALUE_PORT:
        set_signed(to, (int64_t)v.data[0] << 8 | v.data[1]);
        break;
    case DECODE_VALUE_BOOLEAN:
        set_boolean(to, (uint32_t)core_load_unsigned(v.data, v.size_bytes, v.swap));
        break;
    case DECODE_VALUE_FLOAT:
        to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_DOUBLE_VALUE;
        to->double_value = float_of(v);
        break;
    case DECODE_VALUE_BYTES:
        to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_BYTES_VALUE;
        to->bytes_value = exchange_otlp_bytes(memory, v.data, v.size_bytes);
        break;
    default:
        if (value == DECODE_VALUE_UTF8 && exchange_is_plain(v.data, v.size_bytes)) {
            set_text(to, exchange_otlp_bytes(memory, v.data, v.size_bytes));
            break;
        }
        text->at = text->begin;
        exchange_put_value(memory->exporter, text, value, v);
        set_text(to, copy_text(memory));
    }
}

void exchange_otlp_add_text(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                            const char *key, struct cairn_slice text)
{
    struct exchange_otlp_node *node = append_named(memory, list, key);

    if (node)
        set_text(&node->value, exchange_otlp_text(memory, text));
}

void exchange_otlp_add_number(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                              const char *key, uint64_t number)
{
    struct exchange_otlp_node *node = append_named(memory, list, key);

    if (node)
        set_unsigned(memory, &node->value, number);
}

void exchange_otlp_add_flag(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                            const char *key)
{
    struct exchange_otlp_node *node = append_named(memory, list, key);

    if (node)
        set_boolean(&node->value, true);
}

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
static bool take_id(const struct cairn_item *item, struct exchange_otlp_ids *ids)
{
    struct cairn_slice name = item->field->name;

    if (item->is_element || name.length < sizeof("span_id") - 1)
        return false;
    if (core_slice_is(name, "trace_id"))
        return read_id(item, ids->trace, sizeof(ids->trace), &ids->has_trace);
    if (core_slice_is(name, "span_id"))
        return read_id(item, ids->span, sizeof(ids->span), &ids->has_span);
    if (core_slice_is(name, "parent_span_id"))
        return read_id(item, ids->parent, sizeof(ids->parent), &ids->has_parent);
    if (core_slice_is(name, "follows_from_trace_id"))
        return read_id(item, ids->link_trace, sizeof(ids->link_trace), &ids->has_link);
    if (core_slice_is(name, "follows_from_span_id"))
        return read_id(item, ids->link_span, sizeof(ids->link_span), &ids->has_link);
    return false;
}

/* ---- events ---- */

/* Reads the members of a struct, or the elements of an array, up to its end. */
static void read_level(struct exchange_otlp_memory *memory, const struct cairn_event *event,
                       struct exchange_otlp_list *list, struct exchange_otlp_ids *ids);

static void read_inner(struct exchange_otlp_memory *memory, const struct cairn_event *event,
                       bool is_array, any_value *to)
{
    struct exchange_otlp_list inner = {0};

    read_level(memory, event, &inner, NULL);
    if (is_array) {
        to->array_value =
            (ExchangeOtlp__ArrayValue *)exchange_otlp_take(memory, sizeof(*to->array_value));
        if (!to->array_value)
            return;
        exchange_otlp__array_value__init(to->array_value);
        to->array_value->values = values_of(memory, &inner);
        to->array_value->n_values = to->array_value->values ? inner.count : 0;
        to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_ARRAY_VALUE;
        return;
    }
    to->kvlist_value =
        (ExchangeOtlp__KeyValueList *)exchange_otlp_take(memory, sizeof(*to->kvlist_value));
    if (!to->kvlist_value)
        return;
    exchange_otlp__key_value_list__init(to->kvlist_value);
    to->kvlist_value->values = exchange_otlp_array(memory, &inner);
    to->kvlist_value->n_values = to->kvlist_value->values ? inner.count : 0;
    to->value_case = EXCHANGE_OTLP__ANY_VALUE__VALUE_KVLIST_VALUE;
}

static void read_level(struct exchange_otlp_memory *memory, const struct cairn_event *event,
                       struct exchange_otlp_list *list, struct exchange_otlp_ids *ids)
{
    struct cairn_items *items = &memory->exporter->items;
    struct cairn_item item;

    while (cairn_items_next(items, &item)) {
        struct decode_value_data data = {item.data, item.size_bytes, event->swap};
        struct exchange_otlp_node *node;

        if (item.kind == CAIRN_ITEM_ARRAY_END || item.kind == CAIRN_ITEM_STRUCT_END)
            return;
        if (ids && take_id(&item, ids))
            continue;
        node = append(memory, list);
        if (!node)
            return;
        if (!item.is_element)
            set_key(memory, node, decode_name_without_attributes(item.field->name));
        if (item.kind == CAIRN_ITEM_VALUE)
            set_value(memory, &node->value, exchange_value_of(&item), data);
        else
            read_inner(memory, event, item.kind == CAIRN_ITEM_ARRAY_BEGIN, &node->value);
    }
}

static void add_id(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                   const char *key, const uint8_t *id)
{
    char text[40];

    if (id)
        exchange_otlp_add_text(
            memory, list, key,
            (struct cairn_slice){text, (uint32_t)(export_put_uuid(text, id) - text)});
}

static void add_header(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                       const struct cairn_event *event)
{
    const struct cairn_event_type *type = event->type;
    const char *opcode = export_opcode_name(type->opcode);
    char text[20];

    if (type->is_eventheader)
        exchange_otlp_add_text(
            memory, list, "cairn.keyword",
            (struct cairn_slice){text, (uint32_t)(export_put_hex(text, type->keyword) - text)});
    if (type->opcode && opcode)
        exchange_otlp_add_text(memory, list, "cairn.opcode",
                               (struct cairn_slice){opcode, (uint32_t)strlen(opcode)});
    else if (type->opcode)
        exchange_otlp_add_number(memory, list, "cairn.opcode", type->opcode);
    if (type->id)
        exchange_otlp_add_number(memory, list, "cairn.id", type->id);
    if (type->version)
        exchange_otlp_add_number(memory, list, "cairn.version", type->version);
    if (type->tag)
        exchange_otlp_add_number(memory, list, "cairn.tag", type->tag);
    add_id(memory, list, "cairn.activity", event->activity_id);
    add_id(memory, list, "cairn.related_activity", event->related_id);
    if (event->has & CAIRN_EVENT_CPU)
        exchange_otlp_add_number(memory, list, "cpu.logical_number", event->cpu);
    if (event->has & CAIRN_EVENT_TID)
        exchange_otlp_add_number(memory, list, "thread.id", event->tid);
    if (event->comm)
        exchange_otlp_add_text(memory, list, "thread.name",
                               (struct cairn_slice){event->comm, (uint32_t)strlen(event->comm)});
}

void exchange_otlp_add_event(struct exchange_otlp_memory *memory, struct exchange_otlp_list *list,
                             const struct cairn_event *event, bool with_header,
                             struct exchange_otlp_ids *ret_ids)
{
    struct cairn_items *items = &memory->exporter->items;
    enum cairn_event_error error;

    *ret_ids = (struct exchange_otlp_ids){0};
    cairn_items_begin(items, event);
    read_level(memory, event, list, event->activity_id ? ret_ids : NULL);
    error = cairn_items_error(items);
    if (error) {
        const char *text = cairn_event_error_text(error);

        exchange_note_damage(memory->exporter);
        exchange_otlp_add_text(memory, list, "cairn.error",
                               (struct cairn_slice){text, (uint32_t)strlen(text)});
    }
    if (with_header)
        add_header(memory, list, event);
}
