/* SPDX-License-Identifier: MIT */
/* Starts duckdb with a pipe as its standard input. */
#include "cli/cli.h"
#include "cli/query_parquet.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static char sql[] = "COPY (SELECT * FROM read_json('/dev/stdin', format = 'newline_delimited')) TO "
                    "'/dev/stdout' (FORMAT parquet)";

static int spawn(int from, pid_t *ret_pid)
{
    char *arguments[] = {(char *)"duckdb",
                         (char *)"-init",
                         (char *)"/dev/null",
                         (char *)"-bail",
                         (char *)"-c",
                         sql,
                         NULL};
    posix_spawn_file_actions_t actions;
    int err = posix_spawn_file_actions_init(&actions);

    if (err)
        return err;
    err = posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
    if (!err)
        err = posix_spawnp(ret_pid, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

int cli_query_parquet_begin(struct cli_query_parquet *parquet)
{
    int ends[2];
    int err;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    parquet->rows = fdopen(ends[1], "w");
    err = parquet->rows ? spawn(ends[0], &parquet->pid) : errno;
    close(ends[0]);
    if (!err)
        return 0;
    if (parquet->rows)
        (void)fclose(parquet->rows);
    else
        close(ends[1]);
    *parquet = (struct cli_query_parquet){0};
    return err;
}

int cli_query_parquet_end(struct cli_query_parquet *parquet, bool is_whole)
{
    int status = -1;

    if (!parquet->pid)
        return 0;
    if (!is_whole)
        (void)kill(parquet->pid, SIGKILL);
    (void)fclose(parquet->rows);
    while (waitpid(parquet->pid, &status, 0) < 0 && errno == EINTR)
        ;
    *parquet = (struct cli_query_parquet){0};
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
