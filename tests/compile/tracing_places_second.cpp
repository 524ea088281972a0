/* SPDX-License-Identifier: MIT */
/* The second source with call sites in C++, linked to the first or loaded as a plugin. */
#include "tracing_places.hpp"

extern "C" void all_of_second()
{
    all_of_header();
    in_template<long, 16>(1);
    CAIRN_INFO((name("of_second")));
}
