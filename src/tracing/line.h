/* SPDX-License-Identifier: MIT */
/* Text that grows, and keeps its memory for the next. */
#ifndef TRACING_LINE_H
#define TRACING_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_line {
    char *text; /* ends with a NUL once something was added */
    size_t length;
    size_t room;
    bool is_cut;
};

/* Makes room for so many bytes more. */
bool cairn_line_reserve(struct cairn_line *line, size_t length);

/* What there is no memory for is left out; is_cut says so. */
void cairn_line_add(struct cairn_line *line, const char *text, size_t length);
void cairn_line_add_char(struct cairn_line *line, char c);
/* What printf cannot convert, such as a wide character that the locale has not, leaves the format
 * as it is. */
void cairn_line_vprintf(struct cairn_line *line, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void cairn_line_printf(struct cairn_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cairn_line_add_number(struct cairn_line *line, uint64_t number);
void cairn_line_free(struct cairn_line *line);

#define cairn_line_add_literal(line, literal) cairn_line_add((line), (literal), sizeof(literal) - 1)

#endif
