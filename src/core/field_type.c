/* SPDX-License-Identifier: MIT */
#include "core/field_type.h"

#include "core/slice.h"

/* A type's words, counted; `base` is the last that is none of the language's own. */
struct type_words {
    struct cairn_slice base;
    uint32_t longs;
    bool is_short;
    bool is_signed;
    bool is_unsigned;
    bool is_struct;
    bool is_pointer;
};

/* What one element of a type is. A size of 0 is an unknown one. */
struct element {
    enum cairn_field_kind kind;
    uint32_t size_bytes;
};

static enum cairn_field_location take_location(struct cairn_slice *type)
{
    if (cairn_slice_take(type, "__data_loc "))
        return CAIRN_FIELD_DATA_LOC;
    if (cairn_slice_take(type, "__rel_loc "))
        return CAIRN_FIELD_REL_LOC;
    return CAIRN_FIELD_INLINE;
}

enum cairn_field_location cairn_type_location(struct cairn_slice type)
{
    return take_location(&type);
}

static bool is_word_byte(char c)
{
    return !cairn_is_space(c) && c != '*' && c != '(' && c != '[';
}

static struct cairn_slice take_word(struct cairn_slice *rest)
{
    struct cairn_slice word = *rest;

    while (rest->length && is_word_byte(rest->text[0]))
        *rest = cairn_slice_after(*rest, 1);
    return cairn_slice_first(word, word.length - rest->length);
}

/* Takes "(...)", with what is nested in it; to the end when it is not closed. */
static void take_parentheses(struct cairn_slice *rest)
{
    uint32_t depth = 0;

    do {
        depth += rest->text[0] == '(';
        depth -= rest->text[0] == ')';
        *rest = cairn_slice_after(*rest, 1);
    } while (rest->length && depth);
}

static void count_word(struct type_words *words, struct cairn_slice word)
{
    uint32_t which = cairn_slice_which(word, "unsigned\0signed\0long\0short\0struct\0union\0"
                                             "const\0volatile\0__attribute__\0");

    words->is_unsigned |= which == 0;
    words->is_signed |= which == 1;
    words->longs += which == 2;
    words->is_short |= which == 3;
    words->is_struct |= which == 4 || which == 5;
    if (which == 9)
        words->base = word;
}

static struct type_words read_words(struct cairn_slice type)
{
    struct type_words words = {.base = CAIRN_SLICE("")};

    while (type.length && type.text[0] != '[') {
        if (is_word_byte(type.text[0])) {
            count_word(&words, take_word(&type));
        } else if (type.text[0] == '(') {
            /* "(*name)(...)" is a function pointer; of an attribute nothing matters. */
            words.is_pointer |= cairn_slice_starts(type, "(*");
            take_parentheses(&type);
        } else {
            words.is_pointer |= type.text[0] == '*';
            type = cairn_slice_after(type, 1);
        }
    }
    return words;
}

/* u8, __u8, uint8_t, and so on to s64. */
static struct element fixed_width_element(struct cairn_slice base)
{
    struct element element = {.kind = CAIRN_FIELD_SIGNED};
    uint32_t which;

    cairn_slice_take(&base, "__");
    if (cairn_slice_ends(base, "_t")) {
        if (cairn_slice_take(&base, "u"))
            element.kind = CAIRN_FIELD_UNSIGNED;
        if (!cairn_slice_take(&base, "int"))
            return (struct element){CAIRN_FIELD_BYTES, 0};
        base.length -= 2;
    } else if (cairn_slice_take(&base, "u")) {
        element.kind = CAIRN_FIELD_UNSIGNED;
    } else if (!cairn_slice_take(&base, "s")) {
        return (struct element){CAIRN_FIELD_BYTES, 0};
    }

    which = cairn_slice_which(base, "8\0"
                                    "16\0"
                                    "32\0"
                                    "64\0");
    if (which == 4)
        return (struct element){CAIRN_FIELD_BYTES, 0};
    element.size_bytes = 1u << which;
    return element;
}

/* int, and what may stand without the word: short, long, unsigned. */
static struct element int_element(const struct type_words *words, uint32_t long_size_bytes)
{
    struct element element = {.kind =
                                  words->is_unsigned ? CAIRN_FIELD_UNSIGNED : CAIRN_FIELD_SIGNED};

    if (words->longs > 1)
        element.size_bytes = 8;
    else if (words->longs)
        element.size_bytes = long_size_bytes;
    else
        element.size_bytes = words->is_short ? 2 : 4;
    return element;
}

static struct element char_element(const struct type_words *words)
{
    if (words->is_unsigned)
        return (struct element){CAIRN_FIELD_UNSIGNED, 1};
    return (struct element){words->is_signed ? CAIRN_FIELD_SIGNED : CAIRN_FIELD_STRING, 1};
}

static struct element type_element(struct cairn_slice type, uint32_t long_size_bytes)
{
    struct type_words words;

    take_location(&type);
    words = read_words(type);
    if (words.is_pointer)
        return (struct element){CAIRN_FIELD_POINTER, long_size_bytes};
    if (words.is_struct)
        return (struct element){CAIRN_FIELD_STRUCT, 0};
    if (cairn_slice_is(words.base, "char"))
        return char_element(&words);
    if (cairn_slice_is(words.base, "bool") || cairn_slice_is(words.base, "_Bool"))
        return (struct element){CAIRN_FIELD_BOOL, 1};
    if (cairn_slice_is(words.base, "int") || !words.base.length)
        return int_element(&words, long_size_bytes);
    return fixed_width_element(words.base);
}

bool cairn_type_is_signed(struct cairn_slice type)
{
    enum cairn_field_kind kind = type_element(type, sizeof(long)).kind;

    return kind == CAIRN_FIELD_SIGNED || kind == CAIRN_FIELD_STRING;
}

static bool is_integer_size(uint32_t size_bytes)
{
    return size_bytes == 1 || size_bytes == 2 || size_bytes == 4 || size_bytes == 8;
}

/*
 * The size of one element of an array in place, or 0. The type tells more reliably than the
 * declared count: for arrays of user_events, kernels print a count out of memory that nobody
 * initialized.
 */
static uint32_t array_element_size(uint32_t size_bytes, uint32_t type_size_bytes,
                                   uint32_t declared_count)
{
    if (type_size_bytes && size_bytes % type_size_bytes == 0)
        return type_size_bytes;
    if (declared_count && size_bytes % declared_count == 0)
        return size_bytes / declared_count;
    return 0;
}

/* The size of one element of a field in place; 0 when it is none of an integer. */
static uint32_t element_size(const struct cairn_field *field, uint32_t type_size_bytes,
                             uint32_t declared_count)
{
    uint32_t size_bytes = field->size_bytes;

    if (field->is_array)
        size_bytes = array_element_size(size_bytes, type_size_bytes, declared_count);
    if (!is_integer_size(size_bytes) || field->size_bytes / size_bytes > UINT16_MAX)
        return 0;
    return size_bytes;
}

/* The size is a fact, the type a name that may be a typedef's: where they disagree the size wins.
 */
static enum cairn_field_kind inline_kind(const struct cairn_field *field, struct element element)
{
    if (element.kind == CAIRN_FIELD_STRUCT)
        return CAIRN_FIELD_STRUCT;
    if (!field->element_size_bytes)
        return CAIRN_FIELD_BYTES;
    if (element.kind == CAIRN_FIELD_POINTER || element.kind == CAIRN_FIELD_BOOL)
        return element.kind;
    if (element.kind == CAIRN_FIELD_STRING && field->element_size_bytes == 1)
        return CAIRN_FIELD_STRING;
    return field->is_signed ? CAIRN_FIELD_SIGNED : CAIRN_FIELD_UNSIGNED;
}

void cairn_field_classify(struct cairn_field *field, uint32_t declared_count,
                          uint32_t long_size_bytes)
{
    struct element element = type_element(field->type, long_size_bytes);

    field->element_count = 0;
    field->location = (uint8_t)cairn_type_location(field->type);
    if (field->location != CAIRN_FIELD_INLINE) {
        /* `signed:` speaks of the u32 in place, or of nothing; of the elements the type does. */
        field->is_array = true;
        field->kind = (uint8_t)element.kind;
        field->element_size_bytes = (uint16_t)element.size_bytes;
        return;
    }

    if (element.kind == CAIRN_FIELD_STRUCT)
        field->element_size_bytes = 0;
    else
        field->element_size_bytes =
            (uint16_t)element_size(field, element.size_bytes, declared_count);
    field->kind = (uint8_t)inline_kind(field, element);
    if (field->is_array && field->element_size_bytes)
        field->element_count = (uint16_t)(field->size_bytes / field->element_size_bytes);
}
