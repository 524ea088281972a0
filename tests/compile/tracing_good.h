/* SPDX-License-Identifier: MIT */
/* Call sites in inline functions of a header: each source that includes it has them. */
#ifndef TRACING_GOOD_H
#define TRACING_GOOD_H

#include <cairn/eventheader.h>
#include <cairn/tracing.h>

static inline int in_header(int number)
{
    CAIRN_FUNCTION_AS(function, INFO, kv("number", number), kv("late", cairn_empty()));
    CAIRN_RECORD(function, "late", number);
    CAIRN_DEBUG((kv("twice", 2 * number)), "in a header");
    return number;
}

#ifdef __cplusplus
extern "C"
#endif
    int
    in_other_file(int number);

#endif
