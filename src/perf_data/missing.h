/* SPDX-License-Identifier: MIT */
/* Sums of what is missing from several recordings. */
#ifndef PERF_DATA_MISSING_H
#define PERF_DATA_MISSING_H

#include "cairn/perf_data.h"

/*
 * Adds what is missing from one recording to what is missing from all. The files of a rotated
 * recording count the same processes, CPUs and directories: of one machine, the highest count of
 * these is that of all.
 *
 * of_machine  the highest counts of the recordings of its machine that were added; zeros at first
 */
void perf_data_missing_add(struct cairn_perf_missing *all, struct cairn_perf_missing *of_machine,
                           const struct cairn_perf_missing *part);

/* Adds events of no known cause, so that `lost` events are counted. */
void perf_data_missing_raise_lost(struct cairn_perf_missing *missing, uint64_t lost);

#endif
