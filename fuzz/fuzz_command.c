/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of command texts: an accepted text has the layout that it describes, and its
 * format text describes the same one. */
#include <cairn/schema.h>

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* True for a C identifier. The kernel allows other names too, which are ambiguous in a format text.
 */
static bool is_plain(struct cairn_slice name)
{
    for (uint32_t i = 0; i < name.length; i++) {
        if (!isalnum((unsigned char)name.text[i]) && name.text[i] != '_')
            return false;
    }
    return true;
}

static struct cairn_slice without_brackets(struct cairn_slice type)
{
    for (uint32_t i = 0; i < type.length; i++) {
        if (type.text[i] == '[')
            type.length = i;
    }
    return type;
}

/* True for words that are followed by at most one pair of brackets. */
static bool is_plain_type(struct cairn_slice type)
{
    struct cairn_slice words = without_brackets(type);

    for (uint32_t i = 0; i < words.length; i++) {
        if (words.text[i] != ' ' && !is_plain((struct cairn_slice){words.text + i, 1}))
            return false;
    }
    if (words.text[words.length - 1] == ' ')
        return false;
    return words.length == type.length ||
           (type.text[type.length - 1] == ']' &&
            is_plain((struct cairn_slice){type.text + words.length + 1,
                                          type.length - words.length - 2}));
}

static bool is_plain_schema(const struct cairn_schema *schema)
{
    for (uint32_t i = 0; i < schema->field_count; i++) {
        if (!is_plain(schema->fields[i].name) || !is_plain_type(schema->fields[i].type))
            return false;
    }
    return is_plain(schema->name);
}

static void check_layout(const struct cairn_schema *schema)
{
    uint32_t offset = CAIRN_COMMON_BYTES;

    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];

        assert(field->offset == offset && field->size_bytes);
        assert(field->name.length && field->type.length);
        assert(!field->element_count ||
               field->element_count * field->element_size_bytes == field->size_bytes);
        offset += field->size_bytes;
    }
    assert(schema->fixed_size_bytes == offset);
    assert(cairn_schema_equal(schema, schema));
}

static void check_slices(struct cairn_slice a, struct cairn_slice b)
{
    assert(a.length == b.length && !memcmp(a.text, b.text, a.length));
}

/* Compares all but the brackets of a type: those of __rel_loc are after the name in a format text.
 */
static void check_same_field(const struct cairn_field *a, const struct cairn_field *b)
{
    check_slices(a->name, b->name);
    check_slices(without_brackets(a->type), without_brackets(b->type));
    assert(a->offset == b->offset && a->size_bytes == b->size_bytes);
    assert(a->kind == b->kind && a->location == b->location);
    assert(a->element_size_bytes == b->element_size_bytes && a->element_count == b->element_count);
    assert(a->is_signed == b->is_signed && a->is_array == b->is_array);
}

static void check_format(const struct cairn_schema *schema)
{
    static char text[CAIRN_FORMAT_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX + 4];
    struct cairn_schema read;
    size_t length;

    assert(!cairn_schema_write_format(schema, 1234, text, sizeof(text), &length));
    assert(strlen(text) == length);
    if (!is_plain_schema(schema))
        return;
    assert(!cairn_schema_parse_format(text, length, sizeof(long), fields, CAIRN_FIELDS_MAX + 4,
                                      &read));
    assert(read.id == 1234 && read.common_count == 4);
    assert(read.field_count == schema->field_count + 4);
    assert(read.fixed_size_bytes == schema->fixed_size_bytes);
    check_slices(read.name, schema->name);
    for (uint32_t i = 0; i < schema->field_count; i++)
        check_same_field(&schema->fields[i], &fields[4 + i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema = {.id = 77};
    uint32_t position = UINT32_MAX;
    char *command = malloc(size + 1);

    assert(command);
    memcpy(command, data, size);
    command[size] = '\0';
    if (cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, &position)) {
        assert(position <= strlen(command) && schema.id == 77);
    } else {
        check_layout(&schema);
        check_format(&schema);
    }
    free(command);
    return 0;
}
