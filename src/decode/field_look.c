/* SPDX-License-Identifier: MIT */
/*
 * Classifies the fields of a format text as perf-decode does: by the words of their C type. The
 * `json` style uses it, to be compatible with perf-decode's output.
 */
#include "decode/field_look.h"

#include "core/slice.h"

#include <string.h>

/* The words that determine the class of a type. */
struct field_look_words {
    struct cairn_slice base; /* the last word that is not a qualifier: "int", "char", "pid_t" */
    unsigned longs;
    bool is_short;
    bool is_unsigned;
    bool is_signed;
    bool is_struct;
    bool is_pointer;
};

static bool is_word(struct cairn_slice s, const char *word)
{
    return strlen(word) == s.length && !memcmp(s.text, word, s.length);
}

static bool is_one_of(struct cairn_slice s, const char *const *words)
{
    while (*words && !is_word(s, *words))
        words++;
    return *words != NULL;
}

static void take_word(struct field_look_words *type, struct cairn_slice word)
{
    static const char *const ignored[] = {
        "const", "volatile", "__attribute__", "__data_loc", "__rel_loc", NULL,
    };

    if (is_word(word, "long"))
        type->longs++;
    else if (is_word(word, "short"))
        type->is_short = true;
    else if (is_word(word, "unsigned"))
        type->is_unsigned = true;
    else if (is_word(word, "signed"))
        type->is_signed = true;
    else if (is_word(word, "struct"))
        type->is_struct = true;
    else if (!is_one_of(word, ignored))
        type->base = word;
}

static struct field_look_words split(struct cairn_slice text)
{
    struct field_look_words type = {0};
    unsigned parentheses = 0;

    for (uint32_t n = 0; n < text.length;) {
        uint32_t begin = n;

        while (n < text.length && core_is_word_byte(text.text[n]))
            n++;
        if (n > begin && !parentheses)
            take_word(&type, (struct cairn_slice){text.text + begin, n - begin});
        if (n == begin) {
            char c = text.text[n++];

            parentheses += c == '(';
            parentheses -= c == ')' && parentheses;
            type.is_pointer |= c == '*' && !parentheses;
        }
    }
    return type;
}

static struct decode_look look_of_int(const struct field_look_words *type, uint32_t long_size_bytes)
{
    enum decode_look_kind kind = type->is_unsigned ? DECODE_LOOK_UNSIGNED : DECODE_LOOK_SIGNED;

    if (type->longs > 1)
        return (struct decode_look){kind, 8};
    if (type->longs)
        return (struct decode_look){type->is_unsigned ? DECODE_LOOK_HEX : kind, long_size_bytes};
    return (struct decode_look){kind, type->is_short ? 2 : 4};
}

static struct decode_look look_of_char(const struct field_look_words *type)
{
    if (type->is_unsigned)
        return (struct decode_look){DECODE_LOOK_UNSIGNED, 1};
    return (struct decode_look){type->is_signed ? DECODE_LOOK_SIGNED : DECODE_LOOK_TEXT, 1};
}

/* The types of known size; element_bytes is 0 for the others. */
static struct decode_look look_of_typedef(struct cairn_slice base)
{
    static const char *const names[][7] = {
        {"u8", "__u8", "uint8_t", "s8", "__s8", "int8_t", NULL},
        {"u16", "__u16", "uint16_t", "s16", "__s16", "int16_t", NULL},
        {"u32", "__u32", "uint32_t", "s32", "__s32", "int32_t", NULL},
        {"u64", "__u64", "uint64_t", "s64", "__s64", "int64_t", NULL},
    };

    for (unsigned n = 0; n < 4; n++) {
        if (is_one_of(base, names[n])) {
            bool is_unsigned = memchr(base.text, 'u', base.length) != NULL;

            return (struct decode_look){is_unsigned ? DECODE_LOOK_UNSIGNED : DECODE_LOOK_SIGNED,
                                        1u << n};
        }
    }
    return (struct decode_look){DECODE_LOOK_HEX, 0};
}

static struct decode_look look_of_type(const struct field_look_words *type,
                                       uint32_t long_size_bytes)
{
    if (type->is_pointer)
        return (struct decode_look){DECODE_LOOK_HEX, long_size_bytes};
    if (type->is_struct)
        return (struct decode_look){DECODE_LOOK_BYTES, 1};
    if (!type->base.length || is_word(type->base, "int"))
        return look_of_int(type, long_size_bytes);
    if (is_word(type->base, "char"))
        return look_of_char(type);
    return look_of_typedef(type->base);
}

static bool is_integer_size(uint32_t size)
{
    return size == 1 || size == 2 || size == 4 || size == 8;
}

struct decode_look decode_look_of_field(const struct cairn_field *field, uint32_t long_size_bytes)
{
    struct field_look_words type = split(field->type);
    struct decode_look look = look_of_type(&type, long_size_bytes);
    uint32_t element_bytes = 0;

    /* For a dynamic field `signed:` does not refer to the elements. */
    if (field->location == CAIRN_FIELD_INLINE &&
        (look.kind == DECODE_LOOK_UNSIGNED || look.kind == DECODE_LOOK_SIGNED))
        look.kind = field->is_signed ? DECODE_LOOK_SIGNED : DECODE_LOOK_UNSIGNED;
    if (!field->is_array)
        element_bytes = field->size_bytes;
    else if (!look.element_bytes && field->element_count)
        element_bytes = field->size_bytes / field->element_count;
    if (is_integer_size(element_bytes))
        look.element_bytes = element_bytes;
    if (!look.element_bytes)
        look.element_bytes = 1;
    return look;
}
