/* SPDX-License-Identifier: MIT */
/*
 * A span's memory: a block of a thread's pool. Fields are read and recorded without locks: a slot
 * for each, with a sequence number that is odd while somebody writes it; texts are copied behind
 * the slots, or into memory of their own, and stay until the span is over.
 */
#ifndef TRACING_SPAN_H
#define TRACING_SPAN_H

#include <cairn/tracing/span.h>

#define CAIRN_SPAN_BLOCK_BYTES 1024u

struct cairn_tracing_thread;
struct cairn_layer;
struct cairn_span_pool;

struct cairn_span_slot {
    uint32_t sequence;
    uint32_t kind;
    uint64_t data_bytes;
    uint64_t bits; /* or the address of the copy */
};

/* Text that had no room in the block. */
struct cairn_span_text {
    struct cairn_span_text *next;
    char bytes[];
};

struct cairn_span {
    struct cairn_span_pool *pool;
    struct cairn_span *next_free;
    const struct cairn_callsite *site;
    struct cairn_span *parent; /* held */
    uint64_t id;
    uint64_t begin_ns;
    uint32_t holders;
    uint32_t layers; /* that have taken it */
    struct cairn_trace_context context;
    uint8_t parent_id[8]; /* zeros: none */
    uint32_t text_bytes;  /* used behind the slots */
    struct cairn_span_text *texts;
    void **kept; /* by layers, one for each slot; NULL: nothing was */
    struct cairn_span_slot slots[];
};

_Static_assert(sizeof(struct cairn_span) +
                       CAIRN_TRACING_FIELDS_MAX * sizeof(struct cairn_span_slot) <=
                   CAIRN_SPAN_BLOCK_BYTES,
               "a block has room for the slots of 32 fields");

/* A block that is all zeros but for its pool; NULL: no memory. */
struct cairn_span *cairn_span_pool_take(struct cairn_tracing_thread *thread);
void cairn_span_pool_give(struct cairn_span *span);

/* The thread ends: its pool waits for another. NULL is accepted. */
void cairn_span_pool_leave(struct cairn_span_pool *pool);

/* Stores a value; a text is copied. What there is no memory for is left as it was. */
void cairn_span_store(struct cairn_span *span, uint32_t index,
                      const struct cairn_tracing_value *value);
void cairn_span_free_texts(struct cairn_span *span);

#endif
