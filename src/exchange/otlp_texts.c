/* SPDX-License-Identifier: MIT */
/*
 * The constant parts of the spans, or log records, of a layout: encoded once, for its first event.
 */
#include "exchange/otlp.h"

#include "core/slice.h"
#include "exchange/text.h"
#include "export/names.h"
#include "export/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SPAN_KIND_INTERNAL 1

/* Tags of LogRecord and Span. */
#define LOG_SEVERITY      0x10
#define LOG_SEVERITY_TEXT 0x1a
#define LOG_BODY          0x2a
#define LOG_EVENT_NAME    0x62
#define SPAN_NAME         0x2a
#define SPAN_KIND         0x30

#define BODY_TEXT 0x0a

/* ---- the coder ---- */

/* Literals do not move any more when all are written. */
static int write_names(struct exchange_otlp_coder *coder)
{
#define NAME_TEXT(NAME, text) text,
    static const char *const names[] = {EXCHANGE_OTLP_NAMES(NAME_TEXT)};
    struct export_print_output *out = &coder->literals;
    size_t ends[EXCHANGE_OTLP_NAME_COUNT];
    size_t begin = 0;

    for (int n = 0; n < EXCHANGE_OTLP_NAME_COUNT; n++) {
        exchange_otlp_put_key(coder, out,
                              (struct cairn_slice){names[n], (uint32_t)strlen(names[n])});
        ends[n] = exchange_otlp_position(out);
    }
    exchange_otlp_pad(out);
    if (out->error)
        return out->error;
    for (int n = 0; n < EXCHANGE_OTLP_NAME_COUNT; begin = ends[n++])
        coder->names[n] = (struct cairn_slice){out->begin + begin, (uint32_t)(ends[n] - begin)};
    return 0;
}

int exchange_otlp_coder_open(struct exchange_otlp_coder *coder, struct cairn_exporter *exporter,
                             bool is_json)
{
    int err;

    coder->exporter = exporter;
    coder->is_json = is_json;
    err = export_output_open(&coder->literals, -1);
    if (!err)
        err = export_output_open(&coder->scratch, -1);
    if (!err)
        err = export_output_open(&coder->stack, -1);
    return err ? err : write_names(coder);
}

void exchange_otlp_coder_close(struct exchange_otlp_coder *coder)
{
    for (int kind = 0; kind < 2; kind++)
        exchange_classes_free(&coder->classes[kind]);
    export_output_close(&coder->literals);
    export_output_close(&coder->scratch);
    export_output_close(&coder->stack);
}

/* ---- heads ---- */

static void put_member(struct exchange_otlp_coder *coder, struct export_print_output *out,
                       const char *name, uint8_t tag, struct cairn_slice text)
{
    if (coder->is_json)
        export_output_string(out, name);
    exchange_otlp_put_text(coder, out, tag, text);
}

static void put_number(const struct exchange_otlp_coder *coder, struct export_print_output *out,
                       const char *name, uint8_t tag, uint64_t number)
{
    if (coder->is_json) {
        export_output_string(out, name);
        out->at = export_put_unsigned(export_output_reserve(out, 20), number);
        return;
    }
    export_output_byte(out, (char)tag);
    exchange_otlp_put_varint(out, number);
}

/* OpenTelemetry's numbers: 5 debug, 9 info, 13 warn, 17 error, 21 fatal. */
static uint64_t severity_of(uint8_t level)
{
    static const uint8_t severities[] = {0, 21, 17, 13, 9, 5};

    return level < sizeof(severities) ? severities[level] : 0;
}

static void put_severity(struct exchange_otlp_coder *coder, struct export_print_output *out,
                         const struct cairn_event_type *type)
{
    const char *name = export_level_name(type->level);

    if (!type->is_eventheader)
        return;
    put_number(coder, out, ",\"severityNumber\":", LOG_SEVERITY, severity_of(type->level));
    if (name)
        put_member(coder, out, ",\"severityText\":", LOG_SEVERITY_TEXT,
                   (struct cairn_slice){name, (uint32_t)strlen(name)});
}

/* "Provider:Event" */
static void put_body(struct exchange_otlp_coder *coder, struct export_print_output *out,
                     const struct cairn_event_type *type)
{
    struct cairn_slice provider = type->provider;
    size_t length = (size_t)provider.length + 1 + type->name.length;
    char *text = (char *)malloc(length);
    char *to = text;
    size_t begin;

    if (!text) {
        export_output_fail(out, ENOMEM);
        return;
    }
    if (provider.length) {
        to = (char *)mempcpy(to, provider.text, provider.length);
        *to++ = ':';
    }
    if (type->name.length)
        to = (char *)mempcpy(to, type->name.text, type->name.length);
    if (coder->is_json)
        export_output_string(out, ",\"body\":{\"stringValue\":");
    begin = exchange_otlp_position(out);
    exchange_otlp_put_text(coder, out, BODY_TEXT,
                           (struct cairn_slice){text, (uint32_t)(to - text)});
    if (coder->is_json)
        export_output_byte(out, '}');
    else
        exchange_otlp_wrap(out, begin, LOG_BODY);
    free(text);
}

static void put_head(struct exchange_otlp_coder *coder, struct export_print_output *out,
                     enum exchange_otlp_kind kind, const struct cairn_event_type *type)
{
    if (kind == EXCHANGE_OTLP_SPANS) {
        put_member(coder, out, ",\"name\":", SPAN_NAME, type->name);
        put_number(coder, out, ",\"kind\":", SPAN_KIND, SPAN_KIND_INTERNAL);
        return;
    }
    put_severity(coder, out, type);
    put_body(coder, out, type);
    put_member(coder, out, ",\"eventName\":", LOG_EVENT_NAME, type->name);
}

/* ---- attributes of the header ---- */

static enum exchange_otlp_place place_of(enum exchange_otlp_kind kind)
{
    return kind == EXCHANGE_OTLP_SPANS ? EXCHANGE_OTLP_IN_SPAN : EXCHANGE_OTLP_IN_LOG;
}

static void put_tail(struct exchange_otlp_coder *coder, struct export_print_output *out,
                     enum exchange_otlp_kind kind, const struct cairn_event_type *type)
{
    const char *opcode = export_opcode_name(type->opcode);
    enum exchange_otlp_place place = place_of(kind);
    char text[20];

    if (type->is_eventheader)
        exchange_otlp_add_text(
            coder, out, place, EXCHANGE_OTLP_NAME_KEYWORD,
            (struct cairn_slice){text, (uint32_t)(export_put_hex(text, type->keyword) - text)});
    if (type->opcode && opcode)
        exchange_otlp_add_text(coder, out, place, EXCHANGE_OTLP_NAME_OPCODE,
                               (struct cairn_slice){opcode, (uint32_t)strlen(opcode)});
    else if (type->opcode)
        exchange_otlp_add_number(coder, out, place, EXCHANGE_OTLP_NAME_OPCODE, type->opcode);
    if (type->id)
        exchange_otlp_add_number(coder, out, place, EXCHANGE_OTLP_NAME_ID, type->id);
    if (type->version)
        exchange_otlp_add_number(coder, out, place, EXCHANGE_OTLP_NAME_VERSION, type->version);
    if (type->tag)
        exchange_otlp_add_number(coder, out, place, EXCHANGE_OTLP_NAME_TAG, type->tag);
}

/* ---- keys ---- */

static enum exchange_otlp_id id_of(struct cairn_slice name)
{
    if (core_slice_is(name, "trace_id"))
        return EXCHANGE_OTLP_TRACE_ID;
    if (core_slice_is(name, "span_id"))
        return EXCHANGE_OTLP_SPAN_ID;
    if (core_slice_is(name, "parent_span_id"))
        return EXCHANGE_OTLP_PARENT_ID;
    if (core_slice_is(name, "follows_from_trace_id"))
        return EXCHANGE_OTLP_LINK_TRACE_ID;
    if (core_slice_is(name, "follows_from_span_id"))
        return EXCHANGE_OTLP_LINK_SPAN_ID;
    return EXCHANGE_OTLP_NO_ID;
}

static uint64_t replaced_so_far(const struct exchange_otlp_coder *coder)
{
    return coder->exporter->counts.notes[CAIRN_EXPORTER_TEXTS];
}

/* The length of what was added since *end. */
static uint32_t end_text(const struct export_print_output *out, size_t *end)
{
    size_t begin = *end;

    *end = exchange_otlp_position(out);
    return (uint32_t)(*end - begin);
}

static void put_keys(struct exchange_otlp_coder *coder, struct export_print_output *out,
                     const struct decode_layout *layout, size_t end, struct exchange_otlp_key *keys)
{
    for (uint32_t n = 0; n < layout->field_count; n++) {
        struct cairn_slice name = layout->fields[n].item.name;
        uint64_t before = replaced_so_far(coder);

        exchange_otlp_put_key(coder, out, decode_name_without_attributes(name));
        keys[n].id = id_of(name);
        keys[n].is_replaced = replaced_so_far(coder) != before;
        keys[n].text.length = end_text(out, &end);
    }
}

/* ---- texts ---- */

static void point_to(const char **at, struct cairn_slice *text)
{
    text->text = *at;
    *at += text->length;
}

/* Adds the bytes after the keys, and points to them. */
static struct exchange_otlp_texts *join(struct exchange_otlp_texts *texts, uint32_t key_count,
                                        const struct export_print_output *out)
{
    size_t size_bytes = sizeof(*texts) + key_count * sizeof(texts->keys[0]);
    size_t text_bytes = exchange_otlp_position(out);
    struct exchange_otlp_texts *joined = NULL;
    const char *at;

    if (!out->error)
        joined = (struct exchange_otlp_texts *)realloc(texts, size_bytes + text_bytes +
                                                                  EXPORT_OUTPUT_PADDING_BYTES);
    if (!joined) {
        free(texts);
        return NULL;
    }
    at = (const char *)joined + size_bytes;
    memset(mempcpy((char *)joined + size_bytes, out->begin, text_bytes), 0,
           EXPORT_OUTPUT_PADDING_BYTES);
    point_to(&at, &joined->head);
    point_to(&at, &joined->tail);
    for (uint32_t n = 0; n < key_count; n++)
        point_to(&at, &joined->keys[n].text);
    return joined;
}

static struct exchange_otlp_texts *create(struct exchange_otlp_coder *coder,
                                          enum exchange_otlp_kind kind,
                                          const struct decode_layout *layout)
{
    struct export_print_output *out = &coder->scratch;
    uint64_t before = replaced_so_far(coder);
    struct exchange_otlp_texts *texts = (struct exchange_otlp_texts *)calloc(
        1, sizeof(*texts) + layout->field_count * sizeof(texts->keys[0]));
    size_t end = 0;

    if (!texts)
        return NULL;
    out->at = out->begin;
    put_head(coder, out, kind, &layout->type);
    texts->head.length = end_text(out, &end);
    put_tail(coder, out, kind, &layout->type);
    texts->tail.length = end_text(out, &end);
    texts->replaced = replaced_so_far(coder) - before;
    put_keys(coder, out, layout, end, texts->keys);
    coder->exporter->counts.notes[CAIRN_EXPORTER_TEXTS] = before; /* counted with each event */
    return join(texts, layout->field_count, out);
}

const struct exchange_otlp_texts *exchange_otlp_texts_of(struct exchange_otlp_coder *coder,
                                                         enum exchange_otlp_kind kind,
                                                         const struct decode_layout *layout)
{
    struct exchange_class *class;

    if (exchange_classes_of(&coder->classes[kind], layout, &class))
        return NULL;
    if (!class->data)
        class->data = create(coder, kind, layout);
    return (const struct exchange_otlp_texts *)class->data;
}
