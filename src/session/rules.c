/* SPDX-License-Identifier: MIT */
/* The rules of a session: its patterns and their filters, as programs get them (engine/rules.h). */
#include "condition/condition.h"
#include "session/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *filter_of(const struct cairn_session_options *options, size_t pattern)
{
    return options->filters ? options->filters[pattern] : NULL;
}

/* A copy of a text, or of none. */
static bool copy_text(const char *text, char **ret_copy)
{
    *ret_copy = text ? strdup(text) : NULL;
    return !text || *ret_copy;
}

int session_copy_rule(struct session_rule *rule, const char *pattern, const char *filter)
{
    size_t length;
    int error = session_parse_words(pattern, &length, &rule->shared);

    if (error)
        return error;
    rule->given = strdup(pattern);
    rule->pattern = strndup(pattern, length);
    rule->glob = malloc(length + ENGINE_RULE_GLOB_MORE);
    if (!rule->given || !rule->pattern || !rule->glob || !copy_text(filter, &rule->filter) ||
        !copy_text(filter, &rule->marked))
        return ENOMEM;
    engine_rule_glob(rule->pattern, rule->glob);
    if (rule->marked)
        condition_mark_names(rule->marked);
    return 0;
}

/* Fills the engine's part; its pointers refer to the rules. */
void session_fill_request(struct cairn_session *session)
{
    session->request.rules = NULL;
    session->request.patterns = session->globs;
    session->request.pattern_count = (uint32_t)session->rule_count;
    for (size_t i = 0; i < session->rule_count; i++) {
        struct session_rule *rule = &session->rules[i];

        session->globs[i] = rule->glob;
        rule->shared.pattern = core_slice_of(rule->pattern);
        rule->shared.filter = rule->marked ? core_slice_of(rule->marked) : (struct cairn_slice){0};
        session->shared_rules[i] = rule->shared;
        session->with_stacks |= rule->shared.with_stack;
        if (!session_rule_takes_all(rule) || rule->shared.every || rule->shared.rate ||
            rule->shared.with_stack)
            session->request.rules = session->shared_rules;
    }
}

int session_copy_rules(struct cairn_session *session, const struct cairn_session_options *options)
{
    session->rules = calloc(options->pattern_count, sizeof(*session->rules));
    session->globs = calloc(options->pattern_count, sizeof(*session->globs));
    session->shared_rules = calloc(options->pattern_count, sizeof(*session->shared_rules));
    if (!session->rules || !session->globs || !session->shared_rules)
        return ENOMEM;
    session->rule_count = options->pattern_count;
    for (size_t i = 0; i < options->pattern_count; i++) {
        int error =
            session_copy_rule(&session->rules[i], options->patterns[i], filter_of(options, i));

        if (error)
            return error;
    }
    session_fill_request(session);
    return 0;
}

void session_free_rule(struct session_rule *rule)
{
    free(rule->given);
    free(rule->pattern);
    free(rule->glob);
    free(rule->filter);
    free(rule->marked);
    free(rule->problem);
}

void session_free_rules(struct cairn_session *session)
{
    for (size_t i = 0; i < session->rule_count; i++)
        session_free_rule(&session->rules[i]);
    free(session->rules);
    free(session->globs);
    free(session->shared_rules);
}

bool session_rule_takes_all(const struct session_rule *rule)
{
    return !rule->filter && engine_rule_is_whole(rule->shared.pattern);
}

void session_name_tracepoint(struct session_tracepoint *tp)
{
    tp->full_name = (struct engine_event_name){
        .system = core_slice_of(tp->is_multi ? SESSION_SYSTEM_NAME "_multi" : SESSION_SYSTEM_NAME),
        .tracepoint = core_slice_of(tp->name),
    };
    if (tp->is_eventheader)
        (void)engine_rule_split_tracepoint(tp->full_name.tracepoint, &tp->full_name.provider,
                                           &tp->keyword);
}

/* Names refer to the tracepoint, which moves when there are more. */
static bool names(const struct cairn_session *session, size_t pattern,
                  const struct session_tracepoint *tp)
{
    struct session_tracepoint copy = *tp;

    session_name_tracepoint(&copy);
    return engine_rule_names_tracepoint(session->rules[pattern].shared.pattern, &copy.full_name);
}

bool cairn_session_has_matched(const struct cairn_session *session, size_t pattern)
{
    for (uint32_t i = 0; i < session->tracepoint_count; i++) {
        if (names(session, pattern, &session->tracepoints[i]))
            return true;
    }
    return false;
}

/* A rule that is not applied, since another one takes all events of a tracepoint, selects these. */
static bool has_chosen(const struct session_rule *rule, const struct session_tracepoint *tp)
{
    return session_rule_takes_all(rule) || rule->chose || (!tp->filtered && tp->events);
}

bool cairn_session_has_selected(const struct cairn_session *session, size_t pattern)
{
    for (uint32_t i = 0; i < session->tracepoint_count; i++) {
        const struct session_tracepoint *tp = &session->tracepoints[i];

        if (names(session, pattern, tp) && has_chosen(&session->rules[pattern], tp))
            return true;
    }
    return false;
}

const char *cairn_session_filter_problem(const struct cairn_session *session, size_t pattern)
{
    const struct session_rule *rule = &session->rules[pattern];

    return rule->was_applied ? NULL : rule->problem;
}
