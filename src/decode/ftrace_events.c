/* SPDX-License-Identifier: MIT */
/* Corrects the layouts of some events of the system "ftrace". */
#include "decode/ftrace_events.h"

#include "core/slice.h"
#include "decode/origin.h"

static struct decode_layout_field *find(const struct decode_layout *layout, const char *name)
{
    for (uint32_t n = 0; n < layout->field_count; n++) {
        if (core_slice_is(layout->fields[n].item.name, name))
            return &layout->fields[n];
    }
    return NULL;
}

static bool is_int(const struct decode_layout_field *field)
{
    return field && field->array == DECODE_LAYOUT_SINGLE && field->extent == DECODE_LAYOUT_FIXED &&
           field->location == DECODE_LAYOUT_INLINE && field->unit_bytes == sizeof(uint32_t);
}

/* A stack has as many callers as `size` says, and not the 8 of the format text. */
static void correct_kernel_stack(struct decode_layout *layout)
{
    const struct decode_layout_field *size = find(layout, "size");
    struct decode_layout_field *caller = find(layout, "caller");

    if (!is_int(size) || !caller || caller->array != DECODE_LAYOUT_FILLED ||
        caller->location != DECODE_LAYOUT_INLINE)
        return;
    caller->counted_at = size->offset;
    if (layout->print)
        decode_print_set_stack(layout->print, size->offset, caller->offset);
}

/* Data that were written to trace_marker_raw are not text; the print format shows one byte. */
static void correct_raw_data(struct decode_layout *layout)
{
    struct decode_layout_field *buf = find(layout, "buf");

    if (!buf || buf->extent != DECODE_LAYOUT_ALL_TEXT)
        return;
    decode_layout_set_bytes(buf);
    decode_print_destroy(layout->print);
    layout->print = NULL;
}

void decode_ftrace_correct(struct decode_layout *layout)
{
    if (!core_slice_is(layout->type.provider, "ftrace"))
        return;
    if (core_slice_is(layout->type.name, "kernel_stack"))
        correct_kernel_stack(layout);
    else if (core_slice_is(layout->type.name, "raw_data"))
        correct_raw_data(layout);
}
