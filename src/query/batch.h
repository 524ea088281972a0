/* SPDX-License-Identifier: MIT */
/*
 * Rows that one thread makes and another reads: copies of cells; or, of rows that need not be
 * apart, the numbers of each column.
 */
#ifndef QUERY_BATCH_H
#define QUERY_BATCH_H

#include "query/numbers.h"
#include "query/table.h"

struct query_batch_cell;

struct query_batch {
    struct query_batch *next; /* for lists of the owner's */
    unsigned columns;
    size_t rows;
    struct query_number_array *numbers; /* by column, instead of cells; NULL: none */
    struct query_batch_cell *cells;     /* row by row */
    size_t cell_count;
    size_t cell_space;
    char *texts;
    size_t text_bytes;
    size_t text_space;
};

/* Returns NULL: no memory. */
struct query_batch *query_batch_create(unsigned columns, bool has_numbers);

/* Removes all rows; keeps the memory. */
void query_batch_clear(struct query_batch *batch);

/* Adds the cell of a column to the row that is being made, in the order of columns. The row is
 * complete with query_batch_end_row. Returns 0, ENOMEM. */
int query_batch_add(struct query_batch *batch, unsigned column, const struct query_cell *cell);

static inline void query_batch_end_row(struct query_batch *batch)
{
    batch->rows++;
}

/* The bytes that the rows take. */
size_t query_batch_bytes(const struct query_batch *batch);

/* Sets a cell of a row, or all numbers of the column. Its text is valid as long as the row. */
void query_batch_cell(const struct query_batch *batch, size_t row, unsigned column,
                      struct query_cell *cell);

/* Destroys a list. Accepts NULL. */
void query_batches_free(struct query_batch *batch);

#endif
