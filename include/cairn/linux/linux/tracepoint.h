/* SPDX-License-Identifier: MIT */
/* A trace header of Linux includes this file first: see cairn/linux_trace_event.h. */
#include <cairn/linux_trace_event.h>
