/* SPDX-License-Identifier: MIT */
/* Reads SQL and commands, as sqlite3 does. */
#include "cli/query_shell.h"

#include <cairn/perf_data.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#ifdef CLI_HAVE_EDITLINE
#include <dlfcn.h>
#include <editline/readline.h>
#endif

static const char help[] = ".examples         questions that people ask, and their SQL\n"
                           ".help             this\n"
                           ".mode FORMAT      table, csv, json or jsonl\n"
                           ".quit             ends, as the end of the input does\n"
                           ".schema [TABLE]   columns; TABLE may have * and ?\n"
                           ".tables [TABLE]   names of tables\n"
                           ".timer on|off     how long each SQL takes\n"
                           "SQL ends with a semicolon.\n";

/* ---- SQL ---- */

static void report(const struct cli_query_shell *shell, const char *sql,
                   const struct cairn_query_error *error)
{
    struct cairn_query_error own = *error;
    size_t begin = error->position;
    size_t length;

    cli_query_make_printable(own.text);
    cli_error(shell->verb, "%s", own.text);
    if (!error->is_of_sql || error->position == SIZE_MAX)
        return;
    while (begin && sql[begin - 1] != '\n')
        begin--;
    length = strcspn(sql + begin, "\n");
    (void)fprintf(stderr, "  %.*s\n  %*s^ here\n", (int)length, sql + begin,
                  (int)(error->position - begin), "");
}

struct times {
    double real, user, sys;
};

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

static struct times now(void)
{
    struct timespec real;
    struct rusage used;

    (void)clock_gettime(CLOCK_MONOTONIC, &real);
    (void)getrusage(RUSAGE_SELF, &used);
    return (struct times){(double)real.tv_sec + (double)real.tv_nsec / 1e9, seconds(used.ru_utime),
                          seconds(used.ru_stime)};
}

static int run(const struct cli_query_shell *shell, const char *sql)
{
    int err = cairn_query_run(shell->query, sql, cli_query_print_row, shell->printer);
    int end_err = cli_query_print_end(shell->printer);

    if (err == EINVAL || err == ECANCELED)
        report(shell, sql, cairn_query_error(shell->query));
    else if (err && err != EPIPE)
        cli_error(shell->verb, "%s", strerror(err));
    return err || end_err ? CLI_FAILED : CLI_OK;
}

int cli_query_run(const struct cli_query_shell *shell, const char *sql)
{
    struct times begin = now();
    int status = run(shell, sql);
    struct times end = now();

    if (shell->is_timed)
        printf("Run Time: real %.6f user %.6f sys %.6f\n", end.real - begin.real,
               end.user - begin.user, end.sys - begin.sys);
    return status;
}

char *cli_query_quote(const char *text, char quote)
{
    char *sql = (char *)malloc(2 * strlen(text) + 3);
    char *to = sql;

    if (!sql)
        return NULL;
    *to++ = quote;
    for (; *text; text++) {
        if (*text == quote)
            *to++ = quote;
        *to++ = *text;
    }
    *to++ = quote;
    *to = 0;
    return sql;
}

int cli_query_report_files(const struct cli_query_shell *shell)
{
    int status = CLI_OK;

    for (size_t n = 0; n < cairn_query_file_count(shell->query); n++) {
        const struct cairn_query_file *file = cairn_query_file(shell->query, n);

        if (file->lost)
            cli_error(shell->verb, "%s: %" PRIu64 " events were lost while recording", file->path,
                      file->lost);
        if (file->damaged || file->unreadable)
            cli_error(shell->verb,
                      "%s: %" PRIu64 " events are damaged, %" PRIu64 " more cannot be read",
                      file->path, file->damaged, file->unreadable);
        if (file->code == EBADMSG && file->text && file->offset == CAIRN_PERF_ERROR_NO_OFFSET)
            cli_error(shell->verb, "%s: %s", file->path, file->text);
        else if (file->code == EBADMSG && file->text)
            cli_error(shell->verb, "%s: at byte %" PRIu64 ": %s", file->path, file->offset,
                      file->text);
        else if (file->code)
            cli_errno(shell->verb, file->code, "%s", file->path);
        if (file->code || file->damaged || file->unreadable)
            status = CLI_FAILED;
    }
    return status;
}

/* ---- commands ---- */

/* Names are the recording's: they may have any characters. */
static int print_line(const char *text)
{
    char *line = strdup(text);

    if (!line)
        return ENOMEM;
    cli_query_make_printable(line);
    puts(line);
    free(line);
    return 0;
}

int cli_query_list(const struct cli_query_shell *shell, const char *glob, bool schema)
{
    const struct cairn_query_table *tables;
    size_t count = 0;
    int err = cairn_query_tables(shell->query, &tables, &count);

    for (size_t n = 0; n < count && !err; n++) {
        if (!glob || !fnmatch(glob, tables[n].name, 0))
            err = print_line(schema ? tables[n].schema : tables[n].name);
    }
    if (!err)
        return CLI_OK;
    cli_error(shell->verb, "%s", strerror(err));
    return CLI_FAILED;
}

void cli_query_print_examples(void)
{
    for (size_t n = 0; n < cairn_query_example_count(); n++) {
        const struct cairn_query_example *example = cairn_query_example(n);

        printf("%s-- %zu. %s\n%s;\n", n ? "\n" : "", n + 1, example->question, example->sql);
    }
}

static int set_mode(const struct cli_query_shell *shell, const char *name)
{
    if (name && cli_query_find_format(name, &shell->printer->format))
        return CLI_OK;
    cli_error(shell->verb, "no such format: %s (table, csv, json and jsonl)", name ? name : "");
    return CLI_FAILED;
}

static int set_timer(struct cli_query_shell *shell, const char *text)
{
    bool is_on = text && !strcmp(text, "on");

    if (!is_on && (!text || strcmp(text, "off") != 0)) {
        cli_error(shell->verb, ".timer takes on or off");
        return CLI_FAILED;
    }
    shell->is_timed = is_on;
    return CLI_OK;
}

/* Returns an exit status; -1: to end. */
static int run_command(struct cli_query_shell *shell, char *line)
{
    char *word = strtok(line, " \t");
    char *argument = strtok(NULL, " \t");

    if (!strcmp(word, ".quit") || !strcmp(word, ".exit"))
        return -1;
    if (!strcmp(word, ".tables"))
        return cli_query_list(shell, argument, false);
    if (!strcmp(word, ".schema"))
        return cli_query_list(shell, argument, true);
    if (!strcmp(word, ".mode"))
        return set_mode(shell, argument);
    if (!strcmp(word, ".timer"))
        return set_timer(shell, argument);
    if (!strcmp(word, ".examples")) {
        cli_query_print_examples();
        return CLI_OK;
    }
    if (!strcmp(word, ".help")) {
        fputs(help, stdout);
        return CLI_OK;
    }
    cli_error(shell->verb, "no such command: %s (.help lists them)", word);
    return CLI_FAILED;
}

/* ---- lines ---- */

/* Returns a line without its end, which the caller frees; NULL: the end of the input. */
static char *read_plain(const char *prompt)
{
    char *line = NULL;
    size_t space = 0;
    ssize_t length;

    if (prompt) {
        fputs(prompt, stdout);
        (void)fflush(stdout);
    }
    length = getline(&line, &space, stdin);
    if (length < 0) {
        free(line);
        return NULL;
    }
    if (length && line[length - 1] == '\n')
        line[length - 1] = 0;
    return line;
}

#ifdef CLI_HAVE_EDITLINE

/* libedit, loaded when a line is edited: with what it needs it would make each command start later
 * by a sixth. */
struct editline {
    __typeof__(&readline) readline;
    __typeof__(&add_history) add_history;
};

/* Returns NULL: it is not installed. Debian's has another number than that of its authors. */
static const struct editline *load_editline(void)
{
    static struct editline editline;
    static bool is_loaded;
    void *library = NULL;

    if (!is_loaded)
        library = dlopen("libedit.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!is_loaded && !library)
        library = dlopen("libedit.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library) {
        editline.readline = (__typeof__(&readline))dlsym(library, "readline");
        editline.add_history = (__typeof__(&add_history))dlsym(library, "add_history");
    }
    is_loaded = true;
    return editline.readline && editline.add_history ? &editline : NULL;
}

static char *read_line(const char *prompt)
{
    const struct editline *editline = prompt ? load_editline() : NULL;
    char *line;

    if (!editline)
        return read_plain(prompt);
    line = editline->readline(prompt);
    if (line && *line)
        editline->add_history(line);
    return line;
}

#else

static char *read_line(const char *prompt)
{
    return read_plain(prompt);
}

#endif

enum sql_state {
    SQL_BLANK,    /* nothing but white space and comments */
    SQL_BEGUN,    /* more lines belong to it */
    SQL_COMPLETE, /* it ends with a semicolon */
};

/* Returns the end of a comment that begins here; sql: none does; NULL: it does not end. */
static const char *skip_comment(const char *sql)
{
    const char *end;

    if (sql[0] == '-' && sql[1] == '-')
        return sql + strcspn(sql, "\n");
    if (sql[0] != '/' || sql[1] != '*')
        return sql;
    end = strstr(sql + 2, "*/");
    return end ? end + 2 : NULL;
}

/* Returns the end of a character, or of a text or a name in quotes; NULL: it does not end. A quote
 * within quotes is doubled: for this, two texts are one. */
static const char *skip_token(const char *sql)
{
    const char *end;

    if (!strchr("'\"`[", *sql))
        return sql + 1;
    end = strchr(sql + 1, *sql == '[' ? ']' : *sql);
    return end ? end + 1 : NULL;
}

static enum sql_state state_of(const char *sql)
{
    enum sql_state state = SQL_BLANK;

    while (*sql) {
        const char *end = skip_comment(sql);

        if (end == sql) {
            end = skip_token(sql);
            if (*sql == ';')
                state = SQL_COMPLETE;
            else if (!strchr(" \t\n\f\r", *sql))
                state = SQL_BEGUN;
        }
        if (!end)
            return SQL_BEGUN;
        sql = end;
    }
    return state;
}

/* Adds a line, which it frees, to the SQL. Returns CLI_OK; CLI_FAILED: no memory. */
static int add_line(const struct cli_query_shell *shell, char **sql, char *line)
{
    char *longer = NULL;

    if (asprintf(&longer, "%s%s\n", *sql ? *sql : "", line) < 0)
        longer = NULL;
    free(line);
    free(*sql);
    *sql = longer;
    if (longer)
        return CLI_OK;
    cli_error(shell->verb, "%s", strerror(ENOMEM));
    return CLI_FAILED;
}

static int run_and_free(const struct cli_query_shell *shell, char **sql)
{
    int status = cli_query_run(shell, *sql);

    free(*sql);
    *sql = NULL;
    return status;
}

/* Adds a line, and runs the SQL if it is complete. A comment alone is dropped. */
static int take_line(const struct cli_query_shell *shell, char **sql, char *line)
{
    int result = add_line(shell, sql, line);
    enum sql_state state = result ? SQL_BEGUN : state_of(*sql);

    if (state == SQL_COMPLETE)
        return run_and_free(shell, sql);
    if (state == SQL_BLANK) {
        free(*sql);
        *sql = NULL;
    }
    return result;
}

/* Reads a line. On a terminal Ctrl-C drops the lines before. */
static char *next_line(const struct cli_query_shell *shell, bool is_terminal, char **sql)
{
    for (;;) {
        int before = *shell->interrupts;
        char *line = read_line(!is_terminal ? NULL : *sql ? "   ...> " : "cairn> ");

        if (line || !is_terminal || *shell->interrupts == before)
            return line;
        free(*sql);
        *sql = NULL;
        clearerr(stdin);
        puts("");
    }
}

int cli_query_shell(struct cli_query_shell *shell)
{
    bool is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int status = CLI_OK;
    char *sql = NULL;
    char *line;

    if (is_terminal)
        puts("SQL ends with a semicolon; .help lists commands, .tables the tables.");
    while ((line = next_line(shell, is_terminal, &sql)) != NULL) {
        int result = CLI_OK;

        if (!sql && *line == '.') {
            result = run_command(shell, line);
            free(line);
        } else if (sql || line[strspn(line, " \t")]) {
            result = take_line(shell, &sql, line);
        } else {
            free(line);
        }
        if (result < 0)
            break;
        status = result ? result : status;
    }
    if (sql && run_and_free(shell, &sql)) /* without its semicolon */
        status = CLI_FAILED;
    return status;
}
