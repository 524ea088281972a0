/* SPDX-License-Identifier: MIT */
/* Compiles a filter for the events of a layout. */
#include "select/compiled_filter.h"

#include "core/filter.h"
#include "select/filter_event.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_FIELDS_MAX 1024u

/* More than the longest filter can have different names. */
#define NAMES_BYTES ((size_t)65536)

/* Limit of the fixed part of a record: more than a filter can compare, unless names occur twice. */
#define RECORD_MAX_BYTES (EXPORT_OUTPUT_STEP_BYTES - 16u)

/* ---- the text ---- */

static bool is_name_character(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == CONDITION_DOT;
}

/* True if the filter contains a name as a word. */
static bool names(const char *filter, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(filter, name); at; at = strstr(at + 1, name)) {
        if ((at == filter || !is_name_character(at[-1])) && !is_name_character(at[length]))
            return true;
    }
    return false;
}

/* ---- compiling ---- */

static int compile(struct select_compiled_filter *compiled, const struct cairn_schema *schema,
                   const char *text)
{
    size_t length = strlen(text);
    size_t memory_bytes = cairn_filter_memory_bytes(length);
    void *memory = malloc(memory_bytes);
    int err;

    if (!memory)
        return ENOMEM;
    err = cairn_filter_compile(schema, text, length, memory, memory_bytes, &compiled->filter,
                               &compiled->error);
    if (err) {
        free(memory);
        compiled->filter = NULL;
        return 0;
    }
    compiled->needs_task = cairn_filter_needs_task(compiled->filter);
    return 0;
}

/* The array of a name whose elements have fixed positions and the size of a number, or NULL. */
static const struct cairn_field *find_array(const struct cairn_schema *schema,
                                            struct cairn_slice name)
{
    for (uint32_t n = schema->field_count; n-- > schema->common_count;) {
        const struct cairn_field *field = &schema->fields[n];
        uint32_t size_bytes = field->element_size_bytes;

        if (!core_slice_equal(field->name, name))
            continue;
        return field->location == CAIRN_FIELD_INLINE && size_bytes && size_bytes <= 8 &&
                       !(size_bytes & (size_bytes - 1))
                   ? field
                   : NULL;
    }
    return NULL;
}

/* Adds the elements that the filter names, "args[0]", as fields of these names. */
static void add_elements(const char *marked, struct cairn_schema *schema)
{
    const char *open = strchr(marked, CONDITION_OPEN);

    for (; open && schema->field_count < FORMAT_FIELDS_MAX;
         open = strchr(open + 1, CONDITION_OPEN)) {
        const char *begin = open;
        const struct cairn_field *array;
        struct cairn_field element;
        unsigned long index;
        char *end;

        while (begin > marked && is_name_character(begin[-1]))
            begin--;
        array = find_array(schema, (struct cairn_slice){begin, (uint32_t)(open - begin)});
        index = strtoul(open + 1, &end, 10);
        if (!array || index >= array->element_count || *end != CONDITION_CLOSE)
            continue;
        element = *array;
        element.name = (struct cairn_slice){begin, (uint32_t)(end + 1 - begin)};
        element.offset += (uint32_t)index * element.element_size_bytes;
        element.size_bytes = element.element_size_bytes;
        element.element_count = 0;
        element.is_array = false;
        schema->fields[schema->field_count++] = element;
    }
}

/* A filter that compares a `char` with a text: makes texts of such fields. False: there is none. */
static bool make_texts(struct cairn_schema *schema)
{
    bool is_changed = false;

    for (uint32_t n = schema->common_count; n < schema->field_count; n++) {
        struct cairn_field *field = &schema->fields[n];

        if (field->size_bytes != 1 || field->is_array || !core_slice_is(field->type, "char"))
            continue;
        field->is_array = true;
        is_changed = true;
    }
    return is_changed;
}

static int compile_for_schema(struct select_compiled_filter *compiled, const char *marked,
                              struct cairn_schema *schema)
{
    struct cairn_filter_error error;
    int err;

    add_elements(marked, schema);
    err = compile(compiled, schema, marked);
    error = compiled->error;
    if (err || compiled->filter || error.kind != CAIRN_FILTER_EXPECT_DIGIT || !make_texts(schema))
        return err;
    err = compile(compiled, schema, marked);
    if (!compiled->filter)
        compiled->error = error;
    return err;
}

/* The record is as the format text describes it. */
static int compile_for_format(struct select_compiled_filter *compiled, const char *marked,
                              const struct cairn_event *event)
{
    struct cairn_slice format = event->tracepoint->format;
    uint32_t long_size_bytes = decode_layout_of(event->type)->long_size_bytes;
    struct cairn_field *fields = (struct cairn_field *)malloc(FORMAT_FIELDS_MAX * sizeof(*fields));
    struct cairn_schema schema;
    int err;

    if (!fields)
        return ENOMEM;
    err = cairn_schema_parse_format(format.text, format.length,
                                    long_size_bytes ? long_size_bytes : sizeof(long), fields,
                                    FORMAT_FIELDS_MAX, &schema);
    if (err) { /* its events have no typed fields */
        compiled->error = (struct cairn_filter_error){
            0, cairn_filter_reason(CAIRN_FILTER_FIELD_NOT_FOUND), CAIRN_FILTER_FIELD_NOT_FOUND};
        err = 0;
    } else {
        err = compile_for_schema(compiled, marked, &schema);
    }
    free(fields);
    return err;
}

/* ---- a record of the fields that the filter names ---- */

/* The fields of the record; names are in one memory. */
struct fields {
    struct select_compiled_filter *compiled;
    const char *filter;
    const struct decode_layout *layout;
    bool counted_are_texts;
    struct cairn_field *fields;
    uint32_t count;
    size_t names_bytes;
    char names[NAMES_BYTES];
};

/* Adds the name of a member of `parent`. NULL: it is longer than any name in a filter can be. */
static char *add_name(struct fields *all, const char *parent, struct cairn_slice own)
{
    struct cairn_slice name = decode_name_without_attributes(own);
    size_t parent_bytes = strlen(parent);
    char *begin = all->names + all->names_bytes;
    char *to = begin;

    if (name.length > NAMES_BYTES ||
        parent_bytes + name.length + 2 > NAMES_BYTES - all->names_bytes)
        return NULL;
    if (parent_bytes) {
        to = (char *)mempcpy(to, parent, parent_bytes);
        *to++ = CONDITION_DOT;
    }
    for (uint32_t n = 0; n < name.length && name.text[n]; n++)
        *to++ = name.text[n] == '.' ? CONDITION_DOT : name.text[n];
    *to++ = 0;
    all->names_bytes = (size_t)(to - all->names);
    return begin;
}

static void add_field(struct fields *all, uint32_t index, const char *name,
                      struct select_filter_slot slot)
{
    struct select_compiled_filter *compiled = all->compiled;
    uint32_t align = slot.is_text || !slot.size_bytes ? 4 : slot.may_lack ? 8 : slot.size_bytes;
    struct cairn_field *field = &all->fields[all->count];

    if (compiled->record_bytes > RECORD_MAX_BYTES)
        return;
    all->count++;
    slot.field = index;
    slot.offset = (compiled->record_bytes + align - 1) / align * align;
    compiled->record_bytes = slot.offset + (slot.is_text ? 4u : slot.size_bytes);
    *field = (struct cairn_field){
        .name = core_slice_of(name),
        .type = core_slice_of(slot.is_text    ? "__data_loc char[]"
                              : slot.may_lack ? core_filter_number_or_none
                                              : "u64"),
        .offset = slot.offset,
        .size_bytes = slot.is_text ? 4u : slot.size_bytes,
        .is_signed = select_filter_is_signed((enum decode_value)slot.value),
    };
    compiled->slots[compiled->slot_count++] = slot;
}

/* Adds the members of a struct, or the event's fields, up to `end`. */
static void add_fields(struct fields *all, uint32_t first, uint32_t end, const char *parent)
{
    const struct decode_layout *layout = all->layout;
    uint32_t next;

    for (uint32_t n = first; n < end; n = next) {
        const struct decode_layout_field *field = &layout->fields[n];
        size_t names_before = all->names_bytes;
        uint32_t count_before = all->count;
        char *name = add_name(all, parent, field->item.name);
        struct select_filter_slot slot = select_filter_slot_of(field, all->counted_are_texts);

        next = field->end;
        if (!name)
            continue;
        if (field->kind == DECODE_LAYOUT_STRUCT && field->array == DECODE_LAYOUT_SINGLE)
            add_fields(all, n + 1, field->end, name);
        else if (field->kind == DECODE_LAYOUT_VALUE && field->array == DECODE_LAYOUT_SINGLE &&
                 names(all->filter, name))
            add_field(all, n, name, slot);
        if (all->count == count_before)
            all->names_bytes = names_before;
    }
}

/* Members of the EventHeader, before the fields: of two fields of one name the last is used. */
static void add_header(struct fields *all)
{
    static const char *const members[] = {SELECT_FILTER_HEADER(SELECT_FILTER_NAME)};

    if (!all->layout->type.is_eventheader)
        return;
    for (uint32_t n = 0; n < SELECT_FILTER_HEADER_COUNT; n++) {
        if (names(all->filter, members[n]))
            add_field(
                all, SELECT_FILTER_HEADER_FIRST + n, members[n],
                (struct select_filter_slot){.size_bytes = 8, .value = DECODE_VALUE_UNSIGNED_INT});
    }
}

static int compile_for_fields(struct select_compiled_filter *compiled, const char *dotted,
                              const struct decode_layout *layout, bool counted_are_texts)
{
    uint32_t count = layout->field_count + SELECT_FILTER_HEADER_COUNT;
    struct fields *all = (struct fields *)malloc(sizeof(*all));
    int err = ENOMEM;

    if (!all)
        return ENOMEM;
    all->compiled = compiled;
    all->filter = dotted;
    all->layout = layout;
    all->counted_are_texts = counted_are_texts;
    all->count = 0;
    all->names_bytes = 0;
    compiled->needs_record = true;
    compiled->record_bytes = CAIRN_COMMON_BYTES;
    compiled->slots = (struct select_filter_slot *)calloc(count, sizeof(*compiled->slots));
    all->fields = (struct cairn_field *)calloc(count, sizeof(*all->fields));
    if (compiled->slots && all->fields) {
        struct cairn_schema schema;

        add_header(all);
        add_fields(all, 0, layout->field_count, "");
        schema = (struct cairn_schema){.fields = all->fields,
                                       .field_count = all->count,
                                       .fixed_size_bytes = compiled->record_bytes};
        err = compile(compiled, &schema, dotted);
    }
    free(all->fields);
    free(all);
    return err;
}

/* A number that an event may lack is compared with a number; or, if the filter has a text, as it is
 * printed. */
static int compile_for_layout(struct select_compiled_filter *compiled, const char *dotted,
                              const struct decode_layout *layout)
{
    int err = compile_for_fields(compiled, dotted, layout, false);

    if (err || compiled->filter || compiled->error.kind != CAIRN_FILTER_EXPECT_DIGIT)
        return err;
    select_compiled_filter_close(compiled);
    return compile_for_fields(compiled, dotted, layout, true);
}

/* ---- a condition ---- */

/* Returns 0, also if the filter is invalid; EOPNOTSUPP a condition cannot express it; ENOMEM. */
static int compile_condition(struct select_compiled_filter *compiled, const char *marked,
                             const struct decode_layout *layout)
{
    const struct condition_type type = {
        .header = layout->eventheader,
        .metadata = layout->metadata,
        .metadata_bytes = layout->metadata_bytes,
        .keyword = layout->type.keyword,
    };
    size_t length = strlen(marked);
    size_t memory_bytes = condition_memory_bytes(length, layout->metadata_bytes);
    void *memory = malloc(memory_bytes);
    int err;

    if (!memory)
        return ENOMEM;
    err = condition_compile(&type, marked, length, memory, memory_bytes, &compiled->condition,
                            &compiled->error);
    if (err)
        free(memory);
    return err == EINVAL ? 0 : err;
}

int select_compiled_filter_open(struct select_compiled_filter *compiled, const char *dotted,
                                const struct cairn_event *event)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    int err = EOPNOTSUPP;

    *compiled = (struct select_compiled_filter){0};
    if (layout->type.is_eventheader && layout->metadata && !event->swap)
        err = compile_condition(compiled, dotted, layout);
    if (err != EOPNOTSUPP)
        return err;
    if (layout->type.is_eventheader || event->swap || !event->tracepoint->format.length)
        err = compile_for_layout(compiled, dotted, layout);
    else
        err = compile_for_format(compiled, dotted, event);
    if (err)
        select_compiled_filter_close(compiled);
    return err;
}

void select_compiled_filter_close(struct select_compiled_filter *compiled)
{
    free(compiled->condition);
    free(compiled->filter);
    free(compiled->slots);
    *compiled = (struct select_compiled_filter){0};
}
