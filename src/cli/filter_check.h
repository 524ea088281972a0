/* SPDX-License-Identifier: MIT */
/* Whether a filter can fit any tracepoint at all. */
#ifndef CLI_FILTER_CHECK_H
#define CLI_FILTER_CHECK_H

#include <cairn/filter.h>
#include <stdbool.h>

/*
 * False: it cannot be compiled whatever fields a tracepoint has; ret_error says why. True also when
 * there is no memory to find out.
 */
bool cli_filter_is_sound(const char *filter, struct cairn_filter_error *ret_error);

#endif
