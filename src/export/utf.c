/* SPDX-License-Identifier: MIT */
/* Prints text of any encoding as valid UTF-8, escaped for a style. */
#include "export/utf.h"

#include "core/load.h"
#include "export/number.h"

#define REPLACEMENT 0xfffdu
#define INVALID     UINT32_MAX

/*
 * The number of bytes or units printed between two checks of the output's space, at most 6 bytes
 * for each.
 */
#define CHUNK 512u
_Static_assert((CHUNK + 4) * 6 <= EXPORT_OUTPUT_STEP_BYTES, "a chunk fits into a step");

/* True for ASCII that no style escapes; it is false for a few others that need no escape. */
static inline bool is_plain(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Sixteen at once; those from 0x80 on are negative. */
typedef int8_t block __attribute__((vector_size(16)));
typedef uint64_t two_u64s __attribute__((vector_size(16)));

static inline bool are_plain(block bytes)
{
    two_u64s other =
        (two_u64s)((bytes < 0x20) | (bytes == 0x7f) | (bytes == '"') | (bytes == '\\'));

    return !(other[0] | other[1]);
}

static char *put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* The letter of its escape sequence, or 0. */
static char escape_letter(uint32_t c)
{
    switch (c) {
    case '\b':
        return 'b';
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\f':
        return 'f';
    case '\r':
        return 'r';
    default:
        return 0;
    }
}

static char *put_control(char *to, enum cairn_style style, uint32_t c)
{
    char letter = escape_letter(c);

    *to++ = '\\';
    if (letter) {
        *to++ = letter;
        return to;
    }
    if (style == CAIRN_STYLE_TEXT) {
        *to++ = 'x';
    } else {
        *to++ = 'u';
        *to++ = '0';
        *to++ = '0';
    }
    return export_put_hex_byte(to, (uint8_t)c);
}

static bool is_character(uint32_t c)
{
    return c <= 0x10ffff && (c < 0xd800 || c >= 0xe000);
}

static char *put_plain_character(char *to, uint32_t c)
{
    return put_utf8(to, c && is_character(c) ? c : REPLACEMENT);
}

/*
 * At most 6 bytes. The style `text` escapes control characters of terminals; JSON only those that
 * must be escaped.
 */
static char *put_character(char *to, enum cairn_style style, uint32_t c)
{
    bool is_for_terminals = style == CAIRN_STYLE_TEXT || style == EXPORT_STYLE_QUOTED;
    bool terminal_obeys = c >= 0x7f && c < 0xa0;

    if (style == EXPORT_STYLE_PLAIN)
        return put_plain_character(to, c);
    if (style == CAIRN_STYLE_CSV && c < 0x80) {
        if (c == '"')
            *to++ = '"';
        *to++ = (char)c;
        return to;
    }
    if (c < 0x20 || (terminal_obeys && is_for_terminals))
        return put_control(to, style, c);
    if (!is_character(c))
        c = REPLACEMENT;
    if ((c == '"' || c == '\\') && style != CAIRN_STYLE_TEXT)
        *to++ = '\\';
    return put_utf8(to, c);
}

/*
 * Takes a character, or INVALID for the longest piece that begins like one (the Unicode standard's
 * way, 3.9 "U+FFFD Substitution of Maximal Subparts").
 */
static const uint8_t *take_utf8(const uint8_t *at, const uint8_t *end, uint32_t *ret_character)
{
    uint8_t lead = *at++;
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    uint8_t high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    uint32_t c = lead & (0x3fu >> more);

    *ret_character = lead < 0x80 ? lead : INVALID;
    if (lead < 0xc2 || lead > 0xf4)
        return at;
    for (; more; more--) {
        if (at == end || *at < low || *at > high)
            return at;
        c = c << 6 | (*at++ & 0x3fu);
        low = 0x80;
        high = 0xbf;
    }
    *ret_character = c;
    return at;
}

/* Copies 8 to 15 plain bytes as two words that overlap. */
static inline bool put_two_u64s(char *to, const uint8_t *from, size_t count)
{
    uint64_t first;
    uint64_t last;

    memcpy(&first, from, sizeof(first));
    memcpy(&last, from + count - sizeof(last), sizeof(last));
    if (!are_plain((block)(two_u64s){first, last}))
        return false;
    memcpy(to, &first, sizeof(first));
    memcpy(to + count - sizeof(last), &last, sizeof(last));
    return true;
}

/* Four bytes to seven. */
static inline bool put_two_halves(char *to, const uint8_t *from, size_t count)
{
    uint32_t first;
    uint32_t last;
    uint64_t both;

    memcpy(&first, from, sizeof(first));
    memcpy(&last, from + count - sizeof(last), sizeof(last));
    both = first | (uint64_t)last << 32;
    if (!are_plain((block)(two_u64s){both, both}))
        return false;
    memcpy(to, &first, sizeof(first));
    memcpy(to + count - sizeof(last), &last, sizeof(last));
    return true;
}

static inline bool put_block(char *to, const uint8_t *from)
{
    block bytes;

    memcpy(&bytes, from, sizeof(bytes));
    if (!are_plain(bytes))
        return false;
    memcpy(to, &bytes, sizeof(bytes));
    return true;
}

/* Copies the last of `count` bytes, fewer than a block: bytes before them may be copied again. */
static inline bool put_rest(char *to, const uint8_t *from, size_t count)
{
    if (count >= sizeof(block))
        return put_block(to + count - sizeof(block), from + count - sizeof(block));
    if (count >= 8)
        return put_two_u64s(to, from, count);
    return count >= 4 && put_two_halves(to, from, count);
}

/* Copies plain bytes; returns their number. */
static inline size_t put_plain(char **to, const uint8_t *from, size_t count)
{
    size_t n = 0;

    while (count - n >= sizeof(block) && put_block(*to + n, from + n))
        n += sizeof(block);
    if (count - n < sizeof(block) && put_rest(*to, from, count))
        n = count;
    for (; n < count && is_plain(from[n]); n++)
        (*to)[n] = (char)from[n];
    *to += n;
    return n;
}

char *export_put_short(char *to, const uint8_t *data, uint32_t size_bytes)
{
    if (size_bytes >= 2 * sizeof(block))
        return NULL;
    if (size_bytes >= sizeof(block) && !put_block(to, data))
        return NULL;
    return put_rest(to, data, size_bytes) ? to + size_bytes : NULL;
}

static inline size_t chunk_of(size_t left)
{
    return left < CHUNK ? left : CHUNK;
}

static const uint8_t *print_character(char **to, enum cairn_style style, const uint8_t *at,
                                      const uint8_t *end)
{
    uint32_t c;
    const uint8_t *next = take_utf8(at, end, &c);

    if (c == INVALID && style == CAIRN_STYLE_JSON) { /* as perf-decode: it is Latin-1 */
        c = *at;
        next = at + 1;
    }
    *to = put_character(*to, style, c);
    return next;
}

void export_print_utf8(struct export_print_output *out, enum cairn_style style, const void *data,
                       size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes;

    while (at < end) {
        char *to = export_output_reserve(out, EXPORT_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + chunk_of((size_t)(end - at));

        while (at < stop) {
            at += put_plain(&to, at, (size_t)(stop - at));
            if (at < stop)
                at = print_character(&to, style, at, end); /* which may end after `stop` */
        }
        out->at = to;
    }
}

void export_print_latin1(struct export_print_output *out, enum cairn_style style, const void *data,
                         size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes;

    while (at < end) {
        char *to = export_output_reserve(out, EXPORT_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + chunk_of((size_t)(end - at));

        for (at += put_plain(&to, at, (size_t)(stop - at)); at < stop; at++)
            to = put_character(to, style, *at);
        out->at = to;
    }
}

void export_print_utf16(struct export_print_output *out, enum cairn_style style, const void *data,
                        size_t size_bytes, bool swap)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes / 2 * 2;

    while (at < end) {
        char *to = export_output_reserve(out, EXPORT_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + 2 * chunk_of((size_t)(end - at) / 2);

        while (at < stop) {
            uint32_t c = core_load16(at, swap);
            uint32_t low = end - at >= 4 ? core_load16(at + 2, swap) : 0;

            at += 2;
            if (c >> 10 == 0xd800 >> 10 && low >> 10 == 0xdc00 >> 10) {
                c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
                at += 2;
            }
            to = put_character(to, style, c); /* which replaces a surrogate without its other */
        }
        out->at = to;
    }
}

void export_print_utf32(struct export_print_output *out, enum cairn_style style, const void *data,
                        size_t size_bytes, bool swap)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes / 4 * 4;

    while (at < end) {
        char *to = export_output_reserve(out, EXPORT_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + 4 * chunk_of((size_t)(end - at) / 4);

        for (; at < stop; at += 4)
            to = put_character(to, style, core_load32(at, swap));
        out->at = to;
    }
}

bool export_print_by_mark(struct export_print_output *out, enum cairn_style style, const void *data,
                          size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    uint32_t mark32 = size_bytes >= 4 ? core_load32(at, false) : 0;
    uint16_t mark16 = size_bytes >= 2 ? core_load16(at, false) : 0;

    if (mark32 == 0x0000feff || mark32 == 0xfffe0000)
        export_print_utf32(out, style, at + 4, size_bytes - 4, mark32 != 0x0000feff);
    else if (mark16 == 0xfeff || mark16 == 0xfffe)
        export_print_utf16(out, style, at + 2, size_bytes - 2, mark16 != 0xfeff);
    else if (size_bytes >= 3 && at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf)
        export_print_utf8(out, style, at + 3, size_bytes - 3);
    else
        return false;
    return true;
}
