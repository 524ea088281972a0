/* SPDX-License-Identifier: MIT */
/* The index of a report: what it contains, and where, as JSON. page/index.js reads it. */
#include "export/exporter.h"
#include "export/number.h"
#include "report/report.h"

#include <cairn/inspect.h>

#define STYLE CAIRN_STYLE_JSONL

static void put_number(struct export_print_output *out, const char *before, uint64_t number)
{
    export_output_string(out, before);
    out->at = export_put_unsigned(export_output_reserve(out, 20), number);
}

static void put_task(struct export_print_output *out, uint32_t id)
{
    export_output_byte(out, ',');
    out->at = export_put_task(export_output_reserve(out, 20), id);
}

static void put_bytes(struct export_print_output *out, const char *before, const char *text,
                      size_t size)
{
    export_output_string(out, before);
    export_output_byte(out, '"');
    export_print_utf8(out, STYLE, text, size);
    export_output_byte(out, '"');
}

static void put_text(struct export_print_output *out, const char *before, const char *text)
{
    put_bytes(out, before, text, strlen(text));
}

/* ---- blocks ---- */

static void put_blocks(struct export_print_output *out, const char *before,
                       const struct report_blocks *blocks)
{
    export_output_string(out, before);
    for (uint32_t n = 0; n < blocks->count; n++) {
        const struct report_block *block = &blocks->list[n];

        put_number(out, n ? ",[" : "[", block->offset);
        put_number(out, ",", block->size);
        put_number(out, ",", block->raw_size);
        put_number(out, ",", block->begin_ns);
        put_number(out, ",", block->end_ns);
        put_number(out, ",", block->first);
        put_number(out, ",", block->count);
        if (block->kinds)
            put_number(out, ",", block->kinds);
        export_output_byte(out, ']');
    }
    export_output_byte(out, ']');
}

static void put_levels(struct export_print_output *out, const struct report_pyramid *pyramid)
{
    for (uint32_t n = 0; n < REPORT_LEVELS; n++) {
        const struct report_level *level = &pyramid->levels[n];

        put_number(out, n ? ",{\"width\":" : "{\"width\":", report_level_width(n));
        export_output_string(out,
                             n && !level->is_left_out ? ",\"has_cells\":1" : ",\"has_cells\":0");
        put_blocks(out, ",\"items\":[", &level->items);
        put_blocks(out, ",\"cells\":[", &level->cells);
        export_output_byte(out, '}');
    }
}

/* ---- what there is ---- */

static void put_sources(struct export_print_output *out, const struct cairn_report *report)
{
    for (uint32_t n = 0; n < report->source_count; n++) {
        const struct report_source *source = &report->sources[n];
        const struct cairn_perf_missing *missing = &source->counts.missing;

        put_text(out, n ? ",{\"name\":" : "{\"name\":", source->name ? source->name : "");
        put_number(out, ",\"events\":", source->events);
        put_number(out, ",\"lost\":", source->counts.lost);
        put_number(out, ",\"unreadable\":", source->counts.unreadable);
        put_number(out, ",\"damaged_records\":", missing->damaged);
        put_number(out, ",\"directory_gone\":", missing->directory_gone);
        put_number(out, ",\"kernel_gap\":", missing->kernel_gap);
        put_number(out, ",\"silences\":", missing->silences);
        put_number(out, ",\"changed_cpus\":", missing->changed_cpus);
        put_number(out, ",\"directories_left_out\":", missing->directories_left_out);
        export_output_string(out, ",\"causes\":[");
        for (unsigned cause = 0, first = 1; cause < CAIRN_LOSS_CAUSES; cause++) {
            if (!missing->lost[cause] && !missing->processes[cause])
                continue;
            put_text(out, first ? "[" : ",[", cairn_loss_text((enum cairn_loss)cause));
            put_number(out, ",", missing->lost[cause]);
            put_number(out, ",", missing->processes[cause]);
            export_output_byte(out, ']');
            first = 0;
        }
        export_output_string(out, "]}");
    }
}

static void put_durations(struct export_print_output *out, const struct stats_sketch *sketch)
{
    static const double parts[] = {0.5, 0.9, 0.99};

    put_number(out, ",\"durations\":[", sketch->count);
    put_number(out, ",", (uint64_t)sketch->integers);
    put_number(out, ",", (uint64_t)sketch->min);
    for (unsigned n = 0; n < sizeof(parts) / sizeof(*parts); n++)
        put_number(out, ",", (uint64_t)stats_sketch_quantile(sketch, parts[n]));
    put_number(out, ",", (uint64_t)sketch->max);
    export_output_byte(out, ']');
}

static void put_kinds(struct export_print_output *out, const struct report_kinds *kinds)
{
    for (uint32_t n = 0; n < kinds->count; n++) {
        const struct report_kind *kind = kinds->list[n];

        export_output_string(out, n ? ",{" : "{");
        export_output_bytes(out, kind->text.text, kind->text.length);
        put_number(out, ",\"count\":", kind->count);
        put_number(out, ",\"bytes\":", kind->bytes);
        put_number(out, ",\"damaged\":", kind->damaged);
        if (kind->durations.count)
            put_durations(out, &kind->durations);
        export_output_byte(out, '}');
    }
}

static void put_threads(struct export_print_output *out, const struct report_threads *threads)
{
    for (uint32_t n = 0; n < threads->count; n++) {
        const struct report_thread *thread = threads->list[n];

        put_number(out, n ? ",[" : "[", thread->source);
        put_task(out, thread->pid);
        put_task(out, thread->tid);
        put_text(out, ",", thread->comm);
        put_number(out, ",", thread->events);
        export_output_byte(out, ']');
    }
}

static void put_tracks(struct export_print_output *out, const struct report_pyramid *pyramid)
{
    for (uint32_t n = 0; n < pyramid->track_count; n++) {
        const struct report_track *track = pyramid->tracks[n];

        put_number(out, n ? ",[" : "[", track->thread);
        put_number(out, ",", track->kind);
        put_number(out, ",", track->depth);
        put_number(out, ",", track->items);
        export_output_byte(out, ']');
    }
}

/* The nodes are in blocks: there may be many. */
static void put_stacks(struct export_print_output *out, const struct report_stacks *stacks)
{
    put_number(out, ",\"stacks_cut\":", stacks->calls.cut);
    export_output_string(out, ",\"frames\":[");
    for (uint32_t n = 0; n < stacks->calls.function_count; n++) {
        const struct timeline_function *function = &stacks->calls.functions[n];

        put_bytes(out, n ? ",[" : "[", function->text, function->symbol_bytes);
        put_bytes(out, ",", timeline_function_object(function), function->object_bytes);
        export_output_string(out, function->is_kernel ? ",1]" : ",0]");
    }
    put_blocks(out, "],\"nodes\":[", &stacks->node_blocks);
    put_blocks(out, ",\"stacks\":[", &stacks->row_blocks);
}

static void put_states(struct export_print_output *out)
{
    for (unsigned n = TIMELINE_RUNNING; n <= TIMELINE_PARKED; n++)
        put_text(out, n ? "," : "", timeline_state_name((enum timeline_state_kind)n));
}

static void put_head(struct export_print_output *out, struct cairn_report *report)
{
    const struct timeline_spans_counts *spans = timeline_spans_counts(report->spans);

    put_text(out, "{\"version\":1,\"program\":", "cairn " CAIRN_VERSION);
    put_text(out, ",\"title\":", report->title);
    export_output_string(out, report->is_wall ? ",\"is_wall\":1" : ",\"is_wall\":0");
    put_number(out, ",\"base_ns\":\"", report->base_ns);
    put_number(out, "\",\"last_ns\":", report->now_ns);
    export_output_string(out, report->is_finished ? ",\"is_live\":0" : ",\"is_live\":1");
    put_number(out, ",\"events\":", report->events);
    put_number(out, ",\"damaged\":", report->damaged);
    put_number(out, ",\"without_fields\":", report->values.left_out);
    put_number(out, ",\"spans\":", report->spans_count);
    put_number(out, ",\"spans_open\":", spans->open);
    put_number(out, ",\"spans_forgotten\":", spans->forgotten);
    put_number(out, ",\"stops_alone\":", spans->stops_alone);
}

void report_index_write(struct cairn_report *report)
{
    struct export_print_output *out = &report->index;

    out->at = out->begin;
    put_head(out, report);
    export_output_string(out, ",\"sources\":[");
    put_sources(out, report);
    export_output_string(out, "],\"states\":[");
    put_states(out);
    export_output_string(out, "],\"kinds\":[");
    put_kinds(out, &report->kinds);
    export_output_string(out, "],\"threads\":[");
    put_threads(out, &report->threads);
    export_output_string(out, "],\"tracks\":[");
    put_tracks(out, &report->pyramid);
    put_blocks(out, "],\"rows\":[", &report->row_blocks);
    put_blocks(out, ",\"values\":[", &report->values.blocks);
    put_blocks(out, ",\"arrows\":[", &report->arrow_blocks);
    put_stacks(out, &report->stacks);
    export_output_string(out, ",\"levels\":[");
    put_levels(out, &report->pyramid);
    export_output_string(out, "]}");
}
