/* SPDX-License-Identifier: MIT */
/* Test of spans and thread states: pairs, parents, limits; each way into and out of a state. */
#include "decode_test.h"

#include "decode/layout.h"
#include "timeline/sched_event.h"
#include "timeline/spans.h"
#include "timeline/states.h"

#include <string.h>

/* ---- spans ---- */

static struct cairn_event_type type_of(const char *name, uint8_t opcode)
{
    return (struct cairn_event_type){
        .provider = {"P", 1},
        .name = {name, (uint32_t)strlen(name)},
        .is_eventheader = true,
        .opcode = opcode,
    };
}

static enum timeline_change pass(struct timeline_spans *spans, uint8_t opcode, const uint8_t *id,
                                 const uint8_t *related, uint64_t time_ns,
                                 const struct timeline_span **ret_span)
{
    struct decode_layout layout = {.type = type_of("E", opcode)};
    struct cairn_event event = {
        .type = &layout.type,
        .activity_id = id,
        .related_id = related,
        .has = CAIRN_EVENT_TIME | CAIRN_EVENT_TID,
        .pid = 10,
        .tid = 11,
        .time_ns = time_ns,
    };
    enum timeline_change change;

    assert_int_equal(timeline_spans_event(spans, &event, time_ns, &change, ret_span), 0);
    return change;
}

static void a_stop_ends_the_span_of_its_id(void **state)
{
    const uint8_t outer[TIMELINE_ID_BYTES] = {1};
    const uint8_t inner[TIMELINE_ID_BYTES] = {2};
    const struct timeline_span *span;
    struct timeline_spans *spans;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    assert_int_equal(pass(spans, CAIRN_OPCODE_ACTIVITY_START, outer, NULL, 5, &span),
                     TIMELINE_SPAN_STARTED);
    assert_int_equal(pass(spans, CAIRN_OPCODE_ACTIVITY_START, inner, outer, 6, &span),
                     TIMELINE_SPAN_STARTED);
    assert_int_equal(span->depth, 1);
    assert_int_equal(pass(spans, CAIRN_OPCODE_INFO, inner, NULL, 7, &span),
                     TIMELINE_SPAN_UNCHANGED);
    assert_null(span);
    assert_ptr_not_equal(timeline_spans_find(spans, inner), NULL);
    assert_int_equal(pass(spans, CAIRN_OPCODE_ACTIVITY_STOP, inner, NULL, 9, &span),
                     TIMELINE_SPAN_STOPPED);
    assert_string_equal(span->name, "P:E");
    assert_memory_equal(span->parent_id, outer, sizeof(outer));
    assert_int_equal(span->start.ns, 6);
    assert_int_equal(span->stop_ns, 9);
    assert_int_equal(span->cookie, 6);
    assert_int_equal(span->pid, 10);
    assert_int_equal(span->stop_tid, 11);
    assert_null(timeline_spans_find(spans, inner));
    assert_int_equal(timeline_spans_counts(spans)->open, 1);
    timeline_spans_destroy(spans);
}

static void a_stop_without_a_start_is_counted(void **state)
{
    const uint8_t id[TIMELINE_ID_BYTES] = {1};
    const struct timeline_span *span;
    struct timeline_spans *spans;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    assert_int_equal(pass(spans, CAIRN_OPCODE_ACTIVITY_STOP, id, NULL, 5, &span),
                     TIMELINE_SPAN_STOP_ALONE);
    assert_null(span);
    (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, id, NULL, 8, &span);
    assert_int_equal(pass(spans, CAIRN_OPCODE_ACTIVITY_STOP, id, NULL, 7, &span),
                     TIMELINE_SPAN_STOP_ALONE);
    assert_int_equal(timeline_spans_counts(spans)->stops_alone, 2);
    timeline_spans_destroy(spans);
}

static void a_span_that_starts_again_is_counted(void **state)
{
    const uint8_t id[TIMELINE_ID_BYTES] = {1};
    const struct timeline_span *span;
    struct timeline_spans *spans;
    size_t cursor = 0;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, id, NULL, 5, &span);
    (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, id, NULL, 6, &span);
    assert_int_equal(timeline_spans_counts(spans)->forgotten, 1);
    span = timeline_spans_open(spans, &cursor);
    assert_int_equal(span->start.ns, 6);
    assert_null(timeline_spans_open(spans, &cursor));
    timeline_spans_destroy(spans);
}

static void count_forgotten(void *context, const struct timeline_span *span)
{
    assert_ptr_not_equal(span->name, NULL);
    assert_int_equal(span->cookie, span->start.ns);
    (*(uint64_t *)context)++;
}

static void open_spans_are_bounded_and_none_is_lost_silently(void **state)
{
    const uint32_t started = 2 * TIMELINE_SPANS_MAX;
    uint64_t forgotten = 0;
    uint8_t id[TIMELINE_ID_BYTES] = {0};
    const struct timeline_span *span;
    struct timeline_spans *spans;
    uint32_t stopped = 0;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    timeline_spans_set_forget(spans, count_forgotten, &forgotten);
    for (uint32_t n = 0; n < started; n++) {
        memcpy(id, &n, sizeof(n));
        (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, id, NULL, n + 1, &span);
    }
    assert_true(timeline_spans_counts(spans)->open <= TIMELINE_SPANS_MAX);
    for (uint32_t n = 0; n < started; n++) {
        memcpy(id, &n, sizeof(n));
        if (pass(spans, CAIRN_OPCODE_ACTIVITY_STOP, id, NULL, n + 6, &span) !=
            TIMELINE_SPAN_STOPPED)
            continue;
        assert_int_equal(span->stop_ns - span->start.ns, 5);
        stopped++;
    }
    assert_int_equal(timeline_spans_counts(spans)->open, 0);
    assert_int_equal(stopped + timeline_spans_counts(spans)->forgotten, started);
    assert_int_equal(forgotten, timeline_spans_counts(spans)->forgotten);
    assert_int_equal(stopped + timeline_spans_counts(spans)->stops_alone, started);
    timeline_spans_destroy(spans);
}

/* As cairn_activity_id_generate makes them: a few are open for long, while many come and go. */
static void ids_in_sequence_do_not_replace_each_other(void **state)
{
    uint8_t id[TIMELINE_ID_BYTES] = {0x8f, 0x43, 0xe4, 0x1f, 0x75, 0x7d, 0x47, 0x0e, 0x80};
    const struct timeline_span *span;
    struct timeline_spans *spans;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    for (uint32_t n = 0; n < 100; n++) {
        id[TIMELINE_ID_BYTES - 1] = (uint8_t)n;
        (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, id, NULL, n + 1, &span);
        assert_int_equal(timeline_spans_counts(spans)->forgotten, 0);
    }
    assert_int_equal(timeline_spans_counts(spans)->open, 100);
    timeline_spans_destroy(spans);
}

/* ---- the time of day is set ---- */

#define HOUR_NS UINT64_C(3600000000000)

/* An event of a decoder's recording; 0: of an unknown one. */
static enum timeline_change pass_at(struct timeline_spans *spans, uint8_t opcode, uint64_t decoder,
                                    uint64_t time_ns, uint64_t wall_ns,
                                    const struct timeline_span **ret_span)
{
    static const uint8_t id[TIMELINE_ID_BYTES] = {1};
    struct decode_layout layout = {.type = type_of("E", opcode), .decoder = decoder};
    struct cairn_event event = {
        .type = &layout.type,
        .activity_id = id,
        .has = CAIRN_EVENT_TIME | CAIRN_EVENT_WALL,
        .time_ns = time_ns,
        .wall_ns = wall_ns,
    };
    enum timeline_change change;

    assert_int_equal(timeline_spans_event(spans, &event, 0, &change, ret_span), 0);
    return change;
}

static void a_clock_that_is_set_does_not_change_the_length_of_a_span(void **state)
{
    static const uint64_t walls_ns[] = {5 * HOUR_NS + 8, 6 * HOUR_NS, 4 * HOUR_NS};
    const struct timeline_span *span;
    struct timeline_spans *spans;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    for (size_t n = 0; n < sizeof(walls_ns) / sizeof(*walls_ns); n++) {
        (void)pass_at(spans, CAIRN_OPCODE_ACTIVITY_START, 3, 10, 5 * HOUR_NS, &span);
        assert_int_equal(pass_at(spans, CAIRN_OPCODE_ACTIVITY_STOP, 3, 18, walls_ns[n], &span),
                         TIMELINE_SPAN_STOPPED);
        assert_int_equal(span->start.ns, 5 * HOUR_NS);
        assert_int_equal(span->stop_ns, 5 * HOUR_NS + 8);
    }
    (void)pass_at(spans, CAIRN_OPCODE_ACTIVITY_START, 3, 10, 5 * HOUR_NS, &span);
    assert_int_equal(pass_at(spans, CAIRN_OPCODE_ACTIVITY_STOP, 3, 9, 6 * HOUR_NS, &span),
                     TIMELINE_SPAN_STOP_ALONE);
    timeline_spans_destroy(spans);
}

/* As a request that one machine sends and another one answers. */
static void a_span_of_two_recordings_lasts_by_the_time_of_day(void **state)
{
    const struct timeline_span *span;
    struct timeline_spans *spans;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    for (uint64_t decoder = 0; decoder < 2; decoder++) {
        (void)pass_at(spans, CAIRN_OPCODE_ACTIVITY_START, decoder, 1000, 5 * HOUR_NS, &span);
        assert_int_equal(
            pass_at(spans, CAIRN_OPCODE_ACTIVITY_STOP, 2 * decoder, 10, 5 * HOUR_NS + 7, &span),
            TIMELINE_SPAN_STOPPED);
        assert_int_equal(span->stop_ns - span->start.ns, 7);
    }
    timeline_spans_destroy(spans);
}

static void a_start_before_the_clock_began_has_the_time_of_day_only(void **state)
{
    const struct timeline_moment now = {.ns = 5 * HOUR_NS, .clock_ns = 100, .decoder = 1};
    const struct timeline_moment near = timeline_moment_before(now, 40);
    const struct timeline_moment far = timeline_moment_before(now, 101);
    const struct timeline_moment first = timeline_moment_before(now, 6 * HOUR_NS);
    uint64_t duration_ns;

    (void)state;
    assert_int_equal(near.ns, 5 * HOUR_NS - 40);
    assert_int_equal(near.clock_ns, 60);
    assert_true(timeline_duration(&far, &now, &duration_ns));
    assert_int_equal(duration_ns, 101);
    assert_int_equal(first.ns, 0);
}

static void a_span_knows_the_time_of_its_children(void **state)
{
    const uint8_t outer[TIMELINE_ID_BYTES] = {1};
    uint8_t inner[TIMELINE_ID_BYTES] = {2};
    const struct timeline_span *span;
    struct timeline_spans *spans;

    (void)state;
    assert_int_equal(timeline_spans_create(&spans), 0);
    (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, outer, NULL, 10, &span);
    for (uint64_t n = 0; n < 3; n++) {
        inner[1] = (uint8_t)n;
        (void)pass(spans, CAIRN_OPCODE_ACTIVITY_START, inner, outer, 20 + 10 * n, &span);
        (void)pass(spans, CAIRN_OPCODE_ACTIVITY_STOP, inner, NULL, 24 + 10 * n, &span);
    }
    (void)pass(spans, CAIRN_OPCODE_ACTIVITY_STOP, outer, NULL, 60, &span);
    assert_int_equal(span->child_ns, 12);
    timeline_spans_destroy(spans);
}

/* ---- thread states ---- */

#define HALF_FORMAT                                              \
    "name: context_switch\nID: 0\nformat:\n"                     \
    "\tfield:unsigned char in;\toffset:0;\tsize:1;\tsigned:0;\n" \
    "\tfield:unsigned char preempted;\toffset:1;\tsize:1;\tsigned:0;\n\n"

#define SWITCH_FORMAT                                                \
    "name: sched_switch\nID: 7\n" COMMON_FIELDS                      \
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"  \
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"     \
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"      \
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n" PRINT_FMT

#define WAKE_FORMAT                                            \
    "name: sched_waking\nID: 8\n" COMMON_FIELDS                \
    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"     \
    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"      \
    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n" PRINT_FMT

struct sched {
    struct cairn_decoder *decoder;
    struct timeline_states *states;
    uint32_t on_switch;
    uint32_t on_wake;
    uint32_t on_half;
    char text[4096]; /* a line for each state */
    size_t used;
    int result;       /* of the function */
    uint64_t wall_ns; /* the time of day minus that of the clock; 0: unknown */
};

static int print_state(void *context, const struct timeline_state *state)
{
    struct sched *sched = (struct sched *)context;

    sched->used += (size_t)snprintf(
        sched->text + sched->used, sizeof(sched->text) - sched->used, "%s/%u %s %u-%u cpu %d%s%s",
        state->comm, state->tid, timeline_state_name(state->kind), (unsigned)state->start.ns,
        (unsigned)state->stop_ns, (int)state->cpu, state->preempted ? " preempted" : "",
        state->is_open ? " open" : "");
    if (state->waker)
        sched->used += (size_t)snprintf(sched->text + sched->used,
                                        sizeof(sched->text) - sched->used, " by %u", state->waker);
    strcat(sched->text, "\n");
    sched->used++;
    return sched->result;
}

static uint32_t add_format(struct sched *sched, const char *name, const char *text)
{
    struct cairn_decoder_format format = {
        .system = {"sched", 5},
        .name = {name, (uint32_t)strlen(name)},
        .text = {text, (uint32_t)strlen(text)},
        .long_size_bytes = 8,
    };
    uint32_t tracepoint;

    assert_int_equal(cairn_decoder_add(sched->decoder, &format, &tracepoint), 0);
    return tracepoint;
}

static uint32_t add_half(struct sched *sched)
{
    const struct cairn_decoder_format format = {
        .system = {"perf", 4},
        .name = {"context_switch", 14},
        .text = {HALF_FORMAT, sizeof(HALF_FORMAT) - 1},
        .long_size_bytes = 8,
    };
    uint32_t tracepoint;

    assert_int_equal(cairn_decoder_add(sched->decoder, &format, &tracepoint), 0);
    return tracepoint;
}

static void begin_sched(struct sched *sched)
{
    memset(sched, 0, sizeof(*sched));
    assert_int_equal(cairn_decoder_create(&sched->decoder), 0);
    assert_int_equal(timeline_states_create(print_state, sched, &sched->states), 0);
    sched->on_switch = add_format(sched, "sched_switch", SWITCH_FORMAT);
    sched->on_wake = add_format(sched, "sched_waking", WAKE_FORMAT);
    sched->on_half = add_half(sched);
}

static void end_sched(struct sched *sched)
{
    timeline_states_destroy(sched->states);
    cairn_decoder_destroy(sched->decoder);
}

static void put_thread(struct bytes *raw, const char *comm, uint32_t tid)
{
    char name[16] = {0};

    memcpy(name, comm, strlen(comm));
    put_bytes(raw, name, sizeof(name));
    put_number(raw, tid, 4);
    put_number(raw, 120, 4);
}

static int pass_sched(struct sched *sched, uint32_t tracepoint, const struct bytes *raw,
                      uint32_t tid, uint64_t time_ns)
{
    struct cairn_event event = {
        .has = CAIRN_EVENT_TIME | CAIRN_EVENT_CPU | CAIRN_EVENT_TID |
               (sched->wall_ns ? CAIRN_EVENT_WALL : 0),
        .cpu = 1,
        .pid = tid,
        .tid = tid,
        .time_ns = time_ns,
        .wall_ns = time_ns + sched->wall_ns,
    };

    assert_int_equal(cairn_decoder_event(sched->decoder, tracepoint, raw->data, raw->size, &event),
                     0);
    return timeline_states_event(sched->states, &event);
}

static int pass_switch(struct sched *sched, uint64_t time_ns, uint32_t prev, uint64_t prev_state,
                       uint32_t next)
{
    struct bytes raw = {.size = 8};

    put_thread(&raw, prev ? "prev" : "swapper/1", prev);
    put_number(&raw, prev_state, 8);
    put_thread(&raw, next ? "next" : "swapper/1", next);
    return pass_sched(sched, sched->on_switch, &raw, prev, time_ns);
}

static int pass_wake(struct sched *sched, uint64_t time_ns, uint32_t waker, uint32_t woken)
{
    struct bytes raw = {.size = 8};

    put_thread(&raw, "woken", woken);
    put_number(&raw, 1, 4);
    return pass_sched(sched, sched->on_wake, &raw, waker, time_ns);
}

static int pass_half(struct sched *sched, uint64_t time_ns, uint32_t tid, bool in, bool preempted)
{
    struct bytes raw = {0};

    put_number(&raw, in, 1);
    put_number(&raw, preempted, 1);
    return pass_sched(sched, sched->on_half, &raw, tid, time_ns);
}

static void a_thread_continues_where_a_record_of_a_switch_says_so(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    assert_int_equal(pass_half(&sched, 5, 7, true, false), 0);
    assert_int_equal(pass_switch(&sched, 10, 7, 2, 8), 0); /* says more than the record after it */
    assert_int_equal(pass_half(&sched, 11, 7, false, false), 0);
    assert_int_equal(pass_half(&sched, 20, 7, true, false), 0); /* 8 left unseen */
    assert_int_equal(pass_half(&sched, 21, 7, true, false), 0);
    assert_int_equal(pass_half(&sched, 30, 7, false, true), 0);
    assert_int_equal(pass_half(&sched, 40, 7, true, false), 0);
    assert_int_equal(pass_half(&sched, 45, 0, true, false), 0); /* idle */
    assert_int_equal(pass_half(&sched, 50, 7, false, false), 0);
    assert_int_equal(timeline_states_finish(sched.states), 0);
    assert_string_equal(sched.text, "/7 running 5-10 cpu 1\n"
                                    "prev/7 blocked 10-20 cpu 1\n"
                                    "prev/7 running 20-30 cpu 1\n"
                                    "prev/7 runnable 30-40 cpu 1 preempted\n"
                                    "prev/7 running 40-50 cpu 1\n"
                                    "prev/7 sleeping 50-50 cpu 1 open\n");
    end_sched(&sched);
}

static void a_clock_that_is_set_does_not_change_the_length_of_a_state(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    sched.wall_ns = 1000000;
    assert_int_equal(pass_switch(&sched, 10, 0, 0, 7), 0);
    sched.wall_ns = 2000000;
    assert_int_equal(pass_switch(&sched, 20, 7, 1, 0), 0);
    sched.wall_ns = 500000;
    assert_int_equal(pass_switch(&sched, 40, 0, 0, 7), 0);
    assert_int_equal(timeline_states_finish(sched.states), 0);
    assert_string_equal(sched.text, "next/7 running 1000010-1000020 cpu 1\n"
                                    "prev/7 sleeping 2000020-2000040 cpu 1\n"
                                    "next/7 running 500040-500040 cpu 1 open\n");
    end_sched(&sched);
}

static void a_thread_sleeps_is_woken_and_runs(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    assert_int_equal(pass_switch(&sched, 10, 0, 0, 7), 0);
    assert_int_equal(pass_switch(&sched, 20, 7, 1, 0), 0);
    assert_int_equal(pass_wake(&sched, 30, 9, 7), 0);
    assert_int_equal(pass_wake(&sched, 31, 8, 7), 0); /* sched_wakeup after sched_waking */
    assert_int_equal(pass_switch(&sched, 40, 0, 0, 7), 0);
    assert_int_equal(timeline_states_finish(sched.states), 0);
    assert_string_equal(sched.text, "next/7 running 10-20 cpu 1\n"
                                    "prev/7 sleeping 20-30 cpu 1\n"
                                    "woken/7 runnable 30-40 cpu 1 by 9\n"
                                    "next/7 running 40-40 cpu 1 open\n");
    end_sched(&sched);
}

static void a_preempted_thread_is_runnable_and_a_dead_one_ends(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    assert_int_equal(pass_switch(&sched, 10, 7, 0x100, 8), 0);
    assert_int_equal(pass_switch(&sched, 20, 8, 0x10, 7), 0);
    assert_int_equal(timeline_states_finish(sched.states), 0);
    assert_string_equal(sched.text, "next/8 running 10-20 cpu 1\n"
                                    "prev/7 runnable 10-20 cpu 1 preempted\n"
                                    "next/7 running 20-20 cpu 1 open\n");
    end_sched(&sched);
}

/* As in a recording of thread 7 only. */
static void a_thread_whose_switch_away_is_missing_is_not_said_to_run(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    assert_int_equal(pass_switch(&sched, 10, 7, 1, 8), 0);
    assert_int_equal(pass_switch(&sched, 20, 7, 1, 9), 0);
    assert_int_equal(pass_switch(&sched, 30, 9, 0, 8), 0);
    assert_int_equal(pass_switch(&sched, 35, 8, 1, 0), 0);
    assert_int_equal(timeline_states_finish(sched.states), 0);
    assert_string_equal(sched.text, "prev/7 sleeping 10-20 cpu 1\n"
                                    "next/9 running 20-30 cpu 1\n"
                                    "next/8 running 30-35 cpu 1\n"
                                    "prev/9 runnable 30-35 cpu 1 preempted open\n"
                                    "prev/8 sleeping 35-35 cpu 1 open\n"
                                    "prev/7 sleeping 20-35 cpu 1 open\n");
    end_sched(&sched);
}

static void each_state_of_the_kernel_has_its_kind(void **state)
{
    (void)state;
    assert_int_equal(timeline_sched_state(0), TIMELINE_RUNNABLE);
    assert_int_equal(timeline_sched_state(0x100), TIMELINE_RUNNABLE);
    assert_int_equal(timeline_sched_state(0x1), TIMELINE_SLEEPING);
    assert_int_equal(timeline_sched_state(0x2), TIMELINE_BLOCKED);
    assert_int_equal(timeline_sched_state(0x4), TIMELINE_STOPPED);
    assert_int_equal(timeline_sched_state(0x8), TIMELINE_STOPPED);
    assert_int_equal(timeline_sched_state(0x10), TIMELINE_DEAD);
    assert_int_equal(timeline_sched_state(0x20), TIMELINE_DEAD);
    assert_int_equal(timeline_sched_state(0x40), TIMELINE_PARKED);
    assert_int_equal(timeline_sched_state(0x80), TIMELINE_PARKED);
}

static void many_threads_have_a_state_each(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    for (uint32_t tid = 1; tid <= 1000; tid++)
        assert_int_equal(pass_wake(&sched, tid, 5, tid), 0);
    sched.used = 0;
    for (uint32_t tid = 1; tid <= 1000; tid++) {
        sched.used = 0;
        sched.text[0] = 0;
        assert_int_equal(pass_switch(&sched, 2000, 0, 0, tid), 0);
        assert_non_null(strstr(sched.text, " runnable "));
    }
    end_sched(&sched);
}

static void an_error_of_the_function_is_returned(void **state)
{
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    sched.result = ENOSPC;
    assert_int_equal(pass_switch(&sched, 10, 0, 0, 7), 0);
    assert_int_equal(pass_switch(&sched, 20, 7, 1, 0), ENOSPC);
    end_sched(&sched);
}

static void events_of_others_and_cut_ones_are_ignored(void **state)
{
    struct bytes raw = {.size = 12};
    struct sched sched;

    (void)state;
    begin_sched(&sched);
    assert_int_equal(pass_sched(&sched, sched.on_switch, &raw, 1, 5), 0);
    assert_int_equal(timeline_states_finish(sched.states), 0);
    assert_string_equal(sched.text, "");
    end_sched(&sched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stop_ends_the_span_of_its_id),
        cmocka_unit_test(a_stop_without_a_start_is_counted),
        cmocka_unit_test(a_span_that_starts_again_is_counted),
        cmocka_unit_test(open_spans_are_bounded_and_none_is_lost_silently),
        cmocka_unit_test(ids_in_sequence_do_not_replace_each_other),
        cmocka_unit_test(a_span_knows_the_time_of_its_children),
        cmocka_unit_test(a_clock_that_is_set_does_not_change_the_length_of_a_span),
        cmocka_unit_test(a_span_of_two_recordings_lasts_by_the_time_of_day),
        cmocka_unit_test(a_start_before_the_clock_began_has_the_time_of_day_only),
        cmocka_unit_test(a_clock_that_is_set_does_not_change_the_length_of_a_state),
        cmocka_unit_test(a_thread_continues_where_a_record_of_a_switch_says_so),
        cmocka_unit_test(a_thread_sleeps_is_woken_and_runs),
        cmocka_unit_test(a_preempted_thread_is_runnable_and_a_dead_one_ends),
        cmocka_unit_test(a_thread_whose_switch_away_is_missing_is_not_said_to_run),
        cmocka_unit_test(each_state_of_the_kernel_has_its_kind),
        cmocka_unit_test(many_threads_have_a_state_each),
        cmocka_unit_test(an_error_of_the_function_is_returned),
        cmocka_unit_test(events_of_others_and_cut_ones_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
