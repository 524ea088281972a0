/* SPDX-License-Identifier: MIT */
/* The interface of reports: each event becomes a row, and a part of the timeline. */
#include "report/report.h"

#include "core/options.h"
#include "report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- create and destroy ---- */

static int fill(struct cairn_report *report, const struct cairn_report_options *options, int fd)
{
    int err;

    report->output.sink.fd = fd;
    report->output.sink.is_page = !options->data_only;
    report->pyramid.output = &report->output;
    report->values.max_size = options->fields_max_bytes ? options->fields_max_bytes : UINT64_MAX;
    report->title = strdup(options->title ? options->title : "cairn");
    if (!report->title)
        return ENOMEM;
    err = report_values_open(&report->values);
    if (!err)
        err = timeline_spans_create(&report->spans);
    if (!err)
        err = export_output_open(&report->index, -1);
    if (!err && !options->data_only) {
        report_sink_text(&report->output.sink, report_page_begin, report_page_begin_size);
        err = report->output.sink.error;
    }
    return err;
}

int cairn_report_create(const struct cairn_report_options *options, int fd,
                        struct cairn_report **ret_report)
{
    struct cairn_report_options own = CAIRN_REPORT_OPTIONS_INIT;
    struct cairn_report *report;
    int err = core_options_copy(
        options, CORE_OPTIONS_BYTES_TO(struct cairn_report_options, fields_max_bytes), sizeof(own),
        &own);

    if (err)
        return err;
    report = (struct cairn_report *)calloc(1, sizeof(*report));
    if (!report)
        return ENOMEM;
    err = fill(report, &own, fd);
    if (err)
        cairn_report_destroy(report);
    else
        *ret_report = report;
    return err;
}

void cairn_report_destroy(struct cairn_report *report)
{
    if (!report)
        return;
    report_kinds_free(&report->kinds);
    report_threads_free(&report->threads);
    report_columns_free(&report->rows);
    report_blocks_free(&report->row_blocks);
    report_values_free(&report->values);
    report_pyramid_free(&report->pyramid);
    report_columns_free(&report->arrows);
    report_blocks_free(&report->arrow_blocks);
    report_stacks_free(&report->stacks);
    timeline_spans_destroy(report->spans);
    report_open_spans_free(&report->open_spans);
    for (uint32_t n = 0; n < report->source_count; n++) {
        timeline_states_destroy(report->sources[n].states);
        free(report->sources[n].context);
        free(report->sources[n].name);
    }
    free(report->sources);
    export_output_close(&report->index);
    report_sink_free(&report->output.sink);
    report_deflate_free(&report->output.packer);
    free(report->title);
    free(report);
}

/* ---- recordings ---- */

struct report_source *report_source_of(struct cairn_report *report, size_t source)
{
    uint32_t number = source < REPORT_SOURCES_MAX ? (uint32_t)source : REPORT_SOURCES_MAX - 1;

    if (number >= report->source_count) {
        struct report_source *sources = (struct report_source *)realloc(
            report->sources, (number + 1) * sizeof(*report->sources));

        if (!sources)
            return NULL;
        memset(sources + report->source_count, 0,
               (number + 1 - report->source_count) * sizeof(*sources));
        report->sources = sources;
        report->source_count = number + 1;
    }
    return &report->sources[number];
}

int cairn_report_set_source(struct cairn_report *report, size_t source, const char *name,
                            const struct cairn_reader_counts *counts)
{
    struct report_source *of = report_source_of(report, source);
    char *copy = of ? strdup(name) : NULL;

    if (!copy)
        return ENOMEM;
    free(of->name);
    of->name = copy;
    of->counts = *counts;
    return 0;
}

/* ---- events ---- */

int report_events_track(struct cairn_report *report, struct report_thread *thread,
                        uint32_t *ret_track)
{
    int err = 0;

    if (thread->events_track == REPORT_NO_TRACK)
        err = report_pyramid_track(&report->pyramid, thread->number, REPORT_TRACK_EVENTS, 0,
                                   &thread->events_track);
    if (!err)
        *ret_track = thread->events_track;
    return err;
}

void report_arrow(struct cairn_report *report, enum report_arrow_kind kind, uint64_t time_ns,
                  uint64_t delay_ns, uint32_t from_track, uint32_t to_track)
{
    struct report_columns *rows = &report->arrows;

    report_columns_row(rows, time_ns, time_ns + delay_ns);
    report_bytes_difference(&rows->columns[0], time_ns, rows->last_time);
    report_bytes_varint(&rows->columns[1], delay_ns);
    report_bytes_varint(&rows->columns[2], from_track);
    report_bytes_varint(&rows->columns[3], to_track);
    report_bytes_varint(&rows->columns[4], kind);
    rows->last_time = time_ns;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &report->arrow_blocks, &report->output);
}

static void add_row(struct cairn_report *report, const struct cairn_event *event,
                    const struct report_thread *thread, const struct report_kind *kind,
                    unsigned flags)
{
    struct report_columns *rows = &report->rows;

    if (!rows->count)
        rows->first = report->events;
    report_columns_row(rows, report->now_ns, report->now_ns);
    rows->kinds |= 1u << kind->number % 32;
    report_bytes_difference(&rows->columns[0], report->now_ns, rows->last_time);
    report_bytes_varint(&rows->columns[1], thread->number);
    report_bytes_varint(&rows->columns[2], kind->number);
    report_bytes_varint(&rows->columns[3],
                        event->has & CAIRN_EVENT_CPU ? (uint64_t)event->cpu + 1 : 0);
    report_bytes_varint(&rows->columns[4], flags);
    rows->last_time = report->now_ns;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &report->row_blocks, &report->output);
}

/* Returns true if the event has a time. */
static bool set_now(struct cairn_report *report, const struct cairn_event *event)
{
    uint64_t time_ns = timeline_time_of(event);

    if (!time_ns)
        return false;
    if (!report->base_ns) {
        report->base_ns = time_ns;
        report->is_wall = event->has & CAIRN_EVENT_WALL;
    }
    report->now_ns = time_ns > report->base_ns ? time_ns - report->base_ns : 0;
    return true;
}

static int find(struct cairn_report *report, const struct cairn_event *event, size_t source,
                struct report_thread **ret_thread, struct report_kind **ret_kind)
{
    bool has_thread = event->has & CAIRN_EVENT_TID;
    struct report_source *of = report_source_of(report, source);
    int err = of ? 0 : ENOMEM;

    if (err)
        return err;
    of->events++;
    err = report_threads_find(&report->threads, (uint32_t)(of - report->sources),
                              has_thread ? event->pid : 0, has_thread ? event->tid : 0, ret_thread);
    if (!err)
        err = report_kinds_find(&report->kinds, event->type, ret_kind);
    if (!err)
        report_thread_set_comm(*ret_thread, event->comm);
    return err;
}

/* Adds the event to the timeline, as what it is. Sets its flags. */
static int add_to_timeline(struct cairn_report *report, const struct cairn_event *event,
                           struct report_thread *thread, const struct report_kind *kind,
                           unsigned *flags)
{
    bool is_part_of_span = false;
    uint32_t track;
    int err;

    if (kind->sched != TIMELINE_SCHED_NONE) {
        *flags |= REPORT_ROW_SCHED;
        return report_states_event(report, event, thread->source);
    }
    err = report_spans_event(report, event, thread, kind, &is_part_of_span);
    if (err || is_part_of_span) {
        *flags |= REPORT_ROW_SPAN;
        return err;
    }
    err = report_events_track(report, thread, &track);
    if (!err)
        report_pyramid_instant(&report->pyramid, track, kind->number, report->now_ns);
    return err;
}

static int error_of(const struct cairn_report *report)
{
    return report->output.error ? report->output.error : report->output.sink.error;
}

int cairn_report_event(struct cairn_report *report, const struct cairn_event *event, size_t source,
                       enum cairn_event_error *ret_error)
{
    unsigned flags = set_now(report, event) ? 0 : REPORT_ROW_NO_TIME;
    struct report_thread *thread;
    struct report_kind *kind;
    enum cairn_event_error error;
    int err = find(report, event, source, &thread, &kind);

    if (!err)
        err = add_to_timeline(report, event, thread, kind, &flags);
    if (!err && event->stack)
        err = report_stacks_add(&report->stacks, &report->output, event,
                                &(struct report_stack_event){.number = report->events,
                                                             .time_ns = report->now_ns,
                                                             .thread = thread->number,
                                                             .kind = kind->number});
    if (err)
        return err;
    error = report_values_add(&report->values, &report->output, event);
    if (error) {
        flags |= REPORT_ROW_DAMAGED;
        kind->damaged++;
        report->damaged++;
    }
    add_row(report, event, thread, kind, flags);
    kind->count++;
    kind->bytes += event->raw_bytes ? event->raw_bytes : event->data_bytes;
    thread->events++;
    report->events++;
    if (ret_error)
        *ret_error = error;
    return error_of(report);
}

/* ---- results ---- */

int cairn_report_index(struct cairn_report *report, const void **ret_index, size_t *ret_size_bytes)
{
    int err;

    report_columns_write(&report->rows, &report->row_blocks, &report->output);
    report_columns_write(&report->arrows, &report->arrow_blocks, &report->output);
    report_stacks_write(&report->stacks, &report->output);
    report_values_write(&report->values, &report->output);
    report_pyramid_flush(&report->pyramid);
    if (!report->output.sink.is_page)
        report_sink_flush(&report->output.sink);
    report_index_write(report);
    err = error_of(report);
    if (!err)
        err = report->index.error;
    if (err)
        return err;
    *ret_index = report->index.begin;
    *ret_size_bytes = (size_t)(report->index.at - report->index.begin);
    return 0;
}

const struct cairn_report_counts *cairn_report_counts(struct cairn_report *report)
{
    report->counts = (struct cairn_report_counts){.events = report->events,
                                                  .spans = report->spans_count,
                                                  .without_fields = report->values.left_out,
                                                  .size_bytes = report->output.sink.written,
                                                  .is_compressed = report_deflate_is_there()};
    return &report->counts;
}

/* JSON within a document: no text of a recording may end the element that it is in. A `<` is always
 * within a string. */
static void write_index(struct report_sink *sink, const char *index, size_t size)
{
    static const char begin[] = "<script type=\"text/plain\" id=\"cairn-index\">";
    static const char end[] = "</script>\n";
    const char *from = index;

    report_sink_text(sink, begin, sizeof(begin) - 1);
    for (const char *at = index; at < index + size; at++) {
        if (*at != '<')
            continue;
        report_sink_text(sink, from, (size_t)(at - from));
        report_sink_text(sink, "\\u003c", 6);
        from = at + 1;
    }
    report_sink_text(sink, from, (size_t)(index + size - from));
    report_sink_text(sink, end, sizeof(end) - 1);
}

int cairn_report_finish(struct cairn_report *report)
{
    const void *index;
    size_t size;
    int err = report->is_finished ? 0 : report_spans_finish(report);

    if (!err && !report->is_finished)
        err = report_states_finish(report);
    report->is_finished = true;
    if (!err)
        err = cairn_report_index(report, &index, &size);
    if (!err && report->output.sink.is_page) {
        write_index(&report->output.sink, (const char *)index, size);
        report_sink_text(&report->output.sink, report_page_end, report_page_end_size);
        err = error_of(report);
    }
    return err;
}

const char *cairn_report_page(size_t *ret_size_bytes)
{
    *ret_size_bytes = report_page_whole_size;
    return (const char *)report_page_whole;
}
