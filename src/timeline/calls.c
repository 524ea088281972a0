/* SPDX-License-Identifier: MIT */
/* The tree of calls, and the functions in it. */
#include "timeline/calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u

/* ---- tables ---- */

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t h = (a ^ b * 0x85ebca6bu) * 0x9e3779b1u;

    return h ^ h >> 15;
}

static uint32_t hash_bytes(uint32_t hash, const char *text, size_t size)
{
    for (size_t n = 0; n < size; n++)
        hash = (hash ^ (uint8_t)text[n]) * 16777619u;
    return hash;
}

static void put(struct timeline_call_slots *slots, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & (slots->count - 1);

    while (slots->list[at])
        at = (at + 1) & (slots->count - 1);
    slots->list[at] = number + 1;
}

/* Makes space for one more: at most half of the slots are used. */
static int grow(struct timeline_call_slots *slots, uint32_t used, void **list, size_t element_bytes,
                bool *ret_is_new)
{
    uint32_t count = slots->count ? 2 * slots->count : FIRST_SLOTS;
    uint32_t *grown;
    void *bigger;

    *ret_is_new = false;
    if (used < slots->count / 2)
        return 0;
    bigger = realloc(*list, count / 2 * element_bytes);
    if (!bigger)
        return ENOMEM;
    *list = bigger;
    grown = (uint32_t *)calloc(count, sizeof(*grown));
    if (!grown)
        return ENOMEM;
    free(slots->list);
    *slots = (struct timeline_call_slots){grown, count};
    *ret_is_new = true;
    return 0;
}

/* ---- functions ---- */

/* The name of a frame: its function, or else the file that it is in. */
struct name {
    const char *symbol;
    const char *object;
    uint32_t symbol_bytes;
    uint32_t object_bytes;
    uint32_t hash;
    bool is_kernel;
};

static struct name name_of(const struct cairn_frame *frame)
{
    struct name name = {.symbol = frame->symbol ? frame->symbol : "",
                        .object = frame->object ? frame->object : "",
                        .is_kernel = frame->is_kernel};

    name.symbol_bytes = (uint32_t)strlen(name.symbol);
    name.object_bytes = (uint32_t)strlen(name.object);
    name.hash = hash_bytes(2166136261u, name.symbol, name.symbol_bytes + 1);
    name.hash = hash_bytes(name.hash ^ name.is_kernel, name.object, name.object_bytes);
    return name;
}

static bool is_same(const struct timeline_function *function, const struct name *name)
{
    return function->hash == name->hash && function->symbol_bytes == name->symbol_bytes &&
           function->object_bytes == name->object_bytes && function->is_kernel == name->is_kernel &&
           !memcmp(function->text, name->symbol, name->symbol_bytes) &&
           !memcmp(timeline_function_object(function), name->object, name->object_bytes);
}

static int add_function(struct timeline_calls *calls, const struct name *name,
                        uint64_t object_offset, uint32_t *ret_function)
{
    struct timeline_function *function;
    bool is_new;
    int err = grow(&calls->function_slots, calls->function_count, (void **)&calls->functions,
                   sizeof(*calls->functions), &is_new);

    if (err)
        return err;
    for (uint32_t n = 0; is_new && n < calls->function_count; n++)
        put(&calls->function_slots, calls->functions[n].hash, n);
    function = &calls->functions[calls->function_count];
    *function = (struct timeline_function){
        .text = (char *)malloc((size_t)name->symbol_bytes + 1 + name->object_bytes + 1),
        .hash = name->hash,
        .symbol_bytes = name->symbol_bytes,
        .object_bytes = name->object_bytes,
        .is_kernel = name->is_kernel,
        .object_offset = object_offset};
    if (!function->text)
        return ENOMEM;
    memcpy(function->text, name->symbol, name->symbol_bytes + 1);
    memcpy(function->text + name->symbol_bytes + 1, name->object, name->object_bytes + 1);
    put(&calls->function_slots, name->hash, calls->function_count);
    *ret_function = calls->function_count++;
    return 0;
}

/* Returns 0; ENOSPC too many; ENOMEM. */
static int find_function(struct timeline_calls *calls, const struct cairn_frame *frame,
                         uint32_t *ret_function)
{
    const struct timeline_call_slots *slots = &calls->function_slots;
    struct name name = name_of(frame);

    for (uint32_t at = name.hash; slots->count && slots->list[at & (slots->count - 1)]; at++) {
        uint32_t number = slots->list[at & (slots->count - 1)] - 1;

        if (is_same(&calls->functions[number], &name)) {
            *ret_function = number;
            return 0;
        }
    }
    return calls->function_count < TIMELINE_FUNCTIONS_MAX
               ? add_function(calls, &name, frame->object_offset, ret_function)
               : ENOSPC;
}

/* ---- calls ---- */

static int add_call(struct timeline_calls *calls, const struct timeline_call *call,
                    uint32_t *ret_call)
{
    bool is_new;
    int err = grow(&calls->call_slots, calls->call_count, (void **)&calls->calls,
                   sizeof(*calls->calls), &is_new);

    if (err)
        return err;
    for (uint32_t n = 0; is_new && n < calls->call_count; n++)
        put(&calls->call_slots, mix(calls->calls[n].caller, calls->calls[n].function), n);
    calls->calls[calls->call_count] = *call;
    put(&calls->call_slots, mix(call->caller, call->function), calls->call_count);
    *ret_call = calls->call_count++;
    return 0;
}

/* Returns 0; ENOSPC too many; ENOMEM. */
static int find_call(struct timeline_calls *calls, const struct timeline_call *call,
                     uint32_t *ret_call)
{
    const struct timeline_call_slots *slots = &calls->call_slots;
    uint32_t at = mix(call->caller, call->function);

    for (; slots->count && slots->list[at & (slots->count - 1)]; at++) {
        uint32_t number = slots->list[at & (slots->count - 1)] - 1;

        if (calls->calls[number].caller == call->caller &&
            calls->calls[number].function == call->function) {
            *ret_call = number;
            return 0;
        }
    }
    return calls->call_count < TIMELINE_CALLS_MAX ? add_call(calls, call, ret_call) : ENOSPC;
}

/* Returns 0; ENOSPC too many; ENOMEM. */
static int enter(struct timeline_calls *calls, const struct cairn_frame *frame, uint32_t *call)
{
    struct timeline_call found = {.caller = *call};
    uint32_t number;
    int err = find_function(calls, frame, &found.function);

    err = err ? err : find_call(calls, &found, &number);
    if (!err)
        *call = number + 1;
    return err;
}

int timeline_calls_enter(struct timeline_calls *calls, const struct cairn_frame *frame,
                         uint32_t *call)
{
    int err = enter(calls, frame, call);

    calls->cut += err == ENOSPC;
    return err == ENOSPC ? 0 : err;
}

int timeline_calls_enter_all(struct timeline_calls *calls, const struct cairn_event *event,
                             uint32_t *call)
{
    uint32_t depth = cairn_event_frame_count(event);
    bool is_cut = depth > TIMELINE_CALLS_DEPTH_MAX;
    struct cairn_frame frame;
    int err = 0;

    if (is_cut)
        depth = TIMELINE_CALLS_DEPTH_MAX;
    while (depth-- && !err && cairn_event_frame(event, depth, &frame))
        err = enter(calls, &frame, call);
    calls->cut += is_cut || err == ENOSPC;
    return err == ENOSPC ? 0 : err;
}

void timeline_calls_free(struct timeline_calls *calls)
{
    for (uint32_t n = 0; n < calls->function_count; n++)
        free(calls->functions[n].text);
    free(calls->functions);
    free(calls->function_slots.list);
    free(calls->calls);
    free(calls->call_slots.list);
    *calls = (struct timeline_calls){0};
}
