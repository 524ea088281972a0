/* SPDX-License-Identifier: MIT */
/* An event of CTF as one of EventHeader. */
#ifndef CTF_EVENT_H
#define CTF_EVENT_H

#include "ctf/fields.h"

/* Starts as zeros, except `bt`; freed by the caller. Reused for each event. */
struct ctf_event {
    const struct ctf_library *bt;
    struct cairn_bytes record; /* common fields, header, extensions, values */
    struct cairn_bytes name;   /* of the tracepoint, zero-terminated */

    bool has_time;
    bool has_wall;
    bool has_cpu;
    bool has_thread;
    uint64_t time_ns; /* of its clock, or since 1970 */
    uint64_t wall_ns;
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    const char *comm; /* or NULL; valid as long as the message */

    struct cairn_bytes definitions;
    struct cairn_bytes values;
};

/*
 * Converts the event of a message. The processor, the thread and its name are taken from the
 * contexts cpu_id, pid or vpid, tid or vtid, procname; other contexts become structs. An event of
 * `cairn export` becomes what it was.
 *
 * by_origin  time_ns is since the origin of its clock: events of several clocks are comparable
 *
 * Returns 0; ENOMEM; E2BIG EventHeader cannot express it.
 */
int ctf_event_convert(struct ctf_event *event, const bt_message *message, bool by_origin);

void ctf_event_free(struct ctf_event *event);

#endif
