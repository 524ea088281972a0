/* SPDX-License-Identifier: MIT */
/* The fields that a filter may name, and their classes. */
#include "core/field_type.h"
#include "core/filter.h"

struct known_field {
    const char *name;
    struct filter_field field;
};

const char core_filter_text_at[] = "char";
const char core_filter_text_counted[] = "char";
const char core_filter_number_or_none[] = "u64";

/*
 * Pseudo-fields that every event has outside its record. They take precedence over common fields.
 */
static const struct known_field generic[] = {
    {"CPU", {0, 0, true, FILTER_CLASS_CPU}},
    {"cpu", {0, 0, true, FILTER_CLASS_CPU}},
    {"common_cpu", {0, 0, true, FILTER_CLASS_CPU}},
    {"COMM", {0, 0, false, FILTER_CLASS_COMM}},
    {"comm", {0, 0, false, FILTER_CLASS_COMM}},
    {"stacktrace", {0, 0, false, FILTER_CLASS_STACK}},
    {"STACKTRACE", {0, 0, false, FILTER_CLASS_STACK}},
};

/* The common fields, for schemas without them. */
static const struct known_field common[] = {
    {"common_type", {0, 2, false, FILTER_CLASS_NUMBER}},
    {"common_flags", {2, 1, false, FILTER_CLASS_NUMBER}},
    {"common_preempt_count", {3, 1, false, FILTER_CLASS_NUMBER}},
    {"common_pid", {4, 4, true, FILTER_CLASS_NUMBER}},
};

/* As in Linux, words match anywhere in the type. */
static enum filter_class class_of(const struct cairn_field *field)
{
    struct cairn_slice type = field->type;
    bool has_char = core_slice_contains(type, "char");

    if (type.text == core_filter_text_at)
        return FILTER_CLASS_STRING_AT;
    if (type.text == core_filter_text_counted)
        return FILTER_CLASS_STRING_COUNTED;
    if (type.text == core_filter_number_or_none)
        return FILTER_CLASS_NUMBER_OR_NONE;
    if (core_slice_contains(type, "__data_loc")) {
        if (has_char)
            return FILTER_CLASS_STRING_DATA_LOC;
        if (core_slice_contains(type, "cpumask_t"))
            return FILTER_CLASS_CPU_MASK;
    }
    if (has_char && core_slice_contains(type, "__rel_loc"))
        return FILTER_CLASS_STRING_REL_LOC;
    if (has_char && (field->is_array || core_slice_contains(type, "[")))
        return FILTER_CLASS_STRING;
    if (core_type_is_text_pointer(type))
        return FILTER_CLASS_STRING_POINTER;
    return FILTER_CLASS_NUMBER;
}

/* The last of two fields with one name is used. */
static bool find_in_schema(const struct cairn_schema *schema, uint32_t first, uint32_t end,
                           struct cairn_slice name, struct filter_field *ret_field)
{
    while (end-- > first) {
        const struct cairn_field *field = &schema->fields[end];

        if (core_slice_equal(field->name, name)) {
            *ret_field = (struct filter_field){field->offset, field->size_bytes, field->is_signed,
                                               class_of(field)};
            return true;
        }
    }
    return false;
}

static bool find_known(const struct known_field *known, size_t count, struct cairn_slice name,
                       struct filter_field *ret_field)
{
    for (size_t i = 0; i < count; i++) {
        if (core_slice_equal(core_slice_of(known[i].name), name)) {
            *ret_field = known[i].field;
            return true;
        }
    }
    return false;
}

bool core_filter_find_field(const struct cairn_schema *schema, struct cairn_slice name,
                            struct filter_field *ret_field)
{
    if (find_in_schema(schema, schema->common_count, schema->field_count, name, ret_field) ||
        find_known(generic, sizeof(generic) / sizeof(generic[0]), name, ret_field))
        return true;
    if (schema->common_count)
        return find_in_schema(schema, 0, schema->common_count, name, ret_field);
    return find_known(common, sizeof(common) / sizeof(common[0]), name, ret_field);
}
