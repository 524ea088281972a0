/* SPDX-License-Identifier: MIT */
/* Reports lost events, processes and directories, with their causes, and remedies. */
#include "cli/missing.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool cli_is_anything_missing(const struct cairn_session_counts *counts)
{
    return counts->lost || counts->unstored || counts->damaged || counts->unrecorded ||
           counts->unregistered || counts->directory_gone || counts->silences ||
           counts->changed_cpus || counts->directories_left_out || counts->has_kernel_gap;
}

static const char *verb_of(uint64_t count)
{
    return count == 1 ? " was" : "s were";
}

/* The resource that the recorder needs more of, and how to get it. */
static const char *remedy_for(int error)
{
    switch (error) {
    case EMFILE:
        return " (raise the recorder's RLIMIT_NOFILE: ulimit -n)";
    case ENOMEM:
        return " (raise the recorder's address space, ulimit -v, or use a smaller --buffer-size)";
    case EACCES:
    case EPERM:
        return " (the recorder has no permission to open the buffer)";
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

/* path: of a recording; "" while it is made */
static void report_silences(const struct cli_verb *verb, const char *path, const char *article,
                            uint32_t silences)
{
    if (silences)
        cli_error(verb,
                  "%s%sprograms stopped writing %" PRIu32
                  " time%s, because %s recorder had not run "
                  "for 5 s: their events until it continued are missing",
                  path, *path ? ": " : "", silences, cli_plural(silences), article);
}

static void report_changed_cpus(const struct cli_verb *verb, const char *path, uint32_t cpus)
{
    if (cpus)
        cli_error(verb,
                  "%s%s%" PRIu32 " CPU%s went offline or online during the recording: the kernel's "
                  "events on %s are missing from then on",
                  path, *path ? ": " : "", cpus, cli_plural(cpus), cpus == 1 ? "it" : "them");
}

void cli_report_missing(const struct cli_verb *verb, const struct cairn_session_counts *counts)
{
    char number[CAIRN_NUMBER_TEXT_BYTES];

    report_silences(verb, "", "this", counts->silences);
    if (counts->has_kernel_gap)
        cli_error(verb, "this recorder took the place of one that was killed: the kernel's events "
                        "that the other had not written, and those in between, are missing");
    if (counts->directory_gone)
        cli_error(verb, "the tracing directory was removed or replaced: programs that started "
                        "since then are missing");
    report_changed_cpus(verb, "", counts->changed_cpus);
    if (counts->directories_left_out)
        cli_error(
            verb,
            "%" PRIu32 " tracing director%s not recorded: of each user other than root %u are",
            counts->directories_left_out, counts->directories_left_out == 1 ? "y was" : "ies were",
            CAIRN_SESSION_OWNED_MAX);
    report_processes(verb, counts);
    if (counts->unstored)
        cli_error(verb, "%s event%s not stored: the output could not be written",
                  cairn_number_text(counts->unstored, number), verb_of(counts->unstored));
    if (counts->damaged)
        cli_error(verb, "%s damaged record%s left out", cairn_number_text(counts->damaged, number),
                  verb_of(counts->damaged));
    if (counts->misdated)
        cli_error(verb,
                  "%s event%s had a time in the future, which was replaced by the current one",
                  cairn_number_text(counts->misdated, number), cli_plural(counts->misdated));
    for (uint32_t cause = CAIRN_LOSS_CAUSES; cause-- > 0;) {
        uint64_t lost = counts->lost_by_cause[cause];

        if (lost)
            cli_error(verb, "%s event%s lost: %s", cairn_number_text(lost, number), verb_of(lost),
                      cairn_loss_text((enum cairn_loss)cause));
    }
}

/* The reason why a process had no buffer, or the recorder could not read it. */
static const char *process_text(uint32_t cause)
{
    switch (cause) {
    case CAIRN_LOSS_PERMISSION:
        return "no permission to use the tracing directory, or a buffer in it";
    case CAIRN_LOSS_LIMIT:
        return "a limit of the recorder or of the process was reached (descriptors, file size, "
               "address space)";
    default:
        return "registering failed, or the recorder could not read the buffer";
    }
}

/* Events of a time, of CPUs or of users, without a number. */
static void report_uncounted(const struct cli_verb *verb, const char *path,
                             const struct cairn_perf_missing *missing)
{
    if (missing->directory_gone)
        cli_error(verb, "%s: the tracing directory was removed or replaced while recording", path);
    if (missing->kernel_gap)
        cli_error(
            verb,
            "%s: its recorder took the place of one that was killed: the kernel's events that "
            "the other had not written, and those in between, are missing",
            path);
    report_silences(verb, path, "the", missing->silences);
    report_changed_cpus(verb, path, missing->changed_cpus);
    if (missing->directories_left_out)
        cli_error(verb, "%s: %" PRIu32 " tracing director%s not recorded", path,
                  missing->directories_left_out,
                  missing->directories_left_out == 1 ? "y was" : "ies were");
}

void cli_report_missing_from(const struct cli_verb *verb, const char *path,
                             const struct cairn_perf_missing *missing)
{
    report_uncounted(verb, path, missing);
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
            cli_error(verb, "%s: %" PRIu64 " event%s lost: %s", path, missing->lost[cause],
                      verb_of(missing->lost[cause]), cairn_loss_text((enum cairn_loss)cause));
    }
}
