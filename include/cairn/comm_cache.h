/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/kernel/comm_cache.h. */
#include <cairn/kernel/comm_cache.h>
