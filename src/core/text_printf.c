/* SPDX-License-Identifier: MIT */
/*
 * A printf like vsnprintf of lib/vsprintf.c in Linux. No loop runs over a width or a precision that
 * exceeds the available memory: "%2147483647d" costs no more than other formats.
 */
#include "core/text.h"

enum { LEFT = 1, PLUS = 2, SPACE = 4, ALTERNATE = 8, ZERO = 16 };

struct printf_conversion {
    uint32_t flags;
    int width;
    int precision; /* negative: none */
    uint32_t size_bytes;
    char letter;
};

/* Formatting is not time-critical: cold functions are compiled for size. */
#define COLD __attribute__((cold))

#define MAX_DIGITS 22 /* 64 bits in octal */

/* Parses a number of the format, saturating. */
static int take_number(const char **format)
{
    int64_t number = 0;

    for (; core_is_digit(**format); (*format)++)
        number = number > INT32_MAX ? number : number * 10 + (**format - '0');
    return number > INT32_MAX ? INT32_MAX : (int)number;
}

static uint32_t take_flags(const char **format)
{
    static const char letters[] = "-+ #0"; /* in the order of the flags' values */
    uint32_t flags = 0, i = 0;

    while (letters[i]) {
        if (**format == letters[i]) {
            flags |= 1u << i;
            (*format)++;
            i = 0;
        } else {
            i++;
        }
    }
    return flags;
}

static uint32_t take_size(const char **format)
{
    char first = *(*format)++;

    switch (first) {
    case 'j':
    case 'L':
        return sizeof(intmax_t);
    case 'z':
    case 't':
        return sizeof(size_t);
    case 'h':
    case 'l':
        if (**format != first)
            return first == 'h' ? sizeof(short) : sizeof(long);
        (*format)++;
        return first == 'h' ? 1 : sizeof(long long);
    default:
        (*format)--;
        return sizeof(int);
    }
}

COLD static uint64_t take_integer(va_list *arguments, uint32_t size_bytes)
{
    if (size_bytes > sizeof(int))
        return va_arg(*arguments, unsigned long long);
    return va_arg(*arguments, unsigned);
}

/* A number, or the argument that * stands for. */
COLD static int take_count(const char **format, va_list *arguments)
{
    if (**format != '*')
        return take_number(format);
    (*format)++;
    return (int)take_integer(arguments, sizeof(int));
}

/* Parses everything after %, including the conversion letter. */
static struct printf_conversion take_conversion(const char **format, va_list *arguments)
{
    struct printf_conversion c = {.flags = take_flags(format), .precision = -1};

    c.width = take_count(format, arguments);
    if (c.width < 0) {
        c.flags |= LEFT;
        c.width = c.width == INT32_MIN ? INT32_MAX : -c.width;
    }
    if (**format == '.') {
        (*format)++;
        if (**format == '*' || core_is_digit(**format))
            c.precision = take_count(format, arguments);
    }
    c.size_bytes = take_size(format);
    c.letter = **format;
    if (c.letter)
        (*format)++;
    return c;
}

/* Pads to the width, if the text is aligned to the given side: LEFT, or 0. */
static void fill_up(struct cairn_text *to, const struct printf_conversion *c, uint32_t side,
                    size_t used)
{
    if ((c->flags & LEFT) == side && (size_t)c->width > used)
        core_text_fill(to, ' ', (size_t)c->width - used);
}

COLD static void add_string(struct cairn_text *to, const struct printf_conversion *c,
                            const char *text, size_t length)
{
    fill_up(to, c, 0, length);
    core_text_add(to, (struct cairn_slice){text, (uint32_t)length});
    fill_up(to, c, LEFT, length);
}

/* Reads at most `precision` bytes of a string, and little more than there is memory for. */
static void add_text(struct cairn_text *to, const struct printf_conversion *c, const char *text)
{
    size_t most = to->left + to->skip + (size_t)c->width + 1, length = 0;

    if (c->precision >= 0 && (size_t)c->precision < most)
        most = (size_t)c->precision;
    if (!text)
        text = "(null)";
    while (length < most && text[length])
        length++;
    add_string(to, c, text, length);
}

/* Writes digits to the end of `digits`; returns their number. */
static size_t put_digits(char digits[MAX_DIGITS], uint64_t value, unsigned base, bool upper)
{
    const char *letters = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    size_t count = 0;

    do
        digits[MAX_DIGITS - ++count] = letters[value % base];
    while (value /= base);
    return count;
}

/* Unlike C's, zeros fill the width whatever the precision, and 0 always has a digit. */
COLD static void add_number(struct cairn_text *to, const struct printf_conversion *c,
                            uint64_t value, unsigned base, struct cairn_slice prefix)
{
    char digits[MAX_DIGITS];
    size_t count = put_digits(digits, value, base, c->letter == 'X');
    size_t least = c->precision > (int)count ? (size_t)c->precision : count;

    if ((c->flags & (ZERO | LEFT)) == ZERO && (size_t)c->width > prefix.length + least)
        least = (size_t)c->width - prefix.length;
    fill_up(to, c, 0, prefix.length + least);
    core_text_add(to, prefix);
    core_text_fill(to, '0', least - count);
    core_text_add(to, (struct cairn_slice){digits + MAX_DIGITS - count, (uint32_t)count});
    fill_up(to, c, LEFT, prefix.length + least);
}

static void add_signed(struct cairn_text *to, const struct printf_conversion *c, int64_t value)
{
    struct cairn_slice sign = {" ", 0};

    if (value < 0)
        sign = CORE_SLICE("-");
    else if (c->flags & PLUS)
        sign = CORE_SLICE("+");
    else if (c->flags & SPACE)
        sign.length = 1;
    add_number(to, c, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, sign);
}

static void add_integer(struct cairn_text *to, const struct printf_conversion *c, uint64_t value)
{
    unsigned unused_bits = 64 - 8 * c->size_bytes;
    unsigned base = c->letter == 'u' ? 10 : c->letter == 'o' ? 8 : 16;
    struct cairn_slice prefix = {c->letter == 'X' ? "0X" : "0x", 0};

    value <<= unused_bits;
    if (c->letter == 'd' || c->letter == 'i') {
        add_signed(to, c, (int64_t)value >> unused_bits);
        return;
    }
    value >>= unused_bits;
    if (c->flags & ALTERNATE)
        prefix.length = base == 16 ? 2 : base == 8 && value;
    add_number(to, c, value, base, prefix);
}

void core_text_add_hex(struct cairn_text *to, const uint8_t *bytes, size_t size_bytes,
                       char separator)
{
    const struct printf_conversion two = {.flags = ZERO, .width = 2, .precision = -1};

    for (size_t i = 0; i < size_bytes && !to->full; i++) {
        if (i && separator)
            core_text_fill(to, separator, 1);
        add_number(to, &two, bytes[i], 16, CORE_SLICE(""));
    }
}

/* %*ph: the width is the number of bytes, 1 if there is none. */
static void add_pointed_hex(struct cairn_text *to, const struct printf_conversion *c,
                            const uint8_t *bytes, char form)
{
    size_t count = c->width > 64 ? 64 : c->width > 0 ? (size_t)c->width : 1;
    char separator = form == 'C' ? ':' : form == 'D' ? '-' : form == 'N' ? '\0' : ' ';

    if (!bytes)
        core_text_put(to, "(null)");
    else
        core_text_add_hex(to, bytes, count, separator);
}

static void add_pointer(struct cairn_text *to, struct printf_conversion *c, const void *pointer,
                        const char **format)
{
    char form = **format;
    bool is_symbol = form == 'S' || form == 's' || form == 'B';
    struct cairn_slice prefix = {"0x", 0};

    if (form == 'h')
        add_pointed_hex(to, c, (const uint8_t *)pointer, (*format)[1]);
    while (core_is_alphanumeric(**format))
        (*format)++;
    if (form == 'h')
        return;

    if (is_symbol || (c->flags & ALTERNATE))
        prefix.length = 2;
    if (!c->width) {
        c->width = (int)(2 * sizeof(void *)) + (is_symbol ? 2 : 0);
        c->flags |= ZERO;
    }
    add_number(to, c, (uintptr_t)pointer, 16, prefix);
}

/* Returns false for an unknown conversion. */
static bool add_conversion(struct cairn_text *to, const char **format, va_list *arguments)
{
    struct printf_conversion c = take_conversion(format, arguments);
    const void *pointer;
    char letter;

    switch (c.letter) {
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        add_integer(to, &c, take_integer(arguments, c.size_bytes));
        return true;
    case 'c':
        letter = (char)take_integer(arguments, sizeof(int));
        add_string(to, &c, &letter, 1);
        return true;
    case 's':
    case 'p':
        pointer = va_arg(*arguments, const void *);
        if (c.letter == 's')
            add_text(to, &c, (const char *)pointer);
        else
            add_pointer(to, &c, pointer, format);
        return true;
    case '%':
        core_text_fill(to, '%', 1);
        return true;
    default:
        return false;
    }
}

COLD static void add_format(struct cairn_text *to, const char *format, va_list *arguments)
{
    while (*format && !to->full) {
        const char *from = format;
        bool known = true;

        while (*format && *format != '%')
            format++;
        if (format == from) {
            format++;
            known = add_conversion(to, &format, arguments);
        }
        if (!known) {
            while (*format)
                format++;
        }
        if (!known || *from != '%')
            core_text_add(to, (struct cairn_slice){from, (uint32_t)(format - from)});
    }
}

void cairn_text_vprintf(struct cairn_text *to, const char *format, va_list arguments)
{
    struct cairn_text before = *to;
    va_list copy;

    va_copy(copy, arguments);
    add_format(to, format, &copy);
    va_end(copy);
    if (to->full && !to->cut) {
        *to = before;
        to->full = true;
    }
}

void cairn_text_printf(struct cairn_text *to, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    cairn_text_vprintf(to, format, arguments);
    va_end(arguments);
}
