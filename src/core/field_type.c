/* SPDX-License-Identifier: MIT */
/* Derives the layout of a field from its declared type. */
#include "core/field_type.h"

#include "core/slice.h"

/* The words that a type consists of. */
static const char words_of_types[] = "unsigned\0signed\0long\0short\0struct\0union\0"
                                     "const\0volatile\0__attribute__\0";
enum type_word {
    WORD_UNSIGNED = 1 << 0,
    WORD_SIGNED = 1 << 1,
    WORD_LONG = 1 << 2,
    WORD_SHORT = 1 << 3,
    WORD_STRUCT = 1 << 4,
    WORD_UNION = 1 << 5,
    WORD_OTHER = 1 << 9, /* none of these */
    WORD_LONG_LONG = 1 << 10,
    WORD_POINTER = 1 << 11,
};

/* `base` is the last word that is not a keyword of C. */
struct field_type_words {
    struct cairn_slice base;
    uint32_t seen; /* enum type_word */
};

/* One element of a type. Size 0: unknown. */
struct element {
    enum cairn_field_kind kind;
    uint32_t size_bytes;
};

static enum cairn_field_location take_location(struct cairn_slice *type)
{
    if (core_slice_take(type, "__data_loc "))
        return CAIRN_FIELD_DATA_LOC;
    if (core_slice_take(type, "__rel_loc "))
        return CAIRN_FIELD_REL_LOC;
    return CAIRN_FIELD_INLINE;
}

enum cairn_field_location core_type_location(struct cairn_slice type)
{
    return take_location(&type);
}

static bool is_word_byte(char c)
{
    return !core_is_space(c) && c != '*' && c != '(' && c != '[';
}

static struct cairn_slice take_word(struct cairn_slice *rest)
{
    struct cairn_slice word = *rest;

    while (rest->length && is_word_byte(rest->text[0]))
        *rest = core_slice_after(*rest, 1);
    return core_slice_first(word, word.length - rest->length);
}

/* Skips "(...)", nested parentheses included; skips to the end if it is not closed. */
static void take_parentheses(struct cairn_slice *rest)
{
    uint32_t depth = 0;

    do {
        depth += rest->text[0] == '(';
        depth -= rest->text[0] == ')';
        *rest = core_slice_after(*rest, 1);
    } while (rest->length && depth);
}

static void count_word(struct field_type_words *words, struct cairn_slice word)
{
    uint32_t seen = 1u << core_slice_which(word, words_of_types);

    if (seen & words->seen & WORD_LONG)
        seen = WORD_LONG_LONG;
    if (seen & WORD_OTHER)
        words->base = word;
    words->seen |= seen;
}

static struct field_type_words read_words(struct cairn_slice type)
{
    struct field_type_words words = {.base = CORE_SLICE("")};

    while (type.length && type.text[0] != '[') {
        if (is_word_byte(type.text[0])) {
            count_word(&words, take_word(&type));
        } else if (type.text[0] == '(') {
            /* "(*name)(...)" is a function pointer; attributes are ignored. */
            if (core_slice_starts(type, "(*"))
                words.seen |= WORD_POINTER;
            take_parentheses(&type);
        } else {
            if (type.text[0] == '*')
                words.seen |= WORD_POINTER;
            type = core_slice_after(type, 1);
        }
    }
    return words;
}

/* u8, __u8, uint8_t, and so on to s64. */
static struct element fixed_width_element(struct cairn_slice base)
{
    uint32_t which;

    core_slice_take(&base, "__");
    which = core_slice_which(base, "u8\0s8\0u16\0s16\0u32\0s32\0u64\0s64\0uint8_t\0int8_t\0"
                                   "uint16_t\0int16_t\0uint32_t\0int32_t\0uint64_t\0int64_t\0");
    if (which == 16)
        return (struct element){CAIRN_FIELD_BYTES, 0};
    return (struct element){which & 1 ? CAIRN_FIELD_SIGNED : CAIRN_FIELD_UNSIGNED,
                            1u << which % 8 / 2};
}

/* int, and types that imply it: short, long, unsigned. */
static struct element int_element(uint32_t seen, uint32_t long_size_bytes)
{
    uint32_t size_bytes = seen & WORD_SHORT ? 2 : 4;

    if (seen & WORD_LONG)
        size_bytes = seen & WORD_LONG_LONG ? 8 : long_size_bytes;
    return (struct element){seen & WORD_UNSIGNED ? CAIRN_FIELD_UNSIGNED : CAIRN_FIELD_SIGNED,
                            size_bytes};
}

static struct element char_element(uint32_t seen)
{
    if (seen & WORD_UNSIGNED)
        return (struct element){CAIRN_FIELD_UNSIGNED, 1};
    return (struct element){seen & WORD_SIGNED ? CAIRN_FIELD_SIGNED : CAIRN_FIELD_STRING, 1};
}

static struct element type_element(struct cairn_slice type, uint32_t long_size_bytes)
{
    struct field_type_words words;

    take_location(&type);
    words = read_words(type);
    if (words.seen & WORD_POINTER)
        return (struct element){CAIRN_FIELD_POINTER, long_size_bytes};
    if (words.seen & (WORD_STRUCT | WORD_UNION))
        return (struct element){CAIRN_FIELD_STRUCT, 0};
    if (core_slice_is(words.base, "char"))
        return char_element(words.seen);
    if (core_slice_is(words.base, "bool") || core_slice_is(words.base, "_Bool"))
        return (struct element){CAIRN_FIELD_BOOL, 1};
    if (core_slice_is(words.base, "int") || !words.base.length)
        return int_element(words.seen, long_size_bytes);
    return fixed_width_element(words.base);
}

bool core_type_is_signed(struct cairn_slice type)
{
    enum cairn_field_kind kind = type_element(type, sizeof(long)).kind;

    return kind == CAIRN_FIELD_SIGNED || kind == CAIRN_FIELD_STRING;
}

bool core_type_is_text_pointer(struct cairn_slice type)
{
    core_slice_take(&type, "const ");
    return core_slice_is(type, "char *");
}

static bool is_integer_size(uint32_t size_bytes)
{
    return size_bytes == 1 || size_bytes == 2 || size_bytes == 4 || size_bytes == 8;
}

/*
 * The size of one element of an array in place, or 0. The type is more reliable than the declared
 * count: for arrays of user_events, kernels print a count from uninitialized memory.
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

/* The size of one element of a field in place; 0 if no integer has that size. */
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

/* The type's name may be a typedef. If it disagrees with the size, the size is right. / */
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

void core_field_classify(struct cairn_field *field, uint32_t declared_count,
                         uint32_t long_size_bytes)
{
    struct element element = type_element(field->type, long_size_bytes);

    field->element_count = 0;
    field->location = (uint8_t)core_type_location(field->type);
    if (field->location != CAIRN_FIELD_INLINE) {
        /* `signed:` describes the u32 in place, if anything; the type describes the elements. */
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
