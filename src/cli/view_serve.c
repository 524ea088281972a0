/* SPDX-License-Identifier: MIT */
/* Serves a page from a thread of its own. */
#include "cli/view.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAIT_MS 200 /* in which the thread notices that it should end */

/* ---- the thread ---- */

static void *serve(void *context)
{
    struct cli_view *view = (struct cli_view *)context;

    while (view->has_thread) {
        if (cairn_report_server_wait(view->server, WAIT_MS))
            continue;
        atomic_store(&view->is_waited, true);
        pthread_mutex_lock(&view->lock);
        cairn_report_server_answer(view->server);
        atomic_store(&view->is_waited, false);
        pthread_mutex_unlock(&view->lock);
    }
    return NULL;
}

void cli_view_lock(struct cli_view *view)
{
    /* The mutex is not fair: without this the server might wait for all events. */
    while (atomic_load(&view->is_waited))
        sched_yield();
    pthread_mutex_lock(&view->lock);
}

void cli_view_unlock(struct cli_view *view)
{
    pthread_mutex_unlock(&view->lock);
}

/* Signals are the main thread's. */
static int start_thread(struct cli_view *view)
{
    sigset_t all;
    sigset_t before;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    view->has_thread = true;
    err = pthread_create(&view->thread, NULL, serve, view);
    view->has_thread = !err;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return err;
}

/* ---- opening and closing ---- */

static int open_data(void)
{
    const char *directory = getenv("TMPDIR");
    char path[4096];
    int fd;

    if (!directory || !*directory)
        directory = "/tmp";
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd;
    if (snprintf(path, sizeof(path), "%s/cairn-view.XXXXXX", directory) >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

static int open_all(struct cli_view *view)
{
    const struct cairn_report_options options = {
        .size = sizeof(options), .title = view->title, .data_only = true};
    struct cairn_report_server_options server = CAIRN_REPORT_SERVER_OPTIONS_INIT;
    int err;

    view->data_fd = open_data();
    if (view->data_fd < 0)
        return errno;
    err = cairn_report_create(&options, view->data_fd, &view->report);
    if (err)
        return err;
    server.report = view->report;
    server.data_fd = view->data_fd;
    server.port = view->port;
    return cairn_report_server_create(&server, &view->server);
}

int cli_view_open(struct cli_view *view)
{
    int err;

    view->data_fd = -1;
    pthread_mutex_init(&view->lock, NULL);
    err = open_all(view);
    if (!err) {
        printf("%s\n", cairn_report_server_url(view->server));
        fflush(stdout);
        err = start_thread(view);
    }
    if (!err)
        return CLI_OK;
    cli_errno(view->verb, err, "cannot serve");
    return CLI_FAILED;
}

int cli_view_finish(struct cli_view *view)
{
    cli_view_lock(view);
    if (!view->error)
        view->error = cairn_report_finish(view->report);
    cli_view_unlock(view);
    if (!view->error)
        return CLI_OK;
    cli_errno(view->verb, view->error, "the data of the page");
    return CLI_FAILED;
}

void cli_view_close(struct cli_view *view)
{
    if (view->has_thread) {
        view->has_thread = false;
        pthread_join(view->thread, NULL);
    }
    cairn_report_server_destroy(view->server);
    cairn_report_destroy(view->report);
    if (view->report)
        close(view->data_fd);
}

int cli_view_set_port(struct cli_view *view, const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);

    if (end != text && !*end && port <= UINT16_MAX) {
        view->port = (uint16_t)port;
        return CLI_OK;
    }
    cli_error(view->verb, "not a port: %s", text);
    return CLI_USAGE;
}
