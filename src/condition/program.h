/* SPDX-License-Identifier: MIT */
/*
 * A compiled condition: steps over an event's values, which put the fields that the filter names
 * into cells; and a filter of core, which compares the cells.
 */
#ifndef CONDITION_PROGRAM_H
#define CONDITION_PROGRAM_H

#include "condition/condition.h"

#include <cairn/record.h>

/* Structs in structs, as in the decoder. */
#define CONDITION_DEPTH_MAX 16u

/* Arrays in arrays, above an element that a filter names. */
#define CONDITION_INDEXES_MAX 4u

/* The members of an EventHeader, and of the event, that a filter may name; fields go before them.
 */
#define CONDITION_MEMBERS(MEMBER) \
    MEMBER(level)                 \
    MEMBER(opcode)                \
    MEMBER(keyword)               \
    MEMBER(id)                    \
    MEMBER(version)               \
    MEMBER(tag)                   \
    MEMBER(pid)                   \
    MEMBER(tid)

enum condition_member {
#define CONDITION_MEMBER(name) CONDITION_MEMBER_##name,
    CONDITION_MEMBERS(CONDITION_MEMBER)
#undef CONDITION_MEMBER
        CONDITION_MEMBER_COUNT
};

/* Kinds of values, as a filter compares them. */
enum condition_value {
    CONDITION_NUMBER, /* of 1, 2, 4 or 8 bytes */
    CONDITION_NUMBER_SIGNED,
    CONDITION_PORT,  /* a number in network byte order */
    CONDITION_FLOAT, /* its integral part */
    CONDITION_UTF8,  /* the rest are texts */
    CONDITION_UTF16,
    CONDITION_UTF32,
    CONDITION_MARKED8, /* the same three; a byte order mark, if there is one, states the encoding */
    CONDITION_MARKED16,
    CONDITION_MARKED32,
    CONDITION_LATIN1,
    CONDITION_CHARACTER,
    CONDITION_BYTES, /* "00 1f ff" */
    CONDITION_UUID,
    CONDITION_IP_ADDRESS,
    CONDITION_UNKNOWN, /* depends on the length of each value */
};

enum condition_step_kind {
    CONDITION_STEP_SKIP,       /* `count` and `target` are a number of bytes */
    CONDITION_STEP_FIXED,      /* a value of `unit` bytes */
    CONDITION_STEP_TERMINATED, /* units up to a zero */
    CONDITION_STEP_COUNTED,    /* a u16 counts the units */
    CONDITION_STEP_ARRAY, /* `count` values of `unit` bytes; 0: a u16 before them is the number */
    CONDITION_STEP_LOOP,  /* the steps up to the END before `target`, as often */
    CONDITION_STEP_END,
};

struct condition_step {
    uint8_t kind;
    uint8_t unit;
    uint8_t first_want; /* the fields that a filter names, among condition->wants */
    uint8_t want_count;
    uint16_t count;
    uint16_t target;
};

/* A field, or an element, that a filter names. */
struct condition_want {
    uint16_t step;
    uint8_t cell;
    uint8_t value; /* enum condition_value */
    uint8_t depth; /* number of loops around it, and of its array */
    uint8_t size_bytes;
    uint8_t sizes; /* of counted bytes that are a number, a bit of value `size` for each; 0: none */
    uint16_t indexes[CONDITION_INDEXES_MAX];
};

/* A number is at the beginning of its cell; a text is a struct filter_text_at, and a number that
 * may be missing a struct filter_number_or_none. */
#define CONDITION_CELL_BYTES 16u

/* The record for the filter: common fields, then the cells. */
#define CONDITION_RECORD_BYTES(cells) (CAIRN_COMMON_BYTES + (cells)*CONDITION_CELL_BYTES)

struct condition {
    struct cairn_filter *filter;
    struct condition_want *wants; /* in the order of their steps */
    struct condition_step *steps;
    uint32_t step_count;
    uint32_t size_bytes;
    uint8_t want_count;
    uint8_t cell_count;
    bool needs_task;
    /* Only numbers and a text at fixed positions are compared, where they are: the filter's offsets
     * are theirs, after CAIRN_COMMON_BYTES. */
    bool is_direct;
    uint32_t direct_text_at;                             /* the text, after its count; 0: none */
    uint8_t cell_of_member_of_1[CONDITION_MEMBER_COUNT]; /* counted from 1; 0: it is not named */
    uint64_t members[CONDITION_MEMBER_COUNT];
};

static inline bool condition_is_text(enum condition_value value)
{
    return value >= CONDITION_UTF8;
}

/* The values of an encoding and a format, both without flags. */
enum condition_value condition_value_of(uint8_t encoding, uint8_t format);

/* Values that are CONDITION_UNKNOWN: if those of a right size are numbers, the kind and the sizes
 * of these; otherwise CONDITION_UNKNOWN. */
enum condition_value condition_counted_number(uint8_t format, uint8_t *ret_sizes);

/* True if an event that has the field may lack the number. */
static inline bool condition_may_lack(const struct condition_want *want)
{
    return want->value == CONDITION_FLOAT || want->sizes;
}

/* Memory for converted texts. */
struct condition_scratch {
    char *at;
    char *end;
    bool is_full; /* something did not fit */
};

/* Converts a value of any kind of text but UTF-8 to what a filter compares with. */
void condition_convert(enum condition_value value, const uint8_t *data, size_t size_bytes,
                       struct condition_scratch *to);

#endif
