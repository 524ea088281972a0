/* SPDX-License-Identifier: MIT */
/*
 * Compiles the rules of sessions for descriptors. Memory is taken from one block of the process,
 * and never freed: rules are compiled once for each descriptor, whatever sessions have them. When
 * it is used up, programs want all events, and recorders choose.
 *
 * Slots, the table of descriptors and registry entries are shared memory. Each is copied, or read
 * once with its limits checked, so that a program is safe whatever they contain, also while they
 * change.
 */
#include "engine/filter_program.h"
#include "core/atomic.h"
#include "engine/descriptors.h"
#include "engine/engine.h"

#include <cairn/eventheader_abi.h>
#include <errno.h>
#include <string.h>

#define BUCKETS  256u
#define RESERVED UINT32_MAX

static _Alignas(ENGINE_FILTER_UNIT_BYTES) uint8_t memory[ENGINE_FILTER_MEMORY_BYTES];
static uint32_t used =
    sizeof(struct engine_filter_program); /* the first, zeros, wants all events */
static uint32_t reserved_from;            /* `used` before it was reserved */
static uint32_t buckets[BUCKETS];

_Static_assert(ENGINE_FILTER_ALL == 0, "zeros want all events");

/* Data that a program is compiled from, and memory for compiling. */
struct compiling {
    char area[ENGINE_SESSION_PATTERNS]; /* of the slot */
    char command[CAIRN_COMMAND_MAX_BYTES];
    const uint8_t *metadata; /* in the table */
    uint64_t keyword;
    struct engine_event_name name;
    struct cairn_field fields[CAIRN_FIELDS_MAX]; /* of a typed event */
    struct cairn_schema schema;
    uint32_t begin; /* where the program is in memory, */
    uint32_t at;    /* and the end of what it has taken */
    uint32_t end;   /* of what is reserved for it */
    struct engine_descriptor
        descriptor; /* without its texts: last, since it may be followed by them */
};

static uint32_t align(size_t bytes)
{
    return (uint32_t)((bytes + ENGINE_FILTER_UNIT_BYTES - 1) &
                      ~(size_t)(ENGINE_FILTER_UNIT_BYTES - 1));
}

const struct engine_filter_program *engine_filter_program_at(uint32_t number)
{
    return (const void *)(memory + (size_t)number * ENGINE_FILTER_UNIT_BYTES);
}

/* ---- memory ---- */

/* Reserves all that is left, so that a program is in one piece. Returns 0; EBUSY another thread, or
 * what this one interrupted, has it now; ENOSPC there is too little. */
static int reserve(struct compiling **ret_compiling)
{
    uint32_t begin = core_load_relaxed(&used);
    struct compiling *c;

    if (begin == RESERVED)
        return EBUSY;
    if (begin + align(sizeof(*c)) + ENGINE_SESSION_PATTERNS > sizeof(memory))
        return ENOSPC;
    if (!core_compare_exchange_acquire(&used, &begin, RESERVED))
        return EBUSY;
    reserved_from = begin;
    c = (void *)(memory + sizeof(memory) - align(sizeof(*c)));
    memset(c, 0, sizeof(*c));
    c->begin = align(begin);
    c->at = c->begin + align(sizeof(struct engine_filter_program));
    c->end = (uint32_t)((const uint8_t *)c - memory);
    *ret_compiling = c;
    return 0;
}

/* Pairs with the acquire in reserve. */
static void release(uint32_t end)
{
    core_store_release(&used, end);
}

void engine_filter_forget_others(void)
{
    if (used == RESERVED)
        used = reserved_from;
}

static struct engine_filter_program *program_of(const struct compiling *c)
{
    return (void *)(memory + c->begin);
}

/* ---- what it is compiled from ---- */

/* The name of a tracepoint, from a copy of its command. */
static void split_name(struct compiling *c)
{
    struct cairn_slice name = {c->command, engine_command_name_length(c->command)};

    c->name.system = CORE_SLICE("user_events");
    c->name.tracepoint = name;
    if (c->descriptor.kind == ENGINE_DESCRIPTOR_EVENTHEADER &&
        engine_rule_split_tracepoint(name, &c->name.provider, &c->keyword))
        c->name.event = (struct cairn_slice){
            (const char *)c->metadata,
            (uint32_t)strnlen((const char *)c->metadata, c->descriptor.metadata_bytes)};
    c->name.event.length = core_slice_find(c->name.event, ';');
}

/* The metadata begins with its extension's head, which is not part of what is compiled. */
static bool copy_descriptor(struct compiling *c, uint32_t unit)
{
    const struct engine_descriptor_table *table = engine_descriptors();
    const uint8_t *from = (const uint8_t *)table + (size_t)unit * ENGINE_DESCRIPTOR_UNIT;
    size_t left = ENGINE_TABLE_BYTES - (size_t)unit * ENGINE_DESCRIPTOR_UNIT;
    struct engine_descriptor *d = &c->descriptor;
    uint16_t extension[2]; /* size, kind */

    memcpy(d, from, sizeof(*d));
    if (d->size_bytes < sizeof(*d) || d->size_bytes > left ||
        d->metadata_bytes > d->size_bytes - sizeof(*d))
        return false;
    if (d->kind != ENGINE_DESCRIPTOR_EVENTHEADER)
        return true;
    if (d->metadata_bytes < ENGINE_EXTENSION_BYTES)
        return false;
    memcpy(extension, from + sizeof(*d), sizeof(extension));
    if (extension[0] != d->metadata_bytes - ENGINE_EXTENSION_BYTES ||
        extension[1] != CAIRN_EXTENSION_METADATA)
        return false;
    d->metadata_bytes -= ENGINE_EXTENSION_BYTES;
    c->metadata = from + sizeof(*d) + ENGINE_EXTENSION_BYTES;
    return true;
}

static bool copy_command(struct compiling *c)
{
    uint32_t index = engine_sample_index(c->descriptor.sample_id);

    if (index >= engine_registry_end(&engine_self.local))
        return false;
    memcpy(c->command, engine_self.local.entries[index].command, sizeof(c->command) - 1);
    return true;
}

static uint64_t hash(uint64_t hash, const void *data, size_t bytes)
{
    const uint8_t *at = data;

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct compiling *c)
{
    uint64_t value = hash(UINT64_C(0xcbf29ce484222325), c->area, sizeof(c->area));

    value = hash(value, c->command, strlen(c->command));
    value = hash(value, &c->descriptor.sample_id, sizeof(c->descriptor.sample_id));
    value = hash(value, c->descriptor.header, sizeof(c->descriptor.header));
    return hash(value, c->metadata, c->metadata ? c->descriptor.metadata_bytes : 0);
}

/* ---- compiling ---- */

/* Both return 0; EINVAL the filter selects no event of this type; or another code: it cannot be
 * decided here. What needs the CPU or the name of a thread is left to the recorder: it knows
 * others. */
static int add_condition(struct compiling *c, struct cairn_slice filter,
                         struct condition **condition)
{
    const struct condition_type type = {.header = c->descriptor.header,
                                        .metadata = c->metadata,
                                        .metadata_bytes = c->descriptor.metadata_bytes,
                                        .keyword = c->keyword};
    struct cairn_filter_error problem;
    int error = condition_compile(&type, filter.text, filter.length, memory + c->at, c->end - c->at,
                                  condition, &problem);

    if (error)
        return error;
    if (condition_needs_task(*condition))
        return EOPNOTSUPP;
    c->at = align(c->at + condition_bytes(*condition));
    return 0;
}

static int add_filter(struct compiling *c, struct cairn_slice text, struct cairn_filter **filter)
{
    struct cairn_filter_error problem;
    int error;

    if (!c->schema.fields &&
        cairn_schema_parse_command(c->command, c->fields, CAIRN_FIELDS_MAX, &c->schema, NULL))
        return EOPNOTSUPP;
    error = cairn_filter_compile(&c->schema, text.text, text.length, memory + c->at, c->end - c->at,
                                 filter, &problem);
    if (error)
        return error;
    if (cairn_filter_needs_task(*filter))
        return EOPNOTSUPP;
    c->at = align(c->at + cairn_filter_bytes(*filter));
    return 0;
}

/* A record that contains an EventHeader event as a whole: each may be of another type. */
static bool is_whole_event(const struct compiling *c)
{
    return c->descriptor.kind != ENGINE_DESCRIPTOR_EVENTHEADER &&
           strstr(c->command, " " CAIRN_EVENTHEADER_FIRST_FIELD ";");
}

/* Adds a rule. False: all events are wanted, or it cannot be decided. */
static bool add_rule(struct compiling *c, const struct engine_rule *rule, uint32_t number)
{
    struct engine_filter_program *program = program_of(c);
    struct engine_filter_rule *to = &program->rules[program->count];
    bool samples = rule->every || rule->rate;
    int error = 0;

    if (!engine_rule_names(rule->pattern, &c->name))
        return true;
    if ((!rule->filter.length && !samples) || program->count == ENGINE_FILTER_RULES_MAX ||
        (samples && number >= ENGINE_FILTER_RULES_MAX))
        return false;
    if (rule->filter.length)
        error = c->metadata ? add_condition(c, rule->filter, &to->condition)
                            : add_filter(c, rule->filter, &to->filter);
    if (error)
        return error == EINVAL;
    to->every = rule->every;
    to->rate = rule->rate;
    to->number = number;
    program->count++;
    return true;
}

static bool is_direct(const struct engine_filter_program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        if (program->rules[i].condition && !condition_is_direct(program->rules[i].condition))
            return false;
    }
    return true;
}

/* Whichever rule selects the event. */
static bool wants_stack(const struct compiling *c)
{
    struct cairn_slice pattern;
    size_t at = 0;

    while (engine_rules_next_stack(c->area, &at, &pattern)) {
        if (engine_rule_names(pattern, &c->name))
            return true;
    }
    return false;
}

static void compile(struct compiling *c)
{
    struct engine_filter_program *program = program_of(c);
    struct engine_rule rule;
    bool is_decided = !is_whole_event(c);
    size_t at = 0;

    memset(program, 0, sizeof(*program));
    program->hash = hash_of(c);
    program->common_type = (uint16_t)c->descriptor.sample_id;
    program->with_stack = wants_stack(c);
    for (uint32_t n = 0; is_decided && engine_rules_next(c->area, &at, &rule); n++)
        is_decided = add_rule(c, &rule, n);
    if (is_decided && !program->count)
        program->kind = ENGINE_FILTER_NONE;
    else if (is_decided)
        program->kind = !c->metadata         ? ENGINE_FILTER_TYPED
                        : is_direct(program) ? ENGINE_FILTER_DIRECT
                                             : ENGINE_FILTER_CONDITIONS;
    if (program->kind == ENGINE_FILTER_ALL || program->kind == ENGINE_FILTER_NONE)
        c->at = c->begin + align(sizeof(*program));
}

/* Only the thread that has reserved the memory adds programs. */
static uint32_t find_or_compile(struct compiling *c)
{
    uint64_t value = hash_of(c);
    uint32_t *bucket = &buckets[value % BUCKETS];
    uint32_t number = *bucket;

    while (number && engine_filter_program_at(number)->hash != value)
        number = engine_filter_program_at(number)->next;
    if (number) {
        c->at = c->begin;
        return number;
    }
    compile(c);
    number = c->begin / ENGINE_FILTER_UNIT_BYTES;
    program_of(c)->next = *bucket;
    *bucket = number;
    return number;
}

/* The rules are those of the session only if it has the slot before and after they were copied. */
static bool copy_rules(struct compiling *c, uint32_t slot, uint64_t session)
{
    const struct engine_session_slot *s = &engine_self.local.slots[slot];

    if (core_load_acquire(&s->generation) != session)
        return false;
    memcpy(c->area, s->patterns, sizeof(c->area));
    c->area[sizeof(c->area) - 1] = 0;
    core_fence_acquire();
    return core_load_relaxed(&s->generation) == session;
}

int engine_filter_program_of(uint32_t slot, uint64_t session, uint32_t unit, uint32_t *ret_number)
{
    struct compiling *c;
    int error = EINVAL;

    *ret_number = 0;
    if (unit < ENGINE_TABLE_UNITS && engine_descriptors())
        error = reserve(&c);
    if (error)
        return error == EBUSY ? EBUSY : 0;
    if (copy_rules(c, slot, session) && copy_descriptor(c, unit) && copy_command(c)) {
        split_name(c);
        *ret_number = find_or_compile(c);
    } else {
        c->at = c->begin;
    }
    release(c->at);
    return 0;
}
