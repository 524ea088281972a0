/* SPDX-License-Identifier: MIT */
/* The tables `files`, of the recordings, and `losses`, of what they lack. */
#include "decode/items.h"
#include "query/derived.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/time.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH, BYTES, EVENTS, FIRST_NS, LAST_NS, LOST, DAMAGED, UNREADABLE, ERROR, FILE_COLUMNS };

static const struct query_column file_columns[FILE_COLUMNS] = {
    [PATH] = {"path", "TEXT", false, false},
    [BYTES] = {"bytes", "INTEGER", false, false},
    [EVENTS] = {"events", "INTEGER", false, false},
    [FIRST_NS] = {"first_ns", "INTEGER", false, false},
    [LAST_NS] = {"last_ns", "INTEGER", false, false},
    [LOST] = {"lost", "INTEGER", false, false},
    [DAMAGED] = {"damaged", "INTEGER", false, false},
    [UNREADABLE] = {"unreadable", "INTEGER", false, false},
    [ERROR] = {"error", "TEXT", false, false},
};

enum { LOSS_PATH, CAUSE, LOSS_EVENTS, PROCESSES, LOSS_COLUMNS };

static const struct query_column loss_columns[LOSS_COLUMNS] = {
    [LOSS_PATH] = {"path", "TEXT", false, false},
    [CAUSE] = {"cause", "TEXT", false, false},
    [LOSS_EVENTS] = {"events", "INTEGER", false, false},
    [PROCESSES] = {"processes", "INTEGER", false, false},
};

/* The contents of a recording, from reading it once. */
struct contents {
    uint64_t events;
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t damaged; /* events */
    struct cairn_reader_counts counts;
};

struct files_scan {
    struct cairn_query *query;
    struct query_values values;
    bool checks_events; /* whether they are damaged */
    size_t file;        /* plus 1 */
    unsigned cause;     /* plus 1 */
    struct contents contents;
    char text[512]; /* of a cell */
};

static void end(void *of)
{
    struct files_scan *scan = (struct files_scan *)of;

    query_values_close(&scan->values);
    free(scan);
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct files_scan *scan = (struct files_scan *)calloc(1, sizeof(*scan));

    if (!scan)
        return ENOMEM;
    if (query_values_open(&scan->values)) {
        end(scan);
        return ENOMEM;
    }
    scan->query = table->query;
    scan->checks_events = table->columns == file_columns && query_is_used(request->used, DAMAGED);
    *ret_scan = scan;
    return 0;
}

/* ---- reading ---- */

static void add_event(struct contents *contents, const struct cairn_event *event)
{
    uint64_t ns = timeline_time_of(event);

    contents->events++;
    if (ns && (!contents->first_ns || ns < contents->first_ns))
        contents->first_ns = ns;
    if (ns > contents->last_ns)
        contents->last_ns = ns;
}

/* Other recorders count losses without causes. */
static void add_unexplained(struct cairn_reader_counts *counts)
{
    uint64_t known = counts->lost_packets;

    for (unsigned cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        known += counts->missing.lost[cause];
    if (counts->lost > known)
        counts->missing.lost[CAIRN_LOSS_OTHER] += counts->lost - known;
}

/* Reads the recording. Returns 0, ECANCELED, ENOMEM. */
static int read_file(struct files_scan *scan, size_t index)
{
    const struct query_recording *recording = &scan->query->recordings.all[index];
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_perf_error error = {0};
    const struct cairn_event *event;
    struct cairn_reader *reader;
    int err;

    scan->contents = (struct contents){0};
    options.without_comm = options.without_raw = options.in_file_order = true;
    err = query_recording_open(recording, &options, NULL, &error, &reader);
    if (err)
        return err == ENOMEM ? ENOMEM : 0;
    while (!(err = cairn_reader_next(reader, &event))) {
        add_event(&scan->contents, event);
        if (scan->checks_events && decode_items_finish(cairn_reader_items(reader)))
            scan->contents.damaged++;
        if (scan->query->is_interrupted) {
            err = ECANCELED;
            break;
        }
    }
    scan->contents.counts = *cairn_reader_counts(reader);
    add_unexplained(&scan->contents.counts);
    query_recording_note(&scan->query->recordings, index, reader, err == ECANCELED ? 0 : err);
    query_recording_note_damage(&scan->query->recordings, index, scan->contents.damaged);
    cairn_reader_close(reader);
    return err == ENOMEM || err == ECANCELED ? err : 0;
}

static int next_file(void *of)
{
    struct files_scan *scan = (struct files_scan *)of;

    if (scan->file >= scan->query->recordings.count)
        return ENODATA;
    return read_file(scan, scan->file++);
}

/* After the causes of enum cairn_loss those of which there is no number. */
enum {
    LOSS_DIRECTORY = CAIRN_LOSS_CAUSES,
    LOSS_KERNEL,
    LOSS_SILENCES,
    LOSS_CPUS,
    LOSS_LEFT_OUT,
    LOSS_PACKETS,
    LOSS_KINDS
};

static bool has_lost(const struct cairn_reader_counts *counts, unsigned kind)
{
    const struct cairn_perf_missing *missing = &counts->missing;

    switch (kind) {
    case LOSS_DIRECTORY:
        return missing->directory_gone;
    case LOSS_KERNEL:
        return missing->kernel_gap;
    case LOSS_SILENCES:
        return missing->silences;
    case LOSS_CPUS:
        return missing->changed_cpus;
    case LOSS_LEFT_OUT:
        return missing->directories_left_out;
    case LOSS_PACKETS:
        return counts->lost_packets;
    default:
        return missing->lost[kind] || missing->processes[kind];
    }
}

static const char *loss_text(struct files_scan *scan, unsigned kind)
{
    static const char *const texts[LOSS_PACKETS] = {
        [LOSS_DIRECTORY] = "the tracing directory was removed or replaced: programs that started "
                           "since then are missing",
        [LOSS_KERNEL] = "the recorder took the place of one that was killed: events of the kernel "
                        "in between are missing",
        [LOSS_SILENCES] = "the recorder did not run for 5 s or more: the events that programs "
                          "wrote until it continued are missing",
        [LOSS_CPUS] = "CPUs went offline or online: the kernel's events on them are missing",
        [LOSS_LEFT_OUT] = "tracing directories were not recorded: their user has too many",
    };

    if (kind < CAIRN_LOSS_CAUSES)
        return cairn_loss_text((enum cairn_loss)kind);
    if (kind != LOSS_PACKETS)
        return texts[kind];
    (void)snprintf(scan->text, sizeof(scan->text), "%" PRIu64 " packets of events were lost",
                   scan->contents.counts.lost_packets);
    return scan->text;
}

/* The next cause that a recording lost something by. */
static int next_loss(void *of)
{
    struct files_scan *scan = (struct files_scan *)of;
    int err = scan->file ? 0 : next_file(scan);

    while (!err) {
        while (scan->cause < LOSS_KINDS) {
            if (has_lost(&scan->contents.counts, scan->cause++))
                return 0;
        }
        scan->cause = 0;
        err = next_file(scan);
    }
    return err;
}

/* ---- cells ---- */

static void set_error(struct files_scan *scan, const struct cairn_query_file *file,
                      struct query_cell *to)
{
    if (!file->code)
        return;
    if (file->text)
        (void)snprintf(scan->text, sizeof(scan->text), "at byte %llu: %s",
                       (unsigned long long)file->offset, file->text);
    else
        (void)snprintf(scan->text, sizeof(scan->text), "%s", strerror(file->code));
    query_cell_string(to, scan->text, false);
}

static void file_cell(void *of, unsigned column, struct query_cell *to)
{
    struct files_scan *scan = (struct files_scan *)of;
    const struct query_recording *recording = &scan->query->recordings.all[scan->file - 1];
    const struct contents *contents = &scan->contents;

    switch (column) {
    case PATH:
        query_values_bytes(&scan->values, recording->path, strlen(recording->path), to);
        break;
    case BYTES:
        query_cell_integer(to, (uint64_t)recording->stat.st_size);
        break;
    case EVENTS:
        query_cell_integer(to, contents->events);
        break;
    case FIRST_NS:
    case LAST_NS:
        if (contents->last_ns)
            query_cell_integer(to, column == FIRST_NS ? contents->first_ns : contents->last_ns);
        break;
    case LOST:
        query_cell_integer(to, contents->counts.lost);
        break;
    case DAMAGED:
        query_cell_integer(to, contents->damaged);
        break;
    case UNREADABLE:
        query_cell_integer(to, contents->counts.unreadable);
        break;
    default:
        set_error(scan, &recording->file, to);
        break;
    }
}

static void loss_cell(void *of, unsigned column, struct query_cell *to)
{
    struct files_scan *scan = (struct files_scan *)of;
    const struct query_recording *recording = &scan->query->recordings.all[scan->file - 1];
    const struct cairn_perf_missing *missing = &scan->contents.counts.missing;

    if (column == LOSS_PATH)
        query_values_bytes(&scan->values, recording->path, strlen(recording->path), to);
    else if (column == CAUSE)
        query_cell_string(to, loss_text(scan, scan->cause - 1), false);
    else if (scan->cause - 1 < CAIRN_LOSS_CAUSES)
        query_cell_integer(to, column == LOSS_EVENTS ? missing->lost[scan->cause - 1]
                                                     : missing->processes[scan->cause - 1]);
}

static const struct query_kind file_kind = {
    .begin = begin,
    .next = next_file,
    .cell = file_cell,
    .end = end,
};

static const struct query_kind loss_kind = {
    .begin = begin,
    .next = next_loss,
    .cell = loss_cell,
    .end = end,
};

const struct query_derived query_derived_files = {
    .kind = &file_kind,
    .columns = file_columns,
    .column_count = FILE_COLUMNS,
    .events_of_row = 1000000,
};

const struct query_derived query_derived_losses = {
    .kind = &loss_kind,
    .columns = loss_columns,
    .column_count = LOSS_COLUMNS,
    .events_of_row = 1000000,
};
