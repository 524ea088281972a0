/* SPDX-License-Identifier: MIT */
/* SHA-1 (FIPS 180-4), for ids that are derived from names. */
#include "eventheader/sha1.h"

static uint32_t rotate_left(uint32_t value, unsigned count)
{
    return value << count | value >> (32 - count);
}

/* The 80 words of a block: 16 from the block, the others computed from those before them. */
static void expand(const uint8_t block[EVENTHEADER_SHA1_BLOCK_BYTES], uint32_t schedule[80])
{
    for (unsigned i = 0; i < 16; i++)
        schedule[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                      (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (unsigned i = 16; i < 80; i++)
        schedule[i] =
            rotate_left(schedule[i - 3] ^ schedule[i - 8] ^ schedule[i - 14] ^ schedule[i - 16], 1);
}

/* The function and the constant of a round. */
static uint32_t round_term(unsigned round, const uint32_t s[5])
{
    if (round < 20)
        return ((s[1] & s[2]) | (~s[1] & s[3])) + 0x5a827999u;
    if (round < 40)
        return (s[1] ^ s[2] ^ s[3]) + 0x6ed9eba1u;
    if (round < 60)
        return ((s[1] & s[2]) | (s[1] & s[3]) | (s[2] & s[3])) + 0x8f1bbcdcu;
    return (s[1] ^ s[2] ^ s[3]) + 0xca62c1d6u;
}

static void take_block(struct eventheader_sha1 *sha1)
{
    uint32_t schedule[80];
    uint32_t s[5];

    expand(sha1->block, schedule);
    __builtin_memcpy(s, sha1->state, sizeof(s));
    for (unsigned round = 0; round < 80; round++) {
        uint32_t next = rotate_left(s[0], 5) + round_term(round, s) + s[4] + schedule[round];

        s[4] = s[3];
        s[3] = s[2];
        s[2] = rotate_left(s[1], 30);
        s[1] = s[0];
        s[0] = next;
    }
    for (unsigned i = 0; i < 5; i++)
        sha1->state[i] += s[i];
}

void eventheader_sha1_begin(struct eventheader_sha1 *sha1)
{
    *sha1 = (struct eventheader_sha1){
        .state = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
}

void eventheader_sha1_add(struct eventheader_sha1 *sha1, uint8_t byte)
{
    sha1->block[sha1->size_bytes++ % EVENTHEADER_SHA1_BLOCK_BYTES] = byte;
    if (sha1->size_bytes % EVENTHEADER_SHA1_BLOCK_BYTES == 0)
        take_block(sha1);
}

void eventheader_sha1_end(struct eventheader_sha1 *sha1, uint8_t ret_digest[EVENTHEADER_SHA1_BYTES])
{
    uint64_t size_bits = sha1->size_bytes * 8;

    eventheader_sha1_add(sha1, 0x80);
    while (sha1->size_bytes % EVENTHEADER_SHA1_BLOCK_BYTES != EVENTHEADER_SHA1_BLOCK_BYTES - 8)
        eventheader_sha1_add(sha1, 0);
    for (unsigned i = 0; i < 8; i++)
        eventheader_sha1_add(sha1, (uint8_t)(size_bits >> (56 - 8 * i)));
    for (unsigned i = 0; i < EVENTHEADER_SHA1_BYTES; i++)
        ret_digest[i] = (uint8_t)(sha1->state[i / 4] >> (24 - 8 * (i % 4)));
}
