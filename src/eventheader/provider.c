/* SPDX-License-Identifier: MIT */
/*
 * Providers: finding the places of a program that write a provider's events, and registering a
 * tracepoint for each. Places of the same level and keyword have the same tracepoint name.
 */
#include <cairn/eventheader.h>
#include <cairn/user_events.h>

#include "eventheader/name.h"
#include "local/locks.h"

#include <stdlib.h>

/* A command text, for as long as tracepoints are registered with it. */
struct cairn_i_name {
    struct cairn_i_name *next;
    uint64_t keyword;
    uint32_t level;
    char command[CAIRN_PROVIDER_COMMAND_MAX_BYTES];
};

static struct cairn_tracepoint *tracepoint_of(const struct cairn_i_site *site)
{
    return (struct cairn_tracepoint *)((uintptr_t)&site->tracepoint + (uintptr_t)site->tracepoint);
}

static bool is_of(const struct cairn_i_site *site, const struct cairn_provider *provider)
{
    return (uintptr_t)&site->provider + (uintptr_t)site->provider == (uintptr_t)provider;
}

static struct cairn_provider_name parts_of(const struct cairn_provider *provider)
{
    return (struct cairn_provider_name){provider->name, provider->group, provider->options};
}

static struct cairn_i_name *make_name(const struct cairn_provider *provider, uint32_t level,
                                      uint64_t keyword)
{
    const struct cairn_provider_name parts = parts_of(provider);
    struct cairn_i_name *name = malloc(sizeof(*name));

    if (!name)
        return NULL;
    *name = (struct cairn_i_name){.level = level, .keyword = keyword};
    cairn_provider_command(&parts, level, keyword, name->command);
    return name;
}

/* The command text of a level and keyword, made if need be; NULL: no memory. */
static const char *command_for(struct cairn_provider *provider, const struct cairn_i_site *site)
{
    uint64_t keyword = (uint64_t)site->keyword_high << 32 | site->keyword_low;
    struct cairn_i_name *name = provider->names;

    while (name && (name->level != site->level || name->keyword != keyword))
        name = name->next;
    if (!name) {
        name = make_name(provider, site->level, keyword);
        if (!name)
            return NULL;
        name->next = provider->names;
        provider->names = name;
    }
    return name->command;
}

/* A compiler may have copied a place: its tracepoint is registered then. */
static int register_site(struct cairn_provider *provider, const struct cairn_i_site *site)
{
    const char *command = command_for(provider, site);
    int error = command ? cairn_user_event_register(tracepoint_of(site), command) : ENOMEM;

    return error == EALREADY ? 0 : error;
}

static int register_sites(struct cairn_provider *provider)
{
    int first_error = 0;

    for (const struct cairn_i_site *site = provider->sites; site < provider->sites_end; site++) {
        int error = is_of(site, provider) ? register_site(provider, site) : 0;

        first_error = first_error ? first_error : error;
    }
    return first_error;
}

static int unregister_sites(struct cairn_provider *provider)
{
    int first_error = 0;

    for (const struct cairn_i_site *site = provider->sites; site < provider->sites_end; site++) {
        int error = is_of(site, provider) ? cairn_user_event_unregister(tracepoint_of(site)) : 0;

        /* Some may never have been registered. */
        if (error != ENOENT && !first_error)
            first_error = error;
    }
    return first_error;
}

static void free_names(struct cairn_provider *provider)
{
    while (provider->names) {
        struct cairn_i_name *name = provider->names;

        provider->names = name->next;
        free(name);
    }
}

int cairn_provider_register(struct cairn_provider *provider)
{
    const struct cairn_provider_name parts = parts_of(provider);
    int error = cairn_provider_name_check(&parts);

    if (error)
        return error;
    error = EALREADY;
    cairn_lock(CAIRN_LOCK_PROVIDERS);
    if (!provider->registered) {
        provider->registered = 1;
        error = register_sites(provider);
    }
    cairn_unlock(CAIRN_LOCK_PROVIDERS);
    return error;
}

int cairn_provider_unregister(struct cairn_provider *provider)
{
    int error = ENOENT;

    cairn_lock(CAIRN_LOCK_PROVIDERS);
    if (provider->registered) {
        error = unregister_sites(provider);
        free_names(provider);
        provider->registered = 0;
    }
    cairn_unlock(CAIRN_LOCK_PROVIDERS);
    return error;
}
