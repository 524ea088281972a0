/* SPDX-License-Identifier: MIT */
/* Definitions and values of fields. Both go through a field's class in the same way. */
#include "ctf/fields.h"

#include <cairn/eventheader_abi.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 256u

typedef const bt_field_class *field_class;
typedef const bt_field_class_structure_member *structure_member;

/* ---- classes ---- */

static bt_field_class_type type_of(const struct ctf_fields *f, field_class class)
{
    return f->bt->bt_field_class_get_type(class);
}

static bool is_array(const struct ctf_fields *f, field_class class)
{
    return ctf_is(type_of(f, class), BT_FIELD_CLASS_TYPE_ARRAY);
}

static field_class element_class(const struct ctf_fields *f, field_class class)
{
    return f->bt->bt_field_class_array_borrow_element_field_class_const(class);
}

static structure_member member_at(const struct ctf_fields *f, field_class class, uint64_t index)
{
    return f->bt->bt_field_class_structure_borrow_member_by_index_const(class, index);
}

static field_class member_class(const struct ctf_fields *f, structure_member member)
{
    return f->bt->bt_field_class_structure_member_borrow_field_class_const(member);
}

static const char *member_name(const struct ctf_fields *f, structure_member member)
{
    return f->bt->bt_field_class_structure_member_get_name(member);
}

static void fail(struct ctf_fields *f, int error)
{
    if (!f->error)
        f->error = error;
}

/* False: too deep. Each true one has its leave. */
static bool enter(struct ctf_fields *f)
{
    if (f->depth >= CTF_DEPTH_MAX) {
        fail(f, E2BIG);
        return false;
    }
    f->depth++;
    return true;
}

static void leave(struct ctf_fields *f)
{
    f->depth--;
}

/* True if all values of the class have the same definition. */
static bool is_uniform(struct ctf_fields *f, field_class class)
{
    bt_field_class_type type = type_of(f, class);
    bool is =
        !ctf_is(type, BT_FIELD_CLASS_TYPE_VARIANT) && !ctf_is(type, BT_FIELD_CLASS_TYPE_OPTION);

    if (!enter(f))
        return false;
    if (ctf_is(type, BT_FIELD_CLASS_TYPE_ARRAY)) {
        is = is_uniform(f, element_class(f, class));
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
        uint64_t count = f->bt->bt_field_class_structure_get_member_count(class);

        for (uint64_t i = 0; i < count && is; i++)
            is = is_uniform(f, member_class(f, member_at(f, class, i)));
    }
    leave(f);
    return is;
}

static bool is_hex(const struct ctf_fields *f, field_class class)
{
    return f->bt->bt_field_class_integer_get_preferred_display_base(class) ==
           BT_FIELD_CLASS_INTEGER_PREFERRED_DISPLAY_BASE_HEXADECIMAL;
}

/* An array of bytes, which are shown as such. */
static bool is_bytes(const struct ctf_fields *f, field_class class)
{
    field_class element = element_class(f, class);

    return type_of(f, element) == BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER &&
           f->bt->bt_field_class_integer_get_field_value_range(element) == 8 && is_hex(f, element);
}

/* An enumeration, or an array of such: a field with labels follows it. */
static bool has_label(const struct ctf_fields *f, field_class class)
{
    bt_field_class_type type = type_of(f, class);

    if (ctf_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
        type = type_of(f, element_class(f, class));
    return ctf_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION);
}

/* ---- members of structures ---- */

/* True if a member has the length of the one after it, a sequence or its text, and no other
 * meaning. */
static bool is_length(const struct ctf_fields *f, field_class structure, uint64_t index)
{
    structure_member member = member_at(f, structure, index);
    const char *name = member_name(f, member);
    char expected[NAME_BYTES];
    bt_field_class_type type;
    structure_member next;

    if (*name != '_' || index + 1 >= f->bt->bt_field_class_structure_get_member_count(structure) ||
        type_of(f, member_class(f, member)) != BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)
        return false;
    next = member_at(f, structure, index + 1);
    type = type_of(f, member_class(f, next));
    (void)snprintf(expected, sizeof(expected), "_%s_length", member_name(f, next));
    return !strcmp(name, expected) &&
           (type == BT_FIELD_CLASS_TYPE_STRING ||
            ctf_is(type, BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD));
}

static bool is_hidden(const struct ctf_fields *f, field_class structure, uint64_t index)
{
    structure_member member = member_at(f, structure, index);

    for (unsigned i = 0; i < f->hidden_count; i++) {
        if (f->hidden[i] == member)
            return true;
    }
    return is_length(f, structure, index);
}

void ctf_fields_hide(struct ctf_fields *fields, structure_member member)
{
    if (fields->hidden_count < CTF_HIDDEN_MAX)
        fields->hidden[fields->hidden_count++] = member;
}

static const bt_field *option_of(const struct ctf_fields *f, const bt_field *field)
{
    return field ? f->bt->bt_field_option_borrow_field_const(field) : NULL;
}

static field_class class_of(const struct ctf_fields *f, const bt_field *field)
{
    return f->bt->bt_field_borrow_class_const(field);
}

/* The number of fields that a field becomes. */
static unsigned width_of(const struct ctf_fields *f, field_class class, const bt_field *field)
{
    if (ctf_is(type_of(f, class), BT_FIELD_CLASS_TYPE_OPTION)) {
        const bt_field *content = option_of(f, field);

        return content ? width_of(f, class_of(f, content), content) : 1;
    }
    return has_label(f, class) ? 2 : 1;
}

static const bt_field *member_field(const struct ctf_fields *f, const bt_field *structure,
                                    uint64_t index)
{
    return structure
               ? f->bt->bt_field_structure_borrow_member_field_by_index_const(structure, index)
               : NULL;
}

/* The number of fields that a structure's members become. */
static uint64_t count_members(const struct ctf_fields *f, field_class class, const bt_field *field)
{
    uint64_t count = f->bt->bt_field_class_structure_get_member_count(class);
    uint64_t width = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (!is_hidden(f, class, i))
            width +=
                width_of(f, member_class(f, member_at(f, class, i)), member_field(f, field, i));
    }
    return width;
}

/* ---- definitions ---- */

static void put_u8(struct cairn_bytes *to, uint8_t value)
{
    perf_data_bytes_put(to, &value, 1);
}

static void put_u16(struct cairn_bytes *to, uint16_t value)
{
    perf_data_bytes_put(to, &value, sizeof(value));
}

void ctf_fields_define(struct ctf_fields *fields, const char *name, uint8_t encoding,
                       uint8_t format)
{
    perf_data_bytes_put(fields->definitions, name, strlen(name) + 1);
    put_u8(fields->definitions, format ? encoding | CAIRN_ENCODING_CHAIN : encoding);
    if (format)
        put_u8(fields->definitions, format);
}

static void define(struct ctf_fields *f, const char *name, field_class class, const bt_field *field,
                   uint8_t array);

/* A value that is null. */
static void define_null(struct ctf_fields *f, const char *name, uint8_t array)
{
    ctf_fields_define(f, name, CAIRN_ENCODING_STRING_LENGTH16_CHAR8 | array,
                      CAIRN_FORMAT_UNSIGNED_INT);
}

static void define_struct(struct ctf_fields *f, const char *name, uint64_t members, uint8_t array)
{
    if (members > CAIRN_STRUCT_FIELDS_MAX)
        fail(f, E2BIG);
    else
        ctf_fields_define(f, name, CAIRN_ENCODING_STRUCT | array, (uint8_t)members);
}

static uint8_t integer_encoding(uint64_t width)
{
    if (width <= 8)
        return CAIRN_ENCODING_VALUE8;
    if (width <= 16)
        return CAIRN_ENCODING_VALUE16;
    return width <= 32 ? CAIRN_ENCODING_VALUE32 : CAIRN_ENCODING_VALUE64;
}

static uint8_t encoding_of(const struct ctf_fields *f, field_class class)
{
    return integer_encoding(f->bt->bt_field_class_integer_get_field_value_range(class));
}

static void define_label(struct ctf_fields *f, const char *name, uint8_t array)
{
    char label[NAME_BYTES];

    (void)snprintf(label, sizeof(label), "%.*s_label", (int)sizeof(label) - 8, name);
    ctf_fields_define(f, label, CAIRN_ENCODING_ZSTRING_CHAR8 | array, 0);
}

static void define_integer(struct ctf_fields *f, const char *name, field_class class, uint8_t array)
{
    bool is_signed = ctf_is(type_of(f, class), BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
    uint8_t format = is_signed ? CAIRN_FORMAT_SIGNED_INT : CAIRN_FORMAT_UNSIGNED_INT;

    if (!is_signed && is_hex(f, class))
        format = CAIRN_FORMAT_HEX_INT;
    ctf_fields_define(f, name, encoding_of(f, class) | array, format);
    if (has_label(f, class))
        define_label(f, name, array);
}

static void define_structure(struct ctf_fields *f, const char *name, field_class class,
                             const bt_field *field, uint8_t array)
{
    uint64_t count = f->bt->bt_field_class_structure_get_member_count(class);
    uint64_t width = count_members(f, class, field);

    if (!width) {
        define_null(f, name, array);
        return;
    }
    define_struct(f, name, width, array);
    for (uint64_t i = 0; i < count && !f->error; i++) {
        structure_member member = member_at(f, class, i);

        if (!is_hidden(f, class, i))
            define(f, member_name(f, member), member_class(f, member), member_field(f, field, i),
                   0);
    }
}

/* Elements that differ: members of a struct, named by their index. */
static void define_elements(struct ctf_fields *f, const char *name, field_class class,
                            const bt_field *field)
{
    uint64_t count = field ? f->bt->bt_field_array_get_length(field) : 0;
    uint64_t width = 0;
    char number[24];

    if (!count) {
        define_null(f, name, 0);
        return;
    }
    for (uint64_t i = 0; i < count && width <= CAIRN_STRUCT_FIELDS_MAX; i++)
        width += width_of(f, element_class(f, class),
                          f->bt->bt_field_array_borrow_element_field_by_index_const(field, i));
    define_struct(f, name, width, 0);
    for (uint64_t i = 0; i < count && !f->error; i++) {
        (void)snprintf(number, sizeof(number), "%u", (unsigned)i);
        define(f, number, element_class(f, class),
               f->bt->bt_field_array_borrow_element_field_by_index_const(field, i), 0);
    }
}

static void define_array(struct ctf_fields *f, const char *name, field_class class,
                         const bt_field *field, uint8_t array)
{
    field_class element = element_class(f, class);

    if (is_bytes(f, class)) {
        ctf_fields_define(f, name, CAIRN_ENCODING_STRING_LENGTH16_CHAR8 | array,
                          CAIRN_FORMAT_HEX_BYTES);
    } else if (array) { /* an element of another array */
        define_struct(f, name, has_label(f, class) ? 2 : 1, array);
        define(f, "elements", class, NULL, 0);
    } else if (!is_uniform(f, element)) {
        define_elements(f, name, class, field);
    } else {
        define(f, name, element, NULL, CAIRN_ENCODING_VARRAY);
    }
}

static void define_variant(struct ctf_fields *f, const char *name, const bt_field *field)
{
    const bt_field *content = f->bt->bt_field_variant_borrow_selected_option_field_const(field);
    const bt_field_class_variant_option *option =
        f->bt->bt_field_variant_borrow_selected_option_class_const(field);
    const char *option_name = f->bt->bt_field_class_variant_option_get_name(option);

    define_struct(f, name, width_of(f, class_of(f, content), content), 0);
    define(f, option_name ? option_name : "", class_of(f, content), content, 0);
}

static void define_option(struct ctf_fields *f, const char *name, const bt_field *field)
{
    const bt_field *content = option_of(f, field);

    if (content)
        define(f, name, class_of(f, content), content, 0);
    else
        define_null(f, name, 0);
}

static void define_scalar(struct ctf_fields *f, const char *name, field_class class, uint8_t array)
{
    switch (type_of(f, class)) {
    case BT_FIELD_CLASS_TYPE_BOOL:
        ctf_fields_define(f, name, CAIRN_ENCODING_VALUE8 | array, CAIRN_FORMAT_BOOLEAN);
        break;
    case BT_FIELD_CLASS_TYPE_BIT_ARRAY:
        ctf_fields_define(
            f, name, integer_encoding(f->bt->bt_field_class_bit_array_get_length(class)) | array,
            CAIRN_FORMAT_HEX_INT);
        break;
    case BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL:
        ctf_fields_define(f, name, CAIRN_ENCODING_VALUE32 | array, CAIRN_FORMAT_FLOAT);
        break;
    case BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL:
        ctf_fields_define(f, name, CAIRN_ENCODING_VALUE64 | array, CAIRN_FORMAT_FLOAT);
        break;
    case BT_FIELD_CLASS_TYPE_STRING:
        ctf_fields_define(f, name, CAIRN_ENCODING_ZSTRING_CHAR8 | array, 0);
        break;
    default: /* of a later version */
        fail(f, E2BIG);
        break;
    }
}

/*
 * field  NULL: the definition does not depend on it
 * array  CAIRN_ENCODING_VARRAY: elements of an array are defined
 */
static void define(struct ctf_fields *f, const char *name, field_class class, const bt_field *field,
                   uint8_t array)
{
    bt_field_class_type type = type_of(f, class);

    if (!enter(f))
        return;
    if (ctf_is(type, BT_FIELD_CLASS_TYPE_INTEGER))
        define_integer(f, name, class, array);
    else if (ctf_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE))
        define_structure(f, name, class, field, array);
    else if (ctf_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
        define_array(f, name, class, field, array);
    else if (ctf_is(type, BT_FIELD_CLASS_TYPE_VARIANT))
        define_variant(f, name, field);
    else if (ctf_is(type, BT_FIELD_CLASS_TYPE_OPTION))
        define_option(f, name, field);
    else
        define_scalar(f, name, class, array);
    leave(f);
}

/* ---- values ---- */

static void put_value(struct ctf_fields *f, const bt_field *field);

/* The lowest bytes of a number. */
static void put_number(struct ctf_fields *f, uint64_t value, uint8_t encoding)
{
    uint8_t as8 = (uint8_t)value;
    uint16_t as16 = (uint16_t)value;

    if (encoding == CAIRN_ENCODING_VALUE8)
        put_u8(f->values, as8);
    else if (encoding == CAIRN_ENCODING_VALUE16)
        put_u16(f->values, as16);
    else if (encoding == CAIRN_ENCODING_VALUE32)
        perf_data_bytes_put_u32(f->values, (uint32_t)value);
    else
        perf_data_bytes_put_u64(f->values, value);
}

static void put_integer(struct ctf_fields *f, field_class class, const bt_field *field)
{
    bool is_signed = ctf_is(type_of(f, class), BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);

    put_number(f,
               is_signed ? (uint64_t)f->bt->bt_field_integer_signed_get_value(field)
                         : f->bt->bt_field_integer_unsigned_get_value(field),
               encoding_of(f, class));
}

/* The labels of an enumeration's value, as text with commas. */
static void put_label(struct ctf_fields *f, const bt_field *field)
{
    bool is_signed = ctf_is(type_of(f, class_of(f, field)), BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
    bt_field_class_enumeration_mapping_label_array labels = NULL;
    uint64_t count = 0;
    int status =
        is_signed
            ? (int)f->bt->bt_field_enumeration_signed_get_mapping_labels(field, &labels, &count)
            : (int)f->bt->bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &count);

    if (status) {
        f->bt->bt_current_thread_clear_error();
        fail(f, ENOMEM);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        if (i)
            perf_data_bytes_put(f->values, ", ", 2);
        perf_data_bytes_put(f->values, labels[i], strlen(labels[i]));
    }
    put_u8(f->values, 0);
}

static void put_string(struct ctf_fields *f, const bt_field *field)
{
    const char *text = f->bt->bt_field_string_get_value(field);

    perf_data_bytes_put(f->values, text, strlen(text) + 1);
}

/* A text of length 0: the library's field has that of the event before. */
static bool is_empty_text(const struct ctf_fields *f, field_class class, const bt_field *structure,
                          uint64_t index)
{
    return index && is_length(f, class, index - 1) &&
           type_of(f, member_class(f, member_at(f, class, index))) == BT_FIELD_CLASS_TYPE_STRING &&
           !f->bt->bt_field_integer_unsigned_get_value(member_field(f, structure, index - 1));
}

static void put_member(struct ctf_fields *f, field_class class, const bt_field *structure,
                       uint64_t index)
{
    if (is_empty_text(f, class, structure, index))
        put_u8(f->values, 0);
    else
        put_value(f, member_field(f, structure, index));
}

static void put_structure(struct ctf_fields *f, field_class class, const bt_field *field)
{
    uint64_t count = f->bt->bt_field_class_structure_get_member_count(class);

    if (!count_members(f, class, field))
        put_u16(f->values, 0);
    for (uint64_t i = 0; i < count && !f->error; i++) {
        if (!is_hidden(f, class, i))
            put_member(f, class, field, i);
    }
}

static const bt_field *element_at(const struct ctf_fields *f, const bt_field *field, uint64_t index)
{
    return f->bt->bt_field_array_borrow_element_field_by_index_const(field, index);
}

static void put_bytes(struct ctf_fields *f, const bt_field *field, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        put_u8(f->values,
               (uint8_t)f->bt->bt_field_integer_unsigned_get_value(element_at(f, field, i)));
}

/* Numbers of enumerations and their labels are two arrays. */
static void put_enumerations(struct ctf_fields *f, field_class element, const bt_field *field,
                             uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        put_integer(f, element, element_at(f, field, i));
    put_u16(f->values, (uint16_t)count);
    for (uint64_t i = 0; i < count && !f->error; i++)
        put_label(f, element_at(f, field, i));
}

static void put_array(struct ctf_fields *f, field_class class, const bt_field *field)
{
    uint64_t count = f->bt->bt_field_array_get_length(field);
    field_class element = element_class(f, class);
    bool is_struct = !is_uniform(f, element);

    if (count > UINT16_MAX) {
        fail(f, E2BIG);
        return;
    }
    if (!is_struct || !count) /* otherwise it is a struct of its elements */
        put_u16(f->values, (uint16_t)count);
    if (is_bytes(f, class)) {
        put_bytes(f, field, count);
    } else if (has_label(f, class)) {
        put_enumerations(f, element, field, count);
    } else {
        for (uint64_t i = 0; i < count && !f->error; i++)
            put_value(f, element_at(f, field, i));
    }
}

static void put_scalar(struct ctf_fields *f, field_class class, const bt_field *field)
{
    float single_value;
    double double_value;

    switch (type_of(f, class)) {
    case BT_FIELD_CLASS_TYPE_BOOL:
        put_u8(f->values, f->bt->bt_field_bool_get_value(field) ? 1 : 0);
        break;
    case BT_FIELD_CLASS_TYPE_BIT_ARRAY:
        put_number(f, f->bt->bt_field_bit_array_get_value_as_integer(field),
                   integer_encoding(f->bt->bt_field_class_bit_array_get_length(class)));
        break;
    case BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL:
        single_value = f->bt->bt_field_real_single_precision_get_value(field);
        perf_data_bytes_put(f->values, &single_value, sizeof(single_value));
        break;
    case BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL:
        double_value = f->bt->bt_field_real_double_precision_get_value(field);
        perf_data_bytes_put(f->values, &double_value, sizeof(double_value));
        break;
    case BT_FIELD_CLASS_TYPE_STRING:
        put_string(f, field);
        break;
    default:
        fail(f, E2BIG);
        break;
    }
}

static void put_option(struct ctf_fields *f, const bt_field *field)
{
    const bt_field *content = option_of(f, field);

    if (content)
        put_value(f, content);
    else
        put_u16(f->values, 0);
}

static void put_value(struct ctf_fields *f, const bt_field *field)
{
    field_class class = class_of(f, field);
    bt_field_class_type type = type_of(f, class);

    if (!enter(f))
        return;
    if (ctf_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
        put_integer(f, class, field);
        if (has_label(f, class))
            put_label(f, field);
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE)) {
        put_structure(f, class, field);
    } else if (is_array(f, class)) {
        put_array(f, class, field);
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
        put_value(f, f->bt->bt_field_variant_borrow_selected_option_field_const(field));
    } else if (ctf_is(type, BT_FIELD_CLASS_TYPE_OPTION)) {
        put_option(f, field);
    } else {
        put_scalar(f, class, field);
    }
    leave(f);
}

/* ---- whole structures ---- */

void ctf_fields_add_members(struct ctf_fields *fields, const bt_field *structure)
{
    field_class class;
    uint64_t count;

    if (!structure)
        return;
    class = class_of(fields, structure);
    count = fields->bt->bt_field_class_structure_get_member_count(class);
    for (uint64_t i = 0; i < count && !fields->error; i++) {
        structure_member member = member_at(fields, class, i);

        if (is_hidden(fields, class, i))
            continue;
        define(fields, member_name(fields, member), member_class(fields, member),
               member_field(fields, structure, i), 0);
        put_member(fields, class, structure, i);
    }
}

void ctf_fields_add_structure(struct ctf_fields *fields, const char *name,
                              const bt_field *structure)
{
    if (!structure || !count_members(fields, class_of(fields, structure), structure))
        return;
    define(fields, name, class_of(fields, structure), structure, 0);
    put_value(fields, structure);
}
