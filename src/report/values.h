/* SPDX-License-Identifier: MIT */
/*
 * The values of events as text, one line for each: those of its fields as JSON without the names,
 * which its kind has, `1,"x",{80,"::1"},[1,2]`; then, each after a tab, what else it has: its
 * activity, its related activity, and why it is damaged.
 */
#ifndef REPORT_VALUES_H
#define REPORT_VALUES_H

#include "report/blocks.h"

#include <cairn/decode.h>
#include <cairn/export.h>

struct report_values {
    struct report_blocks blocks;
    struct cairn_printer *printer;
    uint64_t first;    /* number of the first event that is not written */
    uint32_t count;    /* of these events */
    uint64_t max_size; /* of the page's data: no values after that */
    uint64_t left_out; /* events without values */
};

/* Returns 0, ENOMEM. Free it also after a failure. */
int report_values_open(struct report_values *values);

/* Adds those of the next event. Returns the event's error. */
enum cairn_event_error report_values_add(struct report_values *values, struct report_output *output,
                                         const struct cairn_event *event);

void report_values_write(struct report_values *values, struct report_output *output);

/* Accepts zeros. */
void report_values_free(struct report_values *values);

#endif
