/* SPDX-License-Identifier: MIT */
/* A text buffer that grows. */
#include "tracing/line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPACITY_FIRST 512u

/* Makes space for `length` more bytes and a NUL. */
static bool grow(struct tracing_line *line, size_t length)
{
    size_t capacity = line->capacity ? line->capacity : CAPACITY_FIRST;
    char *text;

    while (capacity - line->length <= length)
        capacity *= 2;
    if (capacity == line->capacity)
        return true;
    text = realloc(line->text, capacity);
    if (!text) {
        line->is_cut = true;
        return false;
    }
    line->text = text;
    line->capacity = capacity;
    return true;
}

bool tracing_line_reserve(struct tracing_line *line, size_t length)
{
    return grow(line, length);
}

void tracing_line_add(struct tracing_line *line, const char *text, size_t length)
{
    if (!grow(line, length))
        return;
    if (length)
        memcpy(line->text + line->length, text, length);
    line->length += length;
    line->text[line->length] = '\0';
}

void tracing_line_add_char(struct tracing_line *line, char c)
{
    tracing_line_add(line, &c, 1);
}

void tracing_line_add_number(struct tracing_line *line, uint64_t number)
{
    char digits[20];
    size_t at = sizeof(digits);

    do
        digits[--at] = (char)('0' + number % 10);
    while (number /= 10);
    tracing_line_add(line, digits + at, sizeof(digits) - at);
}

/* Not inlined: if gcc sees both functions together, it warns about formats that are NULL. */
static __attribute__((noinline)) void add_format(struct tracing_line *line, const char *format)
{
    tracing_line_add(line, format, strlen(format));
}

void tracing_line_vprintf(struct tracing_line *line, const char *format, va_list arguments)
{
    va_list again;
    int length;

    if (!grow(line, 0))
        return;
    va_copy(again, arguments);
    length = vsnprintf(line->text + line->length, line->capacity - line->length, format, arguments);
    if (length >= 0 && (size_t)length >= line->capacity - line->length &&
        grow(line, (size_t)length))
        length = vsnprintf(line->text + line->length, line->capacity - line->length, format, again);
    va_end(again);
    if (length >= 0 && (size_t)length < line->capacity - line->length)
        line->length += (size_t)length;
    else if (length < 0)
        add_format(line, format);
    else
        line->text[line->length] = '\0';
}

void tracing_line_printf(struct tracing_line *line, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tracing_line_vprintf(line, format, arguments);
    va_end(arguments);
}

void tracing_line_free(struct tracing_line *line)
{
    free(line->text);
    *line = (struct tracing_line){0};
}
