/* SPDX-License-Identifier: MIT */
/* Patching of sites, for each architecture: one static_key_ARCH.c each. */
#ifndef KERNEL_STATIC_KEY_TEXT_H
#define KERNEL_STATIC_KEY_TEXT_H

#include <cairn/kernel/static_key.h>

#if defined(__x86_64__)
#define KERNEL_SITE_BYTES 5
#define KERNEL_SITE_ALIGN 1
#else
#define KERNEL_SITE_BYTES 4
#define KERNEL_SITE_ALIGN 4
#endif

struct kernel_site_text {
    uint8_t bytes[KERNEL_SITE_BYTES];
};

/* The address that a self-relative member refers to. */
static inline uintptr_t kernel_site_address(const int32_t *member)
{
    return (uintptr_t)member + (uintptr_t)(intptr_t)*member;
}

static inline uint8_t *kernel_site_code(const struct cairn_static_branch *site)
{
    return (uint8_t *)kernel_site_address(&site->code);
}

static inline struct cairn_static_key *kernel_site_key(const struct cairn_static_branch *site)
{
    return (struct cairn_static_key *)kernel_site_address(&site->key);
}

/* The distance from a site to its target. */
static inline int64_t kernel_site_distance(const struct cairn_static_branch *site)
{
    return (int64_t)(kernel_site_address(&site->target) - kernel_site_address(&site->code));
}

/*
 * Encodes the instruction of a site: the no-op, or the jump. Returns 0; EOPNOTSUPP sites of this
 * architecture cannot be patched; ERANGE the target is too far.
 */
int kernel_site_encode(const struct cairn_static_branch *site, bool jump,
                       struct kernel_site_text *ret_text);

/* One step of patching a site that is to hold `text`. Returns 0 or what write_text said. */
typedef int kernel_site_step(const struct cairn_static_key_host *host, uint8_t *code,
                             const struct kernel_site_text *text);

/*
 * Executes one step for all sites of this round, and records the errors in their keys. False: the
 * round has no sites.
 */
bool kernel_sites_step(struct cairn_static_keys *keys, kernel_site_step *step);

/* Patches all sites of this round to match their keys, on all CPUs. One caller at a time. */
void kernel_sites_patch(struct cairn_static_keys *keys);

#endif
