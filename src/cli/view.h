/* SPDX-License-Identifier: MIT */
/* A page that is served while its events are read: the server has a thread of its own. */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include "cli/cli.h"

#include <cairn/report.h>
#include <pthread.h>
#include <stdatomic.h>

struct cli_view {
    const struct cli_verb *verb;
    const char *title;
    uint16_t port; /* 0: any */
    int data_fd;   /* a temporary file without a name */
    int error;     /* of a report */
    struct cairn_report *report;
    struct cairn_report_server *server;
    pthread_t thread;
    pthread_mutex_t lock;  /* of the report */
    atomic_bool is_waited; /* the server wants the lock */
    atomic_bool has_thread;
};

/* Begins to serve, and prints the address. Returns an exit status. */
int cli_view_open(struct cli_view *view);

/* Locks the report, for cairn_report_event. */
void cli_view_lock(struct cli_view *view);
void cli_view_unlock(struct cli_view *view);

/* Lets the server answer, if it waits: between events. */
static inline void cli_view_yield(struct cli_view *view)
{
    if (atomic_load_explicit(&view->is_waited, memory_order_relaxed)) {
        cli_view_unlock(view);
        cli_view_lock(view);
    }
}

/* Ends the events; the page stays. Returns an exit status. */
int cli_view_finish(struct cli_view *view);

/* Ends the server. Accepts a view that was not opened. */
void cli_view_close(struct cli_view *view);

/* Parses the value of --port. Returns an exit status. */
int cli_view_set_port(struct cli_view *view, const char *text);

/* Runs `cairn view --live`. */
int cli_view_live(const struct cli_verb *verb, int argc, char **argv);

#endif
