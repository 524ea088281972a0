/* SPDX-License-Identifier: MIT */
/* cairn query: SQL over recordings. */
#include "cli/cli.h"
#include "cli/inputs.h"
#include "cli/query_parquet.h"
#include "cli/query_shell.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define JOBS_MAX 256u

enum { OPTION_TABLES = 0x100, OPTION_SCHEMA, OPTION_EXAMPLES, OPTION_ATTACH };

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"jobs", required_argument, NULL, 'j'},
    {"tables", no_argument, NULL, OPTION_TABLES},
    {"schema", no_argument, NULL, OPTION_SCHEMA},
    {"examples", no_argument, NULL, OPTION_EXAMPLES},
    {"attach", required_argument, NULL, OPTION_ATTACH},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Runs SQL over recordings, which are read where they are: nothing is imported, and they\n"
    "are never written. FILE is anything that cairn decode reads; the events of several files\n"
    "are merged. The last argument is the SQL if there is no file of this name; without it,\n"
    "SQL and commands (.help) are read from standard input.\n"
    "\n"
    "There is a table for each event, with its fields as columns (\"MyProvider:Request\"), and\n"
    "the tables events, activities, spans, thread_state, sched, processes, threads, metrics,\n"
    "losses and files.\n"
    "\n"
    "  -f, --format FORMAT  table, csv, json, jsonl, or parquet by the program duckdb [default: "
    "table]\n"
    "  -j, --jobs N         read and decode events with N threads [default: 1]\n"
    "      --tables         list the tables, and stop\n"
    "      --schema         print the columns of all tables, and stop\n"
    "      --examples       print twenty questions that people ask, and their SQL, and stop\n"
    "      --attach FILE    an SQLite database, created if it is not there, whose tables have\n"
    "                       the prefix `out.`; without SQL, all tables are written to it\n"
    "  -h, --help           print this\n"
    "\n"
    "Exit status: 0; 1 if the SQL is wrong, or a file could be read in part only; 2 if the\n"
    "command line is invalid.\n"
    "\n"
    "  cairn query trace.cairn 'SELECT event, count(*) FROM events GROUP BY event'\n"
    "  cairn query --tables trace.cairn\n"
    "  cairn query --attach trace.db trace.cairn\n";

struct query_arguments {
    const struct cli_verb *verb;
    struct cli_query_printer printer;
    char **paths;
    size_t path_count;
    const char *sql;
    uint32_t jobs;
    const char *attach; /* a database, or NULL */
    bool tables;
    bool schema;
    bool examples;
};

/* ---- the command line ---- */

static int take_jobs(struct query_arguments *args, const char *text)
{
    char *end;
    unsigned long jobs = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || !jobs || jobs > JOBS_MAX) {
        cli_error(args->verb, "--jobs takes a number of threads, 1 to %u: %s", JOBS_MAX, text);
        return CLI_USAGE;
    }
    args->jobs = (uint32_t)jobs;
    return CLI_OK;
}

static int take_option(struct query_arguments *args, int option, char **argv)
{
    switch (option) {
    case 'f':
        if (cli_query_find_format(optarg, &args->printer.format))
            return CLI_OK;
        args->printer.format = CLI_QUERY_PARQUET;
        if (!strcmp(optarg, "parquet"))
            return CLI_OK;
        cli_error(args->verb, "no such format: %s (table, csv, json, jsonl and parquet)", optarg);
        return CLI_USAGE;
    case 'j':
        return take_jobs(args, optarg);
    case OPTION_TABLES:
        args->tables = true;
        return CLI_OK;
    case OPTION_SCHEMA:
        args->schema = true;
        return CLI_OK;
    case OPTION_EXAMPLES:
        args->examples = true;
        return CLI_OK;
    case OPTION_ATTACH:
        args->attach = optarg;
        return CLI_OK;
    default:
        return cli_bad_option(args->verb, option, argv);
    }
}

/* SQL has a space between its words, and there is no such file. */
static bool is_sql(const char *word)
{
    struct stat st;

    return strcmp(word, "-") != 0 && stat(word, &st) && strpbrk(word, " \t\n;(");
}

static int take_files(struct query_arguments *args, int argc, char **argv, int first)
{
    if (argc - first >= 2 || (argc - first == 1 && is_sql(argv[first]))) {
        if (is_sql(argv[argc - 1]))
            args->sql = argv[--argc];
    }
    args->paths = argv + first;
    args->path_count = (size_t)(argc - first);
    if (!args->path_count && !args->examples) {
        cli_error(args->verb, "name a file");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int parse_arguments(int argc, char **argv, struct query_arguments *args, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":f:j:h", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(args, option, argv);
        if (status)
            return status;
    }
    return take_files(args, argc, argv, optind);
}

/* ---- interruption ---- */

/* For the signal handler: */
static struct cairn_query *running;
static volatile sig_atomic_t interrupts;

static void interrupt(int signal_number)
{
    (void)signal_number;
    interrupts++;
    if (running)
        cairn_query_interrupt(running);
}

/* SIGINT ends the query; without a shell, a second one ends the program. */
static void handle_signals(struct cairn_query *query, bool has_shell)
{
    struct sigaction action = {.sa_handler = interrupt,
                               .sa_flags = has_shell ? 0 : (int)SA_RESETHAND};

    running = query;
    (void)sigaction(SIGINT, &action, NULL);
}

/* ---- running ---- */

/* True if the database is one of the recordings, which are never written. */
static bool is_recording(const struct query_arguments *args)
{
    struct stat output;

    return !stat(args->attach, &output) &&
           cli_paths_have((const char *const *)args->paths, args->path_count, &output);
}

/* Runs SQL that has a quoted text at two places, or at one. */
static int run_quoted(const struct cli_query_shell *shell, const char *format, const char *text,
                      char quote)
{
    char *word = cli_query_quote(text, quote);
    char *sql = NULL;
    int status = CLI_FAILED;

    if (!word || asprintf(&sql, format, word, word) < 0)
        sql = NULL;
    if (sql)
        status = cli_query_run(shell, sql);
    else
        cli_error(shell->verb, "%s", strerror(ENOMEM));
    free(word);
    free(sql);
    return status;
}

static int attach(const struct query_arguments *args, const struct cli_query_shell *shell)
{
    if (is_recording(args)) {
        cli_error(args->verb, "%s is one of the recordings", args->attach);
        return CLI_FAILED;
    }
    return run_quoted(shell, "ATTACH %s AS out", args->attach, '\'');
}

/* Writes all tables that have rows, in one transaction. */
static int write_all(const struct query_arguments *args, const struct cli_query_shell *shell)
{
    const struct cairn_query_table *tables;
    size_t count;
    int status = cli_query_run(shell, "BEGIN");

    if (cairn_query_tables(shell->query, &tables, &count)) {
        cli_error(args->verb, "%s", strerror(ENOMEM));
        return CLI_FAILED;
    }
    for (size_t n = 0; n < count && !status; n++)
        status = run_quoted(shell, "CREATE TABLE out.%s AS SELECT * FROM %s", tables[n].name, '"');
    return status ? status : cli_query_run(shell, "COMMIT");
}

static int work(const struct query_arguments *args, struct cli_query_shell *shell)
{
    int status = args->attach ? attach(args, shell) : CLI_OK;

    if (status)
        return status;
    if (args->tables || args->schema)
        return cli_query_list(shell, NULL, args->schema);
    if (args->sql)
        return cli_query_run(shell, args->sql);
    return args->attach ? write_all(args, shell) : cli_query_shell(shell);
}

/* Parquet is binary, and of one statement. */
static int begin_parquet(struct query_arguments *args, struct cli_query_parquet *parquet)
{
    int err;

    if (!args->sql || args->tables || args->schema || isatty(STDOUT_FILENO)) {
        cli_error(args->verb, "the format parquet needs SQL, and an output that is no terminal");
        return CLI_USAGE;
    }
    (void)signal(SIGPIPE, SIG_IGN); /* writing fails instead if it ends early */
    err = cli_query_parquet_begin(parquet);
    if (err == ENOENT)
        cli_error(args->verb, "the format parquet needs the program duckdb, which is not in PATH");
    else if (err)
        cli_errno(args->verb, err, "cannot start duckdb");
    args->printer.to = parquet->rows;
    return err ? CLI_FAILED : CLI_OK;
}

static int end_parquet(const struct query_arguments *args, struct cli_query_parquet *parquet,
                       int status)
{
    int ended = cli_query_parquet_end(parquet, !status);

    if (status || !ended)
        return status;
    if (ended < 0)
        cli_error(args->verb, "duckdb was ended by a signal");
    else
        cli_error(args->verb, "duckdb ended with the exit status %d", ended);
    return CLI_FAILED;
}

static int run_all(struct query_arguments *args, struct cli_query_shell *shell)
{
    struct cli_query_parquet parquet = {0};
    int status = CLI_OK;

    if (args->printer.format == CLI_QUERY_PARQUET)
        status = begin_parquet(args, &parquet);
    if (!status)
        status = work(args, shell);
    return end_parquet(args, &parquet, status);
}

static int open_and_run(struct query_arguments *args)
{
    struct cairn_query_options open = CAIRN_QUERY_OPTIONS_INIT;
    struct cli_query_shell shell = {
        .verb = args->verb, .printer = &args->printer, .interrupts = &interrupts};
    struct cairn_query_error error = {0};
    struct cairn_query *query;
    int status;
    int err;

    open.paths = (const char *const *)args->paths;
    open.path_count = args->path_count;
    open.threads = args->jobs;
    err = cairn_query_open(&open, &error, &query);
    if (err) {
        cli_error(args->verb, "%s", *error.text ? error.text : strerror(err));
        return CLI_FAILED;
    }
    handle_signals(query, !args->sql && !args->attach);
    shell.query = query;
    status = run_all(args, &shell);
    if (cli_query_report_files(&shell))
        status = CLI_FAILED;
    running = NULL;
    cairn_query_close(query);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct query_arguments args = {.verb = verb, .printer = {.to = stdout}};
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        return cli_print_help(verb);
    if (!status && args.examples) {
        cli_query_print_examples();
        return CLI_OK;
    }
    return status ? status : open_and_run(&args);
}

const struct cli_verb cli_query = {
    .name = "query",
    .summary = "run SQL over recordings",
    .usage = "query [options] FILE... [SQL]",
    .help = help,
    .run = run,
};
