/* SPDX-License-Identifier: MIT */
/* Fields that are counters: those that the options name, of each kind of event. */
#ifndef EXCHANGE_COUNTERS_H
#define EXCHANGE_COUNTERS_H

#include "exchange/classes.h"
#include "exchange/format.h"

struct exchange_counter {
    uint32_t field; /* of the layout */
    char *name;     /* "Provider:Event Field", valid UTF-8 */
};

struct exchange_counters {
    struct exchange_classes classes; /* data: their counters */
    struct exchange_counter *list;
    size_t count;
};

/* Receives the value of a counter: an integer or a finite floating-point number. */
typedef void exchange_counter_fn(void *context, const struct exchange_counter *counter,
                                 enum decode_value value, struct decode_value_data data);

/* Passes the values of an event's counters to a function. Begin with zeros. Returns 0, ENOMEM. */
int exchange_counters_event(struct exchange_counters *counters, struct cairn_exporter *exporter,
                            const struct cairn_event *event, exchange_counter_fn *fn,
                            void *context);

/* Accepts zeros. */
void exchange_counters_close(struct exchange_counters *counters);

#endif
