/* SPDX-License-Identifier: MIT */
/* The printer: opening, printing recordings and events, closing. */
#include "decode/style.h"

#include <errno.h>
#include <stdlib.h>

int cairn_printer_create(enum cairn_style style, int fd, struct cairn_printer **ret_printer)
{
    struct cairn_printer *printer;
    int err;

    if ((unsigned)style >= CAIRN_STYLE_COUNT)
        return EINVAL;
    printer = (struct cairn_printer *)calloc(1, sizeof(*printer));
    if (!printer)
        return ENOMEM;
    printer->style = style;
    err = cairn_output_open(&printer->out, fd);
    if (err) {
        cairn_printer_destroy(printer);
        return err;
    }
    *ret_printer = printer;
    return 0;
}

void cairn_printer_destroy(struct cairn_printer *printer)
{
    if (!printer)
        return;
    cairn_output_close(&printer->out);
    free(printer);
}

void cairn_printer_begin(struct cairn_printer *printer, const char *name)
{
    const struct cairn_style_writer *writer = cairn_style_writers[printer->style];

    if (writer->begin_recording)
        writer->begin_recording(printer, name);
    printer->recordings++;
    printer->events = 0;
}

enum cairn_event_error cairn_printer_event(struct cairn_printer *printer,
                                           const struct cairn_event *event)
{
    enum cairn_event_error error = cairn_style_writers[printer->style]->event(printer, event);

    printer->events++;
    return error;
}

void cairn_printer_set_color(struct cairn_printer *printer, bool color)
{
    printer->color = color;
}

void cairn_printer_set_wait(struct cairn_printer *printer, int (*wait)(void *context, int fd),
                            void *context)
{
    printer->out.wait = cairn_write_wait(printer->out.fd, wait, context);
}

int cairn_printer_flush(struct cairn_printer *printer)
{
    return cairn_output_flush(&printer->out);
}

bool cairn_printer_has_failed(const struct cairn_printer *printer)
{
    return printer->out.error != 0;
}

int cairn_printer_finish(struct cairn_printer *printer)
{
    const struct cairn_style_writer *writer = cairn_style_writers[printer->style];

    if (writer->end)
        writer->end(printer);
    return cairn_output_flush(&printer->out);
}
