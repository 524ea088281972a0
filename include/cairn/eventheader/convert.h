/* SPDX-License-Identifier: MIT */
/*
 * From a field's value to the u64 that cairn_i_eventheader_write_N gets, and what the compiler is
 * to insist on before. In C++ the functions' types are strict enough; in C, which turns most values
 * silently into most others, CAIRN_I_IS_* looks at the value's type.
 */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_CONVERT_H
#define CAIRN_EVENTHEADER_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#ifdef __cplusplus
#define CAIRN_I_ASSERT static_assert
#else
#define CAIRN_I_ASSERT _Static_assert
#endif

/* ---- the value becomes an argument ---- */

/*
 * In C++ cairn_i_NAME is a function. In C the value initializes a variable of type
 * cairn_i_NAME_type: the compiler converts it, and warns, as it would for the function, and has
 * less to do.
 */
#ifdef __cplusplus
#define CAIRN_I_CONVERT(name, type, bits)             \
    static inline uint64_t cairn_i_##name(type value) \
    {                                                 \
        return (bits)value;                           \
    }
#else
#define CAIRN_I_CONVERT(name, type, bits) typedef type cairn_i_##name##_type;
#define cairn_i_u8(value)                 value
#define cairn_i_u16(value)                value
#define cairn_i_u32(value)                value
#define cairn_i_u64(value)                value
#define cairn_i_usize(value)              value
#define cairn_i_i8(value)                 value
#define cairn_i_i16(value)                value
#define cairn_i_i32(value)                value
#define cairn_i_i64(value)                value
#define cairn_i_isize(value)              value
#define cairn_i_bool8(value)              value
#define cairn_i_char8(value)              value
#define cairn_i_address(value)            value
#define cairn_i_pointer(value)            value
#endif

CAIRN_I_CONVERT(u8, uint8_t, uint8_t)
CAIRN_I_CONVERT(u16, uint16_t, uint16_t)
CAIRN_I_CONVERT(u32, uint32_t, uint32_t)
CAIRN_I_CONVERT(u64, uint64_t, uint64_t)
CAIRN_I_CONVERT(usize, size_t, size_t)
CAIRN_I_CONVERT(i8, int8_t, uint8_t)
CAIRN_I_CONVERT(i16, int16_t, uint16_t)
CAIRN_I_CONVERT(i32, int32_t, uint32_t)
CAIRN_I_CONVERT(i64, int64_t, uint64_t)
CAIRN_I_CONVERT(isize, ssize_t, size_t)
CAIRN_I_CONVERT(bool8, bool, uint8_t)
CAIRN_I_CONVERT(char8, char, uint8_t)
CAIRN_I_CONVERT(address, const void *, uintptr_t)
CAIRN_I_CONVERT(pointer, const volatile void *, uintptr_t)
#undef CAIRN_I_CONVERT

/* These become numbers before they are kept. */
typedef uint64_t cairn_i_codepointer_type;
typedef uint64_t cairn_i_f32_type;
typedef uint64_t cairn_i_f64_type;
typedef uint64_t cairn_i_port_type;
typedef uint64_t cairn_i_ipv4_type;
typedef uint64_t cairn_i_systemtime_type;

/* Functions and integers. */
#define cairn_i_codepointer(value) ((uint64_t)(uintptr_t)(value))

#ifdef __cplusplus
static inline uint64_t cairn_i_f32(float value)
{
    uint32_t bits;

    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static inline uint64_t cairn_i_f64(double value)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &value, sizeof(bits));
    return bits;
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
#define cairn_i_f32(real) (((union cairn_i_f32_bits){.value = (real)}).bits)
#define cairn_i_f64(real) (((union cairn_i_f64_bits){.value = (real)}).bits)
#endif

/* Network byte order. */
static inline uint64_t cairn_i_port(uint16_t port)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap16(port) : port;
}

static inline uint64_t cairn_i_ipv4(const void *address)
{
    uint32_t bits;

    __builtin_memcpy(&bits, address, sizeof(bits));
    return bits;
}

/* Whole seconds, rounded down. */
static inline uint64_t cairn_i_systemtime(struct timespec time)
{
    return (uint64_t)(int64_t)time.tv_sec;
}

#ifdef __cplusplus

extern "C++" {
template <class T> static inline uint64_t cairn_i_pointer_to_(const T *value)
{
    return cairn_i_address(value);
}
#define cairn_i_pointer_to(type) cairn_i_pointer_to_<type>
#define CAIRN_I_TYPE_OF(convert) uint64_t

#define CAIRN_I_TEXT(name, type)                             \
    static inline uint64_t cairn_i_##name(const type *value) \
    {                                                        \
        return cairn_i_address(value);                       \
    }

CAIRN_I_TEXT(text8, char)
CAIRN_I_TEXT(text8, signed char)
CAIRN_I_TEXT(text8, unsigned char)
#ifdef __cpp_char8_t
CAIRN_I_TEXT(text8, char8_t)
#endif
CAIRN_I_TEXT(text16, uint16_t)
CAIRN_I_TEXT(text16, char16_t)
CAIRN_I_TEXT(text32, uint32_t)
CAIRN_I_TEXT(text32, char32_t)
CAIRN_I_TEXT(text32, wchar_t)
#undef CAIRN_I_TEXT
}

#else

#define CAIRN_I_TYPE_OF(convert) convert##_type
#define cairn_i_pointer_to(type) cairn_i_address
#define cairn_i_text8            cairn_i_address
#define cairn_i_text16           cairn_i_address
#define cairn_i_text32           cairn_i_address

#endif

/* ---- what the compiler insists on ---- */

#define CAIRN_I_WANT_ANYTHING(type, name, value)

#ifdef __cplusplus
#define CAIRN_I_WANT_INTEGER(type, name, value)
#define CAIRN_I_WANT_NUMBER(type, name, value)
#define CAIRN_I_WANT_ADDRESS(type, name, value)
#define CAIRN_I_WANT_POINTER(type, name, value)
#define CAIRN_I_WANT_POINTER_TO(type, name, value)
#define CAIRN_I_WANT_TEXT8(type, name, value)
#define CAIRN_I_WANT_TEXT16(type, name, value)
#define CAIRN_I_WANT_TEXT32(type, name, value)
#else

/* A bit for each of __builtin_classify_type's classes that will do: 1 to 4 are integers (gcc
 * promotes first, clang tells characters, enums, bool apart), 5 are pointers, 8 are real numbers.
 */
#define CAIRN_I_IS_OF_CLASS(value, classes) ((classes) >> __builtin_classify_type(value) & 1)
#define CAIRN_I_INTEGERS                    0x1e
#define CAIRN_I_POINTERS                    0x20
#define CAIRN_I_REALS                       0x100

#define CAIRN_I_INSIST(condition, name, wanted) \
    CAIRN_I_ASSERT(condition, "cairn: the value of field \"" name "\" must be " wanted);

#define CAIRN_I_WANT_INTEGER(type, name, value)                        \
    CAIRN_I_INSIST(CAIRN_I_IS_OF_CLASS(value, CAIRN_I_INTEGERS), name, \
                   "an integer; a count must be one too")
#define CAIRN_I_WANT_NUMBER(type, name, value) \
    CAIRN_I_INSIST(CAIRN_I_IS_OF_CLASS(value, CAIRN_I_INTEGERS | CAIRN_I_REALS), name, "a number")
#define CAIRN_I_WANT_ADDRESS(type, name, value)                                           \
    CAIRN_I_INSIST(CAIRN_I_IS_OF_CLASS(value, CAIRN_I_INTEGERS | CAIRN_I_POINTERS), name, \
                   "a pointer")
#define CAIRN_I_WANT_POINTER(type, name, value) \
    CAIRN_I_INSIST(CAIRN_I_IS_OF_CLASS(value, CAIRN_I_POINTERS), name, "a pointer")
#define CAIRN_I_WANT_POINTER_TO(type, name, value)                                     \
    CAIRN_I_INSIST(_Generic((value), type * : 1, const type * : 1, default : 0), name, \
                   "a pointer to " #type)
#define CAIRN_I_WANT_TEXT8(type, name, value)                                                      \
    CAIRN_I_INSIST(_Generic((value), char * : 1, const char * : 1, unsigned char * : 1,            \
                            const unsigned char * : 1, signed char * : 1, const signed char * : 1, \
                            default : 0),                                                          \
                   name, "a string (char *), and not NULL literally")
#define CAIRN_I_WANT_TEXT16(type, name, value)                                                 \
    CAIRN_I_INSIST(_Generic((value), uint16_t * : 1, const uint16_t * : 1, default : 0), name, \
                   "a string of 16-bit characters (char16_t *), and not NULL literally")
#define CAIRN_I_WANT_TEXT32(type, name, value)                                 \
    CAIRN_I_INSIST(                                                            \
        _Generic((value), uint32_t * : 1, const uint32_t * : 1, int32_t * : 1, \
                 const int32_t * : 1, default : 0),                            \
        name, "a string of 32-bit characters (char32_t *, wchar_t *), and not NULL literally")
#endif

#endif
