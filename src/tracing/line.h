/* SPDX-License-Identifier: MIT */
/* A text buffer that grows and is reused for the next line. */
#ifndef TRACING_LINE_H
#define TRACING_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_line {
    char *text; /* NUL-terminated after the first addition */
    size_t length;
    size_t capacity;
    bool is_cut;
};

/* Makes space for `length` more bytes. */
bool cairn_line_reserve(struct cairn_line *line, size_t length);

/* Text is left out if there is no memory for it; is_cut is set then. */
void cairn_line_add(struct cairn_line *line, const char *text, size_t length);
void cairn_line_add_char(struct cairn_line *line, char c);
/* If printf cannot convert an argument, such as a wide character that the locale does not have, the
 * format is added unchanged. */
void cairn_line_vprintf(struct cairn_line *line, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void cairn_line_printf(struct cairn_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cairn_line_add_number(struct cairn_line *line, uint64_t number);
void cairn_line_free(struct cairn_line *line);

#define cairn_line_add_literal(line, literal) cairn_line_add((line), (literal), sizeof(literal) - 1)

#endif
