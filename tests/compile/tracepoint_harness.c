/* SPDX-License-Identifier: MIT */
/* Listens to all tracepoints of the good files, as a kernel or a program would, and counts. */
#include "tracepoint_good.h"

#include <stdio.h>

#ifdef CAIRN_KERNEL
#define CALLED(what) cairn_trace_write_##what
#else
#define CALLED(what) cairn_i_trace_user_##what
#endif

#define DEFINED_EVENTS 16

static union {
    uint64_t aligned;
    uint8_t bytes[65536];
} raw;
static int committed, texts;
static uint32_t raw_size_bytes;

static void enter(struct cairn_trace_event *event, struct cairn_trace_write *ret_write)
{
    ret_write->event = event;
    ret_write->todo = CAIRN_TRACE_DO_RECORD | CAIRN_TRACE_DO_RAW | CAIRN_TRACE_DO_TYPED;
}

struct cairn_trace_callback *const *CALLED(typed)(const struct cairn_trace_write *write,
                                                  uint32_t *ret_count)
{
    (void)write;
    *ret_count = 0;
    return NULL;
}

static void *reserve(uint32_t raw_bytes)
{
    raw_size_bytes = raw_bytes;
    memset(raw.bytes, 0, sizeof(raw.bytes));
    return raw.bytes;
}

#ifdef CAIRN_KERNEL
void *cairn_trace_write_enter(struct cairn_trace_event *event, struct cairn_trace_write *ret_write,
                              uint32_t record_bytes)
{
    (void)record_bytes;
    enter(event, ret_write);
    return NULL;
}

void cairn_trace_write_finish(struct cairn_trace_write *write)
{
    (void)write;
    committed++; /* one too many: there is more to be done */
}

void *cairn_trace_write_reserve(struct cairn_trace_write *write, uint32_t raw_bytes)
{
    (void)write;
    return reserve(raw_bytes);
}
#else
bool cairn_i_trace_user_enter(struct cairn_trace_event *event, struct cairn_trace_write *ret_write)
{
    enter(event, ret_write);
    return true;
}

void *cairn_i_trace_user_reserve(struct cairn_trace_write *write, uint32_t raw_bytes, void *memory)
{
    (void)write;
    return memory ? reserve(raw_bytes) : NULL;
}

int cairn_trace_events_register(struct cairn_trace_event *const *start,
                                struct cairn_trace_event *const *stop)
{
    return stop < start;
}

int cairn_trace_events_unregister(struct cairn_trace_event *const *start,
                                  struct cairn_trace_event *const *stop)
{
    return stop < start;
}
#endif

void CALLED(commit)(struct cairn_trace_write *write)
{
    char line[256];
    struct cairn_text text = cairn_text(line, sizeof(line));

    write->event->event_class->print(&text, raw.bytes, raw_size_bytes);
    texts += cairn_text_length(&text) > 0 && !text.full;
    committed++;
}

void CALLED(raw)(struct cairn_trace_write *write, const uint64_t *arguments, uint32_t count)
{
    (void)arguments;
    committed += count != write->event->event_class->argument_count;
}

void CALLED(leave)(struct cairn_trace_write *write)
{
    (void)write;
}

int cairn_trace_event_callback_add(struct cairn_trace_event *event,
                                   enum cairn_trace_callback_kind kind, void (*function)(void),
                                   void *data, int32_t priority)
{
    (void)event, (void)kind, (void)function, (void)data;
    return priority != 10;
}

int cairn_trace_event_callback_remove(struct cairn_trace_event *event,
                                      enum cairn_trace_callback_kind kind, void (*function)(void),
                                      void *data)
{
    (void)event, (void)kind, (void)function, (void)data;
    return 0;
}

/* Returns how many there are, those that stand in two sources counted once. */
static int listen(void)
{
    static const unsigned char somebody[8] = {1};
    struct cairn_trace_event *const *event;
    struct cairn_trace_event *const *stop;
    int count = 0;

    for (good_events(&event, &stop); event < stop; event++) {
        count += (*event)->key.count == 0;
        (*event)->key.count = 1;
        (*event)->tracepoint.enabled = somebody;
    }
    return count;
}

int main(void)
{
    int quiet = good_first() + good_second() - committed;
    int events = listen();
    int expected = good_first() + good_second();

    if (quiet == expected && events == DEFINED_EVENTS && committed == expected && texts == expected)
        return 0;
    printf("%d of %d events, %d with text; %d tracepoints; %d when nobody listened\n", committed,
           expected, texts, events, expected - quiet);
    return 1;
}
