/* SPDX-License-Identifier: MIT */
/*
 * The text that is the same in every event of a layout, in one style: escaped, and ready to be
 * copied. A printer makes it for a layout's first event, and caches it by the layout's serial
 * number. This number is unique, so the text of a destroyed layout is never found.
 */
#ifndef EXPORT_TEXTS_H
#define EXPORT_TEXTS_H

#include "decode/layout.h"
#include "export/output.h"

struct exporter;
struct export_fields;

struct export_texts {
    uint64_t serial; /* of the layout */
    size_t size_bytes;
    struct cairn_slice head;   /* at the beginning of an event */
    struct cairn_slice tail;   /* at its end */
    struct cairn_slice keys[]; /* by field: a separator, the name, the text after a name; empty: the
                                  field is not printed */
};

struct export_texts_cache {
    struct export_texts **slots;        /* by the low bits of the serial number, one in each */
    uint32_t slot_count;                /* a power of two */
    uint64_t size_bytes;                /* of all texts */
    const struct export_fields *fields; /* to be printed, not owned */
    struct export_print_output scratch;
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int export_texts_open(struct export_texts_cache *cache);

/* Accepts a cache of zeros. */
void export_texts_close(struct export_texts_cache *cache);

/* Makes the texts of a layout that has none: the slow path of export_texts_of. */
const struct export_texts *export_texts_add(struct export_texts_cache *cache,
                                            const struct exporter *exporter,
                                            const struct decode_layout *layout);

/* Returns a layout's texts, valid until the next call; NULL: no memory. */
static inline const struct export_texts *export_texts_of(struct export_texts_cache *cache,
                                                         const struct exporter *exporter,
                                                         const struct decode_layout *layout)
{
    const struct export_texts *texts = cache->slots[layout->serial & (cache->slot_count - 1)];

    if (cairn_likely(texts && texts->serial == layout->serial))
        return texts;
    return export_texts_add(cache, exporter, layout);
}

#endif
