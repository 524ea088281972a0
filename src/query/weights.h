/* SPDX-License-Identifier: MIT */
/*
 * Rows that stand for many: where rows are only counted, a scan that has the numbers of events by
 * name need not return each event. count() adds the weight of the row.
 */
#ifndef QUERY_WEIGHTS_H
#define QUERY_WEIGHTS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct query_weights {
    bool are_allowed; /* by the statement that runs */
    uint64_t weight;  /* of the row; 1 if it stands for itself */
};

/* Replaces count() by one that adds weights. Returns 0, ENOMEM. */
int query_weights_register(sqlite3 *db, struct query_weights *weights);

/*
 * True if a statement does nothing with the rows of its only virtual table but to count them, in
 * all or by groups. SQLite's program for it is examined; a program of an unknown form is none.
 */
bool query_weights_fit(sqlite3 *db, sqlite3_stmt *statement);

#endif
