/* SPDX-License-Identifier: MIT */
/* Parses the names of EventHeader tracepoints. */
#ifndef DECODE_TRACEPOINT_NAME_H
#define DECODE_TRACEPOINT_NAME_H

#include <cairn/schema.h>

/* The parts of an EventHeader tracepoint's name: "PROVIDER_LlevelKkeyword[OPTIONS]". */
struct decode_tracepoint_name {
    struct cairn_slice provider;
    uint8_t level;
    uint64_t keyword;
    struct cairn_slice options;
};

/* Returns 0; EBADMSG not such a name. */
int decode_tracepoint_name_parse(struct cairn_slice name, struct decode_tracepoint_name *ret_name);

#endif
