/* SPDX-License-Identifier: MIT */
/*
 * Parses the command text of user_events as kernel/trace/trace_events_user.c of Linux 6.12 does,
 * oddities included; README.md lists the exceptions.
 *
 *     name[:FLAG[,FLAG]] [type field[; type field ...]]
 */
#include "core/errno.h"
#include "core/field_type.h"
#include "core/slice.h"

#include <cairn/schema.h>

/* The largest size of a char array, and the longest text after its '['. */
#define ARRAY_MAX_BYTES      1024u
#define ARRAY_TEXT_MAX_BYTES 7u

struct schema_command {
    struct cairn_schema schema;
    uint32_t field_max;
    const char *wrong; /* position of the error */
};

/* The words of a field, not interpreted yet. */
struct field_words {
    struct cairn_slice type;
    struct cairn_slice name;
    struct cairn_slice size;
    bool is_struct;
    bool has_size;
};

static int fail(struct schema_command *command, const char *wrong, int error)
{
    command->wrong = wrong;
    return error;
}

/*
 * A name with a line break could make one event's format text look like another's, and an event
 * without a name cannot be enabled.
 */
static int check_name(struct schema_command *command, struct cairn_slice name)
{
    if (!name.length)
        return fail(command, name.text, EINVAL);
    for (uint32_t i = 0; i < name.length; i++) {
        if ((unsigned char)name.text[i] < ' ' || name.text[i] == 0x7f)
            return fail(command, name.text + i, EINVAL);
    }
    return 0;
}

static int parse_flags(struct schema_command *command, struct cairn_slice flags)
{
    int err;

    command->schema.flags = flags;
    for (;;) {
        struct cairn_slice flag = core_slice_take_until(&flags, ',');

        err = check_name(command, flag);
        if (err || flag.text + flag.length == flags.text)
            return err;
    }
}

/* "name" or "name:FLAGS". */
static int parse_head(struct schema_command *command, struct cairn_slice head)
{
    uint32_t colon = core_slice_find(head, ':');
    int err;

    command->schema.name = core_slice_first(head, colon);
    err = check_name(command, command->schema.name);
    if (err)
        return err;
    if (colon >= CAIRN_NAME_MAX_BYTES)
        return fail(command, head.text + CAIRN_NAME_MAX_BYTES - 1, E2BIG);
    return colon < head.length ? parse_flags(command, core_slice_after(head, colon + 1)) : 0;
}

/* The length of a type: some types have two or three words, and are recognized by the first. */
static uint32_t type_length(struct cairn_slice field, bool *ret_is_struct)
{
    struct cairn_slice rest = field;

    *ret_is_struct = core_slice_take(&rest, "struct ");
    if (!*ret_is_struct) {
        if (!core_slice_take(&rest, "__data_loc "))
            core_slice_take(&rest, "__rel_loc ");
        core_slice_take(&rest, "unsigned ");
    }
    return field.length - rest.length + core_slice_find(rest, ' ');
}

/* Splits "type name" or "struct tag name size" at each space, as the kernel does. */
static int split_field(struct schema_command *command, struct cairn_slice field,
                       struct field_words *words)
{
    uint32_t end = type_length(field, &words->is_struct);
    struct cairn_slice rest;

    words->type = core_slice_first(field, end);
    if (end == field.length)
        return fail(command, field.text + end, EINVAL);
    rest = core_slice_after(field, end + 1);

    end = core_slice_find(rest, ' ');
    words->name = core_slice_first(rest, end);
    words->has_size = end < rest.length;
    words->size = core_slice_after(rest, words->has_size ? end + 1 : end);
    if (words->has_size != words->is_struct)
        return fail(command, words->size.text, EINVAL);
    return 0;
}

/* n of "char[n]", or 0. The kernel ignores text after the bracket. */
static uint32_t char_array_size(struct cairn_slice type)
{
    struct cairn_slice text = core_slice_after(type, core_slice_find(type, '[') + 1);
    uint32_t close = core_slice_find(text, ']');
    uint32_t size_bytes;

    if (text.length > ARRAY_TEXT_MAX_BYTES || close == text.length ||
        !core_slice_number(core_slice_first(text, close), 0, &size_bytes) ||
        size_bytes > ARRAY_MAX_BYTES)
        return 0;
    return size_bytes;
}

/* A type's size, or 0. There is no long: the kernel's and the program's may differ. */
static uint32_t type_size(struct cairn_slice type)
{
    struct cairn_slice basic = type;
    uint32_t which;

    if (core_type_location(type) != CAIRN_FIELD_INLINE)
        return 4;
    which = core_slice_which(type, "u8\0s8\0u16\0s16\0u32\0s32\0u64\0s64\0");
    if (which < 8)
        return 1u << which / 2;
    core_slice_take(&basic, "unsigned ");
    which = core_slice_which(basic, "char\0short\0int\0");
    if (which < 3)
        return 1u << which;
    return core_slice_starts(basic, "char[") ? char_array_size(basic) : 0;
}

static int field_size(struct schema_command *command, const struct field_words *words,
                      uint32_t *ret_size_bytes)
{
    uint32_t size_bytes = 0;

    if (words->is_struct && !core_slice_number(words->size, 10, &size_bytes))
        return fail(command, words->size.text, EINVAL);
    if (!words->is_struct)
        size_bytes = type_size(words->type);

    /* The kernel counts in an int, and lets it wrap around. */
    if (!size_bytes || size_bytes > INT32_MAX - command->schema.fixed_size_bytes)
        return fail(command, words->is_struct ? words->size.text : words->type.text, EINVAL);
    *ret_size_bytes = size_bytes;
    return 0;
}

static int check_words(struct schema_command *command, const struct field_words *words)
{
    int err = check_name(command, words->type);

    if (!err)
        err = check_name(command, words->name);
    /* "struct  a 4" and "__data_loc  a": the kernel accepts them, but never matches them again. */
    if (!err && words->type.text[words->type.length - 1] == ' ')
        err = fail(command, words->name.text, EINVAL);
    return err;
}

static int parse_field(struct schema_command *command, struct cairn_slice text)
{
    struct cairn_schema *schema = &command->schema;
    struct cairn_field *field;
    struct field_words words;
    uint32_t size_bytes;
    int err;

    err = split_field(command, text, &words);
    if (!err)
        err = check_words(command, &words);
    if (!err)
        err = field_size(command, &words, &size_bytes);
    if (err)
        return err;
    if (schema->field_count == command->field_max)
        return fail(command, text.text, ENOSPC);

    field = &schema->fields[schema->field_count++];
    *field = (struct cairn_field){
        .name = words.name,
        .type = words.type,
        .offset = schema->fixed_size_bytes,
        .size_bytes = size_bytes,
        .is_signed = words.type.text[0] != 'u',
    };
    if (core_type_location(words.type) == CAIRN_FIELD_INLINE) {
        field->type.length = core_slice_find(words.type, '[');
        field->is_array = field->type.length < words.type.length;
    }
    core_field_classify(field, 0, sizeof(long));
    schema->fixed_size_bytes += size_bytes;
    return 0;
}

static int parse_fields(struct schema_command *command, struct cairn_slice fields)
{
    int err = 0;

    while (!err && fields.length) {
        struct cairn_slice field = core_slice_take_until(&fields, ';');

        field = core_slice_skip_kernel_spaces(field);
        if (field.length)
            err = parse_field(command, field);
    }
    return err;
}

static int parse(struct schema_command *command, struct cairn_slice text)
{
    struct cairn_slice head;
    int err;

    if (text.length == CAIRN_COMMAND_MAX_BYTES)
        return fail(command, text.text + text.length - 1, EINVAL);
    head = core_slice_take_until(&text, ' ');
    err = parse_head(command, head);
    return err ? err : parse_fields(command, text);
}

int cairn_schema_parse_command(const char *command, struct cairn_field *fields, uint32_t field_max,
                               struct cairn_schema *ret_schema, uint32_t *ret_position)
{
    struct cairn_slice text = {command, CAIRN_COMMAND_MAX_BYTES};
    struct schema_command parsed = {
        .schema = {.system = CORE_SLICE(""),
                   .flags = CORE_SLICE(""),
                   .print_fmt = CORE_SLICE(""),
                   .fixed_size_bytes = CAIRN_COMMON_BYTES,
                   .fields = fields},
        .field_max = field_max,
    };
    int err;

    text.length = core_slice_find(text, '\0');
    err = parse(&parsed, text);
    if (err && ret_position)
        *ret_position = (uint32_t)(parsed.wrong - command);
    if (!err)
        *ret_schema = parsed.schema;
    return err;
}
