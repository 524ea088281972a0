/* SPDX-License-Identifier: MIT */
/* What a trace header of Linux includes first: see cairn/linux_trace_event.h. */
#include <cairn/linux_trace_event.h>
