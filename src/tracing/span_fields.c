/* SPDX-License-Identifier: MIT */
/*
 * The fields of spans: any thread can record them while others read them.
 *
 * A field's first text is copied once and never written again: readers get its address. Later texts
 * alternate between two buffers of the field, so that a long-lived span does not grow; readers get
 * a copy.
 */
#include "core/atomic.h"
#include "tracing/dispatch.h"
#include "tracing/span_filter.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Attempts of a reader. The writer may wait for a CPU meanwhile, on a busy machine for some time
 * slices of all others. */
#define LOOKS_MAX 100000u

#define BUFFER_BYTES_MIN 32u

/* ---- memory ---- */

/* Allocates `size` bytes after the slots; NULL: the block is full. */
static char *allocate_in_block(struct cairn_span *span, size_t size)
{
    size_t begin = sizeof(*span) + span->site->field_count * sizeof(struct tracing_span_slot);
    uint32_t used = core_load_relaxed(&span->text_bytes);

    do {
        if (size > TRACING_SPAN_BLOCK_BYTES - begin - used)
            return NULL;
    } while (!core_compare_exchange_relaxed(&span->text_bytes, &used, used + (uint32_t)size));
    return (char *)span + begin + used;
}

static void add_text(struct cairn_span *span, struct tracing_span_text *text)
{
    text->next = core_load_relaxed(&span->texts);
    while (!core_compare_exchange_release(&span->texts, &text->next, text))
        ;
}

/* Allocates memory of the span for a text; NULL: no memory. */
static struct tracing_span_text *make_text(struct cairn_span *span, uint32_t index, size_t capacity)
{
    const size_t alignment = _Alignof(struct tracing_span_text);
    size_t size = sizeof(struct tracing_span_text) + capacity;
    struct tracing_span_text *text = NULL;
    char *in_block = allocate_in_block(span, size + alignment - 1);

    if (in_block)
        text = (struct tracing_span_text *)(((uintptr_t)in_block + alignment - 1) & -alignment);
    else
        text = malloc(size);
    if (!text)
        return NULL;
    text->capacity = capacity;
    text->index = index;
    text->is_allocated = !in_block;
    add_text(span, text);
    return text;
}

void tracing_span_free_texts(struct cairn_span *span)
{
    while (span->texts) {
        struct tracing_span_text *text = span->texts;

        span->texts = text->next;
        if (text->is_allocated)
            free(text);
    }
}

/* Allocates memory for a text that is written once. */
static void *allocate_first(struct cairn_span *span, uint32_t bytes)
{
    void *memory = allocate_in_block(span, bytes);
    struct tracing_span_text *text;

    if (memory)
        return memory;
    text = make_text(span, TRACING_SPAN_TEXT_FIRST, bytes);
    return text ? text->space : NULL;
}

/* Finds or makes a buffer of the field that new readers do not use. */
static void *buffer_for_next(struct cairn_span *span, uint32_t index, uint32_t bytes,
                             const void *current)
{
    struct tracing_span_text *text = core_load_acquire(&span->texts);
    size_t capacity = BUFFER_BYTES_MIN;

    while (text && (text->index != index || text->capacity < bytes || text->space == current))
        text = text->next;
    if (text)
        return text->space;
    while (capacity < bytes)
        capacity *= 2;
    text = make_text(span, index, capacity);
    return text ? text->space : NULL;
}

/* ---- writing ---- */

/* One writer at a time. The thread that held the slot during a fork does not exist in the child. */
static void lock(struct tracing_span_slot *slot)
{
    const uint32_t process = tracing_process_id();
    uint32_t writer = 0;

    while (!core_compare_exchange_acquire(&slot->writer, &writer, process)) {
        if (writer == process)
            (void)sched_yield();
        else if (writer)
            continue; /* held by the parent: take it */
        writer = 0;
    }
}

static void unlock(struct tracing_span_slot *slot)
{
    core_store_release(&slot->writer, 0);
}

/* Requires the slot's lock. */
static void write_slot(struct tracing_span_slot *slot, const struct tracing_span_slot *new_slot)
{
    uint32_t odd = core_load_relaxed(&slot->sequence) | 1;

    core_store_relaxed(&slot->sequence, odd);
    /* Pairs with the reader's fence: a reader that sees a new word sees the odd number. */
    core_fence_release();
    core_store_relaxed(&slot->kind, new_slot->kind);
    core_store_relaxed(&slot->is_in_turn, new_slot->is_in_turn);
    core_store_relaxed(&slot->data_bytes, new_slot->data_bytes);
    core_store_relaxed(&slot->bits, new_slot->bits);
    /* Pairs with the reader's first load: the copy of a text is visible before its address. */
    core_store_release(&slot->sequence, odd + 1);
}

/* Writes to a buffer that another thread may still be reading; it then detects the change. */
static void store_text(uint64_t *to, const void *data, uint32_t bytes)
{
    /* Pairs with the reader's fence: a reader that sees a new word sees the current number. */
    core_fence_release();
    for (uint32_t at = 0; at < bytes; at += sizeof(*to)) {
        uint64_t word = 0;

        memcpy(&word, (const char *)data + at,
               bytes - at < sizeof(word) ? bytes - at : sizeof(word));
        core_store_relaxed(to++, word);
    }
}

/* Copies a text; false: no memory. Requires the slot's lock. */
static bool copy_text(struct cairn_span *span, uint32_t index,
                      const struct cairn_tracing_value *value, struct tracing_span_slot *new_slot)
{
    struct tracing_span_slot *slot = &span->slots[index];
    void *copy;

    if (!value->data_bytes)
        return true;
    if (slot->has_text) {
        copy = buffer_for_next(span, index, value->data_bytes, (void *)(uintptr_t)slot->bits);
        new_slot->is_in_turn = true;
        if (copy)
            store_text(copy, value->of.data, value->data_bytes);
    } else {
        copy = allocate_first(span, value->data_bytes);
        slot->has_text = true;
        if (copy)
            memcpy(copy, value->of.data, value->data_bytes);
    }
    new_slot->bits = (uintptr_t)copy;
    return copy;
}

static struct cairn_tracing_value value_of(const struct tracing_span_slot *slot)
{
    struct cairn_tracing_value value = {.kind = slot->kind, .data_bytes = slot->data_bytes};

    value.of.bits = slot->bits;
    return value;
}

/* A text that is equal needs no new copy. */
static bool is_same_text(const struct cairn_tracing_value *a, const struct cairn_tracing_value *b)
{
    return a->kind == b->kind && a->data_bytes == b->data_bytes &&
           (!a->data_bytes || !memcmp(a->of.data, b->of.data, a->data_bytes));
}

/* False: no memory, and the value is unchanged. Requires the slot's lock. */
static bool change(struct cairn_span *span, uint32_t index, const struct cairn_tracing_value *value)
{
    struct tracing_span_slot new_slot = {.kind = (uint8_t)value->kind};

    if (value->kind < CAIRN_KIND_TEXT) {
        new_slot.bits = value->of.bits;
    } else {
        new_slot.data_bytes = value->data_bytes;
        if (!copy_text(span, index, value, &new_slot))
            return false;
    }
    write_slot(&span->slots[index], &new_slot);
    return true;
}

/* No lock: no other thread knows the span. */
void tracing_span_begin_value(struct cairn_span *span, uint32_t index,
                              const struct cairn_tracing_value *value)
{
    struct tracing_span_slot slot = {.kind = (uint8_t)value->kind, .bits = value->of.bits};

    if (value->kind >= CAIRN_KIND_TEXT && value->data_bytes) {
        void *copy = allocate_first(span, value->data_bytes);

        if (copy) {
            memcpy(copy, value->of.data, value->data_bytes);
            slot.data_bytes = value->data_bytes;
            slot.bits = (uintptr_t)copy;
            slot.has_text = true;
        } else {
            slot.kind = CAIRN_KIND_NONE;
            tracing_dispatch_count_lost();
        }
    }
    span->slots[index] = slot;
}

/* Only events may be of signal handlers: stores do not nest. */
static void set_storing(bool is_storing)
{
    if (tracing_thread_self)
        core_store_relaxed(&tracing_thread_self->is_storing, is_storing);
}

void tracing_span_store(struct cairn_span *span, uint32_t index,
                        const struct cairn_tracing_value *value)
{
    struct tracing_span_slot *slot = &span->slots[index];
    struct cairn_tracing_value old;
    bool matters = false;

    set_storing(true);
    lock(slot);
    old = value_of(slot);
    if (value->kind < CAIRN_KIND_TEXT || !is_same_text(&old, value)) {
        matters = tracing_span_filter_asks_values() &&
                  tracing_span_filter_distinguishes(span, index, &old, value);
        if (!change(span, index, value))
            tracing_dispatch_count_lost();
    }
    unlock(slot);
    set_storing(false);
    if (matters)
        tracing_span_filter_change(span);
}

/* ---- reading ---- */

/* Reads the words of a slot; false: another thread is changing them. */
static bool read_slot(const struct tracing_span_slot *slot, uint32_t sequence,
                      struct tracing_span_slot *ret_slot)
{
    ret_slot->kind = core_load_relaxed(&slot->kind);
    ret_slot->is_in_turn = core_load_relaxed(&slot->is_in_turn);
    ret_slot->data_bytes = core_load_relaxed(&slot->data_bytes);
    ret_slot->bits = core_load_relaxed(&slot->bits);
    core_fence_acquire();
    return !(sequence & 1) && core_load_relaxed(&slot->sequence) == sequence;
}

/* Copies a text that may be overwritten; false: it was. NULL: no memory. */
static bool load_text(const struct tracing_span_slot *slot, uint32_t sequence,
                      const struct tracing_span_slot *found, uint64_t **ret_copy)
{
    const uint64_t *from = (const uint64_t *)(uintptr_t)found->bits;
    const uint32_t count = (found->data_bytes + 7) / 8;

    *ret_copy = tracing_scratch((size_t)count * 8);
    for (uint32_t i = 0; *ret_copy && i < count; i++)
        (*ret_copy)[i] = core_load_relaxed(&from[i]);
    core_fence_acquire();
    return core_load_relaxed(&slot->sequence) == sequence;
}

/* True if the writer cannot finish: it is a thread of the parent process, or this thread, which a
 * signal handler has interrupted. */
static bool is_abandoned(const struct tracing_span_slot *slot)
{
    const struct tracing_thread *thread = tracing_thread_self;
    uint32_t writer = core_load_relaxed(&slot->writer);

    return (writer && writer != tracing_process_id()) ||
           (thread && core_load_relaxed(&thread->is_storing));
}

struct cairn_tracing_value cairn_span_value(const struct cairn_span *span, uint32_t index)
{
    const struct cairn_tracing_value none = {.kind = CAIRN_KIND_NONE};
    const struct tracing_span_slot *slot;

    if (!span || index >= span->site->field_count)
        return none;
    slot = &span->slots[index];
    for (uint32_t looks = 0; looks < LOOKS_MAX; looks++) {
        uint32_t sequence = core_load_acquire(&slot->sequence);
        struct tracing_span_slot found;
        uint64_t *copy = NULL;

        if (read_slot(slot, sequence, &found)) {
            if (!found.is_in_turn)
                return value_of(&found);
            if (load_text(slot, sequence, &found, &copy)) {
                found.bits = (uintptr_t)copy;
                if (copy)
                    return value_of(&found);
                break;
            }
        } else if (sequence & 1) {
            if (is_abandoned(slot))
                break;
            (void)sched_yield();
        }
    }
    tracing_dispatch_count_lost();
    return none;
}
