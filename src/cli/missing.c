/* SPDX-License-Identifier: MIT */
#include "cli/missing.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool cli_is_anything_missing(const struct cairn_session_counts *counts)
{
    return counts->lost || counts->damaged || counts->unrecorded || counts->unregistered ||
           counts->directory_gone || counts->silences;
}

static const char *verb_of(uint64_t count)
{
    return count == 1 ? " was" : "s were";
}

/* What the recorder itself ran out of. */
static const char *remedy_for(int error)
{
    switch (error) {
    case EMFILE:
        return " (the recorder's RLIMIT_NOFILE: ulimit -n)";
    case ENOMEM:
        return " (the recorder's address space: ulimit -v, or a smaller --buffer-size)";
    case EACCES:
    case EPERM:
        return " (the recorder may not open its buffer)";
    default:
        return "";
    }
}

static void report_processes(const struct cli_verb *verb, const struct cairn_session_counts *counts)
{
    if (counts->unregistered)
        cli_error(verb, "%" PRIu32 " process%s could not register events: %s%s",
                  counts->unregistered, counts->unregistered == 1 ? "" : "es",
                  strerror(counts->unregistered_error),
                  counts->unregistered_error == EBUSY
                      ? " (a stopped process held the tracing directory's lock)"
                      : "");
    if (!counts->unrecorded)
        return;
    cli_error(verb, "%" PRIu32 " process%s not recorded: %s%s", counts->unrecorded,
              counts->unrecorded == 1 ? " was" : "es were", strerror(counts->unrecorded_error),
              remedy_for(counts->unrecorded_error));
}

void cli_report_missing(const struct cli_verb *verb, const struct cairn_session_counts *counts)
{
    char number[CAIRN_NUMBER_TEXT_BYTES];

    if (counts->silences)
        cli_error(verb,
                  "programs stopped writing %" PRIu32 " time%s, until this recorder went on: it "
                  "had done nothing for 5 s",
                  counts->silences, cli_plural(counts->silences));
    if (counts->directory_gone)
        cli_error(verb, "the tracing directory was removed or replaced meanwhile: programs that "
                        "started since are missing");
    report_processes(verb, counts);
    if (counts->damaged)
        cli_error(verb, "%s damaged record%s left out", cairn_number_text(counts->damaged, number),
                  verb_of(counts->damaged));
    if (counts->misdated)
        cli_error(verb, "%s event%s had a time in the future, and got the time of reading",
                  cairn_number_text(counts->misdated, number), cli_plural(counts->misdated));
    for (uint32_t cause = CAIRN_LOSS_CAUSES; cause-- > 0;) {
        uint64_t lost = counts->lost_by_cause[cause];

        if (lost)
            cli_error(verb, "%s event%s lost: %s", cairn_number_text(lost, number), verb_of(lost),
                      cairn_loss_text((enum cairn_loss)cause));
    }
}

/* Why the recorder could not read a process's buffer, or why it could not have one. */
static const char *process_text(uint32_t cause)
{
    switch (cause) {
    case CAIRN_LOSS_PERMISSION:
        return "no permission to use the tracing directory, or a buffer in it";
    case CAIRN_LOSS_LIMIT:
        return "a limit of the recorder's, or of theirs (descriptors, file size, address space)";
    default:
        return "they could not register, or the recorder could not read their buffers";
    }
}

void cli_report_missing_from(const struct cli_verb *verb, const char *path,
                             const struct cairn_perf_missing *missing)
{
    if (missing->directory_gone)
        cli_error(verb, "%s: the tracing directory was removed or replaced while recording", path);
    if (missing->damaged)
        cli_error(verb, "%s: %" PRIu64 " damaged record%s left out while recording", path,
                  missing->damaged, verb_of(missing->damaged));
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        if (missing->processes[cause])
            cli_error(verb, "%s: %" PRIu64 " process%s not recorded: %s", path,
                      missing->processes[cause],
                      missing->processes[cause] == 1 ? " was" : "es were", process_text(cause));
    }
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        if (missing->lost[cause])
            cli_error(verb, "%s: %" PRIu64 " lost: %s", path, missing->lost[cause],
                      cairn_loss_text((enum cairn_loss)cause));
    }
}
