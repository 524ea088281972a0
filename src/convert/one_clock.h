/* SPDX-License-Identifier: MIT */
/* perf.data has one pair of clocks, a trace file many: the time of day may be set while recording.
 */
#ifndef CONVERT_ONE_CLOCK_H
#define CONVERT_ONE_CLOCK_H

#include "trace_file/clock.h"

/* Chooses the pair by which most of the recording has the right time of day. NULL: there is none.
 */
const struct trace_file_clock_pair *convert_one_clock(const struct trace_file_clocks *clocks);

/* Returns by how much times of day by one pair differ from those by all pairs, at most; 0 if this
 * is no more than clocks are adjusted without being set. */
uint64_t convert_one_clock_error_ns(const struct trace_file_clocks *clocks,
                                    const struct trace_file_clock_pair *pair);

#endif
