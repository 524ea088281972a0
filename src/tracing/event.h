/* SPDX-License-Identifier: MIT */
/* Emits an event whose message comes from another function with variable arguments. */
#ifndef TRACING_EVENT_H
#define TRACING_EVENT_H

#include <cairn/tracing/event.h>

/* Emits an event of a site that is wanted, with the message as a list of arguments. */
void tracing_event_vprintf(struct cairn_callsite *site, const struct cairn_tracing_value *values,
                           const struct cairn_i_relation *relation, const char *format,
                           va_list arguments) __attribute__((format(printf, 4, 0)));

#endif
