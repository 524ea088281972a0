/* SPDX-License-Identifier: MIT */
/* Statements that users may write, in C17 and in C++17. Counts the events and spans that a layer
 * gets. */
#include "tracing_good.h"

#include <errno.h>
#include <string.h>

static unsigned events;
static unsigned spans;
static unsigned of_second;

static void count_event(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    (void)layer;
    events++;
    of_second += event->site->target_bytes == 6 && !memcmp(event->site->target, "second", 6);
}

static void count_span(struct cairn_layer *layer, struct cairn_span *span)
{
    (void)layer;
    (void)span;
    spans++;
}

static int all_types(void)
{
    const struct cairn_guid guid = {{1}};
    struct timespec time = {1, 2};
    unsigned char small = 1;
    int number = 3;

    CAIRN_TRACE((kv("a", small), kv("b", (short)2), kv("c", number), kv("d", 4L), kv("e", 5ULL),
                 kv("f", 0.5f), kv("g", 0.25), kv("h", "text"), kv("i", &guid), kv("j", time),
                 kv("k", (const void *)&number), kv("l", cairn_errno(ENOENT)),
                 kv("m", cairn_bytes(&number, sizeof(number))), kv("n", cairn_string("abc", 2)),
                 kv("o", cairn_empty()), kv("p", number > 2 ? 1 : 0)),
                "%d of %s", number, "these");
    if (number)
        CAIRN_ERROR("an if without braces");
    else
        CAIRN_WARN("and its else");
    return number;
}

/* A function may have the name of a word. */
static const char *name(int number)
{
    return number ? "%d" : "none: %d";
}

static void words(struct cairn_span *span)
{
    CAIRN_INFO((name("N"), target("t"), keyword(1), keyword(2), tag(3), parent(span), kv("a", 1)));
    CAIRN_INFO((), "no words");
    CAIRN_INFO(name(1), 1);
    for (int i = 0; i < 2; i++) {
        CAIRN_SCOPE_AS(loop, DEBUG, "loop", kv("i", i), target("t"), kv("late", cairn_empty()));
        CAIRN_RECORD(loop, "late", i);
        if (i)
            break;
    }
}

int main(void)
{
    static struct cairn_layer layer;
    struct cairn_subscriber *subscriber;
    struct cairn_span *span;

    layer.event = count_event;
    layer.span_new = count_span;
    if (cairn_subscriber_create(&subscriber) || cairn_subscriber_add(subscriber, &layer, 0) ||
        cairn_subscriber_set_global(subscriber))
        return 1;
    span = CAIRN_SPAN(INFO, "span", kv("late", cairn_empty()));
    CAIRN_RECORD(span, "late", 1);
    words(span);
    cairn_span_close(span);
    if (all_types() != 3 || in_header(1) != 1 || in_other_file(2) != 2)
        return 2;
    if (CAIRN_ENABLED(TRACE) != true)
        return 3;
    return events != 9 || spans != 5 || of_second != 3 ? 4 : 0;
}
