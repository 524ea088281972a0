/* SPDX-License-Identifier: MIT */
/* A text buffer that grows and is reused for the next line. */
#ifndef TRACING_LINE_H
#define TRACING_LINE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tracing_line {
    char *text; /* NUL-terminated after the first addition */
    size_t length;
    size_t capacity;
    bool is_cut;
};

/* Makes space for `length` more bytes. */
bool tracing_line_reserve(struct tracing_line *line, size_t length);

/* Text is left out if there is no memory for it; is_cut is set then. */
void tracing_line_add(struct tracing_line *line, const char *text, size_t length);
void tracing_line_add_char(struct tracing_line *line, char c);
/* If printf cannot convert an argument, such as a wide character that the locale does not have, the
 * format is added unchanged. */
void tracing_line_vprintf(struct tracing_line *line, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
void tracing_line_printf(struct tracing_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tracing_line_add_number(struct tracing_line *line, uint64_t number);
void tracing_line_free(struct tracing_line *line);

#define tracing_line_add_literal(line, literal) \
    tracing_line_add((line), (literal), sizeof(literal) - 1)

#endif
