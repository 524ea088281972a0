/* SPDX-License-Identifier: MIT */
/*
 * The writer of the tracing facade: an event with three fields to one layer of EventHeader events;
 * with BENCH_SPAN, entering and leaving a span; with BENCH_TWO_LAYERS, the event to two layers;
 * with BENCH_STDERR, the event to a layer of lines, which go to /dev/null if CAIRN_LOG selects
 * them.
 */
#include "loops.h"

#include <cairn/tracing.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

static struct cairn_subscriber *subscriber;

#ifdef BENCH_SPAN
static struct cairn_span *span;

static inline void emit_event(uint32_t number, const char *text)
{
    (void)number;
    (void)text;
    cairn_span_enter(span);
    cairn_span_exit(span);
}
#else
static inline void emit_event(uint32_t number, const char *text)
{
    CAIRN_INFO((name("event"), target("bench"), kv("number", number), kv("text", text),
                kv("half", number / 2)));
}
#endif

#ifdef BENCH_STDERR
static int add_layers(void)
{
    const struct cairn_stderr_options options = {.size = sizeof(options),
                                                 .fd = open("/dev/null", O_WRONLY | O_CLOEXEC)};
    const char *log = getenv("CAIRN_LOG");
    struct cairn_directives *filter = NULL;
    struct cairn_layer *layer;
    int error = options.fd < 0 ? errno : cairn_directives_parse(log ? log : "info", &filter, NULL);

    if (!error)
        error = cairn_stderr_layer_create(&options, &layer);
    return error ? error : cairn_subscriber_add(subscriber, layer, filter);
}
#else
static int add_layer(const char *name)
{
    const struct cairn_eventheader_options options = {.size = sizeof(options), .name = name};
    struct cairn_layer *layer;
    int error = cairn_eventheader_layer_create(&options, &layer);

    return error ? error : cairn_subscriber_add(subscriber, layer, NULL);
}

static int add_layers(void)
{
    int error = add_layer("Cairn_Bench_Tracing");

#ifdef BENCH_TWO_LAYERS
    if (!error)
        error = add_layer("Cairn_Bench_Second");
#endif
    return error;
}
#endif

static int open_event(void)
{
    int error = cairn_subscriber_create(&subscriber);

    if (!error)
        error = add_layers();
    return error ? error : cairn_subscriber_set_global(subscriber);
}

static bool event_enabled(void)
{
#ifdef BENCH_SPAN
    if (!span)
        span = CAIRN_SPAN(INFO, "span", target("bench"));
#endif
    return CAIRN_ENABLED(INFO, target("bench"));
}

int main(int argc, char **argv)
{
    static const struct bench_tracer tracing = {
        .open = open_event,
        .enabled = event_enabled,
        BENCH_LOOPS,
    };

    return bench_main(&tracing, argc, argv);
}
