/* SPDX-License-Identifier: MIT */
/*
 * A cache of the text that the events of one layout, or of all, have in common while their thread,
 * its name and the CPU are the same: few threads write most events, and this is the larger part of
 * a line.
 */
#ifndef EXPORT_COMMON_H
#define EXPORT_COMMON_H

#include "export/output.h"

#include <cairn/decode.h>

#define EXPORT_COMMON_BYTES      320u /* of texts that are kept; a few KiB of them are in use */
#define EXPORT_COMMON_COMM_BYTES 16u  /* of the names that are kept, with the NUL */

struct export_common {
    uint64_t serial; /* of the layout; 0: of all layouts */
    bool is_used;
    uint32_t has; /* the bits of cpu and tid */
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint32_t length;
    char comm[EXPORT_COMMON_COMM_BYTES]; /* "" if it is unknown */
    char text[EXPORT_COMMON_BYTES + EXPORT_OUTPUT_PADDING_BYTES];
};

#define EXPORT_COMMON_COUNT 64u /* a power of two */

struct export_commons {
    struct export_common slots[EXPORT_COMMON_COUNT]; /* zeros to begin with */
};

struct cairn_printer;

/* Writes the text of an event, whose `texts` the printer has set. */
typedef void export_common_write(struct export_print_output *out,
                                 const struct cairn_printer *printer,
                                 const struct cairn_event *event);

/* Writes a text to a slot, if it fits, and adds it to the output: the slow path of the next. */
void export_common_add(struct cairn_printer *printer, struct export_common *slot, uint64_t serial,
                       const struct cairn_event *event, export_common_write *write);

static inline uint32_t export_common_has(const struct cairn_event *event)
{
    return event->has & (CAIRN_EVENT_CPU | CAIRN_EVENT_TID);
}

static inline struct export_common *
export_common_slot(struct export_commons *commons, uint64_t serial, const struct cairn_event *event)
{
    return &commons->slots[(serial * 8 + event->tid + event->cpu * 13) % EXPORT_COMMON_COUNT];
}

/* comm  "" if it is not part of the text */
static inline bool export_common_is_of(const struct export_common *common, uint64_t serial,
                                       const struct cairn_event *event, const char *comm)
{
    return common->is_used && common->serial == serial && common->cpu == event->cpu &&
           common->pid == event->pid && common->tid == event->tid &&
           common->has == export_common_has(event) && !strcmp(common->comm, comm);
}

/* `,"cpu":1,"pid":2,"tid":3`, as far as the event has them. Space: 64 bytes. */
char *export_put_thread(char *to, const struct cairn_event *event,
                        char *(*put_task)(char *to, uint32_t id));

#endif
