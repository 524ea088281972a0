/* SPDX-License-Identifier: MIT */
/*
 * Changes the rules of a session that collects. Programs have compiled the rules of a session, and
 * keep them; so another session of the engine begins in the place of the one before. Each entry's
 * mask changes by one store: an event is in one session or in the other.
 *
 * What the former session has is read by the former rules, before the pools of the next one are
 * opened. Writers that had read an entry's mask before it changed complete their events later, some
 * of them much later, because they wait for a CPU: the former session ends after FORMER_NS. Until
 * then a recorder that takes our place resumes both. Such an event is recorded if the next rules
 * choose it, too.
 */
#include "os/guard.h"
#include "os/thread.h"
#include "session/expand.h"
#include "session/resume.h"
#include "session/rules.h"
#include "session/sleep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FORMER_NS UINT64_C(2000000000)

/* The rules that a session has, or is to have. */
struct rule_set {
    struct session_rule *rules;
    size_t count;
    const char **globs;
    struct engine_rule *shared;
    struct engine_session_request request;
};

static void exchange(struct cairn_session *session, struct rule_set *set)
{
    const struct rule_set mine = {session->rules, session->rule_count, session->globs,
                                  session->shared_rules, session->request};

    session->rules = set->rules;
    session->rule_count = set->count;
    session->globs = set->globs;
    session->shared_rules = set->shared;
    session->request = set->request;
    *set = mine;
}

static void free_arrays(const struct rule_set *set)
{
    free(set->rules);
    free((void *)set->globs);
    free(set->shared);
}

static int make_arrays(const struct cairn_session *session, size_t count, struct rule_set *ret_set)
{
    *ret_set = (struct rule_set){
        .rules = calloc(count, sizeof(*ret_set->rules)),
        .count = count,
        .globs = calloc(count, sizeof(*ret_set->globs)),
        .shared = calloc(count, sizeof(*ret_set->shared)),
        .request = session->request,
    };
    return ret_set->rules && ret_set->globs && ret_set->shared ? 0 : ENOMEM;
}

/* ---- in a directory ---- */

/* One that cannot be changed, because another process holds its lock, continues as before. */
static void replace(struct cairn_session *session, struct session_directory *directory)
{
    if (session->directories->change_error && directory != session->directories)
        return; /* nothing is changed if one's own, the first, is not */
    session_update_tracepoints(session, directory);
    directory->change_error = engine_session_replace(
        &directory->local, &directory->handle, session->wanted_request, &directory->next_handle);
    if (!directory->change_error)
        (void)engine_session_beat(&directory->local, &directory->next_handle);
}

/* One that was registered just before the change is in the mask of the next session alone. */
static void update_tracepoints(struct cairn_session *session, struct session_directory *directory)
{
    const struct engine_session former = directory->handle;

    directory->handle = directory->next_handle;
    directory->seen_changes = ~directory->local.registry->changes; /* other entries are ours now */
    session_update_tracepoints(session, directory);
    directory->handle = former;
}

static void read_so_far(struct cairn_session *session, struct session_directory *directory)
{
    if (directory->change_error)
        return;
    update_tracepoints(session, directory);
    directory->pools_looked_ns = 0; /* the last look for the former session's */
    session_update_pools(session, directory);
    session_retry_pools(session, directory);
    session_drain_directory(session, directory);
    session_resume_flush(session);
}

static void begin_next(struct cairn_session *session, struct session_directory *directory)
{
    const struct engine_registry_file *registry = directory->local.registry;
    const size_t lost_bytes = sizeof(directory->slot_lost);

    if (directory->change_error)
        return;
    session_note_former(session, directory);
    directory->former = directory->handle;
    directory->changed_ns = os_clock_ns();
    memcpy(directory->former_lost, directory->slot_lost, lost_bytes);
    directory->handle = directory->next_handle;
    memcpy(directory->slot_lost, directory->next_lost, lost_bytes);
    memset(directory->next_lost, 0, lost_bytes);
    directory->seen_changes = ~registry->changes;
    directory->seen_pools = ~registry->pools;
    directory->pools_looked_ns = 0;
    session_update_tracepoints(session, directory);
    session_update_pools(session, directory);
    session_move_processes(session, directory);
}

/* ---- the former session ---- */

/* An entry that is not wanted any more may become another event's. */
static void forget_sources(struct session_directory *directory)
{
    for (uint32_t i = 1; i < ENGINE_EVENT_MAX; i++) {
        if (directory->sources[i].number_of_1 &&
            !(directory->local.entries[i].sessions >> directory->handle.slot & 1))
            directory->sources[i] = (struct session_source){0};
    }
}

void session_end_former(struct cairn_session *session, struct session_directory *directory)
{
    if (!session_has_former(directory))
        return;
    session_drain_directory(session, directory);
    session_resume_flush(session);
    session_close_former(session, directory);
    session->last_copied = (struct session_last_copied){0};
    /* Noted first: a recorder that is killed between both leaves a session that is swept later. */
    if (session->resume)
        session_resume_note(session, directory);
    engine_session_end(&directory->local, &directory->former);
    forget_sources(directory);
}

void session_update_former(struct cairn_session *session, struct session_directory *directory)
{
    if (!session_has_former(directory))
        return;
    (void)engine_session_beat(&directory->local, &directory->former);
    if (os_clock_ns() - directory->changed_ns >= FORMER_NS)
        session_end_former(session, directory);
}

/* A writer of the session that would be ended may be in progress. */
static void end_each_former(struct cairn_session *session)
{
    uint64_t now_ns = os_clock_ns();
    uint64_t wait_ns = 0;

    for (const struct session_directory *d = session->directories; d; d = d->next) {
        uint64_t passed_ns = now_ns - d->changed_ns;

        if (session_has_former(d) && passed_ns + wait_ns < SESSION_SETTLED_NS)
            wait_ns = SESSION_SETTLED_NS - passed_ns;
    }
    if (wait_ns)
        os_sleep(wait_ns);
    session_each_directory(session, session_end_former);
}

/* ---- the change ---- */

/* Copies what the former rules found out until their last event. */
static void copy_results(const struct cairn_session *session, struct rule_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        for (size_t j = 0; j < session->rule_count; j++) {
            const struct session_rule *former = &session->rules[j];

            if (set->rules[i].given != former->given)
                continue;
            set->rules[i].chose = former->chose;
            set->rules[i].was_applied = former->was_applied;
            set->rules[i].problem = former->problem;
        }
    }
}

/* Finds out again which events the rules of each tracepoint choose. */
static void apply_rules(struct cairn_session *session)
{
    for (uint32_t i = 0; i < session->tracepoint_count; i++) {
        struct session_tracepoint *tp = &session->tracepoints[i];

        session_free_filters(tp);
        tp->choices = NULL;
        tp->filter_problem = NULL;
        session_fail(session, session_filter_tracepoint(session, tp));
    }
}

static int change_guarded(struct cairn_session *session, struct rule_set *set)
{
    end_each_former(session);
    session->wanted_request = &set->request;
    session_each_directory(session, replace);
    session->wanted_request = NULL;
    if (session->directories->change_error)
        return session->directories->change_error;
    session_each_directory(session, read_so_far);
    session->last_copied = (struct session_last_copied){0};
    copy_results(session, set);
    exchange(session, set);
    apply_rules(session);
    session_each_directory(session, begin_next);
    return 0;
}

/* Exchanges the rules; the set has the former ones then. */
static int change(struct cairn_session *session, struct rule_set *set)
{
    struct os_guard guard;
    int error;

    /* The engine's part is filled with the rules in their place. */
    exchange(session, set);
    session_fill_request(session);
    exchange(session, set);
    os_guard_begin(&guard);
    session_sleep_wake(session);
    error = change_guarded(session, set);
    os_guard_end(&guard);
    return error;
}

/* ---- after a recorder was killed ---- */

/* The one that was killed had begun the change, and had not ended the former session yet. */
static void complete(struct cairn_session *session, struct session_directory *directory)
{
    if (!directory->has_next)
        return;
    directory->change_error = 0;
    read_so_far(session, directory);
    begin_next(session, directory);
    directory->has_next = false;
}

static int take_own_rules(struct cairn_session *session)
{
    struct rule_set set;
    int error = make_arrays(session, session->rule_count, &set);

    if (!error) {
        memcpy(set.rules, session->rules, session->rule_count * sizeof(*set.rules));
        error = change(session, &set);
    }
    free_arrays(&set);
    return error;
}

int session_renew_rules(struct cairn_session *session)
{
    bool any_is_outdated = false;
    bool any_has_next = false;
    struct os_guard guard;
    int error;

    for (const struct session_directory *d = session->directories; d; d = d->next) {
        any_is_outdated |= d->is_outdated;
        any_has_next |= d->has_next;
    }
    if (any_has_next) {
        os_guard_begin(&guard);
        session_each_directory(session, complete);
        os_guard_end(&guard);
    }
    if (!any_is_outdated)
        return 0;
    error = take_own_rules(session);
    for (struct session_directory *d = session->directories; d && !error; d = d->next)
        d->is_outdated = false;
    return error;
}

/* ---- patterns ---- */

static int find(const struct cairn_session *session, const char *pattern, size_t *ret_index)
{
    for (size_t i = 0; i < session->rule_count; i++) {
        if (!strcmp(session->rules[i].given, pattern)) {
            *ret_index = i;
            return 0;
        }
    }
    return ENOENT;
}

int cairn_session_pattern_add(struct cairn_session *session, const char *pattern,
                              const char *filter)
{
    struct session_rule rule = {0};
    struct rule_set set;
    size_t index;
    int error;

    if (session->is_finished || !*pattern)
        return EINVAL;
    if (!find(session, pattern, &index))
        return EEXIST;
    error = session_copy_rule(&rule, pattern, filter);
    if (!error && rule.shared.with_stack && !session->with_stacks)
        error = EINVAL;
    if (error) {
        session_free_rule(&rule);
        return error;
    }
    error = make_arrays(session, session->rule_count + 1, &set);
    if (!error) {
        memcpy(set.rules, session->rules, session->rule_count * sizeof(rule));
        set.rules[session->rule_count] = rule;
        error = change(session, &set);
    }
    free_arrays(&set);
    if (error)
        session_free_rule(&rule);
    return error;
}

int cairn_session_pattern_remove(struct cairn_session *session, const char *pattern)
{
    struct rule_set set;
    size_t index;
    int error;

    if (session->is_finished)
        return EINVAL;
    error = find(session, pattern, &index);
    if (error)
        return error;
    if (session->rule_count == 1)
        return EINVAL;
    error = make_arrays(session, session->rule_count - 1, &set);
    if (!error) {
        memcpy(set.rules, session->rules, index * sizeof(*set.rules));
        memcpy(set.rules + index, session->rules + index + 1,
               (set.count - index) * sizeof(*set.rules));
        error = change(session, &set);
    }
    if (!error)
        session_free_rule(&set.rules[index]);
    free_arrays(&set);
    return error;
}
