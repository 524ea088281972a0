/* SPDX-License-Identifier: MIT */
/* The fields that a printer prints, by name. */
#ifndef EXPORT_FIELDS_H
#define EXPORT_FIELDS_H

#include "decode/layout.h"

struct export_fields {
    char **names; /* "Peer.Port" */
    bool *found;  /* by name: a layout has it */
    size_t count; /* 0: all fields */
};

/* Returns 0, ENOMEM. Names are copied. */
int export_fields_open(struct export_fields *fields, const char *const *names, size_t count);

/* Accepts zeros. */
void export_fields_close(struct export_fields *fields);

/* True if a field of a layout is printed: it, a struct around it, or a member of it is named. */
bool export_fields_have(const struct export_fields *fields, const struct decode_layout *layout,
                        uint32_t field);

/* Notes which names a layout has. */
void export_fields_look(const struct export_fields *fields, const struct decode_layout *layout);

/* True if `name` is the name of a layout's field, with those of the structs around it. */
bool export_fields_is(const struct decode_layout *layout, uint32_t field, const char *name);

#endif
