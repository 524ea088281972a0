/* SPDX-License-Identifier: MIT */
/* Declarations that the two valid sources share: C17 and C++17. */
#ifndef TESTS_COMPILE_GOOD_H
#define TESTS_COMPILE_GOOD_H

#include <cairn/eventheader.h>

CAIRN_PROVIDER_DECLARE(compile_provider);

static inline int write_static_inline(uint32_t number)
{
    return CAIRN_WRITE_EVENT(compile_provider, "StaticInline", u32("Number", number));
}

#ifdef __cplusplus

/* One function for all sources: the linker keeps one of its copies. */
inline int write_cpp_inline(uint32_t number)
{
    return CAIRN_WRITE_EVENT(compile_provider, "CppInline", level(INFORMATION),
                             u32("Number", number));
}

template <class T> int write_template(T number)
{
    return CAIRN_WRITE_EVENT(compile_provider, "Template", i64("Number", number));
}

struct writer {
    int number = 1;
    int write() const
    {
        return CAIRN_WRITE_EVENT(compile_provider, "Member", i32("Number", number));
    }
};

extern "C" {
#endif

/* Both return the number of their events that were not written. */
int write_second_file(void);
int write_good_events(int *ret_expected); /* registers the provider, and unregisters it */

#ifdef __cplusplus
}
#endif

#endif
