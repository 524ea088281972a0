/* SPDX-License-Identifier: MIT */
/*
 * The style `text`: a line for each event, as in trace_pipe.
 *
 *             bash-1977    [000]  17284.993652: sched_waking: comm=cat pid=1980
 *         treewalk-2101    [001]  17285.004131: Provider:Event: Path=/usr (level=warning ...)
 */
#include "export/json_parts.h"
#include "export/names.h"
#include "export/number.h"
#include "export/value_print.h"

#define STYLE CAIRN_STYLE_TEXT

/* Escape sequences of terminals: ECMA-48's graphic renditions. */
#define COLOR_NONE "\033[0m"
#define COLOR_DIM  "\033[2m"

static const char *color_of(const struct cairn_event_type *type)
{
    static const char *const by_level[] = {
        [CAIRN_LEVEL_CRITICAL_ERROR] = "\033[1;31m", /* red, bold */
        [CAIRN_LEVEL_ERROR] = "\033[31m",
        [CAIRN_LEVEL_WARNING] = "\033[33m",     /* yellow */
        [CAIRN_LEVEL_INFORMATION] = "\033[32m", /* green */
    };

    if (type->is_eventheader && type->level < sizeof(by_level) / sizeof(*by_level) &&
        by_level[type->level])
        return by_level[type->level];
    return "\033[36m"; /* cyan */
}

static void write_head(struct export_print_output *out, const struct cairn_event_type *type)
{
    if (type->is_eventheader) {
        export_print_name(out, STYLE, type->provider);
        export_output_byte(out, ':');
    }
    export_print_name(out, STYLE, type->name);
    export_output_byte(out, ':');
}

static void write_key(struct export_print_output *out, const struct cairn_item_field *field)
{
    export_output_byte(out, ' ');
    export_print_name(out, STYLE, decode_name_without_attributes(field->name));
    export_output_byte(out, '=');
}

/* The parenthesis is closed by print_tail, after the variable part. */
static void write_tail(struct export_print_output *out, const struct cairn_event_type *type)
{
    const char *level = export_level_name(type->level);
    const char *opcode = export_opcode_name(type->opcode);

    if (!type->is_eventheader)
        return;
    export_output_string(out, " (level=");
    if (level)
        export_output_string(out, level);
    else
        out->at = export_put_unsigned(export_output_reserve(out, 20), type->level);
    export_output_string(out, " keyword=");
    out->at = export_put_hex(export_output_reserve(out, 18), type->keyword);
    if (!type->opcode)
        return;
    export_output_string(out, " opcode=");
    if (opcode)
        export_output_string(out, opcode);
    else
        out->at = export_put_unsigned(export_output_reserve(out, 20), type->opcode);
}

static char *put_spaces(char *to, size_t count)
{
    memset(to, ' ', count);
    return to + count;
}

/* "            bash-1977    " */
static void print_thread(struct export_print_output *out, const struct cairn_event *event)
{
    const char *comm = event->comm ? event->comm : "<...>";
    size_t length = strlen(comm);
    char *begin;
    char *to = export_output_reserve(out, 16);

    out->at = put_spaces(to, length < 16 ? 16 - length : 0);
    export_print_utf8(out, STYLE, comm, length);
    begin = export_output_reserve(out, 32);
    *begin = '-';
    to = export_put_task(begin + 1, event->tid);
    out->at = put_spaces(to, to - begin < 8 ? (size_t)(8 - (to - begin)) : 0);
}

static char *put_cpu(char *to, uint32_t cpu)
{
    to = EXPORT_PUT(to, " [");
    to = cpu < 1000 ? export_put_digits(to, cpu, 3) : export_put_unsigned(to, cpu);
    *to = ']';
    return to + 1;
}

/* "            bash-1977     [000]" */
static void write_common(struct export_print_output *out, const struct cairn_printer *printer,
                         const struct cairn_event *event)
{
    (void)printer;
    if (event->has & CAIRN_EVENT_TID)
        print_thread(out, event);
    if (event->has & CAIRN_EVENT_CPU)
        out->at = put_cpu(export_output_reserve(out, 32), event->cpu);
}

/* A kept text has "" for an empty and for an unknown name, which are printed differently. */
static void print_common(struct cairn_printer *printer, const struct cairn_event *event)
{
    if (cairn_likely(*export_comm_of(printer, event)))
        export_print_common(printer, 0, event, write_common);
    else
        write_common(&printer->out, printer, event);
}

/* Seconds to the nearest microsecond, as ftrace prints them, in a column of 12 bytes. */
static char *put_clock(char *to, uint64_t time_ns)
{
    uint64_t rounded_ns = time_ns + 500;
    uint64_t seconds = rounded_ns / 1000000000;

    for (uint64_t limit = 10000; limit > 1 && seconds < limit; limit /= 10)
        *to++ = ' ';
    return export_put_seconds(to, rounded_ns, 6);
}

/* " 17284.993652:" */
static char *put_time(char *to, struct cairn_printer *printer, const struct cairn_event *event)
{
    enum cairn_printer_time form =
        export_time_form(&printer->times, event, CAIRN_PRINTER_TIME_MONO);

    if (!(event->has & CAIRN_EVENT_TIME))
        return to;
    *to++ = ' ';
    if (cairn_likely(form == CAIRN_PRINTER_TIME_MONO))
        to = put_clock(to, event->time_ns);
    else
        to = export_put_event_time(to, &printer->times, form, event, 6);
    *to = ':';
    return to + 1;
}

/* " (level=warning keyword=0x1 activity=...) <error: ...>" */
static void print_tail(struct cairn_printer *printer, const struct cairn_event *event,
                       enum cairn_event_error error)
{
    struct export_print_output *out = &printer->out;
    char *to;

    export_print_text(out, printer->texts->tail);
    to = export_output_reserve(out, 256);
    if (event->activity_id) {
        to = EXPORT_PUT(to, " activity=");
        to = export_put_uuid(to, event->activity_id);
    }
    if (event->related_id) {
        to = EXPORT_PUT(to, " related=");
        to = export_put_uuid(to, event->related_id);
    }
    if (event->type->is_eventheader)
        *to++ = ')';
    if (error) {
        to = EXPORT_PUT(to, " <error: ");
        to = stpcpy(to, cairn_event_error_text(error));
        *to++ = '>';
    }
    *to++ = '\n';
    out->at = to;
}

/* Writes "sched_waking:", on a terminal in a colour. */
static void print_head(struct cairn_printer *printer, const struct cairn_event_type *type)
{
    struct export_print_output *out = &printer->out;

    if (printer->color)
        export_output_string(out, color_of(type));
    export_print_text(out, printer->texts->head);
    if (printer->color)
        export_output_string(out, COLOR_NONE);
}

/* The text of the event's print format. False if it has none, or is too short for it. */
static bool print_by_format(struct cairn_printer *printer, const struct cairn_event *event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    const struct decode_print *print = layout->print;
    struct decode_print_record record = {
        .raw = event->raw,
        .raw_bytes = event->raw_bytes,
        .swap = event->swap,
        .resolve = layout->kernel ? decode_kernel_symbols_resolve : NULL,
        .string = layout->kernel ? decode_kernel_strings_find : NULL,
        .kernel = layout->kernel,
    };
    char text[DECODE_PRINT_TEXT_MAX_BYTES];
    uint32_t length;

    if (!print || !event->raw || printer->fields.count ||
        decode_print_text(print, &record, text, &length))
        return false;
    export_output_byte(&printer->out, ' ');
    export_print_utf8(&printer->out, STYLE, text, length);
    return true;
}

/* A line for each frame, as in perf script: address, symbol and offset, file. */
static void print_stack(struct export_print_output *out, const struct cairn_event *event)
{
    struct cairn_frame frame;

    for (uint32_t n = 0; cairn_event_frame(event, n, &frame); n++) {
        export_output_string(out, "\t");
        out->at = export_put_hex(export_output_reserve(out, 18), frame.address);
        export_output_byte(out, ' ');
        if (frame.symbol) {
            export_print_utf8(out, STYLE, frame.symbol, (uint32_t)strlen(frame.symbol));
            export_output_byte(out, '+');
            out->at = export_put_hex(export_output_reserve(out, 18), frame.symbol_offset);
        } else {
            export_output_string(out, "[unknown]");
        }
        if (frame.object) {
            export_output_string(out, " (");
            export_print_utf8(out, STYLE, frame.object, (uint32_t)strlen(frame.object));
            export_output_byte(out, ')');
        }
        export_output_byte(out, '\n');
    }
}

static enum cairn_event_error print_event(struct cairn_printer *printer,
                                          const struct cairn_event *event)
{
    struct export_print_output *out = &printer->out;
    enum cairn_event_error error;

    if (printer->color)
        export_output_string(out, COLOR_DIM);
    print_common(printer, event);
    out->at = put_time(export_output_reserve(out, 128), printer, event);
    if (printer->color)
        export_output_string(out, COLOR_NONE);
    if (event->has)
        export_output_byte(out, ' ');
    print_head(printer, event->type);
    if (print_by_format(printer, event))
        error = event->error;
    else
        error = export_print_items(printer, event, false);
    print_tail(printer, event, error);
    if (event->stack)
        print_stack(out, event);
    return error;
}

const struct exporter exporter_text = {
    .values = STYLE,
    .write_head = write_head,
    .write_key = write_key,
    .write_tail = write_tail,
    .event = print_event,
};
