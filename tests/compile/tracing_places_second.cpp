/* SPDX-License-Identifier: MIT */
#include "tracing_places.hpp"

extern "C" void all_of_second()
{
    all_of_header();
    in_template<long, 16>(1);
    CAIRN_INFO((name("of_second")));
}
