/* SPDX-License-Identifier: MIT */
/* Finds fields by name, through structs. */
#include "export/fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int export_fields_open(struct export_fields *fields, const char *const *names, size_t count)
{
    fields->names = (char **)calloc(count + 1, sizeof(*fields->names));
    fields->found = (bool *)calloc(count + 1, sizeof(*fields->found));
    if (!fields->names || !fields->found) {
        export_fields_close(fields);
        return ENOMEM;
    }
    for (; fields->count < count; fields->count++) {
        fields->names[fields->count] = strdup(names[fields->count]);
        if (!fields->names[fields->count]) {
            export_fields_close(fields);
            return ENOMEM;
        }
    }
    return 0;
}

void export_fields_close(struct export_fields *fields)
{
    for (size_t n = 0; n < fields->count; n++)
        free(fields->names[n]);
    free((void *)fields->names);
    free(fields->found);
    *fields = (struct export_fields){0};
}

enum relation {
    OTHER,
    AROUND, /* the name is that of a member of the field */
    SAME,
    WITHIN, /* the field is a member of the struct with the name */
};

/* Compares a name, from `name` on, with the fields from `first` down to `field`. */
static enum relation compare(const struct decode_layout *layout, uint32_t first, uint32_t field,
                             const char *name)
{
    for (uint32_t n = first; n <= field;) {
        const struct decode_layout_field *at = &layout->fields[n];
        struct cairn_slice own = decode_name_without_attributes(at->item.name);

        if (at->end <= field) { /* neither the field nor a struct around it */
            n = at->end;
            continue;
        }
        /* A name without letters has no text. */
        if (own.length && strncmp(name, own.text, own.length) != 0)
            return OTHER;
        name += own.length;
        if (!*name)
            return n == field ? SAME : WITHIN;
        if (*name != '.')
            return OTHER;
        if (n == field)
            return at->kind == DECODE_LAYOUT_STRUCT ? AROUND : OTHER;
        name++;
        n++;
    }
    return OTHER;
}

bool export_fields_have(const struct export_fields *fields, const struct decode_layout *layout,
                        uint32_t field)
{
    for (size_t n = 0; n < fields->count; n++) {
        if (compare(layout, 0, field, fields->names[n]) != OTHER)
            return true;
    }
    return !fields->count;
}

void export_fields_look(const struct export_fields *fields, const struct decode_layout *layout)
{
    for (size_t n = 0; n < fields->count; n++) {
        for (uint32_t field = 0; field < layout->field_count && !fields->found[n]; field++)
            fields->found[n] = export_fields_is(layout, field, fields->names[n]);
    }
}

bool export_fields_is(const struct decode_layout *layout, uint32_t field, const char *name)
{
    return compare(layout, 0, field, name) == SAME;
}
