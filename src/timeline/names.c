/* SPDX-License-Identifier: MIT */
/* A hash table of names. A recording has few of them, so none is removed. */
#include "timeline/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 64u

struct timeline_name {
    struct timeline_name *next;
    uint32_t hash;
    uint32_t provider_length;
    uint32_t length; /* of the whole text */
    char text[];
};

static uint32_t hash_text(uint32_t hash, struct cairn_slice text)
{
    for (uint32_t i = 0; i < text.length; i++)
        hash = (hash ^ (uint8_t)text.text[i]) * 16777619u;
    return hash;
}

static bool is_name_of(const struct timeline_name *name, const struct cairn_event_type *type)
{
    uint32_t provider = type->provider.length;

    return name->provider_length == provider && name->length == provider + 1 + type->name.length &&
           !memcmp(name->text, type->provider.text, provider) &&
           !memcmp(name->text + provider + 1, type->name.text, type->name.length);
}

static struct timeline_name *make(const struct cairn_event_type *type, uint32_t hash)
{
    uint32_t provider = type->provider.length;
    uint32_t length = provider + 1 + type->name.length;
    struct timeline_name *name = (struct timeline_name *)malloc(sizeof(*name) + length + 1);

    if (!name)
        return NULL;
    name->hash = hash;
    name->provider_length = provider;
    name->length = length;
    memcpy(name->text, type->provider.text, provider);
    name->text[provider] = ':';
    memcpy(name->text + provider + 1, type->name.text, type->name.length);
    name->text[length] = 0;
    return name;
}

static int grow(struct timeline_names *names)
{
    uint32_t count = names->bucket_count ? 2 * names->bucket_count : FIRST_BUCKETS;
    struct timeline_name **buckets = (struct timeline_name **)calloc(count, sizeof(*buckets));

    if (!buckets)
        return ENOMEM;
    for (uint32_t i = 0; i < names->bucket_count; i++) {
        while (names->buckets[i]) {
            struct timeline_name *name = names->buckets[i];

            names->buckets[i] = name->next;
            name->next = buckets[name->hash & (count - 1)];
            buckets[name->hash & (count - 1)] = name;
        }
    }
    free((void *)names->buckets);
    names->buckets = buckets;
    names->bucket_count = count;
    return 0;
}

int timeline_names_find(struct timeline_names *names, const struct cairn_event_type *type,
                        const char **ret_name)
{
    uint32_t hash = hash_text(hash_text(2166136261u, type->provider) * 16777619u, type->name);
    struct timeline_name *name;

    if (names->count == names->bucket_count && grow(names))
        return ENOMEM;
    name = names->buckets[hash & (names->bucket_count - 1)];
    while (name && !is_name_of(name, type))
        name = name->next;
    if (!name) {
        name = make(type, hash);
        if (!name)
            return ENOMEM;
        name->next = names->buckets[hash & (names->bucket_count - 1)];
        names->buckets[hash & (names->bucket_count - 1)] = name;
        names->count++;
    }
    *ret_name = name->text;
    return 0;
}

void timeline_names_free(struct timeline_names *names)
{
    for (uint32_t i = 0; i < names->bucket_count; i++) {
        while (names->buckets[i]) {
            struct timeline_name *name = names->buckets[i];

            names->buckets[i] = name->next;
            free(name);
        }
    }
    free((void *)names->buckets);
    *names = (struct timeline_names){0};
}
