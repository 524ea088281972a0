/* SPDX-License-Identifier: MIT */
/* Lines about activities that are open now, and durations as text. */
#ifndef CLI_OPEN_SPANS_H
#define CLI_OPEN_SPANS_H

#include <cairn/inspect.h>
#include <cairn/stats.h>

/* Writes "12.3 ms"; returns text. */
const char *cli_duration_text(double ns, char text[CAIRN_NUMBER_TEXT_BYTES]);

/*
 * Prints a head, and a line for each activity that is open: its age, its process and thread, and
 * the event that began it; the oldest first.
 *
 * stats  with durations, of a running session
 * lines  at most
 *
 * Returns 0; ENOMEM.
 */
int cli_open_spans_print(struct cairn_stats *stats, uint32_t lines,
                         void (*print)(void *context, const char *line), void *context);

#endif
