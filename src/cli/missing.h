/* SPDX-License-Identifier: MIT */
/* Reports of the events that are missing from a session, with their causes. */
#ifndef CLI_MISSING_H
#define CLI_MISSING_H

#include "cli/cli.h"

#include <cairn/loss.h>
#include <cairn/session.h>

/* True if anything is missing: the exit status is CLI_LOST. */
bool cli_is_anything_missing(const struct cairn_session_counts *counts);

/* Prints a line for each cause; nothing if nothing is missing. */
void cli_report_missing(const struct cli_verb *verb, const struct cairn_session_counts *counts);

/* The same for a recording, from the causes that are in it. */
void cli_report_missing_from(const struct cli_verb *verb, const char *path,
                             const struct cairn_perf_missing *missing);

#endif
