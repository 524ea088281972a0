/* SPDX-License-Identifier: MIT */
/*
 * Exporting: events to JSON and to text.
 *
 * A printer writes decoded events (cairn/decode.h) in one style. cairn_decode_file prints all
 * events of a perf.data file.
 *
 * For any bytes of a record the output is valid UTF-8.
 *
 * A printer is used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_EXPORT_H
#define CAIRN_EXPORT_H

#include <cairn/decode.h>
#include <cairn/perf_data.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Printing ---- */

/*
 * The table of styles: STYLE(NAME, name, description) for each. The numbers of enum cairn_style are
 * their order: a new one comes at the end. docs/json.md describes the first two.
 */
#define CAIRN_STYLES(STYLE)                                                \
    STYLE(JSON, json, "one document, as perf-decode prints it")            \
    STYLE(JSONL, jsonl, "one object for each event, on a line of its own") \
    STYLE(TEXT, text, "one line for each event, as in trace_pipe")         \
    STYLE(CSV, csv, "a table: one line for each event, with a header")

#define CAIRN_I_STYLE_NUMBER(NAME, name, description) CAIRN_STYLE_##NAME,
#define CAIRN_I_STYLE_ONE(NAME, name, description)    +1

/* CAIRN_STYLE_JSON and so on. */
enum cairn_style { CAIRN_STYLES(CAIRN_I_STYLE_NUMBER) };
#define CAIRN_STYLE_COUNT (0 CAIRN_STYLES(CAIRN_I_STYLE_ONE))

struct cairn_printer;

/*
 * fd           stays the caller's
 * ret_printer  destroyed by the caller
 *
 * Returns 0; EINVAL an unknown style; ENOMEM.
 */
CAIRN_API int cairn_printer_create(enum cairn_style style, int fd,
                                   struct cairn_printer **ret_printer);

/* Without cairn_printer_finish the rest of the output is lost. Accepts NULL. */
CAIRN_API void cairn_printer_destroy(struct cairn_printer *printer);

/* Begins a recording, to which the following events belong. `name` is its key in JSON. */
CAIRN_API void cairn_printer_begin(struct cairn_printer *printer, const char *name);

/*
 * Writes an event. Returns the event's error, found by reading all of it. Failed writes are
 * reported by cairn_printer_finish, and before by cairn_printer_has_failed.
 */
CAIRN_API enum cairn_event_error cairn_printer_event(struct cairn_printer *printer,
                                                     const struct cairn_event *event);

/*
 * In the style `text`: thread and time dim, names of events in a colour by their level, for a
 * terminal. In others it has no effect.
 */
CAIRN_API void cairn_printer_set_color(struct cairn_printer *printer, bool color);

/* The times of events. */
enum cairn_printer_time {
    CAIRN_PRINTER_TIME_DEFAULT = 0, /* MONO in the style `text`, otherwise UTC */
    CAIRN_PRINTER_TIME_UTC = 1,     /* of day; these two are MONO if it is not known */
    CAIRN_PRINTER_TIME_LOCAL = 2,
    CAIRN_PRINTER_TIME_MONO = 3,  /* seconds of the recording's clock */
    CAIRN_PRINTER_TIME_DELTA = 4, /* seconds since the event before, of those printed */
    CAIRN_PRINTER_TIME_EPOCH_NS =
        5, /* ns since 1970; of the recording's clock if that is not known */
};

/* Before the first event. */
CAIRN_API void cairn_printer_set_time(struct cairn_printer *printer, enum cairn_printer_time time);

/*
 * Prints only certain fields of events, before the first event. In the style `csv` each is a
 * column.
 *
 * names  "Name"; a member of a struct: "Peer.Port". Copied
 *
 * Returns 0; EEXIST fields were set already; ENOMEM.
 */
CAIRN_API int cairn_printer_set_fields(struct cairn_printer *printer, const char *const *names,
                                       size_t count);

/*
 * True if an event that was printed has the field with this index among the names of
 * cairn_printer_set_fields; events that a part printed count after cairn_printer_append.
 */
CAIRN_API bool cairn_printer_found_field(const struct cairn_printer *printer, size_t index);

/*
 * Creates a printer for another thread: it prints events as `printer` does, and keeps the output in
 * memory until cairn_printer_append. What is set for `printer` later does not change it.
 *
 * ret_part  destroyed by the caller; cairn_printer_event and cairn_printer_has_failed may be called
 *           for it, and not cairn_printer_begin
 *
 * Returns 0; EINVAL times are differences between events (CAIRN_PRINTER_TIME_DELTA); ENOMEM.
 */
CAIRN_API int cairn_printer_create_part(const struct cairn_printer *printer,
                                        struct cairn_printer **ret_part);

/* Returns how many bytes of output a part keeps. */
CAIRN_API size_t cairn_printer_kept_bytes(const struct cairn_printer *part);

/* Moves the events that a part has printed to the end of the printer's output. */
CAIRN_API void cairn_printer_append(struct cairn_printer *printer, struct cairn_printer *part);

/*
 * Sets the function that waits while the reader accepts no output, as for
 * cairn_perf_writer_set_wait. NULL: wait without a limit.
 */
CAIRN_API void cairn_printer_set_wait(struct cairn_printer *printer,
                                      int (*wait)(void *context, int fd), void *context);

/* Flushes the output. Returns 0, or the error of the first failed write. */
CAIRN_API int cairn_printer_flush(struct cairn_printer *printer);

/* True if a write failed: further output is lost. */
CAIRN_API bool cairn_printer_has_failed(const struct cairn_printer *printer);

/*
 * Ends the document, if one was begun, and flushes the output. Returns 0, or the error of the first
 * failed write.
 */
CAIRN_API int cairn_printer_finish(struct cairn_printer *printer);

/* ---- Text ---- */

/*
 * Returns text of any bytes as valid UTF-8 with the escapes of a style, without quotes around it. A
 * byte that is not UTF-8 becomes U+FFFD; in the style `json`, as in perf-decode, it is treated as
 * Latin-1.
 *
 * ret_text  ends with a NUL; the caller frees it with free()
 *
 * Returns 0; EINVAL an unknown style; ENOMEM.
 */
CAIRN_API int cairn_style_text(enum cairn_style style, const void *text, size_t size_bytes,
                               char **ret_text);

/* ---- Files ---- */

/* The result of decoding a file. */
struct cairn_decode_report {
    uint64_t events;                   /* printed */
    uint64_t damaged;                  /* of them */
    uint64_t unreadable;               /* samples whose time is unknown: not printed */
    uint64_t lost;                     /* events that were lost, as the recording says */
    struct cairn_perf_missing missing; /* the same by cause, and other losses */
    struct cairn_perf_error error;     /* position of the error in the file; code 0: none */
};

/*
 * Prints all events of a perf.data file in the order of time. Prints nothing if it cannot be
 * opened.
 *
 * path        "-": standard input
 * name        the key under which JSON has the events
 * ret_report  filled also when an error is returned
 *
 * Returns 0, also with damaged events; the report's error code if the file could not be read to its
 * end: the readable part is printed; ENOMEM. If writing fails it stops and returns 0:
 * cairn_printer_finish returns the error.
 */
CAIRN_API int cairn_decode_file(const char *path, const char *name, struct cairn_printer *printer,
                                struct cairn_decode_report *ret_report);

#ifdef __cplusplus
}
#endif

#endif
