/* SPDX-License-Identifier: MIT */
/* A program's first line: standard error, as the environment says. */
#include "tracing/directives_internal.h"
#include "tracing/line_values.h"
#include "tracing/thread.h"

#include <cairn/tracing/layers.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The subscriber and its layer stay as long as the process. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct cairn_subscriber *subscriber;
static struct cairn_layer *layer;

/* ---- what the environment asks for ---- */

/* A line for the person who wrote it, in one write(2): other threads may be writing too. */
static void tell(const char *variable, const char *text, size_t length, size_t at, const char *what,
                 const char *reason)
{
    struct cairn_line line = {0};
    ssize_t written = 0;

    cairn_line_printf(&line, "cairn: %s: \"", variable);
    cairn_line_human_text(&line, text, length);
    cairn_line_printf(&line, "\" at byte %zu %s: %s\n", at, what, reason);
    if (line.text)
        written = write(STDERR_FILENO, line.text, line.length);
    (void)written; /* there is nobody else to tell */
    cairn_line_free(&line);
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

/* EINVAL: it is not known, and lines are human. */
static int style_of_environment(enum cairn_stderr_style *ret_style)
{
    const char *name = secure_getenv("CAIRN_LOG_STYLE");
    bool is_known;

    *ret_style = style_of(name, &is_known);
    if (is_known)
        return 0;
    tell("CAIRN_LOG_STYLE", name, strlen(name), 0, "is not known",
         "a style is human, compact or json; lines are human");
    return EINVAL;
}

/* What the environment asks for; "error" when that is nothing at all. */
static const char *directives_text(void)
{
    const char *text = secure_getenv("CAIRN_LOG");

    return text && text[strspn(text, " ,")] ? text : "error";
}

struct environment {
    const char *text;
    int error; /* EINVAL: something in it is wrong */
};

static void tell_directive(const struct environment *environment, const char *what,
                           const struct cairn_directives_warning *warning)
{
    tell("CAIRN_LOG", environment->text + warning->directive_at, warning->directive_bytes,
         warning->at, what, warning->reason);
}

static void tell_wrong(void *arg, const struct cairn_directives_warning *warning)
{
    struct environment *environment = arg;

    tell_directive(environment, "is left out", warning);
    environment->error = EINVAL;
}

static void tell_unknown(void *arg, const struct cairn_directives_warning *warning)
{
    tell_directive(arg, "fits nothing", warning);
}

/* Directives that are wrong are left out; when that is all of them, "error" is used. Returns EINVAL
 * with directives that can be used. */
static int parse_environment(struct cairn_directives **ret_directives)
{
    struct environment environment = {directives_text(), 0};
    int error =
        cairn_directives_parse_lossy(environment.text, ret_directives, tell_wrong, &environment);

    if (!error && !(*ret_directives)->count) {
        cairn_directives_free(*ret_directives);
        *ret_directives = NULL;
        error = cairn_directives_parse("error", ret_directives, NULL);
    }
    if (error)
        return error;
    (void)cairn_directives_check(*ret_directives, tell_unknown, &environment);
    return environment.error;
}

/* ---- the subscriber ---- */

static int install(enum cairn_stderr_style style, struct cairn_directives *directives)
{
    const struct cairn_stderr_options options = {.fd = -1, .style = style};
    struct cairn_subscriber *made = NULL;
    int error = cairn_subscriber_create(&made);

    if (!error)
        error = cairn_stderr_layer_create(&options, &layer);
    if (!error)
        error = cairn_subscriber_add(made, layer, directives);
    if (error) {
        cairn_layer_destroy(layer);
        layer = NULL;
        cairn_directives_free(directives);
        (void)cairn_subscriber_destroy(made);
        return error;
    }
    __atomic_store_n(&subscriber, made, __ATOMIC_RELEASE);
    return cairn_subscriber_set_global(made);
}

static int init(void)
{
    struct cairn_directives *directives = NULL;
    enum cairn_stderr_style style;
    int warning = style_of_environment(&style);
    int error = parse_environment(&directives);

    if (!directives)
        return error;
    warning = warning ? warning : error;
    error = install(style, directives);
    return error ? error : warning;
}

int cairn_tracing_init(void)
{
    int error = 0;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    (void)pthread_mutex_lock(&mutex);
    if (!subscriber)
        error = init();
    (void)pthread_mutex_unlock(&mutex);
    return error;
}

struct cairn_subscriber *cairn_tracing_subscriber(void)
{
    return __atomic_load_n(&subscriber, __ATOMIC_ACQUIRE);
}

int cairn_tracing_reload(const char *text, struct cairn_directives_error *ret_error)
{
    struct cairn_directives *directives = NULL;
    int error;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    if (!cairn_tracing_subscriber())
        return ENOENT;
    error = cairn_directives_parse(text, &directives, ret_error);
    if (error)
        return error;
    error = cairn_subscriber_reload(subscriber, layer, directives);
    if (error)
        cairn_directives_free(directives);
    return error;
}
