/* SPDX-License-Identifier: MIT */
/* The second source that users may write. */
#define CAIRN_TARGET "second"
#include "tracing_good.h"

int in_other_file(int number)
{
    /* Two call sites on one line. */
    /* clang-format off */
    CAIRN_INFO("other file"); CAIRN_INFO((kv("n", number)));
    /* clang-format on */
    return in_header(number);
}
