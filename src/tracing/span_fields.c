/* SPDX-License-Identifier: MIT */
/* The fields of spans: recorded by any thread, read by any other meanwhile. */
#include "tracing/span.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* A writer that was interrupted by us will not finish: a reader looks so often. */
#define LOOKS_MAX 1000u

/* Room behind the slots, of `size` bytes; NULL: it is used up. */
static char *room_in_block(struct cairn_span *span, size_t size)
{
    size_t begin = sizeof(*span) + span->site->field_count * sizeof(struct cairn_span_slot);
    uint32_t used = __atomic_load_n(&span->text_bytes, __ATOMIC_RELAXED);

    do {
        if (size > CAIRN_SPAN_BLOCK_BYTES - begin - used)
            return NULL;
    } while (!__atomic_compare_exchange_n(&span->text_bytes, &used, used + (uint32_t)size, true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return (char *)span + begin + used;
}

static char *room_for_text(struct cairn_span *span, size_t size)
{
    char *room = room_in_block(span, size);
    struct cairn_span_text *text;

    if (room)
        return room;
    text = malloc(sizeof(*text) + size);
    if (!text)
        return NULL;
    text->next = __atomic_load_n(&span->texts, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&span->texts, &text->next, text, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
    return text->bytes;
}

void cairn_span_free_texts(struct cairn_span *span)
{
    while (span->texts) {
        struct cairn_span_text *text = span->texts;

        span->texts = text->next;
        free(text);
    }
}

/* Writers take turns. */
static uint32_t begin_write(struct cairn_span_slot *slot)
{
    uint32_t sequence = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED);

    for (;;) {
        if (sequence & 1) {
            (void)sched_yield();
            sequence = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(&slot->sequence, &sequence, sequence + 1, true,
                                               __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            break;
        }
    }
    /* Pairs with the reader's fence: who sees one of the new words sees the odd number. */
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return sequence;
}

static void write_slot(struct cairn_span_slot *slot, uint32_t kind, uint32_t data_bytes,
                       uint64_t bits)
{
    uint32_t sequence = begin_write(slot);

    __atomic_store_n(&slot->kind, kind, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->data_bytes, data_bytes, __ATOMIC_RELAXED);
    __atomic_store_n(&slot->bits, bits, __ATOMIC_RELAXED);
    /* Pairs with the reader's first load: the copy of a text comes before its address. */
    __atomic_store_n(&slot->sequence, sequence + 2, __ATOMIC_RELEASE);
}

struct cairn_tracing_value cairn_span_value(const struct cairn_span *span, uint32_t index)
{
    const struct cairn_span_slot *slot;
    struct cairn_tracing_value value = {0};

    if (!span || index >= span->site->field_count)
        return value;
    slot = &span->slots[index];
    for (uint32_t looks = 0; looks < LOOKS_MAX; looks++) {
        uint32_t sequence = __atomic_load_n(&slot->sequence, __ATOMIC_ACQUIRE);

        value.kind = __atomic_load_n(&slot->kind, __ATOMIC_RELAXED);
        value.data_bytes = (uint32_t)__atomic_load_n(&slot->data_bytes, __ATOMIC_RELAXED);
        value.of.bits = __atomic_load_n(&slot->bits, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(sequence & 1) && __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED) == sequence)
            return value;
        if (sequence & 1)
            (void)sched_yield();
    }
    return (struct cairn_tracing_value){.kind = CAIRN_KIND_NONE};
}

/* The same text once more needs no other copy. */
static bool is_there(const struct cairn_span *span, uint32_t index,
                     const struct cairn_tracing_value *value)
{
    struct cairn_tracing_value old = cairn_span_value(span, index);

    return old.kind == value->kind && old.data_bytes == value->data_bytes &&
           (!old.data_bytes || !memcmp(old.of.data, value->of.data, old.data_bytes));
}

void cairn_span_store(struct cairn_span *span, uint32_t index,
                      const struct cairn_tracing_value *value)
{
    struct cairn_span_slot *slot = &span->slots[index];
    char *copy = NULL;

    if (value->kind < CAIRN_KIND_TEXT) {
        write_slot(slot, value->kind, 0, value->of.bits);
        return;
    }
    if (is_there(span, index, value))
        return;
    if (value->data_bytes) {
        copy = room_for_text(span, value->data_bytes);
        if (!copy)
            return;
        memcpy(copy, value->of.data, value->data_bytes);
    }
    write_slot(slot, value->kind, value->data_bytes, (uintptr_t)copy);
}
