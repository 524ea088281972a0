/* SPDX-License-Identifier: MIT */
/* Plans for layouts, made at the first event of each. */
#include "query/event_plan.h"

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

/* ---- places ---- */

/* The bytes before each field, as far as they are the same in all events. */
static void set_direct(const struct decode_layout *layout, struct query_place *place)
{
    uint32_t offset = 0;

    for (uint32_t n = 0; n <= place->index; n++) {
        const struct decode_layout_field *field = &layout->fields[n];

        if (field->location != DECODE_LAYOUT_NEXT || field->array != DECODE_LAYOUT_SINGLE ||
            field->kind == DECODE_LAYOUT_BROKEN)
            return;
        if (n == place->index)
            break;
        if (field->kind == DECODE_LAYOUT_STRUCT)
            continue; /* its members follow */
        if (field->extent != DECODE_LAYOUT_FIXED)
            return;
        offset += field->unit_bytes;
    }
    place->offset = offset;
    place->is_direct = true;
}

/* Fields of format texts have places of their own. */
static void set_inline(const struct decode_layout *layout, struct query_place *place)
{
    const struct decode_layout_field *field = &layout->fields[place->index];

    if (field->location != DECODE_LAYOUT_INLINE || field->array != DECODE_LAYOUT_SINGLE ||
        field->extent != DECODE_LAYOUT_FIXED || field->kind != DECODE_LAYOUT_VALUE)
        return;
    place->offset = field->offset;
    place->is_direct = true;
}

static unsigned find_field(const struct query_event *event, const char *name)
{
    unsigned n = 0;

    while (n < event->field_count && strcasecmp(event->fields[n].name, name) != 0)
        n++;
    return n;
}

static int set_places(const struct decode_layout *layout, struct query_event_plan *plan)
{
    struct query_field *fields;
    unsigned count;
    int err = query_fields_of(layout, &fields, &count);

    if (err)
        return err;
    plan->places =
        (struct query_place *)calloc(plan->event->field_count + 1, sizeof(*plan->places));
    if (!plan->places)
        err = ENOMEM;
    for (unsigned n = 0; n < plan->event->field_count && !err; n++)
        plan->places[n].index = QUERY_NO_FIELD;
    for (unsigned n = 0; n < count && !err; n++) {
        unsigned column = find_field(plan->event, fields[n].name);

        if (column == plan->event->field_count)
            continue;
        plan->places[column].index = fields[n].index;
        set_direct(layout, &plan->places[column]);
        set_inline(layout, &plan->places[column]);
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

/* ---- plans ---- */

/* An event whose name was not there when the recordings were opened is not wanted: they have grown.
 */
static bool is_wanted(const struct query_event_plans *plans, const struct query_event *event)
{
    return event && (!plans->table->event || plans->table->event == event) &&
           query_filter_has_name(plans->filter, event->provider, event->event);
}

bool query_event_plan_wants(const struct query_event_plans *plans,
                            const struct cairn_event_type *type)
{
    const struct query_event *event;

    return find_event(&plans->table->table.query->catalog, type, &event) || is_wanted(plans, event);
}

static int make(const struct query_event_plans *plans, const struct decode_layout *layout,
                struct query_event_plan *plan)
{
    const struct query_event_table *table = plans->table;
    int err = find_event(&table->table.query->catalog, &layout->type, &plan->event);

    if (err)
        return err;
    plan->serial = layout->serial;
    plan->is_wanted = is_wanted(plans, plan->event);
    plan->trace_id = find_by_name(layout, "trace_id", "traceId");
    plan->span_id = find_by_name(layout, "span_id", "spanId");
    return plan->is_wanted ? set_places(layout, plan) : 0;
}

static struct query_event_plan *slot_of(const struct query_event_plans *plans, uint64_t serial)
{
    size_t at = (size_t)(serial * 0x9e3779b97f4a7c15u >> 32) & (plans->slot_count - 1);

    while (plans->slots[at].serial && plans->slots[at].serial != serial)
        at = (at + 1) & (plans->slot_count - 1);
    return &plans->slots[at];
}

static int grow(struct query_event_plans *plans)
{
    struct query_event_plans old = *plans;
    size_t count = old.slot_count ? 2 * old.slot_count : 64;
    struct query_event_plan *slots = (struct query_event_plan *)calloc(count, sizeof(*slots));

    if (!slots)
        return ENOMEM;
    plans->slots = slots;
    plans->slot_count = count;
    plans->last = NULL;
    for (size_t n = 0; n < old.slot_count; n++) {
        if (old.slots[n].serial)
            *slot_of(plans, old.slots[n].serial) = old.slots[n];
    }
    free(old.slots);
    return 0;
}

int query_event_plan_find(struct query_event_plans *plans, const struct decode_layout *layout,
                          const struct query_event_plan **ret_plan)
{
    struct query_event_plan *plan;
    int err = 2 * plans->used >= plans->slot_count ? grow(plans) : 0;

    if (err)
        return err;
    plan = slot_of(plans, layout->serial);
    if (!plan->serial) {
        err = make(plans, layout, plan);
        if (err) {
            free(plan->places);
            *plan = (struct query_event_plan){0};
            return err;
        }
        plans->used++;
    }
    plans->last = plan;
    *ret_plan = plan;
    return 0;
}

void query_event_plans_free(struct query_event_plans *plans)
{
    for (size_t n = 0; n < plans->slot_count; n++)
        free(plans->slots[n].places);
    free(plans->slots);
    *plans = (struct query_event_plans){0};
}
