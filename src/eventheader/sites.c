/* SPDX-License-Identifier: MIT */
/*
 * The call sites of a provider. An executable or shared object has the call sites of all its
 * providers in one section, in the order of its sources. The first lookup of any provider links
 * each call site to the next one of the same provider, so that no provider searches the call sites
 * of others. The links are in the section itself, and disappear when the object is unloaded.
 */
#include "eventheader/sites.h"

static struct cairn_provider *provider_of(const struct cairn_i_site *site)
{
    return (struct cairn_provider *)((uintptr_t)&site->provider + (uintptr_t)site->provider);
}

static void link_all(const struct cairn_provider *provider)
{
    const uint32_t count = (uint32_t)(provider->sites_end - provider->sites);

    for (uint32_t number = count; number > 0; number--) {
        struct cairn_i_site *site = &provider->sites[number - 1];
        struct cairn_provider *owner = provider_of(site);

        site->next = owner->first;
        owner->first = number;
    }
}

static bool is_before(const struct cairn_i_site *a, const struct cairn_i_site *b)
{
    return a->level != b->level ? a->level < b->level
                                : eventheader_site_keyword(a) < eventheader_site_keyword(b);
}

/* ---- lists of call sites, sorted by merging, without allocating memory ---- */

static uint32_t merge(struct cairn_i_site *sites, uint32_t a, uint32_t b)
{
    uint32_t first = 0;
    uint32_t *end = &first;

    while (a && b) {
        uint32_t *from = is_before(&sites[b - 1], &sites[a - 1]) ? &b : &a;

        *end = *from;
        end = &sites[*from - 1].next;
        *from = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Each of the lists is empty or has twice as many call sites as the list before it. */
static uint32_t sort(struct cairn_i_site *sites, uint32_t first)
{
    uint32_t lists[32] = {0};
    uint32_t sorted = 0;

    while (first) {
        uint32_t list = first;
        uint32_t i = 0;

        first = sites[list - 1].next;
        sites[list - 1].next = 0;
        for (; lists[i]; i++) {
            list = merge(sites, lists[i], list);
            lists[i] = 0;
        }
        lists[i] = list;
    }
    for (uint32_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
        sorted = merge(sites, lists[i], sorted);
    return sorted;
}

const struct cairn_i_site *eventheader_site_first(struct cairn_provider *provider)
{
    if (provider->sites == provider->sites_end)
        return NULL;
    /* After linking, the first call site of the section is the first of its provider. */
    if (!provider->first && !provider_of(provider->sites)->first)
        link_all(provider);
    provider->first = sort(provider->sites, provider->first);
    return provider->first ? &provider->sites[provider->first - 1] : NULL;
}
