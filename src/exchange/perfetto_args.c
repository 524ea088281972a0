/* SPDX-License-Identifier: MIT */
/* Arguments of events, as debug annotations: their fields, and in a dictionary `cairn` what their
 * header has. */
#include "exchange/perfetto.h"

#include "core/load.h"
#include "exchange/text.h"
#include "export/names.h"
#include "export/value_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef ExchangePf__DebugAnnotation annotation;

/* Annotations that are read one by one, before they become an array. */
struct node {
    annotation value;
    struct node *next;
};

struct perfetto_args_list {
    struct node *first;
    struct node **end;
    size_t count;
};

static const char *const own_names[] = {
    "cairn", "level",   "keyword",  "opcode",           "id",  "version",
    "tag",   "options", "activity", "related_activity", "cpu", "error",
};

/* The iids of these names. Those of fields follow. */
enum {
    NAME_CAIRN = 1,
    NAME_LEVEL,
    NAME_KEYWORD,
    NAME_OPCODE,
    NAME_ID,
    NAME_VERSION,
    NAME_TAG,
    NAME_OPTIONS,
    NAME_ACTIVITY,
    NAME_RELATED_ACTIVITY,
    NAME_CPU,
    NAME_ERROR,
    NAME_END,
};

_Static_assert(sizeof(own_names) / sizeof(*own_names) == NAME_END - 1, "a number for each name");

/* ---- names ---- */

ExchangePf__Interned *exchange_pf_intern(struct exchange_pf *pf, uint64_t iid,
                                         struct cairn_slice name)
{
    ExchangePf__Interned *interned =
        (ExchangePf__Interned *)exchange_pf_take(pf, sizeof(*interned));

    if (!interned)
        return NULL;
    exchange_pf__interned__init(interned);
    interned->has_iid = true;
    interned->iid = iid;
    interned->has_name = true;
    interned->name = exchange_pf_text(pf, name);
    return interned;
}

/* Adds names to the list of names of annotations. */
static ExchangePf__Interned **reserve_names(struct exchange_pf *pf, size_t count,
                                            ExchangePf__InternedData *interned)
{
    size_t before = interned->n_debug_annotation_names;
    ExchangePf__Interned **names =
        (ExchangePf__Interned **)exchange_pf_take(pf, (before + count) * sizeof(*names));

    if (!names)
        return NULL;
    if (before)
        memcpy((void *)names, (const void *)interned->debug_annotation_names,
               before * sizeof(*names));
    interned->debug_annotation_names = names;
    return names + before;
}

void exchange_pf_intern_names(struct exchange_pf *pf, ExchangePf__InternedData *interned)
{
    ExchangePf__Interned **names = reserve_names(pf, NAME_END - 1, interned);

    pf->next_iid = NAME_END;
    for (uint64_t n = 0; names && n < NAME_END - 1 && !pf->error; n++) {
        names[n] = exchange_pf_intern(
            pf, n + 1, (struct cairn_slice){own_names[n], (uint32_t)strlen(own_names[n])});
        interned->n_debug_annotation_names += names[n] != NULL;
    }
}

static void intern_fields(struct exchange_pf *pf, uint64_t first_iid,
                          const struct decode_layout *layout, ExchangePf__InternedData *interned)
{
    ExchangePf__Interned **names = reserve_names(pf, layout->field_count, interned);

    for (uint32_t n = 0; names && n < layout->field_count && !pf->error; n++) {
        names[n] = exchange_pf_intern(pf, first_iid + n,
                                      decode_name_without_attributes(layout->fields[n].item.name));
        interned->n_debug_annotation_names += names[n] != NULL;
    }
}

/* ---- classes ---- */

void exchange_pf_intern_class(struct exchange_pf *pf, struct exchange_class *class,
                              const struct decode_layout *layout,
                              ExchangePf__InternedData *interned)
{
    struct exchange_pf_class *data = (struct exchange_pf_class *)calloc(1, sizeof(*data));
    ExchangePf__Interned **lists =
        (ExchangePf__Interned **)exchange_pf_take(pf, 2 * sizeof(*lists));
    uint64_t iid = class->number + 1u;

    class->data = data;
    if (!data || !lists) {
        pf->error = pf->error ? pf->error : ENOMEM;
        return;
    }
    data->first_iid = pf->next_iid;
    pf->next_iid += layout->field_count;
    lists[0] = exchange_pf_intern(pf, iid, layout->type.provider);
    lists[1] = exchange_pf_intern(pf, iid, layout->type.name);
    if (pf->error)
        return;
    interned->event_categories = &lists[0];
    interned->n_event_categories = 1;
    interned->event_names = &lists[1];
    interned->n_event_names = 1;
    intern_fields(pf, data->first_iid, layout, interned);
}

/* ---- values ---- */

static annotation *append(struct exchange_pf *pf, struct perfetto_args_list *list)
{
    struct node *node = (struct node *)exchange_pf_take(pf, sizeof(*node));

    if (!node)
        return NULL;
    exchange_pf__debug_annotation__init(&node->value);
    node->next = NULL;
    *list->end = node;
    list->end = &node->next;
    list->count++;
    return &node->value;
}

static annotation **array_of(struct exchange_pf *pf, const struct perfetto_args_list *list)
{
    annotation **array = (annotation **)exchange_pf_take(pf, list->count * sizeof(*array));
    struct node *node = list->first;

    for (size_t n = 0; array && n < list->count; n++, node = node->next)
        array[n] = &node->value;
    return array;
}

static void set_text(annotation *to, ProtobufCBinaryData text)
{
    to->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_STRING_VALUE;
    to->string_value = text;
}

static void set_unsigned(annotation *to, uint64_t number)
{
    to->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_UINT_VALUE;
    to->uint_value = number;
}

static void set_signed(annotation *to, int64_t number)
{
    to->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_INT_VALUE;
    to->int_value = number;
}

static void set_boolean(annotation *to, uint32_t number)
{
    if (number > 1) {
        set_signed(to, (int32_t)number);
        return;
    }
    to->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_BOOL_VALUE;
    to->bool_value = number != 0;
}

static void set_value(struct exchange_pf *pf, annotation *to, enum decode_value value,
                      struct decode_value_data v)
{
    struct export_print_output *text = &pf->exporter->text;

    switch (value) {
    case DECODE_VALUE_UNSIGNED_INT:
        set_unsigned(to, core_load_unsigned(v.data, v.size_bytes, v.swap));
        break;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        set_signed(to, core_load_signed(v.data, v.size_bytes, v.swap));
        break;
    case DECODE_VALUE_PORT:
        set_unsigned(to, (uint64_t)v.data[0] << 8 | v.data[1]);
        break;
    case DECODE_VALUE_BOOLEAN:
        set_boolean(to, (uint32_t)core_load_unsigned(v.data, v.size_bytes, v.swap));
        break;
    case DECODE_VALUE_FLOAT:
        to->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_DOUBLE_VALUE;
        to->double_value = decode_value_float(v);
        break;
    case DECODE_VALUE_HEX_INT: /* which is shown in hexadecimal */
        to->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_POINTER_VALUE;
        to->pointer_value = core_load_unsigned(v.data, v.size_bytes, v.swap);
        break;
    default:
        text->at = text->begin;
        exchange_put_value(pf->exporter, text, value, v);
        set_text(to, exchange_pf_copy_text(pf));
    }
}

/* ---- fields ---- */

/* Reads the members of a struct, or the elements of an array, up to its end. */
static void read_level(struct exchange_pf *pf, const struct cairn_event *event, uint64_t first_iid,
                       struct perfetto_args_list *list);

static void read_item(struct exchange_pf *pf, const struct cairn_event *event, uint64_t first_iid,
                      const struct cairn_item *item, annotation *to)
{
    struct decode_value_data data = {item->data, item->size_bytes, event->swap};
    struct perfetto_args_list inner = {0};

    if (!item->is_element) {
        to->has_name_iid = true;
        to->name_iid = first_iid + decode_items_index(&pf->exporter->items, item);
    }
    if (item->kind == CAIRN_ITEM_VALUE) {
        set_value(pf, to, exchange_value_of(item), data);
        return;
    }
    inner.end = &inner.first;
    read_level(pf, event, first_iid, &inner);
    if (item->kind == CAIRN_ITEM_ARRAY_BEGIN) {
        to->array_values = array_of(pf, &inner);
        to->n_array_values = to->array_values ? inner.count : 0;
    } else {
        to->dict_entries = array_of(pf, &inner);
        to->n_dict_entries = to->dict_entries ? inner.count : 0;
    }
}

static void read_level(struct exchange_pf *pf, const struct cairn_event *event, uint64_t first_iid,
                       struct perfetto_args_list *list)
{
    struct cairn_item item;

    while (cairn_items_next(&pf->exporter->items, &item)) {
        annotation *to;

        if (item.kind == CAIRN_ITEM_ARRAY_END || item.kind == CAIRN_ITEM_STRUCT_END)
            return;
        to = append(pf, list);
        if (!to)
            return;
        read_item(pf, event, first_iid, &item, to);
    }
}

/* ---- the header ---- */

static void add_text(struct exchange_pf *pf, struct perfetto_args_list *list, uint64_t name,
                     struct cairn_slice text)
{
    annotation *to = text.length ? append(pf, list) : NULL;

    if (!to)
        return;
    to->has_name_iid = true;
    to->name_iid = name;
    set_text(to, exchange_pf_text(pf, text));
}

static void add_word(struct exchange_pf *pf, struct perfetto_args_list *list, uint64_t name,
                     const char *word)
{
    add_text(pf, list, name, (struct cairn_slice){word, (uint32_t)strlen(word)});
}

static void add_number(struct exchange_pf *pf, struct perfetto_args_list *list, uint64_t name,
                       uint64_t number)
{
    annotation *to = append(pf, list);

    if (!to)
        return;
    to->has_name_iid = true;
    to->name_iid = name;
    set_unsigned(to, number);
}

static void add_named(struct exchange_pf *pf, struct perfetto_args_list *list, uint64_t name,
                      const char *word, uint8_t number)
{
    if (word)
        add_word(pf, list, name, word);
    else
        add_number(pf, list, name, number);
}

static void add_id(struct exchange_pf *pf, struct perfetto_args_list *list, uint64_t name,
                   const uint8_t *id)
{
    char text[40];

    if (id)
        add_text(pf, list, name,
                 (struct cairn_slice){text, (uint32_t)(export_put_uuid(text, id) - text)});
}

static void add_eventheader(struct exchange_pf *pf, const struct cairn_event_type *type,
                            struct perfetto_args_list *list)
{
    annotation *keyword;

    add_named(pf, list, NAME_LEVEL, export_level_name(type->level), type->level);
    keyword = append(pf, list);
    if (keyword) {
        keyword->has_name_iid = true;
        keyword->name_iid = NAME_KEYWORD;
        keyword->value_case = EXCHANGE_PF__DEBUG_ANNOTATION__VALUE_POINTER_VALUE;
        keyword->pointer_value = type->keyword;
    }
    if (type->opcode)
        add_named(pf, list, NAME_OPCODE, export_opcode_name(type->opcode), type->opcode);
    if (type->id)
        add_number(pf, list, NAME_ID, type->id);
    if (type->version)
        add_number(pf, list, NAME_VERSION, type->version);
    if (type->tag)
        add_number(pf, list, NAME_TAG, type->tag);
    add_text(pf, list, NAME_OPTIONS, type->options);
}

static void add_header(struct exchange_pf *pf, const struct cairn_event *event,
                       enum cairn_event_error error, struct perfetto_args_list *list)
{
    struct perfetto_args_list own = {0};
    annotation *to = append(pf, list);

    if (!to)
        return;
    own.end = &own.first;
    if (event->type->is_eventheader)
        add_eventheader(pf, event->type, &own);
    add_id(pf, &own, NAME_ACTIVITY, event->activity_id);
    add_id(pf, &own, NAME_RELATED_ACTIVITY, event->related_id);
    if (event->has & CAIRN_EVENT_CPU)
        add_number(pf, &own, NAME_CPU, event->cpu);
    if (error)
        add_word(pf, &own, NAME_ERROR, cairn_event_error_text(error));
    to->has_name_iid = true;
    to->name_iid = NAME_CAIRN;
    to->dict_entries = array_of(pf, &own);
    to->n_dict_entries = to->dict_entries ? own.count : 0;
}

void exchange_pf_set_args(struct exchange_pf *pf, const struct cairn_event *event,
                          const struct exchange_pf_class *class, ExchangePf__TrackEvent *to)
{
    struct cairn_items *items = &pf->exporter->items;
    struct perfetto_args_list list = {0};
    enum cairn_event_error error;

    list.end = &list.first;
    cairn_items_begin(items, event);
    read_level(pf, event, class->first_iid, &list);
    error = cairn_items_error(items);
    if (error)
        exchange_note_damage(pf->exporter);
    add_header(pf, event, error, &list);
    to->debug_annotations = array_of(pf, &list);
    to->n_debug_annotations = to->debug_annotations ? list.count : 0;
}

/* ---- values of counters ---- */

static void describe_counter(struct exchange_pf *pf, const struct exchange_counter *counter,
                             uint64_t track)
{
    ExchangePf__TrackDescriptor descriptor = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;
    ExchangePf__CounterDescriptor kind = EXCHANGE_PF__COUNTER_DESCRIPTOR__INIT;

    descriptor.has_uuid = true;
    descriptor.uuid = track;
    descriptor.has_name = true;
    descriptor.name.data = (uint8_t *)counter->name;
    descriptor.name.len = strlen(counter->name);
    descriptor.counter = &kind;
    exchange_pf_write_track(pf, &descriptor);
}

static void set_counter(ExchangePf__TrackEvent *to, enum decode_value value,
                        struct decode_value_data v)
{
    bool is_signed = value == DECODE_VALUE_SIGNED_INT || value == DECODE_VALUE_PID;

    to->counter_value_field_case = EXCHANGE_PF__TRACK_EVENT__COUNTER_VALUE_FIELD_COUNTER_VALUE;
    if (value != DECODE_VALUE_FLOAT)
        to->counter_value = is_signed ? core_load_signed(v.data, v.size_bytes, v.swap)
                                      : (int64_t)core_load_unsigned(v.data, v.size_bytes, v.swap);
    if (value != DECODE_VALUE_FLOAT && (is_signed || to->counter_value >= 0))
        return;
    to->counter_value_field_case =
        EXCHANGE_PF__TRACK_EVENT__COUNTER_VALUE_FIELD_DOUBLE_COUNTER_VALUE;
    to->double_counter_value = value == DECODE_VALUE_FLOAT
                                   ? decode_value_float(v)
                                   : (double)core_load_unsigned(v.data, v.size_bytes, v.swap);
}

void exchange_pf_write_counter(void *context, const struct exchange_counter *counter,
                               enum decode_value value, struct decode_value_data data)
{
    struct exchange_pf *pf = (struct exchange_pf *)context;
    size_t index = (size_t)(counter - pf->counters.list);
    ExchangePf__TrackEvent to = EXCHANGE_PF__TRACK_EVENT__INIT;

    to.has_type = true;
    to.type = EXCHANGE_PF_COUNTER;
    to.has_track_uuid = true;
    to.track_uuid = EXCHANGE_PF_COUNTER_TRACK | index;
    set_counter(&to, value, data);
    if (index >= pf->described_counters) { /* values come in the order of the list at first */
        for (size_t n = pf->described_counters; n <= index; n++)
            describe_counter(pf, &pf->counters.list[n], EXCHANGE_PF_COUNTER_TRACK | n);
        pf->described_counters = index + 1;
    }
    exchange_pf_write_event(pf, pf->now_ns, &to, NULL);
}
