/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, for flame graphs: a line for each stack of spans, "thread;outer;inner 1500", with
 * the time in ns that was spent in the innermost span and in none of its children.
 */
#include "timeline/spans.h"
#include "exchange/text.h"
#include "export/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Deeper spans, and those of more stacks, count for the spans around them. */
#define DEPTH_MAX  512u
#define STACKS_MAX 262144u

/* A stack: the path from a thread to a span. */
struct stack {
    struct stack *outer; /* NULL: a thread */
    struct stack *inner; /* the first of those in it */
    struct stack *next;  /* in `outer` */
    struct stack *all;
    uint64_t self_ns;
    uint32_t depth;
    char name[];
};

/* An open span: its cookie. */
struct folded_open_span {
    struct stack *stack;
    uint64_t children_ns;
};

struct folded {
    struct cairn_exporter *exporter;
    struct timeline_spans *spans;
    struct stack *all; /* the newest first */
    uint32_t count;
    struct stack top; /* around the threads; last, since a stack ends with its name */
};

/* ---- stacks ---- */

static struct stack *add(struct folded *folded, struct stack *outer, const char *name,
                         size_t length)
{
    struct stack *stack = (struct stack *)calloc(1, sizeof(*stack) + length + 1);

    if (!stack)
        return NULL;
    memcpy(stack->name, name, length);
    stack->outer = outer;
    stack->depth = outer->depth + 1;
    stack->next = outer->inner;
    outer->inner = stack;
    stack->all = folded->all;
    folded->all = stack;
    folded->count++;
    return stack;
}

/* The name is in exporter->text. NULL: no memory. */
static struct stack *find(struct folded *folded, struct stack *outer)
{
    struct export_print_output *text = &folded->exporter->text;
    size_t length = (size_t)(text->at - text->begin);
    bool is_same = exchange_fold_name(text->begin, length);
    struct stack *stack = outer->inner;

    while (stack && (strncmp(stack->name, text->begin, length) != 0 || stack->name[length]))
        stack = stack->next;
    if (stack)
        return stack;
    if (outer != &folded->top && (outer->depth >= DEPTH_MAX || folded->count >= STACKS_MAX)) {
        exchange_note(folded->exporter, CAIRN_EXPORTER_STACKS);
        return outer;
    }
    if (!is_same)
        exchange_note(folded->exporter, CAIRN_EXPORTER_NAMES);
    return add(folded, outer, text->begin, length);
}

static struct stack *stack_of_thread(struct folded *folded, const struct cairn_event *event)
{
    exchange_put_thread_name(folded->exporter, event);
    return find(folded, &folded->top);
}

/* ---- spans ---- */

static struct folded_open_span *find_open(const struct folded *folded, const uint8_t *id)
{
    const struct timeline_span *span = id ? timeline_spans_find(folded->spans, id) : NULL;

    return span ? (struct folded_open_span *)(uintptr_t)span->cookie : NULL;
}

/* Returns the span that an event begins; NULL: no memory. */
static struct folded_open_span *create_span(struct folded *folded, const struct cairn_event *event)
{
    const struct folded_open_span *parent = find_open(folded, event->related_id);
    struct stack *outer = parent ? parent->stack : stack_of_thread(folded, event);
    struct export_print_output *text = &folded->exporter->text;
    struct folded_open_span *open = (struct folded_open_span *)calloc(1, sizeof(*open));

    if (!outer || !open) {
        free(open);
        return NULL;
    }
    text->at = text->begin;
    exchange_put_event_name(folded->exporter, text, event->type);
    open->stack = find(folded, outer);
    if (open->stack)
        return open;
    free(open);
    return NULL;
}

static void forget(void *context, const struct timeline_span *span)
{
    struct folded *folded = (struct folded *)context;

    exchange_note(folded->exporter, CAIRN_EXPORTER_UNFINISHED);
    free((struct folded_open_span *)(uintptr_t)span->cookie);
}

/* Children that overlap may last longer together than their parent. */
static void stop(const struct folded *folded, const struct timeline_span *span)
{
    struct folded_open_span *open = (struct folded_open_span *)(uintptr_t)span->cookie;
    struct folded_open_span *parent = find_open(folded, span->parent_id);
    uint64_t duration_ns = span->stop_ns - span->start.ns;

    if (open->children_ns < duration_ns)
        open->stack->self_ns += duration_ns - open->children_ns;
    if (parent)
        parent->children_ns += duration_ns;
    free(open);
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct folded *folded = (struct folded *)exporter->state;
    bool is_start = event->activity_id && event->type->opcode == CAIRN_OPCODE_ACTIVITY_START;
    struct folded_open_span *open = is_start ? create_span(folded, event) : NULL;
    const struct timeline_span *span;
    enum timeline_change change;
    int err = is_start && !open ? ENOMEM : 0;

    if (!err)
        err = timeline_spans_event(folded->spans, event, (uintptr_t)open, &change, &span);
    if (err || change != TIMELINE_SPAN_STARTED)
        free(open);
    if (err)
        return err;
    if (change == TIMELINE_SPAN_STOPPED)
        stop(folded, span);
    else if (change == TIMELINE_SPAN_STOP_ALONE)
        exchange_note(exporter, CAIRN_EXPORTER_STOPS_LEFT_OUT);
    else if (change == TIMELINE_SPAN_UNCHANGED)
        exchange_note(exporter, CAIRN_EXPORTER_NO_SPANS);
    return 0;
}

/* ---- begin and end ---- */

static int begin(struct cairn_exporter *exporter)
{
    struct folded *folded = (struct folded *)calloc(1, sizeof(*folded));
    int err;

    if (!folded)
        return ENOMEM;
    exporter->state = folded;
    folded->exporter = exporter;
    err = timeline_spans_create(&folded->spans);
    if (!err)
        timeline_spans_set_forget(folded->spans, forget, folded);
    return err;
}

static void write_stack(struct export_print_output *out, const struct stack *stack)
{
    const char *names[DEPTH_MAX + 1];
    uint32_t depth = 0;

    for (const struct stack *at = stack; at->outer; at = at->outer)
        names[depth++] = at->name;
    while (depth--) {
        export_output_string(out, names[depth]);
        export_output_byte(out, depth ? ';' : ' ');
    }
    out->at = export_put_unsigned(export_output_reserve(out, 20), stack->self_ns);
    export_output_byte(out, '\n');
}

static int finish(struct cairn_exporter *exporter)
{
    struct folded *folded = (struct folded *)exporter->state;

    for (const struct stack *stack = folded->all; stack; stack = stack->all) {
        if (stack->self_ns)
            write_stack(&exporter->out, stack);
    }
    exporter->counts.notes[CAIRN_EXPORTER_UNFINISHED] += timeline_spans_counts(folded->spans)->open;
    return 0;
}

static void free_open(struct folded *folded)
{
    const struct timeline_span *span;
    size_t cursor = 0;

    while (folded->spans && (span = timeline_spans_open(folded->spans, &cursor)))
        free((struct folded_open_span *)(uintptr_t)span->cookie);
}

static void destroy(struct cairn_exporter *exporter)
{
    struct folded *folded = (struct folded *)exporter->state;

    if (!folded)
        return;
    free_open(folded);
    timeline_spans_destroy(folded->spans);
    while (folded->all) {
        struct stack *stack = folded->all;

        folded->all = stack->all;
        free(stack);
    }
    free(folded);
}

const struct exchange_format exchange_format_folded = {
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
