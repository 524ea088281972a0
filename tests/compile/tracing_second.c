/* SPDX-License-Identifier: MIT */
#define CAIRN_TARGET "second"
#include "tracing_good.h"

int in_other_file(int number)
{
    /* Two on one line. */
    /* clang-format off */
    CAIRN_INFO("other file"); CAIRN_INFO((kv("n", number)));
    /* clang-format on */
    return in_header(number);
}
