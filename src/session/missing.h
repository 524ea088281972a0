/* SPDX-License-Identifier: MIT */
/* Losses of a session, as recordings describe them. */
#ifndef SESSION_MISSING_H
#define SESSION_MISSING_H

#include "cairn/session.h"

struct cairn_perf_missing session_missing(const struct cairn_session_counts *counts);

#endif
