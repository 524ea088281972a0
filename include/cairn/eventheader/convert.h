/* SPDX-License-Identifier: MIT */
/* Conversion of a field's value to the u64 that cairn_i_eventheader_write_N gets. checks.h contains
 * the checks that the compiler makes before. */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_CONVERT_H
#define CAIRN_EVENTHEADER_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* The count of a text that ends at its zero. A larger one was negative, also where size_t has 32
 * bits. */
#define CAIRN_I_NO_LIMIT 0x80000000u

/* ---- the value becomes an argument ---- */

/* cairn_i_NAME(value) converts the value to the type of the argument. In C it initializes a
 * variable of type cairn_i_NAME_type, which the compiler converts to u64 later: that is faster to
 * compile. */
#ifdef __cplusplus
#define cairn_i_u8(value)    ((uint64_t)(uint8_t)(value))
#define cairn_i_u16(value)   ((uint64_t)(uint16_t)(value))
#define cairn_i_u32(value)   ((uint64_t)(uint32_t)(value))
#define cairn_i_u64(value)   ((uint64_t)(value))
#define cairn_i_usize(value) ((uint64_t)(size_t)(value))
#define cairn_i_i8(value)    ((uint64_t)(uint8_t)(value))
#define cairn_i_i16(value)   ((uint64_t)(uint16_t)(value))
#define cairn_i_i32(value)   ((uint64_t)(uint32_t)(value))
#define cairn_i_i64(value)   ((uint64_t)(value))
#define cairn_i_isize(value) ((uint64_t)(size_t)(value))
#define cairn_i_bool8(value) ((uint64_t)(uint8_t)(bool)(value))
#define cairn_i_char8(value) ((uint64_t)(uint8_t)(value))
#define cairn_i_pid(value)   ((uint64_t)(uint32_t)(value))
#else
#define cairn_i_u8(value)      value
#define cairn_i_u16(value)     value
#define cairn_i_u32(value)     value
#define cairn_i_u64(value)     value
#define cairn_i_usize(value)   value
#define cairn_i_i8(value)      value
#define cairn_i_i16(value)     value
#define cairn_i_i32(value)     value
#define cairn_i_i64(value)     value
#define cairn_i_isize(value)   value
#define cairn_i_bool8(value)   value
#define cairn_i_char8(value)   ((char)(value)) /* signed or unsigned */
#define cairn_i_pid(value)     ((int32_t)(value))
#define cairn_i_address(value) value

typedef uint8_t cairn_i_u8_type;
typedef uint16_t cairn_i_u16_type;
typedef uint32_t cairn_i_u32_type;
typedef uint64_t cairn_i_u64_type;
typedef size_t cairn_i_usize_type;
typedef int8_t cairn_i_i8_type;
typedef int16_t cairn_i_i16_type;
typedef int32_t cairn_i_i32_type;
typedef int64_t cairn_i_i64_type;
typedef intptr_t cairn_i_isize_type;
typedef bool cairn_i_bool8_type;
typedef char cairn_i_char8_type;
typedef int32_t cairn_i_pid_type;
typedef const void *cairn_i_address_type;
#endif

/* These are converted to numbers before they are stored. */
typedef uint64_t cairn_i_number_type;
typedef uint64_t cairn_i_f32_type;
typedef uint64_t cairn_i_f64_type;
typedef uint64_t cairn_i_port_host_type;
typedef uint64_t cairn_i_ipv4_type;
typedef uint64_t cairn_i_systemtime_type;

/* Pointers to anything, functions, integers. */
#define cairn_i_number(value) ((uint64_t)(uintptr_t)(value))

#ifdef __cplusplus
extern "C++" {
template <class T> inline uint64_t cairn_i_f32(const T &value)
{
    const float real = (float)value;
    uint32_t bits;

    __builtin_memcpy(&bits, &real, sizeof(bits));
    return bits;
}

template <class T> inline uint64_t cairn_i_f64(const T &value)
{
    const double real = (double)value;
    uint64_t bits;

    __builtin_memcpy(&bits, &real, sizeof(bits));
    return bits;
}
}
#else
union cairn_i_f32_bits {
    float value;
    uint32_t bits;
};

union cairn_i_f64_bits {
    double value;
    uint64_t bits;
};
#define cairn_i_f32(real) (((union cairn_i_f32_bits){.value = (float)(real)}).bits)
#define cairn_i_f64(real) (((union cairn_i_f64_bits){.value = (double)(real)}).bits)
#endif

/* Converts to network byte order. */
static inline uint64_t cairn_i_port_host(uint16_t port)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap16(port) : port;
}

static inline uint64_t cairn_i_ipv4(const void *address)
{
    uint32_t bits = 0;

    if (address)
        __builtin_memcpy(&bits, address, sizeof(bits));
    return bits;
}

#ifdef __cplusplus
#define cairn_i_address          cairn_i_number
#define cairn_i_port_host(value) cairn_i_port_host((uint16_t)(value))
#define cairn_i_ipv4(value) \
    cairn_i_ipv4((const void *)(uintptr_t)(value)) /* also for NULL as an integer */
#endif

#endif
