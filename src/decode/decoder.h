/* SPDX-License-Identifier: MIT */
/* Functions of a decoder for callers that derive data from its layouts, or copy its tracepoints. */
#ifndef DECODE_DECODER_H
#define DECODE_DECODER_H

#include <cairn/decode.h>

/* Returns a number that changes when layouts of EventHeader events are released. */
uint64_t decode_decoder_generation(const struct cairn_decoder *decoder);

/*
 * Copies the tracepoints of another decoder that this one lacks, with the same numbers. All
 * tracepoints of this one must be copies from that decoder. Returns 0, ENOMEM.
 */
int decode_decoder_catch_up(struct cairn_decoder *decoder, const struct cairn_decoder *other);

#endif
