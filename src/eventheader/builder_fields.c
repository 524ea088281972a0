/* SPDX-License-Identifier: MIT */
/* Fields of a builder: a definition for the metadata, and values for the data. */
#include "eventheader/builder.h"
#include "eventheader/encode_string.h"

static const char not_a_value[] = "the encoding is not that of a value of fixed size";
static const char not_a_text[] = "the encoding is not that of a text or of bytes";
static const char not_an_encoding[] = "the encoding is invalid, or has invalid flags";
static const char no_length[] = "an array of constant length has 1 to 65535 values";

/* The bytes after a field's name: encoding [format [tag]] [length]. They are written one by one:
 * what is read in other portions than it was written waits for memory. */
#define FORM_MAX_BYTES 6u

static inline uint8_t *put_u16(uint8_t *to, uint16_t value)
{
    memcpy(to, &value, sizeof(value));
    return to + sizeof(value);
}

static inline uint8_t *put_form(uint8_t *to, uint8_t encoding, uint8_t format, uint16_t tag,
                                uint16_t length)
{
    bool has_format = format || tag;

    *to++ = (uint8_t)(encoding | (has_format ? CAIRN_ENCODING_CHAIN : 0));
    if (has_format)
        *to++ = (uint8_t)(format | (tag ? CAIRN_FORMAT_CHAIN : 0));
    if (tag)
        to = put_u16(to, tag);
    return encoding & CAIRN_ENCODING_CARRAY ? put_u16(to, length) : to;
}

static void fail_to_define(struct cairn_builder *builder, const char *name)
{
    eventheader_builder_fail(builder, EINVAL,
                             name ? "a format is at most 0x7f" : EVENTHEADER_BUILDER_NO_NAME);
}

static __attribute__((noinline)) void define_slowly(struct cairn_builder *builder, const char *name,
                                                    uint8_t encoding, uint8_t format, uint16_t tag,
                                                    uint16_t length)
{
    uint8_t form[FORM_MAX_BYTES];
    const uint8_t *end;

    if (!name || format > CAIRN_FORMAT_VALUE_MASK) {
        fail_to_define(builder, name);
        return;
    }
    end = put_form(form, encoding, format, tag, length);
    eventheader_builder_count_field(builder);
    eventheader_builder_add_metadata(builder, name, strlen(name) + 1);
    eventheader_builder_add_metadata(builder, form, (size_t)(end - form));
}

/* Adds the definition of a field; directly if there is space and the name is short. */
static inline __attribute__((always_inline)) void define(struct cairn_builder *builder,
                                                         const char *name, uint8_t encoding,
                                                         uint8_t format, uint16_t tag,
                                                         uint16_t length)
{
    uint8_t *to =
        eventheader_builder_metadata_end(builder, EVENTHEADER_NAME_SPACE + FORM_MAX_BYTES);
    uint8_t *end = NULL;

    if (cairn_likely(to && name && format <= CAIRN_FORMAT_VALUE_MASK))
        end = eventheader_copy_name(to, name);
    if (cairn_unlikely(!end)) {
        define_slowly(builder, name, encoding, format, tag, length);
        return;
    }
    eventheader_builder_count_field(builder);
    if (cairn_unlikely(builder->error))
        return;
    end = put_form(end, encoding, format, tag, length);
    builder->metadata.size += (size_t)(end - to);
    builder->at = builder->metadata.size;
}

/* ---- values ---- */

/* Size of a value. 0: the encoding has no fixed size. */
static size_t value_size(uint8_t encoding)
{
    static const uint8_t sizes[] = {
#define VALUE(name, number, extent, unit) [CAIRN_ENCODING_##name] = VALUE_##extent(unit),
#define VALUE_FIXED(unit)                 unit
#define VALUE_TERMINATED(unit)            0
#define VALUE_LENGTH16(unit)              0
        CAIRN_I_ENCODINGS(VALUE)};

    return encoding < sizeof(sizes) ? sizes[encoding] : 0;
}

void cairn_builder_value(struct cairn_builder *builder, const char *name, uint8_t encoding,
                         uint8_t format, uint16_t tag, const void *value)
{
    size_t size = value_size(encoding);

    if (!size)
        eventheader_builder_fail(builder, EINVAL, not_a_value);
    define(builder, name, encoding, format, tag, 0);
    eventheader_builder_add_data(builder, value, size);
}

void cairn_builder_values(struct cairn_builder *builder, const char *name, uint8_t encoding,
                          uint8_t format, uint16_t tag, const void *values, size_t count)
{
    size_t size = value_size(encoding);

    if (!size)
        eventheader_builder_fail(builder, EINVAL, not_a_value);
    if (count > EVENTHEADER_BUILDER_COUNT_MAX) {
        eventheader_builder_fail(builder, E2BIG, EVENTHEADER_BUILDER_TOO_LONG);
        return;
    }
    define(builder, name, encoding | CAIRN_ENCODING_VARRAY, format, tag, 0);
    eventheader_builder_add_counted(builder, count, values, count * size);
}

void cairn_builder_fixed_values(struct cairn_builder *builder, const char *name, uint8_t encoding,
                                uint8_t format, uint16_t tag, const void *values, size_t count)
{
    size_t size = value_size(encoding);

    if (!size)
        eventheader_builder_fail(builder, EINVAL, not_a_value);
    if (!count || count > EVENTHEADER_BUILDER_COUNT_MAX) {
        eventheader_builder_fail(builder, count ? E2BIG : EINVAL, no_length);
        return;
    }
    define(builder, name, encoding | CAIRN_ENCODING_CARRAY, format, tag, (uint16_t)count);
    eventheader_builder_add_data(builder, values, count * size);
}

/* ---- texts ---- */

/* Size of a unit. 0: the encoding is not a text. */
static size_t unit_size(uint8_t encoding)
{
    static const uint8_t units[] = {
#define TEXT(name, number, extent, unit) [CAIRN_ENCODING_##name] = TEXT_##extent(unit),
#define TEXT_FIXED(unit)                 0
#define TEXT_TERMINATED(unit)            unit
#define TEXT_LENGTH16(unit)              unit
        CAIRN_I_ENCODINGS(TEXT)};

    return encoding < sizeof(units) ? units[encoding] : 0;
}

static bool ends_at_zero(uint8_t encoding)
{
    switch (encoding) {
#define ENDS(name, number, extent, unit) ENDS_##extent(name)
#define ENDS_FIXED(name)
#define ENDS_TERMINATED(name) case CAIRN_ENCODING_##name:
#define ENDS_LENGTH16(name)
        CAIRN_I_ENCODINGS(ENDS)
        return true;
    default:
        return false;
    }
}

/* Number of units before the first zero. */
static size_t units_before_zero(const uint8_t *units, size_t count, size_t size)
{
    static const uint8_t zero[4];
    size_t n = 0;

    while (n < count && memcmp(units + n * size, zero, size) != 0)
        n++;
    return n;
}

static void add_text(struct cairn_builder *builder, uint8_t encoding, const void *units,
                     size_t count)
{
    size_t size = unit_size(encoding);

    if (!units)
        count = 0;
    /* In a mute struct the units need not be valid. */
    if (builder->error || builder->mute)
        return;
    if (ends_at_zero(encoding))
        count = units_before_zero(units, count, size);
    if (count > EVENTHEADER_BUILDER_COUNT_MAX) {
        eventheader_builder_fail(builder, E2BIG, EVENTHEADER_BUILDER_TOO_LONG);
        return;
    }
    if (!ends_at_zero(encoding)) {
        eventheader_builder_add_counted(builder, count, units, count * size);
        return;
    }
    eventheader_builder_add_data(builder, units, count * size);
    eventheader_builder_add_data(builder, NULL, size);
}

void cairn_builder_text(struct cairn_builder *builder, const char *name, uint8_t encoding,
                        uint8_t format, uint16_t tag, const void *units, size_t count)
{
    if (!unit_size(encoding))
        eventheader_builder_fail(builder, EINVAL, not_a_text);
    define(builder, name, encoding, format, tag, 0);
    add_text(builder, encoding, units, count);
}

void cairn_builder_texts(struct cairn_builder *builder, const char *name, uint8_t encoding,
                         uint8_t format, uint16_t tag, const struct cairn_event_text *texts,
                         size_t count)
{
    if (!unit_size(encoding))
        eventheader_builder_fail(builder, EINVAL, not_a_text);
    if (count > EVENTHEADER_BUILDER_COUNT_MAX)
        eventheader_builder_fail(builder, E2BIG, EVENTHEADER_BUILDER_TOO_LONG);
    if (count && !texts)
        eventheader_builder_fail(builder, EINVAL, "the array of texts is NULL");
    define(builder, name, encoding | CAIRN_ENCODING_VARRAY, format, tag, 0);
    eventheader_builder_add_count(builder, count);
    for (size_t i = 0; texts && i < count && !builder->error && !builder->mute; i++)
        add_text(builder, encoding, texts[i].units, texts[i].count);
}

void cairn_builder_null(struct cairn_builder *builder, const char *name, uint8_t format,
                        uint16_t tag)
{
    cairn_builder_text(builder, name, CAIRN_ENCODING_BINARY_LENGTH16_CHAR8, format, tag, NULL, 0);
}

void cairn_builder_raw_definition(struct cairn_builder *builder, const char *name, uint8_t encoding,
                                  uint8_t format, uint16_t tag, uint16_t length)
{
    uint8_t kind = encoding & CAIRN_ENCODING_VALUE_MASK;
    uint8_t flags = encoding & (uint8_t)~CAIRN_ENCODING_VALUE_MASK;

    if (kind == CAIRN_ENCODING_INVALID || kind >= CAIRN_ENCODING_MAX ||
        (flags && flags != CAIRN_ENCODING_CARRAY && flags != CAIRN_ENCODING_VARRAY))
        eventheader_builder_fail(builder, EINVAL, not_an_encoding);
    else if (flags == CAIRN_ENCODING_CARRAY && !length)
        eventheader_builder_fail(builder, EINVAL, no_length);
    else if (kind == CAIRN_ENCODING_STRUCT && builder->depth)
        eventheader_builder_fail(builder, EINVAL, "a raw struct cannot be in another struct");
    else
        define(builder, name, encoding, format, tag, length);
}

void cairn_builder_raw_data(struct cairn_builder *builder, const void *bytes, size_t size_bytes)
{
    eventheader_builder_add_data(builder, bytes, size_bytes);
}
