/* SPDX-License-Identifier: MIT */
/* Sets the filter of an event. */
#ifndef KERNEL_EVENT_FILTER_H
#define KERNEL_EVENT_FILTER_H

#include <cairn/filter.h>
#include <cairn/typed_tracepoint.h>

/*
 * As cairn_trace_event_filter_set, but an error is shown and logged as `shown` if that is not NULL,
 * and the caller calls kernel_trace_apply.
 */
int kernel_filter_set(struct cairn_trace_event *event, const char *text, size_t length,
                      const struct cairn_filter_error *shown, struct cairn_filter_error *ret_error);

#endif
