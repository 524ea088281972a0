/* SPDX-License-Identifier: MIT */
/*
 * The layout of the events of a type: how to find and print their fields, compiled once from the
 * metadata or from the format text.
 */
#ifndef DECODE_LAYOUT_H
#define DECODE_LAYOUT_H

#include "decode/kernel_symbols.h"
#include "decode/print.h"
#include "decode/value.h"

#include <cairn/decode.h>

enum decode_layout_kind {
    DECODE_LAYOUT_VALUE,
    DECODE_LAYOUT_STRUCT, /* its members follow, up to the field `end` */
    DECODE_LAYOUT_BROKEN, /* the metadata is invalid here: nothing after it is known */
};

enum decode_layout_array {
    DECODE_LAYOUT_SINGLE,
    DECODE_LAYOUT_CONSTANT, /* `count` elements */
    DECODE_LAYOUT_COUNTED,  /* number of elements in a u16 before them */
    DECODE_LAYOUT_FILLED,   /* as many elements as fit into the field's bytes */
};

/* The size of a value. */
enum decode_layout_extent {
    DECODE_LAYOUT_FIXED,      /* unit_bytes */
    DECODE_LAYOUT_TERMINATED, /* up to a unit of zero */
    DECODE_LAYOUT_LENGTH16,   /* a u16 before it counts the units */
    DECODE_LAYOUT_ALL,        /* the field's bytes */
    DECODE_LAYOUT_ALL_TEXT,   /* the field's bytes up to a zero, if there is one */
};

/* The position of a field's bytes. */
enum decode_layout_location {
    DECODE_LAYOUT_NEXT,   /* after the field before */
    DECODE_LAYOUT_INLINE, /* at `offset`: `size_bytes`, or when that is 0 all that is left */
    DECODE_LAYOUT_DATA_LOC,
    DECODE_LAYOUT_REL_LOC,
};

/* The kinds of a field's value: an exporter prints one of them. */
enum decode_layout_view {
    DECODE_LAYOUT_DECLARED,    /* by the field's declared kind */
    DECODE_LAYOUT_PERF_DECODE, /* as perf-decode: integers of format texts by the words of their
                                * type
                                */
    DECODE_LAYOUT_VIEW_COUNT,
};

struct decode_layout_field {
    struct cairn_item_field item; /* public part; first, so that it can be converted to this */
    uint8_t kind;                 /* enum decode_layout_kind */
    uint8_t array;                /* enum decode_layout_array */
    uint8_t extent;               /* enum decode_layout_extent */
    uint8_t location;             /* enum decode_layout_location */
    uint8_t unit_bytes;
    uint8_t value[DECODE_LAYOUT_VIEW_COUNT]; /* enum decode_value */
    uint16_t count;
    uint32_t offset;
    uint32_t size_bytes;
    uint32_t counted_at; /* of an inline array: the offset of the int with its number of elements;
                          * 0: size_bytes has the size
                          */
    uint32_t end;        /* index of the next field that is not a member of this */
};

struct decode_layout {
    struct cairn_event_type type; /* first, so that it can be converted to this */
    enum cairn_event_error error; /* not 0: the tracepoint's layout is used instead */
    bool swap;
    bool is_plain; /* single values only, one after the other */
    uint64_t
        serial; /* unique in the process, not 0: the key for caches of data derived from a layout */
    uint64_t decoder; /* the number of its decoder, unique in the process: all of its events are of
                         one recording; 0: unknown */
    uint32_t long_size_bytes; /* of the recording's kernel; 0: it has no format text */
    uint32_t field_count;
    uint32_t field_max; /* capacity of `fields` */
    struct decode_layout_field *fields;
    const uint8_t *eventheader; /* the header of its EventHeader events, in identity; or NULL */
    const uint8_t *metadata;    /* and their metadata */
    uint32_t metadata_bytes;
    struct decode_print *print;           /* owned; NULL: events have fields only, and no text */
    struct decode_kernel_symbols *kernel; /* the decoder's; NULL: it has no print format */

    /* The metadata or format text that it was compiled from, owned: names refer to it. */
    char *identity;
    uint32_t identity_bytes;
    uint64_t hash; /* of identity */
};

static inline const struct decode_layout_field *
decode_layout_field_of(const struct cairn_item_field *item)
{
    return (const struct decode_layout_field *)item;
}

static inline const struct decode_layout *decode_layout_of(const struct cairn_event_type *type)
{
    return (const struct decode_layout *)type;
}

/*
 * Creates an empty layout with memory for its identity, which the caller fills in. Returns 0,
 * ENOMEM.
 */
int decode_layout_create(uint32_t identity_bytes, struct decode_layout **ret_layout);

/* Accepts NULL. */
void decode_layout_destroy(struct decode_layout *layout);

/* Adds a field of zeros after the others, valid until the next is added. Returns 0, ENOMEM. */
int decode_layout_add(struct decode_layout *layout, struct decode_layout_field **ret_field);

/* Sets what depends on all fields, when type and fields are complete. */
void decode_layout_complete(struct decode_layout *layout);

/* Returns a name without the attributes that may follow it: "name;attribute=value". */
struct cairn_slice decode_name_without_attributes(struct cairn_slice name);

#endif
