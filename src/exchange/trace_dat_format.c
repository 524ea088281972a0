/* SPDX-License-Identifier: MIT */
/* The descriptions of events in a trace.dat. */
#include "exchange/trace_dat.h"

#include "core/slice.h"
#include "exchange/text.h"
#include "export/number.h"

#include <stdlib.h>
#include <string.h>

/* Longer names are cut. */
#define NAME_BYTES 256u

/* The fields that all events have: of a description that is made here. */
static const char common_fields[] =
    "format:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

/* Fields of EventHeader events in addition. */
static const struct {
    const char *declaration;
    const char *name;
    uint32_t size_bytes;
    const char *printed;
} header_fields[] = {
    {"unsigned char ", "cairn_level", 1, "%u"},
    {"unsigned char ", "cairn_opcode", 1, "%u"},
    {"unsigned long long ", "cairn_keyword", 8, "0x%llx"},
    {"__data_loc char[] ", "cairn_activity", 4, NULL},
    {"__data_loc char[] ", "cairn_related_activity", 4, NULL},
};

/* ---- fields ---- */

uint32_t exchange_dat_next(const struct decode_layout *layout, uint32_t field)
{
    const struct decode_layout_field *at = &layout->fields[field];

    return at->kind == DECODE_LAYOUT_STRUCT ? at->end : field + 1;
}

static bool is_integer(const struct decode_layout_field *field)
{
    uint32_t size = field->unit_bytes;

    return field->kind == DECODE_LAYOUT_VALUE && field->array == DECODE_LAYOUT_SINGLE &&
           field->extent == DECODE_LAYOUT_FIXED &&
           (size == 1 || size == 2 || size == 4 || size == 8);
}

enum exchange_dat_store exchange_dat_store_of(const struct decode_layout_field *field)
{
    if (!is_integer(field))
        return EXCHANGE_DAT_TEXT;
    switch (field->value[DECODE_LAYOUT_DECLARED]) {
    case DECODE_VALUE_UNSIGNED_INT:
    case DECODE_VALUE_BOOLEAN:
        return EXCHANGE_DAT_UNSIGNED;
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
        return EXCHANGE_DAT_SIGNED;
    case DECODE_VALUE_HEX_INT:
        return EXCHANGE_DAT_HEX;
    case DECODE_VALUE_PORT:
        return EXCHANGE_DAT_PORT;
    default:
        return EXCHANGE_DAT_TEXT;
    }
}

/* trace-cmd extends no sign of shorter numbers. */
uint32_t exchange_dat_store_bytes(const struct decode_layout_field *field)
{
    enum exchange_dat_store store = exchange_dat_store_of(field);

    if (store == EXCHANGE_DAT_SIGNED)
        return field->unit_bytes < 4 ? 4 : field->unit_bytes;
    return store == EXCHANGE_DAT_TEXT ? 4 : field->unit_bytes;
}

/* ---- names ---- */

static void add_number(struct export_print_output *out, uint64_t number)
{
    out->at = export_put_unsigned(export_output_reserve(out, 20), number);
}

/* Makes an identifier of C. Returns whether it is the name. */
static bool make_identifier(struct cairn_slice name, char identifier[NAME_BYTES])
{
    uint32_t length = name.length < NAME_BYTES - 32 ? name.length : NAME_BYTES - 32;
    bool is_same = length && length == name.length;
    char *to = identifier;

    if (!length || (name.text[0] >= '0' && name.text[0] <= '9')) {
        *to++ = '_';
        is_same = false;
    }
    for (uint32_t n = 0; n < length; n++) {
        bool is_word = core_is_word_byte(name.text[n]);

        *to++ = is_word ? name.text[n] : '_';
        is_same &= is_word;
    }
    *to = 0;
    return is_same;
}

/* True if a text has " NAME;", as a field of a description has. */
static bool has_field(const struct export_print_output *out, const char *name)
{
    char wanted[NAME_BYTES + 2];
    size_t length = strlen(name);

    wanted[0] = ' ';
    memcpy(wanted + 1, name, length);
    wanted[length + 1] = ';';
    return memmem(out->begin, (size_t)(out->at - out->begin), wanted, length + 2) != NULL;
}

static void choose_name(struct cairn_exporter *exporter, const struct export_print_output *out,
                        struct cairn_slice name, uint32_t field, char identifier[NAME_BYTES])
{
    bool is_same = make_identifier(name, identifier);
    size_t length = strlen(identifier);

    for (uint64_t n = 2; has_field(out, identifier); n = exchange_next_number(n, field)) {
        char *end = export_put_unsigned(identifier + length, n);

        *end = 0;
        is_same = false;
    }
    if (!is_same)
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
}

/* ---- descriptions that are made ---- */

static const char *type_of(const struct decode_layout_field *field)
{
    static const char *const types[2][9] = {
        {[1] = "unsigned char ",
         [2] = "unsigned short ",
         [4] = "unsigned int ",
         [8] = "unsigned long long "},
        {[4] = "int ", [8] = "long long "},
    };
    enum exchange_dat_store store = exchange_dat_store_of(field);

    return store == EXCHANGE_DAT_TEXT
               ? "__data_loc char[] "
               : types[store == EXCHANGE_DAT_SIGNED][exchange_dat_store_bytes(field)];
}

/* NULL: a string. */
static const char *print_of(const struct decode_layout_field *field)
{
    bool is_long = field->unit_bytes == 8;

    switch (exchange_dat_store_of(field)) {
    case EXCHANGE_DAT_SIGNED:
        return is_long ? "%lld" : "%d";
    case EXCHANGE_DAT_HEX:
        return is_long ? "0x%llx" : "0x%x";
    case EXCHANGE_DAT_TEXT:
        return NULL;
    default:
        return is_long ? "%llu" : "%u";
    }
}

/* A description: its fields, what it prints, and the arguments of that. */
struct dat_description {
    struct export_print_output *out;
    struct export_print_output *format; /* in memory */
    struct export_print_output *arguments;
    uint32_t offset;
};

static void add_field(struct dat_description *description, const char *type, const char *name,
                      uint32_t size_bytes, bool is_signed, const char *printed)
{
    struct export_print_output *out = description->out;
    struct export_print_output *format = description->format;

    export_output_string(out, "\tfield:");
    export_output_string(out, type);
    export_output_string(out, name);
    export_output_string(out, ";\toffset:");
    add_number(out, description->offset);
    export_output_string(out, ";\tsize:");
    add_number(out, size_bytes);
    export_output_string(out, is_signed ? ";\tsigned:1;\n" : ";\tsigned:0;\n");
    description->offset += size_bytes;
    if (format->at != format->begin)
        export_output_byte(format, ' ');
    export_output_string(format, name);
    export_output_byte(format, '=');
    export_output_string(format, printed ? printed : "%s");
    export_output_string(description->arguments, printed ? ", REC->" : ", __get_str(");
    export_output_string(description->arguments, name);
    if (!printed)
        export_output_byte(description->arguments, ')');
}

static void add_fields(struct cairn_exporter *exporter, const struct decode_layout *layout,
                       struct dat_description *description)
{
    char name[NAME_BYTES];

    for (uint32_t n = 0; n < layout->field_count; n = exchange_dat_next(layout, n)) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        choose_name(exporter, description->out, decode_name_without_attributes(field->item.name), n,
                    name);
        add_field(description, type_of(field), name, exchange_dat_store_bytes(field),
                  exchange_dat_store_of(field) == EXCHANGE_DAT_SIGNED, print_of(field));
    }
    for (uint32_t n = 0;
         layout->type.is_eventheader && n < sizeof(header_fields) / sizeof(*header_fields); n++) {
        const char *own = header_fields[n].name;

        choose_name(exporter, description->out, (struct cairn_slice){own, (uint32_t)strlen(own)},
                    layout->field_count + n, name);
        add_field(description, header_fields[n].declaration, name, header_fields[n].size_bytes,
                  false, header_fields[n].printed);
    }
}

static void put_name(struct cairn_exporter *exporter, struct export_print_output *out,
                     struct cairn_slice name)
{
    char identifier[NAME_BYTES];

    if (!make_identifier(name, identifier))
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
    export_output_string(out, identifier);
}

static void put_head(struct cairn_exporter *exporter, struct export_print_output *out,
                     struct cairn_slice name, uint16_t id)
{
    export_output_string(out, "name: ");
    put_name(exporter, out, name);
    export_output_string(out, "\nID: ");
    add_number(out, id);
    export_output_byte(out, '\n');
}

static void put_made(struct cairn_exporter *exporter, struct export_print_output *out,
                     const struct decode_layout *layout, uint16_t id)
{
    struct export_print_output format;
    struct export_print_output arguments = {.fd = -1};
    struct dat_description description = {out, &format, &arguments, EXCHANGE_DAT_COMMON_BYTES};
    int err = export_output_open(&format, -1);

    if (!err)
        err = export_output_open(&arguments, -1);
    if (!err) {
        put_head(exporter, out, layout->type.name, id);
        export_output_string(out, common_fields);
        add_fields(exporter, layout, &description);
        export_output_string(out, "\nprint fmt: \"");
        export_output_bytes(out, format.begin, (size_t)(format.at - format.begin));
        export_output_byte(out, '"');
        export_output_bytes(out, arguments.begin, (size_t)(arguments.at - arguments.begin));
        export_output_byte(out, '\n');
        err = format.error ? format.error : arguments.error;
    }
    if (err)
        export_output_fail(out, err);
    export_output_close(&format);
    export_output_close(&arguments);
}

/* ---- descriptions that were recorded ---- */

static bool has(struct cairn_slice text, const char *part)
{
    return memmem(text.text, text.length, part, strlen(part)) != NULL;
}

/* The text after "name: X\nID: 1\n"; NULL: it does not begin so. */
static const char *after_head(struct cairn_slice text)
{
    const char *line = (const char *)memchr(text.text, '\n', text.length);
    const char *end = text.text + text.length;

    if (text.length < 6 || memcmp(text.text, "name: ", 6) != 0 || !line || end - line < 5 ||
        memcmp(line + 1, "ID: ", 4) != 0)
        return NULL;
    line = (const char *)memchr(line + 1, '\n', (size_t)(end - line - 1));
    return line ? line + 1 : NULL;
}

bool exchange_dat_is_raw(const struct cairn_event *event)
{
    const struct cairn_event_tracepoint *tracepoint = event->tracepoint;

    return event->raw && event->raw_bytes >= EXCHANGE_DAT_COMMON_BYTES &&
           event->raw_bytes <= UINT16_MAX && !event->swap && !event->type->is_eventheader &&
           tracepoint && tracepoint->format.length && after_head(tracepoint->format) &&
           has(tracepoint->format, " common_type;\toffset:0;\tsize:2;") &&
           has(tracepoint->format, " common_pid;\toffset:4;\tsize:4;");
}

static void put_recorded(struct cairn_exporter *exporter, struct export_print_output *out,
                         const struct cairn_event_tracepoint *tracepoint, uint16_t id)
{
    const char *rest = after_head(tracepoint->format);

    put_head(exporter, out, tracepoint->name, id);
    export_output_bytes(out, rest,
                        (size_t)(tracepoint->format.text + tracepoint->format.length - rest));
}

/* ---- both ---- */

struct exchange_dat_class *exchange_dat_class_create(struct cairn_exporter *exporter,
                                                     struct export_print_output *scratch,
                                                     const struct cairn_event *event, bool is_raw,
                                                     uint16_t id)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct exchange_dat_class *class;
    char system[NAME_BYTES];
    struct cairn_slice name = is_raw ? event->tracepoint->system : layout->type.provider;
    size_t text_bytes;

    if (!make_identifier(name.length ? name : (struct cairn_slice){"events", 6}, system))
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
    scratch->at = scratch->begin;
    if (is_raw)
        put_recorded(exporter, scratch, event->tracepoint, id);
    else
        put_made(exporter, scratch, layout, id);
    text_bytes = (size_t)(scratch->at - scratch->begin);
    if (scratch->error)
        return NULL;
    class = (struct exchange_dat_class *)malloc(sizeof(*class) + strlen(system) + text_bytes);
    if (!class)
        return NULL;
    class->id = id;
    class->system_bytes = (uint32_t)strlen(system);
    class->text_bytes = (uint32_t)text_bytes;
    memcpy(mempcpy(class->texts, system, class->system_bytes), scratch->begin, text_bytes);
    return class;
}
