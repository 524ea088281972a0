/* SPDX-License-Identifier: MIT */
/* The names of C types in casts and sizeof. */
#include "decode/print_parse.h"

#include <string.h>

struct named_type {
    const char *name;
    uint8_t bytes; /* 0: of a long */
    bool is_unsigned;
};

/* The kernel's names of integers. Those of other names that end in _t are unsigned long. */
static const struct named_type named_types[] = {
    {"u8", 1, true},         {"s8", 1, false},       {"u16", 2, true},      {"s16", 2, false},
    {"u32", 4, true},        {"s32", 4, false},      {"u64", 8, true},      {"s64", 8, false},
    {"__u8", 1, true},       {"__s8", 1, false},     {"__u16", 2, true},    {"__s16", 2, false},
    {"__u32", 4, true},      {"__s32", 4, false},    {"__u64", 8, true},    {"__s64", 8, false},
    {"__le16", 2, true},     {"__le32", 4, true},    {"__le64", 8, true},   {"__be16", 2, true},
    {"__be32", 4, true},     {"__be64", 8, true},    {"uint8_t", 1, true},  {"int8_t", 1, false},
    {"uint16_t", 2, true},   {"int16_t", 2, false},  {"uint32_t", 4, true}, {"int32_t", 4, false},
    {"uint64_t", 8, true},   {"int64_t", 8, false},  {"uint", 4, true},     {"ulong", 0, true},
    {"gfp_t", 4, true},      {"fmode_t", 4, true},   {"dev_t", 4, true},    {"uid_t", 4, true},
    {"gid_t", 4, true},      {"mode_t", 2, true},    {"umode_t", 2, true},  {"pid_t", 4, false},
    {"loff_t", 8, false},    {"sector_t", 8, true},  {"ssize_t", 0, false}, {"ktime_t", 8, false},
    {"dma_addr_t", 8, true}, {"OM_uint32", 4, true},
};

struct print_type_words {
    unsigned longs, shorts, chars, ints, voids, tags;
    bool is_unsigned, is_signed, is_bool, is_named;
    struct named_type named;
};

static bool is_text(struct cairn_slice word, const char *text)
{
    return word.length == strlen(text) && !memcmp(word.text, text, word.length);
}

static bool find_named(struct print_type_words *words, struct cairn_slice word)
{
    for (size_t n = 0; n < sizeof(named_types) / sizeof(*named_types); n++) {
        if (is_text(word, named_types[n].name)) {
            words->named = named_types[n];
            words->is_named = true;
            return true;
        }
    }
    if (word.length < 3 || memcmp(word.text + word.length - 2, "_t", 2) != 0)
        return false;
    words->named = (struct named_type){"", 0, true};
    words->is_named = true;
    return true;
}

static bool count_word(struct print_type_words *words, struct cairn_slice word)
{
    if (is_text(word, "const") || is_text(word, "volatile") || is_text(word, "__user"))
        return true;
    if (is_text(word, "unsigned"))
        return words->is_unsigned = true;
    if (is_text(word, "signed"))
        return words->is_signed = true;
    if (is_text(word, "bool") || is_text(word, "_Bool"))
        return words->is_bool = true;
    if (is_text(word, "long"))
        return ++words->longs;
    if (is_text(word, "short"))
        return ++words->shorts;
    if (is_text(word, "char"))
        return ++words->chars;
    if (is_text(word, "int"))
        return ++words->ints;
    if (is_text(word, "void"))
        return ++words->voids;
    if (is_text(word, "struct") || is_text(word, "union") || is_text(word, "enum"))
        return ++words->tags;
    return find_named(words, word);
}

static struct decode_print_type base_of(const struct print_type_words *words, uint8_t long_bytes)
{
    struct decode_print_type type = {.bytes = 4, .is_unsigned = words->is_unsigned};

    if (words->is_named) {
        type.bytes = words->named.bytes ? words->named.bytes : long_bytes;
        type.is_unsigned = words->named.is_unsigned;
    } else if (words->is_bool) {
        type = (struct decode_print_type){.bytes = 1, .is_unsigned = true, .is_bool = true};
    } else if (words->voids) {
        type.bytes = 0;
    } else if (words->chars) {
        type.bytes = 1;
    } else if (words->shorts) {
        type.bytes = 2;
    } else if (words->longs) {
        type.bytes = words->longs > 1 ? 8 : long_bytes;
    }
    return type;
}

/* Declares the words of a type; after struct, union and enum any word is its tag. */
static bool take_words(struct decode_print_parser *parser, struct print_type_words *words)
{
    bool any = false;

    while (parser->token.kind == DECODE_PRINT_TOKEN_WORD) {
        unsigned tags = words->tags;

        if (!count_word(words, parser->token.text))
            return false;
        any = true;
        decode_print_advance(parser);
        if (words->tags > tags && parser->token.kind == DECODE_PRINT_TOKEN_WORD)
            decode_print_advance(parser);
    }
    return any;
}

bool decode_print_parse_type(struct decode_print_parser *parser, struct decode_print_type *ret_type)
{
    struct decode_print_parser before = *parser;
    struct print_type_words words = {0};
    struct decode_print_type type;
    unsigned pointers = 0;
    bool is_type = take_words(parser, &words);

    while (is_type && decode_print_accept(parser, "*"))
        pointers++;
    if (!is_type || !decode_print_accept(parser, ")")) {
        *parser = before;
        return false;
    }
    type = base_of(&words, parser->print->long_bytes);
    if (words.tags && pointers)
        type.bytes = 0;
    if (pointers) {
        type.element_bytes = pointers > 1 ? parser->print->long_bytes : type.bytes;
        type.is_element_unsigned = pointers > 1 || type.is_unsigned;
        type.is_pointer = true;
        type.is_unsigned = true;
        type.is_bool = false;
        type.bytes = parser->print->long_bytes;
    }
    *ret_type = type;
    return true;
}
