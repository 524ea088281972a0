/* SPDX-License-Identifier: MIT */
/* Deprecated: include cairn/kernel/control.h. */
#include <cairn/kernel/control.h>
