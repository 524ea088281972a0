/* SPDX-License-Identifier: MIT */
/*
 * A term of a filter, "field operator value", while it becomes a test. Each kind of value has a
 * file of its own.
 */
#ifndef CORE_FILTER_TERM_H
#define CORE_FILTER_TERM_H

#include "core/filter.h"

enum filter_comparison {
    OP_GLOB,
    OP_NE,
    OP_EQ,
    OP_LE,
    OP_LT,
    OP_GE,
    OP_GT,
    OP_AND,
};

struct filter_term {
    struct filter_build *build;
    struct filter_test *test;
    struct filter_field field;
    const char *at; /* next byte of the text */
    enum filter_comparison op;
    bool is_function; /* "field.function" */
    bool invert;
};

static inline char filter_term_peek(const struct filter_term *term)
{
    return *term->at;
}

static inline struct cairn_slice filter_term_taken_from(const struct filter_term *term,
                                                        const char *begin)
{
    return (struct cairn_slice){begin, (uint32_t)(term->at - begin)};
}

static inline bool filter_is_equality(enum filter_comparison op)
{
    return op == OP_EQ || op == OP_NE;
}

/* The rest of the text. */
struct cairn_slice core_filter_term_rest(const struct filter_term *term);

bool core_filter_term_take(struct filter_term *term, const char *word);
void core_filter_term_skip_alnum(struct filter_term *term);

/* Records an error at the next byte, as Linux counts. Returns EINVAL. */
int core_filter_term_fail(const struct filter_term *term, enum cairn_filter_error_kind kind);

/* No value makes the term or its negation true. */
void core_filter_term_set_never(struct filter_term *term);

/* ---- values: these return 0; EINVAL; ENOSPC ---- */

int core_filter_term_parse_number(struct filter_term *term);
int core_filter_term_parse_function(struct filter_term *term);
int core_filter_term_parse_string(struct filter_term *term);
int core_filter_term_parse_cpus(struct filter_term *term);

/* ---- filter_number.c: CPUs are numbers too ---- */

/* Compares the field, or the CPU of the event, with a number. */
void core_filter_term_set_number(struct filter_term *term, uint64_t value, bool is_signed);

/*
 * Selects the code for the field's size from those for 8, 16, 32 and 64 bits, starting with the
 * given one. False: no integer has that size.
 */
bool core_filter_term_set_sized_code(struct filter_term *term, enum filter_code code_8);

#endif
