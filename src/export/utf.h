/* SPDX-License-Identifier: MIT */
/*
 * Prints text of any encoding as valid UTF-8 with a style's escapes. Invalid characters become
 * U+FFFD; but in the style `json`, as in perf-decode, a byte that is not UTF-8 is treated as
 * Latin-1.
 */
#ifndef EXPORT_UTF_H
#define EXPORT_UTF_H

#include "export/output.h"

#include <cairn/export.h>

/* Text without quotes and escapes, for other formats. A NUL becomes U+FFFD. No printer has it. */
#define EXPORT_STYLE_PLAIN ((enum cairn_style)CAIRN_STYLE_COUNT)

/* JSON in a line of text: a terminal's control characters are escaped, too. No printer has it. */
#define EXPORT_STYLE_QUOTED ((enum cairn_style)(CAIRN_STYLE_COUNT + 1))

/*
 * Copies text of 4 to 31 bytes, if it is ASCII that no style escapes. Returns the address after it;
 * NULL: it is not, and what was written is to be overwritten. Space: size_bytes.
 */
char *export_put_short(char *to, const uint8_t *data, uint32_t size_bytes);

void export_print_utf8(struct export_print_output *out, enum cairn_style style, const void *data,
                       size_t size_bytes);
void export_print_latin1(struct export_print_output *out, enum cairn_style style, const void *data,
                         size_t size_bytes);

/* In this machine's byte order, or `swap`ped; incomplete units at the end are ignored. */
void export_print_utf16(struct export_print_output *out, enum cairn_style style, const void *data,
                        size_t size_bytes, bool swap);
void export_print_utf32(struct export_print_output *out, enum cairn_style style, const void *data,
                        size_t size_bytes, bool swap);

/*
 * In the encoding of the byte order mark at the beginning; returns false, and prints nothing, if
 * there is none.
 */
bool export_print_by_mark(struct export_print_output *out, enum cairn_style style, const void *data,
                          size_t size_bytes);

#endif
