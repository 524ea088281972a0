/* SPDX-License-Identifier: MIT */
/* A selection: its options, and the decision on an event. Decisions that depend only on an event's
 * layout are made once for each layout. */
#include "cairn/select.h"

#include "core/glob.h"
#include "core/options.h"
#include "select/compiled_filter.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 1024u /* a power of two */

/* The decision for a layout. */
struct selection_slot {
    uint64_t serial; /* of the layout; 0: free */
    bool is_named;   /* a pattern matches its name */
    bool has_compiled;
    struct select_compiled_filter compiled;
};

struct numbers {
    uint32_t *numbers;
    size_t count;
};

struct selection_texts {
    struct cairn_slice *texts;
    size_t count;
};

struct cairn_selection {
    struct selection_texts patterns;
    bool *has_matched; /* by pattern */
    struct selection_texts comms;
    struct numbers pids;
    struct numbers tids;
    struct numbers cpus;
    char *filter; /* NULL: none */
    char *dotted;
    bool was_applied; /* the filter, to any event */
    char *problem;    /* problem of the first layout to which the filter could not be applied */
    struct export_print_output record;
    struct export_print_output text;
    struct selection_slot slots[SLOTS];
};

/* ---- creating ---- */

static int copy_numbers(struct numbers *to, const uint32_t *from, size_t count)
{
    if (!count)
        return 0;
    to->numbers = (uint32_t *)malloc(count * sizeof(*from));
    if (!to->numbers)
        return ENOMEM;
    memcpy(to->numbers, from, count * sizeof(*from));
    to->count = count;
    return 0;
}

static int copy_texts(struct selection_texts *to, const char *const *from, size_t count)
{
    if (!count)
        return 0;
    to->texts = (struct cairn_slice *)calloc(count, sizeof(*to->texts));
    if (!to->texts)
        return ENOMEM;
    to->count = count;
    for (size_t n = 0; n < count; n++) {
        to->texts[n] = (struct cairn_slice){strdup(from[n]), (uint32_t)strlen(from[n])};
        if (!to->texts[n].text)
            return ENOMEM;
    }
    return 0;
}

static void free_texts(struct selection_texts *texts)
{
    for (size_t n = 0; n < texts->count; n++)
        free((void *)(uintptr_t)texts->texts[n].text);
    free(texts->texts);
}

static int copy_filter(struct cairn_selection *selection, const char *filter,
                       struct cairn_filter_error *ret_error)
{
    struct cairn_filter_error error;
    int err;

    if (!filter)
        return 0;
    if (strlen(filter) >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    selection->filter = strdup(filter);
    selection->dotted = strdup(filter);
    if (!selection->filter || !selection->dotted)
        return ENOMEM;
    condition_mark_names(selection->dotted);
    if (!cairn_filter_is_valid(selection->dotted, &error)) {
        if (ret_error)
            *ret_error = error;
        return EINVAL;
    }
    err = export_output_open(&selection->record, -1);
    return err ? err : export_output_open(&selection->text, -1);
}

static int fill(struct cairn_selection *selection, const struct cairn_selection_options *options,
                struct cairn_filter_error *ret_error)
{
    int err = copy_texts(&selection->patterns, options->patterns, options->pattern_count);

    selection->has_matched = (bool *)calloc(options->pattern_count + 1, sizeof(bool));
    if (!selection->has_matched)
        err = ENOMEM;
    if (!err)
        err = copy_texts(&selection->comms, options->comms, options->comm_count);
    if (!err)
        err = copy_numbers(&selection->pids, options->pids, options->pid_count);
    if (!err)
        err = copy_numbers(&selection->tids, options->tids, options->tid_count);
    if (!err)
        err = copy_numbers(&selection->cpus, options->cpus, options->cpu_count);
    return err ? err : copy_filter(selection, options->filter, ret_error);
}

int cairn_selection_create(const struct cairn_selection_options *options,
                           struct cairn_filter_error *ret_error,
                           struct cairn_selection **ret_selection)
{
    struct cairn_selection_options own = CAIRN_SELECTION_OPTIONS_INIT;
    struct cairn_selection *selection;
    int err = core_options_copy(options,
                                CORE_OPTIONS_BYTES_TO(struct cairn_selection_options, comm_count),
                                sizeof(own), &own);

    if (err)
        return err;
    selection = (struct cairn_selection *)calloc(1, sizeof(*selection));
    if (!selection)
        return ENOMEM;
    err = fill(selection, &own, ret_error);
    if (err)
        cairn_selection_destroy(selection);
    else
        *ret_selection = selection;
    return err;
}

void cairn_selection_destroy(struct cairn_selection *selection)
{
    if (!selection)
        return;
    for (uint32_t n = 0; n < SLOTS; n++)
        select_compiled_filter_close(&selection->slots[n].compiled);
    free_texts(&selection->patterns);
    free_texts(&selection->comms);
    free(selection->has_matched);
    free(selection->pids.numbers);
    free(selection->tids.numbers);
    free(selection->cpus.numbers);
    free(selection->filter);
    free(selection->dotted);
    free(selection->problem);
    export_output_close(&selection->record);
    export_output_close(&selection->text);
    free(selection);
}

/* ---- by layout ---- */

/* Matches "A:B" with the texts before and after the first colon. */
static bool match_both(struct cairn_slice pattern, struct cairn_slice a, struct cairn_slice b)
{
    uint32_t colon = core_slice_find(pattern, ':');

    return core_glob_match_slice(core_slice_first(pattern, colon), a) &&
           core_glob_match_slice(core_slice_after(pattern, colon + 1), b);
}

static bool match_name(struct cairn_slice pattern, const struct cairn_event *event)
{
    const struct cairn_event_type *type = event->type;
    const struct cairn_event_tracepoint *tracepoint = event->tracepoint;

    if (core_slice_find(pattern, ':') < pattern.length)
        return match_both(pattern, type->provider, type->name) ||
               match_both(pattern, tracepoint->system, tracepoint->name);
    return core_glob_match_slice(pattern, type->name) ||
           core_glob_match_slice(pattern, tracepoint->name);
}

static bool match_patterns(struct cairn_selection *selection, const struct cairn_event *event)
{
    bool is_named = !selection->patterns.count;

    for (size_t n = 0; n < selection->patterns.count; n++) {
        if (!match_name(selection->patterns.texts[n], event))
            continue;
        selection->has_matched[n] = true;
        is_named = true;
    }
    return is_named;
}

static struct selection_slot *slot_of(struct cairn_selection *selection,
                                      const struct cairn_event *event)
{
    uint64_t serial = decode_layout_of(event->type)->serial;
    struct selection_slot *slot = &selection->slots[serial & (SLOTS - 1)];

    if (slot->serial == serial)
        return slot;
    select_compiled_filter_close(&slot->compiled);
    slot->serial = serial;
    slot->is_named = match_patterns(selection, event);
    slot->has_compiled = false;
    return slot;
}

/* Keeps the first problem, which is reported if the filter can be applied to no layout. */
static int note_problem(struct cairn_selection *selection,
                        const struct select_compiled_filter *compiled)
{
    if (select_compiled_filter_is_valid(compiled)) {
        selection->was_applied = true;
        return 0;
    }
    if (selection->problem)
        return 0;
    return asprintf(&selection->problem, "%s (at %" PRIu32 ": %s)", selection->filter,
                    compiled->error.position, compiled->error.reason) < 0
               ? ENOMEM
               : 0;
}

static int match_filter(struct cairn_selection *selection, struct selection_slot *slot,
                        const struct cairn_event *event, bool *ret_is_selected)
{
    if (!slot->has_compiled) {
        int err = select_compiled_filter_open(&slot->compiled, selection->dotted, event);

        if (!err)
            err = note_problem(selection, &slot->compiled);
        if (err)
            return err;
        slot->has_compiled = true;
    }
    return select_compiled_filter_match(&slot->compiled, event, &selection->record,
                                        &selection->text, ret_is_selected);
}

/* ---- by event ---- */

static bool has_number(const struct numbers *numbers, bool is_known, uint32_t number)
{
    if (!numbers->count)
        return true;
    for (size_t n = 0; is_known && n < numbers->count; n++) {
        if (numbers->numbers[n] == number)
            return true;
    }
    return false;
}

static bool has_comm(const struct selection_texts *comms, const char *comm)
{
    if (!comms->count)
        return true;
    for (size_t n = 0; comm && n < comms->count; n++) {
        if (core_glob_match_slice(comms->texts[n],
                                  (struct cairn_slice){comm, (uint32_t)strlen(comm)}))
            return true;
    }
    return false;
}

int cairn_selection_match(struct cairn_selection *selection, const struct cairn_event *event,
                          bool *ret_is_selected)
{
    struct selection_slot *slot = slot_of(selection, event);
    bool has_tid = event->has & CAIRN_EVENT_TID;

    *ret_is_selected = slot->is_named && has_number(&selection->pids, has_tid, event->pid) &&
                       has_number(&selection->tids, has_tid, event->tid) &&
                       has_number(&selection->cpus, event->has & CAIRN_EVENT_CPU, event->cpu) &&
                       has_comm(&selection->comms, event->comm);
    if (!*ret_is_selected || !selection->filter)
        return 0;
    return match_filter(selection, slot, event, ret_is_selected);
}

/* ---- state ---- */

int cairn_selection_merge(struct cairn_selection *selection, const struct cairn_selection *other)
{
    for (size_t n = 0; n < selection->patterns.count && n < other->patterns.count; n++)
        selection->has_matched[n] |= other->has_matched[n];
    selection->was_applied |= other->was_applied;
    if (!selection->problem && other->problem) {
        selection->problem = strdup(other->problem);
        return selection->problem ? 0 : ENOMEM;
    }
    return 0;
}

bool cairn_selection_has_matched(const struct cairn_selection *selection, size_t pattern)
{
    return pattern < selection->patterns.count && selection->has_matched[pattern];
}

const char *cairn_selection_problem(const struct cairn_selection *selection)
{
    return selection->was_applied ? NULL : selection->problem;
}
