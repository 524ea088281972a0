/* SPDX-License-Identifier: MIT */
/*
 * Checks a filter by compiling it for a trial event. The event gets each field that the filter
 * names: a number at first, and a text if the filter compares it with a text.
 */
#include "cairn/select.h"

#include "select/compiled_filter.h"
#include "select/filter_possible.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Each field is tried as a signed number, an unsigned one, and a text. */
#define TRIES_MAX (4u * CAIRN_FIELDS_MAX)

#define TEXT_BYTES 16u

struct trial_event {
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
};

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == CONDITION_DOT || c == CONDITION_OPEN ||
           c == CONDITION_CLOSE;
}

static bool is_space_or_operator(char c)
{
    return isspace((unsigned char)c) || (c && strchr("~!=<>&-", c));
}

static void make_number(struct cairn_field *field, bool is_signed)
{
    field->type = (struct cairn_slice){"u64", 3};
    field->size_bytes = 8;
    field->is_signed = is_signed;
}

static void make_text(struct cairn_field *field)
{
    field->type = (struct cairn_slice){"char", 4};
    field->size_bytes = TEXT_BYTES;
    field->is_array = true;
}

/* Returns the name that ends at `end`. */
static struct cairn_slice name_before(const char *filter, size_t end)
{
    size_t begin = end;

    while (begin > 0 && is_name_character(filter[begin - 1]))
        begin--;
    return (struct cairn_slice){filter + begin, (uint32_t)(end - begin)};
}

static struct cairn_field *find(struct trial_event *event, struct cairn_slice name)
{
    for (uint32_t i = 0; i < event->schema.field_count; i++) {
        struct cairn_field *field = &event->fields[i];

        if (field->name.length == name.length && !memcmp(field->name.text, name.text, name.length))
            return field;
    }
    return NULL;
}

/* The field whose value begins at `at`, after its operator. NULL: the event does not have it. */
static struct cairn_field *field_of_value(struct trial_event *event, const char *filter, size_t at)
{
    static const char suffix[] = ".ustring";
    const size_t suffix_bytes = sizeof(suffix) - 1;

    while (at > 0 && is_space_or_operator(filter[at - 1]))
        at--;
    if (at > suffix_bytes && !memcmp(filter + at - suffix_bytes, suffix, suffix_bytes))
        at -= suffix_bytes;
    return find(event, name_before(filter, at));
}

static bool add_field(struct trial_event *event, struct cairn_slice name)
{
    struct cairn_field *field = &event->fields[event->schema.field_count];

    if (!name.length || event->schema.field_count == CAIRN_FIELDS_MAX)
        return false;
    *field = (struct cairn_field){
        .name = name,
        .offset = CAIRN_COMMON_BYTES + event->schema.field_count * TEXT_BYTES,
    };
    make_number(field, true);
    event->schema.field_count++;
    return true;
}

/* Changes the event so that the filter compiles further. False: no field would help. */
static bool adapt(struct trial_event *event, const char *filter,
                  const struct cairn_filter_error *error)
{
    /* A position is that of the byte after the error. */
    size_t at = error->position ? error->position - 1 : 0;
    struct cairn_field *field;

    if (error->kind == CAIRN_FILTER_FIELD_NOT_FOUND)
        return add_field(event, name_before(filter, at));
    field = field_of_value(event, filter, at);
    if (!field || field->is_array)
        return false;
    if (error->kind == CAIRN_FILTER_EXPECT_DIGIT) {
        make_text(field);
        return true;
    }
    if (error->kind == CAIRN_FILTER_ILLEGAL_INTEGER && field->is_signed) {
        make_number(field, false);
        return true;
    }
    return false;
}

static bool compile_for_trial(struct trial_event *event, const char *filter, void *memory,
                              size_t memory_bytes, struct cairn_filter **ret_compiled,
                              struct cairn_filter_error *ret_error)
{
    uint32_t tries = TRIES_MAX;
    int error;

    event->schema.fields = event->fields;
    do {
        error = cairn_filter_compile(&event->schema, filter, strlen(filter), memory, memory_bytes,
                                     ret_compiled, ret_error);
    } while (error == EINVAL && --tries && adapt(event, filter, ret_error));
    return !error;
}

struct trial {
    struct trial_event *event;
    char *marked;
    void *memory;
    struct cairn_filter *compiled; /* NULL: invalid, or there is no memory */
    bool is_tried;
};

static void try(struct trial *trial, const char *filter, struct cairn_filter_error *ret_error)
{
    size_t memory_bytes = cairn_filter_memory_bytes(strlen(filter));

    *trial = (struct trial){
        .event = calloc(1, sizeof(*trial->event)),
        .marked = strdup(filter),
        .memory = malloc(memory_bytes),
    };
    if (!trial->event || !trial->memory || !trial->marked)
        return;
    trial->is_tried = true;
    condition_mark_names(trial->marked);
    if (!compile_for_trial(trial->event, trial->marked, trial->memory, memory_bytes,
                           &trial->compiled, ret_error))
        trial->compiled = NULL;
}

static void end(struct trial *trial)
{
    free(trial->event);
    free(trial->memory);
    free(trial->marked);
}

bool cairn_filter_is_valid(const char *filter, struct cairn_filter_error *ret_error)
{
    struct trial trial;
    bool is_valid;

    if (!filter[strspn(filter, " \t\n")]) {
        *ret_error = (struct cairn_filter_error){.reason = "The filter is empty",
                                                 .kind = CAIRN_FILTER_UNSPECIFIC};
        return false;
    }
    *ret_error = (struct cairn_filter_error){.reason = "The filter is too long"};
    try(&trial, filter, ret_error);
    is_valid = !trial.is_tried || trial.compiled;
    end(&trial);
    return is_valid;
}

/* Numbers beyond those of signed fields are not examined. */
static bool has_unsigned(const struct trial_event *event)
{
    for (uint32_t n = 0; n < event->schema.field_count; n++) {
        if (!event->fields[n].is_signed && !event->fields[n].is_array)
            return true;
    }
    return false;
}

bool cairn_filter_is_possible(const char *filter)
{
    struct cairn_filter_error error = {0};
    struct trial trial;
    bool is_possible;

    try(&trial, filter, &error);
    is_possible =
        !trial.compiled || has_unsigned(trial.event) || select_filter_is_possible(trial.compiled);
    end(&trial);
    return is_possible;
}
