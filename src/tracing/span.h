/* SPDX-License-Identifier: MIT */
/* The memory of a span: a block of a thread's pool. Fields are read without locks: each has a slot
 * with a sequence number that is odd while a thread writes it. Texts are copied after the slots, or
 * into memory of their own, which is freed when the span ends. */
#ifndef TRACING_SPAN_H
#define TRACING_SPAN_H

#include <cairn/tracing/span.h>

#define TRACING_SPAN_BLOCK_BYTES 1024u

struct tracing_thread;
struct cairn_layer;
struct tracing_span_pool;

struct tracing_span_slot {
    uint32_t sequence;
    uint8_t kind;
    bool is_in_turn; /* the copy is overwritten by the second next text */
    bool has_text;   /* the first text was copied. Only used by the writer */
    uint32_t data_bytes;
    uint32_t writer; /* 0, or the process of the thread that is recording a value */
    uint64_t bits;   /* or the address of the copy */
};

#define TRACING_FILTERED_LEVELS 5u /* ERROR to TRACE */

/* Cached result of the filters for this span: see span_filter.h. */
struct tracing_span_filter {
    uint64_t epoch;      /* in which it was computed; odd: a thread is writing it */
    uint32_t found_with; /* version of the span's own values */
    uint32_t version;
    uint32_t slots[TRACING_FILTERED_LEVELS]; /* of the layers whose filter lets the level through */
    bool has_children;                       /* the span has or had children */
};

/* A span that this one follows from. */
struct tracing_span_link {
    struct tracing_span_link *next; /* the one that was recorded before */
    uint8_t trace_id[16];
    uint8_t span_id[8];
};

#define TRACING_SPAN_LINKS_MAX 128u /* maximal number of links of a span */

/* A buffer for a field's texts, or the first text of a field that did not fit into the block. */
struct tracing_span_text {
    struct tracing_span_text *next;
    size_t capacity;
    uint32_t index; /* of the field, or TRACING_SPAN_TEXT_FIRST */
    bool is_allocated;
    uint64_t space[];
};

#define TRACING_SPAN_TEXT_FIRST UINT32_MAX

struct cairn_span {
    struct tracing_span_pool *pool;
    struct cairn_span *next_free; /* or the next one that was dropped */
    uint32_t holders;             /* 0: the block is free, or the span is not complete yet */
    uint32_t tid;                 /* of the thread that began it */
    const struct cairn_callsite *site;
    struct cairn_span *parent; /* holds a reference */
    uint64_t id;
    uint64_t begin_ns;
    uint32_t layers;         /* that have taken it */
    uint32_t layers_above;   /* that have taken one of its ancestors */
    uint32_t depth;          /* number of ancestors */
    struct cairn_span *skip; /* nearest ancestor with a layer that this span does not have */
    const struct cairn_span *remote; /* nearest, or itself, whose parent is in another program */
    struct cairn_trace_context context;
    uint8_t parent_id[8];            /* zeros: none */
    uint32_t forks;                  /* of the process in which it began */
    struct tracing_thread *scope_of; /* the thread whose CAIRN_SCOPE closes it, or NULL */
    uint32_t link_count;
    struct tracing_span_link *links; /* the newest first */
    uint64_t links_left_out;
    struct tracing_span_filter filter;
    uint32_t text_bytes; /* used after the slots */
    struct tracing_span_text *texts;
    void **kept; /* data of layers, one for each slot; NULL: none has any */
    struct tracing_span_slot slots[];
};

_Static_assert(sizeof(struct cairn_span) +
                       CAIRN_TRACING_FIELDS_MAX * sizeof(struct tracing_span_slot) <=
                   TRACING_SPAN_BLOCK_BYTES,
               "a block has space for the slots of 32 fields");

/* Leaves a span in a thread that ends, and closes it if the span's scope is in this thread. */
void tracing_span_leave_at_end(struct tracing_thread *thread, struct cairn_span *span);

/* Calls a function for each span of the process that is open, and holds the span meanwhile. In a
 * callback of a layer, also of an event of a signal handler: if the reference is the last one, the
 * span ends when the next span of any thread begins or ends. */
void tracing_span_each(void (*each)(struct cairn_span *span, void *arg), void *arg);
void tracing_span_end_dropped(void);

/* A shared object is unloaded: its spans that were not closed lose their call sites, and no layer
 * has them any more. Not in a callback, nor with the registry's lock. */
void tracing_span_unload(struct cairn_i_tracing_object *object);

/* The spans whose last reference was dropped there; NULL: none. */
extern struct cairn_span *tracing_span_dropped __attribute__((visibility("hidden")));

/*
 * Makes a layer take the open spans that its filter lets through, as if they began now, and calls a
 * function for each, parents first, also for those that it has taken before. Spans of other
 * subscribers than the global one are not taken. In a callback of this layer.
 */
void tracing_open_spans_take(struct cairn_layer *layer,
                             void (*opened)(struct cairn_layer *layer, struct cairn_span *span,
                                            void *arg),
                             void *arg);

/* Takes a block; all zeros except for its pool. NULL: no memory. */
struct cairn_span *tracing_span_pool_take(struct tracing_thread *thread);
void tracing_span_pool_give(struct cairn_span *span);

/* Makes the pool of a thread that ends available to another thread. NULL is accepted. */
void tracing_span_pool_leave(struct tracing_span_pool *pool);

/* Stores a value; texts are copied. Without memory the value is not changed, and counted as lost.
 * The first function requires that no other thread knows the span; the second requires a read-side
 * section. */
void tracing_span_begin_value(struct cairn_span *span, uint32_t index,
                              const struct cairn_tracing_value *value);
void tracing_span_store(struct cairn_span *span, uint32_t index,
                        const struct cairn_tracing_value *value);
void tracing_span_free_texts(struct cairn_span *span);

/* Stores the ids of a cause in the span, once. False: no memory, or too many. */
bool tracing_span_link(struct cairn_span *span, const struct cairn_span *cause);
void tracing_span_free_links(struct cairn_span *span);

/* Copies pointers to the links, oldest first; returns their number. */
uint32_t tracing_span_links(const struct cairn_span *span,
                            const struct tracing_span_link *ret_links[TRACING_SPAN_LINKS_MAX]);

/* The id of a span's parent as a layer shows it. In this order: the parent in another program that
 * the span was given; the nearest ancestor that the layer has taken, or, if one of the skipped
 * ancestors between has a parent in another program, that parent. False: none of these. */
bool tracing_layer_parent_id(const struct cairn_layer *layer, const struct cairn_span *span,
                             uint8_t ret_span_id[8]);

#endif
