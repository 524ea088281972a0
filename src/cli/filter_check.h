/* SPDX-License-Identifier: MIT */
/* Checks a filter before any tracepoint is known. */
#ifndef CLI_FILTER_CHECK_H
#define CLI_FILTER_CHECK_H

#include <cairn/filter.h>
#include <stdbool.h>

/*
 * False: the filter is invalid for a tracepoint with any fields, for the reason in ret_error. True
 * also if there is no memory for the check.
 */
bool cli_filter_is_valid(const char *filter, struct cairn_filter_error *ret_error);

#endif
