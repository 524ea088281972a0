/* SPDX-License-Identifier: MIT */
/* The table of descriptors: adding, allocating memory, copying. */
#include "engine/descriptors.h"
#include "engine/engine.h"
#include "os/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Longer texts are left out: they are for people, and no reader needs them. */
#define TEXT_MAX_BYTES 1024u

struct engine_descriptor_table *engine_descriptors(void)
{
    return engine_self.pool_file ? engine_pool_file_table(engine_self.pool_file) : NULL;
}

static struct engine_descriptor *at_unit(const struct engine_descriptor_table *table, uint32_t unit)
{
    return (void *)((uint8_t *)(uintptr_t)table + (size_t)unit * ENGINE_DESCRIPTOR_UNIT);
}

/* ---- writing ---- */

static uint32_t units_of(size_t bytes)
{
    return (uint32_t)((bytes + ENGINE_DESCRIPTOR_UNIT - 1) / ENGINE_DESCRIPTOR_UNIT);
}

/* Allocates a number of units and returns the first one; 0: not enough units have memory. */
static uint32_t take_units(struct engine_descriptor_table *table, uint32_t count)
{
    uint32_t used = core_load_relaxed(&table->used_units);
    uint32_t backed;

    do {
        /* Pairs with the release in set_backed: the memory comes first. */
        backed = core_load_acquire(&table->backed_units);
        if (used < ENGINE_TABLE_HEAD_UNITS || backed > ENGINE_TABLE_UNITS || used > backed ||
            count > backed - used)
            return 0;
    } while (!core_compare_exchange_relaxed(&table->used_units, &used, used + count));
    return used;
}

static uint16_t text_bytes(const char *text)
{
    size_t bytes = text ? strlen(text) : 0;

    return bytes <= TEXT_MAX_BYTES ? (uint16_t)bytes : 0;
}

/* The part of fixed size of the descriptor of an event. */
static void make_fixed(uint64_t sample_id, const struct engine_constants *constants,
                       struct engine_descriptor *ret_fixed)
{
    size_t bytes = sizeof(*ret_fixed);

    *ret_fixed =
        (struct engine_descriptor){.kind = ENGINE_DESCRIPTOR_TRACEPOINT, .sample_id = sample_id};
    if (constants) {
        ret_fixed->kind = ENGINE_DESCRIPTOR_EVENTHEADER;
        memcpy(ret_fixed->header, constants->header, sizeof(ret_fixed->header));
        ret_fixed->metadata_bytes = (uint16_t)constants->metadata_bytes;
        ret_fixed->line = constants->line;
        ret_fixed->file_bytes = text_bytes(constants->file);
        ret_fixed->function_bytes = text_bytes(constants->function);
        bytes +=
            (size_t)ret_fixed->metadata_bytes + ret_fixed->file_bytes + ret_fixed->function_bytes;
    }
    ret_fixed->size_bytes = units_of(bytes) * ENGINE_DESCRIPTOR_UNIT;
}

static void put_texts(struct engine_descriptor *d, const struct engine_constants *constants)
{
    uint8_t *to = d->texts;

    memcpy(to, constants->metadata, d->metadata_bytes);
    to += d->metadata_bytes;
    memcpy(to, constants->file ? constants->file : "", d->file_bytes);
    to += d->file_bytes;
    memcpy(to, constants->function ? constants->function : "", d->function_bytes);
}

static bool has_texts(const struct engine_descriptor *d, const struct engine_constants *constants)
{
    const uint8_t *at = d->texts;

    return !memcmp(at, constants->metadata, d->metadata_bytes) &&
           !memcmp(at += d->metadata_bytes, constants->file ? constants->file : "",
                   d->file_bytes) &&
           !memcmp(at + d->file_bytes, constants->function ? constants->function : "",
                   d->function_bytes);
}

static bool is_equal(const struct engine_descriptor *d, const struct engine_descriptor *fixed,
                     const struct engine_constants *constants)
{
    const size_t after_size = sizeof(d->size_bytes);

    return !memcmp((const uint8_t *)d + after_size, (const uint8_t *)fixed + after_size,
                   sizeof(*fixed) - after_size) &&
           (!constants || has_texts(d, constants));
}

/* Units of a process that was killed while it took them are passed one by one; what is equal is the
 * same, also if another process wrote it. */
static uint32_t find_between(const struct engine_descriptor_table *table,
                             const struct engine_descriptor *fixed,
                             const struct engine_constants *constants, uint32_t from, uint32_t to)
{
    uint32_t size_bytes;

    for (uint32_t unit = from; unit < to; unit += units_of(size_bytes)) {
        const struct engine_descriptor *d = at_unit(table, unit);

        /* Pairs with the release in adding it. */
        size_bytes = core_load_acquire(&d->size_bytes);
        if (size_bytes == fixed->size_bytes && units_of(size_bytes) <= to - unit &&
            is_equal(d, fixed, constants))
            return unit;
        if (!size_bytes)
            size_bytes = ENGINE_DESCRIPTOR_UNIT;
    }
    return 0;
}

/*
 * Forked children of a server use the same call sites, one after the other: each would fill the
 * table with descriptors that it has. They use them in the same order, too: what follows the last
 * one that was found is mostly the next one.
 */
static uint32_t find_equal(const struct engine_descriptor_table *table,
                           const struct engine_descriptor *fixed,
                           const struct engine_constants *constants)
{
    static uint32_t next = ENGINE_TABLE_HEAD_UNITS;
    uint32_t used = core_load_relaxed(&table->used_units);
    uint32_t from = core_load_relaxed(&next);
    uint32_t unit = find_between(table, fixed, constants, from, used);

    if (!unit)
        unit = find_between(table, fixed, constants, ENGINE_TABLE_HEAD_UNITS,
                            from < used ? from : used);
    if (unit)
        core_store_relaxed(&next, unit + units_of(fixed->size_bytes));
    return unit * ENGINE_ID_VARIANTS;
}

/*
 * The tracepoint may be registered again at the same time, as another event; then the id is not
 * kept. This fence and the one in engine_descriptor_forget ensure that one of the two sees the
 * other's store.
 */
static void store_id(struct cairn_tracepoint *tp, uint64_t sample_id, uint32_t id)
{
    /* Pairs with the acquire of writers: a reader of a record finds its descriptor. */
    core_store_release(&tp->descriptor, id);
    core_fence_seq_cst();
    if (core_load_relaxed(&tp->sample_id) != sample_id)
        core_store_relaxed(&tp->descriptor, ENGINE_ID_NONE);
}

/* The id of an event's descriptor without constants, by the event's index. Only pages that are used
 * take memory. */
static uint32_t plain_ids[ENGINE_EVENT_MAX];

static uint32_t find_plain(const struct engine_descriptor_table *table, uint64_t sample_id)
{
    uint32_t index = engine_sample_index(sample_id);
    /* Pairs with the release in store_plain: the descriptor comes first. */
    uint32_t id = index < ENGINE_EVENT_MAX ? core_load_acquire(&plain_ids[index]) : ENGINE_ID_NONE;

    return id && engine_descriptor_is_of(table, id, sample_id) ? id : ENGINE_ID_NONE;
}

static void store_plain(uint64_t sample_id, uint32_t id)
{
    uint32_t index = engine_sample_index(sample_id);

    if (index < ENGINE_EVENT_MAX)
        core_store_release(&plain_ids[index], id);
}

static uint32_t add(struct engine_descriptor_table *table, const struct engine_descriptor *fixed,
                    const struct engine_constants *constants)
{
    uint32_t unit = take_units(table, units_of(fixed->size_bytes));
    const size_t after_size = sizeof(fixed->size_bytes);
    struct engine_descriptor *d;

    if (!unit)
        return ENGINE_ID_NONE;
    d = at_unit(table, unit);
    memcpy((uint8_t *)d + after_size, (const uint8_t *)fixed + after_size,
           sizeof(*fixed) - after_size);
    if (constants)
        put_texts(d, constants);
    /* Pairs with the acquire in engine_descriptor_copy. */
    core_store_release(&d->size_bytes, fixed->size_bytes);
    return unit * ENGINE_ID_VARIANTS;
}

static uint32_t find_or_add(struct engine_descriptor_table *table, uint64_t sample_id,
                            const struct engine_constants *constants)
{
    bool is_forked = engine_self.pid != engine_self.pool_file->pid;
    struct engine_descriptor fixed;
    uint32_t id = ENGINE_ID_NONE;

    make_fixed(sample_id, constants, &fixed);
    if (is_forked)
        id = find_equal(table, &fixed, constants);
    return id ? id : add(table, &fixed, constants);
}

uint32_t engine_descriptor_add(struct cairn_tracepoint *tp, uint64_t sample_id,
                               const struct engine_constants *constants)
{
    struct engine_descriptor_table *table = engine_descriptors();
    uint32_t id = ENGINE_ID_NONE;

    if (!table)
        return ENGINE_ID_NONE;
    if (!constants)
        id = find_plain(table, sample_id);
    if (!id) {
        id = find_or_add(table, sample_id, constants);
        if (id && !constants)
            store_plain(sample_id, id);
    }
    if (id)
        store_id(tp, sample_id, id);
    return id;
}

uint32_t engine_descriptor_make(uint64_t sample_id, const struct engine_constants *constants)
{
    struct engine_descriptor_table *table = engine_descriptors();

    return table ? find_or_add(table, sample_id, constants) : ENGINE_ID_NONE;
}

/* ---- memory ---- */

/* Never fewer: a recorder and the process itself, or two recorders, may allocate at a time. */
static void set_backed(struct engine_descriptor_table *table, uint32_t units)
{
    uint32_t backed = core_load_relaxed(&table->backed_units);

    /* Pairs with the acquire in take_units. */
    while (backed < units && !core_compare_exchange_release(&table->backed_units, &backed, units))
        ;
}

int engine_descriptors_back(int fd, struct engine_descriptor_table *table, size_t bytes)
{
    uint32_t backed = core_load_relaxed(&table->backed_units);
    size_t wanted = 2 * (size_t)core_load_relaxed(&table->used_units) * ENGINE_DESCRIPTOR_UNIT;
    int error;

    if (wanted < bytes)
        wanted = bytes;
    wanted = (wanted + ENGINE_PAGE_BYTES - 1) & ~(size_t)(ENGINE_PAGE_BYTES - 1);
    if (wanted > ENGINE_TABLE_BYTES)
        wanted = ENGINE_TABLE_BYTES;
    if (wanted <= (size_t)backed * ENGINE_DESCRIPTOR_UNIT)
        return 0;
    error = os_file_back(fd, ENGINE_PAGE_BYTES, wanted);
    if (!error)
        set_backed(table, (uint32_t)(wanted / ENGINE_DESCRIPTOR_UNIT));
    return error;
}

/* ---- reading ---- */

static bool is_valid(const struct engine_descriptor *d, uint32_t size_bytes)
{
    size_t texts = (size_t)d->metadata_bytes + d->file_bytes + d->function_bytes;

    return (d->kind == ENGINE_DESCRIPTOR_TRACEPOINT || d->kind == ENGINE_DESCRIPTOR_EVENTHEADER) &&
           units_of(sizeof(*d) + texts) * ENGINE_DESCRIPTOR_UNIT == size_bytes;
}

int engine_descriptor_copy(const struct engine_descriptor_table *table, uint32_t id,
                           struct engine_descriptor **ret_descriptor)
{
    uint32_t unit = id / ENGINE_ID_VARIANTS;
    uint32_t backed = core_load_acquire(&table->backed_units);
    struct engine_descriptor *copy;
    uint32_t size_bytes;

    if (backed > ENGINE_TABLE_UNITS)
        return EBADMSG;
    if (unit < ENGINE_TABLE_HEAD_UNITS || unit >= backed)
        return ENOENT;
    /* Pairs with the release in engine_descriptor_add. */
    size_bytes = core_load_acquire(&at_unit(table, unit)->size_bytes);
    if (!size_bytes)
        return ENOENT;
    if (size_bytes < sizeof(*copy) || size_bytes > (backed - unit) * ENGINE_DESCRIPTOR_UNIT)
        return EBADMSG;
    copy = malloc(size_bytes);
    if (!copy)
        return ENOMEM;
    memcpy(copy, at_unit(table, unit), size_bytes);
    copy->size_bytes = size_bytes;
    if (!is_valid(copy, size_bytes)) {
        free(copy);
        return EBADMSG;
    }
    *ret_descriptor = copy;
    return 0;
}
