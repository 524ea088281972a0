/* SPDX-License-Identifier: MIT */
/*
 * Exchange: events in the formats of other systems' tools (docs/exporting.md).
 *
 * An exporter receives the events of a reader (cairn/reader.h), one after the other, and writes
 * them in one format. Its output has a temporary name until it is complete, so the final name never
 * has half of it. What a format cannot express is counted.
 *
 * An exporter is used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_EXCHANGE_H
#define CAIRN_EXCHANGE_H

#include <cairn/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The table of formats: FORMAT(NAME, name, description) for each. The numbers of enum
 * cairn_exchange_format are their order: a new one comes at the end.
 */
#define CAIRN_EXCHANGE_FORMATS(FORMAT)                                                     \
    FORMAT(CTF, ctf, "CTF 1.8, a directory, for babeltrace2 and Trace Compass")            \
    FORMAT(PERFETTO, perfetto, "protobuf, for ui.perfetto.dev and trace_processor")        \
    FORMAT(CHROME, chrome, "Chrome's trace events, JSON, for chrome://tracing and others") \
    FORMAT(FOLDED, folded, "stacks of spans with their ns, for flame graphs")              \
    FORMAT(OTLP, otlp, "OpenTelemetry, protobuf: a directory, or the URL of a receiver")   \
    FORMAT(OTLP_JSON, otlp_json, "OpenTelemetry, JSON: lines, or the URL of a receiver")   \
    FORMAT(FIREFOX, firefox, "the Firefox Profiler's processed format, JSON")              \
    FORMAT(SQLITE, sqlite, "a database with tables of events and spans")                   \
    FORMAT(CSV, csv, "comma-separated values, as cairn decode prints them")                \
    FORMAT(PARQUET, parquet, "columns, made by the program duckdb")                        \
    FORMAT(STACKS, stacks, "stacks of events with their counts, for flame graphs")         \
    FORMAT(TRACE_DAT, trace_dat, "trace.dat, for trace-cmd and KernelShark")               \
    FORMAT(CTF2, ctf2, "CTF 2, a directory, for babeltrace2 from version 2.1 on")

#define CAIRN_I_EXCHANGE_NUMBER(NAME, name, description) CAIRN_EXCHANGE_##NAME,
#define CAIRN_I_EXCHANGE_ONE(NAME, name, description)    +1

/* CAIRN_EXCHANGE_CTF and so on. */
enum cairn_exchange_format { CAIRN_EXCHANGE_FORMATS(CAIRN_I_EXCHANGE_NUMBER) };
#define CAIRN_EXCHANGE_FORMAT_COUNT (0 CAIRN_EXCHANGE_FORMATS(CAIRN_I_EXCHANGE_ONE))

/*
 * The table of differences between the events and the output: NOTE(NAME, is_loss, text). is_loss:
 * the output lacks something that the events have. The text follows a number and a space.
 */
#define CAIRN_EXPORTER_NOTES(NOTE)                                                                 \
    NOTE(NO_TIME, 0, "events have no time: they have that of the event before")                    \
    NOTE(TIME_BACK, 0, "events came late: they have the time of the event before")                 \
    NOTE(NAMES, 0, "names are no names of the format: they were changed")                          \
    NOTE(TEXTS, 0, "texts contain U+FFFD, where a byte or a character is not valid in the format") \
    NOTE(DAMAGED, 0, "damaged events have their bytes instead of fields")                          \
    NOTE(SPLIT, 0, "spans ended after the span around them: they are in two parts")                \
    NOTE(STOPS_ALONE, 0, "spans ended that had not begun: they are instants")                      \
    NOTE(UNFINISHED, 0, "spans did not end")                                                       \
    NOTE(NO_THREAD, 0, "events have no thread: they are on a track of their own")                  \
    NOTE(NO_SPANS, 0, "events are no spans: they are left out")                                    \
    NOTE(STOPS_LEFT_OUT, 0, "spans ended that had not begun: they are left out")                   \
    NOTE(STACKS, 0, "spans are counted in those around them: there are too many stacks")           \
    NOTE(NO_WALL, 0, "events have no time of day: they have that of the recording's clock")        \
    NOTE(LARGE_NUMBERS, 0, "numbers are 2^63 or more: they are texts")                             \
    NOTE(UNDELIVERED, 1, "spans and log records were not delivered")                               \
    NOTE(REJECTED, 1, "spans and log records were rejected by the receiver")                       \
    NOTE(STACKS_CUT, 1, "stacks lack functions: there are too many")                               \
    NOTE(STACKS_LEFT_OUT, 0, "events have stacks, which the format lacks")                         \
    NOTE(NO_STACKS, 0, "events have no stacks: they are left out")                                 \
    NOTE(NO_CPU, 0, "events have no CPU: they are on CPU 0")                                       \
    NOTE(TEXTS_CUT, 1, "texts are cut: they are too long for the format")                          \
    NOTE(TOO_LARGE, 1, "events are too large for the format, or of too many kinds: left out")      \
    NOTE(STOPS_ELSEWHERE, 0, "spans ended in another thread, which the format lacks")

#define CAIRN_I_EXPORTER_NOTE_NUMBER(NAME, is_loss, text) CAIRN_EXPORTER_##NAME,
#define CAIRN_I_EXPORTER_NOTE_ONE(NAME, is_loss, text)    +1

/* CAIRN_EXPORTER_NO_TIME and so on. */
enum cairn_exporter_note { CAIRN_EXPORTER_NOTES(CAIRN_I_EXPORTER_NOTE_NUMBER) };
#define CAIRN_EXPORTER_NOTE_COUNT (0 CAIRN_EXPORTER_NOTES(CAIRN_I_EXPORTER_NOTE_ONE))

/* The text of a note, and whether it is a loss; constants. */
CAIRN_API const char *cairn_exporter_note_text(enum cairn_exporter_note note);
CAIRN_API bool cairn_exporter_note_is_loss(enum cairn_exporter_note note);

/* Returns the library that this build lacks for a format: "protobuf-c"; NULL: none. */
CAIRN_API const char *cairn_exporter_missing_library(enum cairn_exchange_format format);

/* Returns the program that makes the output of a format, which must be in PATH: "duckdb"; NULL:
 * none. */
CAIRN_API const char *cairn_exporter_program(enum cairn_exchange_format format);

struct cairn_exporter;

/*
 * Begins with CAIRN_EXPORTER_OPTIONS_INIT, or with zeros and a size. Everything is copied. Members
 * are added at the end; zero is then the behaviour before.
 */
struct cairn_exporter_options {
    size_t size; /* of this struct, as the caller was compiled */
    enum cairn_exchange_format format;
    const char *path;            /* of the output; "-": standard output, for a format of one file */
    bool by_wall;                /* times are of day: for events of several clocks */
    const char *const *counters; /* fields whose numbers are counters: "Depth", "Peer.Port" */
    size_t counter_count;
};

#define CAIRN_EXPORTER_OPTIONS_INIT                                                     \
    {                                                                                   \
        sizeof(struct cairn_exporter_options), CAIRN_EXCHANGE_CTF, NULL, false, NULL, 0 \
    }

/*
 * Creates an exporter and its output, under a temporary name in the same directory. A path that is
 * a pipe or a device is written directly.
 *
 * ret_exporter  destroyed by the caller
 *
 * Returns 0; EINVAL an unknown format, no path, or options of a wrong size; E2BIG options that this
 * version lacks are set; EOPNOTSUPP this build lacks a library of the format, or libcurl for a URL,
 * or PATH the format's program;
 * EEXIST the format is a directory, and there is one at the path that is not empty; ENOTDIR the
 * format is a directory, and the path is not; EISDIR the format is a file, and the path is a
 * directory; ESPIPE the format is a database or Parquet, and the path is a pipe, a device or
 * standard output;
 * ENOMEM; or the error of creating files.
 */
CAIRN_API int cairn_exporter_create(const struct cairn_exporter_options *options,
                                    struct cairn_exporter **ret_exporter);

/* Removes an output that is not finished. Accepts NULL. */
CAIRN_API void cairn_exporter_destroy(struct cairn_exporter *exporter);

/*
 * Adds an event.
 *
 * reader  that returned it last; NULL: the output has no losses and no properties of the recording
 *
 * Returns 0; ENOMEM; or the error of writing. After an error the output cannot be finished.
 */
CAIRN_API int cairn_exporter_event(struct cairn_exporter *exporter, struct cairn_reader *reader,
                                   const struct cairn_event *event);

/*
 * Completes the output and gives it its final name.
 *
 * reader  of the events, at their end; may be NULL
 *
 * Returns 0; ENOMEM; or the error of writing: there is no output then.
 */
CAIRN_API int cairn_exporter_finish(struct cairn_exporter *exporter, struct cairn_reader *reader);

/* Counts so far. They may grow at the end. */
struct cairn_exporter_counts {
    uint64_t events;
    uint64_t damaged; /* of them */
    uint64_t notes[CAIRN_EXPORTER_NOTE_COUNT];
};

/* Returns the counts; the exporter's own. */
CAIRN_API const struct cairn_exporter_counts *
cairn_exporter_counts(const struct cairn_exporter *exporter);

/* Returns the first problem of a delivery by HTTP, for a message; NULL: there was none. The
 * exporter's own. */
CAIRN_API const char *cairn_exporter_problem(const struct cairn_exporter *exporter);

#ifdef __cplusplus
}
#endif

#endif
