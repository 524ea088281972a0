/* SPDX-License-Identifier: MIT */
/* Progress, summary and warnings of the verbs that have a session. */
#include "cli/record_report.h"

#include <cairn/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRESS_NS UINT64_C(250000000)

void cli_progress_show(struct cli_progress *progress, const struct cairn_session *session,
                       uint64_t elapsed_ns)
{
    struct cairn_session_counts counts;
    char events[CAIRN_NUMBER_TEXT_BYTES];
    char bytes[CAIRN_NUMBER_TEXT_BYTES];
    char lost[CAIRN_NUMBER_TEXT_BYTES];

    if (!progress->enabled || (progress->shown && elapsed_ns - progress->shown_ns < PROGRESS_NS))
        return;
    counts = *cairn_session_counts(session);
    fprintf(stderr, "\r\033[K%6.1f s  %s events  %s  %" PRIu32 " program%s  lost %s",
            (double)elapsed_ns / 1e9, cairn_number_text(counts.events, events),
            cairn_size_text(counts.bytes, bytes), counts.alive, cli_plural(counts.alive),
            cairn_number_text(counts.lost, lost));
    progress->shown = true;
    progress->shown_ns = elapsed_ns;
}

void cli_progress_clear(struct cli_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

void cli_record_report(const struct cairn_session *session, uint64_t elapsed_ns, const char *output,
                       bool failed)
{
    struct cairn_session_counts counts = *cairn_session_counts(session);
    double seconds = (double)elapsed_ns / 1e9;
    char events[CAIRN_NUMBER_TEXT_BYTES];
    char bytes[CAIRN_NUMBER_TEXT_BYTES];
    char rate[CAIRN_NUMBER_TEXT_BYTES];
    uint32_t tracepoints = counts.tracepoints + counts.kernel_tracepoints;

    fprintf(stderr,
            "%s %s event%s of %" PRIu32 " tracepoint%s from %" PRIu32
            " process%s%s in %.2f s (%s/s), lost %" PRIu64 ".\n",
            failed ? "Could not write all of" : "Recorded",
            cairn_number_text(counts.events, events), cli_plural(counts.events), tracepoints,
            cli_plural(tracepoints), counts.processes, counts.processes == 1 ? "" : "es",
            counts.kernel_tracepoints ? " and the kernel" : "", seconds,
            cairn_number_text((uint64_t)((double)counts.events / seconds), rate),
            counts.lost + counts.unstored);
    if (output) {
        fprintf(stderr, "%s in %s. To read it: cairn decode -f text %s\n",
                cairn_size_text(counts.bytes, bytes), output, output);
    }
}

/* Filters that can be numbered in a word. */
#define NUMBERED_FILTERS 64u

static bool is_reported(uint64_t reported, size_t i)
{
    return i < NUMBERED_FILTERS && reported >> i & 1;
}

void cli_report_useless_filters(const struct cli_verb *verb, const struct cairn_session *session,
                                size_t filter_count, uint64_t *reported,
                                struct cli_progress *progress)
{
    for (size_t i = 0; i < filter_count && i < NUMBERED_FILTERS; i++) {
        const char *problem =
            is_reported(*reported, i) ? NULL : cairn_session_filter_problem(session, i);

        if (!problem)
            continue;
        if (progress)
            cli_progress_clear(progress);
        cli_error(verb, "the filter could be applied to no event: %s", problem);
        *reported |= UINT64_C(1) << i;
    }
}

static void report_unselected(const struct cli_verb *verb, const struct cairn_session *session,
                              const struct cli_patterns *patterns, size_t i)
{
    const char *problem = cairn_session_filter_problem(session, i);
    const char *filter = patterns->filters[i];

    if (problem && !is_reported(patterns->reported_filters, i) &&
        cairn_session_counts(session)->filtered)
        cli_error(verb, "the filter could be applied to no event: %s", problem);
    if (filter)
        cli_error(verb, "--filter '%s' selected no event", filter);
    else
        cli_error(verb, "no event matched %s", patterns->patterns[i]);
}

void cli_report_unknown(const struct cli_verb *verb, const struct cairn_session *session,
                        const char *const *patterns, size_t pattern_count)
{
    for (size_t i = 0; i < pattern_count; i++) {
        if (!cairn_session_has_matched(session, i))
            cli_error(verb,
                      "no program that runs now has registered an event that matches %s: waiting "
                      "for one that does",
                      patterns[i]);
    }
}

/* Prints the pattern of -k for the same events: without what follows it, but for /stack/; of
 * PROVIDER:EVENT all of the provider. */
static void print_as_kernel(const char *pattern, char *text, size_t size)
{
    size_t length = strlen(pattern);
    const char *words = length && pattern[length - 1] == '/'
                            ? (const char *)memrchr(pattern, '/', length - 1)
                            : NULL;
    size_t bare = words ? (size_t)(words - pattern) : length;
    const char *colon = (const char *)memchr(pattern, ':', bare);

    if (colon)
        bare = (size_t)(colon - pattern);
    (void)snprintf(text, size, "user_events:%.*s%s%s", (int)bare, pattern, colon ? "_L*" : "",
                   words && strstr(words, "stack") ? "/stack/" : "");
}

/* The events of programs may be elsewhere than in the local engine. */
static void report_backend(const struct cli_verb *verb, const char *pattern)
{
    uint32_t chosen = cairn_backend_chosen();
    char of_kernel[256];

    if (chosen & CAIRN_BACKEND_LOCAL)
        return;
    print_as_kernel(pattern, of_kernel, sizeof(of_kernel));
    cli_error(verb,
              "CAIRN_BACKEND=%s is set: programs that inherit it write no events to the local "
              "engine (unset it%s%s%s)",
              getenv("CAIRN_BACKEND"),
              chosen & CAIRN_BACKEND_KERNEL ? ", or record them as events of the kernel: -k '" : "",
              chosen & CAIRN_BACKEND_KERNEL ? of_kernel : "",
              chosen & CAIRN_BACKEND_KERNEL ? "'" : "");
}

void cli_report_unmatched(const struct cli_verb *verb, const struct cairn_session *session,
                          const struct cli_patterns *patterns)
{
    const char *unmatched = NULL;

    for (size_t i = 0; i < patterns->count; i++) {
        if (cairn_session_has_matched(session, i)) {
            if (!cairn_session_has_selected(session, i))
                report_unselected(verb, session, patterns, i);
            continue;
        }
        cli_error(verb, "no tracepoint matched %s (cairn list prints the registered ones)",
                  patterns->patterns[i]);
        unmatched = unmatched ? unmatched : patterns->patterns[i];
    }
    if (unmatched)
        report_backend(verb, unmatched);
}

void cli_report_filter_problems(const struct cli_verb *verb, const struct cairn_session *session,
                                uint32_t *checked)
{
    for (; *checked < cairn_session_counts(session)->tracepoints; ++*checked) {
        const struct cairn_session_tracepoint *tp = cairn_session_tracepoint(session, *checked);

        if (tp->filter_problem)
            cli_error(verb, "filter %s is invalid for %s and selects none of its events",
                      tp->filter_problem, tp->name);
    }
}

void cli_report_filters(const struct cairn_session *session, bool quiet)
{
    uint64_t filtered = cairn_session_counts(session)->filtered;
    char number[CAIRN_NUMBER_TEXT_BYTES];

    if (!quiet && filtered)
        fprintf(stderr, "Filters and names of events excluded %s event%s.\n",
                cairn_number_text(filtered, number), cli_plural(filtered));
}

void cli_report_command(const struct cli_verb *verb, const struct cli_command *command,
                        const char *name)
{
    int signal_number = cli_command_fatal_signal(command);

    if (signal_number)
        cli_error(verb, "%s was ended by signal %d (%s)", name, signal_number,
                  strsignal(signal_number));
}
