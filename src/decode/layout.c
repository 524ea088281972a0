/* SPDX-License-Identifier: MIT */
/* Creates and destroys layouts of events. */
#include "decode/layout.h"

#include "core/atomic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int decode_layout_create(uint32_t identity_bytes, struct decode_layout **ret_layout)
{
    struct decode_layout *layout = (struct decode_layout *)calloc(1, sizeof(*layout));

    if (layout)
        layout->identity = (char *)malloc(identity_bytes + 1u);
    if (!layout || !layout->identity) {
        decode_layout_destroy(layout);
        return ENOMEM;
    }
    layout->identity_bytes = identity_bytes;
    *ret_layout = layout;
    return 0;
}

void decode_layout_destroy(struct decode_layout *layout)
{
    if (!layout)
        return;
    decode_print_destroy(layout->print);
    free(layout->fields);
    free(layout->identity);
    free(layout);
}

int decode_layout_add(struct decode_layout *layout, struct decode_layout_field **ret_field)
{
    struct decode_layout_field *field;

    if (layout->field_count == layout->field_max) {
        uint32_t max = layout->field_max ? 2 * layout->field_max : 8;
        void *fields = realloc(layout->fields, max * sizeof(*layout->fields));

        if (!fields)
            return ENOMEM;
        layout->fields = (struct decode_layout_field *)fields;
        layout->field_max = max;
    }
    field = &layout->fields[layout->field_count++];
    *field = (struct decode_layout_field){.end = layout->field_count};
    *ret_field = field;
    return 0;
}

static bool is_plain(const struct decode_layout *layout)
{
    for (uint32_t n = 0; n < layout->field_count; n++) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->kind != DECODE_LAYOUT_VALUE || field->array != DECODE_LAYOUT_SINGLE ||
            field->location != DECODE_LAYOUT_NEXT)
            return false;
    }
    return true;
}

void decode_layout_complete(struct decode_layout *layout)
{
    static uint64_t last_serial;

    layout->is_plain = is_plain(layout);
    layout->serial = core_fetch_add_relaxed(&last_serial, 1) + 1;
}

struct cairn_slice decode_name_without_attributes(struct cairn_slice name)
{
    const void *semicolon = name.length ? memchr(name.text, ';', name.length) : NULL;

    if (semicolon)
        name.length = (uint32_t)((const char *)semicolon - name.text);
    return name;
}
