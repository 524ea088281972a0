/* SPDX-License-Identifier: MIT */
#ifndef DECODE_TRACEPOINT_NAME_H
#define DECODE_TRACEPOINT_NAME_H

#include <cairn/schema.h>

/* What the name of an EventHeader tracepoint tells: "PROVIDER_LlevelKkeyword[OPTIONS]". */
struct cairn_tracepoint_name {
    struct cairn_slice provider;
    uint8_t level;
    uint64_t keyword;
    struct cairn_slice options;
};

/* Returns 0; EBADMSG no such name. */
int cairn_tracepoint_name_parse(struct cairn_slice name, struct cairn_tracepoint_name *ret_name);

#endif
