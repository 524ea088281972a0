/* SPDX-License-Identifier: MIT */
/* A cache of the JSON of an event's CPU, process and thread: few threads write most events. */
#ifndef EXPORT_CPU_PREFIX_H
#define EXPORT_CPU_PREFIX_H

#include "export/output.h"

#include <cairn/decode.h>

#define EXPORT_CPU_PREFIX_BYTES 64u

struct export_cpu_prefix {
    uint32_t has; /* of these; 0: a free slot */
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint32_t length;
    char text[EXPORT_CPU_PREFIX_BYTES]; /* `,"cpu":1,"pid":2,"tid":3` */
};

#define EXPORT_CPU_PREFIX_COUNT 16u /* a power of two */

struct export_cpu_prefixes {
    struct export_cpu_prefix slots[EXPORT_CPU_PREFIX_COUNT]; /* by tid; zeros to begin with */
};

/*
 * cpu, pid and tid, as far as the event has them; each begins with its comma. Returns the address
 * after them. Space: EXPORT_CPU_PREFIX_BYTES.
 */
char *export_put_cpu_prefix(char *to, struct export_cpu_prefixes *prefixes,
                            const struct cairn_event *event);

/* The name of a thread as a member of jsonl: `,"comm":"walker"`. */
#define EXPORT_COMM_BYTES 16u /* of the names that are kept, with the NUL */

struct export_comm {
    char name[EXPORT_COMM_BYTES];
    uint32_t length; /* of the text; 0: a free slot */
    char text[128];  /* enough for as many escapes as the name has bytes */
};

struct export_comms {
    struct export_comm slots[EXPORT_CPU_PREFIX_COUNT]; /* by tid; zeros to begin with */
};

/* Prints the name of an event's thread, which it has. */
void export_print_comm(struct export_print_output *out, struct export_comms *comms,
                       const struct cairn_event *event);

#endif
