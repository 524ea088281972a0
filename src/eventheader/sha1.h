/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4), only for ids that are derived from names: it protects nothing. */
#ifndef EVENTHEADER_SHA1_H
#define EVENTHEADER_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define EVENTHEADER_SHA1_BYTES       20u
#define EVENTHEADER_SHA1_BLOCK_BYTES 64u

struct eventheader_sha1 {
    uint32_t state[5];
    uint64_t size_bytes;
    uint8_t block[EVENTHEADER_SHA1_BLOCK_BYTES];
};

void eventheader_sha1_begin(struct eventheader_sha1 *sha1);
void eventheader_sha1_add(struct eventheader_sha1 *sha1, uint8_t byte);
void eventheader_sha1_end(struct eventheader_sha1 *sha1,
                          uint8_t ret_digest[EVENTHEADER_SHA1_BYTES]);

#endif
