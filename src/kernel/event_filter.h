/* SPDX-License-Identifier: MIT */
#ifndef KERNEL_EVENT_FILTER_H
#define KERNEL_EVENT_FILTER_H

#include <cairn/filter.h>
#include <cairn/typed_tracepoint.h>

/*
 * cairn_trace_filter_set, but that what is wrong with a filter is shown and logged as `shown` says,
 * when it is not NULL, and that cairn_i_trace_follow is left to the caller.
 */
int cairn_i_filter_set(struct cairn_trace_event *event, const char *text, size_t length,
                       const struct cairn_filter_error *shown,
                       struct cairn_filter_error *ret_error);

#endif
