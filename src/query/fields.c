/* SPDX-License-Identifier: MIT */
/* Names and types of columns, from a layout. */
#include "query/fields.h"

#include "query/catalog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *query_field_type(const struct decode_layout_field *field)
{
    if (field->array != DECODE_LAYOUT_SINGLE)
        return "TEXT";
    switch ((enum decode_value)field->value[DECODE_LAYOUT_DECLARED]) {
    case DECODE_VALUE_UNSIGNED_INT:
    case DECODE_VALUE_SIGNED_INT:
    case DECODE_VALUE_PID:
    case DECODE_VALUE_PORT:
    case DECODE_VALUE_BOOLEAN:
        return "INTEGER";
    case DECODE_VALUE_FLOAT:
        return "REAL";
    case DECODE_VALUE_BY_SIZE:
    case DECODE_VALUE_NULL:
        return "";
    default:
        return "TEXT";
    }
}

/* A list that is being made. */
struct fields_list {
    const struct decode_layout *layout;
    struct query_field *fields;
    unsigned count;
};

static bool has_name(const struct fields_list *list, const char *name)
{
    for (unsigned n = 0; n < list->count; n++) {
        if (!strcasecmp(list->fields[n].name, name))
            return true;
    }
    return false;
}

/* Adds a number to a name that is there. Returns the name, or NULL: no memory. */
static char *distinguish(const struct fields_list *list, char *name)
{
    for (unsigned number = 2; name && has_name(list, name); number++) {
        char *other;

        if (asprintf(&other, "%s_%u", name, number) < 0)
            other = NULL;
        if (!other || !has_name(list, other)) {
            free(name);
            return other;
        }
        free(other);
    }
    return name;
}

/* "prefix.name"; an empty name is "field". */
static char *join(const char *prefix, struct cairn_slice name)
{
    char *part = query_utf8(decode_name_without_attributes(name));
    char *text = NULL;

    if (part && asprintf(&text, "%s%s%s", prefix, *prefix ? "." : "", *part ? part : "field") < 0)
        text = NULL;
    free(part);
    return text;
}

static int add(struct fields_list *list, char *name, uint32_t index)
{
    void *bigger = realloc(list->fields, (list->count + 1) * sizeof(*list->fields));

    if (bigger)
        list->fields = (struct query_field *)bigger;
    name = distinguish(list, name);
    if (!bigger || !name) {
        free(name);
        return ENOMEM;
    }
    list->fields[list->count++] = (struct query_field){
        .name = name,
        .type = query_field_type(&list->layout->fields[index]),
        .index = index,
    };
    return 0;
}

/* Adds the fields from `first` up to `end`: those of the layout, or of a struct. */
static int add_range(struct fields_list *list, const char *prefix, uint32_t first, uint32_t end)
{
    int err = 0;

    for (uint32_t n = first; n < end && list->count < QUERY_FIELDS_MAX && !err;) {
        const struct decode_layout_field *field = &list->layout->fields[n];
        char *name;

        if (field->kind == DECODE_LAYOUT_BROKEN)
            break;
        name = join(prefix, field->item.name);
        if (!name)
            return ENOMEM;
        if (field->kind == DECODE_LAYOUT_STRUCT && field->array == DECODE_LAYOUT_SINGLE) {
            err = add_range(list, name, n + 1, field->end); /* as deep as structs may be nested */
            free(name);
        } else {
            err = add(list, name, n);
        }
        n = field->end;
    }
    return err;
}

int query_fields_of(const struct decode_layout *layout, struct query_field **ret_fields,
                    unsigned *ret_count)
{
    struct fields_list list = {.layout = layout};
    int err = add_range(&list, "", 0, layout->field_count);

    if (err) {
        query_fields_free(list.fields, list.count);
        return err;
    }
    *ret_fields = list.fields;
    *ret_count = list.count;
    return 0;
}

void query_fields_free(struct query_field *fields, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        free(fields[n].name);
    free(fields);
}
