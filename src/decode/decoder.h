/* SPDX-License-Identifier: MIT */
/* A decoder's layouts, for those that keep something of them. */
#ifndef DECODE_DECODER_H
#define DECODE_DECODER_H

#include <cairn/decode.h>

/* A number that changes when layouts of EventHeader events are released. */
uint64_t decode_decoder_generation(const struct cairn_decoder *decoder);

#endif
