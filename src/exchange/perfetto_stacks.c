/* SPDX-License-Identifier: MIT */
/*
 * Stacks of events: a callstack is a list of frames, a frame has a function and the file that it is
 * in. Each is written once, with the first event that needs it. The numbers of functions' names, of
 * their files and of frames are those of functions, + 1; that of a callstack is its call's.
 */
#include "exchange/perfetto.h"

#include "exchange/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lists of what is new, each as long as there are new functions. */
struct lists {
    ExchangePf__Interned **names;
    ExchangePf__Interned **paths;
    ExchangePf__Mapping **mappings;
    ExchangePf__Frame **frames;
};

/* ---- functions ---- */

static ExchangePf__Mapping *make_mapping(struct exchange_pf *pf, uint64_t iid)
{
    ExchangePf__Mapping *mapping = (ExchangePf__Mapping *)exchange_pf_take(pf, sizeof(*mapping));
    uint64_t *path = (uint64_t *)exchange_pf_take(pf, sizeof(*path));

    if (!mapping || !path)
        return NULL;
    exchange_pf__mapping__init(mapping);
    *path = iid;
    mapping->has_iid = true;
    mapping->iid = iid;
    mapping->path_string_ids = path;
    mapping->n_path_string_ids = 1;
    return mapping;
}

static ExchangePf__Frame *make_frame(struct exchange_pf *pf, uint64_t iid,
                                     const struct timeline_function *function)
{
    ExchangePf__Frame *frame = (ExchangePf__Frame *)exchange_pf_take(pf, sizeof(*frame));

    if (!frame)
        return NULL;
    exchange_pf__frame__init(frame);
    frame->has_iid = frame->has_function_name_id = true;
    frame->iid = frame->function_name_id = iid;
    frame->has_mapping_id = frame->has_rel_pc = true;
    frame->mapping_id = iid;
    frame->rel_pc = function->object_offset;
    return frame;
}

static void intern_function(struct exchange_pf *pf, const struct timeline_function *function,
                            uint64_t iid, const struct lists *lists, size_t at)
{
    struct export_print_output *text = &pf->exporter->text;
    struct cairn_slice object = {timeline_function_object(function), function->object_bytes};

    lists->names[at] = exchange_pf_intern(pf, iid, (struct cairn_slice){"", 0});
    if (lists->names[at]) {
        text->at = text->begin;
        exchange_put_function(pf->exporter, text, function);
        lists->names[at]->name = exchange_pf_copy_text(pf);
    }
    lists->paths[at] = exchange_pf_intern(pf, iid, object);
    lists->mappings[at] = make_mapping(pf, iid);
    lists->frames[at] = make_frame(pf, iid, function);
}

/* The functions that are not written yet. */
static void intern_functions(struct exchange_pf *pf, ExchangePf__InternedData *interned)
{
    struct exchange_pf_stacks *stacks = &pf->stacks;
    size_t count = stacks->calls.function_count - stacks->interned_functions;
    size_t size_bytes = count * sizeof(void *);
    struct lists lists = {.names = exchange_pf_take(pf, size_bytes),
                          .paths = exchange_pf_take(pf, size_bytes),
                          .mappings = exchange_pf_take(pf, size_bytes),
                          .frames = exchange_pf_take(pf, size_bytes)};

    for (size_t n = 0; n < count && !pf->error; n++) {
        uint32_t number = stacks->interned_functions++;

        intern_function(pf, &stacks->calls.functions[number], number + UINT64_C(1), &lists, n);
    }
    if (pf->error)
        return;
    interned->function_names = lists.names;
    interned->mapping_paths = lists.paths;
    interned->mappings = lists.mappings;
    interned->frames = lists.frames;
    interned->n_function_names = interned->n_mapping_paths = count;
    interned->n_mappings = interned->n_frames = count;
}

/* ---- stacks ---- */

/* The frames, the outermost first. */
static ExchangePf__Callstack *make_callstack(struct exchange_pf *pf, uint32_t call)
{
    const struct timeline_call *calls = pf->stacks.calls.calls;
    ExchangePf__Callstack *made = (ExchangePf__Callstack *)exchange_pf_take(pf, sizeof(*made));
    size_t depth = 0;

    if (!made)
        return NULL;
    exchange_pf__callstack__init(made);
    made->has_iid = true;
    made->iid = call;
    for (uint32_t at = call; at; at = calls[at - 1].caller)
        depth++;
    made->frame_ids = (uint64_t *)exchange_pf_take(pf, depth * sizeof(*made->frame_ids));
    if (!made->frame_ids)
        return NULL;
    made->n_frame_ids = depth;
    for (uint32_t at = call; at; at = calls[at - 1].caller)
        made->frame_ids[--depth] = calls[at - 1].function + UINT64_C(1);
    return made;
}

/* True if the callstack was not marked before. */
static bool mark(struct exchange_pf *pf, uint32_t call)
{
    struct exchange_pf_stacks *stacks = &pf->stacks;
    uint32_t size_bytes = stacks->interned_bytes ? stacks->interned_bytes : 64;
    uint8_t bit = (uint8_t)(1u << call % 8);
    bool is_new;
    void *bigger;

    while (size_bytes <= call / 8)
        size_bytes *= 2;
    if (size_bytes != stacks->interned_bytes) {
        bigger = realloc(stacks->interned, size_bytes);
        if (!bigger) {
            pf->error = ENOMEM;
            return false;
        }
        stacks->interned = (uint8_t *)bigger;
        memset(stacks->interned + stacks->interned_bytes, 0, size_bytes - stacks->interned_bytes);
        stacks->interned_bytes = size_bytes;
    }
    is_new = !(stacks->interned[call / 8] & bit);
    stacks->interned[call / 8] |= bit;
    return is_new;
}

void exchange_pf_set_stack(struct exchange_pf *pf, const struct cairn_event *event,
                           ExchangePf__TrackEvent *to, ExchangePf__InternedData *interned)
{
    ExchangePf__Callstack **list;
    uint32_t call = 0;

    if (timeline_calls_enter_all(&pf->stacks.calls, event, &call))
        pf->error = ENOMEM;
    if (pf->error || !call)
        return;
    to->has_callstack_iid = true;
    to->callstack_iid = call;
    if (!mark(pf, call))
        return;
    intern_functions(pf, interned);
    list = (ExchangePf__Callstack **)exchange_pf_take(pf, sizeof(*list));
    if (!list)
        return;
    *list = make_callstack(pf, call);
    interned->callstacks = list;
    interned->n_callstacks = *list != NULL;
}

void exchange_pf_free_stacks(struct exchange_pf_stacks *stacks)
{
    timeline_calls_free(&stacks->calls);
    free(stacks->interned);
    *stacks = (struct exchange_pf_stacks){0};
}
