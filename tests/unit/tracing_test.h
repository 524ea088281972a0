/* SPDX-License-Identifier: MIT */
/* A layer that notes its callbacks, one line for each call. */
#ifndef TESTS_TRACING_TEST_H
#define TESTS_TRACING_TEST_H

#include "tracing/line_values.h"

#include <cairn/tracing.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct notebook {
    struct cairn_layer layer; /* must be the first member */
    struct tracing_line text;
    int destroyed;
};

static inline void note_name(struct notebook *book, const char *what, const struct cairn_span *span)
{
    tracing_line_printf(&book->text, "%s %s", what, cairn_span_callsite(span)->name);
}

static inline void note_span(struct cairn_layer *layer, const char *what,
                             const struct cairn_span *span)
{
    struct notebook *book = (struct notebook *)layer;

    note_name(book, what, span);
    tracing_line_add_char(&book->text, '\n');
}

static inline void note_span_fields(struct cairn_layer *layer, const char *what,
                                    const struct cairn_span *span)
{
    const struct cairn_callsite *site = cairn_span_callsite(span);
    struct notebook *book = (struct notebook *)layer;

    note_name(book, what, span);
    for (uint32_t i = 0; i < site->field_count; i++) {
        struct cairn_tracing_value value = cairn_span_value(span, i);

        tracing_line_add_char(&book->text, ' ');
        tracing_line_human_field(&book->text, site->fields[i], &value);
    }
    tracing_line_add_char(&book->text, '\n');
}

static inline void note_event(struct cairn_layer *layer, const struct cairn_tracing_event *event)
{
    struct notebook *book = (struct notebook *)layer;
    struct cairn_span *span = cairn_layer_span(layer, event->span);

    tracing_line_printf(&book->text, "%.*s: %s", (int)event->site->target_bytes,
                        event->site->target, event->message);
    for (uint32_t i = 0; i < event->site->field_count; i++) {
        tracing_line_add_char(&book->text, ' ');
        tracing_line_human_field(&book->text, event->site->fields[i], &event->values[i]);
    }
    if (span)
        tracing_line_printf(&book->text, " in %s", cairn_span_callsite(span)->name);
    tracing_line_add_char(&book->text, '\n');
}

static inline void note_new(struct cairn_layer *layer, struct cairn_span *span)
{
    note_span_fields(layer, "new", span);
}

static inline void note_record(struct cairn_layer *layer, struct cairn_span *span)
{
    note_span_fields(layer, "record", span);
}

static inline void note_enter(struct cairn_layer *layer, struct cairn_span *span)
{
    note_span(layer, "enter", span);
}

static inline void note_exit(struct cairn_layer *layer, struct cairn_span *span)
{
    note_span(layer, "exit", span);
}

static inline void note_close(struct cairn_layer *layer, struct cairn_span *span)
{
    note_span(layer, "close", span);
}

static inline void note_follows(struct cairn_layer *layer, struct cairn_span *span,
                                struct cairn_span *cause)
{
    struct notebook *book = (struct notebook *)layer;

    note_name(book, "after", cause);
    tracing_line_add_char(&book->text, ' ');
    note_span(layer, "comes", span);
}

static inline void note_destroy(struct cairn_layer *layer)
{
    ((struct notebook *)layer)->destroyed++;
}

#define NOTEBOOK                               \
    {                                          \
        .layer = {                             \
            .event = note_event,               \
            .span_new = note_new,              \
            .span_record = note_record,        \
            .span_enter = note_enter,          \
            .span_exit = note_exit,            \
            .span_close = note_close,          \
            .span_follows_from = note_follows, \
            .destroy = note_destroy,           \
        },                                     \
    }

static inline void forget_notes(struct notebook *book)
{
    book->text.length = 0;
    if (book->text.text)
        book->text.text[0] = '\0';
}

/* Checks the notes that were made since the last check. */
static inline void assert_notes(struct notebook *book, const char *expected)
{
    assert_string_equal(book->text.text ? book->text.text : "", expected);
    forget_notes(book);
}

static inline struct cairn_directives *directives(const char *text)
{
    struct cairn_directives *parsed = NULL;

    assert_int_equal(cairn_directives_parse(text, &parsed, NULL), 0);
    return parsed;
}

/* The global subscriber of a test, with one notebook. */
static struct notebook notes = NOTEBOOK;
static struct cairn_subscriber *subscriber;

static inline int begin_notes(void **state)
{
    (void)state;
    return cairn_subscriber_create(&subscriber) ||
           cairn_subscriber_add(subscriber, &notes.layer, NULL) ||
           cairn_subscriber_set_global(subscriber);
}

static inline int end_notes(void **state)
{
    (void)state;
    tracing_line_free(&notes.text);
    return cairn_subscriber_set_global(NULL) || cairn_subscriber_destroy(subscriber);
}

#endif
