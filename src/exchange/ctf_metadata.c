/* SPDX-License-Identifier: MIT */
/* The metadata of a CTF 1.8 trace. */
#include "exchange/ctf_metadata.h"

#include "core/slice.h"
#include "export/number.h"

#include <string.h>

/* ---- types ---- */

enum exchange_ctf_type exchange_ctf_type_of(const struct decode_layout_field *field)
{
    bool is_word = field->extent == DECODE_LAYOUT_FIXED && field->unit_bytes <= 8;

    switch ((enum decode_value)field->value[DECODE_LAYOUT_DECLARED]) {
    case DECODE_VALUE_BOOLEAN: /* one of 32 bits is shown as signed if it is neither 0 nor 1 */
        return field->unit_bytes == 4 ? EXCHANGE_CTF_SIGNED : EXCHANGE_CTF_UNSIGNED;
    case DECODE_VALUE_UNSIGNED_INT:
        return is_word ? EXCHANGE_CTF_UNSIGNED : EXCHANGE_CTF_TEXT;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        return is_word ? EXCHANGE_CTF_SIGNED : EXCHANGE_CTF_TEXT;
    case DECODE_VALUE_HEX_INT:
        return is_word ? EXCHANGE_CTF_HEX : EXCHANGE_CTF_TEXT;
    case DECODE_VALUE_FLOAT:
        return is_word ? EXCHANGE_CTF_FLOAT : EXCHANGE_CTF_TEXT;
    case DECODE_VALUE_PORT:
        return EXCHANGE_CTF_PORT;
    case DECODE_VALUE_BYTES:
        return EXCHANGE_CTF_BYTES;
    default:
        return EXCHANGE_CTF_TEXT;
    }
}

static void put_number(struct export_print_output *out, uint64_t number)
{
    out->at = export_put_unsigned(export_output_reserve(out, 20), number);
}

static void put_integer(struct export_print_output *out, const char *sign, unsigned width)
{
    export_output_string(out, sign);
    put_number(out, width);
    export_output_string(out, "_t");
}

static void put_type(struct export_print_output *out, const struct decode_layout_field *field)
{
    unsigned width = field->unit_bytes * 8u;

    switch (exchange_ctf_type_of(field)) {
    case EXCHANGE_CTF_UNSIGNED:
        put_integer(out, "uint", width);
        break;
    case EXCHANGE_CTF_SIGNED:
        put_integer(out, "int", width);
        break;
    case EXCHANGE_CTF_HEX:
        put_integer(out, "hex", width);
        break;
    case EXCHANGE_CTF_FLOAT:
        put_integer(out, "real", width);
        break;
    case EXCHANGE_CTF_PORT:
        export_output_string(out, "uint16_t");
        break;
    case EXCHANGE_CTF_BYTES: /* of an array; a single one is an array itself */
        export_output_string(out, "struct { uint32_t _length; hex8_t _data[_length]; }");
        break;
    case EXCHANGE_CTF_TEXT:
        export_output_string(out, "string");
        break;
    }
}

/* ---- names ---- */

/* The names of one struct, each with a NUL after it; also as libbabeltrace2 compares them with
 * those that follow: without their underline. */
struct ctf_names {
    struct export_print_output text;
};

static bool has_name(const struct ctf_names *names, const char *name)
{
    const char *at = names->text.begin;

    while (at < names->text.at && strcmp(at, name) != 0)
        at += strlen(at) + 1;
    return at < names->text.at;
}

static void add_name(struct ctf_names *names, const char *name)
{
    export_output_string(&names->text, name);
    export_output_byte(&names->text, 0);
}

/* Longer names are cut. */
#define NAME_BYTES 256u

/* "_name": readers remove the underline; it makes a keyword an identifier. */
static bool make_identifier(struct cairn_slice name, char identifier[NAME_BYTES])
{
    uint32_t length = name.length;
    bool is_same = length != 0;

    if (length > NAME_BYTES - 32) {
        length = NAME_BYTES - 32;
        is_same = false;
    }
    identifier[0] = '_';
    for (uint32_t n = 0; n < length; n++) {
        bool is_word = core_is_word_byte(name.text[n]);

        identifier[n + 1] = is_word ? name.text[n] : '_';
        is_same &= is_word;
    }
    identifier[length + 1] = 0;
    return is_same;
}

/* Makes an identifier that no other field of the struct has, nor the length of an array. */
static void choose_name(struct cairn_exporter *exporter, struct ctf_names *names,
                        struct cairn_slice name, uint32_t field, bool has_length,
                        char identifier[NAME_BYTES])
{
    bool is_same = make_identifier(decode_name_without_attributes(name), identifier);
    size_t length = strlen(identifier);
    char length_name[NAME_BYTES + 16];
    uint64_t number = 2;

    for (;;) {
        *stpcpy(stpcpy(stpcpy(length_name, "_"), identifier), "_length") = 0;
        if (!has_name(names, identifier) && !has_name(names, length_name))
            break;
        identifier[length] = '_';
        *export_put_unsigned(identifier + length + 1, number) = 0;
        number = exchange_next_number(number, field);
        is_same = false;
    }
    if (!is_same)
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
    add_name(names, identifier);
    add_name(names, identifier + 1);
    add_name(names, length_name);
    if (has_length)
        add_name(names, length_name + 1);
}

/* ---- fields ---- */

static void put_indent(struct export_print_output *out, unsigned depth)
{
    while (depth--)
        export_output_byte(out, '\t');
}

/* "name;" or "name[_name_length];" */
static void put_name(struct export_print_output *out, const char *identifier, bool is_array)
{
    export_output_byte(out, ' ');
    export_output_string(out, identifier);
    if (is_array) {
        export_output_string(out, "[_");
        export_output_string(out, identifier);
        export_output_string(out, "_length]");
    }
    export_output_string(out, ";\n");
}

bool exchange_ctf_is_sequence(const struct decode_layout_field *field)
{
    return field->array != DECODE_LAYOUT_SINGLE ||
           (field->kind == DECODE_LAYOUT_VALUE &&
            exchange_ctf_type_of(field) == EXCHANGE_CTF_BYTES);
}

static void put_fields(struct cairn_exporter *exporter, struct export_print_output *out,
                       const struct decode_layout *layout, uint32_t first, uint32_t end,
                       unsigned depth);

static void put_field(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct decode_layout *layout, uint32_t index, struct ctf_names *names,
                      unsigned depth)
{
    const struct decode_layout_field *field = &layout->fields[index];
    bool has_length = exchange_ctf_is_sequence(field);
    char identifier[NAME_BYTES];

    choose_name(exporter, names, field->item.name, index, has_length, identifier);
    put_indent(out, depth);
    if (has_length) {
        export_output_string(out, "uint32_t _");
        export_output_string(out, identifier);
        export_output_string(out, "_length; ");
    }
    if (field->kind == DECODE_LAYOUT_STRUCT) {
        export_output_string(out, "struct {\n");
        put_fields(exporter, out, layout, index + 1, field->end, depth + 1);
        put_indent(out, depth);
        export_output_byte(out, '}');
    } else if (has_length && field->array == DECODE_LAYOUT_SINGLE) {
        export_output_string(out, "hex8_t");
    } else {
        put_type(out, field);
    }
    put_name(out, identifier, has_length);
}

static void put_fields(struct cairn_exporter *exporter, struct export_print_output *out,
                       const struct decode_layout *layout, uint32_t first, uint32_t end,
                       unsigned depth)
{
    struct ctf_names names;
    int err = export_output_open(&names.text, -1);

    if (err)
        export_output_fail(out, err);
    for (uint32_t n = first; n < end && !err;) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        put_field(exporter, out, layout, n, &names, depth);
        n = field->kind == DECODE_LAYOUT_STRUCT ? field->end : n + 1;
    }
    if (!err && names.text.error)
        export_output_fail(out, names.text.error);
    export_output_close(&names.text);
}

/* ---- the head ---- */

/* A string literal. */
static void put_literal(struct export_print_output *out, const char *text, size_t length)
{
    export_output_byte(out, '"');
    for (size_t n = 0; n < length; n++) {
        uint8_t c = (uint8_t)text[n];

        if (c == '"' || c == '\\')
            export_output_byte(out, '\\');
        if (c >= 0x20 && c != 0x7f) {
            export_output_byte(out, (char)c);
            continue;
        }
        export_output_byte(out, '\\');
        export_output_byte(out, (char)('0' + (c >> 6)));
        export_output_byte(out, (char)('0' + (c >> 3 & 7)));
        export_output_byte(out, (char)('0' + (c & 7)));
    }
    export_output_byte(out, '"');
}

static void put_integer_alias(struct export_print_output *out, const char *name, const char *rest,
                              unsigned width)
{
    export_output_string(out, "typealias integer { size = ");
    put_number(out, width);
    export_output_string(out, "; align = 8; ");
    export_output_string(out, rest);
    export_output_string(out, " } := ");
    put_integer(out, name, width);
    export_output_string(out, ";\n");
}

static void put_aliases(struct export_print_output *out)
{
    for (unsigned width = 8; width <= 64; width *= 2) {
        put_integer_alias(out, "uint", "signed = false;", width);
        put_integer_alias(out, "int", "signed = true;", width);
        put_integer_alias(out, "hex", "signed = false; base = 16;", width);
    }
    export_output_string(
        out, "typealias floating_point { exp_dig = 8; mant_dig = 24; align = 8; } := real32_t;\n"
             "typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := real64_t;\n"
             "typealias integer { size = 64; align = 8; signed = false; map = clock.cairn.value; }"
             " := ns_time_t;\n\n");
}

static const char trace_text[] = "trace {\n"
                                 "\tmajor = 1;\n"
                                 "\tminor = 8;\n"
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
                                 "\tbyte_order = le;\n"
#else
                                 "\tbyte_order = be;\n"
#endif
                                 "\tpacket.header := struct {\n"
                                 "\t\tuint32_t magic;\n"
                                 "\t\tuint32_t stream_id;\n"
                                 "\t};\n"
                                 "};\n\n";

/* After the id of the stream. */
static const char stream_text[] = ";\n"
                                  "\tpacket.context := struct {\n"
                                  "\t\tns_time_t timestamp_begin;\n"
                                  "\t\tns_time_t timestamp_end;\n"
                                  "\t\tuint64_t content_size;\n"
                                  "\t\tuint64_t packet_size;\n"
                                  "\t\tuint64_t events_discarded;\n"
                                  "\t};\n"
                                  "\tevent.header := struct {\n"
                                  "\t\tuint32_t id;\n"
                                  "\t\tns_time_t timestamp;\n"
                                  "\t};\n"
                                  "\tevent.context := struct {\n"
                                  "\t\tint32_t _cpu_id;\n"
                                  "\t\tint32_t _vpid;\n"
                                  "\t\tint32_t _vtid;\n"
                                  "\t\tstring _procname;\n";

#define STACK_OF(type, name) \
    "\t\tuint32_t __" name "_length; " type " _" name "[__" name "_length];\n"

/* The first two as LTTng names them. */
static const char stack_text[] = STACK_OF("hex64_t", "callstack_user")
    STACK_OF("hex64_t", "callstack_kernel") STACK_OF("string", "callstack_symbols");

static const char stream_end[] = "\t};\n"
                                 "};\n\n";

static void put_stream(struct export_print_output *out, enum exchange_ctf_stream stream)
{
    export_output_string(out, "stream {\n\tid = ");
    put_number(out, stream);
    export_output_string(out, stream_text);
    if (stream == EXCHANGE_CTF_STACKS)
        export_output_string(out, stack_text);
    export_output_string(out, stream_end);
}

static void put_stack_stream(struct export_print_output *out)
{
    put_stream(out, EXCHANGE_CTF_STACKS);
}

static const char damaged_text[] = "event {\n"
                                   "\tname = \"cairn:damaged\";\n"
                                   "\tid = 0;\n"
                                   "\tstream_id = 0;\n"
                                   "\tfields := struct {\n"
                                   "\t\tstring _event;\n"
                                   "\t\tstring _error;\n"
                                   "\t\tuint32_t __data_length; hex8_t _data[__data_length];\n"
                                   "\t};\n"
                                   "};\n\n";

static void put_head(struct export_print_output *out, const char *hostname, bool has_wall)
{
    export_output_string(out, "/* CTF 1.8 */\n\n");
    put_aliases(out);
    export_output_string(out, trace_text);
    export_output_string(out, "env {\n\ttracer_name = \"cairn\";\n");
    if (hostname) {
        export_output_string(out, "\thostname = ");
        put_literal(out, hostname, strlen(hostname));
        export_output_string(out, ";\n");
    }
    export_output_string(out, "};\n\n"
                              "clock {\n"
                              "\tname = \"cairn\";\n"
                              "\tdescription = \"ns since 1970, or of the recording's clock\";\n"
                              "\tfreq = 1000000000;\n"
                              "\toffset = 0;\n");
    if (has_wall) /* readers print it as the time of day, and merge it with other traces */
        export_output_string(out, "\tabsolute = true;\n");
    export_output_string(out, "};\n\n");
    put_stream(out, EXCHANGE_CTF_PLAIN);
    export_output_string(out, damaged_text);
}

/* ---- classes ---- */

static const char eventheader_text[] = "\tcontext := struct {\n"
                                       "\t\thex64_t _keyword;\n"
                                       "\t\tuint16_t _id;\n"
                                       "\t\tuint16_t _tag;\n"
                                       "\t\tuint8_t _level;\n"
                                       "\t\tuint8_t _opcode;\n"
                                       "\t\tuint8_t _version;\n"
                                       "\t\tstring _activity;\n"
                                       "\t\tstring _related_activity;\n"
                                       "\t};\n";

/* CTF's levels are those of syslog up to 6; 14 is debug. */
static unsigned loglevel_of(uint8_t level)
{
    static const uint8_t levels[] = {14, 2, 3, 4, 6, 14};

    return level < sizeof(levels) ? levels[level] : 14;
}

static void put_class(struct cairn_exporter *exporter, struct export_print_output *out,
                      const struct decode_layout *layout, uint32_t id,
                      enum exchange_ctf_stream stream)
{
    struct export_print_output *name = &exporter->text;

    name->at = name->begin;
    exchange_put_event_name(exporter, name, &layout->type);
    export_output_string(out, "event {\n\tname = ");
    put_literal(out, name->begin, (size_t)(name->at - name->begin));
    export_output_string(out, ";\n\tid = ");
    put_number(out, id);
    export_output_string(out, ";\n\tstream_id = ");
    put_number(out, stream);
    export_output_string(out, ";\n");
    if (layout->type.is_eventheader) {
        export_output_string(out, "\tloglevel = ");
        put_number(out, loglevel_of(layout->type.level));
        export_output_string(out, ";\n");
        export_output_string(out, eventheader_text);
    }
    export_output_string(out, "\tfields := struct {\n");
    put_fields(exporter, out, layout, 0, layout->field_count, 2);
    export_output_string(out, "\t};\n};\n\n");
}

const struct exchange_ctf_metadata exchange_ctf1_metadata = {put_head, put_stack_stream, put_class};
