/* SPDX-License-Identifier: MIT */
/* Messages of cairn record and cairn live, while they run and at the end, to standard error. */
#ifndef CLI_RECORD_REPORT_H
#define CLI_RECORD_REPORT_H

#include "cli/cli.h"
#include "cli/command.h"

#include <cairn/session.h>

/* A line of progress, which is rewritten repeatedly. */
struct cli_progress {
    bool enabled;
    bool shown;
    uint64_t shown_ns;
};

void cli_progress_show(struct cli_progress *progress, const struct cairn_session *session,
                       uint64_t elapsed_ns);
void cli_progress_clear(struct cli_progress *progress);

/* Prints the summary. `output` is the file, or NULL for a stream; `failed`: not all events could be
 * written. */
void cli_record_report(const struct cairn_session *session, uint64_t elapsed_ns, const char *output,
                       bool failed);

/* Prints, before anything is recorded, the patterns that match no tracepoint of a running program:
 * a misspelt one is not noticed at the end alone. */
void cli_report_unknown(const struct cli_verb *verb, const struct cairn_session *session,
                        const char *const *patterns, size_t pattern_count);

/* Prints filters that are invalid for all types of events that are known so far, each once: as soon
 * as there is such a type, also of programs that run already. Removes the line of progress, which
 * may be NULL, from the terminal before. */
void cli_report_useless_filters(const struct cli_verb *verb, const struct cairn_session *session,
                                size_t filter_count, uint64_t *reported,
                                struct cli_progress *progress);

struct cli_patterns {
    const char *const *patterns;
    const char *const *filters; /* of each, or NULL */
    size_t count;
    uint64_t reported_filters; /* by cli_report_useless_filters */
};

/* Prints the patterns that no tracepoint matched, and the filters that selected no event. */
void cli_report_unmatched(const struct cli_verb *verb, const struct cairn_session *session,
                          const struct cli_patterns *patterns);

/* Prints the filters that are invalid for a tracepoint, of the tracepoints from index *checked on.
 * Sets *checked to their number. */
void cli_report_filter_problems(const struct cli_verb *verb, const struct cairn_session *session,
                                uint32_t *checked);

/* Prints how many events the filters excluded. */
void cli_report_filters(const struct cairn_session *session, bool quiet);

/* Prints the signal that ended the command, if one did. */
void cli_report_command(const struct cli_verb *verb, const struct cli_command *command,
                        const char *name);

#endif
