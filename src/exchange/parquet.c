/* SPDX-License-Identifier: MIT */
/* Parquet, which the program duckdb makes of JSON lines: a column for each part of an event. */
#include "exchange/format.h"

#include <cairn/export.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* DuckDB would find types by reading ahead; events of each name have fields of their own. */
static const char columns[] =
    "{time: 'VARCHAR', clock: 'VARCHAR', time_ns: 'BIGINT', cpu: 'UINTEGER', pid: 'BIGINT',"
    " tid: 'BIGINT', comm: 'VARCHAR', container: 'VARCHAR', provider: 'VARCHAR', event: 'VARCHAR', "
    "level: 'VARCHAR',"
    " keyword: 'VARCHAR', opcode: 'VARCHAR', id: 'UINTEGER', version: 'UINTEGER', tag: 'UINTEGER', "
    "options: 'VARCHAR',"
    " activity: 'VARCHAR', related_activity: 'VARCHAR', stack: 'JSON', fields: 'JSON',"
    " symbols: 'JSON', error: 'VARCHAR'}";

struct parquet {
    struct cairn_printer *printer; /* of JSON lines, to the program */
    pid_t pid;                     /* 0: it does not run */
    int fd;                        /* its standard input; -1 */
};

/* ---- the program ---- */

/* "a'b" as 'a''b'. NULL: no memory. */
static char *quoted(const char *text)
{
    char *made = (char *)malloc(2 * strlen(text) + 3);
    char *to = made;

    if (!made)
        return NULL;
    *to++ = '\'';
    for (; *text; text++) {
        if (*text == '\'')
            *to++ = '\'';
        *to++ = *text;
    }
    *to++ = '\'';
    *to = 0;
    return made;
}

static char *make_sql(const char *path)
{
    char *name = quoted(path);
    char *sql = NULL;

    if (name && asprintf(&sql,
                         "COPY (SELECT * FROM read_json('/dev/stdin', format = "
                         "'newline_delimited', columns = %s)) TO %s (FORMAT parquet, "
                         "USE_TMP_FILE false)",
                         columns, name) < 0)
        sql = NULL;
    free(name);
    return sql;
}

/* Starts it with a pipe as its standard input. What it prints is no result. */
static int spawn(struct parquet *parquet, char *sql)
{
    char *arguments[] = {(char *)"duckdb",
                         (char *)"-init",
                         (char *)"/dev/null",
                         (char *)"-bail",
                         (char *)"-c",
                         sql,
                         NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    int err = posix_spawn_file_actions_init(&actions);

    if (err)
        return err;
    if (pipe2(ends, O_CLOEXEC)) {
        err = errno;
        posix_spawn_file_actions_destroy(&actions);
        return err;
    }
    err = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    if (!err)
        err = posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!err)
        err = posix_spawnp(&parquet->pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    parquet->fd = ends[1];
    if (err)
        parquet->pid = 0;
    return err;
}

static int start(struct parquet *parquet, const char *path)
{
    char *sql = make_sql(path);
    int err = sql ? spawn(parquet, sql) : ENOMEM;

    free(sql);
    return err;
}

/* Waits for its end. Returns 0, EIO. */
static int end_program(struct cairn_exporter *exporter, struct parquet *parquet)
{
    int status = -1;

    close(parquet->fd);
    parquet->fd = -1;
    while (waitpid(parquet->pid, &status, 0) < 0 && errno == EINTR)
        ;
    parquet->pid = 0;
    if (!status)
        return 0;
    if (WIFSIGNALED(status))
        (void)snprintf(exporter->problem, sizeof(exporter->problem),
                       "duckdb was ended by signal %d", WTERMSIG(status));
    else
        (void)snprintf(exporter->problem, sizeof(exporter->problem),
                       "duckdb ended with the exit status %d", WEXITSTATUS(status));
    return EIO;
}

/* ---- the format ---- */

static int begin(struct cairn_exporter *exporter)
{
    struct parquet *parquet;
    int err;

    if (!exporter->target.temporary)
        return ESPIPE; /* the program writes a file */
    parquet = (struct parquet *)calloc(1, sizeof(*parquet));
    if (!parquet)
        return ENOMEM;
    parquet->fd = -1;
    exporter->state = parquet;
    err = start(parquet, exporter->target.temporary);
    if (err == ENOENT)
        return EOPNOTSUPP; /* the program is not in PATH */
    return err ? err : cairn_printer_create(CAIRN_STYLE_JSONL, parquet->fd, &parquet->printer);
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct parquet *parquet = (struct parquet *)exporter->state;

    if (cairn_printer_event(parquet->printer, event))
        exchange_note_damage(exporter);
    return cairn_printer_has_failed(parquet->printer) ? cairn_printer_flush(parquet->printer) : 0;
}

static int finish(struct cairn_exporter *exporter)
{
    struct parquet *parquet = (struct parquet *)exporter->state;
    int err = cairn_printer_finish(parquet->printer);
    int ended = end_program(exporter, parquet);

    return ended ? ended : err;
}

static void destroy(struct cairn_exporter *exporter)
{
    struct parquet *parquet = (struct parquet *)exporter->state;

    if (!parquet)
        return;
    cairn_printer_destroy(parquet->printer);
    if (parquet->pid) { /* it must not take the end of its input for success */
        (void)kill(parquet->pid, SIGKILL);
        (void)end_program(exporter, parquet);
    } else if (parquet->fd >= 0) {
        close(parquet->fd);
    }
    free(parquet);
}

const struct exchange_format exchange_format_parquet = {
    .program = "duckdb",
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
