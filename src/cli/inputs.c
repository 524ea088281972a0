/* SPDX-License-Identifier: MIT */
/* Reads recordings: opens, selects, merges, and reports errors. */
#include "cli/inputs.h"

#include "cli/missing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The readers that are open, and their inputs. */
struct open_inputs {
    struct cairn_reader **readers;
    int *indexes;
    uint64_t *damaged; /* events, by reader */
    size_t count;
};

/* True if standard input is a pipe or a file, as in `cairn decode <FILE`. */
static bool input_is_given(void)
{
    struct stat st;

    return !fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

void cli_inputs_take(struct cli_inputs *inputs, int argc, char **argv, int first)
{
    static char *recording[] = {(char *)"perf.data"};
    static char *standard_input[] = {(char *)"-"};

    inputs->paths = first < argc ? argv + first : input_is_given() ? standard_input : recording;
    inputs->count = first < argc ? argc - first : 1;
}

/* ---- reports ---- */

/* Reports an error of a file: with the byte offset if the file is malformed, otherwise with the
 * system's text. */
static void report_error(const struct cli_verb *verb, const char *path, int err,
                         const struct cairn_perf_error *error)
{
    const char *text = error->code == err && error->text ? error->text : NULL;

    if (text && err == EBADMSG && error->offset == CAIRN_PERF_ERROR_NO_OFFSET)
        cli_error(verb, "%s: %s", path, text);
    else if (text && err == EBADMSG)
        cli_error(verb, "%s: at byte %" PRIu64 ": %s", path, error->offset, text);
    else if (text)
        cli_errno(verb, err, "%s: %s", path, text);
    else
        cli_errno(verb, err, "%s", path);
}

/* Returns the exit status for two results. A failure has precedence over a choice of nothing. */
static int join(int status, int other)
{
    return status == CLI_FAILED || other == CLI_OK ? status : other;
}

/* Reports errors, losses, damaged events and an unknown time of day of a file. Returns the exit
 * status. */
static int report(const struct cli_verb *verb, const char *path, struct cairn_reader *reader,
                  uint64_t damaged, int err)
{
    const struct cairn_reader_counts *counts = cairn_reader_counts(reader);

    if (counts->lost > counts->lost_packets)
        cli_error(verb, "%s: %" PRIu64 " events were lost while recording", path,
                  counts->lost - counts->lost_packets);
    if (counts->lost_packets)
        cli_error(verb, "%s: %" PRIu64 " packets of events were lost while recording", path,
                  counts->lost_packets);
    cli_report_missing_from(verb, path, &counts->missing);
    if (damaged || counts->unreadable)
        cli_error(verb,
                  "%s: %" PRIu64 " of %" PRIu64 " events are damaged, %" PRIu64
                  " more cannot be read",
                  path, damaged, counts->events, counts->unreadable);
    if (counts->undated)
        cli_error(verb,
                  "%s: the time of day of its events is not known: a date in --since or --until "
                  "selects none of them; use seconds of its clock (8233.96), or +2s, -500ms, 25%%",
                  path);
    if (err)
        report_error(verb, path, err, cairn_reader_error(reader));
    if (err || damaged || counts->unreadable)
        return CLI_FAILED;
    return counts->undated ? CLI_NOTHING : CLI_OK;
}

/* ---- reading ---- */

/* Returns 0 at the end; ECANCELED; or the error of `event`, of memory, or of the reader. */
static int read_events(struct cli_inputs *inputs, struct cairn_reader *reader, uint64_t *damaged)
{
    struct cairn_selection *selection = inputs->choice.selection;
    const struct cairn_event *event;
    int err;

    for (;;) {
        err = cairn_reader_next(reader, &event);
        if (err == EAGAIN && inputs->pause)
            inputs->pause(inputs->context);
        if (err == EAGAIN)
            continue;
        if (err)
            return err == ENODATA ? 0 : err;
        if (selection) {
            bool is_selected;

            err = cairn_selection_match(selection, event, &is_selected);
            if (!err && !is_selected)
                continue;
        }
        if (!err)
            err = inputs->event(inputs->context, reader, event,
                                &damaged[cairn_reader_source(reader)]);
        if (err)
            return err;
    }
}

static int open_input(struct cli_inputs *inputs, int index, struct open_inputs *open)
{
    const char *path = inputs->paths[index];
    struct cairn_perf_error error = {0};
    int err = cairn_reader_open(path, &inputs->options, &error, &open->readers[open->count]);

    if (err) {
        report_error(inputs->verb, path, err, &error);
        return CLI_FAILED;
    }
    open->damaged[open->count] = 0;
    open->indexes[open->count++] = index;
    return CLI_OK;
}

/* Returns the error at the end of a reader, which each further call returns again. */
static int error_at_end(struct cairn_reader *reader)
{
    const struct cairn_event *event;
    int err = cairn_reader_next(reader, &event);

    return err == ENODATA || err == EAGAIN ? 0 : err;
}

static int report_all(const struct cli_inputs *inputs, const struct open_inputs *open,
                      bool is_at_end)
{
    int status = CLI_OK;

    for (size_t n = 0; n < open->count; n++) {
        struct cairn_reader *reader = open->readers[n];

        status = join(status, report(inputs->verb, inputs->paths[open->indexes[n]], reader,
                                     open->damaged[n], is_at_end ? error_at_end(reader) : 0));
    }
    return status;
}

/* Reads all open inputs merged, and closes them. */
static int read_open(struct cli_inputs *inputs, struct open_inputs *open, bool *ret_is_done)
{
    struct cairn_reader *reader = open->readers[0];
    int err = 0;
    int status;

    if (open->count > 1)
        err = cairn_reader_merge(open->readers, open->count, &reader);
    if (!err && inputs->begin)
        inputs->begin(inputs->context, open->indexes[0]);
    if (!err)
        err = inputs->threads > 1
                  ? cli_inputs_read_by_threads(inputs, reader, open->damaged, open->count)
                  : read_events(inputs, reader, open->damaged);
    if (inputs->end && (!err || err != ENOMEM)) {
        int end_error = inputs->end(inputs->context, reader, open->damaged);

        err = end_error ? end_error : err;
    }
    for (size_t n = 0; n < open->count && inputs->source; n++)
        inputs->source(inputs->context, n, inputs->paths[open->indexes[n]],
                       cairn_reader_counts(open->readers[n]));
    *ret_is_done = err == ECANCELED;
    status = report_all(inputs, open, err != ECANCELED && err != ENOMEM);
    if (err == ENOMEM) {
        cli_error(inputs->verb, "%s", strerror(err));
        status = CLI_FAILED;
    }
    if (open->count > 1 && reader == open->readers[0]) { /* they were not merged */
        for (size_t n = 1; n < open->count; n++)
            cairn_reader_close(open->readers[n]);
    }
    cairn_reader_close(reader);
    open->count = 0;
    return status;
}

static int read_inputs(struct cli_inputs *inputs, struct open_inputs *open, bool *ret_is_done)
{
    int status = CLI_OK;

    for (int n = 0; n < inputs->count && !*ret_is_done; n++) {
        if (open_input(inputs, n, open))
            status = CLI_FAILED;
        if (open->count && (inputs->by_file || n + 1 == inputs->count))
            status = join(status, read_open(inputs, open, ret_is_done));
    }
    return status;
}

bool cli_paths_have(const char *const *paths, size_t count, const struct stat *file)
{
    struct stat input;

    for (size_t n = 0; n < count; n++) {
        const char *path = paths[n];
        int err = strcmp(path, "-") ? stat(path, &input) : fstat(STDIN_FILENO, &input);

        if (!err && input.st_dev == file->st_dev && input.st_ino == file->st_ino)
            return true;
    }
    return false;
}

int cli_paths_empty(const char *const *paths, size_t count, int fd)
{
    struct stat output;

    if (fstat(fd, &output) < 0)
        return errno;
    if (!S_ISREG(output.st_mode))
        return 0;
    if (cli_paths_have(paths, count, &output))
        return EEXIST;
    return ftruncate(fd, 0) < 0 ? errno : 0;
}

const char *cli_paths_error(int err)
{
    return err == EEXIST ? "it is one of the inputs" : strerror(err);
}

const char *cli_inputs_title(const struct cli_inputs *inputs, char *text, size_t size)
{
    if (inputs->count > 1)
        snprintf(text, size, "%s and %d more", inputs->paths[0], inputs->count - 1);
    else
        snprintf(text, size, "%s", inputs->paths[0]);
    return text;
}

int cli_inputs_read(struct cli_inputs *inputs)
{
    size_t count = (size_t)inputs->count;
    struct open_inputs open = {
        .readers = (struct cairn_reader **)calloc(count, sizeof(struct cairn_reader *)),
        .indexes = (int *)calloc(count, sizeof(int)),
        .damaged = (uint64_t *)calloc(count, sizeof(uint64_t)),
    };
    bool is_done = false;
    int status;

    status = cli_choice_set_range(&inputs->choice, inputs->paths, inputs->count, &inputs->options);
    if (!open.readers || !open.indexes || !open.damaged) {
        cli_error(inputs->verb, "%s", strerror(ENOMEM));
        status = CLI_FAILED;
    }
    if (!status) {
        status = read_inputs(inputs, &open, &is_done);
        if (!is_done && status != CLI_FAILED)
            status = join(status, cli_choice_report(&inputs->choice));
        if (!is_done && status == CLI_OK && inputs->report)
            status = inputs->report(inputs->context);
    }
    free((void *)open.readers);
    free(open.indexes);
    free(open.damaged);
    return status;
}
