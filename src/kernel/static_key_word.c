/* SPDX-License-Identifier: MIT */
/*
 * aarch64 and riscv64: a no-op and a jump of one aligned word. A CPU that fetches a word while it
 * is stored executes the old instruction or the new one:
 *
 *   aarch64  NOP and B, by the architecture (Arm ARM, "Concurrent modification and execution
 *            of instructions")
 *   riscv64  instruction fetch of an aligned word is not divided, as Linux relies on too; the word
 *            is a whole instruction before and after
 *
 * So one round is: the words of all sites, then all CPUs synchronize.
 */
#include "core/errno.h"
#include "kernel/static_key_text.h"

#if defined(__aarch64__)

/* B: 26 bits of words. */
static bool encode(int64_t distance, bool jump, uint32_t *ret_word)
{
    *ret_word = jump ? 0x14000000u | ((uint32_t)(distance / 4) & 0x03ffffffu) : 0xd503201fu;
    return distance % 4 == 0 && distance >= -(INT64_C(1) << 27) && distance < INT64_C(1) << 27;
}

#elif defined(__riscv) && __riscv_xlen == 64

/* JAL x0: 21 bits of which the lowest is 0, in four pieces. */
static bool encode(int64_t distance, bool jump, uint32_t *ret_word)
{
    uint32_t d = (uint32_t)distance;
    uint32_t operand =
        (d & 0x100000u) << 11 | (d & 0x7feu) << 20 | (d & 0x800u) << 9 | (d & 0xff000u);

    *ret_word = jump ? operand | 0x6fu : 0x13u;
    return distance % 2 == 0 && distance >= -(INT64_C(1) << 20) && distance < INT64_C(1) << 20;
}

#endif

#if defined(__aarch64__) || (defined(__riscv) && __riscv_xlen == 64)

int kernel_site_encode(const struct cairn_static_branch *site, bool jump,
                       struct kernel_site_text *ret_text)
{
    uint32_t word;

    if (!encode(kernel_site_distance(site), jump, &word))
        return ERANGE;
    /* Instructions are little-endian on big-endian machines, too. */
    for (unsigned i = 0; i < KERNEL_SITE_BYTES; i++)
        ret_text->bytes[i] = (uint8_t)(word >> 8 * i);
    return 0;
}

static int write_word(const struct cairn_static_key_host *host, uint8_t *code,
                      const struct kernel_site_text *text)
{
    if (__builtin_memcmp(code, text->bytes, KERNEL_SITE_BYTES) == 0)
        return 0;
    return host->write_text(code, text->bytes, KERNEL_SITE_BYTES);
}

void kernel_sites_patch(struct cairn_static_keys *keys)
{
    if (kernel_sites_step(keys, write_word))
        keys->host->sync_cores();
}

#elif !defined(__x86_64__)

/* Code for other architectures has no sites. */
int kernel_site_encode(const struct cairn_static_branch *site, bool jump,
                       struct kernel_site_text *ret_text)
{
    (void)site, (void)jump, (void)ret_text;
    return EOPNOTSUPP;
}

void kernel_sites_patch(struct cairn_static_keys *keys)
{
    (void)keys;
}

#endif
