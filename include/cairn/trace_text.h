/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/kernel/trace_text.h. */
#include <cairn/kernel/trace_text.h>
