/* SPDX-License-Identifier: MIT */
/* Filters of tracepoints: each has those of the patterns that its name matches. */
#include "core/glob.h"
#include "session/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *filter_of(const struct cairn_session_options *options, size_t pattern)
{
    return options->filters ? options->filters[pattern] : NULL;
}

/* A copy of a text, or of none. */
static bool copy_text(const char *text, const char **ret_copy)
{
    *ret_copy = text ? strdup(text) : NULL;
    return !text || *ret_copy;
}

int session_copy_patterns(struct cairn_session *session,
                          const struct cairn_session_options *options)
{
    session->patterns = calloc(options->pattern_count, sizeof(*session->patterns));
    session->filters = calloc(options->pattern_count, sizeof(*session->filters));
    if (!session->patterns || !session->filters)
        return ENOMEM;
    session->pattern_count = options->pattern_count;
    for (size_t i = 0; i < options->pattern_count; i++) {
        if (!copy_text(options->patterns[i], &session->patterns[i]) ||
            !copy_text(filter_of(options, i), &session->filters[i]))
            return ENOMEM;
    }
    return 0;
}

void session_free_patterns(struct cairn_session *session)
{
    for (size_t i = 0; i < session->pattern_count; i++) {
        free((void *)session->patterns[i]);
        free((void *)session->filters[i]);
    }
    free(session->patterns);
    free(session->filters);
}

/* The first problem of a tracepoint is kept. */
static int keep_problem(struct session_tracepoint *tp, const char *text,
                        const struct cairn_filter_error *error)
{
    if (tp->filter_problem)
        return 0;
    if (asprintf(&tp->filter_problem, "%s (at %u: %s)", text, error->position, error->reason) < 0) {
        tp->filter_problem = NULL;
        return ENOMEM;
    }
    return 0;
}

static int add_filter(struct session_tracepoint *tp, const struct cairn_schema *schema,
                      const char *text, size_t pattern)
{
    struct cairn_filter_error problem = {.reason = "The filter is too long"};
    size_t length = strlen(text);
    size_t size_bytes = cairn_filter_memory_bytes(length);
    struct session_filter *filter = malloc(sizeof(*filter) + size_bytes);
    int error;

    if (!filter)
        return ENOMEM;
    error = cairn_filter_compile(schema, text, length, filter + 1, size_bytes, &filter->compiled,
                                 &problem);
    if (error) {
        free(filter);
        return keep_problem(tp, text, &problem);
    }
    filter->pattern = pattern;
    filter->chose = false;
    filter->next = tp->filters;
    tp->filters = filter;
    return 0;
}

int session_filter_tracepoint(struct cairn_session *session, struct session_tracepoint *tp,
                              const struct cairn_schema *schema)
{
    tp->filtered = true;
    for (size_t i = 0; i < session->pattern_count && tp->filtered; i++) {
        if (core_glob_match(session->patterns[i], tp->name) && !session->filters[i])
            tp->filtered = false;
    }
    for (size_t i = 0; i < session->pattern_count && tp->filtered; i++) {
        int error = core_glob_match(session->patterns[i], tp->name)
                        ? add_filter(tp, schema, session->filters[i], i)
                        : 0;

        if (error)
            return error;
    }
    return 0;
}

void session_free_filters(struct session_tracepoint *tp)
{
    while (tp->filters) {
        struct session_filter *filter = tp->filters;

        tp->filters = filter->next;
        free(filter);
    }
    free(tp->filter_problem);
}

bool session_filter_chooses(const struct session_tracepoint *tp, const uint8_t *record,
                            uint32_t record_bytes, const char comm[16])
{
    const uint32_t raw = offsetof(struct cairn_record_head, common_type);
    struct cairn_filter_task task = {.comm = comm};
    bool chosen = false;

    memcpy(&task.cpu, record + offsetof(struct cairn_record_head, cpu), sizeof(task.cpu));
    /* One match is enough. Filters that have matched nothing yet are evaluated nevertheless:
     * those that never matched are reported at the end. */
    for (struct session_filter *filter = tp->filters; filter; filter = filter->next) {
        if ((chosen && filter->chose) ||
            !cairn_filter_match(filter->compiled, record + raw, record_bytes - raw, &task))
            continue;
        filter->chose = true;
        chosen = true;
    }
    return chosen;
}

/* A filter that is not evaluated, since another pattern takes all events, matches what that
 * takes. */
static bool has_chosen(const struct session_tracepoint *tp, size_t pattern)
{
    const struct session_filter *filter = tp->filters;

    if (!tp->filtered)
        return tp->events > 0;
    while (filter && !(filter->pattern == pattern && filter->chose))
        filter = filter->next;
    return filter != NULL;
}

bool cairn_session_has_matched(const struct cairn_session *session, size_t pattern)
{
    for (uint32_t i = 0; i < session->tracepoint_count; i++) {
        if (core_glob_match(session->patterns[pattern], session->tracepoints[i].name))
            return true;
    }
    return false;
}

bool cairn_session_has_selected(const struct cairn_session *session, size_t pattern)
{
    for (uint32_t i = 0; i < session->tracepoint_count; i++) {
        const struct session_tracepoint *tp = &session->tracepoints[i];

        if (core_glob_match(session->patterns[pattern], tp->name) &&
            (!session->filters[pattern] || has_chosen(tp, pattern)))
            return true;
    }
    return false;
}
