/* SPDX-License-Identifier: MIT */
/*
 * A program that is in spans when a recorder begins: open_spans. It enters the span `request` and,
 * in another thread, `query`, prints "ready", and writes an event each millisecond until ten were
 * enabled. Then `query` ends; `request` does not. With an argument it closes its standard output
 * then, and waits to be killed.
 */
#include <cairn/tracing.h>

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int add_layer(void)
{
    struct cairn_eventheader_options options = CAIRN_EVENTHEADER_OPTIONS_INIT;
    struct cairn_subscriber *subscriber;
    struct cairn_layer *layer;

    options.name = "Open_Spans";
    options.keeps_spans = 1;
    return cairn_subscriber_create(&subscriber) ||
           cairn_eventheader_layer_create(&options, &layer) ||
           cairn_subscriber_add(subscriber, layer, NULL) || cairn_subscriber_set_global(subscriber);
}

static void write_events(void)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int enabled = 0;

    for (int i = 0; i < 20000 && enabled < 10; i++) {
        (void)nanosleep(&pause, NULL);
        if (CAIRN_ENABLED(DEBUG))
            enabled++;
        CAIRN_DEBUG((kv("number", i), name("Tick")));
    }
}

static void *serve(void *arg)
{
    CAIRN_IN_SPAN(arg);
    CAIRN_SCOPE(INFO, "query", kv("table", "people"), kv("rows", cairn_empty()));

    puts("ready");
    (void)fflush(stdout);
    write_events();
    return NULL;
}

int main(int argc, char **argv)
{
    struct cairn_span *request;
    pthread_t thread;

    if (add_layer())
        return 1;
    request = CAIRN_SPAN(INFO, "request", kv("id", 7));
    if (pthread_create(&thread, NULL, serve, request))
        return 1;
    (void)pthread_join(thread, NULL);
    (void)argv;
    if (argc > 1 && !fclose(stdout))
        (void)pause();
    return 0;
}
