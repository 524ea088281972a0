/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/kernel/host.h. */
#include <cairn/kernel/host.h>
