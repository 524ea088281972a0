/* SPDX-License-Identifier: MIT */
/*
 * Compiles a condition. In memory: the condition, its wants, its steps, and the filter of core;
 * after them, while it is compiled, what is needed for that.
 */
#include "condition/fields.h"
#include "core/filter.h"

#include <cairn/eventheader_abi.h>

#define ALIGN_8(n) (((n) + 7) & ~(size_t)7)

/* The smallest definition of a field: a name's NUL and an encoding. An array of strings takes three
 * steps, and has a count. */
static size_t steps_max(size_t metadata_bytes)
{
    size_t steps = 3 * (metadata_bytes / 2) + 2;

    return steps < UINT16_MAX ? steps : UINT16_MAX;
}

/* Memory that is needed while a condition is compiled. */
struct work {
    struct condition_names names;
    struct condition_fields fields;
    struct cairn_field schema_fields[CONDITION_NAMES_MAX];
    struct condition_step steps[]; /* trimmed before they are copied */
};

static size_t work_bytes(size_t metadata_bytes)
{
    return ALIGN_8(sizeof(struct work) + steps_max(metadata_bytes) * sizeof(struct condition_step));
}

size_t condition_memory_bytes(size_t length, size_t metadata_bytes)
{
    return ALIGN_8(sizeof(struct condition)) +
           ALIGN_8(CONDITION_NAMES_MAX * sizeof(struct condition_want)) +
           ALIGN_8(steps_max(metadata_bytes) * sizeof(struct condition_step)) +
           cairn_filter_memory_bytes(length) + work_bytes(metadata_bytes);
}

/* ---- the schema of the record ---- */

static void add_cell(struct work *work, struct condition *c, struct cairn_slice name,
                     const struct condition_want *want)
{
    bool is_text = condition_is_text((enum condition_value)want->value);
    bool may_lack = condition_may_lack(want);

    work->schema_fields[c->cell_count] = (struct cairn_field){
        .name = name,
        .type = {is_text    ? core_filter_text_at
                 : may_lack ? core_filter_number_or_none
                            : "u64",
                 is_text ? 4 : 3},
        .offset = CONDITION_RECORD_BYTES(c->cell_count),
        .size_bytes = is_text || may_lack ? CONDITION_CELL_BYTES : want->size_bytes,
        .is_signed = want->value == CONDITION_NUMBER_SIGNED || want->value == CONDITION_FLOAT,
    };
    c->cell_count++;
}

static void add_member(struct work *work, struct condition *c, struct cairn_slice name)
{
#define NAME(member) #member "\0"
    static const char members[] = CONDITION_MEMBERS(NAME);
#undef NAME
    uint32_t member = core_slice_which(name, members);

    if (member == CONDITION_MEMBER_COUNT)
        return; /* of core, or of nothing */
    add_cell(work, c, name,
             &(struct condition_want){.value = CONDITION_NUMBER, .size_bytes = sizeof(uint64_t)});
    c->cell_of_member_of_1[member] = c->cell_count;
}

/* The position of a step's value. False: it follows values of variable size. */
static bool find_offset(const struct work *work, uint32_t step, uint32_t *ret_offset)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < step; i++) {
        const struct condition_step *s = &work->steps[i];

        if (s->kind == CONDITION_STEP_SKIP)
            offset += (uint32_t)s->target << 16 | s->count;
        else if (s->kind == CONDITION_STEP_FIXED)
            offset += s->unit;
        else
            return false;
    }
    *ret_offset = offset;
    return true;
}

static bool is_direct_number(const struct work *work, const struct condition_want *want)
{
    return want->value <= CONDITION_NUMBER_SIGNED &&
           work->steps[want->step].kind == CONDITION_STEP_FIXED;
}

/* A text at a fixed position: the first value of variable size. */
static bool is_direct_text(const struct work *work, const struct condition_want *want)
{
    const struct condition_step *step = &work->steps[want->step];

    return want->value == CONDITION_UTF8 && !want->depth && step->kind == CONDITION_STEP_COUNTED &&
           step->unit == 1;
}

/* All names are of numbers and a text at fixed positions: the filter gets these. False: they are
 * not. */
static bool make_direct(struct work *work, struct condition *c)
{
    struct condition_fields *f = &work->fields;

    for (uint32_t n = 0; n < work->names.count; n++) {
        const struct condition_want *want = &f->wants[n];
        bool is_text = f->is_wanted[n] && is_direct_text(work, want);
        uint32_t offset;

        if (!f->is_wanted[n] || !find_offset(work, want->step, &offset) ||
            !(is_text || is_direct_number(work, want)))
            return false;
        if (is_text)
            c->direct_text_at = offset + (uint32_t)sizeof(uint16_t);
        work->schema_fields[n] = (struct cairn_field){
            .name = work->names.names[n],
            .type = {is_text ? core_filter_text_counted : "u64", is_text ? 4 : 3},
            .offset = CAIRN_COMMON_BYTES + offset,
            .size_bytes = is_text ? sizeof(uint16_t) : want->size_bytes,
            .is_signed = want->value == CONDITION_NUMBER_SIGNED,
        };
    }
    c->cell_count = (uint8_t)work->names.count;
    return work->names.count != 0;
}

/* Wants are few: an insertion sort, by step. */
static void insert(struct condition *c, const struct condition_want *want)
{
    uint32_t at = c->want_count++;

    for (; at && c->wants[at - 1].step > want->step; at--)
        c->wants[at] = c->wants[at - 1];
    c->wants[at] = *want;
}

static void make_cells(struct work *work, struct condition *c)
{
    struct condition_fields *f = &work->fields;

    for (uint32_t n = 0; n < work->names.count; n++) {
        struct condition_want *want = &f->wants[n];

        if (f->is_wanted[n]) {
            want->cell = c->cell_count;
            add_cell(work, c, work->names.names[n], want);
            insert(c, want);
        } else {
            add_member(work, c, work->names.names[n]);
        }
    }
}

/* ---- steps ---- */

/* The end of the steps up to the last wanted one, and of the loop that it is in. */
static uint32_t end_of_steps(const struct work *work, const struct condition *c)
{
    uint32_t last = c->want_count ? c->wants[c->want_count - 1].step : 0;
    uint32_t end = c->want_count ? last + 1 : 0;

    for (uint32_t i = 0; i < last; i++) {
        const struct condition_step *step = &work->steps[i];

        if (step->kind == CONDITION_STEP_LOOP && step->target > end)
            end = step->target;
    }
    return end;
}

/* Steps refer to their wants. */
static void set_steps(struct work *work, struct condition *c)
{
    for (uint32_t i = 0; i < c->want_count; i++) {
        struct condition_step *step = &work->steps[c->wants[i].step];

        if (!step->want_count++)
            step->first_want = (uint8_t)i;
    }
    c->step_count = end_of_steps(work, c);
    for (uint32_t i = 0; i < c->step_count; i++)
        c->steps[i] = work->steps[i];
}

static void set_members(struct condition *c, const struct condition_type *type)
{
    struct cairn_eventheader header;

    __builtin_memcpy(&header, type->header, sizeof(header));
    c->members[CONDITION_MEMBER_level] = header.level;
    c->members[CONDITION_MEMBER_opcode] = header.opcode;
    c->members[CONDITION_MEMBER_keyword] = type->keyword;
    c->members[CONDITION_MEMBER_id] = header.id;
    c->members[CONDITION_MEMBER_version] = header.version;
    c->members[CONDITION_MEMBER_tag] = header.tag;
}

/* ---- compiling ---- */

static struct work *begin_work(void *memory, size_t memory_bytes, size_t metadata_bytes)
{
    size_t at = (memory_bytes - work_bytes(metadata_bytes)) & ~(size_t)7;
    struct work *work = (void *)((char *)memory + at);

    __builtin_memset(work, 0, sizeof(*work));
    work->fields.names = &work->names;
    work->fields.steps = work->steps;
    work->fields.step_max = (uint32_t)steps_max(metadata_bytes);
    return work;
}

static struct condition *begin_condition(void *memory)
{
    struct condition *c = memory;

    __builtin_memset(c, 0, sizeof(*c));
    c->wants = (void *)((char *)memory + ALIGN_8(sizeof(*c)));
    c->steps =
        (void *)((char *)c->wants + ALIGN_8(CONDITION_NAMES_MAX * sizeof(struct condition_want)));
    return c;
}

static int compile_filter(struct condition *c, struct work *work, struct cairn_slice text,
                          struct cairn_filter_error *ret_error)
{
    const struct cairn_schema schema = {
        .fields = work->schema_fields,
        .field_count = c->cell_count,
        .fixed_size_bytes = c->is_direct ? 0 : CONDITION_RECORD_BYTES(c->cell_count),
    };
    char *memory = (char *)c->steps + ALIGN_8(c->step_count * sizeof(*c->steps));
    int error = cairn_filter_compile(&schema, text.text, text.length, memory,
                                     (size_t)((const char *)work - memory), &c->filter, ret_error);

    if (error)
        return error;
    c->needs_task = cairn_filter_needs_task(c->filter);
    c->size_bytes = (uint32_t)ALIGN_8((size_t)(memory - (char *)c) + cairn_filter_bytes(c->filter));
    return 0;
}

int condition_compile(const struct condition_type *type, const char *text, size_t length,
                      void *memory, size_t memory_bytes, struct condition **ret_condition,
                      struct cairn_filter_error *ret_error)
{
    struct cairn_filter_error problem = {0};
    struct condition *c;
    struct work *work;
    int error;

    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return E2BIG;
    if (memory_bytes < condition_memory_bytes(length, type->metadata_bytes))
        return ENOSPC;
    c = begin_condition(memory);
    work = begin_work(memory, memory_bytes, type->metadata_bytes);
    if (!condition_find_names((struct cairn_slice){text, (uint32_t)length}, &work->names))
        return EOPNOTSUPP;
    condition_read_fields(&work->fields, type->metadata, type->metadata_bytes);
    if (work->fields.is_unknown)
        return EOPNOTSUPP;
    c->is_direct = make_direct(work, c);
    if (!c->is_direct) {
        make_cells(work, c);
        set_steps(work, c);
    }
    set_members(c, type);
    error = compile_filter(c, work, (struct cairn_slice){text, (uint32_t)length}, &problem);
    /* A text is compared with how the number is printed. */
    if (error == EINVAL && problem.kind == CAIRN_FILTER_EXPECT_DIGIT &&
        work->fields.has_counted_number)
        return EOPNOTSUPP;
    if (error == EINVAL && ret_error)
        *ret_error = problem;
    if (!error)
        *ret_condition = c;
    return error;
}

bool condition_is_direct(const struct condition *condition)
{
    return condition->is_direct;
}

bool condition_needs_task(const struct condition *condition)
{
    return condition->needs_task;
}

size_t condition_bytes(const struct condition *condition)
{
    return condition->size_bytes;
}
