/* SPDX-License-Identifier: MIT */
/*
 * Providers that are created at run time, for ETW. A provider is registered with its first event
 * set. The sets are a list that only grows, so that the enable callback reads it without a lock.
 */
#include "core/atomic.h"
#include "etw/sets.h"
#include "eventheader/etw.h"
#include "eventheader/name.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#define ID_BYTES sizeof("00000000-0000-0000-0000-000000000000")

struct cairn_dynamic_provider {
    struct cairn_provider provider; /* first: a set refers to this */
    SRWLOCK lock;                   /* of changes to the list */
    char id[ID_BYTES];              /* as text; "": that of the name */
    char name[];
};

static const unsigned char always_enabled[8] = {1, 1, 1, 1, 1, 1, 1, 1};

/* ---- providers ---- */

int cairn_dynamic_provider_create_with(const char *name, const char *group, const char *options,
                                       struct cairn_dynamic_provider **ret_provider)
{
    const struct eventheader_provider_name given = {name, group, options};
    struct cairn_dynamic_provider *provider;
    int error = eventheader_provider_name_check(&given);

    if (error)
        return error;
    provider = calloc(1, sizeof(*provider) + strlen(name) + 1);
    if (!provider)
        return ENOMEM;
    memcpy(provider->name, name, strlen(name) + 1);
    InitializeSRWLock(&provider->lock);
    provider->provider.version = CAIRN_I_PROVIDER_VERSION;
    provider->provider.name = provider->name;
    *ret_provider = provider;
    return 0;
}

int cairn_dynamic_provider_create(const char *name, const char *group,
                                  struct cairn_dynamic_provider **ret_provider)
{
    return cairn_dynamic_provider_create_with(name, group, NULL, ret_provider);
}

void eventheader_provider_identify(struct cairn_dynamic_provider *provider,
                                   const struct cairn_guid *id)
{
    const uint8_t *b = id->bytes;

    (void)snprintf(provider->id, sizeof(provider->id),
                   "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
                   b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13],
                   b[14], b[15]);
    provider->provider.id = provider->id;
}

int cairn_dynamic_provider_destroy(struct cairn_dynamic_provider *provider)
{
    struct cairn_event_set *set;

    if (!provider)
        return 0;
    /* Waits for the callback. */
    (void)cairn_provider_unregister(&provider->provider);
    set = *etw_sets_of(&provider->provider);
    while (set) {
        struct cairn_event_set *next = set->next;

        free(set);
        set = next;
    }
    free(provider);
    return 0;
}

/* ---- event sets ---- */

/* Two threads may update the tracepoint at once, and the one that read an older state may store
 * last. So each repeats this until the state is the one that it stored. */
static void update(const struct cairn_provider *provider, struct cairn_event_set *set)
{
    bool is_enabled;

    do {
        is_enabled = cairn_i_etw_is_enabled(provider, set->level, set->keyword);
        core_store_release(&set->tracepoint.enabled,
                           is_enabled ? always_enabled : cairn_i_never_enabled);
        core_fence_seq_cst();
    } while (is_enabled != cairn_i_etw_is_enabled(provider, set->level, set->keyword));
}

void etw_sets_update(struct cairn_provider *provider)
{
    /* Pairs with the release in adding a set. */
    struct cairn_event_set *set = core_load_acquire(etw_sets_of(provider));

    for (; set; set = set->next)
        update(provider, set);
}

static struct cairn_event_set *find(struct cairn_dynamic_provider *provider, uint8_t level,
                                    uint64_t keyword)
{
    struct cairn_event_set *set = core_load_acquire(etw_sets_of(&provider->provider));

    while (set && (set->level != level || set->keyword != keyword))
        set = set->next;
    return set;
}

struct cairn_event_set *cairn_event_set_find(struct cairn_dynamic_provider *provider, uint8_t level,
                                             uint64_t keyword)
{
    return find(provider, level, keyword);
}

/* A change of the sessions may come before the set is in the list, or after: its state is that of
 * the later of the two. */
static int add_set(struct cairn_dynamic_provider *provider, uint8_t level, uint64_t keyword,
                   struct cairn_event_set **ret_set)
{
    const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;
    struct cairn_event_set *set = calloc(1, sizeof(*set));
    int error;

    if (!set)
        return ENOMEM;
    *set = (struct cairn_event_set){.tracepoint = unregistered, .keyword = keyword, .level = level};
    set->tracepoint.local = &provider->provider;
    error = cairn_provider_register(&provider->provider);
    if (error && error != EALREADY) {
        free(set);
        return error;
    }
    set->next = *etw_sets_of(&provider->provider);
    core_store_release(etw_sets_of(&provider->provider), set);
    etw_sets_update(&provider->provider);
    *ret_set = set;
    return 0;
}

int cairn_event_set_register(struct cairn_dynamic_provider *provider, uint8_t level,
                             uint64_t keyword, struct cairn_event_set **ret_set)
{
    struct cairn_event_set *set;
    int error = 0;

    if (!level)
        return EINVAL;
    AcquireSRWLockExclusive(&provider->lock);
    set = find(provider, level, keyword);
    if (!set)
        error = add_set(provider, level, keyword, &set);
    ReleaseSRWLockExclusive(&provider->lock);
    if (!error)
        *ret_set = set;
    return error;
}
