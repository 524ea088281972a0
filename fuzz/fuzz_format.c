/* SPDX-License-Identifier: MIT */
/* Fuzzes the parser of format texts: an accepted text gives a schema that decoders can rely on. */
#include <cairn/schema.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_slice(struct cairn_slice slice, const char *text, size_t size)
{
    if (slice.length)
        assert(slice.text >= text && slice.text + slice.length <= text + size);
}

static void check_field(const struct cairn_field *field)
{
    assert(field->name.length && field->type.length);
    assert(field->kind <= CAIRN_FIELD_BYTES && field->location <= CAIRN_FIELD_REL_LOC);
    switch (field->kind) {
    case CAIRN_FIELD_STRUCT:
    case CAIRN_FIELD_BYTES:
        assert(!field->element_size_bytes && !field->element_count);
        break;
    default:
        assert(field->element_size_bytes == 1 || field->element_size_bytes == 2 ||
               field->element_size_bytes == 4 || field->element_size_bytes == 8);
    }
    if (field->location != CAIRN_FIELD_INLINE)
        assert(field->size_bytes == 4 && field->is_array && !field->element_count);
    else if (!field->is_array)
        assert(!field->element_count);
    else
        assert(field->element_count * field->element_size_bytes == field->size_bytes ||
               !field->element_size_bytes);
}

static void check_schema(const struct cairn_schema *schema, const char *text, size_t size)
{
    assert(schema->common_count <= schema->field_count);
    check_slice(schema->name, text, size);
    check_slice(schema->print_fmt, text, size);
    for (uint32_t i = 0; i < schema->field_count; i++) {
        const struct cairn_field *field = &schema->fields[i];

        check_slice(field->name, text, size);
        check_slice(field->type, text, size);
        check_field(field);
        assert(field->offset + field->size_bytes >= field->offset);
        assert(field->offset + field->size_bytes <= schema->fixed_size_bytes);
    }
    assert(cairn_schema_equal(schema, schema));
}

static int parse(const char *text, size_t size, uint32_t long_size_bytes, uint32_t field_max)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema = {.id = 77, .fields = NULL};
    int err = cairn_schema_parse_format(text, size, long_size_bytes, fields, field_max, &schema);

    assert(err == 0 || err == EBADMSG || err == ENOSPC);
    if (err)
        assert(schema.id == 77 && !schema.fields);
    else
        check_schema(&schema, text, size);
    return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1);
    int err;

    assert(text);
    memcpy(text, data, size);
    err = parse(text, size, 8, CAIRN_FIELDS_MAX);
    assert(parse(text, size, 4, CAIRN_FIELDS_MAX) == err);
    parse(text, size, 8, 3);
    free(text);
    return 0;
}
