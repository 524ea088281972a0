/* SPDX-License-Identifier: MIT */
/* Applies the rules of a session to events: compiled once for each typed tracepoint, and for each
 * type of EventHeader events. */
#include "condition/condition.h"
#include "core/atomic.h"
#include "session/expand.h"
#include "session/rules.h"
#include "trace_file/eventheader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rule that names events of a type. */
struct filter {
    struct filter *next;
    size_t rule;
    bool takes_all;              /* it has no filter */
    struct condition *condition; /* of EventHeader events; after this struct, as the other is */
    struct cairn_filter *compiled;
};

struct session_choice {
    struct session_choice *next;
    struct filter *filters;
    bool takes_all;
    size_t metadata_bytes;
    uint8_t header[sizeof(struct cairn_eventheader)];
    uint8_t metadata[];
};

/* ---- problems ---- */

static const char *reason_of(int error, const struct cairn_filter_error *problem)
{
    if (error == EINVAL)
        return problem->reason;
    return error == EOPNOTSUPP ? "A field cannot be compared, or too many fields"
                               : "The filter is too long";
}

static int set_problem(char **to, const char *text, int error,
                       const struct cairn_filter_error *problem)
{
    if (*to)
        return 0;
    if (asprintf(to, "%s (at %u: %s)", text, error == EINVAL ? problem->position : 0,
                 reason_of(error, problem)) < 0) {
        *to = NULL;
        return ENOMEM;
    }
    return 0;
}

/* The first problem of a typed tracepoint is kept, and that of a rule for EventHeader events. */
static int note_problem(struct cairn_session *session, struct session_tracepoint *tp, size_t rule,
                        int error, const struct cairn_filter_error *problem)
{
    char **to = tp->is_eventheader ? &session->rules[rule].problem : &tp->filter_problem;

    return set_problem(to, session->rules[rule].filter, error, problem);
}

/* ---- compiling ---- */

static int compile_condition(const struct session_tracepoint *tp, const struct session_type *type,
                             const char *marked, struct filter **ret_filter,
                             struct cairn_filter_error *problem)
{
    const struct condition_type of = {type->header, type->metadata, type->metadata_bytes,
                                      tp->keyword};
    size_t length = strlen(marked);
    size_t size_bytes = condition_memory_bytes(length, type->metadata_bytes);
    struct filter *filter = malloc(sizeof(*filter) + size_bytes);
    int error;

    if (!filter)
        return ENOMEM;
    *filter = (struct filter){0};
    error =
        condition_compile(&of, marked, length, filter + 1, size_bytes, &filter->condition, problem);
    if (error)
        free(filter);
    else
        *ret_filter = filter;
    return error;
}

static int compile_typed(const struct session_tracepoint *tp, const char *text,
                         struct filter **ret_filter, struct cairn_filter_error *problem)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    size_t length = strlen(text);
    size_t size_bytes = cairn_filter_memory_bytes(length);
    struct filter *filter = malloc(sizeof(*filter) + size_bytes);
    struct cairn_schema schema;
    int error;

    if (!filter)
        return ENOMEM;
    *filter = (struct filter){0};
    error = cairn_schema_parse_command(tp->command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
    if (!error)
        error = cairn_filter_compile(&schema, text, length, filter + 1, size_bytes,
                                     &filter->compiled, problem);
    if (error)
        free(filter);
    else
        *ret_filter = filter;
    return error;
}

static int compile_all(struct filter **ret_filter)
{
    *ret_filter = calloc(1, sizeof(**ret_filter));
    if (!*ret_filter)
        return ENOMEM;
    (*ret_filter)->takes_all = true;
    return 0;
}

/* Returns 0, also if the filter is invalid for the type; ENOMEM. */
static int add_rule(struct cairn_session *session, struct session_tracepoint *tp, size_t i,
                    const struct session_type *type, struct session_choice *choice)
{
    struct session_rule *rule = &session->rules[i];
    struct cairn_filter_error problem = {0};
    struct filter *filter;
    int error;

    if (!rule->filter)
        error = compile_all(&filter);
    else if (type->header)
        error = compile_condition(tp, type, rule->marked, &filter, &problem);
    else
        error = compile_typed(tp, rule->filter, &filter, &problem);
    if (error)
        return error == ENOMEM ? ENOMEM : note_problem(session, tp, i, error, &problem);
    filter->rule = i;
    filter->next = choice->filters;
    choice->filters = filter;
    choice->takes_all |= filter->takes_all;
    rule->was_applied = true;
    return 0;
}

struct cairn_slice session_event_name(const struct session_type *type)
{
    struct cairn_slice name = {(const char *)type->metadata, 0};

    if (type->header)
        name.length = (uint32_t)strnlen(name.text, type->metadata_bytes);
    return core_slice_first(name, core_slice_find(name, ';'));
}

static int add_rules(struct cairn_session *session, struct session_tracepoint *tp,
                     const struct session_type *type, struct session_choice *choice)
{
    int error = 0;

    session_name_tracepoint(tp);
    tp->full_name.event = session_event_name(type);
    for (size_t i = 0; i < session->rule_count && !error; i++) {
        if (engine_rule_names(session->rules[i].shared.pattern, &tp->full_name))
            error = add_rule(session, tp, i, type, choice);
    }
    return error;
}

static void free_choice(struct session_choice *choice)
{
    while (choice->filters) {
        struct filter *filter = choice->filters;

        choice->filters = filter->next;
        free(filter);
    }
    free(choice);
}

void session_free_filters(struct session_tracepoint *tp)
{
    while (tp->choices) {
        struct session_choice *choice = tp->choices;

        tp->choices = choice->next;
        free_choice(choice);
    }
    free(tp->filter_problem);
}

int session_filter_tracepoint(struct cairn_session *session, struct session_tracepoint *tp)
{
    static const struct session_type typed;

    session_name_tracepoint(tp);
    tp->filtered = true;
    for (size_t i = 0; i < session->rule_count; i++) {
        const struct session_rule *rule = &session->rules[i];

        if (session_rule_takes_all(rule) &&
            engine_rule_names_tracepoint(rule->shared.pattern, &tp->full_name))
            tp->filtered = false;
    }
    return tp->is_eventheader || !tp->filtered || session_choice_of(session, tp, &typed) ? 0
                                                                                         : ENOMEM;
}

/* ---- choices ---- */

static bool is_of(const struct session_choice *choice, const struct session_type *type)
{
    if (!type->header)
        return true;
    return choice->metadata_bytes == type->metadata_bytes &&
           !memcmp(choice->header, type->header, sizeof(choice->header)) &&
           !memcmp(choice->metadata, type->metadata, type->metadata_bytes);
}

static struct session_choice *make_choice(struct cairn_session *session,
                                          struct session_tracepoint *tp,
                                          const struct session_type *type)
{
    struct session_choice *choice = calloc(1, sizeof(*choice) + type->metadata_bytes);

    if (!choice)
        return NULL;
    choice->metadata_bytes = type->metadata_bytes;
    if (type->header) {
        memcpy(choice->header, type->header, sizeof(choice->header));
        memcpy(choice->metadata, type->metadata, type->metadata_bytes);
    }
    if (!add_rules(session, tp, type, choice))
        return choice;
    free_choice(choice);
    return NULL;
}

/* The one that was used last is the first of the list. */
struct session_choice *session_choice_of(struct cairn_session *session,
                                         struct session_tracepoint *tp,
                                         const struct session_type *type)
{
    struct session_choice **at = &tp->choices;
    struct session_choice *choice;

    while (*at && !is_of(*at, type))
        at = &(*at)->next;
    choice = *at;
    if (choice)
        *at = choice->next;
    else
        choice = make_choice(session, tp, type);
    if (choice) {
        choice->next = tp->choices;
        tp->choices = choice;
    }
    return choice;
}

static void look_at_type(struct cairn_session *session, const struct session_pool *pool,
                         const struct engine_descriptor *descriptor)
{
    struct session_tracepoint *tp =
        session_look_up_tracepoint(session, pool->directory, descriptor->sample_id);
    const struct session_type type = {
        .header = descriptor->header,
        .metadata = descriptor->texts + ENGINE_EXTENSION_BYTES,
        .metadata_bytes = (size_t)descriptor->metadata_bytes - ENGINE_EXTENSION_BYTES,
    };

    if (tp && tp->filtered && tp->is_eventheader &&
        descriptor->kind == ENGINE_DESCRIPTOR_EVENTHEADER &&
        descriptor->metadata_bytes >= ENGINE_EXTENSION_BYTES &&
        !session_choice_of(session, tp, &type))
        session_fail(session, ENOMEM);
}

/* A program may leave out all events of a type: the filter is then known to be valid for it, or
 * not, by its descriptor alone. */
void session_look_at_types(struct cairn_session *session, struct session_pool *pool)
{
    uint32_t used = core_load_acquire(&pool->table->used_units);

    if (!session->request.rules || used > core_load_acquire(&pool->table->backed_units))
        return;
    if (pool->looked_units < ENGINE_TABLE_HEAD_UNITS)
        pool->looked_units = ENGINE_TABLE_HEAD_UNITS;
    while (pool->looked_units < used) {
        const struct engine_descriptor *descriptor =
            session_find_descriptor(session, pool, pool->looked_units * ENGINE_ID_VARIANTS);

        if (!descriptor)
            return; /* it is not complete yet */
        look_at_type(session, pool, descriptor);
        pool->looked_units += descriptor->size_bytes / ENGINE_DESCRIPTOR_UNIT;
    }
}

bool session_choice_takes_all(struct cairn_session *session, const struct session_choice *choice)
{
    for (const struct filter *filter = choice->filters; choice->takes_all && filter;
         filter = filter->next)
        session->rules[filter->rule].chose = true;
    return choice->takes_all;
}

/* ---- events ---- */

/* An event, as both kinds of filters need it. */
struct filters_event {
    const uint8_t *raw;
    size_t raw_bytes;
    struct cairn_filter_task task;
    struct condition_event values;
};

/* More memory for converted texts. False: there is none. */
static bool extend_scratch(struct cairn_session *session)
{
    size_t bytes = session->scratch_bytes ? 2 * session->scratch_bytes : 4096;
    char *more = realloc(session->scratch, bytes);

    if (!more)
        return false;
    session->scratch = more;
    session->scratch_bytes = bytes;
    return true;
}

static bool match_condition(struct cairn_session *session, const struct condition *condition,
                            struct filters_event *event)
{
    enum condition_verdict verdict;

    do {
        event->values.scratch = session->scratch;
        event->values.scratch_bytes = session->scratch_bytes;
        verdict = condition_match(condition, &event->values);
    } while (verdict == CONDITION_UNDECIDED && extend_scratch(session));
    if (verdict == CONDITION_UNDECIDED)
        session_fail(session, ENOMEM);
    return verdict == CONDITION_TRUE;
}

static bool matches(struct cairn_session *session, const struct filter *filter,
                    struct filters_event *event)
{
    if (filter->takes_all)
        return true;
    if (filter->condition)
        return match_condition(session, filter->condition, event);
    return cairn_filter_match(filter->compiled, event->raw, event->raw_bytes, &event->task);
}

/* One match is enough. Rules that have chosen nothing yet are applied nevertheless: those that
 * never chose anything are reported at the end. */
static bool chooses(struct cairn_session *session, const struct session_choice *choice,
                    struct filters_event *event)
{
    bool chosen = false;

    for (const struct filter *filter = choice->filters; filter; filter = filter->next) {
        struct session_rule *rule = &session->rules[filter->rule];

        if ((chosen && rule->chose) || !matches(session, filter, event))
            continue;
        rule->chose = true;
        chosen = true;
    }
    return chosen;
}

static void set_values(struct filters_event *event, const struct cairn_record_head *head,
                       const char *comm, const struct trace_file_eventheader *parts)
{
    event->values = (struct condition_event){
        .values = parts->data,
        .values_bytes = parts->data_bytes,
        .common_type = head->common_type,
        .cpu = head->cpu,
        .pid = head->pid,
        .tid = head->tid,
        .comm = comm,
        .text_max_bytes = SIZE_MAX,
    };
}

bool session_filter_chooses(struct cairn_session *session, struct session_tracepoint *tp,
                            const uint8_t *record, uint32_t record_bytes, const char comm[16])
{
    const uint32_t raw = offsetof(struct cairn_record_head, common_type);
    struct filters_event event = {.raw = record + raw, .raw_bytes = record_bytes - raw};
    struct trace_file_eventheader parts;
    struct session_choice *choice;
    struct session_type type = {0};
    struct cairn_record_head head;

    memcpy(&head, record, sizeof(head));
    event.task = (struct cairn_filter_task){head.cpu, comm};
    if (tp->is_eventheader) {
        if (trace_file_eventheader_parse(record + sizeof(head), record_bytes - sizeof(head),
                                         &parts) ||
            parts.swap || !parts.metadata)
            return false;
        type = (struct session_type){parts.bytes, parts.metadata, parts.metadata_bytes};
        set_values(&event, &head, comm, &parts);
    }
    choice = session_choice_of(session, tp, &type);
    if (!choice)
        session_fail(session, ENOMEM);
    return choice && chooses(session, choice, &event);
}
