/* SPDX-License-Identifier: MIT */
/* The fields of a layout as columns. */
#ifndef QUERY_FIELDS_H
#define QUERY_FIELDS_H

#include "decode/layout.h"

#define QUERY_FIELDS_MAX 1500u /* of an event; SQLite has 2000 columns */

/* A field that is a column: a value, or an array, which is JSON. */
struct query_field {
    char *name; /* "Owner.User", as UTF-8 */
    const char *type;
    uint32_t index; /* in the layout */
};

/*
 * Lists the fields of a layout that are columns: members of structs, not the structs. Names that
 * SQLite could not distinguish get a number.
 *
 * ret_fields  freed by query_fields_free
 *
 * Returns 0, ENOMEM.
 */
int query_fields_of(const struct decode_layout *layout, struct query_field **ret_fields,
                    unsigned *ret_count);

void query_fields_free(struct query_field *fields, unsigned count);

/* The type of a column: "INTEGER", "REAL" or "TEXT". */
const char *query_field_type(const struct decode_layout_field *field);

#endif
