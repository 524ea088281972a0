/* SPDX-License-Identifier: MIT */
#include "decode/utf.h"

#include "core/load.h"
#include "decode/number.h"

#define REPLACEMENT 0xfffdu
#define INVALID     UINT32_MAX

/* So many bytes or units are printed between two looks at the room, at most 6 bytes for each. */
#define CHUNK 512u
_Static_assert((CHUNK + 4) * 6 <= CAIRN_OUTPUT_STEP_BYTES, "a chunk fits into a step");

#define EACH_BYTE(b) (0x0101010101010101u * (b))

/* ASCII that no style escapes; a few more bytes are called not plain than must be. */
static inline bool is_plain(uint8_t byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static inline bool are_plain(uint64_t bytes)
{
    uint64_t below_space = bytes - EACH_BYTE(0x20);
    uint64_t above_tilde = bytes | (bytes + EACH_BYTE(1));
    uint64_t quote = (bytes ^ EACH_BYTE('"')) - EACH_BYTE(1);
    uint64_t backslash = (bytes ^ EACH_BYTE('\\')) - EACH_BYTE(1);

    return !((below_space | above_tilde | quote | backslash) & EACH_BYTE(0x80));
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

/* The letter that stands behind the backslash for it, or 0. */
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
    return cairn_put_hex_byte(to, (uint8_t)c);
}

/* At most 6 bytes. Text escapes what a terminal would obey; JSON what it must. */
static char *put_character(char *to, enum cairn_style style, uint32_t c)
{
    bool terminal_obeys = c >= 0x7f && c < 0xa0;

    if (c < 0x20 || (terminal_obeys && style == CAIRN_STYLE_TEXT))
        return put_control(to, style, c);
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
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

/*
 * Copies 4 to 7 bytes more than `done`, if they are plain: two words that overlap, or that go back
 * to what is done already.
 */
static inline bool put_rest(char *to, const uint8_t *from, size_t done, size_t count)
{
    size_t begin = done >= sizeof(uint32_t) ? count - sizeof(uint64_t) : done;
    uint32_t first;
    uint32_t last;

    memcpy(&first, from + begin, sizeof(first));
    memcpy(&last, from + count - sizeof(last), sizeof(last));
    if (!are_plain(first | (uint64_t)last << 32))
        return false;
    memcpy(to + begin, &first, sizeof(first));
    memcpy(to + count - sizeof(last), &last, sizeof(last));
    return true;
}

/* Copies plain bytes; returns how many there were before the first other one. */
static inline size_t put_plain(char **to, const uint8_t *from, size_t count)
{
    size_t n = 0;

    for (; count - n >= sizeof(uint64_t); n += sizeof(uint64_t)) {
        uint64_t bytes;

        memcpy(&bytes, from + n, sizeof(bytes));
        if (!are_plain(bytes))
            break;
        memcpy(*to + n, &bytes, sizeof(bytes));
    }
    if (count >= sizeof(uint32_t) && count - n < sizeof(uint64_t) && put_rest(*to, from, n, count))
        n = count;
    for (; n < count && is_plain(from[n]); n++)
        (*to)[n] = (char)from[n];
    *to += n;
    return n;
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

void cairn_print_utf8(struct cairn_output *out, enum cairn_style style, const void *data,
                      size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes;

    while (at < end) {
        char *to = cairn_output_reserve(out, CAIRN_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + chunk_of((size_t)(end - at));

        while (at < stop) {
            at += put_plain(&to, at, (size_t)(stop - at));
            if (at < stop)
                at = print_character(&to, style, at, end); /* which may end behind `stop` */
        }
        out->at = to;
    }
}

void cairn_print_latin1(struct cairn_output *out, enum cairn_style style, const void *data,
                        size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes;

    while (at < end) {
        char *to = cairn_output_reserve(out, CAIRN_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + chunk_of((size_t)(end - at));

        for (at += put_plain(&to, at, (size_t)(stop - at)); at < stop; at++)
            to = put_character(to, style, *at);
        out->at = to;
    }
}

void cairn_print_utf16(struct cairn_output *out, enum cairn_style style, const void *data,
                       size_t size_bytes, bool swap)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes / 2 * 2;

    while (at < end) {
        char *to = cairn_output_reserve(out, CAIRN_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + 2 * chunk_of((size_t)(end - at) / 2);

        while (at < stop) {
            uint32_t c = cairn_load16(at, swap);
            uint32_t low = end - at >= 4 ? cairn_load16(at + 2, swap) : 0;

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

void cairn_print_utf32(struct cairn_output *out, enum cairn_style style, const void *data,
                       size_t size_bytes, bool swap)
{
    const uint8_t *at = (const uint8_t *)data;
    const uint8_t *end = at + size_bytes / 4 * 4;

    while (at < end) {
        char *to = cairn_output_reserve(out, CAIRN_OUTPUT_STEP_BYTES);
        const uint8_t *stop = at + 4 * chunk_of((size_t)(end - at) / 4);

        for (; at < stop; at += 4)
            to = put_character(to, style, cairn_load32(at, swap));
        out->at = to;
    }
}

bool cairn_print_by_mark(struct cairn_output *out, enum cairn_style style, const void *data,
                         size_t size_bytes)
{
    const uint8_t *at = (const uint8_t *)data;
    uint32_t mark32 = size_bytes >= 4 ? cairn_load32(at, false) : 0;
    uint16_t mark16 = size_bytes >= 2 ? cairn_load16(at, false) : 0;

    if (mark32 == 0x0000feff || mark32 == 0xfffe0000)
        cairn_print_utf32(out, style, at + 4, size_bytes - 4, mark32 != 0x0000feff);
    else if (mark16 == 0xfeff || mark16 == 0xfffe)
        cairn_print_utf16(out, style, at + 2, size_bytes - 2, mark16 != 0xfeff);
    else if (size_bytes >= 3 && at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf)
        cairn_print_utf8(out, style, at + 3, size_bytes - 3);
    else
        return false;
    return true;
}
