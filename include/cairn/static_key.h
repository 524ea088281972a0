/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/kernel/static_key.h. */
#include <cairn/kernel/static_key.h>
