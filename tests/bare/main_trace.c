/* SPDX-License-Identifier: MIT */
/*
 * Tracing from definition to text, step by step: what is printed between two lines ">>> NAME" and
 * "<<<" is compared with trace.expected, but for times and ids.
 */
#define CAIRN_KERNEL
#include "bare.h"
#include "sites.h"
#include "trace_host.h"

#include "core/errno.h"

#include <cairn/typed_tracepoint.h>

struct point {
    int32_t x;
    int32_t y;
};

CAIRN_TRACEPOINT_CLASS(step, TP_SYSTEM(bare), TP_PROTO(uint32_t place, uint64_t number),
                       TP_ARGS(place, number),
                       TP_STRUCT__entry(__field(uint32_t, place) __field(uint64_t, number)),
                       TP_fast_assign(__entry->place = place; __entry->number = number;),
                       TP_printk("place=%u number=%llu", __entry->place,
                                 (unsigned long long)__entry->number));
CAIRN_TRACEPOINT_EVENT(step, work, TP_SYSTEM(bare), TP_PROTO(uint32_t place, uint64_t number),
                       TP_ARGS(place, number));
CAIRN_TRACEPOINT_EVENT(step, tick, TP_SYSTEM(bare), TP_PROTO(uint32_t place, uint64_t number),
                       TP_ARGS(place, number));

CAIRN_TRACEPOINT(greeting, TP_SYSTEM(words),
                 TP_PROTO(int16_t mood, const char *who, const struct point *where),
                 TP_ARGS(mood, who, where),
                 TP_STRUCT__entry(__field(int16_t, mood) __string(who, who)
                                      __field_struct(struct point, where) __array(char, tag, 4)),
                 TP_fast_assign(__entry->mood = mood; __assign_str(who); __entry->where = *where;
                                __builtin_memcpy(__entry->tag, "abc", 4);),
                 TP_printk("mood=%d who=%s at %d,%d tag=%s", __entry->mood, __get_str(who),
                           __entry->where.x, __entry->where.y, __entry->tag));

static const struct point origin = {3, -4};

static void section(const char *name)
{
    bare_print(">>> ");
    bare_print(name);
    bare_put('\n');
}

static void section_end(void)
{
    bare_print("<<<\n");
}

static void show_file(const char *path)
{
    section(path);
    bare_trace_print_file(path);
    section_end();
}

static void show_trace(const char *name, bool consume)
{
    section(name);
    bare_trace_print(consume);
    section_end();
}

/* ---- who writes ---- */

static uint32_t tick_count;

static void second_works(void)
{
    trace_work(1, 1);
    trace_greeting(-5, "the other CPU", &origin);
}

/* Once, in the timer's interrupt. */
static void tick_once(void)
{
    if (tick_count++ == 0)
        trace_tick(10 + bare_cpu(), 1);
}

static void wait_for_tick(void)
{
    tick_count = 0;
    bare_timer_hook = tick_once;
    bare_timer(50);
    while (!__atomic_load_n(&tick_count, __ATOMIC_RELAXED))
        bare_relax();
    bare_timer(0);
    bare_timer_hook = NULL;
}

#if defined(__x86_64__)
static uint32_t nmi_count;

static void on_nmi(void)
{
    trace_tick(20 + bare_cpu(), 2);
    __atomic_store_n(&nmi_count, nmi_count + 1, __ATOMIC_RELAXED);
}

static void check_nmi(void)
{
    bare_nmi_hook = on_nmi;
    bare_nmi(1);
    while (!__atomic_load_n(&nmi_count, __ATOMIC_RELAXED))
        bare_relax();
    bare_nmi_hook = NULL;
    show_trace("trace_pipe after an NMI", true);
}
#endif

/* ---- the steps ---- */

static void check_disabled(void)
{
    bare_show_site(&cairn_event_work.key);
    bare_check(bare_sites_hold(&cairn_event_work.key, false), "disabled tracepoints are no-ops");
    bare_check(bare_sites_hold(&cairn_event_greeting.key, false), "all of them");
    trace_work(0, 1);
    second_works();
    show_file("available_events");
    show_file("events/words/greeting/format");
    show_trace("trace of nothing", false);
}

static void check_enabled(void)
{
    bool on;

    bare_check_equal((uint64_t)bare_trace_write_file("set_event", "bare:*\n"), 0,
                     "events are enabled by pattern");
    bare_show_site(&cairn_event_work.key);
    bare_check(bare_sites_hold(&cairn_event_work.key, true), "their sites are jumps");
    bare_check(bare_sites_hold(&cairn_event_tick.key, true), "all of them");
    bare_check(bare_sites_hold(&cairn_event_greeting.key, false), "others are no-ops");
    show_file("set_event");
    trace_work(0, 1);
    wait_for_tick();
    bare_second_begin(second_works);
    bare_second_wait();
    on = bare_irqs_off();
    trace_work(0, 2);
    bare_irqs_restore(on);
    bare_check_equal((uint64_t)bare_trace_write_file("events/words/enable", "1"), 0,
                     "and by system");
    trace_greeting(7, "world", &origin);
    trace_greeting(8, NULL, &origin);
    show_trace("trace", false);
    show_trace("trace again", false);
    show_trace("trace_pipe", true);
    show_trace("trace after trace_pipe", false);
}

static void check_filters(void)
{
    bare_check_equal(
        (uint64_t)bare_trace_write_file("events/bare/work/filter", "number > 2 && place == 0\n"), 0,
        "a filter is taken");
    bare_check_equal((uint64_t)bare_trace_write_file("events/words/greeting/filter",
                                                     "who ~ \"*or*\" || mood == -1"),
                     0, "one on a text too");
    show_file("events/bare/work/filter");
    for (uint64_t number = 1; number <= 4; number++) {
        trace_work(0, number);
        trace_work(1, number);
    }
    trace_greeting(1, "world", &origin);
    trace_greeting(2, "nobody", &origin);
    trace_greeting(-1, "nobody", &origin);
    show_trace("trace_pipe of what filters choose", true);
    bare_check_equal((uint64_t)bare_trace_write_file("events/bare/work/filter", "nothing == 1"),
                     EINVAL, "what is no filter is refused");
    show_file("events/bare/work/filter");
    bare_check_equal((uint64_t)bare_trace_write_file("events/bare/filter", "0"), 0,
                     "filters are taken away");
    show_file("events/bare/work/filter");
    bare_check_equal((uint64_t)bare_trace_write_file("events/words/filter", "0"), 0, "all of them");
}

static uint64_t typed_sum;
static uint32_t record_calls;
static uint32_t raw_calls;

/* A callback hits a tracepoint itself, and takes itself away. */
static void on_typed(void *data, uint32_t place, uint64_t number)
{
    typed_sum += place + number;
    trace_tick(30, number);
    if (data)
        bare_check_equal((uint64_t)unregister_trace_work(on_typed, data), EINPROGRESS,
                         "a callback takes itself away, and is told that it still runs");
}

static void on_record(void *data, const struct cairn_trace_event *event,
                      const struct cairn_record_head *record)
{
    (void)data;
    record_calls += event == &cairn_event_work && record->common_type == event->id;
}

static void on_raw(void *data, const struct cairn_trace_event *event, const uint64_t *arguments,
                   uint32_t count)
{
    (void)data, (void)event;
    raw_calls += count == 2 && arguments[1] == 6;
}

static void check_callbacks(void)
{
    int data;

    bare_check_equal((uint64_t)bare_trace_write_file("events/bare/work/enable", "0"), 0,
                     "a tracepoint is disabled");
    bare_check(bare_sites_hold(&cairn_event_work.key, false), "and is a no-op again");
    bare_check_equal((uint64_t)register_trace_work(on_typed, NULL), 0, "a callback is registered");
    bare_check(bare_sites_hold(&cairn_event_work.key, true), "and the tracepoint is a jump");
    trace_work(4, 5);
    bare_check_equal(typed_sum, 9, "the callback is called");
    bare_check_equal((uint64_t)register_trace_work(on_typed, NULL), EEXIST, "but once");
    bare_check_equal((uint64_t)unregister_trace_work(on_typed, NULL), 0, "it is taken away");
    bare_check(bare_sites_hold(&cairn_event_work.key, false), "and the tracepoint is a no-op");
    bare_check_equal((uint64_t)register_trace_work(on_typed, &data), 0, "another is registered");
    bare_check_equal((uint64_t)cairn_trace_event_callback_add(&cairn_event_work, CAIRN_TRACE_RECORD,
                                                              (void (*)(void))on_record, NULL, 10),
                     0, "one of the record");
    bare_check_equal((uint64_t)cairn_trace_event_callback_add(&cairn_event_work, CAIRN_TRACE_RAW,
                                                              (void (*)(void))on_raw, NULL, 10),
                     0, "one of the arguments");
    trace_work(4, 6);
    trace_work(4, 7);
    bare_check_equal(typed_sum, 19, "one that has taken itself away is called no more");
    bare_check_equal(record_calls, 2, "those of the record are called");
    bare_check_equal(raw_calls, 1, "and of the arguments");
    bare_check_equal((uint64_t)cairn_trace_event_callback_remove(
                         &cairn_event_work, CAIRN_TRACE_RECORD, (void (*)(void))on_record, NULL),
                     0, "they are taken away");
    bare_check_equal((uint64_t)cairn_trace_event_callback_remove(&cairn_event_work, CAIRN_TRACE_RAW,
                                                                 (void (*)(void))on_raw, NULL),
                     0, "both");
    bare_check(bare_sites_hold(&cairn_event_work.key, false), "and the tracepoint is a no-op");
    show_trace("trace_pipe of callbacks", true);
}

void bare_main(void)
{
    bare_trace_set_time(12345678900000);
    bare_check_equal((uint64_t)bare_trace_open(CAIRN_TRACE_OVERWRITE, false), 0, "a trace is made");
    check_disabled();
    check_enabled();
    check_filters();
    check_callbacks();
    show_file("saved_cmdlines");
#if defined(__x86_64__)
    check_nmi();
#endif
    bare_check_equal((uint64_t)bare_trace_close(), 0, "events are taken out");
    bare_check(bare_sites_hold(&cairn_event_tick.key, false), "and are no-ops");
    bare_check_equal(bare_trace_allocated(), 0, "and all memory has come back");
}
