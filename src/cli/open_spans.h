/* SPDX-License-Identifier: MIT */
/* Lines about activities that are open now, and durations as text. */
#ifndef CLI_OPEN_SPANS_H
#define CLI_OPEN_SPANS_H

#include <cairn/inspect.h>
#include <cairn/session.h>
#include <cairn/stats.h>

/* Writes "12.3 ms"; returns text. */
const char *cli_duration_text(double ns, char text[CAIRN_NUMBER_TEXT_BYTES]);

struct cli_open_spans {
    struct cairn_stats *stats; /* with durations */
    const struct cairn_session *session;
    uint32_t lines;                                /* at most */
    int (*print)(void *context, const char *line); /* returns 0; ENOMEM */
    void *context;
};

/* Prints a head, and a line for each activity of a running process that is open: its age, its
 * process and thread, and the event that began it, as recorded; the oldest first. Returns 0;
 * ENOMEM.
 */
int cli_open_spans_print(const struct cli_open_spans *open);

#endif
