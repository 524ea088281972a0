/* SPDX-License-Identifier: MIT */
/*
 * Formats a record field by field, like print_fields of kernel/trace/trace_output.c of Linux 6.12.
 * The format of a field depends on its type's name, and for unknown names on its size.
 */
#include "kernel/trace_line_fields.h"

#include "core/field_type.h"
#include "core/load.h"
#include "core/text.h"

#include <cairn/typed_tracepoint.h>

struct raw {
    const uint8_t *bytes;
    size_t size_bytes;
};

/* Latin-1's printable characters are printable to Linux. */
static bool is_printable(uint8_t c)
{
    return (c >= 0x20 && c < 0x7f) || c >= 0xa0;
}

static void add_value(struct cairn_text *to, const uint8_t *at, uint32_t size_bytes)
{
    switch (size_bytes) {
    case 1:
        if (is_printable(*at))
            cairn_text_printf(to, "'%c'", *at);
        cairn_text_printf(to, "(%d)", *at);
        break;
    case 2:
        cairn_text_printf(to, "0x%x (%d)", core_load16(at, false), core_load16(at, false));
        break;
    case 4:
        cairn_text_printf(to, "0x%x (%d)", core_load32(at, false), (int)core_load32(at, false));
        break;
    case 8:
        cairn_text_printf(to, "0x%llx (%lld)", (unsigned long long)core_load64(at, false),
                          (long long)core_load64(at, false));
        break;
    default:
        core_text_put(to, "<INVALID-SIZE>");
    }
}

static void add_string(struct cairn_text *to, const uint8_t *at, uint32_t length)
{
    cairn_text_printf(to, "%.*s", (int)length, (const char *)at);
}

static void add_bytes(struct cairn_text *to, const uint8_t *at, uint32_t count)
{
    for (uint32_t i = 0; i < count && !to->full; i++)
        cairn_text_printf(to, "%s%02x", i ? "," : "", at[i]);
}

/* `at` is the position of the field's location. */
static void add_dynamic(struct cairn_text *to, const struct cairn_field *field, struct raw raw,
                        const uint8_t *at, bool is_text)
{
    uint32_t location = core_load32(at, false);
    uint32_t base = field->location == CAIRN_FIELD_REL_LOC ? field->offset + 4 : 0;
    const uint8_t *bytes = cairn_trace_field_bytes(raw.bytes, raw.size_bytes, base, location);

    if (!bytes)
        core_text_put(to, "<OVERFLOW>");
    else if (is_text)
        add_string(to, bytes, location >> 16);
    else
        add_bytes(to, bytes, location >> 16);
}

static void add_field(struct cairn_text *to, const struct cairn_field *field, struct raw raw)
{
    bool is_text = core_slice_contains(field->type, "char");
    const uint8_t *at;

    if ((uint64_t)field->offset + field->size_bytes > raw.size_bytes) {
        core_text_put(to, "<OVERFLOW>");
        return;
    }
    at = raw.bytes + field->offset;
    if (field->location == CAIRN_FIELD_DATA_LOC && !is_text &&
        core_slice_contains(field->type, "cpumask_t"))
        core_text_put(to, "<INVALID-TYPE>");
    else if (field->location != CAIRN_FIELD_INLINE && field->size_bytes == 4)
        add_dynamic(to, field, raw, at, is_text);
    else if (field->is_array && is_text)
        add_string(to, at, field->size_bytes);
    else if (!field->is_array && core_type_is_text_pointer(field->type) &&
             field->size_bytes == sizeof(uint64_t))
        /* A pointer of the machine that wrote the record is not followed. */
        cairn_text_printf(to, "(0x%016llx)", (unsigned long long)core_load64(at, false));
    else
        add_value(to, at, field->size_bytes);
}

void kernel_trace_fields(const struct cairn_schema *schema, const uint8_t *raw, size_t raw_bytes,
                         struct cairn_text *to)
{
    for (uint32_t i = schema->common_count; i < schema->field_count && !to->full; i++) {
        const struct cairn_field *field = &schema->fields[i];

        cairn_text_printf(to, " %.*s=", (int)field->name.length, field->name.text);
        add_field(to, field, (struct raw){raw, raw_bytes});
    }
}
