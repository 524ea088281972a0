/* SPDX-License-Identifier: MIT */
/* A hash table of kinds, and their descriptions. */
#include "report/kinds.h"

#include "export/exporter.h"
#include "export/names.h"
#include "export/number.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 64u
#define STYLE       CAIRN_STYLE_JSONL

/* ---- descriptions ---- */

static void write_name(struct export_print_output *out, const char *key, struct cairn_slice name)
{
    export_output_string(out, key);
    export_output_byte(out, '"');
    export_print_name(out, STYLE, name);
    export_output_byte(out, '"');
}

static void write_number(struct export_print_output *out, const char *key, uint64_t number)
{
    export_output_string(out, key);
    out->at = export_put_unsigned(export_output_reserve(out, 20), number);
}

static void write_eventheader(struct export_print_output *out, const struct cairn_event_type *type)
{
    const char *opcode = export_opcode_name(type->opcode);

    write_number(out, ",\"level\":", type->level);
    export_output_string(out, ",\"keyword\":\"");
    out->at = export_put_hex(export_output_reserve(out, 18), type->keyword);
    export_output_byte(out, '"');
    if (type->opcode && opcode)
        write_name(out, ",\"opcode\":", (struct cairn_slice){opcode, (uint32_t)strlen(opcode)});
    else if (type->opcode)
        write_number(out, ",\"opcode\":", type->opcode);
    if (type->id)
        write_number(out, ",\"id\":", type->id);
    if (type->version)
        write_number(out, ",\"version\":", type->version);
    if (type->tag)
        write_number(out, ",\"tag\":", type->tag);
}

/* ["name",members,is_array]: a struct is followed by its members, however deep they are. */
static void write_fields(struct export_print_output *out, const struct decode_layout *layout)
{
    for (uint32_t n = 0; n < layout->field_count; n++) {
        const struct decode_layout_field *field = &layout->fields[n];
        uint32_t members = field->kind == DECODE_LAYOUT_STRUCT ? field->end - n - 1 : 0;

        write_name(out, n ? ",[" : "[", decode_name_without_attributes(field->item.name));
        write_number(out, ",", members);
        export_output_string(out, field->item.is_array ? ",1]" : ",0]");
    }
}

static void write_kind(struct export_print_output *out, const struct decode_layout *layout)
{
    const struct cairn_event_type *type = &layout->type;

    write_name(out, "\"provider\":", type->provider);
    write_name(out, ",\"event\":", type->name);
    if (type->is_eventheader)
        write_eventheader(out, type);
    export_output_string(out, ",\"fields\":[");
    write_fields(out, layout);
    export_output_byte(out, ']');
}

static int describe(struct report_kind *kind, const struct cairn_event_type *type)
{
    struct export_print_output out;
    int err = export_output_open(&out, -1);
    char *text = NULL;
    size_t size = 0;

    if (!err && kind->is_others)
        export_output_string(&out, "\"provider\":\"\",\"event\":\"(others)\",\"fields\":null");
    else if (!err)
        write_kind(&out, decode_layout_of(type));
    if (!err && !out.error) {
        size = (size_t)(out.at - out.begin);
        text = (char *)malloc(size);
    }
    if (text) {
        memcpy(text, out.begin, size);
        kind->text = (struct cairn_slice){text, (uint32_t)size};
    }
    export_output_close(&out);
    return text ? 0 : ENOMEM;
}

/* ---- the table ---- */

static void put(struct report_kinds *kinds, const struct report_kind *kind)
{
    uint32_t at = (uint32_t)kind->serial & (kinds->slot_count - 1);

    while (kinds->slots[at])
        at = (at + 1) & (kinds->slot_count - 1);
    kinds->slots[at] = kind->number + 1;
}

static int grow(struct report_kinds *kinds)
{
    uint32_t slot_count = kinds->slot_count ? 2 * kinds->slot_count : FIRST_SLOTS;
    struct report_kind **list =
        (struct report_kind **)realloc((void *)kinds->list, slot_count / 2 * sizeof(*kinds->list));
    uint32_t *slots;

    if (!list)
        return ENOMEM;
    kinds->list = list;
    slots = (uint32_t *)calloc(slot_count, sizeof(*slots));
    if (!slots)
        return ENOMEM;
    free(kinds->slots);
    kinds->slots = slots;
    kinds->slot_count = slot_count;
    kinds->capacity = slot_count / 2;
    for (uint32_t n = 0; n < kinds->count; n++)
        put(kinds, kinds->list[n]);
    return 0;
}

static int add(struct report_kinds *kinds, const struct cairn_event_type *type,
               struct report_kind **ret_kind)
{
    struct report_kind *kind;
    int err;

    if (kinds->count == REPORT_KINDS_MAX) {
        *ret_kind = kinds->list[kinds->count - 1];
        return 0;
    }
    if (kinds->count == kinds->capacity && grow(kinds))
        return ENOMEM;
    kind = (struct report_kind *)calloc(1, sizeof(*kind));
    if (!kind)
        return ENOMEM;
    kind->serial = decode_layout_of(type)->serial;
    kind->number = kinds->count;
    kind->is_others = kinds->count + 1 == REPORT_KINDS_MAX;
    kind->sched = kind->is_others ? TIMELINE_SCHED_NONE : timeline_sched_kind_of(type);
    err = describe(kind, type);
    if (err) {
        free(kind);
        return err;
    }
    kinds->list[kinds->count++] = kind;
    put(kinds, kind);
    *ret_kind = kind;
    return 0;
}

int report_kinds_find(struct report_kinds *kinds, const struct cairn_event_type *type,
                      struct report_kind **ret_kind)
{
    uint64_t serial = decode_layout_of(type)->serial;

    if (kinds->slot_count) {
        uint32_t at = (uint32_t)serial & (kinds->slot_count - 1);

        for (; kinds->slots[at]; at = (at + 1) & (kinds->slot_count - 1)) {
            struct report_kind *kind = kinds->list[kinds->slots[at] - 1];

            if (kind->serial == serial) {
                *ret_kind = kind;
                return 0;
            }
        }
    }
    return add(kinds, type, ret_kind);
}

void report_kinds_free(struct report_kinds *kinds)
{
    for (uint32_t n = 0; n < kinds->count; n++) {
        stats_sketch_free(&kinds->list[n]->durations);
        free((void *)(uintptr_t)kinds->list[n]->text.text);
        free(kinds->list[n]);
    }
    free((void *)kinds->list);
    free(kinds->slots);
    *kinds = (struct report_kinds){0};
}
