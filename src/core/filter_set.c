/* SPDX-License-Identifier: MIT */
/* Terms whose value is a set of CPUs, "CPUS{0-3}". */
#include "core/filter_term.h"

/* A value that is narrower than its field is in the lower half. */
#define LOW_HALF_OFFSET (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 4 : 0)

/* An empty set at the end of the free memory. */
static uint64_t *add_set(struct filter_build *build)
{
    uint32_t size_bytes = FILTER_SET_U64S(build->cpu_count) * sizeof(uint64_t);
    uint32_t tests_end =
        (uint32_t)((char *)(build->tests + build->test_count + 1) - (char *)build->filter);
    uint64_t *set;

    if (build->sets_at < tests_end + size_bytes)
        return NULL;
    build->sets_at -= size_bytes;
    set = (uint64_t *)((char *)build->filter + build->sets_at);
    __builtin_memset(set, 0, size_bytes);
    return set;
}

static void remove_set(struct filter_build *build)
{
    build->sets_at += FILTER_SET_U64S(build->cpu_count) * sizeof(uint64_t);
}

/* The only CPU of a set; cpu_count when it has none or several. */
static uint32_t only_cpu(const uint64_t *set, uint32_t cpu_count)
{
    uint32_t found = cpu_count;

    for (uint32_t cpu = 0; cpu < cpu_count; cpu++) {
        if (!(set[cpu / 64] >> cpu % 64 & 1))
            continue;
        if (found != cpu_count)
            return cpu_count;
        found = cpu;
    }
    return found;
}

/* A number can be in a set, but never equals a set of several CPUs. */
static void set_number_and_set(struct filter_term *term)
{
    bool is_cpu = term->field.kind == FILTER_CLASS_CPU;

    if (term->field.size_bytes == 8) {
        term->field.size_bytes = 4;
        term->test->offset += LOW_HALF_OFFSET;
    }
    if (term->op == OP_EQ) {
        core_filter_term_set_never(term);
    } else if (is_cpu) {
        term->test->code = term->op == OP_AND ? FILTER_CPU_IN_SET : FILTER_CPU_RANGE;
        term->build->filter->needs_task = true;
        if (term->op == OP_NE) {
            term->test->range.low = 0;
            term->test->range.span = UINT32_MAX;
        }
    } else if (term->op == OP_AND) {
        core_filter_term_set_sized_code(term, FILTER_IN_SET_8);
    } else {
        /* The set must not be empty, though. */
        term->op = OP_LE;
        core_filter_term_set_number(term,
                                    term->field.size_bytes == 1 && term->build->cpu_count > 0xff
                                        ? 0xff
                                        : term->build->cpu_count - 1,
                                    false);
    }
}

static void set_cpus(struct filter_term *term, const uint64_t *set)
{
    uint32_t cpu_count = term->build->cpu_count;
    uint32_t cpu = only_cpu(set, cpu_count);

    term->test->set.at = term->build->sets_at;
    term->test->set.cpu_count = cpu_count;
    if (term->field.kind == FILTER_CLASS_CPU_MASK) {
        term->test->code = term->op == OP_AND ? FILTER_MASK_MEETS : FILTER_MASK_EQUALS;
        term->invert = term->op == OP_NE;
        return;
    }
    if (cpu == cpu_count) {
        set_number_and_set(term);
    } else {
        if (term->op == OP_AND)
            term->op = OP_EQ;
        core_filter_term_set_number(term, cpu, false);
    }
    if (!filter_has_set((enum filter_code)term->test->code))
        remove_set(term->build);
}

int core_filter_term_parse_cpus(struct filter_term *term)
{
    enum filter_class kind = term->field.kind;
    struct cairn_slice list;
    uint64_t *set;

    if (kind != FILTER_CLASS_NUMBER && kind != FILTER_CLASS_CPU && kind != FILTER_CLASS_CPU_MASK)
        return core_filter_term_fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    if (!filter_is_equality(term->op) && term->op != OP_AND)
        return core_filter_term_fail(term, CAIRN_FILTER_ILLEGAL_FIELD_OPERATION);
    core_filter_term_take(term, "CPUS");
    if (!core_filter_term_take(term, "{")) {
        term->at++; /* Linux starts there */
        return core_filter_term_fail(term, CAIRN_FILTER_MISSING_BRACE_OPEN);
    }
    list = core_filter_term_rest(term);
    list.length = core_slice_find(list, '}');
    term->at += list.length;
    if (!filter_term_peek(term))
        return core_filter_term_fail(term, CAIRN_FILTER_MISSING_BRACE_CLOSE);
    set = add_set(term->build);
    if (!set)
        return ENOSPC;
    if (!list.length || !core_filter_parse_cpus(list, term->build->cpu_count, set))
        return core_filter_term_fail(term, CAIRN_FILTER_INVALID_CPU_LIST);
    term->at++;
    set_cpus(term, set);
    return 0;
}
