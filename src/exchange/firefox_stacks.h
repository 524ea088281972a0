/* SPDX-License-Identifier: MIT */
/* The stacks of a thread's events as tables of the Firefox Profiler: each is a sample, too. */
#ifndef EXCHANGE_FIREFOX_STACKS_H
#define EXCHANGE_FIREFOX_STACKS_H

#include "exchange/format.h"
#include "exchange/spool.h"
#include "timeline/calls.h"

/* Begins as zeros. */
struct exchange_ff_stacks {
    struct timeline_calls calls;
    struct timeline_calls objects; /* its functions are the files of those of `calls` */
    struct exchange_stream stacks; /* of the samples, by column */
    struct exchange_stream times;
    uint64_t count; /* of samples */
};

/*
 * Adds a sample.
 *
 * time  of the event, as the format has it: in ms
 *
 * Returns 0, ENOMEM, or the error of writing.
 */
int exchange_ff_stacks_add(struct exchange_ff_stacks *stacks, struct exchange_spool *spool,
                           uint32_t call, struct cairn_slice time);

/*
 * Writes the tables of samples, stacks, frames, functions and files.
 *
 * strings  the number of strings of the thread that are before those of the stacks
 *
 * Returns 0, ENOMEM, or the error of reading.
 */
int exchange_ff_stacks_write(struct exchange_ff_stacks *stacks, struct exchange_spool *spool,
                             struct cairn_exporter *exporter, uint32_t strings);

/* Writes the strings, each after a comma. */
void exchange_ff_stacks_write_strings(const struct exchange_ff_stacks *stacks,
                                      struct cairn_exporter *exporter, bool has_before);

void exchange_ff_stacks_free(struct exchange_ff_stacks *stacks);

#endif
