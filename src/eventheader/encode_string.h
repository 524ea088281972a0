/* SPDX-License-Identifier: MIT */
/*
 * Encodes a string of less than EVENTHEADER_SHORT_BYTES without a function call; the caller has
 * provided the space. The string is loaded in blocks. A block may also contain bytes after the
 * string, as with strlen, but never of another page, and these bytes are not written to the event.
 * Returns NULL if the string is longer, NULL, or ends near the end of a page.
 */
#ifndef EVENTHEADER_ENCODE_STRING_H
#define EVENTHEADER_ENCODE_STRING_H

#include "eventheader/copy.h"

#include <cairn/tracepoint.h>
#include <string.h>

/* Strings are loaded in blocks, unless a sanitizer would report the bytes after them. */
#if defined(__has_feature) /* clang */
#define EVENTHEADER_IS_SANITIZED \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define EVENTHEADER_IS_SANITIZED 1
#else
#define EVENTHEADER_IS_SANITIZED 0
#endif
#if defined(__SSE2__) && !EVENTHEADER_IS_SANITIZED
#include <emmintrin.h>
#define EVENTHEADER_LOADS_BLOCKS 1
#else
#define EVENTHEADER_LOADS_BLOCKS 0
#endif

/* eventheader_copy_name(to, name) copies a name and its zero to where there is so much space.
 * Returns the end of the copy; NULL as eventheader_encode_string. */
#define EVENTHEADER_NAME_SPACE 64u

#if EVENTHEADER_LOADS_BLOCKS

static inline __m128i eventheader_load_block(const void *from)
{
    return _mm_loadu_si128((const __m128i *)from);
}

/* One bit for each zero byte. */
static inline uint32_t eventheader_zeros_of(__m128i block)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_setzero_si128()));
}

/* True if a block can be loaded without reading from another page. False at the beginning of a
 * page, so that it is false for NULL. */
static inline bool eventheader_is_within_page(const void *from)
{
    return cairn_likely(((uintptr_t)from - 1) % 4096 < 4096 - 16);
}

static inline void eventheader_store_block(uint8_t *to, __m128i block)
{
    _mm_storeu_si128((__m128i *)(void *)to, block);
}

static inline uint8_t *eventheader_end_string(uint8_t *to, size_t length)
{
    __builtin_memcpy(to, &(uint16_t){(uint16_t)length}, 2);
    eventheader_store_block(to + 2 + length, _mm_setzero_si128()); /* over the bytes after it */
    return to + 2 + length;
}

/* Encodes the rest of a string of 16 bytes or more, whose first 16 are done. */
static inline __attribute__((always_inline)) uint8_t *
eventheader_encode_rest_of_string(uint8_t *to, const char *text)
{
    for (size_t at = 16; at < EVENTHEADER_SHORT_BYTES && eventheader_is_within_page(text + at);
         at += 16) {
        __m128i block = eventheader_load_block(text + at);
        uint32_t zeros = eventheader_zeros_of(block);

        eventheader_store_block(to + 2 + at, block);
        if (zeros)
            return eventheader_end_string(to, at + (size_t)__builtin_ctzll(zeros));
    }
    return NULL;
}

static inline __attribute__((always_inline)) uint8_t *eventheader_encode_string(uint8_t *to,
                                                                                const char *text)
{
    __m128i block;
    uint32_t zeros;

    if (cairn_unlikely(!eventheader_is_within_page(text)))
        return NULL;
    block = eventheader_load_block(text);
    eventheader_store_block(to + 2, block);
    zeros = eventheader_zeros_of(block);
    return cairn_likely(zeros) ? eventheader_end_string(to, (size_t)__builtin_ctzll(zeros))
                               : eventheader_encode_rest_of_string(to, text);
}

static inline __attribute__((always_inline)) uint8_t *eventheader_copy_name(uint8_t *to,
                                                                            const char *name)
{
    for (size_t at = 0;
         at < EVENTHEADER_NAME_SPACE && cairn_likely(eventheader_is_within_page(name + at));
         at += 16) {
        __m128i block = eventheader_load_block(name + at);
        uint32_t zeros = eventheader_zeros_of(block);

        eventheader_store_block(to + at, block);
        if (zeros)
            return to + at + __builtin_ctzll(zeros) + 1;
    }
    return NULL;
}
#else

static inline __attribute__((always_inline)) uint8_t *eventheader_encode_string(uint8_t *to,
                                                                                const char *text)
{
    size_t length = text ? strlen(text) : EVENTHEADER_SHORT_BYTES;

    if (length >= EVENTHEADER_SHORT_BYTES)
        return NULL;
    __builtin_memcpy(to, &(uint16_t){(uint16_t)length}, 2);
    eventheader_copy_short(to + 2, (const uint8_t *)text, (uint32_t)length);
    return to + 2 + length;
}

static inline uint8_t *eventheader_copy_name(uint8_t *to, const char *name)
{
    size_t bytes = strlen(name) + 1;

    if (bytes > EVENTHEADER_NAME_SPACE)
        return NULL;
    memcpy(to, name, bytes);
    return to + bytes;
}
#endif

#endif
