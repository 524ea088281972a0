/* SPDX-License-Identifier: MIT */
/* A program's first line: standard error, as the environment says. */
#include <cairn/tracing/layers.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool is_done;

static enum cairn_stderr_style style_of(const char *name)
{
    if (name && !strcmp(name, "compact"))
        return CAIRN_STDERR_COMPACT;
    return name && !strcmp(name, "json") ? CAIRN_STDERR_JSON : CAIRN_STDERR_HUMAN;
}

/* What the environment asks for; "error" when that is nothing at all. */
static const char *directives_text(void)
{
    const char *text = secure_getenv("CAIRN_LOG");

    return text && text[strspn(text, " ,")] ? text : "error";
}

/* Directives that are wrong are told to the person who wrote them, and "error" is used. */
static int parse_environment(struct cairn_directives **ret_directives)
{
    const char *text = directives_text();
    struct cairn_directives_error why;
    int error = cairn_directives_parse(text, ret_directives, &why);

    if (error != EINVAL)
        return error;
    (void)fprintf(stderr, "cairn: CAIRN_LOG=%s: at byte %zu: %s\n", text, why.at, why.reason);
    error = cairn_directives_parse("error", ret_directives, NULL);
    return error ? error : EINVAL;
}

static int install(struct cairn_directives *directives)
{
    const struct cairn_stderr_options options = {
        .fd = -1, .style = style_of(secure_getenv("CAIRN_LOG_STYLE"))};
    struct cairn_subscriber *subscriber = NULL;
    struct cairn_layer *layer = NULL;
    int error = cairn_subscriber_create(&subscriber);

    if (!error)
        error = cairn_stderr_layer_create(&options, &layer);
    if (!error)
        error = cairn_subscriber_add(subscriber, layer, directives);
    if (error) {
        cairn_layer_destroy(layer);
        cairn_directives_free(directives);
        (void)cairn_subscriber_destroy(subscriber);
        return error;
    }
    return cairn_subscriber_set_global(subscriber);
}

int cairn_tracing_init(void)
{
    struct cairn_directives *directives = NULL;
    int warning = 0;
    int error = 0;

    (void)pthread_mutex_lock(&mutex);
    if (!is_done) {
        warning = parse_environment(&directives);
        error = directives ? install(directives) : warning;
        is_done = !error;
    }
    (void)pthread_mutex_unlock(&mutex);
    return error ? error : warning;
}
