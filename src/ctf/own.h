/* SPDX-License-Identifier: MIT */
/* The context that `cairn export -f ctf` writes with an event of EventHeader: the members of its
 * header are in the specific context (exchange/ctf_metadata.c). */
#ifndef CTF_OWN_H
#define CTF_OWN_H

#include "ctf/library.h"

#include <cairn/eventheader_abi.h>
#include <stdbool.h>

struct ctf_own {
    struct cairn_eventheader header; /* without its flags */
    uint64_t keyword;
    bool has_activity;
    bool has_related;
    uint8_t activity[CAIRN_ACTIVITY_ID_BYTES];
    uint8_t related[CAIRN_ACTIVITY_ID_BYTES];
};

/* Reads it. False: the event is of another tracer, and *ret_own is unchanged. */
bool ctf_own_read(const struct ctf_library *bt, const bt_trace *trace, const bt_field *context,
                  struct ctf_own *ret_own);

#endif
