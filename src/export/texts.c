/* SPDX-License-Identifier: MIT */
/* Writes the constant text of a layout's events once, and caches it. */
#include "export/texts.h"

#include "export/exporter.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS_AT_FIRST 64u
#define SLOTS_MAX      65536u
#define BYTES_MAX      (64u << 20)

static void remove_slot(struct export_texts_cache *cache, uint32_t slot)
{
    struct export_texts *texts = cache->slots[slot];

    if (texts)
        cache->size_bytes -= texts->size_bytes;
    free(texts);
    cache->slots[slot] = NULL;
}

static void empty(struct export_texts_cache *cache)
{
    for (uint32_t n = 0; n < cache->slot_count; n++)
        remove_slot(cache, n);
}

int export_texts_open(struct export_texts_cache *cache)
{
    *cache = (struct export_texts_cache){.fields = cache->fields};
    cache->slots = (struct export_texts **)calloc(SLOTS_AT_FIRST, sizeof(struct export_texts *));
    if (!cache->slots)
        return ENOMEM;
    cache->slot_count = SLOTS_AT_FIRST;
    return export_output_open(&cache->scratch, -1);
}

void export_texts_close(struct export_texts_cache *cache)
{
    empty(cache);
    free(cache->slots);
    export_output_close(&cache->scratch);
    *cache = (struct export_texts_cache){0};
}

/* Doubles the number of slots; each text still has a slot of its own. */
static int grow(struct export_texts_cache *cache)
{
    uint32_t count = 2 * cache->slot_count;
    struct export_texts **slots =
        (struct export_texts **)calloc(count, sizeof(struct export_texts *));

    if (!slots)
        return ENOMEM;
    for (uint32_t n = 0; n < cache->slot_count; n++) {
        if (cache->slots[n])
            slots[cache->slots[n]->serial & (count - 1)] = cache->slots[n];
    }
    free(cache->slots);
    cache->slots = slots;
    cache->slot_count = count;
    return 0;
}

/* Ends a text that began at the end of the previous one; its final address is not known yet. */
static void end_text(const struct export_print_output *scratch, uint32_t *end,
                     struct cairn_slice *ret_text)
{
    uint32_t begin = *end;

    *end = (uint32_t)(scratch->at - scratch->begin);
    ret_text->length = *end - begin;
}

static void write_texts(struct export_print_output *scratch, const struct export_fields *fields,
                        const struct exporter *exporter, const struct decode_layout *layout,
                        struct export_texts *texts)
{
    uint32_t end = 0;

    scratch->at = scratch->begin;
    scratch->error = 0;
    if (exporter->write_head)
        exporter->write_head(scratch, &layout->type);
    end_text(scratch, &end, &texts->head);
    if (exporter->write_tail)
        exporter->write_tail(scratch, &layout->type);
    end_text(scratch, &end, &texts->tail);
    for (uint32_t n = 0; n < layout->field_count; n++) {
        if (exporter->write_key && export_fields_have(fields, layout, n))
            exporter->write_key(scratch, &layout->fields[n].item);
        end_text(scratch, &end, &texts->keys[n]);
    }
}

static void point_to(const char **at, struct cairn_slice *text)
{
    text->text = *at;
    *at += text->length;
}

/* In the order in which they were written. */
static void point_to_texts(struct export_texts *texts, uint32_t key_count)
{
    const char *at = (const char *)&texts->keys[key_count];

    point_to(&at, &texts->head);
    point_to(&at, &texts->tail);
    for (uint32_t n = 0; n < key_count; n++)
        point_to(&at, &texts->keys[n]);
}

/* Adds the written text after the slices. */
static struct export_texts *join(struct export_texts *texts, uint32_t key_count,
                                 const struct export_print_output *scratch)
{
    size_t text_bytes = (size_t)(scratch->at - scratch->begin);
    size_t slices_bytes = sizeof(*texts) + key_count * sizeof(texts->keys[0]);
    size_t size_bytes = slices_bytes + text_bytes + EXPORT_OUTPUT_PADDING_BYTES;
    struct export_texts *joined =
        scratch->error ? NULL : (struct export_texts *)realloc(texts, size_bytes);

    if (!joined) {
        free(texts);
        return NULL;
    }
    memcpy((char *)joined + slices_bytes, scratch->begin, text_bytes);
    memset((char *)joined + slices_bytes + text_bytes, 0, EXPORT_OUTPUT_PADDING_BYTES);
    joined->size_bytes = size_bytes;
    point_to_texts(joined, key_count);
    return joined;
}

/* Returns NULL if there is no memory. */
static struct export_texts *create(struct export_print_output *scratch,
                                   const struct export_fields *fields,
                                   const struct exporter *exporter,
                                   const struct decode_layout *layout)
{
    size_t slices_bytes =
        sizeof(struct export_texts) + layout->field_count * sizeof(struct cairn_slice);
    struct export_texts *texts = (struct export_texts *)calloc(1, slices_bytes);

    if (!texts)
        return NULL;
    texts->serial = layout->serial;
    export_fields_look(fields, layout);
    write_texts(scratch, fields, exporter, layout, texts);
    return join(texts, layout->field_count, scratch);
}

/* Finds a slot for a serial number. Texts in earlier slots stay while there is space for more. */
static uint32_t free_slot(struct export_texts_cache *cache, uint64_t serial)
{
    uint32_t slot;

    if (cache->size_bytes > BYTES_MAX)
        empty(cache);
    while (cache->slots[serial & (cache->slot_count - 1)] && cache->slot_count < SLOTS_MAX) {
        if (grow(cache))
            break;
    }
    slot = (uint32_t)serial & (cache->slot_count - 1);
    remove_slot(cache, slot);
    return slot;
}

const struct export_texts *export_texts_add(struct export_texts_cache *cache,
                                            const struct exporter *exporter,
                                            const struct decode_layout *layout)
{
    struct export_texts *texts = create(&cache->scratch, cache->fields, exporter, layout);

    if (texts) {
        uint32_t slot = free_slot(cache, layout->serial); /* the slots may move */

        cache->slots[slot] = texts;
        cache->size_bytes += texts->size_bytes;
    }
    return texts;
}
