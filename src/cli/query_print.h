/* SPDX-License-Identifier: MIT */
/* Prints the rows of a query's result. */
#ifndef CLI_QUERY_PRINT_H
#define CLI_QUERY_PRINT_H

#include <cairn/query.h>
#include <stdio.h>

enum cli_query_format {
    CLI_QUERY_TABLE,   /* columns as wide as what is in them */
    CLI_QUERY_CSV,     /* RFC 4180, but lines end with a newline alone */
    CLI_QUERY_JSON,    /* an array of objects */
    CLI_QUERY_JSONL,   /* an object on each line */
    CLI_QUERY_PARQUET, /* of `cairn query` alone: JSON lines to a program, query_parquet.h */
};

struct cli_query_table;

/* Begins as zeros and a format. */
struct cli_query_printer {
    enum cli_query_format format;
    FILE *to;
    bool has_rows;                 /* of this result */
    bool is_begun;                 /* a result */
    struct cli_query_table *table; /* rows whose widths are being found */
};

/* "table", "csv", ... False: there is no such format. */
bool cli_query_find_format(const char *name, enum cli_query_format *ret_format);

/* A cairn_query_row_fn; the context is a printer. Returns 0; ENOMEM; EPIPE: nobody reads it. */
int cli_query_print_row(void *printer, const struct cairn_query_row *row);

/* Ends a result; also after an error. Returns as cli_query_print_row. */
int cli_query_print_end(struct cli_query_printer *printer);

/* Control characters would spoil the table, or command the terminal: replaces each by a question
 * mark. */
void cli_query_make_printable(char *text);

#endif
