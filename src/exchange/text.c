/* SPDX-License-Identifier: MIT */
/* Text for other systems: valid UTF-8. */
#include "exchange/text.h"

#include "core/slice.h"
#include "export/number.h"
#include "export/utf.h"
#include "export/value_print.h"

#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* Counts a text that has characters in the place of others. `from` bytes of the output are older.
 */
static void note_replaced(struct cairn_exporter *exporter, const struct export_print_output *out,
                          size_t from)
{
    const char *text = out->begin + from;
    size_t length = out->error ? 0 : (size_t)(out->at - text); /* after an error it is empty */

    if (length && memchr(text, REPLACEMENT[0], length) && memmem(text, length, REPLACEMENT, 3))
        exchange_note(exporter, CAIRN_EXPORTER_TEXTS);
}

/* The beginning of a text in an output in memory. A file's buffer may be written before its end. */
static size_t position(const struct export_print_output *out)
{
    return (size_t)(out->at - out->begin);
}

void exchange_put_text(struct cairn_exporter *exporter, struct export_print_output *out,
                       struct cairn_slice text)
{
    size_t from = position(out);

    if (exchange_is_plain(text.text, text.length)) {
        export_output_bytes(out, text.text, text.length);
        return;
    }
    if (text.length)
        export_print_utf8(out, EXPORT_STYLE_PLAIN, text.text, text.length);
    note_replaced(exporter, out, from);
}

void exchange_put_value(struct cairn_exporter *exporter, struct export_print_output *out,
                        enum decode_value value, struct decode_value_data data)
{
    size_t from = position(out);

    if (value == DECODE_VALUE_NULL)
        return;
    export_value_print(out, EXPORT_STYLE_PLAIN, value, data);
    if (value >= DECODE_VALUE_FIRST_STRING)
        note_replaced(exporter, out, from);
}

void exchange_put_event_name(struct cairn_exporter *exporter, struct export_print_output *out,
                             const struct cairn_event_type *type)
{
    exchange_put_text(exporter, out, type->provider);
    if (type->provider.length)
        export_output_byte(out, ':');
    exchange_put_text(exporter, out, type->name);
}

void exchange_put_function(struct cairn_exporter *exporter, struct export_print_output *out,
                           const struct timeline_function *function)
{
    const char *object = timeline_function_object(function);
    const char *slash = strrchr(object, '/');
    const char *name = slash ? slash + 1 : object;

    if (function->symbol_bytes) {
        exchange_put_text(exporter, out,
                          (struct cairn_slice){function->text, function->symbol_bytes});
        return;
    }
    if (*name != '[')
        export_output_byte(out, '[');
    exchange_put_text(exporter, out,
                      *name ? (struct cairn_slice){name, (uint32_t)strlen(name)}
                            : (struct cairn_slice){"unknown", 7});
    if (*name != '[')
        export_output_byte(out, ']');
}

void exchange_put_frame(struct cairn_exporter *exporter, struct export_print_output *out,
                        const struct cairn_frame *frame)
{
    const char *object = frame->object ? frame->object : "[unknown]";

    if (frame->symbol) {
        exchange_put_text(exporter, out,
                          (struct cairn_slice){frame->symbol, (uint32_t)strlen(frame->symbol)});
        export_output_byte(out, '+');
    }
    out->at = export_put_hex(export_output_reserve(out, 18),
                             frame->symbol ? frame->symbol_offset : frame->address);
    export_output_string(out, " (");
    exchange_put_text(exporter, out, (struct cairn_slice){object, (uint32_t)strlen(object)});
    export_output_byte(out, ')');
}

void exchange_put_thread_name(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct export_print_output *text = &exporter->text;

    text->at = text->begin;
    if (event->comm && *event->comm) {
        exchange_put_text(exporter, text,
                          (struct cairn_slice){event->comm, (uint32_t)strlen(event->comm)});
    } else if (event->has & CAIRN_EVENT_TID) {
        export_output_string(text, "thread ");
        text->at = export_put_task(export_output_reserve(text, 20), event->tid);
    } else {
        export_output_string(text, "(no thread)");
    }
}

bool exchange_fold_name(char *name, size_t length)
{
    bool is_same = true;

    for (size_t n = 0; n < length; n++) {
        uint8_t c = (uint8_t)name[n];

        if (c != ';' && c >= ' ' && c != 0x7f)
            continue;
        name[n] = c == ';' ? ',' : ' ';
        is_same = false;
    }
    return is_same;
}
