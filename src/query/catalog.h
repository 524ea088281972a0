/* SPDX-License-Identifier: MIT */
/* The events that recordings have, by name, and their fields. */
#ifndef QUERY_CATALOG_H
#define QUERY_CATALOG_H

#include "query/fields.h"
#include "query/recordings.h"

/* An event of one name. Events of one name may have different fields: columns are those of all. */
struct query_event {
    char *name;           /* "Provider:Event", as UTF-8 */
    char *table;          /* the name of its table, if that is another one; NULL: it is the same */
    const char *provider; /* the parts of it */
    const char *event;
    uint64_t events; /* how many there were when the recordings were opened */
    struct query_field *fields;
    unsigned field_count;
};

struct query_catalog {
    struct query_event **events; /* sorted by name when complete */
    size_t count;
    uint64_t total;                 /* events */
    uint64_t *serials;              /* of the layouts that were added: a hash table of slot_count */
    struct query_event **by_serial; /* their events */
    size_t slot_count;
    size_t used_slots;
    bool is_partial; /* a recording could not be surveyed to its end */
};

/*
 * Surveys the recordings. Damage is noted with them.
 *
 * Returns 0; or as cairn_reader_open, with the text of `error` set.
 */
int query_catalog_fill(struct query_catalog *catalog, struct query_recordings *recordings,
                       struct cairn_query_error *error);

/* Accepts zeros. */
void query_catalog_free(struct query_catalog *catalog);

/* Returns UTF-8 of any bytes, which the caller frees. NULL: no memory. */
char *query_utf8(struct cairn_slice bytes);

#endif
