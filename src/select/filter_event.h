/* SPDX-License-Identifier: MIT */
/* Makes a record of an event's fields, for a filter. */
#ifndef SELECT_FILTER_EVENT_H
#define SELECT_FILTER_EVENT_H

#include "select/compiled_filter.h"

/* The members of an EventHeader that a filter may name. */
#define SELECT_FILTER_HEADER(MEMBER) \
    MEMBER(level)                    \
    MEMBER(opcode)                   \
    MEMBER(keyword)                  \
    MEMBER(id)                       \
    MEMBER(version)                  \
    MEMBER(tag)
#define SELECT_FILTER_NAME(name)   #name,
#define SELECT_FILTER_ONE(name)    +1
#define SELECT_FILTER_HEADER_COUNT (0 SELECT_FILTER_HEADER(SELECT_FILTER_ONE))

/* A slot with this field number or a larger one is for one of them. */
#define SELECT_FILTER_HEADER_FIRST 0x80000000u

/* Returns how a layout's field is stored; its field and offset are not set. Numbers that an event
 * may lack are numbers, or as they are printed. */
struct select_filter_slot select_filter_slot_of(const struct decode_layout_field *field,
                                                bool counted_are_texts);

bool select_filter_is_signed(enum decode_value value);

/* Writes the record. False: the event lacks a field. */
bool select_filter_make_record(const struct select_compiled_filter *compiled,
                               const struct cairn_event *event, struct export_print_output *record,
                               struct export_print_output *text);

#endif
