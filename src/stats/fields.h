/* SPDX-License-Identifier: MIT */
/* One field of events, found by its name: as a number, and as text. */
#ifndef STATS_FIELDS_H
#define STATS_FIELDS_H

#include "decode/items.h"
#include "export/output.h"

/* An integer of up to 64 bits, signed or not, or another finite number. */
struct stats_number {
    bool is_integer;
    __int128 integer;
    long double other;
};

#define STATS_FIELD_SLOTS 256u /* a power of two */

struct stats_field {
    const char *name; /* "Peer.Port" */
    bool was_found;   /* in any event */
    bool was_number;  /* and is finite there */

    /* The field's index in layouts, by their serial numbers. */
    struct {
        uint64_t serial;
        uint32_t index; /* UINT32_MAX: the layout lacks it */
    } slots[STATS_FIELD_SLOTS];
};

/* Finds the value of an event's field. False: the event has none, or it is an array or a struct. */
bool stats_field_value(struct stats_field *field, const struct cairn_event *event,
                       enum decode_value *ret_value, struct decode_value_data *ret_data);

/* The same as a number. False: the event has no such field, or its value is not a finite number. */
bool stats_field_number(struct stats_field *field, const struct cairn_event *event,
                        struct stats_number *ret_number);

/* Notes if an event has the field, unless one is known to have it. */
void stats_field_note(struct stats_field *field, const struct cairn_event *event);

/* Adds a value as the style `jsonl` has it, without quotes and escapes; a text with a NUL as a JSON
 * string, in quotes, as a key ends with the NUL. False: the event has none. */
bool stats_field_text(struct stats_field *field, const struct cairn_event *event,
                      struct export_print_output *text);

#endif
