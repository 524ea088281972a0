/* SPDX-License-Identifier: MIT */
/* The processes and threads of a report, found by their ids, and their tracks. */
#ifndef REPORT_THREADS_H
#define REPORT_THREADS_H

#include "report/pyramid.h"

#include <cairn/decode.h>

#define REPORT_COMM_BYTES  16u
#define REPORT_THREADS_MAX 65536u /* further ones share the last */
#define REPORT_LANES       64u /* for spans of a thread that overlap; further ones share the last */
#define REPORT_NO_TRACK    UINT32_MAX

struct report_thread {
    uint32_t source; /* the recording that it is in */
    uint32_t pid;
    uint32_t tid;
    uint32_t number;
    char comm[REPORT_COMM_BYTES]; /* the last one; "": unknown */
    uint64_t events;
    uint32_t events_track;
    uint32_t states_track;
    uint32_t lanes[REPORT_LANES];      /* tracks */
    uint32_t lane_users[REPORT_LANES]; /* open spans */
};

struct report_threads {
    struct report_thread **list;
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* number + 1 of threads by a hash; slot_count, a power of two */
    uint32_t slot_count;
    struct report_thread *last; /* found */
};

/* Finds a thread, or adds it. Returns 0, ENOMEM. */
int report_threads_find(struct report_threads *threads, uint32_t source, uint32_t pid, uint32_t tid,
                        struct report_thread **ret_thread);

/* The newest thread of an id, whose process is not known; NULL: none. */
struct report_thread *report_threads_find_tid(const struct report_threads *threads, uint32_t source,
                                              uint32_t tid);

void report_thread_set_comm(struct report_thread *thread, const char *comm);

/* Accepts zeros. */
void report_threads_free(struct report_threads *threads);

#endif
