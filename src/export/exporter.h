/* SPDX-License-Identifier: MIT */
/*
 * An exporter writes events in one style. It is one file, which defines the struct below as
 * cairn_exporter_NAME, and a line of the table CAIRN_STYLES in cairn/export.h.
 *
 * An exporter is called for each event of a recording, a stream or a session, in their order. Most
 * call cairn_print_items for the fields; it may also read them with cairn_items_next.
 */
#ifndef EXPORT_EXPORTER_H
#define EXPORT_EXPORTER_H

#include "decode/items.h"
#include "export/cpu_prefix.h"
#include "export/texts.h"
#include "export/utf.h"
#include "export/wall_clock.h"

#include <cairn/export.h>

struct cairn_exporter {
    /* How values are printed. */
    enum cairn_style values;     /* as in this style: quotes and escapes */
    enum cairn_layout_view view; /* which kinds values have */
    bool without_comm;           /* the thread's name is not printed: recordings are read faster */

    /*
     * The constant parts of events, written once for each layout. A key begins with a separator of
     * one byte. Each may be NULL.
     */
    void (*write_head)(struct cairn_print_output *out, const struct cairn_event_type *type);
    void (*write_key)(struct cairn_print_output *out, const struct cairn_item_field *field);
    void (*write_tail)(struct cairn_print_output *out, const struct cairn_event_type *type);

    /* The document. begin_recording and end may be NULL. */
    void (*begin_recording)(struct cairn_printer *printer, const char *name);
    enum cairn_event_error (*event)(struct cairn_printer *printer, const struct cairn_event *event);
    void (*end)(struct cairn_printer *printer);
};

struct cairn_printer {
    struct cairn_print_output out;
    const struct cairn_exporter *exporter;
    enum cairn_style style;
    bool color;
    uint64_t recordings; /* begun */
    uint64_t events;     /* of the last of them */
    struct cairn_wall_clock clock;
    struct cairn_cpu_prefixes prefixes;
    struct cairn_items items;
    struct cairn_texts_cache cache;
    const struct cairn_texts *texts; /* of the event that is printed */
};

/*
 * Prints an event's items: keys, values, brackets. `first`: no separator before the first one.
 * Returns the event's error.
 */
enum cairn_event_error cairn_print_items(struct cairn_printer *printer,
                                         const struct cairn_event *event, bool first);

/* Prints a name, without quotes. */
static inline void cairn_print_name(struct cairn_print_output *out, enum cairn_style style,
                                    struct cairn_slice name)
{
    if (name.length)
        cairn_print_utf8(out, style, name.text, name.length);
}

/* Prints one of a printer's `texts`. */
static inline void cairn_print_text(struct cairn_print_output *out, struct cairn_slice text)
{
    cairn_output_padded(out, text.text, text.length);
}

#endif
