/* SPDX-License-Identifier: MIT */
#include <cairn/tracepoint.h>

const unsigned char cairn_i_never_enabled[8] = {0};
