/* SPDX-License-Identifier: MIT */
/* Initializes tracing with one call: lines on standard error, as the environment configures
 * them. */
#include "core/atomic.h"
#include "engine/locks.h"
#include "os/number.h"
#include "os/terminal.h"
#include "tracing/directives_internal.h"
#include "tracing/line_values.h"
#include "tracing/registry.h"
#include "tracing/subscriber.h"
#include "tracing/thread.h"

#include <cairn/tracing/layers.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The subscriber and its layer are never freed. Protected by the lock of the call sites. */
static struct cairn_subscriber *subscriber;
static struct cairn_layer *layer;

/* ---- reading the environment ---- */

/* Messages for the person who set the environment variables. */
struct init_report {
    struct tracing_line text;
    int error; /* EINVAL: a variable is invalid */
};

static void add_problem(struct init_report *report, const char *variable, const char *text,
                        size_t length, size_t at, const char *what, const char *reason)
{
    tracing_line_printf(&report->text, "cairn: %s: \"", variable);
    tracing_line_human_text(&report->text, text, length);
    tracing_line_printf(&report->text, "\" at byte %zu %s: %s\n", at, what, reason);
}

/* By one write(2), since other threads may be writing too. Without a lock, since the other end may
 * not be reading. */
static void print(struct init_report *report)
{
    ssize_t written = 0;

    if (report->text.length)
        written = os_terminal_write(STDERR_FILENO, report->text.text, report->text.length);
    (void)written; /* an error cannot be reported anywhere */
    tracing_line_free(&report->text);
}

static enum cairn_stderr_style style_of(const char *name, bool *ret_is_known)
{
    static const char *const names[] = {[CAIRN_STDERR_HUMAN] = "human",
                                        [CAIRN_STDERR_COMPACT] = "compact",
                                        [CAIRN_STDERR_JSON] = "json"};

    *ret_is_known = true;
    for (unsigned i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
        if (!strcmp(name, names[i]))
            return (enum cairn_stderr_style)i;
    *ret_is_known = !name || !*name;
    return CAIRN_STDERR_HUMAN;
}

static enum cairn_stderr_style style_of_environment(struct init_report *report)
{
    const char *name = os_environment("CAIRN_LOG_STYLE");
    bool is_known;
    enum cairn_stderr_style style = style_of(name, &is_known);

    if (!is_known) {
        add_problem(report, "CAIRN_LOG_STYLE", name, strlen(name), 0, "is unknown",
                    "a style is human, compact or json; using human");
        report->error = EINVAL;
    }
    return style;
}

/* The value of CAIRN_LOG; "error" if it contains nothing. */
static const char *directives_text(void)
{
    const char *text = os_environment("CAIRN_LOG");

    return text && text[strspn(text, " ,")] ? text : "error";
}

struct environment {
    const char *text;
    struct init_report *report;
};

static void add_directive_problem(const struct environment *environment, const char *what,
                                  const struct cairn_directives_warning *warning)
{
    add_problem(environment->report, "CAIRN_LOG", environment->text + warning->directive_at,
                warning->directive_bytes, warning->at, what, warning->reason);
}

static void on_ignored(void *arg, const struct cairn_directives_warning *warning)
{
    const struct environment *environment = arg;

    add_directive_problem(environment, "is ignored", warning);
    environment->report->error = EINVAL;
}

static void on_unmatched(void *arg, const struct cairn_directives_warning *warning)
{
    add_directive_problem(arg, "matches nothing", warning);
}

/* Invalid directives are left out; if no directive is left, "error" is used. */
static int parse_environment(struct init_report *report, struct cairn_directives **ret_directives)
{
    struct environment environment = {directives_text(), report};
    int error =
        cairn_directives_parse_lossy(environment.text, ret_directives, on_ignored, &environment);

    if (!error && !(*ret_directives)->count) {
        cairn_directives_destroy(*ret_directives);
        error = cairn_directives_parse("error", ret_directives, NULL);
    }
    if (!error)
        (void)cairn_directives_check(*ret_directives, on_unmatched, &environment);
    return error;
}

/* ---- the subscriber ---- */

struct made {
    struct cairn_subscriber *subscriber;
    struct cairn_layer *layer;
};

static int make(enum cairn_stderr_style style, struct cairn_directives *directives,
                struct made *ret_made)
{
    const struct cairn_stderr_options options = {.size = sizeof(options), .fd = -1, .style = style};
    struct made made = {NULL, NULL};
    int error = cairn_subscriber_create(&made.subscriber);

    if (!error)
        error = cairn_stderr_layer_create(&options, &made.layer);
    if (!error)
        error = cairn_subscriber_add(made.subscriber, made.layer, directives);
    if (error) {
        cairn_layer_destroy(made.layer);
        cairn_directives_destroy(directives);
        (void)cairn_subscriber_destroy(made.subscriber);
        return error;
    }
    *ret_made = made;
    return 0;
}

/* True in the first of several threads that initialize at the same time. */
static bool install(const struct made *made)
{
    bool is_first;

    tracing_registry_lock();
    is_first = !subscriber;
    if (is_first) {
        layer = made->layer;
        core_store_release(&subscriber, made->subscriber);
        tracing_subscriber_replace_global(made->subscriber);
    }
    tracing_registry_unlock();
    return is_first;
}

static int init(struct init_report *report)
{
    struct cairn_directives *directives = NULL;
    enum cairn_stderr_style style = style_of_environment(report);
    int error = parse_environment(report, &directives);
    struct made made;

    if (!error)
        error = make(style, directives, &made);
    if (error)
        return error;
    if (install(&made)) {
        user_events_grace_period_wait();
        return report->error;
    }
    (void)cairn_subscriber_destroy(made.subscriber);
    report->text.length = 0;
    return 0;
}

int cairn_tracing_init(void)
{
    struct init_report report = {.error = 0};
    struct engine_edge edge;
    int error;

    if (tracing_in_callback())
        return EDEADLK;
    if (cairn_tracing_subscriber())
        return 0;
    engine_edge_enter(&edge);
    error = init(&report);
    print(&report);
    engine_edge_leave(&edge);
    return error;
}

struct cairn_subscriber *cairn_tracing_subscriber(void)
{
    return core_load_acquire(&subscriber);
}

struct cairn_layer *tracing_init_layer(void)
{
    return layer;
}

int cairn_tracing_reload(const char *text, struct cairn_directives_error *ret_error)
{
    struct cairn_directives *directives = NULL;
    int error;

    if (tracing_in_callback())
        return EDEADLK;
    if (!cairn_tracing_subscriber())
        return ENOENT;
    error = cairn_directives_parse(text, &directives, ret_error);
    if (error)
        return error;
    error = cairn_subscriber_reload(subscriber, layer, directives);
    if (error)
        cairn_directives_destroy(directives);
    return error;
}
