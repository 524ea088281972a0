/* SPDX-License-Identifier: MIT */
/* The declarations of an event at its call site, and the passes over its rows that all systems
 * have: options, checks, arguments, metadata. */
/* clang-format would take rows and passes for declarations, and break them anywhere. */
/* clang-format off */
#pragma GCC system_header
#ifndef CAIRN_EVENTHEADER_DECLARE_H
#define CAIRN_EVENTHEADER_DECLARE_H

#include <cairn/eventheader/checks.h>
#include <cairn/eventheader/convert.h>
#include <cairn/eventheader/explain.h>
#include <cairn/eventheader/fields_more.h>
#include <cairn/eventheader_abi.h>

struct cairn_provider;

#ifdef __cplusplus
extern "C" {
#endif

/* Defaults of options. Options declare the same names in the inner scope. */
enum {
    cairn_i_flags = CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION,
    cairn_i_level = CAIRN_LEVEL_VERBOSE,
    cairn_i_opcode = CAIRN_OPCODE_INFO,
    cairn_i_tag = 0,
    cairn_i_id = 0,
    cairn_i_version = 0,
    cairn_i_has_level = 0,
    cairn_i_has_opcode = 0,
    cairn_i_has_tag = 0,
    cairn_i_has_id_version = 0,
    cairn_i_has_activity_id = 0,
    cairn_i_has_related_id = 0,
    cairn_i_argument_activity_id = 0, /* NULL */
    cairn_i_argument_related_id = 0,
};

#ifdef __cplusplus
}
#endif

#define CAIRN_I_DEFAULT_KEYWORD 1

/* No argument is no provider, and neither is one that ends with a string: a comma is missing. */
#define CAIRN_I_CHECK_PROVIDER(...) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ (__builtin_strcmp(&(" " #__VA_ARGS__)[sizeof(#__VA_ARGS__) - 1], "\"") != 0)), CAIRN_I_PROVIDER_SAYS #__VA_ARGS__); \
    __VA_OPT__(CAIRN_I_ASSERT(CAIRN_I_IS_PROVIDER(__VA_ARGS__), CAIRN_I_PROVIDER_SAYS #__VA_ARGS__);)
#define CAIRN_I_PROVIDER_SAYS "cairn: the first argument is the name of a provider, as given to CAIRN_PROVIDER, and a comma: "
#ifdef __cplusplus
#define CAIRN_I_IS_PROVIDER(x) (cairn_i_same<decltype(x), struct cairn_provider>::value)
#else
#define CAIRN_I_IS_PROVIDER(x) __builtin_types_compatible_p(__typeof__(x), struct cairn_provider)
#endif

/* ---- options ---- */

/* Each option once: the assertion uses the declaration of the previous option. */
#define CAIRN_I_ONCE(word) \
    CAIRN_I_ASSERT(!cairn_i_has_##word, "cairn: " #word "(...) is given twice"); \
    enum { cairn_i_has_##word = 1 };

/* A constant in this range, which is given. */
#define CAIRN_I_CHECK_WITHIN(low, high, sentence, ...) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), sentence); \
    __VA_OPT__(CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(__VA_ARGS__, low, high), sentence);)
#define CAIRN_I_LEVEL_SAYS \
    "cairn: level(...) takes CRITICAL_ERROR, ERROR, WARNING, INFORMATION, VERBOSE, or a constant from 1 to 255"
#define CAIRN_I_DECLARE_LEVEL(id, ...) \
    CAIRN_I_ONCE(level) \
    CAIRN_I_CHECK_WITHIN(1, 255, CAIRN_I_LEVEL_SAYS, __VA_ARGS__) \
    enum { cairn_i_level = (__VA_ARGS__) };
#define CAIRN_I_KEYWORD_SAYS "cairn: keyword(...) takes a constant integer of 64 bits that is not negative"
#define CAIRN_I_DECLARE_KEYWORD(id, ...) \
    CAIRN_I_CHECK_WITHIN(0, 18446744073709551615ull, CAIRN_I_KEYWORD_SAYS, __VA_ARGS__)
#define CAIRN_I_OPCODE_SAYS "cairn: opcode(...) takes a name such as ACTIVITY_START, or a constant from 0 to 255"
#define CAIRN_I_DECLARE_OPCODE(id, ...) \
    CAIRN_I_ONCE(opcode) \
    CAIRN_I_CHECK_WITHIN(0, 255, CAIRN_I_OPCODE_SAYS, __VA_ARGS__) \
    enum { cairn_i_opcode = (__VA_ARGS__) };
#define CAIRN_I_TAG_SAYS "cairn: tag(...) takes a constant from 0 to 0xffff"
#define CAIRN_I_DECLARE_TAG(id, ...) \
    CAIRN_I_ONCE(tag) \
    CAIRN_I_CHECK_WITHIN(0, 0xffff, CAIRN_I_TAG_SAYS, __VA_ARGS__) \
    enum { cairn_i_tag = (__VA_ARGS__) };
#define CAIRN_I_ID_VERSION_SAYS \
    "cairn: id_version(...) takes a constant id from 0 to 0xffff and a constant version from 0 to 255"
#define CAIRN_I_DECLARE_ID_VERSION(row, id, ...) \
    CAIRN_I_ONCE(id_version) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), CAIRN_I_ID_VERSION_SAYS); \
    CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(id, 0, 0xffff) && CAIRN_I_IS_WITHIN(__VA_ARGS__, 0, 255), \
                   CAIRN_I_ID_VERSION_SAYS); \
    enum { cairn_i_id = (id), cairn_i_version = (__VA_ARGS__) };
#define CAIRN_I_DECLARE_ACTIVITY(id, word, ...) \
    CAIRN_I_ONCE(word) \
    CAIRN_I_DECLARE_VALUE(_##word, _ACTIVITY, word, #word, cairn_i_address, __VA_ARGS__)
#define CAIRN_I_WANT_ACTIVITY(word, name, ...) CAIRN_I_WANT_BYTES(16, name, CAIRN_I_SAYS_BYTES16, __VA_ARGS__)

/* CAIRN_PROVIDER_ENABLED has the same arguments. */
#define CAIRN_I_CHECK_ENABLED(provider, level, keyword, ...) \
    CAIRN_I_ASSERT(1 __VA_OPT__(- 1), CAIRN_I_ENABLED_SAYS); \
    CAIRN_I_CHECK_PROVIDER(provider) \
    CAIRN_I_CHECK_WITHIN(1, 255, CAIRN_I_LEVEL_SAYS, level) \
    CAIRN_I_CHECK_WITHIN(0, 18446744073709551615ull, CAIRN_I_KEYWORD_SAYS, keyword)
#define CAIRN_I_ENABLED_SAYS "cairn: CAIRN_PROVIDER_ENABLED(provider, level, keyword) has too many arguments"

/* ---- structs, and constants of fields ---- */

#define CAIRN_I_DECLARE_MEMBERS(id, name, count) \
    CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#name), "cairn: a field's name must be a string literal without a NUL: " #name); \
    enum { cairn_i_members##id = 0 count }; \
    CAIRN_I_ASSERT(cairn_i_members##id > 0 && cairn_i_members##id <= 127, \
                   "cairn: struct " #name " must have 1 to 127 fields; make several of it");
#define CAIRN_I_DECLARE_TOO_DEEP(id, name) \
    CAIRN_I_ASSERT(0, "cairn: struct " #name " is in 8 others, and structs are at most 8 deep in one another");
#define CAIRN_I_DECLARE_MISPLACED(id, word) \
    CAIRN_I_ASSERT(0, "cairn: options of the event do not belong into a struct, and a struct's tag(...) follows " \
                      "its name: " word);
#define CAIRN_I_DECLARE_NO_WORD(id, word) CAIRN_I_ASSERT(0, CAIRN_I_NO_WORD_SAYS word);
#define CAIRN_I_DECLARE_RAW_STRUCT(id, word) \
    CAIRN_I_ASSERT(0, "cairn: a raw struct does not belong into a struct(...), which counts its fields itself: " word);
#define CAIRN_I_DECLARE_FIELDS(id, name, ...) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), "cairn: raw struct " #name " has no number of fields"); \
    __VA_OPT__(CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(__VA_ARGS__, 0, 127), \
                              "cairn: raw struct " #name " takes a constant number of fields from 0 to 127");)
#define CAIRN_I_DECLARE_LENGTH(id, name, ...) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), "cairn: array " #name " has no length"); \
    __VA_OPT__(CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(__VA_ARGS__, 1, 65535), \
                              "cairn: array " #name " takes a constant length from 1 to 65535; a slice takes any");)
#define CAIRN_I_DECLARE_RAW(id, name, ...) \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ 1), "cairn: raw field " #name " has no encoding"); \
    __VA_OPT__(CAIRN_I_ASSERT(CAIRN_I_IS_WITHIN(__VA_ARGS__, CAIRN_ENCODING_VALUE8, CAIRN_ENCODING_MAX - 1), \
                              "cairn: raw field " #name " takes an encoding such as VALUE8, without flags; structs have raw_struct");)

/* The tag and the format of a field. */
#define CAIRN_I_DECLARE_OPTIONS(id, name, option, option2) \
    CAIRN_I_CHECK_##option CAIRN_I_CHECK_NAME_##option(name) \
    CAIRN_I_CHECK_##option2 CAIRN_I_CHECK_NAME_##option2(name)
#define CAIRN_I_CHECK_
#define CAIRN_I_CHECK_NAME_(name)
#define CAIRN_I_CHECK_tag(...) \
    CAIRN_I_STATIC_ASSERT(CAIRN_I_HOLDS(CAIRN_I_FIRST(__VA_OPT__(CAIRN_I_IS_WITHIN(__VA_ARGS__, 0, 0xffff), ) 0, )),
#define CAIRN_I_CHECK_NAME_tag(...) CAIRN_I_CHECK_TAG_OF
#define CAIRN_I_CHECK_TAG_OF(name) "cairn: the tag of field " #name " is a constant from 0 to 0xffff");
#define CAIRN_I_CHECK_format(...) \
    CAIRN_I_STATIC_ASSERT(CAIRN_I_HOLDS(CAIRN_I_FIRST(__VA_OPT__(CAIRN_I_IS_WITHIN(CAIRN_I_NAMED(_FORMAT, __VA_ARGS__), 0, 0x7f), ) 0, )),
#define CAIRN_I_CHECK_NAME_format(...) CAIRN_I_CHECK_FORMAT_OF
#define CAIRN_I_CHECK_FORMAT_OF(name) \
    "cairn: the format of field " #name " is a name such as HEX_INT, or a constant from 0 to 0x7f");

/* debug(): the compiler prints the expansion of the event in a warning, and continues. */
#define CAIRN_I_DECLARE_SHOWN(id, rows) \
    CAIRN_I_MESSAGE("cairn: keyword " CAIRN_I_TEXT_OF(CAIRN_I_BITS_A rows) \
                    "; fields " CAIRN_I_TEXT_OF(CAIRN_I_INIT_A rows) \
                    "; signature " CAIRN_I_TEXT_OF(CAIRN_I_SIGNATURE_A rows) \
                    "; arguments " CAIRN_I_TEXT_OF(CAIRN_I_SHOW_A rows))
#define CAIRN_I_MESSAGE(text) CAIRN_I_PRAGMA(message text)
#define CAIRN_I_PRAGMA(...)   _Pragma(#__VA_ARGS__)
#define CAIRN_I_SHOW_A(kind, id, text, signature, bits, what, ...) CAIRN_I_SHOW##what(__VA_ARGS__) CAIRN_I_SHOW_B##kind
#define CAIRN_I_SHOW_B(kind, id, text, signature, bits, what, ...) CAIRN_I_SHOW##what(__VA_ARGS__) CAIRN_I_SHOW_A##kind
#define CAIRN_I_SHOW_A_FORM(...) CAIRN_I_SHOW_A
#define CAIRN_I_SHOW_B_FORM(...) CAIRN_I_SHOW_B
#define CAIRN_I_SHOW_A_DEBUG CAIRN_I_SHOW_A
#define CAIRN_I_SHOW_B_DEBUG CAIRN_I_SHOW_B
#define CAIRN_I_SHOW_A_END
#define CAIRN_I_SHOW_B_END
#define CAIRN_I_SHOW_A_WRONG
#define CAIRN_I_SHOW_B_WRONG
#define CAIRN_I_SHOW_ACTIVITY(word, value) , word(value)
#define CAIRN_I_SHOW_VALUE(wants, type, name, convert, value) , convert(value)
#define CAIRN_I_SHOW_COUNTED(wants, type, name, convert, pointer, count) , convert(pointer), count
#define CAIRN_I_SHOW(...)
#define CAIRN_I_SHOW_LEVEL(...)
#define CAIRN_I_SHOW_KEYWORD(...)
#define CAIRN_I_SHOW_OPCODE(...)
#define CAIRN_I_SHOW_TAG(...)
#define CAIRN_I_SHOW_ID_VERSION(...)
#define CAIRN_I_SHOW_CHANNEL(...)
#define CAIRN_I_SHOW_TASK(...)
#define CAIRN_I_SHOW_MEMBERS(...)
#define CAIRN_I_SHOW_MISPLACED(...)
#define CAIRN_I_SHOW_NO_WORD(...)
#define CAIRN_I_SHOW_OPTIONS(...)
#define CAIRN_I_SHOW_RAW(...)
#define CAIRN_I_SHOW_LENGTH(...)
#define CAIRN_I_SHOW_FIELDS(...)
#define CAIRN_I_SHOW_TOO_DEEP(...)
#define CAIRN_I_SHOW_RAW_STRUCT(...)
#define CAIRN_I_SHOW_SHOWN(...)
#define CAIRN_I_SHOW_NAME(...)

/* ---- passes over the rows ---- */

/* Each pass uses a part of every row, and continues with its twin, unless the row's kind determines
 * otherwise. */

/* Declarations: of options, then of each argument, evaluated in order. */
#define CAIRN_I_DECL_A(kind, id, text, signature, bits, what, ...) CAIRN_I_DECLARE##what(id, __VA_ARGS__) CAIRN_I_DECL_B##kind
#define CAIRN_I_DECL_B(kind, id, text, signature, bits, what, ...) CAIRN_I_DECLARE##what(id, __VA_ARGS__) CAIRN_I_DECL_A##kind
#define CAIRN_I_DECL_A_FORM(...) CAIRN_I_DECL_A
#define CAIRN_I_DECL_B_FORM(...) CAIRN_I_DECL_B
#define CAIRN_I_DECL_A_DEBUG CAIRN_I_DECL_A
#define CAIRN_I_DECL_B_DEBUG CAIRN_I_DECL_B
#define CAIRN_I_DECL_A_END(...)
#define CAIRN_I_DECL_B_END(...)
#define CAIRN_I_DECL_A_WRONG CAIRN_I_EXPLAIN
#define CAIRN_I_DECL_B_WRONG CAIRN_I_EXPLAIN
#define CAIRN_I_DECLARE(...)
#define CAIRN_I_DECLARE_NAME(id, ...) \
    CAIRN_I_ASSERT(CAIRN_I_IS_QUOTED(#__VA_ARGS__), "cairn: a field's name must be a string literal without a NUL: " #__VA_ARGS__); \
    CAIRN_I_ASSERT(0 __VA_OPT__(+ CAIRN_I_IS_NAME((__VA_ARGS__))), \
                   "cairn: a field's name must be a string literal without a NUL: " #__VA_ARGS__);
/* One assertion: that there is a value, or, if so, that the name can be compiled. */
#define CAIRN_I_HAS_NAME_(name) \
    CAIRN_I_STATIC_ASSERT(CAIRN_I_HOLDS(sizeof(#name) == 1), "cairn: field " #name " has no value");
#define CAIRN_I_HAS_NAME_1(name) \
    CAIRN_I_STATIC_ASSERT(CAIRN_I_HOLDS(CAIRN_I_ENDS_QUOTED(#name)), "cairn: a field's name must be a string literal without a NUL: " #name);
#ifdef __cplusplus
#define CAIRN_I_DECLARE_VALUE(id, wants, type, name, convert, ...) \
    CAIRN_I_CAT_(CAIRN_I_HAS_NAME_, __VA_OPT__(1))(name) \
    static_assert(CAIRN_I_HOLDS(CAIRN_I_IS_NAME(name)), "cairn: a field's name must be a string literal without a NUL: " #name); \
    uint64_t cairn_i_argument##id; \
    __VA_OPT__({ \
        const auto &cairn_i_value = ((void)0, __VA_ARGS__); /* NULL gets no warning so */ \
        CAIRN_I_WANT##wants(type, name, __VA_ARGS__) \
        cairn_i_argument##id = convert(cairn_i_value); \
        CAIRN_I_ASIDE(cairn_i_argument##id) \
    })
#define CAIRN_I_DECLARE_COUNTED(id, wants, type, name, convert, pointer, ...) \
    CAIRN_I_DECLARE_VALUE(id, wants, type, name, convert, pointer) \
    static_assert(0 __VA_OPT__(+ 1), "cairn: field " #name " has no count"); \
    uint64_t cairn_i_count##id; \
    __VA_OPT__({ \
        const auto &cairn_i_value = ((void)0, __VA_ARGS__); /* NULL gets no warning so */ \
        CAIRN_I_WANT_COUNT(name, __VA_ARGS__) \
        cairn_i_count##id = cairn_i_usize(cairn_i_value); \
        CAIRN_I_ASIDE(cairn_i_count##id) \
    })
#else
#define CAIRN_I_DECLARE_VALUE(id, wants, type, name, convert, ...) \
    CAIRN_I_CAT_(CAIRN_I_HAS_NAME_, __VA_OPT__(1))(name) \
    _Static_assert(CAIRN_I_HOLDS(CAIRN_I_IS_NAME(name)), "cairn: a field's name must be a string literal without a NUL: " #name); \
    __VA_OPT__(CAIRN_I_WANT##wants(type, name, __VA_ARGS__)) \
    convert##_type cairn_i_argument##id __VA_OPT__(= convert(__VA_ARGS__)); \
    CAIRN_I_ASIDE(cairn_i_argument##id)
#define CAIRN_I_DECLARE_COUNTED(id, wants, type, name, convert, pointer, ...) \
    CAIRN_I_DECLARE_VALUE(id, wants, type, name, convert, pointer) \
    _Static_assert(0 __VA_OPT__(+ 1), "cairn: field " #name " has no count"); \
    __VA_OPT__(CAIRN_I_WANT_COUNT(name, __VA_ARGS__)) \
    size_t cairn_i_count##id __VA_OPT__(= __VA_ARGS__); \
    CAIRN_I_ASIDE(cairn_i_count##id)
#endif

/* The keyword: | (1) | (2) */
#define CAIRN_I_BITS_A(kind, id, text, signature, bits, ...) bits CAIRN_I_BITS_B##kind
#define CAIRN_I_BITS_B(kind, id, text, signature, bits, ...) bits CAIRN_I_BITS_A##kind
#define CAIRN_I_BITS_A_FORM(...) CAIRN_I_BITS_A
#define CAIRN_I_BITS_B_FORM(...) CAIRN_I_BITS_B
#define CAIRN_I_BITS_A_DEBUG CAIRN_I_BITS_A
#define CAIRN_I_BITS_B_DEBUG CAIRN_I_BITS_B
#define CAIRN_I_BITS_A_END
#define CAIRN_I_BITS_B_END
#define CAIRN_I_BITS_A_WRONG
#define CAIRN_I_BITS_B_WRONG
#define CAIRN_I_KEYWORD(...) CAIRN_I_FIRST(__VA_OPT__(0 __VA_ARGS__, ) CAIRN_I_DEFAULT_KEYWORD, )

/* The metadata. The part that is known here is one string: "Alpha" "\0\204\2" "Beta" "\0\4". If a
 * row has a form, the string ends with the NUL of the name, the form follows, and then another
 * string. The NUL of the last string is not part of the event. */
#define CAIRN_I_INIT_A(kind, id, text, ...) text CAIRN_I_INIT_B##kind
#define CAIRN_I_INIT_B(kind, id, text, ...) text CAIRN_I_INIT_A##kind
#define CAIRN_I_INIT_A_FORM(id, form, init) , {CAIRN_I_UNWRAP init}, "" CAIRN_I_INIT_A
#define CAIRN_I_INIT_B_FORM(id, form, init) , {CAIRN_I_UNWRAP init}, "" CAIRN_I_INIT_B
#define CAIRN_I_INIT_A_DEBUG CAIRN_I_INIT_A
#define CAIRN_I_INIT_B_DEBUG CAIRN_I_INIT_B
#define CAIRN_I_INIT_A_END
#define CAIRN_I_INIT_B_END
#define CAIRN_I_INIT_A_WRONG
#define CAIRN_I_INIT_B_WRONG

/* The same as members of a struct: char n[sizeof("Alpha" "\0\204\2" "Beta" "\0\4")]; */
#define CAIRN_I_TYPE_A(kind, id, text, ...) text CAIRN_I_TYPE_B##kind
#define CAIRN_I_TYPE_B(kind, id, text, ...) text CAIRN_I_TYPE_A##kind
#define CAIRN_I_TYPE_A_FORM(id, form, init) )]; struct form cairn_i_f##id; char cairn_i_n##id[sizeof("" CAIRN_I_TYPE_A
#define CAIRN_I_TYPE_B_FORM(id, form, init) )]; struct form cairn_i_f##id; char cairn_i_n##id[sizeof("" CAIRN_I_TYPE_B
#define CAIRN_I_TYPE_A_DEBUG CAIRN_I_TYPE_A
#define CAIRN_I_TYPE_B_DEBUG CAIRN_I_TYPE_B
#define CAIRN_I_TYPE_A_END
#define CAIRN_I_TYPE_B_END
#define CAIRN_I_TYPE_A_WRONG
#define CAIRN_I_TYPE_B_WRONG

/* The signature, for debug(): _4 _TEXT ... */
#define CAIRN_I_SIGNATURE_A(kind, id, text, signature, ...) signature CAIRN_I_SIGNATURE_B##kind
#define CAIRN_I_SIGNATURE_B(kind, id, text, signature, ...) signature CAIRN_I_SIGNATURE_A##kind
#define CAIRN_I_SIGNATURE_A_FORM(...) CAIRN_I_SIGNATURE_A
#define CAIRN_I_SIGNATURE_B_FORM(...) CAIRN_I_SIGNATURE_B
#define CAIRN_I_SIGNATURE_A_DEBUG CAIRN_I_SIGNATURE_A
#define CAIRN_I_SIGNATURE_B_DEBUG CAIRN_I_SIGNATURE_B
#define CAIRN_I_SIGNATURE_A_END
#define CAIRN_I_SIGNATURE_B_END
#define CAIRN_I_SIGNATURE_A_WRONG
#define CAIRN_I_SIGNATURE_B_WRONG

/* The space for the values, as a sum: each signature has its part of it. */
#define CAIRN_I_ROOM_A(kind, id, text, signature, ...) CAIRN_I_ROOM##signature CAIRN_I_ROOM_B##kind
#define CAIRN_I_ROOM_B(kind, id, text, signature, ...) CAIRN_I_ROOM##signature CAIRN_I_ROOM_A##kind
#define CAIRN_I_ROOM_A_FORM(...) CAIRN_I_ROOM_A
#define CAIRN_I_ROOM_B_FORM(...) CAIRN_I_ROOM_B
#define CAIRN_I_ROOM_A_DEBUG CAIRN_I_ROOM_A
#define CAIRN_I_ROOM_B_DEBUG CAIRN_I_ROOM_B
#define CAIRN_I_ROOM_A_END
#define CAIRN_I_ROOM_B_END
#define CAIRN_I_ROOM_A_WRONG
#define CAIRN_I_ROOM_B_WRONG

/* The values, one statement for each; CAIRN_I_ADDRESS is an argument that is a pointer. */
#define CAIRN_I_PUT_A(kind, id, text, signature, ...) CAIRN_I_PUT##signature(id) CAIRN_I_PUT_B##kind
#define CAIRN_I_PUT_B(kind, id, text, signature, ...) CAIRN_I_PUT##signature(id) CAIRN_I_PUT_A##kind
#define CAIRN_I_PUT_A_FORM(...) CAIRN_I_PUT_A
#define CAIRN_I_PUT_B_FORM(...) CAIRN_I_PUT_B
#define CAIRN_I_PUT_A_DEBUG CAIRN_I_PUT_A
#define CAIRN_I_PUT_B_DEBUG CAIRN_I_PUT_B
#define CAIRN_I_PUT_A_END
#define CAIRN_I_PUT_B_END
#define CAIRN_I_PUT_A_WRONG
#define CAIRN_I_PUT_B_WRONG
#define CAIRN_I_ADDRESS(id) ((const void *)(uintptr_t)cairn_i_argument##id)

/* The same for events of few values, which fit into arguments of a function: nothing for a row that
 * does not, and for all but the first four, which are enough. Each costs compile time. */
#define CAIRN_I_PACK_A(kind, id, text, signature, ...) CAIRN_I_PICK(CAIRN_I_PACK##signature(id), , ) CAIRN_I_PACK_B##kind
#define CAIRN_I_PACK_B(kind, id, text, signature, ...) CAIRN_I_PICK(CAIRN_I_PACK##signature(id), , ) CAIRN_I_PACK_C##kind
#define CAIRN_I_PACK_C(kind, id, text, signature, ...) CAIRN_I_PICK(CAIRN_I_PACK##signature(id), , ) CAIRN_I_PACK_D##kind
#define CAIRN_I_PACK_D(kind, id, text, signature, ...) CAIRN_I_PICK(CAIRN_I_PACK##signature(id), , ) CAIRN_I_PACK_E##kind
#define CAIRN_I_PACK_E(kind, ...) CAIRN_I_PACK_F##kind
#define CAIRN_I_PACK_F(kind, ...) CAIRN_I_PACK_E##kind
#define CAIRN_I_PACK_A_FORM(...) CAIRN_I_PACK_A
#define CAIRN_I_PACK_B_FORM(...) CAIRN_I_PACK_B
#define CAIRN_I_PACK_C_FORM(...) CAIRN_I_PACK_C
#define CAIRN_I_PACK_D_FORM(...) CAIRN_I_PACK_D
#define CAIRN_I_PACK_E_FORM(...) CAIRN_I_PACK_E
#define CAIRN_I_PACK_F_FORM(...) CAIRN_I_PACK_F
#define CAIRN_I_PACK_A_DEBUG CAIRN_I_PACK_A
#define CAIRN_I_PACK_B_DEBUG CAIRN_I_PACK_B
#define CAIRN_I_PACK_C_DEBUG CAIRN_I_PACK_C
#define CAIRN_I_PACK_D_DEBUG CAIRN_I_PACK_D
#define CAIRN_I_PACK_E_DEBUG CAIRN_I_PACK_E
#define CAIRN_I_PACK_F_DEBUG CAIRN_I_PACK_F
#define CAIRN_I_PACK_A_END
#define CAIRN_I_PACK_B_END
#define CAIRN_I_PACK_C_END
#define CAIRN_I_PACK_D_END
#define CAIRN_I_PACK_E_END
#define CAIRN_I_PACK_F_END
#define CAIRN_I_PACK_A_WRONG
#define CAIRN_I_PACK_B_WRONG
#define CAIRN_I_PACK_C_WRONG
#define CAIRN_I_PACK_D_WRONG
#define CAIRN_I_PACK_E_WRONG
#define CAIRN_I_PACK_F_WRONG

#endif
