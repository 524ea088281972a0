/* SPDX-License-Identifier: MIT */
/* The kinds of events in an output: a hash table by all that is constant in them. */
#include "exchange/classes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BUCKETS 256u

/* The numbers of a type, as part of a key. */
struct key_head {
    uint64_t keyword;
    uint32_t name_bytes;
    uint32_t provider_bytes;
    uint16_t id;
    uint16_t tag;
    uint8_t level;
    uint8_t opcode;
    uint8_t version;
    uint8_t flags; /* is_eventheader, swap */
};

_Static_assert(sizeof(struct key_head) == 24, "a key has no padding");

/* ---- keys ---- */

static int reserve_key(struct exchange_classes *classes, size_t size_bytes)
{
    char *bigger;

    if (size_bytes <= classes->key_max)
        return 0;
    bigger = (char *)realloc(classes->key, size_bytes);
    if (!bigger)
        return ENOMEM;
    classes->key = bigger;
    classes->key_max = size_bytes;
    return 0;
}

static char *put(char *to, const void *data, size_t size_bytes)
{
    return size_bytes ? (char *)mempcpy(to, data, size_bytes) : to;
}

/* An EventHeader layout's identity begins with numbers that differ between recordings: its fields
 * and names are what counts. So the key is made of these. */
static char *put_fields(char *to, const struct decode_layout *layout)
{
    for (uint32_t n = 0; n < layout->field_count; n++) {
        const struct decode_layout_field *field = &layout->fields[n];
        const uint32_t numbers[] = {field->item.name.length, field->count, field->size_bytes,
                                    field->end};
        const uint8_t kinds[] = {field->kind,          field->array,
                                 field->extent,        field->location,
                                 field->unit_bytes,    field->value[DECODE_LAYOUT_DECLARED],
                                 field->item.encoding, field->item.format};

        to = put(to, numbers, sizeof(numbers));
        to = put(to, kinds, sizeof(kinds));
        to = put(to, field->item.name.text, field->item.name.length);
    }
    return to;
}

static size_t fields_bytes(const struct decode_layout *layout)
{
    size_t size_bytes = 0;

    for (uint32_t n = 0; n < layout->field_count; n++)
        size_bytes += 4 * sizeof(uint32_t) + 8 + layout->fields[n].item.name.length;
    return size_bytes;
}

static int make_key(struct exchange_classes *classes, const struct decode_layout *layout,
                    size_t *ret_bytes)
{
    const struct cairn_event_type *type = &layout->type;
    struct key_head head = {
        .keyword = type->keyword,
        .name_bytes = type->name.length,
        .provider_bytes = type->provider.length,
        .id = type->id,
        .tag = type->tag,
        .level = type->level,
        .opcode = type->opcode,
        .version = type->version,
        .flags = (uint8_t)(type->is_eventheader | layout->swap << 1),
    };
    size_t size_bytes =
        sizeof(head) + type->name.length + type->provider.length + fields_bytes(layout);
    int err = reserve_key(classes, size_bytes);
    char *to = classes->key;

    if (err)
        return err;
    to = put(to, &head, sizeof(head));
    to = put(to, type->name.text, type->name.length);
    to = put(to, type->provider.text, type->provider.length);
    (void)put_fields(to, layout);
    *ret_bytes = size_bytes;
    return 0;
}

/* FNV-1a. */
static uint64_t hash_of(const char *key, size_t size_bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t n = 0; n < size_bytes; n++)
        hash = (hash ^ (uint8_t)key[n]) * 0x100000001b3u;
    return hash;
}

/* ---- the table ---- */

static void move_all(const struct exchange_classes *classes, struct exchange_class **buckets,
                     uint32_t bucket_count)
{
    for (uint32_t n = 0; n < classes->bucket_count; n++) {
        struct exchange_class *class = classes->buckets[n];

        while (class) {
            struct exchange_class *next = class->next;
            struct exchange_class **bucket = &buckets[class->hash & (bucket_count - 1)];

            class->next = *bucket;
            *bucket = class;
            class = next;
        }
    }
}

static int grow(struct exchange_classes *classes)
{
    uint32_t count = classes->bucket_count ? 2 * classes->bucket_count : FIRST_BUCKETS;
    struct exchange_class **buckets = (struct exchange_class **)calloc(count, sizeof(*buckets));

    if (!buckets)
        return ENOMEM;
    move_all(classes, buckets, count);
    free((void *)classes->buckets);
    classes->buckets = buckets;
    classes->bucket_count = count;
    return 0;
}

static struct exchange_class *search(const struct exchange_classes *classes, uint64_t hash,
                                     size_t key_bytes)
{
    struct exchange_class *class = NULL;

    if (classes->bucket_count)
        class = classes->buckets[hash & (classes->bucket_count - 1)];
    while (class && (class->hash != hash || class->key_bytes != key_bytes ||
                     memcmp(class->key, classes->key, key_bytes) != 0))
        class = class->next;
    return class;
}

static int add(struct exchange_classes *classes, uint64_t hash, size_t key_bytes,
               struct exchange_class **ret_class)
{
    int err = classes->count == classes->bucket_count ? grow(classes) : 0;
    struct exchange_class **bucket;
    struct exchange_class *class;

    if (err)
        return err;
    class = (struct exchange_class *)calloc(1, sizeof(*class) + key_bytes);
    if (!class)
        return ENOMEM;
    class->hash = hash;
    class->number = classes->count++;
    class->key_bytes = key_bytes;
    memcpy(class->key, classes->key, key_bytes);
    bucket = &classes->buckets[hash & (classes->bucket_count - 1)];
    class->next = *bucket;
    *bucket = class;
    *ret_class = class;
    return 0;
}

int exchange_classes_find(struct exchange_classes *classes, const struct decode_layout *layout,
                          struct exchange_class **ret_class)
{
    uint32_t slot = layout->serial & (EXCHANGE_CLASSES_RECENT - 1);
    struct exchange_class *class;
    size_t key_bytes;
    uint64_t hash;
    int err = make_key(classes, layout, &key_bytes);

    if (err)
        return err;
    hash = hash_of(classes->key, key_bytes);
    class = search(classes, hash, key_bytes);
    if (!class)
        err = add(classes, hash, key_bytes, &class);
    if (err)
        return err;
    classes->recent[slot].serial = layout->serial;
    classes->recent[slot].found = class;
    *ret_class = class;
    return 0;
}

void exchange_classes_free(struct exchange_classes *classes)
{
    for (uint32_t n = 0; n < classes->bucket_count; n++) {
        struct exchange_class *class = classes->buckets[n];

        while (class) {
            struct exchange_class *next = class->next;

            free(class->data);
            free(class);
            class = next;
        }
    }
    free((void *)classes->buckets);
    free(classes->key);
    *classes = (struct exchange_classes){0};
}
