/* SPDX-License-Identifier: MIT */
/* The views of an SQLite database: for each name of an event one, whose columns are its fields. */
#ifndef EXCHANGE_SQLITE_VIEWS_H
#define EXCHANGE_SQLITE_VIEWS_H

#include "exchange/format.h"

#include <sqlite3.h>

struct exchange_sqlite_view; /* see sqlite_views.c */

struct exchange_sqlite_views {
    struct exchange_sqlite_view *all;
    size_t count;
    struct export_print_output text; /* in memory: names and queries */
};

/* Returns 0, ENOMEM. */
int exchange_sqlite_views_open(struct exchange_sqlite_views *views);

/* Accepts views of zeros. */
void exchange_sqlite_views_close(struct exchange_sqlite_views *views);

/* Adds the view of a kind of events; its columns are those of the first kind of the name. Returns
 * 0, ENOMEM. */
int exchange_sqlite_views_add(struct cairn_exporter *exporter, struct exchange_sqlite_views *views,
                              const struct decode_layout *layout);

/* Creates the views. Returns a result of SQLite. */
int exchange_sqlite_views_create(struct exchange_sqlite_views *views, sqlite3 *database);

#endif
