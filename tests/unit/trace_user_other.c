/* SPDX-License-Identifier: MIT */
/* The second source of test_user_events_trace. */
#include "trace_user.h"

void open_elsewhere(uint16_t port)
{
    trace_opened(port, "elsewhere");
}
