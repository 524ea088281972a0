/* SPDX-License-Identifier: MIT */
/* The status byte of tracepoints that are not registered. */
#include <cairn/tracepoint.h>

const unsigned char cairn_i_never_enabled[8] = {0};
