/* SPDX-License-Identifier: MIT */
/* The call sites of a provider in a program. */
#ifndef EVENTHEADER_SITES_H
#define EVENTHEADER_SITES_H

#include <cairn/eventheader.h>

static inline struct cairn_tracepoint *eventheader_site_tracepoint(const struct cairn_i_site *site)
{
    return (struct cairn_tracepoint *)((uintptr_t)&site->tracepoint + (uintptr_t)site->tracepoint);
}

/* The text at a distance that a member of a call site contains. */
static inline const char *eventheader_site_text(const int32_t *distance)
{
    return (const char *)((uintptr_t)distance + (uintptr_t)*distance);
}

static inline uint64_t eventheader_site_keyword(const struct cairn_i_site *site)
{
    return (uint64_t)site->keyword_high << 32 | site->keyword_low;
}

/* True if both have the same tracepoint name. */
static inline bool eventheader_site_is_like(const struct cairn_i_site *a,
                                            const struct cairn_i_site *b)
{
    return a->level == b->level && eventheader_site_keyword(a) == eventheader_site_keyword(b);
}

/* Returns the first call site of a provider, or NULL. Call sites with the same level and keyword
 * are adjacent. Requires the lock of all providers. */
const struct cairn_i_site *eventheader_site_first(struct cairn_provider *provider);

static inline const struct cairn_i_site *
eventheader_site_next(const struct cairn_provider *provider, const struct cairn_i_site *site)
{
    return site->next ? &provider->sites[site->next - 1] : NULL;
}

#endif
