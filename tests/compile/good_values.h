/* SPDX-License-Identifier: MIT */
/* Values of all types that a field accepts without a cast: docs/eventheader.md, "Values". */
#ifndef TESTS_COMPILE_GOOD_VALUES_H
#define TESTS_COMPILE_GOOD_VALUES_H

#include "good.h"

#include <limits.h>
#include <netinet/in.h>
#include <unistd.h>

enum good_enum { GOOD_ZERO, GOOD_ONE };

struct good_values {
    bool b;
    char c;
    uint8_t u8;
    int8_t i8;
    uint16_t u16;
    int16_t i16;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    int64_t i64;
    unsigned long long ull;
    long long ll;
    size_t size;
    float f;
    double d;
    enum good_enum e;
    unsigned bits : 3;
    volatile uint32_t shared;
    uint8_t sixteen[16];
    uint8_t more[20];
    struct in_addr ipv4;
    struct in6_addr ipv6;
    struct timespec time;
    const char *text;
    void *nothing;
};

static inline uint32_t good_next(uint32_t n)
{
    return n + 1;
}

static inline int write_good_integers(struct good_values *x, int n)
{
    return CAIRN_WRITE_EVENT(
        compile_provider, "Integers", u8("a", 255), u8("b", x->u8), u8("c", x->b),
        u8("d", (uint8_t)(x->u8 + x->u8)), u8("e", 'x'), u8("f", GOOD_ONE), u8("g", sizeof(*x)),
        u8("h", (uint8_t)x->bits), u16("i", 65535), u16("j", x->u8), u16("k", htons(443)),
        u32("l", 0xffffffff), u32("m", x->u16), u32("n", x->e), u32("o", x->shared),
        u32("p", good_next(x->u32++)), u32("q", n ? x->u32 : 7u), u64("r", UINT64_MAX),
        u64("s", x->size), u64("t", x->ull), u64("u", x->u32), usize("v", sizeof(n)),
        usize("w", x->size), i8("x", -128), i8("y", x->i8), i16("z", x->u8), i16("A", INT16_MIN),
        i32("B", n), i32("C", x->u16), i32("D", INT_MIN), i32("E", x->c), i64("F", INT64_MIN),
        i64("G", x->ll), i64("H", x->u32), i64("I", x->i32), isize("J", (ssize_t)-1),
        bool8("K", n > 1 && x->b), bool8("L", n), bool8("M", true), bool8("N", 0),
        bool32("O", x->b), pid("P", getpid()), tid("Q", x->u32), pid("R", 4294967295u),
        char8_cp1252("S", x->c), char8_cp1252("T", x->u8), errno("U", -n),
        time64("V", x->time.tv_sec), u32_hex("W", ((uint32_t)n << 3) | 1),
        hresult("X", (int32_t)0x80004005));
}

static inline int write_good_others(struct good_values *x, const struct cairn_guid *id)
{
    return CAIRN_WRITE_EVENT(
        compile_provider, "Others", activity_id(x->b ? id : NULL), related_id(NULL), f32("a", 0.5),
        f32("b", -1.0 / 3), f32("c", x->f), f32("d", x->i16), f32("e", 16777216), f64("f", 0.1),
        f64("g", x->f), f64("h", x->u32), f64("i", -1), f64("j", x->d * 2), pointer("k", x),
        pointer("l", NULL), pointer("m", &x->shared), pointer("n", (uintptr_t)x),
        codepointer("o", write_second_file), codepointer("p", &write_second_file), guid("q", id),
        guid("r", x->sixteen), guid("s", &x->sixteen), guid("t", &x->more[4]), guid("u", NULL),
        ipv6("v", &x->ipv6), ipv6("w", x->more), ipv4("x", &x->ipv4), ipv4("y", &x->u32),
        ipv4("z", NULL), systemtime("A", x->time), str8("B", x->text),
        str8("C", x->b ? "yes" : "no"), str8("D", (const char *)x->sixteen),
        str8_n("E", x->text, 1), binary("F", x, sizeof(*x)), binary("G", x->nothing, 0),
        guid_slice("H", x->sixteen, 1), ipv4_slice("I", &x->ipv4, x->u8),
        pointer_slice("J", &x->text, 1), u8_slice("K", x->sixteen, (int)sizeof(x->sixteen)),
        u32_nullable("L", &x->u32), raw_data("", 0), channel(1), task(2));
}

#ifdef __cplusplus

#include <atomic>
#include <cstddef>

enum good_small : uint8_t { GOOD_SMALL };

/* Dependent types, lambdas, and other constructs that C does not have. */
template <class T> int write_good_cpp(T number, const T *numbers)
{
    static const uint32_t limit = 7;
    constexpr long constant = 8;
    std::atomic<uint32_t> atomic(number);
    std::byte bytes[16] = {};
    auto add = [&](T more) { return static_cast<T>(number + more); };

    return CAIRN_WRITE_EVENT(
        compile_provider, "Cpp", u32("a", number), u32("b", add(1)),
        u32("c", [&] { return number; }()), u32("d", atomic.load()), u32("e", *numbers),
        u8("f", limit), u8("g", constant), u8("h", GOOD_SMALL), u16("i", u'x'), i8("j", true),
        f64("k", [&] { return 0.5; }()), str8("l", [] { return "text"; }()), guid("m", bytes),
        pointer("n", nullptr), u32_slice("o", numbers, size_t{1}), char16("p", u'y'));
}

#endif

#endif
