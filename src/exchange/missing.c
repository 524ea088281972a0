/* SPDX-License-Identifier: MIT */
/* Formats whose libraries this build lacks. */
#include "exchange/format.h"

#ifndef CAIRN_HAVE_PROTOBUF_C
const struct exchange_format exchange_format_perfetto = {.missing_library = "protobuf-c"};
#endif
