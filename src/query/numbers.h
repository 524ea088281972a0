/* SPDX-License-Identifier: MIT */
/*
 * Rows that stand for many: where the values of columns only go into aggregates of distributions
 * (quantiles.c), a row may have all numbers of many events in an array, which the aggregate adds at
 * once. A virtual machine's work for each event costs several times more than reading it.
 */
#ifndef QUERY_NUMBERS_H
#define QUERY_NUMBERS_H

#include "query/table.h"

/* The numbers of a column; values that these aggregates do not count are not there. */
struct query_number_array {
    double *all;
    size_t count;
    size_t space;
};

/* Adds a cell, if it is a finite number. Returns 0, ENOMEM. */
int query_numbers_add(struct query_number_array *numbers, const struct query_cell *cell);

/* Passes numbers to SQLite as a value, and gets them back; NULL: the value is none. */
void query_numbers_set(sqlite3_context *to, const struct query_number_array *numbers);
const struct query_number_array *query_numbers_of(sqlite3_value *value);

/*
 * True if a statement does nothing with the rows of its only virtual table but to pass columns to
 * aggregates of distributions, for all rows together, and to count rows.
 */
bool query_numbers_fit(sqlite3 *db, sqlite3_stmt *statement);

/* True if cells of all columns that are used are numbers or NULL. */
bool query_numbers_are_all(const struct query_table *table, uint64_t used);

#endif
