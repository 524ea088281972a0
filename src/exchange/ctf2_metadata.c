/* SPDX-License-Identifier: MIT */
/*
 * The metadata of a CTF 2 trace: a sequence of JSON texts, each after a byte 0x1e. The data are
 * those of CTF 1.8. Names of fields are any text.
 */
#include "exchange/ctf_metadata.h"
#include "exchange/json.h"

#include <string.h>

#define BEGIN "\x1e"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER "\"byte-order\":\"little-endian\""
#else
#define ORDER "\"byte-order\":\"big-endian\""
#endif

#define NUMBER(kind, bits) \
    "{\"type\":\"fixed-length-" kind "\",\"length\":" bits ",\"alignment\":8," ORDER
#define UNSIGNED(bits)   NUMBER("unsigned-integer", bits) "}"
#define SIGNED(bits)     NUMBER("signed-integer", bits) "}"
#define HEX(bits)        NUMBER("unsigned-integer", bits) ",\"preferred-display-base\":16}"
#define ROLE(bits, role) NUMBER("unsigned-integer", bits) ",\"roles\":[\"" role "\"]}"
#define STRING           "{\"type\":\"null-terminated-string\"}"
#define ARRAY            "{\"type\":\"dynamic-length-array\",\"length-field-location\":{\"path\":["
#define EVENT_CLASS      BEGIN "{\"type\":\"event-record-class\",\"data-stream-class-id\":"

/* A member of a struct that is always the same: its name, and the class of its value. */
struct ctf2_member {
    const char *name;
    const char *class;
};

static const struct ctf2_member packet_header[] = {
    {"magic", ROLE("32", "packet-magic-number")},
    {"stream_id", ROLE("32", "data-stream-class-id")},
};

static const struct ctf2_member packet_context[] = {
    {"timestamp_begin", ROLE("64", "default-clock-timestamp")},
    {"timestamp_end", ROLE("64", "packet-end-default-clock-timestamp")},
    {"content_size", ROLE("64", "packet-content-length")},
    {"packet_size", ROLE("64", "packet-total-length")},
    {"events_discarded", ROLE("64", "discarded-event-record-counter-snapshot")},
};

static const struct ctf2_member event_header[] = {
    {"id", ROLE("32", "event-record-class-id")},
    {"timestamp", ROLE("64", "default-clock-timestamp")},
};

#define CONTEXT                                                               \
    {"cpu_id", SIGNED("32")}, {"vpid", SIGNED("32")}, {"vtid", SIGNED("32")}, \
    {                                                                         \
        "procname", STRING                                                    \
    }

static const struct ctf2_member event_context[] = {CONTEXT};

#define STACK_OF(name, element)                                                  \
    {name "_length", UNSIGNED("32")},                                            \
    {                                                                            \
        name, ARRAY "\"" name "_length\"]},\"element-field-class\":" element "}" \
    }

/* The first two as LTTng names them. */
static const struct ctf2_member stack_context[] = {
    CONTEXT,
    STACK_OF("callstack_user", HEX("64")),
    STACK_OF("callstack_kernel", HEX("64")),
    STACK_OF("callstack_symbols", STRING),
};

static const struct ctf2_member eventheader_context[] = {
    {"keyword", HEX("64")},   {"id", UNSIGNED("16")},       {"tag", UNSIGNED("16")},
    {"level", UNSIGNED("8")}, {"opcode", UNSIGNED("8")},    {"version", UNSIGNED("8")},
    {"activity", STRING},     {"related_activity", STRING},
};

static const struct ctf2_member damaged_fields[] = {
    {"event", STRING},
    {"error", STRING},
    {"data_length", UNSIGNED("32")},
    {"data", ARRAY "\"data_length\"]},\"element-field-class\":" HEX("8") "}"},
};

/* Bytes that are an element of an array. */
static const struct ctf2_member bytes_members[] = {
    {"length", UNSIGNED("32")},
    {"data", ARRAY "\"length\"]},\"element-field-class\":" HEX("8") "}"},
};

#define PUT_STRUCT(out, members) put_members(out, members, sizeof(members) / sizeof(*(members)))

static void put_member_name(struct export_print_output *out, const char *name)
{
    export_output_string(out, "{\"name\":");
    exchange_json_string(out, name);
    export_output_string(out, ",\"field-class\":");
}

static void put_members(struct export_print_output *out, const struct ctf2_member *members,
                        size_t count)
{
    export_output_string(out, "{\"type\":\"structure\",\"member-classes\":[");
    for (size_t n = 0; n < count; n++) {
        if (n)
            export_output_byte(out, ',');
        put_member_name(out, members[n].name);
        export_output_string(out, members[n].class);
        export_output_byte(out, '}');
    }
    export_output_string(out, "]}");
}

/* ---- names ---- */

/* The names of one struct, each with a NUL after it. */
struct names {
    struct export_print_output text;
};

/* True if a name is in the list, before the position `end`. */
static bool has_name(const struct names *names, size_t end, const char *name)
{
    size_t at = 0;

    while (at < end && strcmp(names->text.begin + at, name) != 0)
        at += strlen(names->text.begin + at) + 1;
    return at < end;
}

/* Adds the text from a position on again. First there is space for it: it moves when the output
 * grows. */
static void repeat_text(struct export_print_output *text, size_t begin)
{
    size_t length = strlen(text->begin + begin);

    while (!text->error && (size_t)(text->end - text->at) < length)
        export_output_make_room(text);
    if (!text->error)
        export_output_bytes(text, text->begin + begin, length);
}

/* Adds a name that no other field of the struct has, nor the length of an array. Returns its
 * position in the list; that of the length's name, if it has a length, is after it. */
static size_t choose_name(struct cairn_exporter *exporter, struct names *names,
                          struct cairn_slice name, uint32_t field, bool has_length)
{
    struct export_print_output *text = &names->text;
    size_t begin = (size_t)(text->at - text->begin);

    for (uint64_t number = 1; !text->error; number = exchange_next_number(number, field)) {
        size_t length_at;

        exchange_put_text(exporter, text, decode_name_without_attributes(name));
        if (number > 1) {
            export_output_byte(text, '_');
            exchange_json_number(text, number);
        }
        export_output_byte(text, 0);
        length_at = (size_t)(text->at - text->begin);
        if (has_length && !text->error) {
            repeat_text(text, begin);
            export_output_string(text, "_length");
            export_output_byte(text, 0);
        }
        if (text->error || (!has_name(names, begin, text->begin + begin) &&
                            (!has_length || !has_name(names, begin, text->begin + length_at)))) {
            if (number > 1)
                exchange_note(exporter, CAIRN_EXPORTER_NAMES);
            break;
        }
        text->at = text->begin + begin;
    }
    return begin;
}

/* ---- classes of fields ---- */

static void put_number_class(struct export_print_output *out, const char *kind, unsigned bits,
                             bool is_hex)
{
    export_output_string(out, "{\"type\":\"fixed-length-");
    export_output_string(out, kind);
    export_output_string(out, "\",\"length\":");
    exchange_json_number(out, bits);
    export_output_string(out, ",\"alignment\":8," ORDER);
    if (is_hex)
        export_output_string(out, ",\"preferred-display-base\":16");
    export_output_byte(out, '}');
}

static void put_value_class(struct export_print_output *out,
                            const struct decode_layout_field *field)
{
    unsigned bits = field->unit_bytes * 8u;

    switch (exchange_ctf_type_of(field)) {
    case EXCHANGE_CTF_UNSIGNED:
        put_number_class(out, "unsigned-integer", bits, false);
        break;
    case EXCHANGE_CTF_SIGNED:
        put_number_class(out, "signed-integer", bits, false);
        break;
    case EXCHANGE_CTF_HEX:
        put_number_class(out, "unsigned-integer", bits, true);
        break;
    case EXCHANGE_CTF_FLOAT:
        put_number_class(out, "floating-point-number", bits, false);
        break;
    case EXCHANGE_CTF_PORT:
        put_number_class(out, "unsigned-integer", 16, false);
        break;
    case EXCHANGE_CTF_BYTES: /* of an array; a single one is an array itself */
        PUT_STRUCT(out, bytes_members);
        break;
    case EXCHANGE_CTF_TEXT:
        export_output_string(out, STRING);
        break;
    }
}

static void put_struct(struct cairn_exporter *exporter, struct export_print_output *out,
                       const struct decode_layout *layout, uint32_t first, uint32_t end);

/* The class of a field, or of the elements of an array. */
static void put_class(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct decode_layout *layout, uint32_t index)
{
    const struct decode_layout_field *field = &layout->fields[index];

    if (field->kind == DECODE_LAYOUT_STRUCT)
        put_struct(exporter, out, layout, index + 1, field->end);
    else if (field->array == DECODE_LAYOUT_SINGLE &&
             exchange_ctf_type_of(field) == EXCHANGE_CTF_BYTES)
        export_output_string(out, HEX("8"));
    else
        put_value_class(out, field);
}

static void put_field(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct decode_layout *layout, uint32_t index, struct names *names)
{
    const struct decode_layout_field *field = &layout->fields[index];
    bool has_length = exchange_ctf_is_sequence(field);
    size_t at = choose_name(exporter, names, field->item.name, index, has_length);
    const char *name = names->text.begin + at;
    const char *length = name + strlen(name) + 1;

    if (names->text.error)
        return;
    if (!has_length) {
        put_member_name(out, name);
        put_class(exporter, out, layout, index);
        export_output_byte(out, '}');
        return;
    }
    put_member_name(out, length);
    export_output_string(out, UNSIGNED("32") "},");
    put_member_name(out, name);
    export_output_string(out, ARRAY);
    exchange_json_string(out, length);
    export_output_string(out, "]},\"element-field-class\":");
    put_class(exporter, out, layout, index);
    export_output_string(out, "}}");
}

static void put_struct(struct cairn_exporter *exporter, struct export_print_output *out,
                       const struct decode_layout *layout, uint32_t first, uint32_t end)
{
    struct names names;
    int err = export_output_open(&names.text, -1);

    if (err)
        export_output_fail(out, err);
    export_output_string(out, "{\"type\":\"structure\",\"member-classes\":[");
    for (uint32_t n = first; n < end && !err;) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        if (n != first)
            export_output_byte(out, ',');
        put_field(exporter, out, layout, n, &names);
        n = field->kind == DECODE_LAYOUT_STRUCT ? field->end : n + 1;
    }
    export_output_string(out, "]}");
    if (!err && names.text.error)
        export_output_fail(out, names.text.error);
    export_output_close(&names.text);
}

/* ---- the head ---- */

static void put_trace(struct export_print_output *out, const char *hostname)
{
    export_output_string(out, BEGIN
                         "{\"type\":\"trace-class\",\"environment\":{\"tracer_name\":\"cairn\"");
    if (hostname) {
        export_output_string(out, ",\"hostname\":");
        exchange_json_string(out, hostname);
    }
    export_output_string(out, "},\"packet-header-field-class\":");
    PUT_STRUCT(out, packet_header);
    export_output_string(out, "}\n");
}

static void put_stream(struct export_print_output *out, enum exchange_ctf_stream stream)
{
    export_output_string(out, BEGIN "{\"type\":\"data-stream-class\",\"id\":");
    exchange_json_number(out, stream);
    export_output_string(out, ",\"default-clock-class-id\":\"cairn\","
                              "\"packet-context-field-class\":");
    PUT_STRUCT(out, packet_context);
    export_output_string(out, ",\"event-record-header-field-class\":");
    PUT_STRUCT(out, event_header);
    export_output_string(out, ",\"event-record-common-context-field-class\":");
    if (stream == EXCHANGE_CTF_STACKS)
        PUT_STRUCT(out, stack_context);
    else
        PUT_STRUCT(out, event_context);
    export_output_string(out, "}\n");
}

static void put_stack_stream(struct export_print_output *out)
{
    put_stream(out, EXCHANGE_CTF_STACKS);
}

static void put_head(struct export_print_output *out, const char *hostname, bool has_wall)
{
    export_output_string(out, BEGIN "{\"type\":\"preamble\",\"version\":2}\n");
    export_output_string(out, BEGIN "{\"type\":\"clock-class\",\"id\":\"cairn\","
                                    "\"name\":\"cairn\",\"frequency\":1000000000,");
    if (has_wall) /* readers print it as the time of day, and merge it with other traces */
        export_output_string(out, "\"origin\":\"unix-epoch\",");
    export_output_string(out, "\"description\":\"ns since 1970, or of the recording's clock\"}\n");
    put_trace(out, hostname);
    put_stream(out, EXCHANGE_CTF_PLAIN);
    export_output_string(out, EVENT_CLASS "0,\"id\":0,\"name\":\"cairn:damaged\","
                                          "\"payload-field-class\":");
    PUT_STRUCT(out, damaged_fields);
    export_output_string(out, "}\n");
}

/* ---- classes of events ---- */

/* Babeltrace's names of levels. */
static const char *loglevel_of(uint8_t level)
{
    static const char *const levels[] = {"debug", "critical", "error", "warning", "info", "debug"};

    return level < sizeof(levels) / sizeof(*levels) ? levels[level] : "debug";
}

static void put_event_class(struct cairn_exporter *exporter, struct export_print_output *out,
                            const struct decode_layout *layout, uint32_t id,
                            enum exchange_ctf_stream stream)
{
    struct export_print_output *name = &exporter->text;

    name->at = name->begin;
    exchange_put_event_name(exporter, name, &layout->type);
    export_output_string(out, EVENT_CLASS);
    exchange_json_number(out, stream);
    export_output_string(out, ",\"id\":");
    exchange_json_number(out, id);
    export_output_string(out, ",\"name\":");
    exchange_json_text(out, (struct cairn_slice){name->begin, (uint32_t)(name->at - name->begin)});
    if (layout->type.is_eventheader) {
        export_output_string(out, ",\"attributes\":{\"babeltrace.org,2020\":{\"log-level\":\"");
        export_output_string(out, loglevel_of(layout->type.level));
        export_output_string(out, "\"}},\"specific-context-field-class\":");
        PUT_STRUCT(out, eventheader_context);
    }
    export_output_string(out, ",\"payload-field-class\":");
    put_struct(exporter, out, layout, 0, layout->field_count);
    export_output_string(out, "}\n");
}

const struct exchange_ctf_metadata exchange_ctf2_metadata = {put_head, put_stack_stream,
                                                             put_event_class};
