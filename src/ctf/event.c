/* SPDX-License-Identifier: MIT */
/*
 * An event of CTF becomes one of EventHeader: the name of a tracepoint from its provider, level and
 * keyword, and the bytes of its record, in the byte order of this machine.
 */
#include "ctf/event.h"

#include "ctf/own.h"

#include <cairn/eventheader_abi.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PROVIDER_MAX_BYTES 199u

/* The parts of an event. Structures that it lacks are NULL. */
struct parts {
    const bt_event *event;
    const bt_event_class *class;
    const bt_trace *trace;
    const bt_field *packet_context;
    const bt_field *common_context;
    const bt_field *specific_context;
    const bt_field *payload;
};

static void put(struct cairn_bytes *to, const void *bytes, size_t size)
{
    perf_data_bytes_put(to, bytes, size);
}

static void put_u16(struct cairn_bytes *to, uint16_t value)
{
    put(to, &value, sizeof(value));
}

static struct parts parts_of(const struct ctf_library *bt, const bt_event *event)
{
    const bt_stream *stream = bt->bt_event_borrow_stream_const(event);
    bool has_packets =
        bt->bt_stream_class_supports_packets(bt->bt_stream_borrow_class_const(stream));

    return (struct parts){
        .event = event,
        .class = bt->bt_event_borrow_class_const(event),
        .trace = bt->bt_stream_borrow_trace_const(stream),
        .packet_context = has_packets ? bt->bt_packet_borrow_context_field_const(
                                            bt->bt_event_borrow_packet_const(event))
                                      : NULL,
        .common_context = bt->bt_event_borrow_common_context_field_const(event),
        .specific_context = bt->bt_event_borrow_specific_context_field_const(event),
        .payload = bt->bt_event_borrow_payload_field_const(event),
    };
}

/* ---- contexts ---- */

/* Finds a member of a structure. False: there is none. */
static bool find_member(const struct ctf_fields *fields, const bt_field *structure,
                        const char *name, const bt_field_class_structure_member **ret_member,
                        const bt_field **ret_field)
{
    const struct ctf_library *bt = fields->bt;

    if (!structure)
        return false;
    *ret_member = bt->bt_field_class_structure_borrow_member_by_name_const(
        bt->bt_field_borrow_class_const(structure), name);
    if (!*ret_member)
        return false;
    *ret_field = bt->bt_field_structure_borrow_member_field_by_name_const(structure, name);
    return true;
}

/* Takes a number of 32 bits; -1 means that it is unknown, and is taken, too. */
static bool take_number(struct ctf_fields *fields, const bt_field *structure, const char *name,
                        uint32_t *ret_number)
{
    const struct ctf_library *bt = fields->bt;
    const bt_field_class_structure_member *member;
    const bt_field *field;
    bt_field_class_type type;
    int64_t number;

    if (!find_member(fields, structure, name, &member, &field))
        return false;
    type = bt->bt_field_class_get_type(bt->bt_field_borrow_class_const(field));
    if (ctf_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
        number = (int64_t)bt->bt_field_integer_unsigned_get_value(field);
    else if (ctf_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER))
        number = bt->bt_field_integer_signed_get_value(field);
    else
        return false;
    if (number < -1 || number > UINT32_MAX)
        return false;
    ctf_fields_hide(fields, member);
    *ret_number = (uint32_t)number;
    return number != -1;
}

static void take_cpu(struct ctf_event *event, struct ctf_fields *fields, const struct parts *parts)
{
    event->has_cpu = take_number(fields, parts->packet_context, "cpu_id", &event->cpu) ||
                     take_number(fields, parts->common_context, "cpu_id", &event->cpu);
}

/* The process that a trace of a single one names. */
static bool find_process(const struct ctf_library *bt, const bt_trace *trace, uint32_t *ret_pid)
{
    const bt_value *value =
        bt->bt_trace_borrow_environment_entry_value_by_name_const(trace, "vpid");
    int64_t number;

    if (!value || bt->bt_value_get_type(value) != BT_VALUE_TYPE_SIGNED_INTEGER)
        return false;
    number = bt->bt_value_integer_signed_get(value);
    if (number < 0 || number > UINT32_MAX)
        return false;
    *ret_pid = (uint32_t)number;
    return true;
}

static const char *find_text(const struct ctf_library *bt, const bt_trace *trace, const char *name)
{
    const bt_value *value = bt->bt_trace_borrow_environment_entry_value_by_name_const(trace, name);

    return value && bt->bt_value_get_type(value) == BT_VALUE_TYPE_STRING
               ? bt->bt_value_string_get(value)
               : NULL;
}

static void take_thread(struct ctf_event *event, struct ctf_fields *fields,
                        const struct parts *parts)
{
    bool has_tid = take_number(fields, parts->common_context, "tid", &event->tid) ||
                   take_number(fields, parts->common_context, "vtid", &event->tid);
    bool has_pid = take_number(fields, parts->common_context, "pid", &event->pid) ||
                   take_number(fields, parts->common_context, "vpid", &event->pid) ||
                   find_process(fields->bt, parts->trace, &event->pid);

    if (!has_tid)
        event->tid = event->pid;
    if (!has_pid)
        event->pid = event->tid;
    event->has_thread = has_tid || has_pid;
}

static void take_comm(struct ctf_event *event, struct ctf_fields *fields, const struct parts *parts)
{
    const struct ctf_library *bt = fields->bt;
    const bt_field_class_structure_member *member;
    const bt_field *field;

    event->comm = NULL;
    if (!find_member(fields, parts->common_context, "procname", &member, &field)) {
        event->comm = find_text(bt, parts->trace, "procname");
    } else if (bt->bt_field_class_get_type(bt->bt_field_borrow_class_const(field)) ==
               BT_FIELD_CLASS_TYPE_STRING) {
        event->comm = bt->bt_field_string_get_value(field);
        ctf_fields_hide(fields, member);
    }
}

/* ---- time ---- */

/* Cycles of a clock in ns; saturated. */
static uint64_t in_ns(uint64_t cycles, uint64_t frequency)
{
    unsigned __int128 ns = (unsigned __int128)cycles * 1000000000u;

    ns /= frequency ? frequency : 1;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

static void set_time(struct ctf_event *event, const bt_message *message, bool by_origin)
{
    const struct ctf_library *bt = event->bt;
    const bt_clock_snapshot *snapshot;
    const bt_clock_class *clock;
    int64_t ns;

    event->has_time = event->has_wall = false;
    if (!bt->bt_message_event_borrow_stream_class_default_clock_class_const(message))
        return;
    snapshot = bt->bt_message_event_borrow_default_clock_snapshot_const(message);
    clock = bt->bt_clock_snapshot_borrow_clock_class_const(snapshot);
    event->time_ns =
        in_ns(bt->bt_clock_snapshot_get_value(snapshot), bt->bt_clock_class_get_frequency(clock));
    event->has_time = true;
    if (bt->bt_clock_snapshot_get_ns_from_origin(snapshot, &ns)) {
        bt->bt_current_thread_clear_error(); /* beyond 64 bits */
        return;
    }
    if (by_origin)
        event->time_ns = ns < 0 ? 0 : (uint64_t)ns;
    if (bt->bt_clock_class_origin_is_unix_epoch(clock) && ns >= 0) {
        event->has_wall = true;
        event->wall_ns = (uint64_t)ns;
    }
}

/* ---- names ---- */

/* CTF's levels are those of syslog up to 6, then of debugging. */
static uint8_t level_of(const struct ctf_library *bt, const bt_event_class *class)
{
    bt_event_class_log_level level;

    if (bt->bt_event_class_get_log_level(class, &level) != BT_PROPERTY_AVAILABILITY_AVAILABLE)
        return CAIRN_LEVEL_INFORMATION;
    if (level <= BT_EVENT_CLASS_LOG_LEVEL_CRITICAL)
        return CAIRN_LEVEL_CRITICAL_ERROR;
    if (level <= BT_EVENT_CLASS_LOG_LEVEL_INFO)
        return level == BT_EVENT_CLASS_LOG_LEVEL_ERROR     ? CAIRN_LEVEL_ERROR
               : level == BT_EVENT_CLASS_LOG_LEVEL_WARNING ? CAIRN_LEVEL_WARNING
                                                           : CAIRN_LEVEL_INFORMATION;
    return CAIRN_LEVEL_VERBOSE;
}

/* A provider's name as a part of a tracepoint's: other characters than these become underscores. */
static void put_provider(struct cairn_bytes *to, const char *name, size_t length)
{
    for (size_t i = 0; i < length && i < PROVIDER_MAX_BYTES; i++) {
        uint8_t c = (uint8_t)name[i];

        c = c > ' ' && c != ':' && c != ';' && c != 0x7f ? c : '_';
        put(to, &c, 1);
    }
}

/* "PROVIDER:EVENT" of the class; without a provider it is the tracer. */
static void make_name(struct ctf_event *event, const struct parts *parts,
                      const struct cairn_eventheader *header, uint64_t keyword,
                      const char **ret_event)
{
    const char *name = event->bt->bt_event_class_get_name(parts->class);
    const char *colon = name ? strchr(name, ':') : NULL;
    const char *tracer = find_text(event->bt, parts->trace, "tracer_name");
    char text[40];

    event->name.size = 0;
    if (colon && colon > name)
        put_provider(&event->name, name, (size_t)(colon - name));
    else if (tracer && *tracer)
        put_provider(&event->name, tracer, strlen(tracer));
    else
        put(&event->name, "ctf", 3);
    (void)snprintf(text, sizeof(text), "_L%xK%" PRIx64, header->level, keyword);
    put(&event->name, text, strlen(text) + 1);
    *ret_event = colon && colon[1] ? colon + 1 : name;
}

static void put_event_name(struct ctf_event *event, const struct parts *parts, const char *name)
{
    char number[40];

    if (!name || !*name) {
        (void)snprintf(number, sizeof(number), "Event%" PRIu64,
                       event->bt->bt_event_class_get_id(parts->class));
        name = number;
    }
    put(&event->definitions, name, strlen(name) + 1);
}

/* ---- records ---- */

static void put_activity(struct cairn_bytes *to, const struct ctf_own *own)
{
    if (!own->has_activity)
        return;
    put_u16(to, own->has_related ? 32 : 16);
    put_u16(to, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN);
    put(to, own->activity, 16);
    if (own->has_related)
        put(to, own->related, 16);
}

static void put_record(struct ctf_event *event, const struct ctf_own *own)
{
    struct cairn_bytes *to = &event->record;
    uint32_t tid = event->has_thread ? event->tid : 0;

    to->size = 0;
    perf_data_bytes_put_u32(to, 0); /* no id and no flags */
    perf_data_bytes_put_u32(to, tid);
    put(to, &own->header, sizeof(own->header));
    put_activity(to, own);
    put_u16(to, (uint16_t)event->definitions.size);
    put_u16(to, CAIRN_EXTENSION_METADATA);
    put(to, event->definitions.data, event->definitions.size);
    put(to, event->values.data, event->values.size);
}

static int first_error(const struct ctf_event *event, const struct ctf_fields *fields)
{
    const int errors[] = {event->definitions.error, event->values.error, event->name.error,
                          event->record.error};

    for (unsigned i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
        if (errors[i])
            return errors[i];
    }
    if (event->definitions.size > UINT16_MAX || event->values.size > UINT32_MAX / 2)
        return E2BIG;
    return fields->error;
}

static void add_fields(struct ctf_fields *fields, const struct parts *parts, bool is_own)
{
    ctf_fields_add_structure(fields, "packet_context", parts->packet_context);
    ctf_fields_add_structure(fields, "common_context", parts->common_context);
    if (!is_own)
        ctf_fields_add_structure(fields, "specific_context", parts->specific_context);
    ctf_fields_add_members(fields, parts->payload);
}

int ctf_event_convert(struct ctf_event *event, const bt_message *message, bool by_origin)
{
    struct parts parts =
        parts_of(event->bt, event->bt->bt_message_event_borrow_event_const(message));
    struct ctf_fields fields = {
        .bt = event->bt, .definitions = &event->definitions, .values = &event->values};
    struct ctf_own own = {.header = {.level = level_of(event->bt, parts.class)}};
    bool is_own = ctf_own_read(event->bt, parts.trace, parts.specific_context, &own);
    const char *name;

    own.header.flags = CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION;
    event->definitions.size = 0;
    event->values.size = 0;
    set_time(event, message, by_origin);
    take_cpu(event, &fields, &parts);
    take_thread(event, &fields, &parts);
    take_comm(event, &fields, &parts);
    make_name(event, &parts, &own.header, own.keyword, &name);
    put_event_name(event, &parts, name);
    add_fields(&fields, &parts, is_own);
    put_record(event, &own);
    return first_error(event, &fields);
}

void ctf_event_free(struct ctf_event *event)
{
    perf_data_bytes_free(&event->record);
    perf_data_bytes_free(&event->name);
    perf_data_bytes_free(&event->definitions);
    perf_data_bytes_free(&event->values);
}
