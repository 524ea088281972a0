/* SPDX-License-Identifier: MIT */
/* Formats whose libraries this build lacks. */
#include "exchange/format.h"

#ifndef CAIRN_HAVE_PROTOBUF_C
#define LACKS_PROTOBUF_C                \
    {                                   \
        .missing_library = "protobuf-c" \
    }
const struct exchange_format exchange_format_perfetto = LACKS_PROTOBUF_C;
const struct exchange_format exchange_format_otlp = LACKS_PROTOBUF_C;
const struct exchange_format exchange_format_otlp_json = LACKS_PROTOBUF_C;
#endif

#ifndef CAIRN_HAVE_SQLITE
const struct exchange_format exchange_format_sqlite = {.missing_library = "sqlite3"};
#endif
