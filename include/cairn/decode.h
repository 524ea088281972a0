/* SPDX-License-Identifier: MIT */
/*
 * Decoding: records to typed items. cairn/reader.h reads the records of recordings and of running
 * programs; cairn/export.h prints events.
 *
 * A decoder gets tracepoints as tracefs `format` texts. It makes an event from a record's bytes; an
 * event is read as a stream of items: values, and the beginnings and ends of arrays and structs.
 *
 * Records are untrusted: for any bytes, items stay within them.
 *
 * Objects of this header are used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_DECODE_H
#define CAIRN_DECODE_H

#include <cairn/eventheader_abi.h>
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
#define CAIRN_EVENT_TID  0x8u /* pid and tid; equal if only the thread is recorded */

struct decode_stack;

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

    const struct decode_stack *stack; /* for cairn_event_frame; NULL: it has none */
    const char *container;            /* in which its process runs; NULL: none that is known */
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

/* ---- Stacks ---- */

/* A function that was running when an event happened, or had called the one before. */
struct cairn_frame {
    uint64_t address;
    const char *symbol;     /* NULL: unknown */
    uint64_t symbol_offset; /* of the address after the symbol */
    const char *object; /* path of the executable or library; "[kernel.kallsyms]"; NULL: unknown */
    uint64_t object_offset; /* of the address in that file; 0 for the kernel */
    bool is_kernel;
};

/* Returns the number of frames of an event that was returned last by its reader; 0: it has none. */
CAIRN_API uint32_t cairn_event_frame_count(const struct cairn_event *event);

/*
 * Returns a frame of an event that was returned last by its reader, the innermost one is 0. Symbols
 * are those of the files and the kernel of this machine, if they are those that were recorded.
 *
 * ret_frame  its texts are valid as long as the reader
 *
 * False: there is no such frame.
 */
CAIRN_API bool cairn_event_frame(const struct cairn_event *event, uint32_t index,
                                 struct cairn_frame *ret_frame);

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

#ifdef __cplusplus
}
#endif

/* Deprecated here: programs that print include cairn/export.h. */
#include <cairn/export.h>

#endif
