/* SPDX-License-Identifier: MIT */
/*
 * The trace event format of Chrome, as one JSON document: chrome://tracing, Perfetto, speedscope.
 * Times are microseconds since the first event, so that readers, which have floating-point numbers,
 * keep the nanoseconds.
 */
#include "exchange/counters.h"
#include "exchange/json.h"
#include "exchange/lanes.h"
#include "export/utf.h"
#include "export/value_print.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lanes that are no thread's own are threads of these numbers. */
#define FIRST_LANE_TID 2000000000u

struct chrome {
    struct cairn_exporter *exporter;
    struct exchange_json json;
    struct exchange_lanes lanes;
    struct exchange_counters counters;
    struct timeline_calls calls;
    uint64_t first_ns;
    bool has_events;
    bool has_members; /* in the list of events */
};

/* ---- members of an event ---- */

static struct export_print_output *begin_object(struct chrome *chrome, const char *phase)
{
    struct export_print_output *out = &chrome->exporter->out;

    export_output_string(out, chrome->has_members ? ",\n{\"ph\":\"" : "{\"ph\":\"");
    export_output_string(out, phase);
    export_output_byte(out, '"');
    chrome->has_members = true;
    return out;
}

static uint64_t tid_of(const struct exchange_lane *lane)
{
    return lane->number ? FIRST_LANE_TID + lane->number : lane->thread->tid;
}

static void put_ids(struct export_print_output *out, uint32_t pid, uint64_t tid)
{
    export_output_string(out, ",\"pid\":");
    exchange_json_task(out, pid);
    export_output_string(out, ",\"tid\":");
    exchange_json_task(out, (uint32_t)tid);
}

static void put_time(struct chrome *chrome, struct export_print_output *out, uint64_t ns)
{
    export_output_string(out, ",\"ts\":");
    exchange_json_decimal(out, ns > chrome->first_ns ? ns - chrome->first_ns : 0, 3);
}

/* ---- names ---- */

static void describe(struct chrome *chrome, const char *what, uint32_t pid, uint64_t tid,
                     const char *name, const char *suffix)
{
    struct export_print_output *out = begin_object(chrome, "M");

    export_output_string(out, ",\"name\":\"");
    export_output_string(out, what);
    export_output_byte(out, '"');
    put_ids(out, pid, tid);
    export_output_string(out, ",\"args\":{\"name\":\"");
    export_print_utf8(out, CAIRN_STYLE_JSONL, name, strlen(name));
    export_output_string(out, suffix);
    export_output_string(out, "\"}}");
}

static int describe_thread(struct chrome *chrome, struct exchange_thread *thread)
{
    struct exchange_thread *process;
    int err;

    if (thread->is_described)
        return 0;
    err = exchange_threads_process_of(&chrome->lanes.threads, thread, &process);
    if (err)
        return err;
    if (*process->comm && !process->is_described)
        describe(chrome, "process_name", thread->pid, thread->pid, process->comm, "");
    if (*thread->comm)
        describe(chrome, "thread_name", thread->pid, thread->tid, thread->comm, "");
    process->is_described = thread->is_described = true;
    return 0;
}

static void describe_lane(struct chrome *chrome, struct exchange_lane *lane)
{
    if (!lane->number || lane->is_described)
        return;
    lane->is_described = true;
    describe(chrome, "thread_name", lane->thread->pid, tid_of(lane), lane->thread->comm, " spans");
}

/* ---- slices and flows ---- */

/* The second part of a slice, or the end of the first. */
static void write_part(void *context, const struct exchange_slice *slice, bool begins)
{
    struct chrome *chrome = (struct chrome *)context;
    struct export_print_output *out;

    describe_lane(chrome, slice->lane);
    out = begin_object(chrome, begins ? "B" : "E");
    if (begins)
        export_output_string(out, ",\"name\":\"(continued)\"");
    put_ids(out, slice->lane->thread->pid, tid_of(slice->lane));
    put_time(chrome, out, chrome->exporter->last_ns);
    export_output_byte(out, '}');
}

static void write_flow(struct chrome *chrome, const char *phase, uint64_t flow, uint32_t pid,
                       uint64_t tid, uint64_t ns)
{
    struct export_print_output *out = begin_object(chrome, phase);

    export_output_string(out, ",\"name\":\"span\",\"cat\":\"flow\",\"bp\":\"e\",\"id\":\"");
    exchange_json_number(out, flow);
    export_output_byte(out, '"');
    put_ids(out, pid, tid);
    put_time(chrome, out, ns);
    export_output_byte(out, '}');
}

/* ---- events ---- */

static const char *phase_of(enum exchange_lane_event_kind kind)
{
    if (kind == EXCHANGE_INSTANT)
        return "i";
    return kind == EXCHANGE_BEGIN ? "B" : "E";
}

/* call  of the stack; 0: none */
static void write_event(struct chrome *chrome, const struct cairn_event *event,
                        const struct exchange_lane_event *shown, uint32_t call)
{
    struct export_print_output *out = begin_object(chrome, phase_of(shown->kind));
    uint64_t tid = shown->lane                    ? tid_of(shown->lane)
                   : event->has & CAIRN_EVENT_TID ? event->tid
                                                  : 0;
    uint32_t pid = shown->lane                    ? shown->lane->thread->pid
                   : event->has & CAIRN_EVENT_TID ? event->pid
                                                  : 0;
    enum cairn_event_error error;

    export_output_string(out, ",\"name\":");
    exchange_json_text(out, event->type->name);
    export_output_string(out, ",\"cat\":");
    exchange_json_text(out, event->type->provider);
    if (shown->kind == EXCHANGE_INSTANT)
        export_output_string(out, ",\"s\":\"t\"");
    put_ids(out, pid, tid);
    put_time(chrome, out, shown->ns);
    if (call) {
        export_output_string(out, ",\"sf\":");
        exchange_json_number(out, call);
    }
    export_output_string(out, ",\"args\":{\"cairn\":{");
    exchange_json_header(out, event);
    export_output_byte(out, '}');
    error = exchange_json_fields(&chrome->json, out, event);
    if (error) {
        exchange_note_damage(chrome->exporter);
        export_output_string(out, ",\"cairn.error\":");
        exchange_json_string(out, cairn_event_error_text(error));
    }
    export_output_string(out, "}}");
}

/* The counters of one event. */
struct chrome_counting {
    struct chrome *chrome;
    const struct cairn_event *event;
};

static void write_counter(void *context, const struct exchange_counter *counter,
                          enum decode_value value, struct decode_value_data data)
{
    const struct chrome_counting *counting = (const struct chrome_counting *)context;
    struct chrome *chrome = counting->chrome;
    struct export_print_output *out = begin_object(chrome, "C");

    export_output_string(out, ",\"name\":");
    exchange_json_string(out, counter->name);
    put_ids(out, counting->event->has & CAIRN_EVENT_TID ? counting->event->pid : 0, 0);
    put_time(chrome, out, chrome->exporter->last_ns);
    export_output_string(out, ",\"args\":{\"value\":");
    export_value_print(out, CAIRN_STYLE_JSONL, value, data);
    export_output_string(out, "}}");
}

static void write_head(struct chrome *chrome, const struct cairn_event *event)
{
    struct export_print_output *out = &chrome->exporter->out;
    uint32_t tid;

    chrome->has_events = true;
    export_output_string(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"cairn\"");
    if (event) {
        chrome->first_ns = timeline_start_of(event, chrome->exporter->last_ns, &tid);
        export_output_string(out, ",\"first_ns\":\"");
        exchange_json_number(out, chrome->first_ns);
        export_output_byte(out, '"');
    }
    if (event && (event->has & CAIRN_EVENT_WALL)) {
        export_output_string(out, ",\"first_wall_ns\":\"");
        exchange_json_number(out, event->wall_ns - (chrome->exporter->last_ns - chrome->first_ns));
        export_output_byte(out, '"');
    }
    export_output_string(out, "},\"traceEvents\":[\n");
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct chrome *chrome = (struct chrome *)exporter->state;
    struct chrome_counting counting = {chrome, event};
    struct exchange_lane_event shown;
    uint32_t call = 0;
    int err;

    (void)exchange_time_of(exporter, event);
    if (!chrome->has_events)
        write_head(chrome, event);
    err = exchange_lanes_add(&chrome->lanes, event, 0, &shown);
    if (!err && shown.thread)
        err = describe_thread(chrome, shown.thread);
    if (!err && shown.lane)
        err = describe_thread(chrome, shown.lane->thread);
    if (!err)
        err = timeline_calls_enter_all(&chrome->calls, event, &call);
    if (err)
        return err;
    if (!shown.thread)
        exchange_note(exporter, CAIRN_EXPORTER_NO_THREAD);
    if (shown.lane)
        describe_lane(chrome, shown.lane);
    write_event(chrome, event, &shown, call);
    if (shown.cause && shown.thread) {
        write_flow(chrome, "s", shown.cause->flow ^ exporter->counts.events,
                   shown.cause->lane->thread->pid, tid_of(shown.cause->lane),
                   shown.cause->start_ns);
        write_flow(chrome, "f", shown.cause->flow ^ exporter->counts.events, event->pid,
                   shown.lane ? tid_of(shown.lane) : event->tid, exporter->last_ns);
    }
    err = exchange_counters_event(&chrome->counters, exporter, event, write_counter, &counting);
    return err ? err : exchange_lanes_resume(&chrome->lanes);
}

/* ---- stacks ---- */

/* The calls that events refer to: "1":{"name":"main","category":"/usr/bin/x"}, then with "parent".
 */
static void write_calls(struct chrome *chrome)
{
    struct export_print_output *out = &chrome->exporter->out;

    for (uint32_t n = 0; n < chrome->calls.call_count; n++) {
        const struct timeline_call *call = &chrome->calls.calls[n];
        const struct timeline_function *function = &chrome->calls.functions[call->function];

        export_output_string(out, n ? ",\n\"" : "\"");
        exchange_json_number(out, n + 1);
        export_output_string(out, "\":{\"name\":");
        exchange_json_function(chrome->exporter, out, function);
        export_output_string(out, ",\"category\":");
        exchange_json_string(out, timeline_function_object(function));
        if (call->caller) {
            export_output_string(out, ",\"parent\":\"");
            exchange_json_number(out, call->caller);
            export_output_byte(out, '"');
        }
        export_output_byte(out, '}');
    }
}

/* ---- begin and end ---- */

static void write_key(struct export_print_output *out, const struct cairn_item_field *field)
{
    static const char *const reserved[] = {"cairn", NULL};

    export_output_byte(out, ',');
    exchange_json_key(out, decode_name_without_attributes(field->name), reserved);
    export_output_byte(out, ':');
}

static int begin(struct cairn_exporter *exporter)
{
    struct chrome *chrome = (struct chrome *)calloc(1, sizeof(*chrome));
    int err;

    if (!chrome)
        return ENOMEM;
    exporter->state = chrome;
    chrome->exporter = exporter;
    err = exchange_json_open(&chrome->json);
    if (!err)
        exchange_json_set_key(&chrome->json, write_key);
    return err ? err : exchange_lanes_open(&chrome->lanes, exporter, write_part, chrome);
}

static int finish(struct cairn_exporter *exporter)
{
    struct chrome *chrome = (struct chrome *)exporter->state;

    if (!chrome->has_events)
        write_head(chrome, NULL);
    exchange_lanes_finish(&chrome->lanes);
    export_output_string(&exporter->out, "\n],\"stackFrames\":{");
    write_calls(chrome);
    export_output_string(&exporter->out, "}}\n");
    exporter->counts.notes[CAIRN_EXPORTER_STACKS_CUT] += chrome->calls.cut;
    return 0;
}

static void destroy(struct cairn_exporter *exporter)
{
    struct chrome *chrome = (struct chrome *)exporter->state;

    if (!chrome)
        return;
    exchange_json_close(&chrome->json);
    exchange_lanes_close(&chrome->lanes);
    exchange_counters_close(&chrome->counters);
    timeline_calls_free(&chrome->calls);
    free(chrome);
}

const struct exchange_format exchange_format_chrome = {
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
