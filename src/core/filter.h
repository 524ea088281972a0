/* SPDX-License-Identifier: MIT */
/*
 * The format of a compiled filter, and the interface of its compiler.
 *
 * In memory, each part at a multiple of 8: the head, the text, the program, the CPU sets. All
 * references are offsets from the head, so a filter may be copied.
 *
 * The program is a list of tests, run from the first on. A test yields true or false. If that is
 * the value that it branches on, the run continues at its target, otherwise with the next test. A
 * run that reaches the end of the list yields true, a run that reaches the index after it yields
 * false. Branches go forward only.
 */
#ifndef CORE_FILTER_H
#define CORE_FILTER_H

#include <cairn/filter.h>

#include "core/errno.h"
#include "core/slice.h"

/* Comparisons of integers of either sign are all one: x - low <= span, in the field's own width. */
enum filter_code {
    FILTER_RANGE_8,
    FILTER_RANGE_16,
    FILTER_RANGE_32,
    FILTER_RANGE_64,
    FILTER_BITS_8, /* any of these bits */
    FILTER_BITS_16,
    FILTER_BITS_32,
    FILTER_BITS_64,
    FILTER_IN_SET_8, /* the field is the number of a CPU of the set */
    FILTER_IN_SET_16,
    FILTER_IN_SET_32,
    FILTER_CPU_RANGE, /* of the CPU that the event is of */
    FILTER_CPU_IN_SET,
    FILTER_MASK_EQUALS, /* a field that is a set of CPUs */
    FILTER_MASK_MEETS,
    FILTER_STRING, /* an array in place */
    FILTER_STRING_DATA_LOC,
    FILTER_STRING_REL_LOC,
    FILTER_STRING_AT,      /* struct filter_text_at: only in records that the caller makes */
    FILTER_STRING_COUNTED, /* a u16, the number of bytes, and these */
    FILTER_COMM,
    FILTER_NUMBER_OR_NONE, /* struct filter_number_or_none: only in records that the caller makes */
    FILTER_NEVER,
};

static inline bool filter_is_of_number(enum filter_code code)
{
    return code <= FILTER_BITS_64;
}

static inline bool filter_has_set(enum filter_code code)
{
    return (code >= FILTER_IN_SET_8 && code <= FILTER_IN_SET_32) || code == FILTER_CPU_IN_SET ||
           code == FILTER_MASK_EQUALS || code == FILTER_MASK_MEETS;
}

/* The kind of a string comparison. As in Linux, only FILTER_GLOB matches by the glob algorithm. */
enum filter_pattern {
    FILTER_WHOLE,  /* "text" */
    FILTER_FRONT,  /* "text*" */
    FILTER_MIDDLE, /* "*text*" */
    FILTER_END,    /* "*text" */
    FILTER_GLOB,
};

struct filter_test {
    uint8_t code;
    uint8_t when;    /* branch on true; while compiling see filter_parse.c */
    uint16_t target; /* index */
    uint32_t offset; /* of the field */
    union {
        struct {
            uint64_t low;
            uint64_t span;
        } range;
        uint64_t mask;
        struct {
            uint32_t at;
            uint32_t cpu_count; /* CPUs that count; the set has a bit for each */
        } set;
        struct {
            uint32_t size_bytes; /* of an array in place; 0: it ends with a NUL or the record */
            uint16_t pattern_at;
            uint8_t pattern_bytes;
            uint8_t pattern; /* enum filter_pattern */
        } string;
        struct {
            uint64_t value;
            uint8_t orders; /* that are true: bits 0 less, 1 equal, 2 greater; 0: `&` */
            bool is_signed;
        } number_or_none;
    };
};

struct cairn_filter {
    uint64_t record_min_bytes; /* holds every fixed field */
    uint32_t size_bytes;
    uint16_t text_length;
    uint16_t test_count;
    uint16_t tests_at;
    bool needs_task;
    bool numbers_only; /* every test is of a number in the record: the fast way */
};

_Static_assert(sizeof(struct filter_test) == 24, "cairn_filter_memory_bytes counts on it");
_Static_assert(sizeof(struct cairn_filter) == 24, "cairn_filter_memory_bytes counts on it");

#define FILTER_SET_U64S(cpu_count) (((cpu_count) + 63) / 64)

/* The class of a field, as Linux's FILTER_ types. */
enum filter_class {
    FILTER_CLASS_NUMBER,
    FILTER_CLASS_STRING,
    FILTER_CLASS_STRING_DATA_LOC,
    FILTER_CLASS_STRING_REL_LOC,
    FILTER_CLASS_STRING_AT,
    FILTER_CLASS_STRING_COUNTED,
    FILTER_CLASS_COMM,
    FILTER_CLASS_STRING_POINTER,
    FILTER_CLASS_CPU,
    FILTER_CLASS_CPU_MASK,
    FILTER_CLASS_STACK, /* known, but every comparison is false */
    FILTER_CLASS_NUMBER_OR_NONE,
};

/* A text that is elsewhere: the contents of a field of type core_filter_text_at. */
struct filter_text_at {
    const char *text;
    uint64_t length;
};

enum filter_number_range {
    FILTER_NUMBER_NONE, /* null, or NaN: satisfies no comparison */
    FILTER_NUMBER_BELOW,
    FILTER_NUMBER_WITHIN, /* the range of 64 bits */
    FILTER_NUMBER_ABOVE,
};

/* The contents of a field of type core_filter_number_or_none. */
struct filter_number_or_none {
    uint64_t number;
    uint64_t range; /* enum filter_number_range */
};

/*
 * The type of such a field is this object, not a text that is equal to it: a schema that was parsed
 * cannot have such fields, and so cannot make a filter follow an address in a record.
 */
extern const char core_filter_text_at[];

/* The same for a number that an event may lack, or that is out of range. */
extern const char core_filter_number_or_none[] CORE_PRIVATE_API(core_filter_number_or_none);

/* The type of a field that is a u16, the number of bytes, and a text; the field's size is that of
 * the u16.
 */
extern const char core_filter_text_counted[];

struct filter_field {
    uint32_t offset;
    uint32_t size_bytes;
    bool is_signed;
    enum filter_class kind;
};

_Static_assert(FILTER_CLASS_COMM - FILTER_CLASS_STRING == FILTER_COMM - FILTER_STRING,
               "classes of strings and their codes are in the same order");

static inline bool filter_class_is_string(enum filter_class kind)
{
    return kind >= FILTER_CLASS_STRING && kind <= FILTER_CLASS_STRING_POINTER;
}

/*
 * A filter that is being compiled. The free memory is between its tests, which grow up, and its
 * sets, which grow down from the end.
 */
struct filter_build {
    const struct cairn_schema *schema;
    uint32_t cpu_count;
    struct cairn_filter *filter;
    struct cairn_slice text; /* in the filter; a NUL follows */
    struct filter_test *tests;
    uint32_t test_count;
    uint32_t sets_at; /* offset of the lowest set, and the end of the free memory */
    struct cairn_filter_error error;
};

/* Records an error. Returns EINVAL. */
int core_filter_fail(struct filter_build *build, enum cairn_filter_error_kind kind,
                     uint32_t position);

/*
 * Computes the depth of parentheses, the text itself counted as a pair, and an upper bound of the
 * number of terms. Returns 0; EINVAL.
 */
int core_filter_scan(struct filter_build *build, uint32_t *ret_depth, uint32_t *ret_terms);

/*
 * Compiles the text to tests. `levels` is memory of one byte per level of parentheses. Returns 0;
 * EINVAL; ENOSPC.
 */
int core_filter_parse(struct filter_build *build, uint8_t *levels, uint32_t depth,
                      uint32_t terms_max);

/* Looks a name up as Linux does: the event's own fields, the last first, then those of all events.
 */
bool core_filter_find_field(const struct cairn_schema *schema, struct cairn_slice name,
                            struct filter_field *ret_field);

/*
 * Compiles the term that begins at `at` to *test; sets *ret_invert if the term is the negation of
 * the test. Returns 0, with *ret_end after the term; EINVAL; ENOSPC.
 */
int core_filter_parse_term(struct filter_build *build, uint32_t at, struct filter_test *test,
                           bool *ret_invert, uint32_t *ret_end);

/* Reads a list of CPUs, as Linux does, into a set of zeros. False when it is none. */
bool core_filter_parse_cpus(struct cairn_slice list, uint32_t cpu_count, uint64_t *set);

/* Letters of Latin-1 are letters to the kernel. */
static inline bool filter_is_alnum(char c)
{
    unsigned char u = (unsigned char)c;

    return core_is_alphanumeric(c) || (u >= 0xc0 && u != 0xd7 && u != 0xf7);
}

#endif
