/* SPDX-License-Identifier: MIT */
/*
 * The programs that SQLite makes of statements, as EXPLAIN lists them: they show what a statement
 * does with the rows of a table.
 */
#ifndef QUERY_PROGRAM_H
#define QUERY_PROGRAM_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct query_operation {
    const char *opcode;
    int p2;
    int p3;
    const char *p4; /* NULL: none */
};

/*
 * True if a statement scans one virtual table, in one loop, of which `is_right` accepts each
 * operation, and aggregates nothing elsewhere. False for any that is of another form, and if there
 * is no memory.
 */
bool query_program_is_loop(sqlite3 *db, sqlite3_stmt *statement,
                           bool (*is_right)(void *context, const struct query_operation *operation),
                           void *context);

/* Accepts NULL as a word: it is not one of them. */
bool query_program_is_one_of(const char *word, const char *const *list, size_t count);

#define QUERY_PROGRAM_IS_ONE_OF(word, list) \
    query_program_is_one_of(word, list, sizeof(list) / sizeof(*(list)))

#endif
