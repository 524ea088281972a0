/* SPDX-License-Identifier: MIT */
/* The expected code of sites, encoded independently of the library, as in the architecture
 * manuals. */
#include "sites.h"

#include "bare.h"

#if defined(__x86_64__)
#define SITE_BYTES 5

static void expect(uint8_t *bytes, int64_t distance, bool jump)
{
    static const uint8_t nop[SITE_BYTES] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
    int64_t operand = distance - SITE_BYTES;

    for (unsigned i = 0; i < SITE_BYTES; i++)
        bytes[i] = !jump ? nop[i] : i ? (uint8_t)(operand >> (8 * (i - 1))) : 0xe9;
}
#else
#define SITE_BYTES 4

static void expect(uint8_t *bytes, int64_t distance, bool jump)
{
    uint32_t word;

#if defined(__aarch64__)
    word = jump ? 0x14000000u + (uint32_t)(distance / 4 + (distance < 0) * (1 << 26)) : 0xd503201fu;
#else
    word = 0x13; /* addi x0, x0, 0 */
    if (jump) {
        word = 0x6f; /* jal x0: bit 20, bits 10-1, bit 11, bits 19-12 */
        word |= (uint32_t)(distance >> 20 & 1) << 31 | (uint32_t)(distance >> 1 & 1023) << 21 |
                (uint32_t)(distance >> 11 & 1) << 20 | (uint32_t)(distance >> 12 & 255) << 12;
    }
#endif
    __builtin_memcpy(bytes, &word, sizeof(word));
}
#endif

static bool is_of(const struct cairn_static_branch *site, const struct cairn_static_key *key)
{
    return (const uint8_t *)&site->key + site->key == (const uint8_t *)key;
}

bool bare_sites_hold(const struct cairn_static_key *key, bool jump)
{
    const struct cairn_static_branch *site = __start_cairn_static_branches;
    unsigned count = 0;
    unsigned sites = 0;

    for (; site != __stop_cairn_static_branches; site++) {
        const uint8_t *code = (const uint8_t *)&site->code + site->code;
        const uint8_t *target = (const uint8_t *)&site->target + site->target;
        uint8_t bytes[SITE_BYTES];

        if (!is_of(site, key))
            continue;
        sites++;
        expect(bytes, target - code, jump);
        count += __builtin_memcmp(bytes, code, SITE_BYTES) == 0;
    }
    return sites && count == sites;
}

void bare_show_site(const struct cairn_static_key *key)
{
    const struct cairn_static_branch *site = __start_cairn_static_branches;

    while (site != __stop_cairn_static_branches && !is_of(site, key))
        site++;
    if (site == __stop_cairn_static_branches)
        return;
    bare_print("# a site holds ");
    bare_print_hex((const uint8_t *)&site->code + site->code, SITE_BYTES);
    bare_put('\n');
}
