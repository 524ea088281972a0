/* SPDX-License-Identifier: MIT */
/* A decoder's layouts, for those that keep something of them. */
#ifndef DECODE_DECODER_H
#define DECODE_DECODER_H

#include <cairn/decode.h>

/* A number that changes when layouts of EventHeader events are released. */
uint64_t decode_decoder_generation(const struct cairn_decoder *decoder);

/*
 * Adds the tracepoints that another decoder has and this one does not have yet, with the same
 * numbers. This one must have got all of its tracepoints that way. Returns 0, ENOMEM.
 */
int decode_decoder_follow(struct cairn_decoder *decoder, const struct cairn_decoder *other);

#endif
