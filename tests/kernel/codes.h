/* SPDX-License-Identifier: MIT */
/*
 * One list of things that programs do with user_events, most of them mistakes, which four sides are
 * asked to do: the kernel itself, the same system calls under `cairn run`, and the two backends of
 * cairn's own interface. Each says a line for each case, with a code:
 *
 *     what is done <tab> code <tab> rows of docs/errors.md that may explain another code
 *
 * The list is the same each time, by a fixed seed. test_kernel_errors.c compares the lines.
 */
#ifndef TESTS_KERNEL_CODES_H
#define TESTS_KERNEL_CODES_H

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#define TRACING "/sys/kernel/tracing"

/* For the index of an event whose side has none. */
#define CODES_NO_INDEX UINT32_MAX

/* The code of what could not be tried, after a failure: all sides say all lines. */
#define CODES_NOT_TRIED "-"

/* An event as one of the sides sees it. */
struct codes_event {
    struct cairn_tracepoint tp;
    char command[640];
    uint32_t word;  /* what the kernel itself sets a bit of */
    uint32_t index; /* that the kernel gave */
};

/* Functions return 0 or an errno code. */
struct codes_side {
    const char *name;
    bool is_raw;       /* by system calls */
    bool line_is_file; /* dynamic_events */
    int (*add)(struct codes_event *e, uint32_t flags);
    int (*remove)(struct codes_event *e);
    int (*write)(struct codes_event *e, const struct iovec *parts, int count);
    int (*delete)(const char *name);
    int (*line)(const char *text, size_t size_bytes); /* to dynamic_events */
    void (*listen)(const char *name, bool on);
};

/* By its name, ready to be asked; NULL: there is none of this name. */
const struct codes_side *codes_side_open(const char *name);
void codes_side_close(void);

/* user_events_data of a side by system calls. */
extern int codes_fd;

/* ---- what all lists need ---- */

/* Ends the program with a word when what is to be there is not. */
void codes_check(bool holds, const char *what);

/* A name that no event has had: the kernel keeps them. The last is overwritten. */
const char *codes_new_name(void);

void codes_prepare(struct codes_event *e, const char *command);

/* 0, or below `below`, each time another; the sequence is always the same. */
void codes_seed(uint32_t seed);
uint32_t codes_random(uint32_t below);
#define CODES_PICK(list) ((list)[codes_random(sizeof(list) / sizeof(*(list)))])

/* Says a line. `what` may have any bytes; `row` may be NULL. */
void codes_say(const char *group, const char *what, const char *code, const char *row);

/* The same with the rows that are of a command like this one. */
void codes_say_of(const char *group, const char *what, const char *code, const char *command);
const char *codes_name(int error);

/* A row of docs/errors.md. */
struct codes_mistake {
    const char *name;
    int (*make)(const struct codes_side *side);
};

/* ---- the lists ---- */

void codes_mistakes(const struct codes_side *side);
void codes_raw_mistakes(const struct codes_side *side); /* of codes_mistakes */
void codes_commands(const struct codes_side *side);
void codes_writes(const struct codes_side *side);
void codes_lines(const struct codes_side *side);
void codes_deletes(const struct codes_side *side);
void codes_structs(const struct codes_side *side); /* of a raw side, as what follows */
void codes_files(const struct codes_side *side);

/* ---- memory of bad kinds, made once ---- */

struct codes_memory {
    char *page;      /* two pages that are there */
    char *read_only; /* a page of zeros */
    char *gone;      /* one that is not there */
    char *edge;      /* behind the last byte of one that is, before one that is not */
    char *kernel;    /* where the kernel is */
};

const struct codes_memory *codes_memory(void);

#endif
