/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/typed_tracepoint.h. */
#include <cairn/typed_tracepoint.h>
