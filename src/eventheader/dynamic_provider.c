/* SPDX-License-Identifier: MIT */
/* Providers that are made at run time: a list of event sets, each a tracepoint. */
#include <cairn/eventheader_dynamic.h>
#include <cairn/user_events.h>

#include "eventheader/name.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct cairn_dynamic_provider {
    pthread_mutex_t mutex; /* the list; sets are never changed once they are in it */
    struct cairn_event_set *sets;
    struct cairn_provider_name name; /* points behind this struct */
};

int cairn_dynamic_provider_create(const char *name, const char *group,
                                  struct cairn_dynamic_provider **ret_provider)
{
    struct cairn_dynamic_provider *provider;
    size_t name_size = strlen(name) + 1;
    size_t group_size = group ? strlen(group) + 1 : 1;
    int error = cairn_provider_name_check(name, group);
    char *text;

    if (error)
        return error;
    provider = malloc(sizeof(*provider) + name_size + group_size);
    if (!provider)
        return ENOMEM;
    text = (char *)(provider + 1);
    memcpy(text, name, name_size);
    memcpy(text + name_size, group ? group : "", group_size);
    *provider = (struct cairn_dynamic_provider){.name = {text, text + name_size}};
    (void)pthread_mutex_init(&provider->mutex, NULL);
    *ret_provider = provider;
    return 0;
}

static struct cairn_event_set *find(const struct cairn_dynamic_provider *provider, uint8_t level,
                                    uint64_t keyword)
{
    struct cairn_event_set *set = provider->sets;

    while (set && (set->level != level || set->keyword != keyword))
        set = set->next;
    return set;
}

struct cairn_event_set *cairn_event_set_find(struct cairn_dynamic_provider *provider, uint8_t level,
                                             uint64_t keyword)
{
    struct cairn_event_set *set;

    (void)pthread_mutex_lock(&provider->mutex);
    set = find(provider, level, keyword);
    (void)pthread_mutex_unlock(&provider->mutex);
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
    (void)pthread_mutex_lock(&provider->mutex);
    set = find(provider, level, keyword);
    if (!set) {
        error = make_set(provider, level, keyword, &set);
        if (!error) {
            set->next = provider->sets;
            provider->sets = set;
        }
    }
    (void)pthread_mutex_unlock(&provider->mutex);
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
    (void)pthread_mutex_destroy(&provider->mutex);
    free(provider);
    return first_error;
}
