/* SPDX-License-Identifier: MIT */
/*
 * Cases for the comparison of error codes: a list of operations of user_events, most of them
 * mistakes, which four sides run: the kernel itself, the same system calls under `cairn run`, and
 * the two backends of cairn's own interface. Each prints a line with a code for each case:
 *
 *     description <tab> code <tab> rows of docs/errors.md that may explain another code
 *
 * The list is the same each time, because the random seed is fixed. test_kernel_errors.c compares
 * the lines.
 */
#ifndef TESTS_KERNEL_CODES_H
#define TESTS_KERNEL_CODES_H

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define TRACING "/sys/kernel/tracing"

/* The index of an event on a side without indexes. */
#define CODES_NO_INDEX UINT32_MAX

/* The code of a case that could not be run after a failure: all sides print all lines. */
#define CODES_NOT_TRIED "-"

/* An event on one of the sides. */
struct codes_event {
    struct cairn_tracepoint tp;
    char command[640];
    uint32_t word;  /* the kernel itself sets a bit of it */
    uint32_t index; /* assigned by the kernel */
};

/* Functions return 0 or an errno code. */
struct codes_side {
    const char *name;
    bool is_raw;       /* uses system calls */
    bool line_is_file; /* has a file dynamic_events */
    int (*add)(struct codes_event *e, uint32_t flags);
    int (*remove)(struct codes_event *e);
    int (*write)(struct codes_event *e, const struct iovec *parts, int count);
    int (*delete)(const char *name);
    int (*line)(const char *text, size_t size_bytes); /* writes to dynamic_events */
    void (*listen)(const char *name, bool on);
};

/* Opens the side with this name; NULL: unknown name. */
const struct codes_side *codes_side_open(const char *name);
void codes_side_close(void);

/* user_events_data of a side that uses system calls. */
extern int codes_fd;

/* ---- functions for all lists ---- */

/* Ends the program with a message unless `holds`. */
void codes_check(bool holds, const char *what);

/* Returns a name that no event has had: the kernel keeps names. The next call overwrites it. */
const char *codes_new_name(void);

void codes_prepare(struct codes_event *e, const char *command);

/* Returns 0, or a random number below `below`; the sequence is always the same. */
void codes_seed(uint32_t seed);
uint32_t codes_random(uint32_t below);
#define CODES_PICK(list) ((list)[codes_random(sizeof(list) / sizeof(*(list)))])

/* Prints a line. `what` may contain any bytes; `row` may be NULL. */
void codes_say(const char *group, const char *what, const char *code, const char *row);

/* Prints a line with the rows that apply to a command like this one. */
void codes_say_of(const char *group, const char *what, const char *code, const char *command);
const char *codes_name(int error);

/* A row of docs/errors.md. */
struct codes_mistake {
    const char *name;
    int (*make)(const struct codes_side *side);
};

/* ---- the lists ---- */

void codes_mistakes(const struct codes_side *side);
void codes_raw_mistakes(const struct codes_side *side); /* the cases of codes_mistakes */
void codes_commands(const struct codes_side *side);
void codes_writes(const struct codes_side *side);
void codes_lines(const struct codes_side *side);
void codes_deletes(const struct codes_side *side);
void codes_structs(const struct codes_side *side); /* for a side with system calls, as are the next
                                                    * ones */
void codes_files(const struct codes_side *side);

/* ---- memory with invalid parts, created once ---- */

struct codes_memory {
    char *page;      /* two valid pages */
    char *read_only; /* a page of zeros */
    char *gone;      /* an unmapped page */
    char *edge;      /* the first byte after a valid page, before an unmapped one */
    char *kernel;    /* an address of the kernel */
};

const struct codes_memory *codes_memory(void);

#endif
