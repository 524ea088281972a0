/* SPDX-License-Identifier: MIT */
/*
 * Properties of a field's type, for the schema: CAIRN_I_TRACE_KIND(type) is an enum
 * cairn_field_kind, CAIRN_I_TRACE_IS_SIGNED(type) `signed:` of the format text. Plain char is
 * unsigned there, as in today's kernels.
 */
#pragma GCC system_header
#ifndef CAIRN_TYPED_TRACEPOINT_TYPE_H
#define CAIRN_TYPED_TRACEPOINT_TYPE_H

#include <cairn/schema.h>

#ifdef __cplusplus

extern "C++" {
namespace cairn_i_trace
{
enum number { NO_NUMBER, UNSIGNED, SIGNED, REAL };

template <class T> struct plain {
    static constexpr number of = NO_NUMBER;
    static constexpr bool is_bool = false, is_char = false, is_pointer = false;
};
template <class T> struct plain<T *> : plain<void> {
    static constexpr bool is_pointer = true;
};
template <> struct plain<bool> : plain<void> {
    static constexpr bool is_bool = true;
};
template <> struct plain<char> : plain<void> {
    static constexpr bool is_char = true;
};
#define CAIRN_I_TRACE_NUMBER(type, which)          \
    template <> struct plain<type> : plain<void> { \
        static constexpr number of = which;        \
    };
CAIRN_I_TRACE_NUMBER(signed char, SIGNED)
CAIRN_I_TRACE_NUMBER(short, SIGNED)
CAIRN_I_TRACE_NUMBER(int, SIGNED)
CAIRN_I_TRACE_NUMBER(long, SIGNED)
CAIRN_I_TRACE_NUMBER(long long, SIGNED)
CAIRN_I_TRACE_NUMBER(unsigned char, UNSIGNED)
CAIRN_I_TRACE_NUMBER(unsigned short, UNSIGNED)
CAIRN_I_TRACE_NUMBER(unsigned int, UNSIGNED)
CAIRN_I_TRACE_NUMBER(unsigned long, UNSIGNED)
CAIRN_I_TRACE_NUMBER(unsigned long long, UNSIGNED)
CAIRN_I_TRACE_NUMBER(wchar_t, wchar_t(-1) < wchar_t(0) ? SIGNED : UNSIGNED)
CAIRN_I_TRACE_NUMBER(char16_t, UNSIGNED)
CAIRN_I_TRACE_NUMBER(char32_t, UNSIGNED)
CAIRN_I_TRACE_NUMBER(float, REAL)
CAIRN_I_TRACE_NUMBER(double, REAL)
CAIRN_I_TRACE_NUMBER(long double, REAL)
#undef CAIRN_I_TRACE_NUMBER

template <class T, bool IsEnum = __is_enum(T)> struct type : plain<T> {
};
template <class T> struct type<T, true> : plain<__underlying_type(T)> {
};
template <class T> struct type<const T, false> : type<T> {
};
template <class T> struct type<volatile T, false> : type<T> {
};
template <class T> struct type<const volatile T, false> : type<T> {
};

template <class A, class B> struct is_same {
    static constexpr bool value = false;
};
template <class A> struct is_same<A, A> {
    static constexpr bool value = true;
};

template <class T> constexpr bool is_record = __is_class(T) || __is_union(T);
template <class T>
constexpr bool is_allowed = is_record<T> ||
                            (type<T>::of != REAL && (type<T>::of != NO_NUMBER || type<T>::is_bool ||
                                                     type<T>::is_char || type<T>::is_pointer));
template <class T>
constexpr cairn_field_kind kind = is_record<T>            ? CAIRN_FIELD_STRUCT
                                  : type<T>::is_char      ? CAIRN_FIELD_STRING
                                  : type<T>::is_bool      ? CAIRN_FIELD_BOOL
                                  : type<T>::is_pointer   ? CAIRN_FIELD_POINTER
                                  : type<T>::of == SIGNED ? CAIRN_FIELD_SIGNED
                                                          : CAIRN_FIELD_UNSIGNED;
} // namespace cairn_i_trace
}

#define CAIRN_I_TRACE_IS_SIGNED(...)  (cairn_i_trace::type<__VA_ARGS__>::of == cairn_i_trace::SIGNED)
#define CAIRN_I_TRACE_IS_RECORD(...)  (cairn_i_trace::is_record<__VA_ARGS__>)
#define CAIRN_I_TRACE_IS_ALLOWED(...) (cairn_i_trace::is_allowed<__VA_ARGS__>)
#define CAIRN_I_TRACE_KIND(...)       (cairn_i_trace::kind<__VA_ARGS__>)

#else

/* A value of the type, for those that do not evaluate it. */
#define CAIRN_I_TRACE_A(...) (*(__typeof__(__VA_ARGS__) *)8)

#define CAIRN_I_TRACE_IS(type, other) __builtin_types_compatible_p(type, other)

/* __builtin_classify_type: 1 to 5 integers, enums, bool, pointers; 8 real; 12 struct; 13 union. */
#define CAIRN_I_TRACE_CLASS_OF(...)   __builtin_classify_type(CAIRN_I_TRACE_A(__VA_ARGS__))

#define CAIRN_I_TRACE_IS_RECORD(...) \
    (CAIRN_I_TRACE_CLASS_OF(__VA_ARGS__) == 12 || CAIRN_I_TRACE_CLASS_OF(__VA_ARGS__) == 13)
#define CAIRN_I_TRACE_IS_POINTER(...) (CAIRN_I_TRACE_CLASS_OF(__VA_ARGS__) == 5)

#define CAIRN_I_TRACE_IS_ALLOWED(...)        \
    (CAIRN_I_TRACE_IS_RECORD(__VA_ARGS__) || \
     (CAIRN_I_TRACE_CLASS_OF(__VA_ARGS__) <= 5 && sizeof(__VA_ARGS__) <= 8))

/* An enum is compatible with one of the integers. */
#define CAIRN_I_TRACE_IS_SIGNED(...)                                                      \
    _Generic(CAIRN_I_TRACE_A(__VA_ARGS__), signed char : 1, short : 1, int : 1, long : 1, \
             long long : 1, default : 0)

#define CAIRN_I_TRACE_KIND(...)                                    \
    (CAIRN_I_TRACE_IS(__VA_ARGS__, char)     ? CAIRN_FIELD_STRING  \
     : CAIRN_I_TRACE_IS(__VA_ARGS__, _Bool)  ? CAIRN_FIELD_BOOL    \
     : CAIRN_I_TRACE_IS_RECORD(__VA_ARGS__)  ? CAIRN_FIELD_STRUCT  \
     : CAIRN_I_TRACE_IS_POINTER(__VA_ARGS__) ? CAIRN_FIELD_POINTER \
     : CAIRN_I_TRACE_IS_SIGNED(__VA_ARGS__)  ? CAIRN_FIELD_SIGNED  \
                                             : CAIRN_FIELD_UNSIGNED)

#endif

/* True if a value of the type may be negative; that of a plain char may, on many machines. */
#define CAIRN_I_TRACE_EXTENDS(...)           \
    (CAIRN_I_TRACE_IS_SIGNED(__VA_ARGS__) || \
     (CAIRN_I_TRACE_KIND(__VA_ARGS__) == CAIRN_FIELD_STRING && (char)-1 < 0))

#define CAIRN_I_TRACE_ELEMENT_BYTES(...) \
    ((uint16_t)(CAIRN_I_TRACE_IS_RECORD(__VA_ARGS__) ? 0 : sizeof(__VA_ARGS__)))

#endif
