/* SPDX-License-Identifier: MIT */
/* The printer: opening, printing recordings and events, closing. */
#include "export/exporter.h"

#include <errno.h>
#include <stdlib.h>

#define DECLARE(NAME, name, description) extern const struct exporter exporter_##name;
#define ADDRESS(NAME, name, description) &exporter_##name,

CAIRN_STYLES(DECLARE)

static const struct exporter *const exporters[] = {CAIRN_STYLES(ADDRESS)};

int export_printer_create(const struct exporter *exporter, int fd,
                          struct cairn_printer **ret_printer)
{
    struct cairn_printer *printer = (struct cairn_printer *)calloc(1, sizeof(*printer));
    int err;

    if (!printer)
        return ENOMEM;
    printer->style = exporter->values;
    printer->exporter = exporter;
    printer->cache.fields = &printer->fields;
    err = export_output_open_large(&printer->out, fd);
    if (!err)
        err = export_texts_open(&printer->cache);
    if (err) {
        cairn_printer_destroy(printer);
        return err;
    }
    *ret_printer = printer;
    return 0;
}

int cairn_printer_create(enum cairn_style style, int fd, struct cairn_printer **ret_printer)
{
    int err;

    if ((unsigned)style >= CAIRN_STYLE_COUNT)
        return EINVAL;
    err = export_printer_create(exporters[style], fd, ret_printer);
    if (!err)
        (*ret_printer)->style = style;
    return err;
}

void cairn_printer_destroy(struct cairn_printer *printer)
{
    if (!printer)
        return;
    if (printer->exporter->destroy)
        printer->exporter->destroy(printer);
    export_output_close(&printer->out);
    export_texts_close(&printer->cache);
    export_fields_close(&printer->fields);
    free(printer);
}

void cairn_printer_begin(struct cairn_printer *printer, const char *name)
{
    if (printer->exporter->begin_recording)
        printer->exporter->begin_recording(printer, name);
    printer->recordings++;
    printer->events = 0;
}

enum cairn_event_error cairn_printer_event(struct cairn_printer *printer,
                                           const struct cairn_event *event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    enum cairn_event_error error;

    printer->texts = export_texts_of(&printer->cache, printer->exporter, layout);
    if (cairn_unlikely(!printer->texts)) {
        export_output_fail(&printer->out, ENOMEM);
        return event->error;
    }
    error = printer->exporter->event(printer, event);
    printer->events++;
    return error;
}

void cairn_printer_set_color(struct cairn_printer *printer, bool color)
{
    printer->color = color;
}

void cairn_printer_set_time(struct cairn_printer *printer, enum cairn_printer_time time)
{
    printer->times.form = time;
}

int cairn_printer_set_fields(struct cairn_printer *printer, const char *const *names, size_t count)
{
    return printer->fields.count ? EEXIST : export_fields_open(&printer->fields, names, count);
}

bool cairn_printer_found_field(const struct cairn_printer *printer, size_t index)
{
    return index < printer->fields.count && printer->fields.found[index];
}

int cairn_printer_create_part(const struct cairn_printer *printer, struct cairn_printer **ret_part)
{
    struct cairn_printer *part = NULL;
    int err;

    if (printer->times.form == CAIRN_PRINTER_TIME_DELTA)
        return EINVAL;
    err = cairn_printer_create(printer->style, -1, &part);
    if (!err && printer->fields.count)
        err = cairn_printer_set_fields(part, (const char *const *)printer->fields.names,
                                       printer->fields.count);
    if (err) {
        cairn_printer_destroy(part);
        return err;
    }
    part->is_part = true;
    part->color = printer->color;
    part->times.form = printer->times.form;
    *ret_part = part;
    return 0;
}

size_t cairn_printer_kept_bytes(const struct cairn_printer *part)
{
    return (size_t)(part->out.at - part->out.begin);
}

/* In JSON, the first event of a part has no comma, as the first of a recording. */
void cairn_printer_append(struct cairn_printer *printer, struct cairn_printer *part)
{
    if (part->out.error)
        export_output_fail(&printer->out, part->out.error);
    if (!part->events)
        return;
    if (printer->events && printer->style == CAIRN_STYLE_JSON)
        export_output_byte(&printer->out, ',');
    export_output_move(&printer->out, &part->out);
    for (size_t n = 0; n < part->fields.count; n++)
        printer->fields.found[n] |= part->fields.found[n];
    printer->events += part->events;
    part->events = 0;
}

void cairn_printer_set_wait(struct cairn_printer *printer, int (*wait)(void *context, int fd),
                            void *context)
{
    printer->out.wait = perf_data_write_wait(printer->out.fd, wait, context);
}

int cairn_printer_flush(struct cairn_printer *printer)
{
    return export_output_flush(&printer->out);
}

bool cairn_printer_has_failed(const struct cairn_printer *printer)
{
    return printer->out.error != 0;
}

int cairn_printer_finish(struct cairn_printer *printer)
{
    if (printer->exporter->end)
        printer->exporter->end(printer);
    return export_output_flush(&printer->out);
}
