/* SPDX-License-Identifier: MIT */
/* The checks of checks.h in C++, by types: in a check, `cairn_i_value` refers to the value, and
 * `value` is its text, which is only computed if it is a constant. */
/* clang-format would spread the macros over hundreds of lines. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_CHECKS_CPP_H
#define CAIRN_EVENTHEADER_CHECKS_CPP_H

extern "C++" {

/* ---- types ---- */

template <class T> struct cairn_i_plain { using type = T; };
template <class T> struct cairn_i_plain<T &> : cairn_i_plain<T> {};
template <class T> struct cairn_i_plain<T &&> : cairn_i_plain<T> {};
template <class T> struct cairn_i_plain<const T> : cairn_i_plain<T> {};
template <class T> struct cairn_i_plain<volatile T> : cairn_i_plain<T> {};
template <class T> struct cairn_i_plain<const volatile T> : cairn_i_plain<T> {};

template <class A, class B> struct cairn_i_same { static constexpr bool value = false; };
template <class A> struct cairn_i_same<A, A> { static constexpr bool value = true; };

/* Enumerations that convert to integers implicitly: not those of `enum class`. */
template <class T> struct cairn_i_becomes_integer {
    static T make();
    static char probe(unsigned long long);
    static long probe(...);
    static constexpr bool value = sizeof(probe(make())) == 1;
};

/* Numbers: their size in bits; for floating-point numbers, the size of the integers that they
 * hold. */
struct cairn_i_no_number {
    static constexpr bool is_integer = false, is_real = false, is_signed = false;
    static constexpr unsigned bits = 0;
};
template <class T, bool IsEnum = __is_enum(T)> struct cairn_i_number : cairn_i_no_number {};
template <class T, bool BecomesInteger = cairn_i_becomes_integer<T>::value> struct cairn_i_enumeration : cairn_i_no_number {};
template <class T> struct cairn_i_enumeration<T, true> : cairn_i_number<__underlying_type(T)> {};
template <class T> struct cairn_i_number<T, true> : cairn_i_enumeration<T> {};

#define CAIRN_I_INTEGER(type, size) \
    template <> struct cairn_i_number<type, false> { \
        static constexpr bool is_integer = true, is_real = false, is_signed = (type)-1 < (type)0; \
        static constexpr unsigned bits = (size); \
    };
CAIRN_I_INTEGER(bool, 1)
CAIRN_I_INTEGER(char, 8)
CAIRN_I_INTEGER(signed char, 8)
CAIRN_I_INTEGER(unsigned char, 8)
CAIRN_I_INTEGER(short, 16)
CAIRN_I_INTEGER(unsigned short, 16)
CAIRN_I_INTEGER(int, 32)
CAIRN_I_INTEGER(unsigned int, 32)
CAIRN_I_INTEGER(long, 8 * sizeof(long))
CAIRN_I_INTEGER(unsigned long, 8 * sizeof(long))
CAIRN_I_INTEGER(long long, 64)
CAIRN_I_INTEGER(unsigned long long, 64)
CAIRN_I_INTEGER(wchar_t, 8 * sizeof(wchar_t))
CAIRN_I_INTEGER(char16_t, 16)
CAIRN_I_INTEGER(char32_t, 32)
#ifdef __cpp_char8_t
CAIRN_I_INTEGER(char8_t, 8)
#endif
#ifdef __SIZEOF_INT128__
CAIRN_I_INTEGER(__int128, 128)
CAIRN_I_INTEGER(unsigned __int128, 128)
#endif
#undef CAIRN_I_INTEGER

#define CAIRN_I_REAL(type, digits) \
    template <> struct cairn_i_number<type, false> { \
        static constexpr bool is_integer = false, is_real = true, is_signed = true; \
        static constexpr unsigned bits = (digits); \
    };
CAIRN_I_REAL(float, 24)
CAIRN_I_REAL(double, 53)
CAIRN_I_REAL(long double, 64)
#undef CAIRN_I_REAL

template <class T> using cairn_i_number_of = cairn_i_number<typename cairn_i_plain<T>::type>;

/* Pointers and arrays: the type that they point to, without const; for an array, its size. */
template <class T> struct cairn_i_unconst { using type = T; };
template <class T> struct cairn_i_unconst<const T> { using type = T; };
template <class T> struct cairn_i_is_function { static constexpr bool value = cairn_i_same<T, const T>::value; };
template <class T> struct cairn_i_is_function<const T> { static constexpr bool value = false; };
template <class T> struct cairn_i_pointer_type {
    static constexpr bool is_pointer = cairn_i_is_function<T>::value;
    static constexpr size_t array = 0;
    using type = void;
};
template <class T> struct cairn_i_pointer_type<T *> {
    static constexpr bool is_pointer = true;
    static constexpr size_t array = 0;
    using type = typename cairn_i_unconst<T>::type;
};
template <class T, size_t N> struct cairn_i_pointer_type<T[N]> {
    static constexpr bool is_pointer = true;
    static constexpr size_t array = N * sizeof(T);
    using type = typename cairn_i_unconst<T>::type;
};
template <> struct cairn_i_pointer_type<decltype(nullptr)> {
    static constexpr bool is_pointer = true;
    static constexpr size_t array = 0;
    using type = void;
};
template <class T> using cairn_i_pointer_of = cairn_i_pointer_type<typename cairn_i_plain<T>::type>;

template <class T> struct cairn_i_size { static constexpr size_t value = sizeof(T); };
template <> struct cairn_i_size<void> { static constexpr size_t value = 0; };

/* ---- types that fit: variables, which cost the compiler less than functions ---- */

template <class T> inline constexpr bool cairn_i_is_integer = cairn_i_number_of<T>::is_integer;
template <class T> inline constexpr bool cairn_i_is_pointer = cairn_i_pointer_of<T>::is_pointer;

template <class T, unsigned Bits> inline constexpr bool cairn_i_fits_unsigned =
    cairn_i_is_integer<T> && !cairn_i_number_of<T>::is_signed && cairn_i_number_of<T>::bits <= Bits;
template <class T, unsigned Bits> inline constexpr bool cairn_i_fits_signed =
    cairn_i_is_integer<T> && cairn_i_number_of<T>::bits + !cairn_i_number_of<T>::is_signed <= Bits;
template <class T, unsigned Bits> inline constexpr bool cairn_i_fits_either =
    cairn_i_is_integer<T> && cairn_i_number_of<T>::bits <= Bits;
template <class T, unsigned Bits> inline constexpr bool cairn_i_fits_real =
    cairn_i_number_of<T>::bits && cairn_i_number_of<T>::bits + cairn_i_is_integer<T> <= Bits;

/* The same for constants. */
template <class T> constexpr bool cairn_i_is_within(const T &value, long long low, unsigned long long high)
{
    if constexpr (!cairn_i_number_of<T>::is_integer)
        return false;
    else if constexpr (cairn_i_number_of<T>::is_signed)
        return value < 0 ? value >= low : value <= high && (low <= 0 || value >= low);
    else
        return value <= high && (low <= 0 || value >= (unsigned long long)low);
}

/* The name of a floating-point constant is a variable: not every compiler can compute it. */
template <class T> constexpr bool cairn_i_is_real_within(T &, double, double) { return false; }
template <class T> constexpr bool cairn_i_is_real_within(T &&value, double high, double high_integer)
{
    using number = cairn_i_number_of<T>;
    if constexpr (!number::is_integer && !number::is_real)
        return false;
    else if constexpr (number::is_integer)
        return value <= high_integer && value >= -high_integer;
    else
        return value <= high && value >= -high;
}

template <class Wanted, class T> inline constexpr bool cairn_i_is = cairn_i_same<typename cairn_i_plain<T>::type, Wanted>::value;
template <class Wanted, class T> inline constexpr bool cairn_i_points_to =
    cairn_i_same<typename cairn_i_pointer_of<T>::type, Wanted>::value;

/* std::byte is an enumeration of this size. */
template <class Type> inline constexpr bool cairn_i_is_byte =
    cairn_i_same<Type, unsigned char>::value || (__is_enum(Type) && cairn_i_size<Type>::value == 1);
template <class T> inline constexpr bool cairn_i_points_to_bytes = cairn_i_is_byte<typename cairn_i_pointer_of<T>::type>;
template <class T, size_t Bytes> inline constexpr bool cairn_i_points_to_object =
    cairn_i_points_to_bytes<T> ? !cairn_i_pointer_of<T>::array || cairn_i_pointer_of<T>::array >= Bytes
                               : cairn_i_size<typename cairn_i_pointer_of<T>::type>::value == Bytes;
template <class T, size_t Bytes> inline constexpr bool cairn_i_points_to_each =
    cairn_i_points_to_bytes<T> ? Bytes == 4 || Bytes == 16 : cairn_i_size<typename cairn_i_pointer_of<T>::type>::value == Bytes;

template <class T> inline constexpr bool cairn_i_is_text8 =
    cairn_i_points_to<char, T> || cairn_i_points_to<unsigned char, T> || cairn_i_points_to<signed char, T>
#ifdef __cpp_char8_t
    || cairn_i_points_to<char8_t, T>
#endif
    ;
template <class T> inline constexpr bool cairn_i_is_text16 = cairn_i_points_to<uint16_t, T> || cairn_i_points_to<char16_t, T>;
template <class T> inline constexpr bool cairn_i_is_text32 =
    cairn_i_points_to<uint32_t, T> || cairn_i_points_to<char32_t, T> || cairn_i_points_to<wchar_t, T>;

/* A literal of type `char` without a NUL. */
template <class T> inline constexpr bool cairn_i_is_literal = false;
template <size_t N> inline constexpr bool cairn_i_is_literal<const char (&)[N]> = true;

/* True if a name has only allowed characters. */
constexpr bool cairn_i_consists_of(const char *name, bool (*is_allowed)(char))
{
    while (*name && is_allowed(*name))
        name++;
    return !*name;
}
constexpr bool cairn_i_is_name_character(char c) { return (unsigned char)c > ' ' && c != ':' && c != ';' && c != '\x7f'; }
constexpr bool cairn_i_is_group_character(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
constexpr bool cairn_i_is_option_character(char c) { return cairn_i_is_group_character(c) || (c >= 'A' && c <= 'Z'); }
}

/* ---- the checks ---- */

#define CAIRN_I_ALLOWED_NAME   cairn_i_is_name_character
#define CAIRN_I_ALLOWED_GROUP  cairn_i_is_group_character
#define CAIRN_I_ALLOWED_OPTION cairn_i_is_option_character
#define CAIRN_I_CHARACTERS(which, symbol, text, sentence) \
    static_assert(CAIRN_I_HOLDS(cairn_i_consists_of(text, CAIRN_I_ALLOWED##which)), sentence);

#define CAIRN_I_IS_WITHIN(x, low, high)   CAIRN_I_IF_CONSTANT(x, cairn_i_is_within(x, low, high), false)
#define CAIRN_I_IS_NAME(...) \
    (0 __VA_OPT__(+ (cairn_i_is_literal<decltype((__VA_ARGS__))> && sizeof(__VA_ARGS__) == __builtin_strlen((const char *)(__VA_ARGS__)) + 1)))
#define CAIRN_I_IF_CONSTANT(value, condition, otherwise) (__builtin_constant_p(value) ? condition : otherwise)

#define CAIRN_I_WANT_U8(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_unsigned<decltype(cairn_i_value), 8> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 255), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_U8);
#define CAIRN_I_WANT_U16(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_unsigned<decltype(cairn_i_value), 16> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 65535), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_U16);
#define CAIRN_I_WANT_U32(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_unsigned<decltype(cairn_i_value), 32> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 4294967295), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_U32);
#define CAIRN_I_WANT_U64(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_unsigned<decltype(cairn_i_value), 64> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 18446744073709551615ull), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_U64);
#define CAIRN_I_WANT_I8(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_signed<decltype(cairn_i_value), 8> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, -128, 127), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_I8);
#define CAIRN_I_WANT_I16(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_signed<decltype(cairn_i_value), 16> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, -32768, 32767), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_I16);
#define CAIRN_I_WANT_I32(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_signed<decltype(cairn_i_value), 32> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, -2147483648ll, 2147483647), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_I32);
#define CAIRN_I_WANT_I64(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_signed<decltype(cairn_i_value), 64> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, -9223372036854775807ll - 1, 9223372036854775807), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_I64);
#define CAIRN_I_WANT_PID(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_either<decltype(cairn_i_value), 32> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, -2147483648ll, 4294967295), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_PID);
#define CAIRN_I_WANT_CHAR8(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_either<decltype(cairn_i_value), 8> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, -128, 255), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_CHAR8);
#define CAIRN_I_WANT_ADDRESS(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_pointer<decltype(cairn_i_value)> || cairn_i_fits_unsigned<decltype(cairn_i_value), 8 * sizeof(void *)> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, UINTPTR_MAX), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_ADDRESS);
#define CAIRN_I_WANT_BOOL(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_integer<decltype(cairn_i_value)> && CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 1), true)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_BOOL);
#define CAIRN_I_WANT_F32(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_real<decltype(cairn_i_value), 24> || \
                      CAIRN_I_IF_CONSTANT(value, cairn_i_is_real_within(value, 3.4028234663852886e38, 16777216.0), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_F32);
#define CAIRN_I_WANT_F64(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_fits_real<decltype(cairn_i_value), 53> || \
                      CAIRN_I_IF_CONSTANT(value, cairn_i_is_real_within(value, 1.7976931348623157e308, 9007199254740992.0), false)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_F64);
#define CAIRN_I_WANT_TIMESPEC(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is<struct timespec, decltype(cairn_i_value)>), "cairn: field " #name " " CAIRN_I_SAYS_TIMESPEC);

/* NULL may be an integer. */
#define CAIRN_I_IS_NULL(value) \
    (cairn_i_is<decltype(nullptr), decltype(cairn_i_value)> || CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 0), false))
#define CAIRN_I_WANT_POINTER(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_pointer<decltype(cairn_i_value)> || CAIRN_I_IS_NULL(value)), "cairn: field " #name " " CAIRN_I_SAYS_POINTER);
#define CAIRN_I_WANT_POINTER_TO(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_points_to<type, decltype(cairn_i_value)>), "cairn: field " #name " takes a pointer to " #type);
#define CAIRN_I_WANT_TEXT8(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_text8<decltype(cairn_i_value)>), "cairn: field " #name " " CAIRN_I_SAYS_TEXT8);
#define CAIRN_I_WANT_TEXT16(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_text16<decltype(cairn_i_value)>), "cairn: field " #name " " CAIRN_I_SAYS_TEXT16);
#define CAIRN_I_WANT_TEXT32(type, name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_text32<decltype(cairn_i_value)>), "cairn: field " #name " " CAIRN_I_SAYS_TEXT32);
#define CAIRN_I_WANT_BYTES(bytes, name, text, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_points_to_object<decltype(cairn_i_value), bytes> || CAIRN_I_IS_NULL(value)), "cairn: field " #name " " text);
#define CAIRN_I_WANT_EACH(bytes, name, text, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_points_to_each<decltype(cairn_i_value), bytes> || CAIRN_I_IS_NULL(value)), "cairn: field " #name " " text);
#define CAIRN_I_WANT_COUNT(name, value) \
    static_assert(CAIRN_I_HOLDS(cairn_i_is_integer<decltype(cairn_i_value)> && CAIRN_I_IF_CONSTANT(value, cairn_i_is_within(value, 0, 65535), true)), \
                  "cairn: field " #name " " CAIRN_I_SAYS_COUNT);

#endif
