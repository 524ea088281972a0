/* SPDX-License-Identifier: MIT */
/* Commands of cairn query that are read from standard input: SQL, and words that begin with a dot.
 */
#ifndef CLI_QUERY_SHELL_H
#define CLI_QUERY_SHELL_H

#include "cli/cli.h"
#include "cli/query_print.h"

#include <signal.h>

struct cli_query_shell {
    const struct cli_verb *verb;
    struct cairn_query *query;
    struct cli_query_printer *printer;
    const volatile sig_atomic_t *interrupts; /* how often SIGINT came; of cli_query_shell */
    bool is_timed;                           /* prints how long each SQL took */
};

/*
 * Runs SQL, and prints its results, and errors as SQLite reports them, with a mark below the
 * position. Returns an exit status.
 */
int cli_query_run(const struct cli_query_shell *shell, const char *sql);

/* Prints the tables whose names match a glob, or with `schema` their columns. NULL: all. */
int cli_query_list(const struct cli_query_shell *shell, const char *glob, bool schema);

/* Reports losses, damage and errors of the recordings. Returns an exit status. */
int cli_query_report_files(const struct cli_query_shell *shell);

/* Returns text with quotes around it, doubled within; the caller frees it. NULL: no memory. */
char *cli_query_quote(const char *text, char quote);

/* Prints the questions that people ask, and their SQL. */
void cli_query_print_examples(void);

/* Reads commands to the end of standard input; on a terminal with a prompt and with what was typed
 * before. Returns an exit status: that of the last command that failed. */
int cli_query_shell(struct cli_query_shell *shell);

#endif
