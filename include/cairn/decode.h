/* SPDX-License-Identifier: MIT */
/*
 * Decoding: records to typed items, to JSON and to text.
 *
 * A decoder gets tracepoints as tracefs `format` texts. It makes an event from a record's bytes; an
 * event is read as a stream of items: values, and the beginnings and ends of arrays and structs.
 * Printers write events. cairn_decode_file does all of it for a perf.data file.
 *
 * Records are untrusted: for any bytes, items stay within them and the output is valid UTF-8.
 *
 * Objects of this header are used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_DECODE_H
#define CAIRN_DECODE_H

#include <cairn/eventheader_abi.h>
#include <cairn/perf_data.h>
#include <cairn/schema.h>
#include <cairn/tracepoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Events ---- */

/* The data that all events of one definition share. Names are as recorded, in any encoding. */
struct cairn_event_type {
    struct cairn_slice provider; /* of EventHeader; otherwise the tracepoint's system */
    struct cairn_slice name;     /* without the attributes that may follow it */
    bool is_eventheader;         /* the members below are set */
    uint8_t level;
    uint8_t opcode;
    uint8_t version;
    uint16_t id;
    uint16_t tag;
    uint64_t keyword;
    struct cairn_slice options; /* of the tracepoint's name, after the keyword: "Gmygroup" */
};

enum cairn_event_error {
    CAIRN_EVENT_WHOLE = 0,
    CAIRN_EVENT_CUT_SHORT = 1,    /* the data ends before its fields do */
    CAIRN_EVENT_BAD_METADATA = 2, /* EventHeader metadata that is invalid, or of an unknown kind */
    CAIRN_EVENT_BAD_HEADER = 3,   /* an EventHeader or its extensions are invalid: the fields are
                                     those of the tracepoint */
};

/* "the data ends before its fields do"; a constant. */
CAIRN_API const char *cairn_event_error_text(enum cairn_event_error error);

/* The tracepoint that an event was written to. */
struct cairn_event_tracepoint {
    struct cairn_slice system; /* "user_events"; "" if unknown */
    struct cairn_slice name;   /* of an EventHeader event too: "MyProvider_L5K1" */
    struct cairn_slice format; /* the format text; "" if unknown */
    uint32_t number;           /* as cairn_decoder_add returned it */
};

/* The members of an event that are set. */
#define CAIRN_EVENT_TIME 0x1u
#define CAIRN_EVENT_WALL 0x2u /* wall_ns */
#define CAIRN_EVENT_CPU  0x4u
#define CAIRN_EVENT_TID  0x8u /* pid and tid */

struct cairn_event {
    /* From cairn_decoder_event; pointers refer to the decoder and the record. */
    const struct cairn_event_type *type;
    const uint8_t *activity_id; /* 16 bytes, or NULL */
    const uint8_t *related_id;  /* 16 bytes, or NULL */
    const uint8_t *data;        /* offsets of its fields count from here */
    uint32_t data_bytes;
    bool swap;                    /* its numbers are of the other byte order */
    enum cairn_event_error error; /* known so far; reading the items may find another */

    /* Set by the caller, from the sample. */
    uint32_t has; /* CAIRN_EVENT_ bits */
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns; /* of the recording's clock */
    uint64_t wall_ns; /* since 1970 */
    const char *comm; /* the thread's name, or NULL */

    /* From cairn_decoder_event. */
    const struct cairn_event_tracepoint *tracepoint; /* valid as long as the decoder */
    const uint8_t *raw; /* the record's raw part: common fields, payload, padding; or NULL */
    uint32_t raw_bytes;
};

struct cairn_decoder;

/* Destroyed by the caller. Returns 0, ENOMEM. */
CAIRN_API int cairn_decoder_create(struct cairn_decoder **ret_decoder);

/* Its events and their items become invalid. Accepts NULL. */
CAIRN_API void cairn_decoder_destroy(struct cairn_decoder *decoder);

/* A tracepoint as a recording describes it. */
struct cairn_decoder_format {
    struct cairn_slice system;
    struct cairn_slice name;  /* used if there is no format text */
    struct cairn_slice text;  /* the format text; "": events are one field `raw` */
    uint32_t long_size_bytes; /* of the machine recorded: 4 or 8 */
    bool swap;                /* that machine is of the other byte order */
};

/*
 * Adds a tracepoint. Texts are copied.
 *
 * ret_tracepoint  a number for cairn_decoder_event, counted from 0
 *
 * Returns 0; EBADMSG not a format text; ENOMEM.
 */
CAIRN_API int cairn_decoder_add(struct cairn_decoder *decoder,
                                const struct cairn_decoder_format *format,
                                uint32_t *ret_tracepoint);

/*
 * Makes an event of a record's raw part: common fields, payload, padding. A damaged record is an
 * event, too, with its `error` set.
 *
 * raw, size_bytes  must stay valid as long as the event is used
 * ret_event        valid until the next call; the members of the sample are not changed
 *
 * Returns 0; EINVAL no such tracepoint; ENOMEM.
 */
CAIRN_API int cairn_decoder_event(struct cairn_decoder *decoder, uint32_t tracepoint,
                                  const void *raw, size_t size_bytes,
                                  struct cairn_event *ret_event);

/* ---- Items ---- */

enum cairn_item_kind {
    CAIRN_ITEM_VALUE = 0,
    CAIRN_ITEM_ARRAY_BEGIN = 1,
    CAIRN_ITEM_ARRAY_END = 2,
    CAIRN_ITEM_STRUCT_BEGIN = 3,
    CAIRN_ITEM_STRUCT_END = 4,
};

/*
 * The data that all items of one field share. Fields of format texts are described in EventHeader's
 * terms; their strings and blobs have the encodings STRING_LENGTH16_CHAR8 and
 * BINARY_LENGTH16_CHAR8.
 */
struct cairn_item_field {
    struct cairn_slice name; /* with the attributes that may follow it: "name;attribute=value" */
    uint8_t encoding;        /* enum cairn_encoding, without flags */
    uint8_t format;          /* enum cairn_format, without flags; of a struct: its field count */
    uint16_t tag;
    bool is_array;
};

struct cairn_item {
    const struct cairn_item_field *field;
    enum cairn_item_kind kind;
    bool is_element;     /* of an array: it has no name of its own */
    uint32_t count;      /* of an array's elements */
    uint32_t size_bytes; /* of a value; lengths and terminating zeros do not count */
    const uint8_t *data; /* of a value: in the event's byte order, of no alignment */
};

/* Structs nested deeper than this are bad metadata. */
#define CAIRN_ITEM_STRUCT_DEPTH_MAX 16u

struct cairn_items;

/* Destroyed by the caller; serves any number of events, one after the other. Returns 0, ENOMEM. */
CAIRN_API int cairn_items_create(struct cairn_items **ret_items);

/* Accepts NULL. */
CAIRN_API void cairn_items_destroy(struct cairn_items *items);

/* Goes to the beginning of an event, which must stay valid as long as its items are read. */
CAIRN_API void cairn_items_begin(struct cairn_items *items, const struct cairn_event *event);

/*
 * Reads the next item; false at the end. A stream of items is balanced: each begin has its end,
 * also if the event's data ends too early, which cairn_items_error reports after the end.
 */
CAIRN_API bool cairn_items_next(struct cairn_items *items, struct cairn_item *ret_item);

/* Returns CAIRN_EVENT_WHOLE, or the event's error as far as its items were read. */
CAIRN_API enum cairn_event_error cairn_items_error(const struct cairn_items *items);

/* ---- Printing ---- */

/* docs/json.md describes the first two. */
enum cairn_style {
    CAIRN_STYLE_JSON = 0,  /* one document, content as perf-decode prints it */
    CAIRN_STYLE_JSONL = 1, /* one object for each event, on a line of its own */
    CAIRN_STYLE_TEXT = 2,  /* one line for each event, as in trace_pipe */
};
#define CAIRN_STYLE_COUNT 3

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
