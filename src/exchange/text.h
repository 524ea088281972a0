/* SPDX-License-Identifier: MIT */
/* Names and values of any bytes as plain text: valid UTF-8 without quotes, escapes and NULs. */
#ifndef EXCHANGE_TEXT_H
#define EXCHANGE_TEXT_H

#include "exchange/format.h"
#include "timeline/calls.h"

/* True if a text is the same in every format: printable ASCII. */
static inline bool exchange_is_plain(const void *text, size_t size_bytes)
{
    const uint8_t *bytes = (const uint8_t *)text;
    bool is_plain = true;

    for (size_t n = 0; n < size_bytes; n++)
        is_plain &= (uint8_t)(bytes[n] - 0x20) < 0x7f - 0x20;
    return is_plain;
}

/* Adds text of any bytes. */
void exchange_put_text(struct cairn_exporter *exporter, struct export_print_output *out,
                       struct cairn_slice text);

/* Adds a value that is no number, as `cairn decode -f jsonl` prints it. */
void exchange_put_value(struct cairn_exporter *exporter, struct export_print_output *out,
                        enum decode_value value, struct decode_value_data data);

/* "Provider:Event", or the event's name alone if it has no provider. */
void exchange_put_event_name(struct cairn_exporter *exporter, struct export_print_output *out,
                             const struct cairn_event_type *type);

/* Sets exporter->text to the name of an event's thread: "work", "thread 12", "(no thread)". */
void exchange_put_thread_name(struct cairn_exporter *exporter, const struct cairn_event *event);

/* A name in a line of folded stacks: replaces what separates names and ends lines. False: there
 * was something. */
bool exchange_fold_name(char *name, size_t length);

/* A function of a stack: its name, or "[libc.so.6]", or "[unknown]". */
void exchange_put_function(struct cairn_exporter *exporter, struct export_print_output *out,
                           const struct timeline_function *function);

/* A frame of an event's stack: "main+0x4 (/usr/bin/shop)". */
void exchange_put_frame(struct cairn_exporter *exporter, struct export_print_output *out,
                        const struct cairn_frame *frame);

/* Returns what an item's value is. */
static inline enum decode_value exchange_value_of(const struct cairn_item *item)
{
    const struct decode_layout_field *field = decode_layout_field_of(item->field);
    enum decode_value value = (enum decode_value)field->value[DECODE_LAYOUT_DECLARED];

    if (value == DECODE_VALUE_BY_SIZE)
        value = decode_value_of(field->item.encoding, field->item.format, item->size_bytes);
    return value;
}

/*
 * The next number to be added to a name that another field has; the first one is 2. With numbers
 * one after the other, thousands of fields of one name would take hours.
 *
 * field  the number of the field
 */
static inline uint64_t exchange_next_number(uint64_t number, uint32_t field)
{
    return number < 5 ? number + 1 : 3 * number + field;
}

#endif
