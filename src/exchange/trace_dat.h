/* SPDX-License-Identifier: MIT */
/* The descriptions of events in a trace.dat: those of tracefs, recorded or made of a layout. */
#ifndef EXCHANGE_TRACE_DAT_H
#define EXCHANGE_TRACE_DAT_H

#include "exchange/format.h"

#define EXCHANGE_DAT_COMMON_BYTES 8u /* common_type, _flags, _preempt_count, _pid */

/* The forms of stored fields. */
enum exchange_dat_store {
    EXCHANGE_DAT_UNSIGNED,
    EXCHANGE_DAT_SIGNED,
    EXCHANGE_DAT_HEX,
    EXCHANGE_DAT_PORT, /* of 16 bits, in this machine's order */
    EXCHANGE_DAT_TEXT, /* a string: its position and size, and its bytes after all fields */
};

/* A kind of events: class->data. */
struct exchange_dat_class {
    uint16_t id; /* 0: there are too many kinds */
    uint32_t system_bytes;
    uint32_t text_bytes;
    char texts[]; /* the system, the description */
};

/* Returns the form of a layout's field. */
enum exchange_dat_store exchange_dat_store_of(const struct decode_layout_field *field);

/* The size of a stored field; of a text, that of its position. */
uint32_t exchange_dat_store_bytes(const struct decode_layout_field *field);

/* The field after one, and after its members. */
uint32_t exchange_dat_next(const struct decode_layout *layout, uint32_t field);

/* True if the recorded bytes of an event can be stored as they are: with the id in the place of
 * the type. */
bool exchange_dat_is_raw(const struct cairn_event *event);

/* Makes the description of an event's kind, which is freed with free. Returns NULL if there is no
 * memory. */
struct exchange_dat_class *exchange_dat_class_create(struct cairn_exporter *exporter,
                                                     struct export_print_output *scratch,
                                                     const struct cairn_event *event, bool is_raw,
                                                     uint16_t id);

#endif
