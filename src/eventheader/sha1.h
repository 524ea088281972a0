/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4), only for ids that are derived from names: it protects nothing. */
#ifndef EVENTHEADER_SHA1_H
#define EVENTHEADER_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define CAIRN_SHA1_BYTES       20u
#define CAIRN_SHA1_BLOCK_BYTES 64u

struct cairn_sha1 {
    uint32_t state[5];
    uint64_t size_bytes;
    uint8_t block[CAIRN_SHA1_BLOCK_BYTES];
};

void cairn_sha1_begin(struct cairn_sha1 *sha1);
void cairn_sha1_add(struct cairn_sha1 *sha1, uint8_t byte);
void cairn_sha1_end(struct cairn_sha1 *sha1, uint8_t ret_digest[CAIRN_SHA1_BYTES]);

#endif
