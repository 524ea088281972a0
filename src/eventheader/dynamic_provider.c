/* SPDX-License-Identifier: MIT */
/* Providers that are made at run time: a list of event sets, each a tracepoint. The list is read
 * without a lock: a set is never changed once it is in it. */
#include <cairn/eventheader_dynamic.h>
#include <cairn/user_events.h>

#include "eventheader/name.h"
#include "local/locks.h"

#include <errno.h>
#include <stdlib.h>

struct cairn_dynamic_provider {
    struct cairn_event_set *sets;    /* one is added under the lock */
    struct cairn_provider_name name; /* points behind this struct */
};

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* The copy of a text, or NULL of NULL. */
static const char *copy_text(char **at, const char *text)
{
    char *copy = *at;

    *at += size_of(text);
    return text ? memcpy(copy, text, size_of(text)) : NULL;
}

int cairn_dynamic_provider_create_with(const char *name, const char *group, const char *options,
                                       struct cairn_dynamic_provider **ret_provider)
{
    const struct cairn_provider_name given = {name, group, options};
    struct cairn_dynamic_provider *provider;
    int error = cairn_provider_name_check(&given);
    char *text;

    if (error)
        return error;
    provider = malloc(sizeof(*provider) + size_of(name) + size_of(group) + size_of(options));
    if (!provider)
        return ENOMEM;
    text = (char *)(provider + 1);
    *provider = (struct cairn_dynamic_provider){0};
    provider->name.name = copy_text(&text, name);
    provider->name.group = copy_text(&text, group);
    provider->name.options = copy_text(&text, options);
    *ret_provider = provider;
    return 0;
}

int cairn_dynamic_provider_create(const char *name, const char *group,
                                  struct cairn_dynamic_provider **ret_provider)
{
    return cairn_dynamic_provider_create_with(name, group, NULL, ret_provider);
}

struct cairn_event_set *cairn_event_set_find(struct cairn_dynamic_provider *provider, uint8_t level,
                                             uint64_t keyword)
{
    /* Pairs with the release of who adds one. */
    struct cairn_event_set *set = __atomic_load_n(&provider->sets, __ATOMIC_ACQUIRE);

    while (set && (set->level != level || set->keyword != keyword))
        set = set->next;
    return set;
}

static int make_set(const struct cairn_dynamic_provider *provider, uint8_t level, uint64_t keyword,
                    struct cairn_event_set **ret_set)
{
    const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;
    struct cairn_event_set *set = malloc(sizeof(*set) + CAIRN_PROVIDER_COMMAND_MAX_BYTES);
    char *command;
    int error;

    if (!set)
        return ENOMEM;
    command = (char *)(set + 1);
    cairn_provider_command(&provider->name, level, keyword, command);
    *set = (struct cairn_event_set){
        .tracepoint = unregistered, .keyword = keyword, .level = level, .command = command};
    error = cairn_user_event_register(&set->tracepoint, command);
    if (error) {
        free(set);
        return error;
    }
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
    cairn_lock(CAIRN_LOCK_EVENT_SETS);
    set = cairn_event_set_find(provider, level, keyword);
    if (!set) {
        error = make_set(provider, level, keyword, &set);
        if (!error) {
            set->next = provider->sets;
            __atomic_store_n(&provider->sets, set, __ATOMIC_RELEASE);
        }
    }
    cairn_unlock(CAIRN_LOCK_EVENT_SETS);
    if (!error)
        *ret_set = set;
    return error;
}

int cairn_dynamic_provider_destroy(struct cairn_dynamic_provider *provider)
{
    int first_error = 0;

    if (!provider)
        return 0;
    while (provider->sets) {
        struct cairn_event_set *set = provider->sets;
        int error = cairn_user_event_unregister(&set->tracepoint);

        provider->sets = set->next;
        /* The kernel goes on writing to a set that it does not let go of. */
        if (!error)
            free(set);
        else if (!first_error)
            first_error = error;
    }
    free(provider);
    return first_error;
}
