/* SPDX-License-Identifier: MIT */
/*
 * Tables of an SQLite database, written as the pages of the file format
 * (https://www.sqlite.org/fileformat2.html): rows come in the order of their ids, so each page is
 * written once, when it is full. SQLite itself creates the tables before, and uses them afterwards.
 */
#ifndef EXCHANGE_SQLITE_PAGES_H
#define EXCHANGE_SQLITE_PAGES_H

#include "export/output.h"

#include <stdbool.h>
#include <stdint.h>

#define EXCHANGE_SQLITE_PAGE_BYTES  32768u
#define EXCHANGE_SQLITE_COLUMNS_MAX 32u

/* The pages of a file. */
struct exchange_sqlite_file {
    int fd;
    uint32_t page_count; /* so far */
};

/* A row: what its record has. */
struct exchange_sqlite_row {
    uint64_t types[EXCHANGE_SQLITE_COLUMNS_MAX];
    uint32_t count;
    struct export_print_output body; /* in memory */
};

/* Levels of pages: each has hundreds of pages below. */
#define EXCHANGE_SQLITE_LEVELS_MAX 8u

struct exchange_sqlite_level {
    uint8_t *page; /* NULL: there is none */
    uint32_t cell_count;
    uint32_t content;    /* cells are from here to the page's end */
    uint32_t child;      /* the last page below, which has no cell yet; 0: none */
    int64_t child_id;    /* the last id in it */
    uint32_t cell_child; /* of the last cell, in pages that are not rows' */
    int64_t cell_id;
    uint32_t cell_bytes;
};

/* A table that is filled. Begins with zeros, but for `root`. */
struct exchange_sqlite_table {
    uint32_t root; /* its first page */
    int64_t last_id;
    struct exchange_sqlite_level levels[EXCHANGE_SQLITE_LEVELS_MAX]; /* the first has rows */
};

static inline void exchange_sqlite_row_begin(struct exchange_sqlite_row *row)
{
    row->count = 0;
    row->body.at = row->body.begin;
}

void exchange_sqlite_put_null(struct exchange_sqlite_row *row);
void exchange_sqlite_put_number(struct exchange_sqlite_row *row, int64_t number);

/* Text must be valid UTF-8. */
void exchange_sqlite_put_text(struct exchange_sqlite_row *row, const char *text, size_t size_bytes);

/*
 * Adds a row, whose id is one more than that of the row before; its first column, the id, is NULL.
 *
 * Returns 0; ENOMEM; EFBIG the table or the row is too large; or the error of writing.
 */
int exchange_sqlite_add(struct exchange_sqlite_file *file, struct exchange_sqlite_table *table,
                        const struct exchange_sqlite_row *row);

/* Writes the last pages of a table. Returns 0, or the error of writing. */
int exchange_sqlite_finish_table(struct exchange_sqlite_file *file,
                                 struct exchange_sqlite_table *table);

/* Writes the number of pages. Returns 0, or the error of writing. */
int exchange_sqlite_finish_file(const struct exchange_sqlite_file *file);

void exchange_sqlite_free_table(struct exchange_sqlite_table *table);

#endif
