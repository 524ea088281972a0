/* SPDX-License-Identifier: MIT */
/*
 * Checks of the text of an argument, which the preprocessor makes of its tokens, before the
 * argument itself is compiled: if that is no expression, the first error would be about the syntax
 * of an expansion. All are constants. C has no function that the compiler would evaluate but a few
 * of the library, so what C++ checks exactly, C checks by the first and the last character.
 *
 * CAIRN_I_BEGINS(text, with)
 * CAIRN_I_IS_QUOTED(text)      string literals, and nothing before, between or after them
 * CAIRN_I_ENDS_QUOTED(text)    the same by its last character alone, which is cheap: for each field
 * CAIRN_I_LACKS_COMMA(text)    a string literal, and something that does not continue an expression
 * CAIRN_I_IS_IDENTIFIER(text)  the characters of identifiers, with digits and other alphabets
 * CAIRN_I_IS_VARIABLE(text)    the same, and no digit first
 * CAIRN_I_IS_ONE_WORD(text)    no digit first, and no space
 */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_TEXT_H
#define CAIRN_EVENTHEADER_TEXT_H

#define CAIRN_I_BEGINS(text, with) (__builtin_strncmp(text, with, sizeof(with) - 1) == 0)
#define CAIRN_I_ENDS_QUOTED(text)  (__builtin_strcmp(&(" " text)[sizeof(text) - 1], "\"") == 0)
#define CAIRN_I_PUNCTUATORS        " !\"#%&'()*+,-./:;<=>?@[\\]^`{|}~"

#ifdef __cplusplus
extern "C++" {
constexpr bool cairn_i_is_punctuator(char c)
{
    for (const char *some = CAIRN_I_PUNCTUATORS; *some; some++)
        if (c == *some)
            return true;
    return false;
}

constexpr bool cairn_i_is_identifier(const char *text)
{
    while (*text && !cairn_i_is_punctuator(*text))
        text++;
    return !*text;
}

constexpr bool cairn_i_is_one_word(const char *text)
{
    if (*text >= '0' && *text <= '9')
        return false;
    while (*text && *text != ' ')
        text++;
    return !*text;
}

constexpr const char *cairn_i_after_spaces(const char *text)
{
    while (*text == ' ')
        text++;
    return text;
}

/* Skips the string literals at the begin of the text. */
constexpr const char *cairn_i_after_strings(const char *text)
{
    while (*text == '"') {
        for (text++; *text && *text != '"'; text++)
            if (*text == '\\' && text[1])
                text++;
        if (!*text)
            return text;
        if (*cairn_i_after_spaces(++text) == '"')
            text = cairn_i_after_spaces(text);
    }
    return text;
}

/* The text of a literal with a prefix is not read. */
constexpr bool cairn_i_is_quoted(const char *text)
{
    return *text == '"' ? !*cairn_i_after_strings(text)
                        : CAIRN_I_BEGINS(text, "u8\"") || CAIRN_I_BEGINS(text, "R\"");
}

/* A suffix of a literal follows at once; a suffix of another one is punctuation. */
constexpr bool cairn_i_lacks_comma(const char *text)
{
    return *text == '"' && *cairn_i_after_strings(text) == ' ' &&
           !cairn_i_is_punctuator(*cairn_i_after_spaces(cairn_i_after_strings(text)));
}
}
#define CAIRN_I_IS_QUOTED(text)     cairn_i_is_quoted(text)
#define CAIRN_I_LACKS_COMMA(text)   cairn_i_lacks_comma(text)
#define CAIRN_I_IS_IDENTIFIER(text) cairn_i_is_identifier(text)

#define CAIRN_I_IS_ONE_WORD(text) cairn_i_is_one_word(text)
#define CAIRN_I_IS_VARIABLE(text) (cairn_i_is_one_word(text) && cairn_i_is_identifier(text))

#else

#define CAIRN_I_IS_QUOTED(text) \
    ((CAIRN_I_BEGINS(text, "\"") || CAIRN_I_BEGINS(text, "u8\"")) && CAIRN_I_ENDS_QUOTED(text))
/* One of these characters may be a part of the string; then the compiler's own error is the first.
 */
#define CAIRN_I_LACKS_COMMA(text) \
    (CAIRN_I_BEGINS(text, "\"") && !CAIRN_I_ENDS_QUOTED(text) && CAIRN_I_HAS_NO_OPERATOR(text))

#ifdef __clang__
/* clang evaluates strchr, and neither strcspn nor a loop; and that only in such a condition. Each
 * takes time, so these are not all characters. */
#define CAIRN_I_COMPUTED(...) (__builtin_constant_p(0) ? (__VA_ARGS__) : 0)
#define CAIRN_I_HAS_NO_OPERATOR(text)                                                \
    CAIRN_I_COMPUTED(!__builtin_strchr(text, '+') && !__builtin_strchr(text, '-') && \
                     !__builtin_strchr(text, '[') && !__builtin_strchr(text, '?') && \
                     !__builtin_strchr(text, '('))
#define CAIRN_I_IS_IDENTIFIER(text)                                                  \
    CAIRN_I_COMPUTED(!__builtin_strchr(text, ' ') && !__builtin_strchr(text, '-') && \
                     !__builtin_strchr(text, '+') && !__builtin_strchr(text, '"') && \
                     !__builtin_strchr(text, '(') && !__builtin_strchr(text, '.') && \
                     !__builtin_strchr(text, ':') && !__builtin_strchr(text, '/'))
#define CAIRN_I_IS_ONE_WORD(text) \
    CAIRN_I_COMPUTED(!((text)[0] >= '0' && (text)[0] <= '9') && !__builtin_strchr(text, ' '))
#define CAIRN_I_IS_VARIABLE(text) (CAIRN_I_IS_ONE_WORD(text) && CAIRN_I_IS_IDENTIFIER(text))
#else
#define CAIRN_I_HAS_NO_OPERATOR(text) (__builtin_strcspn(text, "+-[?(") == sizeof(text) - 1)
#define CAIRN_I_IS_IDENTIFIER(text) \
    (__builtin_strcspn(text, CAIRN_I_PUNCTUATORS) == sizeof(text) - 1)
#define CAIRN_I_IS_ONE_WORD(text) \
    (__builtin_strspn(text, "0123456789") == 0 && __builtin_strcspn(text, " ") == sizeof(text) - 1)
#define CAIRN_I_IS_VARIABLE(text) (CAIRN_I_IS_ONE_WORD(text) && CAIRN_I_IS_IDENTIFIER(text))
#endif
#endif

#endif
