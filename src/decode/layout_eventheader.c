/* SPDX-License-Identifier: MIT */
/* Compiles EventHeader metadata to a layout. */
#include "core/cursor.h"
#include "decode/eventheader.h"

#include <string.h>

/* The structs that are open while their members' definitions are read. */
struct open_struct {
    uint32_t field;
    uint32_t members_left;
};

struct compiler {
    struct decode_layout *layout;
    struct core_cursor metadata;
    struct open_struct structs[CAIRN_ITEM_STRUCT_DEPTH_MAX];
    uint32_t depth;
};

/* The encoding is known. */
static void set_extent(struct decode_layout_field *field)
{
    static const struct {
        uint8_t extent;
        uint8_t unit_bytes;
    } encodings[] = {
#define ENCODING(name, number, extent, unit) \
    [CAIRN_ENCODING_##name] = {DECODE_LAYOUT_##extent, unit},
        CAIRN_I_ENCODINGS(ENCODING)};

    field->extent = encodings[field->item.encoding].extent;
    field->unit_bytes = encodings[field->item.encoding].unit_bytes;
}

static bool is_known(uint8_t encoding)
{
    return encoding > CAIRN_ENCODING_INVALID && encoding < CAIRN_ENCODING_MAX;
}

/* Takes a field's definition; the cursor fails if it is invalid. */
static void take_field(struct core_cursor *c, struct decode_layout_field *field)
{
    size_t name_length;
    const char *name = core_cursor_string(c, &name_length);
    uint8_t encoding = core_cursor_u8(c);
    uint8_t format = encoding & CAIRN_ENCODING_CHAIN ? core_cursor_u8(c) : 0;
    uint8_t array = encoding & (CAIRN_ENCODING_CARRAY | CAIRN_ENCODING_VARRAY);

    if (format & CAIRN_FORMAT_CHAIN)
        field->item.tag = core_cursor_u16(c);
    if (array == CAIRN_ENCODING_CARRAY) {
        field->array = DECODE_LAYOUT_CONSTANT;
        field->count = core_cursor_u16(c);
    } else if (array == CAIRN_ENCODING_VARRAY) {
        field->array = DECODE_LAYOUT_COUNTED;
    }
    field->item.name = (struct cairn_slice){name, (uint32_t)name_length};
    field->item.encoding = encoding & CAIRN_ENCODING_VALUE_MASK;
    field->item.format = format & CAIRN_FORMAT_VALUE_MASK;
    field->item.is_array = array != 0;
    if (field->item.encoding == CAIRN_ENCODING_STRUCT)
        field->kind = DECODE_LAYOUT_STRUCT;
    if (array == (CAIRN_ENCODING_CARRAY | CAIRN_ENCODING_VARRAY) ||
        (array == CAIRN_ENCODING_CARRAY && !field->count) || !is_known(field->item.encoding) ||
        (field->kind == DECODE_LAYOUT_STRUCT && !field->item.format))
        core_cursor_fail(c, EBADMSG);
}

/*
 * True if each element of an array of structs has data. Otherwise a few bytes of metadata could
 * define billions of elements.
 */
static bool has_data(const struct decode_layout *layout, uint32_t index)
{
    for (uint32_t n = index + 1; n < layout->field_count; n++) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind == DECODE_LAYOUT_VALUE || field->array == DECODE_LAYOUT_COUNTED)
            return true;
    }
    return false;
}

static void close_struct(struct compiler *c)
{
    uint32_t index = c->structs[--c->depth].field;
    struct decode_layout_field *field = &c->layout->fields[index];

    field->end = c->layout->field_count;
    if (field->array == DECODE_LAYOUT_SINGLE || has_data(c->layout, index))
        return;
    core_cursor_fail(&c->metadata, EBADMSG);
    c->layout->field_count = index; /* none of it can be shown */
}

static void open_struct(struct compiler *c, uint32_t index)
{
    if (c->depth == CAIRN_ITEM_STRUCT_DEPTH_MAX) {
        core_cursor_fail(&c->metadata, EBADMSG);
        c->layout->field_count = index;
        return;
    }
    c->structs[c->depth++] = (struct open_struct){
        .field = index,
        .members_left = c->layout->fields[index].item.format,
    };
}

static void set_values(struct decode_layout_field *field)
{
    enum decode_value value =
        decode_value_of(field->item.encoding, field->item.format, DECODE_SIZE_UNKNOWN);

    set_extent(field);
    memset(field->value, (int)value, sizeof(field->value));
}

static int compile_field(struct compiler *c)
{
    struct decode_layout *layout = c->layout;
    uint32_t index = layout->field_count;
    struct decode_layout_field *field;
    int err = decode_layout_add(layout, &field);

    if (err)
        return err;
    take_field(&c->metadata, field);
    if (c->metadata.error) {
        layout->field_count = index;
        return 0;
    }
    if (c->depth)
        c->structs[c->depth - 1].members_left--;
    if (field->kind == DECODE_LAYOUT_STRUCT)
        open_struct(c, index);
    else
        set_values(field);
    return 0;
}

/* The metadata may end before all members of a struct that it announced. */
static void close_complete_structs(struct compiler *c)
{
    while (c->depth && (!c->structs[c->depth - 1].members_left || !c->metadata.left))
        close_struct(c);
}

static int compile_fields(struct compiler *c)
{
    struct decode_layout_field *broken;
    int err = 0;

    while (c->metadata.left && !err) {
        err = compile_field(c);
        close_complete_structs(c);
    }
    if (!err && c->metadata.error)
        err = decode_layout_add(c->layout, &broken);
    if (!err && c->metadata.error)
        broken->kind = DECODE_LAYOUT_BROKEN;
    return err;
}

int decode_layout_compile_eventheader(struct decode_layout *layout,
                                      const struct trace_file_eventheader *parts,
                                      const struct decode_tracepoint_name *name)
{
    struct compiler c = {
        .layout = layout,
        .metadata = core_cursor(parts->metadata, parts->metadata_bytes, parts->swap),
    };
    size_t length;
    const char *event_name = core_cursor_string(&c.metadata, &length);

    if (!event_name || parts->header.level != name->level) {
        layout->error = event_name ? CAIRN_EVENT_BAD_HEADER : CAIRN_EVENT_BAD_METADATA;
        return 0;
    }
    layout->swap = parts->swap;
    layout->type = (struct cairn_event_type){
        .provider = name->provider,
        .name = decode_name_without_attributes((struct cairn_slice){event_name, (uint32_t)length}),
        .is_eventheader = true,
        .level = parts->header.level,
        .opcode = parts->header.opcode,
        .version = parts->header.version,
        .id = parts->header.id,
        .tag = parts->header.tag,
        .keyword = name->keyword,
        .options = name->options,
    };
    return compile_fields(&c);
}
