/* SPDX-License-Identifier: MIT */
/* Sums of what is missing from several recordings. */
#ifndef PERF_DATA_MISSING_H
#define PERF_DATA_MISSING_H

#include "cairn/perf_data.h"

/* Adds what is missing from one recording to what is missing from all. */
void perf_data_missing_add(struct cairn_perf_missing *all, const struct cairn_perf_missing *part);

#endif
