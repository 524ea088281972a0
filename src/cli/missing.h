/* SPDX-License-Identifier: MIT */
/* Saying what a session should contain and does not, and why. */
#ifndef CLI_MISSING_H
#define CLI_MISSING_H

#include "cli/cli.h"

#include <cairn/loss.h>
#include <cairn/session.h>

/* Whether anything is missing: CLI_LOST then. */
bool cli_is_anything_missing(const struct cairn_session_counts *counts);

/* A line for each cause; nothing when nothing is missing. `directory` may have gone. */
void cli_report_missing(const struct cli_verb *verb, const struct cairn_session_counts *counts);

/* The same of a recording, as it says itself. */
void cli_report_missing_from(const struct cli_verb *verb, const char *path,
                             const struct cairn_perf_missing *missing);

#endif
