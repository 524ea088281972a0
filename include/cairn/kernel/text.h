/* SPDX-License-Identifier: MIT */
/*
 * Text that is built in the caller's memory, with a printf that needs no C library.
 *
 * A piece that does not fit is left out whole, `full` is set, and everything after it is left out,
 * too: add everything, then check `full` once. Nothing here ends the text with a NUL. To read a
 * long text in parts, set `cut`, and `skip` to the number of bytes that were read before. (Strings
 * of cairn_text_flags and similar functions need their memory nevertheless.)
 *
 * All functions change nothing but the text: any thread, any signal handler, any interrupt, with a
 * text of its own. None allocates.
 */
#ifndef CAIRN_KERNEL_TEXT_H
#define CAIRN_KERNEL_TEXT_H

#include <cairn/api.h>

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_text {
    char *begin;
    char *at;    /* next byte */
    size_t left; /* bytes from `at` to the end */
    size_t skip; /* number of bytes still to be omitted at the beginning: a text can be read in
                    parts */
    bool cut;    /* a piece that does not fit is cut, and not left out whole */
    bool full;   /* something was omitted at the end */
#ifdef __cplusplus
    cairn_text(char *memory, size_t size_bytes)
        : begin(memory), at(memory), left(size_bytes), skip(0), cut(false), full(false)
    {
    }
#endif
};

/* An empty text: `struct cairn_text t = cairn_text(memory, size)`. The memory stays the caller's.
 */
#ifndef __cplusplus
static inline struct cairn_text cairn_text(char *memory, size_t size_bytes)
{
    return (struct cairn_text){.begin = memory, .at = memory, .left = size_bytes};
}
#endif

/* Length of the text so far. */
static inline size_t cairn_text_length(const struct cairn_text *text)
{
    return (size_t)(text->at - text->begin);
}

/*
 * Adds what Linux's printk would print, in the format of C with these parts:
 *
 *   flags       - + space # 0
 *   width       a number or *
 *   precision   a number or *
 *   length      hh h l ll L j z t; L is ll
 *   conversion  d i u o x X c s p %
 *
 * The differences from C's printf: %#x of 0 is "0x0", %.0d of 0 is "0", the flag 0 fills the width
 * whatever the precision, %#o adds a digit to those of the precision, and a precision without
 * digits is ignored.
 *
 * %s of NULL is "(null)". %p is as Linux's %px: the address in hexadecimal, 2 * sizeof(void *)
 * digits, without "0x". As in Linux, letters and digits after %p belong to it:
 *
 *   %*ph %*phC %*phD %*phN  width bytes (1 to 64) in hexadecimal, separated by ' ', ':', '-',
 *                           or nothing
 *   %pS %ps %pB             a symbol's address, with "0x": there are no symbol names here
 *   %pANYTHING              all others: as %p
 *
 * There are no floats, no %n and no wide characters: from an unknown conversion on, the rest of the
 * format is added unchanged.
 */
CAIRN_API void cairn_text_printf(struct cairn_text *to, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with a list of arguments. */
CAIRN_API void cairn_text_vprintf(struct cairn_text *to, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/*
 * The functions of Linux's __print_flags() and related macros, for the arguments of one
 * cairn_text_printf(to, ...). Each returns a string at the end of the free memory of `to`, which
 * shrinks by it; the string is valid until `to` gets more memory. The caller of a print function
 * restores the memory of `to` afterwards (the core does, for tracepoints). If there is no memory,
 * `full` is set and "" returned.
 */

/* A value and its name. An array of these ends with a name of NULL. */
struct cairn_text_name {
    uint64_t value;
    const char *name;
};

/*
 * The names of the bits that are set in `flags`, with `delimiter` between them (NULL: nothing), and
 * "0x..." for the remaining bits. A value with several bits matches if all are set. "" for no
 * flags.
 */
CAIRN_API const char *cairn_text_flags(struct cairn_text *to, const char *delimiter, uint64_t flags,
                                       const struct cairn_text_name *names);

/* The name of a value, or "0x..." if it has none. */
CAIRN_API const char *cairn_text_symbolic(struct cairn_text *to, uint64_t value,
                                          const struct cairn_text_name *names);

/*
 * Bytes in hexadecimal, two digits each, with `separator` between them (NUL: nothing). "" for NULL.
 */
CAIRN_API const char *cairn_text_hex(struct cairn_text *to, const void *bytes, size_t size_bytes,
                                     char separator);

/*
 * "{0x1,0x2}": `count` unsigned integers of element_size_bytes (1, 2, 4 or 8) in the machine's byte
 * order, of any alignment. "{}" for NULL.
 */
CAIRN_API const char *cairn_text_array(struct cairn_text *to, const void *elements, size_t count,
                                       size_t element_size_bytes);

/*
 * "00000000,0000000f": a bitmap, an array of unsigned long of any alignment, in hexadecimal, 32
 * bits a group, the highest first. "" for NULL.
 */
CAIRN_API const char *cairn_text_bitmask(struct cairn_text *to, const void *bits,
                                         size_t size_bytes);

#ifdef __cplusplus
}
#endif

#endif
