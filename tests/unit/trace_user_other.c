/* SPDX-License-Identifier: MIT */
#include "trace_user.h"

void open_elsewhere(uint16_t port)
{
    trace_opened(port, "elsewhere");
}
