/* SPDX-License-Identifier: MIT */
/* Parquet: the program duckdb makes it of the rows as JSON lines. */
#ifndef CLI_QUERY_PARQUET_H
#define CLI_QUERY_PARQUET_H

#include <stdio.h>
#include <sys/types.h>

/* The program: its standard output is ours. Zeros: it does not run. */
struct cli_query_parquet {
    pid_t pid;
    FILE *rows; /* to it, as JSON lines */
};

/* Returns 0; ENOENT the program is not in PATH; or the error of starting it. */
int cli_query_parquet_begin(struct cli_query_parquet *parquet);

/* Waits for its end. `is_whole` is false if rows are missing: then it is killed, and makes nothing.
 * Returns its exit status; -1: a signal ended it. */
int cli_query_parquet_end(struct cli_query_parquet *parquet, bool is_whole);

#endif
