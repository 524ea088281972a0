/* SPDX-License-Identifier: MIT */
/* Texts of other encodings, addresses, identifiers and bytes, as UTF-8 or ASCII. */
#include "condition/program.h"
#include "core/load.h"

#define REPLACEMENT 0xfffdu

static void put(struct condition_scratch *to, char byte)
{
    if (to->at == to->end)
        to->is_full = true;
    else
        *to->at++ = byte;
}

/* ---- characters ---- */

/* The bytes after the first one of a character. */
static void put_rest(struct condition_scratch *to, uint32_t c, uint32_t count)
{
    while (count--)
        put(to, (char)(0x80 | (c >> 6 * count & 0x3f)));
}

static void put_character(struct condition_scratch *to, uint32_t c)
{
    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        c = REPLACEMENT;
    if (c < 0x80) {
        put(to, (char)c);
    } else if (c < 0x800) {
        put(to, (char)(0xc0 | c >> 6));
        put_rest(to, c, 1);
    } else if (c < 0x10000) {
        put(to, (char)(0xe0 | c >> 12));
        put_rest(to, c, 2);
    } else {
        put(to, (char)(0xf0 | c >> 18));
        put_rest(to, c, 3);
    }
}

static void put_utf8(struct condition_scratch *to, const uint8_t *data, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes && !to->is_full; i++)
        put(to, (char)data[i]);
}

static void put_latin1(struct condition_scratch *to, const uint8_t *data, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes && !to->is_full; i++)
        put_character(to, data[i]);
}

static void put_utf16(struct condition_scratch *to, const uint8_t *data, size_t size_bytes,
                      bool swap)
{
    for (size_t i = 0; i + 2 <= size_bytes && !to->is_full; i += 2) {
        uint32_t c = core_load16(data + i, swap);
        uint32_t low = i + 4 <= size_bytes ? core_load16(data + i + 2, swap) : 0;

        if (c >> 10 == 0xd800 >> 10 && low >> 10 == 0xdc00 >> 10) {
            c = 0x10000 + ((c & 0x3ff) << 10 | (low & 0x3ff));
            i += 2;
        }
        put_character(to, c);
    }
}

static void put_utf32(struct condition_scratch *to, const uint8_t *data, size_t size_bytes,
                      bool swap)
{
    for (size_t i = 0; i + 4 <= size_bytes && !to->is_full; i += 4)
        put_character(to, core_load32(data + i, swap));
}

/* False: there is no byte order mark. */
static bool put_by_mark(struct condition_scratch *to, const uint8_t *data, size_t size_bytes)
{
    uint32_t mark32 = size_bytes >= 4 ? core_load32(data, false) : 0;
    uint16_t mark16 = size_bytes >= 2 ? core_load16(data, false) : 0;

    if (mark32 == 0x0000feff || mark32 == 0xfffe0000)
        put_utf32(to, data + 4, size_bytes - 4, mark32 != 0x0000feff);
    else if (mark16 == 0xfeff || mark16 == 0xfffe)
        put_utf16(to, data + 2, size_bytes - 2, mark16 != 0xfeff);
    else if (size_bytes >= 3 && data[0] == 0xef && data[1] == 0xbb && data[2] == 0xbf)
        put_utf8(to, data + 3, size_bytes - 3);
    else
        return false;
    return true;
}

/* ---- addresses, identifiers, bytes ---- */

static void put_hex_byte(struct condition_scratch *to, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";

    put(to, digits[byte >> 4]);
    put(to, digits[byte & 15]);
}

static void put_bytes(struct condition_scratch *to, const uint8_t *data, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes && !to->is_full; i++) {
        if (i)
            put(to, ' ');
        put_hex_byte(to, data[i]);
    }
}

static void put_uuid(struct condition_scratch *to, const uint8_t *data)
{
    for (uint32_t i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            put(to, '-');
        put_hex_byte(to, data[i]);
    }
}

static void put_ipv4(struct condition_scratch *to, const uint8_t *data)
{
    for (uint32_t i = 0; i < 4; i++) {
        if (i)
            put(to, '.');
        if (data[i] >= 100)
            put(to, (char)('0' + data[i] / 100));
        if (data[i] >= 10)
            put(to, (char)('0' + data[i] / 10 % 10));
        put(to, (char)('0' + data[i] % 10));
    }
}

static uint32_t group_of(const uint8_t *data, uint32_t i)
{
    return (uint32_t)data[2 * i] << 8 | data[2 * i + 1];
}

/* The first of the longest runs of two and more groups of zeros. */
static uint32_t longest_zeros(const uint8_t *data, uint32_t *ret_length)
{
    uint32_t best = 8;

    *ret_length = 1;
    for (uint32_t i = 0, length; i < 8; i += length + 1) {
        for (length = 0; i + length < 8 && !group_of(data, i + length); length++)
            ;
        if (length > *ret_length) {
            best = i;
            *ret_length = length;
        }
    }
    return best;
}

static void put_group(struct condition_scratch *to, uint32_t group)
{
    uint32_t shift = group >= 0x1000 ? 12 : group >= 0x100 ? 8 : group >= 0x10 ? 4 : 0;

    for (;; shift -= 4) {
        put(to, "0123456789abcdef"[group >> shift & 15]);
        if (!shift)
            return;
    }
}

/* As inet_ntop writes it: an IPv4 address in it is written as such. */
static void put_ipv6(struct condition_scratch *to, const uint8_t *data)
{
    uint32_t length;
    uint32_t zeros = longest_zeros(data, &length);

    for (uint32_t i = 0; i < 8; i++) {
        if (i == zeros) {
            put(to, ':');
            i += length - 1;
            if (i == 7)
                put(to, ':');
            continue;
        }
        if (i)
            put(to, ':');
        if (i == 6 && !zeros && (length == 6 || (length == 5 && group_of(data, 5) == 0xffff))) {
            put_ipv4(to, data + 12);
            return;
        }
        put_group(to, group_of(data, i));
    }
}

void condition_convert(enum condition_value value, const uint8_t *data, size_t size_bytes,
                       struct condition_scratch *to)
{
    if (value >= CONDITION_MARKED8 && value <= CONDITION_MARKED32) {
        if (put_by_mark(to, data, size_bytes))
            return;
        value = (enum condition_value)(value - CONDITION_MARKED8 + CONDITION_UTF8);
    }
    switch (value) {
    case CONDITION_LATIN1:
        put_latin1(to, data, size_bytes);
        break;
    case CONDITION_UTF16:
        put_utf16(to, data, size_bytes, false);
        break;
    case CONDITION_UTF32:
        put_utf32(to, data, size_bytes, false);
        break;
    case CONDITION_CHARACTER:
        put_character(to, (uint32_t)core_load_unsigned(data, (uint32_t)size_bytes, false));
        break;
    case CONDITION_BYTES:
        put_bytes(to, data, size_bytes);
        break;
    case CONDITION_UUID:
        put_uuid(to, data);
        break;
    case CONDITION_IP_ADDRESS:
        if (size_bytes == 4)
            put_ipv4(to, data);
        else
            put_ipv6(to, data);
        break;
    default:
        put_utf8(to, data, size_bytes);
        break;
    }
}
