/* SPDX-License-Identifier: MIT */
/* Finds filters that contradict themselves. */
#ifndef SELECT_FILTER_POSSIBLE_H
#define SELECT_FILTER_POSSIBLE_H

#include <stdbool.h>

struct cairn_filter;

/*
 * False: a filter that was compiled for signed fields of 64 bits, or texts, each at an offset of
 * its own, selects no event with fields of these names, whatever their types and values are.
 */
bool select_filter_is_possible(const struct cairn_filter *filter);

#endif
