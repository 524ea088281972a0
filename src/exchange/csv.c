/* SPDX-License-Identifier: MIT */
/* CSV, as cairn decode writes it: fields as JSON in one column, the stack in another. */
#include "exchange/format.h"

#include <cairn/export.h>

static int begin(struct cairn_exporter *exporter)
{
    struct cairn_printer *printer;
    int err = cairn_printer_create(CAIRN_STYLE_CSV, exporter->target.fd, &printer);

    if (err)
        return err;
    exporter->state = printer;
    cairn_printer_begin(printer, ""); /* also without events there is a header */
    return 0;
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct cairn_printer *printer = (struct cairn_printer *)exporter->state;

    if (cairn_printer_event(printer, event))
        exchange_note_damage(exporter);
    return cairn_printer_has_failed(printer) ? cairn_printer_flush(printer) : 0;
}

static int finish(struct cairn_exporter *exporter)
{
    return cairn_printer_finish((struct cairn_printer *)exporter->state);
}

static void destroy(struct cairn_exporter *exporter)
{
    cairn_printer_destroy((struct cairn_printer *)exporter->state);
}

const struct exchange_format exchange_format_csv = {
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
