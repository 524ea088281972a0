/* SPDX-License-Identifier: MIT */
/*
 * Numbers as text. Each function writes at `to`, which needs the space that its comment states,
 * writes no NUL, and returns the address after the last byte.
 */
#ifndef EXPORT_NUMBER_H
#define EXPORT_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Decimal. Space: 20 bytes. */
char *export_put_unsigned(char *to, uint64_t value);
char *export_put_signed(char *to, int64_t value);

/* The id of a process or a thread; -1, as perf prints it: the kernel did not know it, because the
 * thread had ended. */
static inline int64_t export_task_number(uint32_t id)
{
    return id == UINT32_MAX ? -1 : (int64_t)id;
}

/* The same as text. Space: 20 bytes. */
static inline char *export_put_task(char *to, uint32_t id)
{
    return export_put_signed(to, export_task_number(id));
}

/* Decimal with leading zeros, exactly `width` digits: value < 10^width. Space: width. */
char *export_put_digits(char *to, uint64_t value, unsigned width);

/* The same for a width of nine: the decimals of a second. Space: 9 bytes. */
char *export_put_nine_digits(char *to, uint32_t value);

/* "0x" and upper-case hexadecimal without leading zeros. Space: 18 bytes. */
char *export_put_hex(char *to, uint64_t value);

/* Two lower-case hexadecimal digits. Space: 2 bytes. */
char *export_put_hex_byte(char *to, uint8_t value);

/*
 * The shortest decimal that reads back as the same number, as "1.5", "1e+300", "inf", "-nan".
 * Space: 32 bytes.
 */
char *export_put_float(char *to, float value);
char *export_put_double(char *to, double value);

#endif
