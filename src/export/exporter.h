/* SPDX-License-Identifier: MIT */
/*
 * An exporter writes events in one style. It is one file, which defines the struct below as
 * exporter_NAME, and a line of the table CAIRN_STYLES in cairn/export.h.
 *
 * An exporter is called for each event of a recording, a stream or a session, in their order. Most
 * call export_print_items for the fields; it may also read them with cairn_items_next.
 */
#ifndef EXPORT_EXPORTER_H
#define EXPORT_EXPORTER_H

#include "decode/items.h"
#include "export/common.h"
#include "export/event_time.h"
#include "export/fields.h"
#include "export/texts.h"
#include "export/utf.h"

#include <cairn/export.h>

struct exporter {
    /* Properties of printed values. */
    enum cairn_style values;      /* style whose quotes and escapes are used */
    enum decode_layout_view view; /* which kinds values have */
    bool without_comm;            /* the thread's name is not printed, which makes reading faster */

    /*
     * The constant parts of events, written once for each layout. A key begins with a separator of
     * one byte. Each may be NULL.
     */
    void (*write_head)(struct export_print_output *out, const struct cairn_event_type *type);
    void (*write_key)(struct export_print_output *out, const struct cairn_item_field *field);
    void (*write_tail)(struct export_print_output *out, const struct cairn_event_type *type);

    /* The document. begin_recording and end may be NULL. */
    void (*begin_recording)(struct cairn_printer *printer, const char *name);
    enum cairn_event_error (*event)(struct cairn_printer *printer, const struct cairn_event *event);
    void (*end)(struct cairn_printer *printer);
    void (*destroy)(struct cairn_printer *printer); /* its own state; may be NULL */
};

struct cairn_printer {
    struct export_print_output out;
    const struct exporter *exporter;
    enum cairn_style style;
    bool color;
    bool is_part;        /* its output is added to that of another one */
    uint64_t recordings; /* begun */
    uint64_t events;     /* of the last of them */
    struct export_event_times times;
    struct export_fields fields; /* to be printed; none: all */
    struct export_commons commons;
    struct cairn_items items;
    struct export_texts_cache cache;
    const struct export_texts *texts; /* of the event that is printed */
    void *state;                      /* the exporter's own; NULL: none yet */
};

/* As cairn_printer_create, with an exporter that is not in the table of styles. Returns 0, ENOMEM.
 */
int export_printer_create(const struct exporter *exporter, int fd,
                          struct cairn_printer **ret_printer);

/*
 * Prints an event's items: keys, values, brackets. `first`: no separator before the first one.
 * Returns the event's error.
 */
enum cairn_event_error export_print_items(struct cairn_printer *printer,
                                          const struct cairn_event *event, bool first);

/*
 * Prints a value in a style, or an array or a struct up to its end in the exporter's style, without
 * a key. The printer's `items` must be positioned at it.
 */
void export_print_item(struct cairn_printer *printer, const struct cairn_item *item,
                       enum cairn_style style);

/* Prints a name, without quotes. */
static inline void export_print_name(struct export_print_output *out, enum cairn_style style,
                                     struct cairn_slice name)
{
    if (name.length)
        export_print_utf8(out, style, name.text, name.length);
}

/* The name of the event's thread, if it is printed; or "". */
static inline const char *export_comm_of(const struct cairn_printer *printer,
                                         const struct cairn_event *event)
{
    return event->comm && !printer->exporter->without_comm ? event->comm : "";
}

/*
 * Prints what events of this thread have in common: those of the layout with the serial number, or
 * of all layouts if that is 0. Flattened into its callers.
 */
static inline void export_print_common(struct cairn_printer *printer, uint64_t serial,
                                       const struct cairn_event *event, export_common_write *write)
{
    struct export_common *common = export_common_slot(&printer->commons, serial, event);

    if (cairn_likely(export_common_is_of(common, serial, event, export_comm_of(printer, event))))
        export_output_padded(&printer->out, common->text, common->length);
    else
        export_common_add(printer, common, serial, event, write);
}

/* Prints one of a printer's `texts`. */
static inline void export_print_text(struct export_print_output *out, struct cairn_slice text)
{
    export_output_padded(out, text.text, text.length);
}

#endif
