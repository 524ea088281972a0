/* SPDX-License-Identifier: MIT */
/* What cairn record says while it runs and at its end. All to standard error. */
#ifndef CLI_RECORD_REPORT_H
#define CLI_RECORD_REPORT_H

#include "cli/cli.h"
#include "cli/command.h"

#include <cairn/session.h>

/* A line that is written over again and again. */
struct cli_progress {
    bool enabled;
    bool shown;
    uint64_t shown_ns;
};

void cli_progress_show(struct cli_progress *progress, const struct cairn_session *session,
                       uint64_t elapsed_ns);
void cli_progress_clear(struct cli_progress *progress);

/* The summary; with quiet only what was lost. `output` is the file, or NULL for a stream. */
void cli_report(const struct cli_verb *verb, const struct cairn_session *session,
                uint64_t elapsed_ns, const char *output, bool quiet);

/* How many events were lost or damaged; nothing when none were. */
void cli_report_losses(const struct cli_verb *verb, const struct cairn_session *session);

/* How many events had a time that cannot be; nothing when none had. */
void cli_report_misdated(const struct cli_verb *verb, const struct cairn_session *session);

/* Names the patterns that no tracepoint matched. */
void cli_report_unmatched(const struct cli_verb *verb, const struct cairn_session *session,
                          const char *const *patterns, size_t pattern_count);

/* Which filters make no sense for which tracepoint, as soon as that is known: of the tracepoints
 * from *told on, which then is how many there are. */
void cli_report_filter_problems(const struct cli_verb *verb, const struct cairn_session *session,
                                uint32_t *told);

/* How many events the filters left out. */
void cli_report_filters(const struct cairn_session *session, bool quiet);

/* Says so when a signal ended the command. */
void cli_report_command(const struct cli_verb *verb, const struct cli_command *command,
                        const char *name);

#endif
