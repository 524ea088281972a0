/* SPDX-License-Identifier: MIT */
/* The progress of reading recordings. */
#include "cli/export_progress.h"

#include <cairn/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROGRESS_NS     UINT64_C(250000000)
#define PROGRESS_EVENTS 4096u /* a power of two: the clock is read once for this number */

void cli_export_progress_begin(struct cli_export_progress *progress, char *const *paths, int count)
{
    struct stat st;

    progress->enabled = isatty(STDERR_FILENO) == 1;
    if (count == 1 && !stat(paths[0], &st) && S_ISREG(st.st_mode))
        progress->size_bytes = (uint64_t)st.st_size;
}

void cli_export_progress_show(struct cli_export_progress *progress,
                              const struct cairn_reader *reader, uint64_t events)
{
    char number[CAIRN_NUMBER_TEXT_BYTES];
    uint64_t now_ns;

    if (!progress->enabled || (events & (PROGRESS_EVENTS - 1)))
        return;
    now_ns = cli_now_ns();
    if (now_ns - progress->shown_ns < PROGRESS_NS)
        return;
    fprintf(stderr, "\r\033[K%s events", cairn_number_text(events, number));
    if (progress->size_bytes)
        fprintf(stderr, "  %" PRIu64 " %%",
                cairn_reader_position(reader)->offset * 100 / progress->size_bytes);
    progress->shown = true;
    progress->shown_ns = now_ns;
}

void cli_export_progress_clear(struct cli_export_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
