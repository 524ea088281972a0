/* SPDX-License-Identifier: MIT */
/* A provider defined in a header, for both sources. */
#ifndef TESTS_COMPILE_GOOD_HEADER_H
#define TESTS_COMPILE_GOOD_HEADER_H

#include <cairn/eventheader.h>

CAIRN_PROVIDER_INLINE(compile_header_provider, "Compile_Header", options("AoneZ"),
                      group_name("all"));

static inline int write_to_header_provider(void)
{
    return CAIRN_WRITE_EVENT(compile_header_provider, "StaticInline", keyword(0x10));
}

#endif
