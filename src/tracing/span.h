/* SPDX-License-Identifier: MIT */
/*
 * A span's memory: a block of a thread's pool. Fields are read without locks: a slot for each, with
 * a sequence number that is odd while somebody writes it; texts are copied behind the slots, or
 * into memory of their own, which stays until the span is over.
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
    uint8_t kind;
    bool is_in_turn; /* the copy is overwritten by the text after the next */
    bool has_text;   /* the first one was copied. The writer's */
    uint32_t data_bytes;
    uint32_t writer; /* 0, or the process whose thread records a value now */
    uint64_t bits;   /* or the address of the copy */
};

#define CAIRN_FILTERED_LEVELS 5u /* ERROR to TRACE */

/* What the filters let through in a span, as far as it is known: see span_filter.h. */
struct cairn_span_filter {
    uint64_t epoch;      /* in which it was found; odd: somebody is writing it */
    uint32_t found_with; /* the version of the span's own values */
    uint32_t version;
    uint32_t slots[CAIRN_FILTERED_LEVELS]; /* of the layers whose filter lets the level through */
    bool has_children;                     /* there are or were some */
};

/* Another span that this one follows from. */
struct cairn_span_link {
    struct cairn_span_link *next; /* that was named before */
    uint8_t trace_id[16];
    uint8_t span_id[8];
};

#define CAIRN_SPAN_LINKS_MAX 128u /* that a span keeps */

/* A buffer for a field's texts, or the first text of one that has no room in the block. */
struct cairn_span_text {
    struct cairn_span_text *next;
    size_t room;
    uint32_t index; /* of the field, or CAIRN_SPAN_TEXT_FIRST */
    bool is_allocated;
    uint64_t words[];
};

#define CAIRN_SPAN_TEXT_FIRST UINT32_MAX

struct cairn_span {
    struct cairn_span_pool *pool;
    struct cairn_span *next_free;
    const struct cairn_callsite *site;
    struct cairn_span *parent; /* held */
    uint64_t id;
    uint64_t begin_ns;
    uint32_t holders;
    uint32_t layers;       /* that have taken it */
    uint32_t layers_above; /* ... or one of its ancestors */
    uint32_t depth;        /* ancestors */
    struct cairn_span
        *skip; /* the nearest ancestor that a layer has taken which has not taken it */
    const struct cairn_span *remote; /* the nearest of it and them whose parent is elsewhere */
    struct cairn_trace_context context;
    uint8_t parent_id[8];                  /* zeros: none */
    uint32_t forks;                        /* of the process that it began in */
    struct cairn_tracing_thread *scope_of; /* whose CAIRN_SCOPE closes it, or NULL */
    uint32_t link_count;
    struct cairn_span_link *links; /* the newest first */
    uint64_t links_left_out;
    struct cairn_span_filter filter;
    uint32_t text_bytes; /* used behind the slots */
    struct cairn_span_text *texts;
    void **kept; /* by layers, one for each slot; NULL: nothing was */
    struct cairn_span_slot slots[];
};

_Static_assert(sizeof(struct cairn_span) +
                       CAIRN_TRACING_FIELDS_MAX * sizeof(struct cairn_span_slot) <=
                   CAIRN_SPAN_BLOCK_BYTES,
               "a block has room for the slots of 32 fields");

/* A thread that ends leaves a span that it is in, and closes it if a scope was to. */
void cairn_span_leave_at_end(struct cairn_tracing_thread *thread, struct cairn_span *span);

/* A block that is all zeros but for its pool; NULL: no memory. */
struct cairn_span *cairn_span_pool_take(struct cairn_tracing_thread *thread);
void cairn_span_pool_give(struct cairn_span *span);

/* The thread ends: its pool waits for another. NULL is accepted. */
void cairn_span_pool_leave(struct cairn_span_pool *pool);

/* Stores a value; a text is copied. What there is no memory for is left as it was, and counted. The
 * first is for a span that nobody else knows yet, the second in a readers' section. */
void cairn_span_begin_value(struct cairn_span *span, uint32_t index,
                            const struct cairn_tracing_value *value);
void cairn_span_store(struct cairn_span *span, uint32_t index,
                      const struct cairn_tracing_value *value);
void cairn_span_free_texts(struct cairn_span *span);

/* Keeps the cause's ids with the span, once. False: there is no memory, or there are too many. */
bool cairn_span_link(struct cairn_span *span, const struct cairn_span *cause);
void cairn_span_free_links(struct cairn_span *span);

/* The links, oldest first; returns how many. */
uint32_t cairn_span_links(const struct cairn_span *span,
                          const struct cairn_span_link *ret_links[CAIRN_SPAN_LINKS_MAX]);

/* The id of a span's parent as a layer has it: the one in another program that the span was given,
 * else the nearest around that the layer has taken, else the parent in another program of those
 * that it has not. False: it has none. */
bool cairn_layer_parent_id(const struct cairn_layer *layer, const struct cairn_span *span,
                           uint8_t ret_span_id[8]);

#endif
