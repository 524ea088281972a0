/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/kernel/trace_buffer.h. */
#include <cairn/kernel/trace_buffer.h>
