/* SPDX-License-Identifier: MIT */
/* Collects columns, and joins them to blocks. */
#include "report/columns.h"

void report_columns_row(struct report_columns *columns, uint64_t begin_ns, uint64_t end_ns)
{
    if (!columns->count || begin_ns < columns->begin_ns)
        columns->begin_ns = begin_ns;
    if (!columns->count || end_ns > columns->end_ns)
        columns->end_ns = end_ns;
    columns->count++;
}

void report_columns_write(struct report_columns *columns, struct report_blocks *blocks,
                          struct report_output *output)
{
    struct report_bytes *joined = &columns->joined;

    if (!columns->count)
        return;
    joined->size = 0;
    for (uint32_t n = 0; n < REPORT_COLUMNS_MAX; n++) {
        struct report_bytes *column = &columns->columns[n];

        report_bytes_add(joined, column->data, column->size);
        if (column->error)
            joined->error = column->error;
        column->size = 0;
    }
    report_blocks_write(blocks, output, joined,
                        (struct report_block){.begin_ns = columns->begin_ns,
                                              .end_ns = columns->end_ns,
                                              .first = columns->first,
                                              .count = columns->count,
                                              .kinds = columns->kinds});
    columns->count = 0;
    columns->kinds = 0;
    columns->last_time = 0;
    columns->last_event = 0;
}

void report_columns_free(struct report_columns *columns)
{
    for (uint32_t n = 0; n < REPORT_COLUMNS_MAX; n++)
        report_bytes_free(&columns->columns[n]);
    report_bytes_free(&columns->joined);
    *columns = (struct report_columns){0};
}
