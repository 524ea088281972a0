/* SPDX-License-Identifier: MIT */
/*
 * Events of CTF with any fields, which become events of EventHeader: the decoder reads all bytes of
 * their values. The library's objects are made by the library: no trace is read.
 *
 * The input is a sequence of choices, each of a byte; zeros follow it.
 */
#include "core/cursor.h"
#include "ctf_check.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NODES_MAX    200u  /* classes in an event */
#define ELEMENTS_MAX 2000u /* in its arrays, without those of the last one */
#define LARGE        0xfdu /* a number of elements that EventHeader may not have */
#define DEPTH_MAX    24u   /* CTF_DEPTH_MAX, and some more */
#define FIXED_MAX    64u
#define END          0x600dd1e5u

/* ---- the library's graph, which serves all inputs ---- */

static bt_self_component *component;
static bt_self_message_iterator *iterator;

static bt_component_class_initialize_method_status
begin_source(bt_self_component_source *self, bt_self_component_source_configuration *configuration,
             const bt_value *parameters, void *data)
{
    (void)configuration, (void)parameters, (void)data;
    component = bt_self_component_source_as_self_component(self);
    assert(!bt_self_component_source_add_output_port(self, "out", NULL, NULL));
    return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_initialize_method_status
begin_iterator(bt_self_message_iterator *self,
               bt_self_message_iterator_configuration *configuration,
               bt_self_component_port_output *port)
{
    (void)configuration, (void)port;
    iterator = self;
    return BT_MESSAGE_ITERATOR_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_message_iterator_class_next_method_status next(bt_self_message_iterator *self,
                                                         bt_message_array_const messages,
                                                         uint64_t capacity, uint64_t *count)
{
    (void)self, (void)messages, (void)capacity, (void)count;
    return BT_MESSAGE_ITERATOR_CLASS_NEXT_METHOD_STATUS_AGAIN;
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *from,
                                                                  void *data)
{
    (void)from, (void)data;
    return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
}

/* Messages are made with a component and an iterator, which a graph gives to its source. */
static void begin_graph(void)
{
    bt_message_iterator_class *iterators = bt_message_iterator_class_create(next);
    bt_component_class_source *sources;
    const bt_component_source *source;
    const bt_component_sink *sink;
    static bt_graph *graph;

    assert(!bt_message_iterator_class_set_initialize_method(iterators, begin_iterator));
    sources = bt_component_class_source_create("source", iterators);
    assert(!bt_component_class_source_set_initialize_method(sources, begin_source));
    graph = bt_graph_create(0);
    assert(!bt_graph_add_source_component(graph, sources, "source", NULL, BT_LOGGING_LEVEL_NONE,
                                          &source));
    assert(!bt_graph_add_simple_sink_component(graph, "sink", NULL, consume, NULL, NULL, &sink));
    assert(!bt_graph_connect_ports(
        graph, bt_component_source_borrow_output_port_by_index_const(source, 0),
        bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL));
    assert(bt_graph_run_once(graph) == BT_GRAPH_RUN_ONCE_STATUS_AGAIN && component && iterator);
}

/* ---- choices ---- */

struct maker {
    struct core_cursor from;
    bt_trace_class *traces;
    unsigned nodes;
    unsigned elements;
    unsigned fixed; /* the product of the lengths of the arrays that the class is in */
};

static uint8_t choose(struct maker *m)
{
    return core_cursor_u8(&m->from);
}

static uint64_t choose_number(struct maker *m)
{
    uint64_t number = 0;
    unsigned size = choose(m);

    if (size >= 0x80) /* near the ends of the types */
        return size & 1 ? UINT64_MAX >> (size & 0x3e) : (uint64_t)1 << (size & 0x3e);
    for (size %= 9; size; size--)
        number = number << 8 | choose(m);
    return number;
}

/* Up to its first NUL. Returns the text, which the next call replaces. */
static const char *choose_text(struct maker *m)
{
    static const char *const texts[] = {"cairn", "a:b",   "app:event", ":",       "",
                                        "vpid",  "x;y=z", "\n",        "p_L5K3:e"};
    static char text[512];
    unsigned size = choose(m);

    if (size >= 0xe0)
        return texts[size % (sizeof(texts) / sizeof(*texts))];
    size *= size >= 0xd0 ? 2 : 1;
    memset(text, 'x', sizeof(text));
    for (unsigned i = 0; i < size && m->from.left; i++)
        text[i] = (char)choose(m);
    text[size] = '\0';
    return text;
}

/* ---- classes ---- */

static bt_field_class *make_class(struct maker *m, unsigned depth);

static bt_field_class *set_up_integer(struct maker *m, bt_field_class *class)
{
    uint8_t choice = choose(m);

    bt_field_class_integer_set_field_value_range(class, choice & 0x40 ? 8 : choice % 64 + 1);
    if (choice & 0x80)
        bt_field_class_integer_set_preferred_display_base(
            class, BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL);
    return class;
}

static bt_field_class *make_enumeration(struct maker *m)
{
    bt_field_class *class =
        set_up_integer(m, bt_field_class_enumeration_unsigned_create(m->traces));

    for (unsigned count = choose(m) % 3; count; count--) {
        bt_integer_range_set_unsigned *ranges = bt_integer_range_set_unsigned_create();
        char label[8];

        (void)snprintf(label, sizeof(label), "label%u", count);
        assert(!bt_integer_range_set_unsigned_add_range(ranges, 0, count));
        assert(!bt_field_class_enumeration_unsigned_add_mapping(class, label, ranges));
        bt_integer_range_set_unsigned_put_ref(ranges);
    }
    return class;
}

static bt_field_class *make_signed_enumeration(struct maker *m)
{
    bt_field_class *class = set_up_integer(m, bt_field_class_enumeration_signed_create(m->traces));
    bt_integer_range_set_signed *ranges = bt_integer_range_set_signed_create();

    assert(!bt_integer_range_set_signed_add_range(ranges, -1, 1));
    assert(!bt_field_class_enumeration_signed_add_mapping(class, choose_text(m), ranges));
    bt_integer_range_set_signed_put_ref(ranges);
    return class;
}

static const bt_field_class_structure_member *find(bt_field_class *structure, const char *name)
{
    return bt_field_class_structure_borrow_member_by_name_const(structure, name);
}

static void add_member(bt_field_class *structure, const char *name, bt_field_class *class)
{
    char number[24];

    if (find(structure, name)) {
        (void)snprintf(number, sizeof(number), "member%u",
                       (unsigned)bt_field_class_structure_get_member_count(structure));
        name = number;
    }
    assert(find(structure, name) || /* the input named it so, too */
           !bt_field_class_structure_append_member(structure, name, class));
    bt_field_class_put_ref(class);
}

/* A text, or a sequence, with its length before it, as the library has them. */
static void add_with_length(struct maker *m, bt_field_class *structure, unsigned depth)
{
    bt_field_class *length = set_up_integer(m, bt_field_class_integer_unsigned_create(m->traces));
    unsigned number = (unsigned)bt_field_class_structure_get_member_count(structure);
    bt_field_class *class;
    char name[24];
    char of_length[40];

    (void)snprintf(name, sizeof(name), "with%u", number);
    (void)snprintf(of_length, sizeof(of_length), "_%s_length", name);
    bt_field_class_get_ref(length);
    add_member(structure, of_length, length);
    if (choose(m) & 1) {
        bt_field_class *element = make_class(m, depth + 1);

        class = bt_field_class_array_dynamic_create(m->traces, element, length);
        bt_field_class_put_ref(element);
    } else {
        class = bt_field_class_string_create(m->traces);
    }
    bt_field_class_put_ref(length);
    add_member(structure, name, class);
}

static bt_field_class *make_structure(struct maker *m, unsigned depth)
{
    static const char *const names[] = {"a", "cpu_id", "tid", "vtid", "pid", "vpid", "procname"};
    bt_field_class *class = bt_field_class_structure_create(m->traces);
    unsigned count = choose(m);

    count = count < 0xf0 ? count % 6 : count / 2; /* 127 are the most that EventHeader has */
    while (count-- && m->nodes < NODES_MAX) {
        unsigned choice = choose(m);

        if (choice < sizeof(names) / sizeof(*names))
            add_member(class, names[choice], make_class(m, depth + 1));
        else if (choice < 0x20)
            add_with_length(m, class, depth);
        else if (choice < 0x40)
            add_member(class, choose_text(m), make_class(m, depth + 1));
        else
            add_member(class, "a", make_class(m, depth + 1));
    }
    return class;
}

/* The elements of an array of a fixed length exist when the event does: those of arrays in arrays
 * of such are few. */
static bt_field_class *make_static_array(struct maker *m, unsigned depth)
{
    unsigned before = m->fixed;
    unsigned length = choose(m) % 8;
    bt_field_class *element;
    bt_field_class *class;

    if (length > FIXED_MAX / before)
        length = 1;
    m->fixed *= length ? length : 1;
    element = make_class(m, depth + 1);
    m->fixed = before;
    class = bt_field_class_array_static_create(m->traces, element, length);
    bt_field_class_put_ref(element);
    return class;
}

static bt_field_class *make_array(struct maker *m, unsigned depth)
{
    bt_field_class *element = make_class(m, depth + 1);
    bt_field_class *class = bt_field_class_array_dynamic_create(m->traces, element, NULL);

    bt_field_class_put_ref(element);
    return class;
}

static bt_field_class *make_option(struct maker *m, unsigned depth)
{
    bt_field_class *content = make_class(m, depth + 1);
    bt_field_class *class = bt_field_class_option_without_selector_create(m->traces, content);

    bt_field_class_put_ref(content);
    return class;
}

static bt_field_class *make_variant(struct maker *m, unsigned depth)
{
    static const char *const names[] = {"one", "two", NULL};
    bt_field_class *class = bt_field_class_variant_create(m->traces, NULL);

    for (unsigned i = 0; i < 2; i++) {
        bt_field_class *content = make_class(m, depth + 1);

        assert(!bt_field_class_variant_without_selector_append_option(class, names[i], content));
        bt_field_class_put_ref(content);
    }
    return class;
}

static bt_field_class *make_scalar(struct maker *m, unsigned choice)
{
    switch (choice) {
    case 1:
        return set_up_integer(m, bt_field_class_integer_signed_create(m->traces));
    case 2:
        return make_enumeration(m);
    case 3:
        return make_signed_enumeration(m);
    case 4:
        return bt_field_class_string_create(m->traces);
    case 5:
        return bt_field_class_bool_create(m->traces);
    case 6:
        return bt_field_class_bit_array_create(m->traces, choose(m) % 64 + 1u);
    case 7:
        return bt_field_class_real_single_precision_create(m->traces);
    case 8:
        return bt_field_class_real_double_precision_create(m->traces);
    default:
        return set_up_integer(m, bt_field_class_integer_unsigned_create(m->traces));
    }
}

static bt_field_class *make_class(struct maker *m, unsigned depth)
{
    unsigned choice = choose(m) % 16;

    if (m->nodes++ >= NODES_MAX || depth >= DEPTH_MAX)
        choice %= 9;
    switch (choice) {
    case 9:
    case 10:
        return make_structure(m, depth);
    case 11:
        return make_static_array(m, depth);
    case 12:
        return make_array(m, depth);
    case 13:
        return make_option(m, depth);
    case 14:
        return make_variant(m, depth);
    default:
        return make_scalar(m, choice);
    }
}

/* The context of events that `cairn export` writes. */
static bt_field_class *make_own_context(struct maker *m)
{
    static const char *const numbers[] = {"keyword", "id", "tag", "level", "opcode", "version"};
    bt_field_class *class = bt_field_class_structure_create(m->traces);
    uint8_t other = choose(m); /* the number of a member that is of another class */

    for (unsigned i = 0; i < 6; i++)
        add_member(class, numbers[i],
                   i == other ? make_class(m, 1)
                              : bt_field_class_integer_unsigned_create(m->traces));
    add_member(class, "activity", bt_field_class_string_create(m->traces));
    add_member(class, "related_activity",
               other == 7 ? make_class(m, 1) : bt_field_class_string_create(m->traces));
    return class;
}

/* ---- values ---- */

static void set_value(struct maker *m, bt_field *field);

static void set_integer(struct maker *m, bt_field *field, bool is_signed)
{
    uint64_t range =
        bt_field_class_integer_get_field_value_range(bt_field_borrow_class_const(field));
    uint64_t number = choose_number(m);

    if (is_signed)
        bt_field_integer_signed_set_value(field, (int64_t)(number << (64 - range)) >> (64 - range));
    else
        bt_field_integer_unsigned_set_value(field, number & UINT64_MAX >> (64 - range));
}

static void set_text(struct maker *m, bt_field *field)
{
    static const char uuid[] = "01234567-89ab-cdef-0123-456789abcdef";
    uint8_t choice = choose(m);
    char text[sizeof(uuid)];

    (void)strcpy(text, uuid);
    if (choice & 2)
        text[choice >> 2 & 31] = (char)choose(m);
    assert(!bt_field_string_set_value(field, choice & 1 ? text : choose_text(m)));
}

/* True if values of the class have no others in them. */
static bool is_scalar(const bt_field_class *class)
{
    bt_field_class_type type = bt_field_class_get_type(class);

    return !ctf_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE) &&
           !ctf_is(type, BT_FIELD_CLASS_TYPE_ARRAY) && !ctf_is(type, BT_FIELD_CLASS_TYPE_OPTION) &&
           !ctf_is(type, BT_FIELD_CLASS_TYPE_VARIANT);
}

static uint64_t choose_length(struct maker *m, const bt_field *array)
{
    const bt_field_class *element =
        bt_field_class_array_borrow_element_field_class_const(bt_field_borrow_class_const(array));
    unsigned choice = choose(m);

    if (choice != LARGE || !is_scalar(element))
        return choice % 5;
    return UINT16_MAX + choose(m) % 2u;
}

static void set_array(struct maker *m, bt_field *field)
{
    uint64_t length;

    if (!ctf_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_STATIC_ARRAY))
        assert(!bt_field_array_dynamic_set_length(
            field, m->elements < ELEMENTS_MAX ? choose_length(m, field) : 0));
    length = bt_field_array_get_length(field);
    m->elements += (unsigned)length;
    for (uint64_t i = 0; i < length; i++)
        set_value(m, bt_field_array_borrow_element_field_by_index(field, i));
}

static void set_structure(struct maker *m, bt_field *field)
{
    uint64_t count = bt_field_class_structure_get_member_count(bt_field_borrow_class_const(field));

    for (uint64_t i = 0; i < count; i++)
        set_value(m, bt_field_structure_borrow_member_field_by_index(field, i));
}

static void set_scalar(struct maker *m, bt_field *field, bt_field_class_type type)
{
    switch (type) {
    case BT_FIELD_CLASS_TYPE_BOOL:
        bt_field_bool_set_value(field, choose(m) & 1);
        break;
    case BT_FIELD_CLASS_TYPE_BIT_ARRAY:
        bt_field_bit_array_set_value_as_integer(field, choose_number(m));
        break;
    case BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL:
        bt_field_real_single_precision_set_value(field, (float)choose_number(m));
        break;
    case BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL:
        bt_field_real_double_precision_set_value(field, (double)choose_number(m));
        break;
    default:
        set_text(m, field);
        break;
    }
}

static void set_value(struct maker *m, bt_field *field)
{
    bt_field_class_type type = bt_field_get_class_type(field);

    if (ctf_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
        set_integer(m, field, ctf_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER));
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
        set_structure(m, field);
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
        set_array(m, field);
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
        assert(!bt_field_variant_select_option_by_index(field, choose(m) & 1));
        set_value(m, bt_field_variant_borrow_selected_option_field(field));
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
        bt_field_option_set_has_field(field, choose(m) & 1);
        if (bt_field_option_borrow_field(field))
            set_value(m, bt_field_option_borrow_field(field));
    } else {
        set_scalar(m, field, type);
    }
}

/* ---- events ---- */

#define HAS_PACKETS  0x01
#define HAS_CLOCK    0x02
#define HAS_COMMON   0x04
#define HAS_SPECIFIC 0x08
#define HAS_OWN      0x10
#define HAS_TRACER   0x20
#define HAS_LEVEL    0x40
#define BY_ORIGIN    0x80

static void set_clock(struct maker *m, bt_stream_class *streams)
{
    bt_clock_class *clock = bt_clock_class_create(component);
    uint64_t frequency = choose_number(m) >> 1;

    frequency += !frequency;
    bt_clock_class_set_frequency(clock, frequency);
    bt_clock_class_set_offset(clock, (int64_t)choose_number(m), choose_number(m) % frequency);
    bt_clock_class_set_origin_is_unix_epoch(clock, choose(m) & 1);
    assert(!bt_stream_class_set_default_clock_class(streams, clock));
    bt_clock_class_put_ref(clock);
}

static bt_stream_class *make_streams(struct maker *m, uint8_t has)
{
    bt_stream_class *streams = bt_stream_class_create(m->traces);
    bt_field_class *class;

    if (has & HAS_CLOCK)
        set_clock(m, streams);
    if (has & HAS_PACKETS) {
        class = make_structure(m, 1);
        bt_stream_class_set_supports_packets(streams, BT_TRUE, BT_FALSE, BT_FALSE);
        assert(!bt_stream_class_set_packet_context_field_class(streams, class));
        bt_field_class_put_ref(class);
    }
    if (has & HAS_COMMON) {
        class = make_structure(m, 1);
        assert(!bt_stream_class_set_event_common_context_field_class(streams, class));
        bt_field_class_put_ref(class);
    }
    return streams;
}

/* The last member of the payload shows that the decoder found the end of those before it. */
static bt_field_class *make_payload(struct maker *m)
{
    bt_field_class *class = make_structure(m, 1);
    bt_field_class *end = bt_field_class_integer_unsigned_create(m->traces);

    bt_field_class_integer_set_field_value_range(end, 32);
    add_member(class, "end of the payload", end);
    return class;
}

static bt_event_class *make_events(struct maker *m, bt_stream_class *streams, uint8_t has)
{
    bt_event_class *events = bt_event_class_create(streams);
    bt_field_class *class = make_payload(m);

    assert(!bt_event_class_set_payload_field_class(events, class));
    bt_field_class_put_ref(class);
    if (has & HAS_SPECIFIC) {
        class = has & HAS_OWN ? make_own_context(m) : make_structure(m, 1);
        assert(!bt_event_class_set_specific_context_field_class(events, class));
        bt_field_class_put_ref(class);
    }
    assert(!bt_event_class_set_name(events, choose_text(m)));
    if (has & HAS_LEVEL)
        bt_event_class_set_log_level(events, (bt_event_class_log_level)(choose(m) % 15));
    return events;
}

static bt_trace *make_trace(struct maker *m, uint8_t has)
{
    bt_trace *trace = bt_trace_create(m->traces);

    if (has & HAS_TRACER)
        assert(!bt_trace_set_environment_entry_string(trace, "tracer_name", choose_text(m)));
    if (choose(m) & 1)
        assert(!bt_trace_set_environment_entry_string(trace, "procname", choose_text(m)));
    if (choose(m) & 1)
        assert(!bt_trace_set_environment_entry_integer(trace, "vpid", (int64_t)choose_number(m)));
    return trace;
}

static bt_message *make_in_packet(struct maker *m, const bt_event_class *events, bt_stream *stream,
                                  uint8_t has)
{
    bt_packet *packet = bt_packet_create(stream);
    bt_message *message = has & HAS_CLOCK
                              ? bt_message_event_create_with_packet_and_default_clock_snapshot(
                                    iterator, events, packet, choose_number(m))
                              : bt_message_event_create_with_packet(iterator, events, packet);

    set_value(m, bt_packet_borrow_context_field(packet));
    bt_packet_put_ref(packet);
    return message;
}

static void set_payload(struct maker *m, bt_field *payload)
{
    uint64_t count =
        bt_field_class_structure_get_member_count(bt_field_borrow_class_const(payload));

    set_structure(m, payload);
    bt_field_integer_unsigned_set_value(
        bt_field_structure_borrow_member_field_by_index(payload, count - 1), END);
}

static bt_message *make_message(struct maker *m, const bt_event_class *events, bt_stream *stream,
                                uint8_t has)
{
    bt_message *message;
    bt_event *event;

    if (has & HAS_PACKETS)
        message = make_in_packet(m, events, stream, has);
    else if (has & HAS_CLOCK)
        message = bt_message_event_create_with_default_clock_snapshot(iterator, events, stream,
                                                                      choose_number(m));
    else
        message = bt_message_event_create(iterator, events, stream);
    event = bt_message_event_borrow_event(message);
    if (bt_event_borrow_common_context_field(event))
        set_value(m, bt_event_borrow_common_context_field(event));
    if (bt_event_borrow_specific_context_field(event))
        set_value(m, bt_event_borrow_specific_context_field(event));
    set_payload(m, bt_event_borrow_payload_field(event));
    return message;
}

/* ---- checks ---- */

static void check_end(const struct cairn_event *event, const struct cairn_item *last)
{
    uint32_t end = 0;

    assert(last->kind == CAIRN_ITEM_VALUE && last->size_bytes == sizeof(end));
    memcpy(&end, last->data, sizeof(end));
    assert(end == END && last->data + sizeof(end) == event->data + event->data_bytes);
}

static void convert(const bt_message *message, bool by_origin)
{
    struct ctf_event event = {.bt = ctf_library()};

    ctf_check_convert(&event, message, by_origin, check_end);
    ctf_event_free(&event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct maker m = {.from = core_cursor(data, size, false), .fixed = 1};
    uint8_t has = choose(&m);
    bt_stream_class *streams;
    bt_event_class *events;
    bt_message *message;
    bt_stream *stream;
    bt_trace *trace;

    if (!iterator)
        begin_graph();
    m.traces = bt_trace_class_create(component);
    streams = make_streams(&m, has);
    events = make_events(&m, streams, has);
    trace = make_trace(&m, has);
    stream = bt_stream_create(streams, trace);
    message = make_message(&m, events, stream, has);
    convert(message, has & BY_ORIGIN);
    bt_message_put_ref(message);
    bt_stream_put_ref(stream);
    bt_trace_put_ref(trace);
    bt_event_class_put_ref(events);
    bt_stream_class_put_ref(streams);
    bt_trace_class_put_ref(m.traces);
    return 0;
}
