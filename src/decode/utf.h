/* SPDX-License-Identifier: MIT */
/*
 * Text of any make, as valid UTF-8 in a style's own escapes. What is no character in its encoding
 * becomes U+FFFD; but in the style `json`, which follows perf-decode, a byte that is not UTF-8 is
 * taken for Latin-1.
 */
#ifndef DECODE_UTF_H
#define DECODE_UTF_H

#include "decode/output.h"
#include <cairn/decode.h>

void cairn_print_utf8(struct cairn_output *out, enum cairn_style style, const void *data,
                      size_t size_bytes);
void cairn_print_latin1(struct cairn_output *out, enum cairn_style style, const void *data,
                        size_t size_bytes);

/* In this machine's byte order, or `swap`ped; an odd rest at the end is not looked at. */
void cairn_print_utf16(struct cairn_output *out, enum cairn_style style, const void *data,
                       size_t size_bytes, bool swap);
void cairn_print_utf32(struct cairn_output *out, enum cairn_style style, const void *data,
                       size_t size_bytes, bool swap);

/* As the byte order mark at the beginning tells; false, and nothing printed, when there is none. */
bool cairn_print_by_mark(struct cairn_output *out, enum cairn_style style, const void *data,
                         size_t size_bytes);

#endif
