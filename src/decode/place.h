/* SPDX-License-Identifier: MIT */
/* A cache of the JSON of an event's CPU, process and thread: few threads write most events. */
#ifndef DECODE_PLACE_H
#define DECODE_PLACE_H

#include <cairn/decode.h>

#define CAIRN_PLACE_TEXT_BYTES 64u

struct cairn_place {
    uint32_t has; /* of these; 0: a free slot */
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint32_t length;
    char text[CAIRN_PLACE_TEXT_BYTES]; /* `,"cpu":1,"pid":2,"tid":3` */
};

#define CAIRN_PLACE_COUNT 16u /* a power of two */

struct cairn_places {
    struct cairn_place slots[CAIRN_PLACE_COUNT]; /* by tid; zeros to begin with */
};

/*
 * cpu, pid and tid, as far as the event has them; each begins with its comma. Returns the address
 * after them. Room: CAIRN_PLACE_TEXT_BYTES.
 */
char *cairn_put_place(char *to, struct cairn_places *places, const struct cairn_event *event);

#endif
