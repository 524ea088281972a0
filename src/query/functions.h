/* SPDX-License-Identifier: MIT */
/* The SQL functions that SQLite has not. docs/query.md lists them. */
#ifndef QUERY_FUNCTIONS_H
#define QUERY_FUNCTIONS_H

#include <sqlite3.h>

/* Return 0, ENOMEM. */
int query_functions_register(sqlite3 *db);
int query_quantiles_register(sqlite3 *db);
int query_self_time_register(sqlite3 *db);

#endif
