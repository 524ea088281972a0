/* SPDX-License-Identifier: MIT */
/*
 * x86-64: a no-op of five bytes and a jump of five bytes, at any address. A CPU may fetch the bytes
 * of an instruction that is being written in any mixture, but for its first byte. So that byte is
 * an int3 while the others change:
 *
 *   1. int3 over the first byte of each site; all CPUs synchronize: nobody is about to execute an
 * old instruction that was fetched, in parts, before
 *   2. the other four bytes; all CPUs synchronize: nobody has an old one of them
 *   3. the first byte of the new instruction; all CPUs synchronize: all see the new instruction
 *
 * A CPU that executes the int3 traps, and cairn_static_keys_trap resumes it as the new instruction
 * would. The text itself is the state of a site, also after an error: if its tail could not be
 * written, its old first byte is restored; if its first byte could not be written, it continues to
 * trap, with the right result, until the next round.
 */
#include "core/atomic.h"
#include "core/errno.h"
#include "kernel/static_key_text.h"

#if defined(__x86_64__)

#define INT3 0xcc

static const struct kernel_site_text nop = {{0x0f, 0x1f, 0x44, 0x00, 0x00}};
static const uint8_t jump_opcode = 0xe9; /* and 32 bits, from the next instruction */
static const uint8_t int3 = INT3;

int kernel_site_encode(const struct cairn_static_branch *site, bool jump,
                       struct kernel_site_text *ret_text)
{
    int64_t distance = kernel_site_distance(site) - KERNEL_SITE_BYTES;
    int32_t operand = (int32_t)distance;

    if (operand != distance)
        return ERANGE;
    *ret_text = nop;
    if (jump) {
        ret_text->bytes[0] = jump_opcode;
        __builtin_memcpy(ret_text->bytes + 1, &operand, sizeof(operand));
    }
    return 0;
}

static bool has_tail(const uint8_t *code, const struct kernel_site_text *text)
{
    return __builtin_memcmp(code + 1, text->bytes + 1, KERNEL_SITE_BYTES - 1) == 0;
}

static int begin(const struct cairn_static_key_host *host, uint8_t *code,
                 const struct kernel_site_text *text)
{
    if (code[0] == INT3 || (code[0] == text->bytes[0] && has_tail(code, text)))
        return 0;
    return host->write_text(code, &int3, 1);
}

static int write_tail(const struct cairn_static_key_host *host, uint8_t *code,
                      const struct kernel_site_text *text)
{
    if (code[0] != INT3 || has_tail(code, text))
        return 0;
    return host->write_text(code + 1, text->bytes + 1, KERNEL_SITE_BYTES - 1);
}

static int finish(const struct cairn_static_key_host *host, uint8_t *code,
                  const struct kernel_site_text *text)
{
    uint8_t first = text->bytes[0];

    if (code[0] != INT3)
        return 0;
    if (!has_tail(code, text))
        first = first == jump_opcode ? nop.bytes[0] : jump_opcode;
    return host->write_text(code, &first, 1);
}

void kernel_sites_patch(struct cairn_static_keys *keys)
{
    static kernel_site_step *const steps[] = {begin, write_tail, finish};

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (kernel_sites_step(keys, steps[i]))
            keys->host->sync_cores();
    }
}

/* Handles every site at any time, because the CPU may have trapped a while ago. */
uintptr_t cairn_static_keys_trap(const struct cairn_static_keys *keys, uintptr_t ip)
{
    for (const struct cairn_static_branch *site = keys->start; site != keys->stop; site++) {
        uintptr_t code = kernel_site_address(&site->code);
        const uint32_t *wanted = &kernel_site_key(site)->wanted;

        if (code != ip - 1)
            continue;
        return core_load_relaxed(wanted) ? kernel_site_address(&site->target)
                                         : code + KERNEL_SITE_BYTES;
    }
    return 0;
}

#endif
