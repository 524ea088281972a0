/* SPDX-License-Identifier: MIT */
/* Decodes a perf.data file: prints the events of a reader. */
#include "cairn/reader.h"
#include "export/exporter.h"

#include <errno.h>

/* Flushes when a stream pauses, for readers of the output. */
static int print_all(struct cairn_reader *reader, struct cairn_printer *printer, uint64_t *damaged)
{
    const struct cairn_event *event;
    int err = 0;

    while (!cairn_printer_has_failed(printer)) {
        err = cairn_reader_next(reader, &event);
        if (cairn_likely(!err))
            *damaged += cairn_printer_event(printer, event) != CAIRN_EVENT_WHOLE;
        else if (err == EAGAIN)
            export_output_flush(&printer->out);
        else
            break;
    }
    return err == ENODATA || err == EAGAIN ? 0 : err;
}

/* The error may be damage that did not end the reading. */
static void fill_report(struct cairn_reader *reader, struct cairn_decode_report *report)
{
    const struct cairn_reader_counts *counts = cairn_reader_counts(reader);

    report->events = counts->events;
    report->unreadable = counts->unreadable;
    report->lost = counts->lost;
    report->missing = counts->missing;
    report->error = *cairn_reader_error(reader);
}

int cairn_decode_file(const char *path, const char *name, struct cairn_printer *printer,
                      struct cairn_decode_report *ret_report)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_reader *reader;
    int err;

    *ret_report = (struct cairn_decode_report){0};
    options.without_comm = printer->exporter->without_comm;
    err = cairn_reader_open(path, &options, &ret_report->error, &reader);
    if (err)
        return err;
    cairn_printer_begin(printer, name);
    err = print_all(reader, printer, &ret_report->damaged);
    fill_report(reader, ret_report);
    cairn_reader_close(reader);
    return err;
}
