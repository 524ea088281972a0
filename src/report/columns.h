/* SPDX-License-Identifier: MIT */
/* A table that is collected column by column, which compresses better than row by row, and becomes
 * a block: varints, one column after the other. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "report/blocks.h"

#define REPORT_COLUMNS_MAX    6u
#define REPORT_BLOCK_ROWS_MAX 8192u

struct report_columns {
    struct report_bytes columns[REPORT_COLUMNS_MAX];
    struct report_bytes joined; /* scratch */
    uint32_t count;             /* of rows */
    uint64_t begin_ns;          /* of their times */
    uint64_t end_ns;
    uint32_t kinds;     /* as in struct report_block */
    uint64_t first;     /* number of the first event */
    uint64_t last_time; /* what differences are from: at first begin_ns */
    uint64_t last_event;
};

/* Begins a row that is from a time to another. */
void report_columns_row(struct report_columns *columns, uint64_t begin_ns, uint64_t end_ns);

/* Writes the rows as a block, if there are any, and removes them. */
void report_columns_write(struct report_columns *columns, struct report_blocks *blocks,
                          struct report_output *output);

/* Accepts zeros. */
void report_columns_free(struct report_columns *columns);

#endif
