/* SPDX-License-Identifier: MIT */
/* Filters in the writer: finding the program of a session for a descriptor, and running it. */
#include "engine/filter.h"
#include "core/compact_record.h"
#include "engine/engine.h"
#include "engine/filter_program.h"
#include "engine/filter_sample.h"
#include "engine/sample.h"

#include <string.h>

/* Texts that are compared in another encoding than they have are converted to so much memory;
 * longer ones, and longer texts of any encoding, are left to the recorder. */
#define SCRATCH_BYTES  256u
#define TEXT_MAX_BYTES 4096u

/*
 * The programs that were found, by session and descriptor: in one word each, so that a reader sees
 * both or neither. The upper bits are the lower ones of the session's generation, and the number of
 * the descriptor's unit; the rest is the program's number. Generations are used up by thousands a
 * second at the most: the bits do not repeat while an entry of that age is still there.
 */
#define FOUND_COUNT  4096u
#define PROGRAM_BITS 20u
#define UNIT_BITS    15u

static uint64_t found[FOUND_COUNT];

_Static_assert(ENGINE_TABLE_UNITS == 1u << UNIT_BITS, "the bits of a unit");
_Static_assert(ENGINE_FILTER_PROGRAMS <= 1u << PROGRAM_BITS, "the bits of a program");

static uint64_t key_of(uint64_t session, uint32_t unit)
{
    return (session << UNIT_BITS | unit) << PROGRAM_BITS;
}

static uint64_t *found_at(uint64_t session, uint32_t unit)
{
    return &found[(unit ^ (uint32_t)session * 0x9e3779b1u >> 16) % FOUND_COUNT];
}

static uint32_t find(const struct engine_thread_session *ts, uint32_t id)
{
    uint32_t unit = id / ENGINE_ID_VARIANTS;
    uint64_t *at = found_at(ts->session, unit);
    uint64_t key = key_of(ts->session, unit);
    uint64_t value = core_load_acquire(at); /* pairs with the release below */
    uint32_t number;

    if (cairn_likely((value ^ key) >> PROGRAM_BITS == 0))
        return (uint32_t)value & ((1u << PROGRAM_BITS) - 1);
    if (engine_filter_program_of((uint32_t)__builtin_ctzll(ts->mask), ts->session, unit, &number))
        return 0;
    core_store_release(at, key | number); /* after the program */
    return number;
}

/* ---- running ---- */

static __attribute__((noinline)) bool match_conditions(const struct engine_filter_program *program,
                                                       const struct engine_thread *thread,
                                                       struct engine_thread_session *ts,
                                                       const uint8_t *values, const uint8_t *end)
{
    char scratch[SCRATCH_BYTES];
    const struct condition_event event = {
        .values = values,
        .values_bytes = (size_t)(end - values),
        .common_type = program->common_type,
        .pid = thread->name.pid,
        .tid = thread->name.tid,
        .comm = thread->name.comm,
        .scratch = scratch,
        .scratch_bytes = sizeof(scratch),
        .text_max_bytes = TEXT_MAX_BYTES,
    };

    for (uint32_t i = 0; i < program->count; i++) {
        const struct engine_filter_rule *rule = &program->rules[i];

        if ((!rule->condition || condition_match(rule->condition, &event) != CONDITION_FALSE) &&
            engine_sample(ts, rule))
            return true;
    }
    return false;
}

static bool match_direct(const struct engine_filter_program *program,
                         struct engine_thread_session *ts, const uint8_t *values,
                         const uint8_t *end)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct engine_filter_rule *rule = &program->rules[i];

        if ((!rule->condition ||
             condition_match_direct(rule->condition, values, (size_t)(end - values),
                                    TEXT_MAX_BYTES) != CONDITION_FALSE) &&
            engine_sample(ts, rule))
            return true;
    }
    return false;
}

/* The record of a typed event is its payload after the common fields: these are put where the
 * record's head will be, and zeros after the payload, as a recorder has them. */
static __attribute__((noinline)) bool match_filters(const struct engine_filter_program *program,
                                                    const struct engine_thread *thread,
                                                    struct engine_thread_session *ts,
                                                    uint8_t *payload, uint8_t *end)
{
    const uint16_t type[2] = {program->common_type, 0};
    uint8_t *raw = payload - CAIRN_COMMON_BYTES;
    size_t payload_bytes = (size_t)(end - payload);
    size_t raw_bytes = cairn_record_size((uint32_t)payload_bytes) -
                       offsetof(struct cairn_record_head, common_type);

    if (payload_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        return true; /* it is refused */
    memcpy(raw, type, sizeof(type));
    memcpy(raw + sizeof(type), &thread->name.tid, sizeof(thread->name.tid));
    memset(end, 0, sizeof(uint64_t));
    for (uint32_t i = 0; i < program->count; i++) {
        const struct engine_filter_rule *rule = &program->rules[i];

        if ((!rule->filter || cairn_filter_match(rule->filter, raw, raw_bytes, NULL)) &&
            engine_sample(ts, rule))
            return true;
    }
    return false;
}

_Static_assert(CAIRN_COMMON_BYTES <= CORE_RECORD_HEAD_BYTES, "common fields fit before a payload");

static inline bool selects(const struct engine_filter_program *program,
                           const struct engine_thread *thread, struct engine_thread_session *ts,
                           uint32_t id, uint8_t *payload, uint8_t *end)
{
    uint32_t activity_bytes = engine_sample_activity_bytes(id);

    switch (program->kind) {
    case ENGINE_FILTER_ALL:
        return true;
    case ENGINE_FILTER_NONE:
        return false;
    case ENGINE_FILTER_DIRECT:
        return (size_t)(end - payload) < activity_bytes ||
               match_direct(program, ts, payload + activity_bytes, end);
    case ENGINE_FILTER_TYPED:
        return match_filters(program, thread, ts, payload, end);
    default:
        return (size_t)(end - payload) < activity_bytes ||
               match_conditions(program, thread, ts, payload + activity_bytes, end);
    }
}

static inline enum engine_wanted wants(const struct engine_filter_program *program,
                                       const struct engine_thread *thread,
                                       struct engine_thread_session *ts, uint32_t id,
                                       uint8_t *payload, uint8_t *end)
{
    if (!selects(program, thread, ts, id, payload, end))
        return ENGINE_WANTED_NOT;
    return program->with_stack ? ENGINE_WANTED_STACK : ENGINE_WANTED;
}

enum engine_wanted engine_filter_wants(const struct engine_thread *thread,
                                       struct engine_thread_session *ts, uint32_t id,
                                       uint8_t *payload, uint8_t *end)
{
    return id == ENGINE_ID_NONE
               ? ENGINE_WANTED
               : wants(engine_filter_program_at(find(ts, id)), thread, ts, id, payload, end);
}

enum engine_wanted engine_filter_wants_next(struct engine_thread *thread, uint32_t id, uint8_t *end)
{
    struct engine_thread_recent *recent = &thread->recent;

    if (cairn_unlikely(recent->filter_id != id)) {
        recent->filter = find(recent->of, id);
        /* A program that another thread compiles at this moment is looked for again. */
        recent->filter_id = recent->filter ? id : ENGINE_ID_NONE;
    }
    return wants(engine_filter_program_at(recent->filter), thread, recent->of, id,
                 recent->writer.next + CORE_RECORD_HEAD_BYTES, end);
}

bool engine_filter_is_used(uint32_t slot)
{
    return engine_rules_exist(engine_self.local.slots[slot].patterns);
}

bool engine_filter_wants_stacks(uint32_t slot)
{
    struct cairn_slice pattern;
    size_t at = 0;

    return engine_rules_next_stack(engine_self.local.slots[slot].patterns, &at, &pattern);
}
