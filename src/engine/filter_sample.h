/* SPDX-License-Identifier: MIT */
/* Sampling: of the events that a rule selects, each thread writes one of a number, or at most a
 * number per second. */
#ifndef ENGINE_FILTER_SAMPLE_H
#define ENGINE_FILTER_SAMPLE_H

#include "engine/filter_program.h"
#include "engine/thread.h"

/* True if an event that the rule selects is to be written. A thread without a cell for its counts
 * writes all. */
bool engine_sample(struct engine_thread_session *ts, const struct engine_filter_rule *rule);

/* Frees the thread's counts for a session. */
void engine_sample_forget(struct engine_thread_session *ts);

#endif
