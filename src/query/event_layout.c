/* SPDX-License-Identifier: MIT */
/* Plans for layouts, made at the first event of each. */
#include "query/event_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

/* ---- names ---- */

static bool is_name(const char *name, struct cairn_slice slice)
{
    return strlen(name) == slice.length && !memcmp(name, slice.text, slice.length);
}

/* Finds the event of the catalog; the names of most are UTF-8 as they are recorded. */
static int find_event(const struct query_catalog *catalog, const struct cairn_event_type *type,
                      const struct query_event **ret_event)
{
    char *provider;
    char *name;

    *ret_event = NULL;
    for (size_t n = 0; n < catalog->count && !*ret_event; n++) {
        if (is_name(catalog->events[n]->provider, type->provider) &&
            is_name(catalog->events[n]->event, type->name))
            *ret_event = catalog->events[n];
    }
    if (*ret_event)
        return 0;
    provider = query_utf8(type->provider);
    name = query_utf8(type->name);
    for (size_t n = 0; provider && name && n < catalog->count && !*ret_event; n++) {
        if (!strcmp(catalog->events[n]->provider, provider) &&
            !strcmp(catalog->events[n]->event, name))
            *ret_event = catalog->events[n];
    }
    free(provider);
    free(name);
    return provider && name ? 0 : ENOMEM;
}

/* ---- locations ---- */

/* The bytes before each field, as far as they are the same in all events. */
static void set_direct(const struct decode_layout *layout, struct query_location *location)
{
    uint32_t offset = 0;

    for (uint32_t n = 0; n <= location->index; n++) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->location != DECODE_LAYOUT_NEXT || field->array != DECODE_LAYOUT_SINGLE ||
            field->kind == DECODE_LAYOUT_BROKEN)
            return;
        if (n == location->index)
            break;
        if (field->kind == DECODE_LAYOUT_STRUCT)
            continue; /* its members follow */
        if (field->extent != DECODE_LAYOUT_FIXED)
            return;
        offset += field->unit_bytes;
    }
    location->offset = offset;
    location->is_direct = true;
}

/* Fields of format texts have locations of their own. */
static void set_inline(const struct decode_layout *layout, struct query_location *location)
{
    const struct decode_layout_field *field = &layout->fields[location->index];

    if (field->location != DECODE_LAYOUT_INLINE || field->array != DECODE_LAYOUT_SINGLE ||
        field->extent != DECODE_LAYOUT_FIXED || field->kind != DECODE_LAYOUT_VALUE)
        return;
    location->offset = field->offset;
    location->is_direct = true;
}

static unsigned find_field(const struct query_event *event, const char *name)
{
    unsigned n = 0;

    while (n < event->field_count && strcasecmp(event->fields[n].name, name) != 0)
        n++;
    return n;
}

static int set_locations(const struct decode_layout *layout, struct query_event_layout *known)
{
    struct query_field *fields;
    unsigned count;
    int err = query_fields_of(layout, &fields, &count);

    if (err)
        return err;
    known->locations =
        (struct query_location *)calloc(known->event->field_count + 1, sizeof(*known->locations));
    if (!known->locations)
        err = ENOMEM;
    for (unsigned n = 0; n < known->event->field_count && !err; n++)
        known->locations[n].index = QUERY_NO_FIELD;
    for (unsigned n = 0; n < count && !err; n++) {
        unsigned column = find_field(known->event, fields[n].name);

        if (column == known->event->field_count)
            continue;
        known->locations[column].index = fields[n].index;
        set_direct(layout, &known->locations[column]);
        set_inline(layout, &known->locations[column]);
    }
    query_fields_free(fields, count);
    return err;
}

static uint32_t find_by_name(const struct decode_layout *layout, const char *one, const char *other)
{
    for (uint32_t n = 0; n < layout->field_count; n = layout->fields[n].end) {
        struct cairn_slice name = decode_name_without_attributes(layout->fields[n].item.name);

        if (layout->fields[n].kind == DECODE_LAYOUT_VALUE &&
            layout->fields[n].array == DECODE_LAYOUT_SINGLE &&
            (is_name(one, name) || is_name(other, name)))
            return n;
    }
    return QUERY_NO_FIELD;
}

/* ---- layouts ---- */

/* An event whose name was not there when the recordings were opened is not wanted: they have grown.
 */
static bool is_wanted(const struct query_event_layouts *layouts, const struct query_event *event)
{
    return event && (!layouts->table->event || layouts->table->event == event) &&
           query_filter_has_name(layouts->filter, event->provider, event->event);
}

bool query_event_layout_wants(const struct query_event_layouts *layouts,
                              const struct cairn_event_type *type)
{
    const struct query_event *event;

    return find_event(&layouts->table->table.query->catalog, type, &event) ||
           is_wanted(layouts, event);
}

static int make(const struct query_event_layouts *layouts, const struct decode_layout *layout,
                struct query_event_layout *known)
{
    const struct query_event_table *table = layouts->table;
    int err = find_event(&table->table.query->catalog, &layout->type, &known->event);

    if (err)
        return err;
    known->serial = layout->serial;
    known->is_wanted = is_wanted(layouts, known->event);
    known->trace_id = find_by_name(layout, "trace_id", "traceId");
    known->span_id = find_by_name(layout, "span_id", "spanId");
    return known->is_wanted ? set_locations(layout, known) : 0;
}

static struct query_event_layout *slot_of(const struct query_event_layouts *layouts,
                                          uint64_t serial)
{
    size_t at = (size_t)(serial * 0x9e3779b97f4a7c15u >> 32) & (layouts->slot_count - 1);

    while (layouts->slots[at].serial && layouts->slots[at].serial != serial)
        at = (at + 1) & (layouts->slot_count - 1);
    return &layouts->slots[at];
}

static int grow(struct query_event_layouts *layouts)
{
    struct query_event_layouts old = *layouts;
    size_t count = old.slot_count ? 2 * old.slot_count : 64;
    struct query_event_layout *slots = (struct query_event_layout *)calloc(count, sizeof(*slots));

    if (!slots)
        return ENOMEM;
    layouts->slots = slots;
    layouts->slot_count = count;
    layouts->last = NULL;
    for (size_t n = 0; n < old.slot_count; n++) {
        if (old.slots[n].serial)
            *slot_of(layouts, old.slots[n].serial) = old.slots[n];
    }
    free(old.slots);
    return 0;
}

int query_event_layout_find(struct query_event_layouts *layouts, const struct decode_layout *layout,
                            const struct query_event_layout **ret_layout)
{
    struct query_event_layout *known;
    int err = 2 * layouts->used >= layouts->slot_count ? grow(layouts) : 0;

    if (err)
        return err;
    known = slot_of(layouts, layout->serial);
    if (!known->serial) {
        err = make(layouts, layout, known);
        if (err) {
            free(known->locations);
            *known = (struct query_event_layout){0};
            return err;
        }
        layouts->used++;
    }
    layouts->last = known;
    *ret_layout = known;
    return 0;
}

void query_event_layouts_free(struct query_event_layouts *layouts)
{
    for (size_t n = 0; n < layouts->slot_count; n++)
        free(layouts->slots[n].locations);
    free(layouts->slots);
    *layouts = (struct query_event_layouts){0};
}
