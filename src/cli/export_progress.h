/* SPDX-License-Identifier: MIT */
/* The progress of reading recordings: a line on a terminal, which is rewritten repeatedly. */
#ifndef CLI_EXPORT_PROGRESS_H
#define CLI_EXPORT_PROGRESS_H

#include "cli/cli.h"

#include <cairn/reader.h>

struct cli_export_progress {
    bool enabled; /* standard error is a terminal */
    bool shown;
    uint64_t shown_ns;
    uint64_t size_bytes; /* of the input; 0: unknown */
};

/* A percentage is shown for one input that is a file. */
void cli_export_progress_begin(struct cli_export_progress *progress, char *const *paths, int count);

/* For each event. */
void cli_export_progress_show(struct cli_export_progress *progress,
                              const struct cairn_reader *reader, uint64_t events);

void cli_export_progress_clear(struct cli_export_progress *progress);

#endif
