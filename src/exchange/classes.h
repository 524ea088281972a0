/* SPDX-License-Identifier: MIT */
/*
 * The kinds of events in an output, each with what a format knows of it. Events of one kind have
 * the same name, header and fields, whichever recording they are from.
 */
#ifndef EXCHANGE_CLASSES_H
#define EXCHANGE_CLASSES_H

#include "decode/layout.h"

#include <stddef.h>
#include <stdint.h>

struct exchange_class {
    struct exchange_class *next; /* in its bucket */
    uint64_t hash;
    uint32_t number; /* in the order of their first events, from 0 */
    void *data;      /* of the format; freed with free */
    size_t key_bytes;
    char key[];
};

/* Classes by the serial numbers of layouts, for most events. */
#define EXCHANGE_CLASSES_RECENT 1024u

struct exchange_classes {
    struct exchange_class **buckets; /* bucket_count, a power of two */
    uint32_t bucket_count;
    uint32_t count;
    char *key; /* that is looked up */
    size_t key_max;
    struct {
        uint64_t serial;
        struct exchange_class *found;
    } recent[EXCHANGE_CLASSES_RECENT];
};

/* The slow path of exchange_classes_of. */
int exchange_classes_find(struct exchange_classes *classes, const struct decode_layout *layout,
                          struct exchange_class **ret_class);

/*
 * Finds the class of a layout, or adds one whose data is NULL. Begin with zeros.
 *
 * Returns 0, ENOMEM.
 */
static inline int exchange_classes_of(struct exchange_classes *classes,
                                      const struct decode_layout *layout,
                                      struct exchange_class **ret_class)
{
    uint32_t slot = layout->serial & (EXCHANGE_CLASSES_RECENT - 1);

    if (cairn_likely(classes->recent[slot].serial == layout->serial)) {
        *ret_class = classes->recent[slot].found;
        return 0;
    }
    return exchange_classes_find(classes, layout, ret_class);
}

/* Accepts zeros. */
void exchange_classes_free(struct exchange_classes *classes);

#endif
