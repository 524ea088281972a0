/* SPDX-License-Identifier: MIT */
/*
 * Decoding: records to typed items, to JSON and to text.
 *
 * A decoder is told tracepoints by their tracefs `format` texts. From a record's bytes it makes an
 * event; an event is read as a stream of items: values, and the beginnings and ends of arrays and
 * structs. Printers write events. cairn_decode_file does all of it for a perf.data file.
 *
 * Records are not trusted: whatever their bytes are, items stay within them and what is printed is
 * valid UTF-8.
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

/* What all events of one definition have in common. Names are as recorded: of no sure encoding. */
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
    CAIRN_EVENT_CUT_SHORT = 1, /* the data ends before its fields do */
    CAIRN_EVENT_BAD_METADATA =
        2,                      /* EventHeader metadata that makes no sense, or none of its kind */
    CAIRN_EVENT_BAD_HEADER = 3, /* an EventHeader or its extensions make no sense: the fields are
                                   those of the tracepoint */
};

/* "the data ends before its fields do"; a constant. */
CAIRN_API const char *cairn_event_error_text(enum cairn_event_error error);

/* What an event has. */
#define CAIRN_EVENT_TIME 0x1u
#define CAIRN_EVENT_WALL 0x2u /* wall_ns */
#define CAIRN_EVENT_CPU  0x4u
#define CAIRN_EVENT_TID  0x8u /* pid and tid */

struct cairn_event {
    /* From cairn_decoder_event; pointers lead into the decoder and into the record. */
    const struct cairn_event_type *type;
    const uint8_t *activity_id; /* 16 bytes, or NULL */
    const uint8_t *related_id;  /* 16 bytes, or NULL */
    const uint8_t *data;        /* where its fields' offsets count from */
    uint32_t data_bytes;
    bool swap;                    /* its numbers are of the other byte order */
    enum cairn_event_error error; /* known so far; reading the items may find another */

    /* Of the sample, from whoever read it. */
    uint32_t has; /* CAIRN_EVENT_ bits */
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns; /* of the recording's clock */
    uint64_t wall_ns; /* since 1970 */
    const char *comm; /* the thread's name, or NULL */
};

struct cairn_decoder;

/* Destroyed by the caller. Returns 0, ENOMEM. */
CAIRN_API int cairn_decoder_create(struct cairn_decoder **ret_decoder);

/* Events and items of it are gone with it. NULL is accepted. */
CAIRN_API void cairn_decoder_destroy(struct cairn_decoder *decoder);

/* A tracepoint as a recording describes it. */
struct cairn_decoder_format {
    struct cairn_slice system;
    struct cairn_slice name;  /* for what has no format text; otherwise that tells */
    struct cairn_slice text;  /* the format text; "": events are one field `raw` */
    uint32_t long_size_bytes; /* of the machine recorded: 4 or 8 */
    bool swap;                /* that machine is of the other byte order */
};

/*
 * Makes a tracepoint known. Texts are copied.
 *
 * ret_tracepoint  a number for cairn_decoder_event, counted from 0
 *
 * Returns 0; EBADMSG no format text; ENOMEM.
 */
CAIRN_API int cairn_decoder_add(struct cairn_decoder *decoder,
                                const struct cairn_decoder_format *format,
                                uint32_t *ret_tracepoint);

/*
 * Makes an event of a record's raw part: common fields, payload, padding. A damaged one is an event
 * too: its `error` tells.
 *
 * raw, size_bytes  must live as long as the event is used
 * ret_event        of use until the next call; the members of the sample are left as they are
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

/* What all items of one field have in common. Fields of format texts are told in EventHeader's
 * terms; their strings and blobs have the encodings STRING_LENGTH16_CHAR8 and
 * BINARY_LENGTH16_CHAR8. */
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

/* NULL is accepted. */
CAIRN_API void cairn_items_destroy(struct cairn_items *items);

/* Goes to the beginning of an event, which must live as long as its items are read. */
CAIRN_API void cairn_items_begin(struct cairn_items *items, const struct cairn_event *event);

/*
 * The next item; false at the end. A stream of items is balanced: each begin has its end, also
 * where the event's data ends too early. cairn_items_error tells, after the end, whether it did.
 */
CAIRN_API bool cairn_items_next(struct cairn_items *items, struct cairn_item *ret_item);

/* CAIRN_EVENT_WHOLE, or what is wrong with the event as far as its items were read. */
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
 * Returns 0; EINVAL no such style; ENOMEM.
 */
CAIRN_API int cairn_printer_create(enum cairn_style style, int fd,
                                   struct cairn_printer **ret_printer);

/* What was not finished is lost. NULL is accepted. */
CAIRN_API void cairn_printer_destroy(struct cairn_printer *printer);

/* Events that follow are of this recording. `name` is the key under which JSON has them. */
CAIRN_API void cairn_printer_begin(struct cairn_printer *printer, const char *name);

/*
 * Writes an event. Returns what is wrong with the event, as far as reading all of it showed. That
 * writing failed is told by cairn_printer_finish, and by cairn_printer_failed before.
 */
CAIRN_API enum cairn_event_error cairn_printer_event(struct cairn_printer *printer,
                                                     const struct cairn_event *event);

/* In the style `text`: thread and time dim, names of events in a colour by their level, for a
 * terminal. In others it is without effect. */
CAIRN_API void cairn_printer_set_color(struct cairn_printer *printer, bool color);

/*
 * Who waits when the reader takes no more for now, as for cairn_perf_writer_set_wait. NULL: waits
 * for ever.
 */
CAIRN_API void cairn_printer_set_wait(struct cairn_printer *printer,
                                      int (*wait)(void *context, int fd), void *context);

/* Writes what is left so far. Returns 0, or what the first failing write said. */
CAIRN_API int cairn_printer_flush(struct cairn_printer *printer);

/* True when a write failed: going on is of no use. */
CAIRN_API bool cairn_printer_failed(const struct cairn_printer *printer);

/* Ends the document, if one was begun, and writes what is left. Returns 0, or what the first
 * failing write said. */
CAIRN_API int cairn_printer_finish(struct cairn_printer *printer);

/* ---- Files ---- */

/* What decoding a file came to. */
struct cairn_decode_report {
    uint64_t events;     /* printed */
    uint64_t damaged;    /* of them */
    uint64_t unreadable; /* samples of which not even the time can be told: not printed */
    uint64_t lost;       /* the recording tells that so many events are not in it */
    struct cairn_perf_missing missing; /* the same by cause, and what else is not in it */
    struct cairn_perf_error error;     /* where in the file reading stopped; code 0: it did not */
};

/*
 * Prints all events of a perf.data file in the order of time. When it cannot be opened, nothing.
 *
 * path        "-": standard input
 * name        the key under which JSON has the events
 * ret_report  filled also when an error is returned
 *
 * Returns 0, also with damaged events; the report's error code when the file could not be read to
 * its end: what could be read is printed; ENOMEM. When writing fails it stops and returns 0:
 * finishing the printer tells.
 */
CAIRN_API int cairn_decode_file(const char *path, const char *name, struct cairn_printer *printer,
                                struct cairn_decode_report *ret_report);

#ifdef __cplusplus
}
#endif

#endif
