/* SPDX-License-Identifier: MIT */
/*
 * The values of fields: kv("port", port) determines the type of `port`. Integers of all sizes,
 * bool, char, floating point (as a double), char strings, pointers to struct cairn_guid (a UUID),
 * struct timespec (a time since 1970), other pointers, and the types of these wrappers:
 *
 *   cairn_bytes(pointer, size)  counted bytes
 *   cairn_string(text, length)  text without a NUL at its end
 *   cairn_errno(code)           an error code
 *   cairn_empty()               no value yet: a span's field that is recorded later
 *
 * In C++ also std::string, std::string_view and types with their data() and size().
 */
#pragma GCC system_header
#ifndef CAIRN_TRACING_VALUE_H
#define CAIRN_TRACING_VALUE_H

#include <cairn/deprecated.h>
#include <cairn/eventheader/checks.h>
#include <cairn/guid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cairn_tracing_kind {
    CAIRN_KIND_NONE,
    CAIRN_KIND_BOOL,
    CAIRN_KIND_CHAR,
    CAIRN_KIND_SIGNED,
    CAIRN_KIND_UNSIGNED,
    CAIRN_KIND_FLOAT,
    CAIRN_KIND_ERRNO,
    CAIRN_KIND_POINTER,
    CAIRN_KIND_TIME, /* bits: ns since 1970, signed: from 1677 to 2262, others are the nearest */
    CAIRN_KIND_TEXT, /* the kinds from here on use `data` and `data_bytes` */
    CAIRN_KIND_BYTES,
    CAIRN_KIND_UUID,
};

/* A value. `data` must be valid during the call that gets the value. */
struct cairn_tracing_value {
    uint32_t kind; /* enum cairn_tracing_kind */
    uint32_t data_bytes;
    union {
        uint64_t bits; /* sign-extended; the bits of a double */
        const void *data;
    } of;
};

struct cairn_tracing_bytes {
    const void *data;
    size_t size_bytes;
};

struct cairn_tracing_text {
    const char *text;
    size_t length;
};

struct cairn_tracing_errno {
    int code;
};

struct cairn_tracing_empty {
    char nothing;
};

static inline struct cairn_tracing_bytes cairn_bytes(const void *data, size_t size_bytes)
{
    struct cairn_tracing_bytes bytes = {data, size_bytes};

    return bytes;
}

static inline struct cairn_tracing_text cairn_string(const char *text, size_t length)
{
    struct cairn_tracing_text counted = {text, length};

    return counted;
}

static inline struct cairn_tracing_errno cairn_errno(int code)
{
    struct cairn_tracing_errno error = {code};

    return error;
}

static inline struct cairn_tracing_empty cairn_empty(void)
{
    struct cairn_tracing_empty empty = {0};

    return empty;
}

static inline struct cairn_tracing_value cairn_i_value_bits(uint32_t kind, uint64_t bits)
{
    struct cairn_tracing_value value = {kind, 0, {bits}};

    return value;
}

/* NULL is an empty text. */
static inline struct cairn_tracing_value cairn_i_value_data(uint32_t kind, const void *data,
                                                            size_t size_bytes)
{
    struct cairn_tracing_value value = {kind, 0, {0}};

    value.of.data = data;
    if (data)
        value.data_bytes = size_bytes < UINT32_MAX ? (uint32_t)size_bytes : UINT32_MAX;
    return value;
}

#define CAIRN_I_VALUE_OF(name, type, kind, bits)                              \
    static inline struct cairn_tracing_value cairn_i_value_##name(type value) \
    {                                                                         \
        return cairn_i_value_bits(kind, bits);                                \
    }

CAIRN_I_VALUE_OF(bool, bool, CAIRN_KIND_BOOL, value)
CAIRN_I_VALUE_OF(char, char, CAIRN_KIND_CHAR, (unsigned char)value)
CAIRN_I_VALUE_OF(signed, long long, CAIRN_KIND_SIGNED, (uint64_t)value)
CAIRN_I_VALUE_OF(unsigned, unsigned long long, CAIRN_KIND_UNSIGNED, value)
CAIRN_I_VALUE_OF(errno, struct cairn_tracing_errno, CAIRN_KIND_ERRNO, (uint64_t)(int64_t)value.code)
CAIRN_I_VALUE_OF(pointer, const volatile void *, CAIRN_KIND_POINTER, (uintptr_t)value)
#undef CAIRN_I_VALUE_OF

/* A time out of range is the first or the last one. */
static inline struct cairn_tracing_value cairn_i_value_time(struct timespec value)
{
    int64_t ns;

    if (__builtin_mul_overflow(value.tv_sec, 1000000000, &ns) ||
        __builtin_add_overflow(ns, value.tv_nsec, &ns))
        ns = value.tv_sec < 0 ? INT64_MIN : INT64_MAX;
    return cairn_i_value_bits(CAIRN_KIND_TIME, (uint64_t)ns);
}

static inline struct cairn_tracing_value cairn_i_value_float(double number)
{
    uint64_t bits;

    __builtin_memcpy(&bits, &number, sizeof(bits));
    return cairn_i_value_bits(CAIRN_KIND_FLOAT, bits);
}

static inline struct cairn_tracing_value cairn_i_value_long_double(long double number)
{
    return cairn_i_value_float((double)number);
}

static inline struct cairn_tracing_value cairn_i_value_text(const char *text)
{
    return cairn_i_value_data(CAIRN_KIND_TEXT, text, text ? strlen(text) : 0);
}

static inline struct cairn_tracing_value cairn_i_value_text_n(struct cairn_tracing_text text)
{
    return cairn_i_value_data(CAIRN_KIND_TEXT, text.text, text.length);
}

static inline struct cairn_tracing_value cairn_i_value_bytes(struct cairn_tracing_bytes bytes)
{
    return cairn_i_value_data(CAIRN_KIND_BYTES, bytes.data, bytes.size_bytes);
}

static inline struct cairn_tracing_value cairn_i_value_uuid(const struct cairn_guid *guid)
{
    return cairn_i_value_data(CAIRN_KIND_UUID, guid, sizeof(*guid));
}

static inline struct cairn_tracing_value cairn_i_value_empty(struct cairn_tracing_empty empty)
{
    (void)empty;
    return cairn_i_value_bits(CAIRN_KIND_NONE, 0);
}

#define CAIRN_I_VALUE_SAYS                                                                     \
    " takes a number of up to 64 bits, a string, a pointer, a struct timespec or a result of " \
    "cairn_bytes, cairn_string, cairn_errno or cairn_empty, and no value of this type"

#ifdef __cplusplus
}

extern "C++" {
#define CAIRN_I_OVERLOAD(type, name)                               \
    static inline cairn_tracing_value cairn_i_value_of(type value) \
    {                                                              \
        return cairn_i_value_##name(value);                        \
    }
CAIRN_I_OVERLOAD(bool, bool)
CAIRN_I_OVERLOAD(char, char)
CAIRN_I_OVERLOAD(signed char, signed)
CAIRN_I_OVERLOAD(short, signed)
CAIRN_I_OVERLOAD(int, signed)
CAIRN_I_OVERLOAD(long, signed)
CAIRN_I_OVERLOAD(long long, signed)
CAIRN_I_OVERLOAD(unsigned char, unsigned)
CAIRN_I_OVERLOAD(unsigned short, unsigned)
CAIRN_I_OVERLOAD(unsigned int, unsigned)
CAIRN_I_OVERLOAD(unsigned long, unsigned)
CAIRN_I_OVERLOAD(unsigned long long, unsigned)
CAIRN_I_OVERLOAD(float, float)
CAIRN_I_OVERLOAD(double, float)
CAIRN_I_OVERLOAD(long double, long_double)
CAIRN_I_OVERLOAD(const char *, text)
CAIRN_I_OVERLOAD(const cairn_guid *, uuid)
CAIRN_I_OVERLOAD(cairn_tracing_errno, errno)
CAIRN_I_OVERLOAD(cairn_tracing_text, text_n)
CAIRN_I_OVERLOAD(cairn_tracing_bytes, bytes)
CAIRN_I_OVERLOAD(cairn_tracing_empty, empty)
CAIRN_I_OVERLOAD(timespec, time)
CAIRN_I_OVERLOAD(const volatile void *, pointer)
#undef CAIRN_I_OVERLOAD

/* std::string, std::string_view and similar classes. */
template <class T>
static inline auto cairn_i_value_of(const T &text)
    -> decltype(cairn_i_value_text_n({static_cast<const char *>(text.data()), text.size()}))
{
    return cairn_i_value_text_n({static_cast<const char *>(text.data()), text.size()});
}

/* Otherwise it would be a bool: the address of a function is not a `void *`. */
template <class R, class... A>
static inline cairn_tracing_value cairn_i_value_of(R (*function)(A...))
{
    return cairn_i_value_pointer(reinterpret_cast<const volatile void *>(function));
}

/* Scalars are passed by value: a reference to a static constant member would need its definition.
 * The last one is for types without an overload. */
template <bool is_chosen> struct cairn_i_value_if {
};
template <> struct cairn_i_value_if<true> {
    typedef int type;
};
#define CAIRN_I_IS_OBJECT(type) (__is_class(type) || __is_union(type))
template <class T, typename cairn_i_value_if<!CAIRN_I_IS_OBJECT(T)>::type = 0>
static inline auto cairn_i_value_of_any(T value, int) -> decltype(cairn_i_value_of(value))
{
    return cairn_i_value_of(value);
}
template <class T, typename cairn_i_value_if<CAIRN_I_IS_OBJECT(T)>::type = 0>
static inline auto cairn_i_value_of_any(const T &value, int) -> decltype(cairn_i_value_of(value))
{
    return cairn_i_value_of(value);
}
#undef CAIRN_I_IS_OBJECT
template <class T> static inline cairn_tracing_value cairn_i_value_of_any(const T &, long)
{
    CAIRN_I_ASSERT(sizeof(T) == 0, "cairn: a field" CAIRN_I_VALUE_SAYS);
    return {};
}
}
/* The sizes of the results state what an argument can be converted to. */
struct cairn_span;
struct cairn_trace_context;
extern "C++" {
struct cairn_i_no {
    char bytes[2];
};
char cairn_i_is_span(struct cairn_span *);
cairn_i_no cairn_i_is_span(...);
char cairn_i_is_context(const struct cairn_trace_context *);
cairn_i_no cairn_i_is_context(...);
char cairn_i_is_text(const char *);
cairn_i_no cairn_i_is_text(...);
}
#define CAIRN_I_IS_SPAN(x)         (sizeof(cairn_i_is_span(x)) == 1)
#define CAIRN_I_IS_CONTEXT(x)      (sizeof(cairn_i_is_context(x)) == 1)
#define CAIRN_I_IS_TEXT(x)         (sizeof(cairn_i_is_text(x)) == 1)
#define CAIRN_I_FIELD_VALUE(value) cairn_i_value_of_any(value, 0)
#define CAIRN_I_TCHECK_VALUE(field, ...)

#else

struct cairn_span;
struct cairn_trace_context;
#define CAIRN_I_IS_SPAN(x) \
    _Generic((x), struct cairn_span * : 1, void * : 1, default : CAIRN_I_IS_ZERO(x))
#define CAIRN_I_IS_CONTEXT(x)                                                               \
    _Generic((x), struct cairn_trace_context * : 1, const struct cairn_trace_context * : 1, \
             void * : 1, const void * : 1, default                                          \
             : CAIRN_I_IS_ZERO(x))
#define CAIRN_I_IS_TEXT(x) _Generic((x), char * : 1, const char * : 1, void * : 1, default : 0)
/* NULL may be a constant of type int. nullptr of C23 has a type of its own. */
#define CAIRN_I_IS_ZERO(x) \
    (__builtin_choose_expr(CAIRN_I_IS_CONSTANT(CAIRN_I_INT_OF(x)), CAIRN_I_INT_OF(x), 1) == 0)
#define CAIRN_I_INT_OF(x) _Generic((x), CAIRN_I_NULLPTR int : (x), default : 1)
#if __STDC_VERSION__ < 202000L || (defined(__clang__) ? __clang_major__ < 16 : __GNUC__ < 13)
#define CAIRN_I_NULLPTR
#else
#define CAIRN_I_NULLPTR __typeof__(nullptr) : 0,
#endif

/* In gcc a bit-field has a type of its own. */
#define CAIRN_I_CLASS_INTEGER 1

#define CAIRN_I_CLASS_COMPLEX 9
#define CAIRN_I_CLASS_STRUCT  12
#define CAIRN_I_CLASS_UNION   13

#ifdef __SIZEOF_INT128__
#define CAIRN_I_TCHECK_128 __int128 : 0, unsigned __int128 : 0,
#else
#define CAIRN_I_TCHECK_128
#endif

#define CAIRN_I_TCHECK_VALUE(field, ...)                                                        \
    __VA_OPT__(                                                                                 \
        CAIRN_I_ASSERT(_Generic((__VA_ARGS__), CAIRN_I_TCHECK_128 struct timespec : 1,          \
                                struct cairn_tracing_text : 1, struct cairn_tracing_bytes : 1,  \
                                struct cairn_tracing_errno : 1, struct cairn_tracing_empty : 1, \
                                default                                                         \
                                : CAIRN_I_IS_SCALAR(__VA_ARGS__)),                              \
                       "cairn: field " #field CAIRN_I_VALUE_SAYS);)
#define CAIRN_I_IS_SCALAR(...)                                          \
    (__builtin_classify_type((__VA_ARGS__)) != CAIRN_I_CLASS_COMPLEX && \
     __builtin_classify_type((__VA_ARGS__)) != CAIRN_I_CLASS_STRUCT &&  \
     __builtin_classify_type((__VA_ARGS__)) != CAIRN_I_CLASS_UNION)

#define CAIRN_I_FIELD_VALUE(value) \
    _Generic((value),                                    \
        bool: cairn_i_value_bool,                        \
        char: cairn_i_value_char,                        \
        signed char: cairn_i_value_signed,               \
        short: cairn_i_value_signed,                     \
        int: cairn_i_value_signed,                       \
        long: cairn_i_value_signed,                      \
        long long: cairn_i_value_signed,                 \
        unsigned char: cairn_i_value_unsigned,           \
        unsigned short: cairn_i_value_unsigned,          \
        unsigned int: cairn_i_value_unsigned,            \
        unsigned long: cairn_i_value_unsigned,           \
        unsigned long long: cairn_i_value_unsigned,      \
        float: cairn_i_value_float,                      \
        double: cairn_i_value_float,                     \
        long double: cairn_i_value_long_double,          \
        char *: cairn_i_value_text,                      \
        const char *: cairn_i_value_text,                \
        struct cairn_guid *: cairn_i_value_uuid,         \
        const struct cairn_guid *: cairn_i_value_uuid,   \
        struct timespec: cairn_i_value_time,             \
        struct cairn_tracing_text: cairn_i_value_text_n, \
        struct cairn_tracing_bytes: cairn_i_value_bytes, \
        struct cairn_tracing_errno: cairn_i_value_errno, \
        struct cairn_tracing_empty: cairn_i_value_empty, \
        default: __builtin_choose_expr(__builtin_classify_type(value) == CAIRN_I_CLASS_INTEGER, \
                                       cairn_i_value_signed, cairn_i_value_pointer))(value)

#endif

#endif
