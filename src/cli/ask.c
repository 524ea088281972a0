/* SPDX-License-Identifier: MIT */
/* cairn ask: common questions about recordings, which are answered by SQL that is printed, too. */
#include "cli/query_shell.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_OF = 0x100, OPTION_BY, OPTION_EVERY, OPTION_TOP, OPTION_FROM, OPTION_TO };

static const struct option options[] = {
    {"of", required_argument, NULL, OPTION_OF},
    {"by", required_argument, NULL, OPTION_BY},
    {"from", required_argument, NULL, OPTION_FROM},
    {"to", required_argument, NULL, OPTION_TO},
    {"every", required_argument, NULL, OPTION_EVERY},
    {"top", required_argument, NULL, OPTION_TOP},
    {"format", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Answers a question about recordings. The SQL is printed on standard error: change it, and\n"
    "run it with cairn query.\n"
    "\n"
    "  slow       the activities that took longest; with --of and --by, the events with the\n"
    "             largest values of a field\n"
    "  count      how many events of each name; with --of and --by, for each value of a field\n"
    "  rate       how many events in each second, or --every 100ms\n"
    "  spread     quantiles of the durations of activities; with --of and --by, of a field\n"
    "  who        the threads that write the most events\n"
    "  waits      what the threads of the slowest activities waited for, and who had the CPU or\n"
    "             woke them; with --from and --to, of the longest times between two events\n"
    "  preempted  who preempted whom\n"
    "  lost       what was lost, and why\n"
    "\n"
    "      --of EVENT       events of this name: EVENT or PROVIDER:EVENT\n"
    "      --by FIELD       a field of these events, or another column\n"
    "      --from EVENT     of waits: each time begins with this event of a thread,\n"
    "      --to EVENT       and ends if this one follows\n"
    "      --every TIME     of rate: 100ms, 1s, 1m [default: 1s]\n"
    "      --top N          of slow, count, who, preempted: N rows; of waits: N activities\n"
    "                       [default: 10]\n"
    "  -f, --format FORMAT  table, csv, json or jsonl [default: table]\n"
    "  -h, --help           print this\n"
    "\n"
    "Exit status: 0; 1 if a file could be read in part only; 2 if the command line is invalid;\n"
    "4 if there is no event of this name.\n"
    "\n"
    "  cairn ask slow --of Command --by DurationUs redis.cairn\n"
    "  cairn ask waits trace.cairn\n"
    "  cairn ask waits --from readQueryFromClient --to writeToClient --top 3 redis.cairn\n";

struct ask_arguments {
    const struct cli_verb *verb;
    struct cli_query_printer printer;
    const struct question *question;
    const char *of;
    const char *by;
    const char *from;
    const char *to;
    const char *every;
    unsigned long top;
    char **paths;
    size_t path_count;
};

/* The parts of the SQL that depend on the arguments, quoted. */
struct ask_words {
    const char *table; /* of --of, or a table of all events */
    const char *by;
    const char *every;
    const char *from; /* conditions; NULL: no --from and --to */
    const char *to;
    unsigned long top;
};

/* Makes SQL of words, as asprintf does. */
typedef int make_fn(char **ret_sql, const struct ask_words *words);

static int make_slow(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql,
                    "SELECT name, comm, tid, duration_ns / 1e6 AS ms, wall(start_ns) AS start, "
                    "start_fields\n  FROM spans ORDER BY duration_ns DESC LIMIT %lu",
                    words->top);
}

static int make_slow_of(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql, "SELECT * FROM %s ORDER BY %s DESC LIMIT %lu", words->table, words->by,
                    words->top);
}

static int make_count(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql,
                    "SELECT provider, event, count(*) AS events FROM %s\n"
                    "  GROUP BY provider, event ORDER BY events DESC LIMIT %lu",
                    words->table, words->top);
}

static int make_count_of(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql,
                    "SELECT %s, count(*) AS events FROM %s\n"
                    "  GROUP BY 1 ORDER BY events DESC LIMIT %lu",
                    words->by, words->table, words->top);
}

static int make_rate(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql,
                    "SELECT wall(time_bucket(%s, time_ns)) AS begin, count(*) AS events\n"
                    "  FROM %s GROUP BY 1 ORDER BY 1",
                    words->every, words->table);
}

static int make_spread(char **ret_sql, const struct ask_words *words)
{
    (void)words;
    return asprintf(
        ret_sql,
        "SELECT name, count(*) AS count, median(duration_ns) / 1e6 AS p50_ms,\n"
        "    percentile(duration_ns, 90) / 1e6 AS p90_ms, percentile(duration_ns, 99) / 1e6 AS "
        "p99_ms,\n    max(duration_ns) / 1e6 AS max_ms FROM spans GROUP BY name ORDER BY count "
        "DESC");
}

static int make_spread_of(char **ret_sql, const struct ask_words *words)
{
    const char *by = words->by;

    return asprintf(ret_sql,
                    "SELECT count(%s) AS count, min(%s) AS min, median(%s) AS p50,\n"
                    "    percentile(%s, 90) AS p90, percentile(%s, 99) AS p99, max(%s) AS max,\n"
                    "    histogram(%s) AS histogram FROM %s",
                    by, by, by, by, by, by, by, words->table);
}

static int make_who(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql,
                    "SELECT comm, pid, tid, events FROM threads ORDER BY events DESC LIMIT %lu",
                    words->top);
}

/* The slowest activities; or the longest times from an event to the next of these events of the
 * same thread, if that is the other one. */
static int make_slowest(char **ret_sql, const struct ask_words *words)
{
    if (!words->from)
        return asprintf(ret_sql,
                        "slow AS (SELECT name, tid, recording, start_ns, stop_ns FROM spans\n"
                        "    ORDER BY duration_ns DESC LIMIT %lu),",
                        words->top);
    return asprintf(ret_sql,
                    "step AS (SELECT event AS name, tid, recording, time_ns AS start_ns,\n"
                    "    lead(time_ns) OVER next AS stop_ns, %s AS begins, lead(%s) OVER next AS "
                    "ends\n    FROM events WHERE %s OR %s\n"
                    "    WINDOW next AS (PARTITION BY tid, recording ORDER BY time_ns)),\n"
                    "  slow AS (SELECT name, tid, recording, start_ns, stop_ns FROM step\n"
                    "    WHERE begins AND ends ORDER BY stop_ns - start_ns DESC LIMIT %lu),",
                    words->from, words->to, words->from, words->to, words->top);
}

/*
 * A thread that is runnable waits for the CPU that others have; one that sleeps or is blocked, for
 * the thread that wakes it.
 */
static int make_waits(char **ret_sql, const struct ask_words *words)
{
    char *slowest;
    int size = make_slowest(&slowest, words);

    if (size < 0)
        return size;
    size = asprintf(
        ret_sql,
        "WITH %s\n"
        "  part AS (SELECT s.*, t.state, t.cpu, t.stop_ns AS state_stop_ns,\n"
        "      max(s.start_ns, t.start_ns) AS begin_ns, min(s.stop_ns, t.stop_ns) AS end_ns\n"
        "    FROM slow s JOIN thread_state t\n"
        "      ON t.tid = s.tid AND t.recording = s.recording\n"
        "        AND t.stop_ns > s.start_ns AND t.start_ns < s.stop_ns),\n"
        "  who AS (SELECT p.*, c.comm AS who, overlap(begin_ns, end_ns, c.start_ns, c.stop_ns) AS "
        "ns\n    FROM part p JOIN sched c\n"
        "      ON c.cpu = p.cpu AND c.recording = p.recording\n"
        "        AND c.stop_ns > p.begin_ns AND c.start_ns < p.end_ns\n"
        "    WHERE p.state = 'runnable'\n"
        "    UNION ALL SELECT p.*, n.comm, end_ns - begin_ns FROM part p\n"
        "    LEFT JOIN thread_state w\n"
        "      ON w.tid = p.tid AND w.recording = p.recording AND w.start_ns = p.state_stop_ns\n"
        "        AND p.state <> 'running'\n"
        "    LEFT JOIN (SELECT tid, recording, max(comm) AS comm FROM sched GROUP BY 1, 2) n\n"
        "      ON n.tid = w.waker AND n.recording = w.recording\n"
        "    WHERE p.state <> 'runnable')\n"
        "SELECT name, tid, wall(start_ns) AS start, (stop_ns - start_ns) / 1e6 AS ms, state, who,\n"
        "    sum(ns) / 1e6 AS state_ms FROM who GROUP BY start_ns, tid, recording, state, who\n"
        "  ORDER BY stop_ns - start_ns DESC, start_ns, state_ms DESC",
        slowest);
    free(slowest);
    return size;
}

static int make_preempted(char **ret_sql, const struct ask_words *words)
{
    return asprintf(ret_sql,
                    "SELECT comm AS preempted, next_comm AS by, count(*) AS times FROM sched\n"
                    "  WHERE end_state = 'runnable' AND tid <> 0 GROUP BY 1, 2\n"
                    "  ORDER BY times DESC LIMIT %lu",
                    words->top);
}

static int make_lost(char **ret_sql, const struct ask_words *words)
{
    (void)words;
    return asprintf(ret_sql,
                    "SELECT path, cause, events, processes FROM losses ORDER BY events DESC");
}

static const struct question {
    const char *name;
    make_fn *make;
    make_fn *make_of; /* with --of and --by; NULL: it takes no --by */
    bool takes_of;    /* without --by */
} questions[] = {
    {"slow", make_slow, make_slow_of, false},
    {"count", make_count, make_count_of, true},
    {"rate", make_rate, NULL, true},
    {"spread", make_spread, make_spread_of, false},
    {"who", make_who, NULL, false},
    {"waits", make_waits, NULL, false},
    {"preempted", make_preempted, NULL, false},
    {"lost", make_lost, NULL, false},
};

/* ---- the command line ---- */

static int take_top(struct ask_arguments *args, const char *text)
{
    char *end;

    errno = 0;
    args->top = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno)
        return CLI_OK;
    cli_error(args->verb, "--top takes a number of rows: %s", text);
    return CLI_USAGE;
}

static int take_option(struct ask_arguments *args, int option, char **argv)
{
    switch (option) {
    case OPTION_OF:
        args->of = optarg;
        return CLI_OK;
    case OPTION_BY:
        args->by = optarg;
        return CLI_OK;
    case OPTION_FROM:
        args->from = optarg;
        return CLI_OK;
    case OPTION_TO:
        args->to = optarg;
        return CLI_OK;
    case OPTION_EVERY:
        args->every = optarg;
        return CLI_OK;
    case OPTION_TOP:
        return take_top(args, optarg);
    case 'f':
        if (cli_query_find_format(optarg, &args->printer.format))
            return CLI_OK;
        cli_error(args->verb, "no such format: %s (table, csv, json and jsonl)", optarg);
        return CLI_USAGE;
    default:
        return cli_bad_option(args->verb, option, argv);
    }
}

static int take_question(struct ask_arguments *args, const char *name)
{
    for (size_t n = 0; n < sizeof(questions) / sizeof(*questions); n++) {
        if (!strcmp(name, questions[n].name))
            args->question = &questions[n];
    }
    if (!args->question) {
        cli_error(args->verb, "no such question: %s (cairn ask --help lists them)", name);
        return CLI_USAGE;
    }
    if ((args->of && !args->by && !args->question->takes_of) ||
        (args->by && (!args->of || !args->question->make_of)) ||
        (args->of && !args->question->make_of && !args->question->takes_of)) {
        cli_error(args->verb, "%s takes %s", name,
                  args->question->make_of    ? "--by with --of"
                  : args->question->takes_of ? "--of, but not --by"
                                             : "neither --of nor --by");
        return CLI_USAGE;
    }
    if ((args->from || args->to) &&
        (!args->from || !args->to || args->question->make != make_waits)) {
        cli_error(args->verb, "--from and --to are options of waits, and need each other");
        return CLI_USAGE;
    }
    return CLI_OK;
}

static int parse_arguments(int argc, char **argv, struct ask_arguments *args, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":f:h", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(args, option, argv);
        if (status)
            return status;
    }
    if (argc - optind < 2) {
        cli_error(args->verb, "name a question and a file");
        return CLI_USAGE;
    }
    args->paths = argv + optind + 1;
    args->path_count = (size_t)(argc - optind - 1);
    return take_question(args, argv[optind]);
}

/* ---- the answer ---- */

static bool is_of(const char *table, const char *event)
{
    const char *colon = strchr(table, ':');

    return !strcmp(table, event) || (colon && !strcmp(colon + 1, event));
}

/* Finds the table of an event. */
static int find_table(const struct ask_arguments *args, struct cairn_query *query,
                      const char *event, const char **ret_table)
{
    const struct cairn_query_table *tables;
    const char *found = NULL;
    size_t count;

    if (cairn_query_tables(query, &tables, &count)) {
        cli_error(args->verb, "%s", strerror(ENOMEM));
        return CLI_FAILED;
    }
    for (size_t n = 0; n < count; n++) {
        if (!tables[n].is_event || !is_of(tables[n].name, event))
            continue;
        if (found) {
            cli_error(args->verb, "%s is %s and %s: name its provider, too", event, found,
                      tables[n].name);
            return CLI_USAGE;
        }
        found = tables[n].name;
    }
    if (!found) {
        cli_error(args->verb, "there is no event %s (cairn query --tables lists them)", event);
        return CLI_NOTHING;
    }
    *ret_table = found;
    return CLI_OK;
}

/* Returns the condition that an event has a name, which the caller frees; NULL: no memory. */
static char *make_condition(const char *name)
{
    const char *colon = strchr(name, ':');
    char *event = cli_query_quote(colon ? colon + 1 : name, '\'');
    char *provider_name = colon ? strndup(name, (size_t)(colon - name)) : NULL;
    char *provider = provider_name ? cli_query_quote(provider_name, '\'') : NULL;
    char *condition = NULL;
    int size = -1;

    if (event && !colon)
        size = asprintf(&condition, "event = %s", event);
    else if (event && provider)
        size = asprintf(&condition, "(provider = %s AND event = %s)", provider, event);
    free(event);
    free(provider);
    free(provider_name);
    return size < 0 ? NULL : condition;
}

/* Returns the SQL, which the caller frees; NULL: no memory. */
static char *make_sql(const struct ask_arguments *args, const char *table)
{
    char *quoted_table = cli_query_quote(table ? table : "events", '"');
    char *by = cli_query_quote(args->by ? args->by : "", '"');
    char *every = cli_query_quote(args->every, '\'');
    char *from = args->from ? make_condition(args->from) : NULL;
    char *to = args->to ? make_condition(args->to) : NULL;
    const struct ask_words words = {quoted_table, by, every, from, to, args->top};
    char *sql = NULL;

    if (!quoted_table || !by || !every || (args->from && !from) || (args->to && !to) ||
        (args->by ? args->question->make_of : args->question->make)(&sql, &words) < 0)
        sql = NULL;
    free(quoted_table);
    free(by);
    free(every);
    free(from);
    free(to);
    return sql;
}

static int answer(const struct ask_arguments *args, const struct cli_query_shell *shell)
{
    const char *table = NULL;
    const char *other;
    int status = args->of ? find_table(args, shell->query, args->of, &table) : CLI_OK;
    char *sql;

    if (!status && args->from)
        status = find_table(args, shell->query, args->from, &other);
    if (!status && args->to)
        status = find_table(args, shell->query, args->to, &other);
    if (status)
        return status;
    sql = make_sql(args, table);
    if (!sql) {
        cli_error(args->verb, "%s", strerror(ENOMEM));
        return CLI_FAILED;
    }
    (void)fprintf(stderr, "%s;\n", sql);
    status = cli_query_run(shell, sql);
    free(sql);
    return status;
}

static int open_and_answer(struct ask_arguments *args)
{
    struct cairn_query_options open = CAIRN_QUERY_OPTIONS_INIT;
    struct cli_query_shell shell = {.verb = args->verb, .printer = &args->printer};
    struct cairn_query_error error = {0};
    int status;
    int err;

    open.paths = (const char *const *)args->paths;
    open.path_count = args->path_count;
    err = cairn_query_open(&open, &error, &shell.query);
    if (err) {
        cli_error(args->verb, "%s", *error.text ? error.text : strerror(err));
        return CLI_FAILED;
    }
    status = answer(args, &shell);
    if (cli_query_report_files(&shell) && !status)
        status = CLI_FAILED;
    cairn_query_close(shell.query);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct ask_arguments args = {.verb = verb, .printer = {.to = stdout}, .every = "1s", .top = 10};
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        return cli_print_help(verb);
    return status ? status : open_and_answer(&args);
}

const struct cli_verb cli_ask = {
    .name = "ask",
    .summary = "answer common questions about recordings, and print their SQL",
    .usage = "ask QUESTION [options] FILE...",
    .help = help,
    .run = run,
};
