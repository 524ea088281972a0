/* SPDX-License-Identifier: MIT */
/*
 * Stacks of events, for flame graphs: a line for each different one, "thread;main;send;Shop:Sent
 * 15", with the number of events.
 */
#include "exchange/text.h"

#include "export/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The thread, the functions and the event. */
#define NAMES_MAX (TIMELINE_CALLS_DEPTH_MAX + 2)

struct stacks {
    struct timeline_calls calls; /* of threads: of functions: of names of events */
    uint64_t *counts;            /* by call */
    uint32_t capacity;
};

/* Enters the name that exporter->text has. */
static int enter_name(struct cairn_exporter *exporter, struct stacks *stacks, uint32_t *call)
{
    struct export_print_output *text = &exporter->text;

    export_output_byte(text, '\0');
    if (text->error)
        return text->error;
    return timeline_calls_enter(&stacks->calls, &(struct cairn_frame){.symbol = text->begin}, call);
}

static int count(struct stacks *stacks, uint32_t call)
{
    uint32_t capacity = stacks->capacity ? stacks->capacity : 256;
    void *bigger;

    while (capacity <= call)
        capacity *= 2;
    if (capacity != stacks->capacity) {
        bigger = realloc(stacks->counts, capacity * sizeof(*stacks->counts));
        if (!bigger)
            return ENOMEM;
        stacks->counts = (uint64_t *)bigger;
        memset(stacks->counts + stacks->capacity, 0,
               (capacity - stacks->capacity) * sizeof(*stacks->counts));
        stacks->capacity = capacity;
    }
    stacks->counts[call]++;
    return 0;
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct stacks *stacks = (struct stacks *)exporter->state;
    struct export_print_output *text = &exporter->text;
    uint32_t call = 0;
    int err;

    if (!event->stack) {
        exchange_note(exporter, CAIRN_EXPORTER_NO_STACKS);
        return 0;
    }
    exchange_put_thread_name(exporter, event);
    err = enter_name(exporter, stacks, &call);
    if (!err)
        err = timeline_calls_enter_all(&stacks->calls, event, &call);
    if (err)
        return err;
    text->at = text->begin;
    exchange_put_event_name(exporter, text, event->type);
    err = enter_name(exporter, stacks, &call);
    return err ? err : count(stacks, call);
}

/* ---- the lines ---- */

static void put_name(struct cairn_exporter *exporter, const struct timeline_function *function)
{
    struct export_print_output *text = &exporter->text;

    text->at = text->begin;
    exchange_put_function(exporter, text, function);
    if (!exchange_fold_name(text->begin, (size_t)(text->at - text->begin)))
        exchange_note(exporter, CAIRN_EXPORTER_NAMES);
    export_output_bytes(&exporter->out, text->begin, (size_t)(text->at - text->begin));
}

static void write_stack(struct cairn_exporter *exporter, const struct timeline_calls *calls,
                        uint32_t call)
{
    uint32_t functions[NAMES_MAX];
    uint32_t depth = 0;

    for (; call && depth < NAMES_MAX; call = calls->calls[call - 1].caller)
        functions[depth++] = calls->calls[call - 1].function;
    while (depth--) {
        put_name(exporter, &calls->functions[functions[depth]]);
        export_output_byte(&exporter->out, depth ? ';' : ' ');
    }
}

static int finish(struct cairn_exporter *exporter)
{
    struct stacks *stacks = (struct stacks *)exporter->state;
    struct export_print_output *out = &exporter->out;

    for (uint32_t call = 1; call < stacks->capacity; call++) {
        if (!stacks->counts[call])
            continue;
        write_stack(exporter, &stacks->calls, call);
        out->at = export_put_unsigned(export_output_reserve(out, 20), stacks->counts[call]);
        export_output_byte(out, '\n');
    }
    exporter->counts.notes[CAIRN_EXPORTER_STACKS_CUT] += stacks->calls.cut;
    return 0;
}

static int begin(struct cairn_exporter *exporter)
{
    exporter->state = calloc(1, sizeof(struct stacks));
    return exporter->state ? 0 : ENOMEM;
}

static void destroy(struct cairn_exporter *exporter)
{
    struct stacks *stacks = (struct stacks *)exporter->state;

    if (!stacks)
        return;
    timeline_calls_free(&stacks->calls);
    free(stacks->counts);
    free(stacks);
}

const struct exchange_format exchange_format_stacks = {
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
