/* SPDX-License-Identifier: MIT */
/* Providers that are created at run time: a hash table of event sets, each with a tracepoint. */
#include <cairn/eventheader_dynamic.h>

#include "eventheader/etw.h"
#include "eventheader/name.h"
#include "engine/locks.h"
#include "user_events/batch.h"

#include <errno.h>
#include <stdlib.h>

struct cairn_dynamic_provider {
    /* Protected by ENGINE_LOCK_EVENT_SETS. Sets in the table never change. */
    struct cairn_event_set **buckets;
    uint32_t bucket_count; /* a power of two, or 0 */
    uint32_t set_count;
    struct eventheader_provider_name name; /* the texts follow this struct */
};

static size_t size_of(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

/* Copies a text; NULL stays NULL. */
static const char *copy_text(char **at, const char *text)
{
    char *copy = *at;

    *at += size_of(text);
    return text ? memcpy(copy, text, size_of(text)) : NULL;
}

int cairn_dynamic_provider_create_with(const char *name, const char *group, const char *options,
                                       struct cairn_dynamic_provider **ret_provider)
{
    const struct eventheader_provider_name given = {name, group, options};
    struct cairn_dynamic_provider *provider;
    int error = eventheader_provider_name_check(&given);
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

/* Tracepoints have no id. */
void eventheader_provider_identify(struct cairn_dynamic_provider *provider,
                                   const struct cairn_guid *id)
{
    (void)provider;
    (void)id;
}

/* ---- the table ---- */

#define BUCKETS_AT_FIRST 16u

/* A keyword is a set of bits, often only one: the multiplication spreads them into the upper
 * half. */
static struct cairn_event_set **bucket_of(struct cairn_event_set **buckets, uint32_t count,
                                          uint8_t level, uint64_t keyword)
{
    uint64_t hash = (keyword * 256 + level + (keyword >> 56)) * UINT64_C(0x9e3779b97f4a7c15);

    return &buckets[(hash >> 32) & (count - 1)];
}

static void add_to_bucket(struct cairn_event_set **buckets, uint32_t count,
                          struct cairn_event_set *set)
{
    struct cairn_event_set **bucket = bucket_of(buckets, count, set->level, set->keyword);

    set->next = *bucket;
    *bucket = set;
}

/* Makes space for one more set. If there is no memory for a larger table, the lists of the buckets
 * become longer. */
static int grow(struct cairn_dynamic_provider *provider)
{
    const uint32_t old = provider->bucket_count;
    const uint32_t count = old ? 2 * old : BUCKETS_AT_FIRST;
    struct cairn_event_set **buckets;

    if (provider->set_count < old || count < old)
        return 0;
    buckets = calloc(count, sizeof(struct cairn_event_set *));
    if (!buckets)
        return old ? 0 : ENOMEM;
    for (uint32_t i = 0; i < old; i++) {
        for (struct cairn_event_set *set = provider->buckets[i], *next; set; set = next) {
            next = set->next;
            add_to_bucket(buckets, count, set);
        }
    }
    free(provider->buckets);
    provider->buckets = buckets;
    provider->bucket_count = count;
    return 0;
}

static struct cairn_event_set *find(const struct cairn_dynamic_provider *provider, uint8_t level,
                                    uint64_t keyword)
{
    struct cairn_event_set *set;

    if (!provider->bucket_count)
        return NULL;
    set = *bucket_of(provider->buckets, provider->bucket_count, level, keyword);
    while (set && (set->level != level || set->keyword != keyword))
        set = set->next;
    return set;
}

struct cairn_event_set *cairn_event_set_find(struct cairn_dynamic_provider *provider, uint8_t level,
                                             uint64_t keyword)
{
    struct cairn_event_set *set;

    engine_lock_take(ENGINE_LOCK_EVENT_SETS);
    set = find(provider, level, keyword);
    engine_lock_release(ENGINE_LOCK_EVENT_SETS);
    return set;
}

/* ---- event sets ---- */

static int register_set(struct cairn_event_set *set)
{
    struct user_events_batch batch;
    int error;

    user_events_batch_open(&batch);
    batch.fixed_bytes = sizeof(struct cairn_eventheader);
    error = user_events_batch_register(&batch, &set->tracepoint, set->command);
    user_events_batch_close(&batch);
    return error;
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
    eventheader_provider_command(&provider->name, level, keyword, command);
    *set = (struct cairn_event_set){
        .tracepoint = unregistered, .keyword = keyword, .level = level, .command = command};
    error = register_set(set);
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
    engine_lock_take(ENGINE_LOCK_EVENT_SETS);
    set = find(provider, level, keyword);
    if (!set) {
        error = grow(provider);
        if (!error)
            error = make_set(provider, level, keyword, &set);
        if (!error) {
            add_to_bucket(provider->buckets, provider->bucket_count, set);
            provider->set_count++;
        }
    }
    engine_lock_release(ENGINE_LOCK_EVENT_SETS);
    if (!error)
        *ret_set = set;
    return error;
}

/* Returns all sets of the table as a list. */
static struct cairn_event_set *take_sets(struct cairn_dynamic_provider *provider)
{
    struct cairn_event_set *sets = NULL;

    for (uint32_t i = 0; i < provider->bucket_count; i++) {
        for (struct cairn_event_set *set = provider->buckets[i], *next; set; set = next) {
            next = set->next;
            set->next = sets;
            sets = set;
        }
    }
    return sets;
}

/* Returns the first failure, and removes from the list the sets that may not be freed: the kernel
 * continues to write to a set that it could not unregister. */
static int unregister_sets(struct cairn_event_set **sets)
{
    struct user_events_batch batch;
    int first_error = 0;

    user_events_batch_open(&batch);
    while (*sets) {
        int error = user_events_batch_unregister(&batch, &(*sets)->tracepoint);

        if (error) {
            *sets = (*sets)->next;
            first_error = first_error ? first_error : error;
        } else {
            sets = &(*sets)->next;
        }
    }
    user_events_batch_close(&batch);
    return first_error;
}

int cairn_dynamic_provider_destroy(struct cairn_dynamic_provider *provider)
{
    struct cairn_event_set *sets;
    int first_error;

    if (!provider)
        return 0;
    sets = take_sets(provider);
    first_error = sets ? unregister_sets(&sets) : 0;
    while (sets) {
        struct cairn_event_set *set = sets;

        sets = set->next;
        free(set);
    }
    free(provider->buckets);
    free(provider);
    return first_error;
}
