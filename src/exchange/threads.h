/* SPDX-License-Identifier: MIT */
/* The threads that events are from, by their ids, with their names. */
#ifndef EXCHANGE_THREADS_H
#define EXCHANGE_THREADS_H

#include <cairn/decode.h>

#define EXCHANGE_COMM_BYTES 16u

struct exchange_thread {
    uint32_t pid;
    uint32_t tid;
    uint32_t number;                /* in the order of their first events, from 0 */
    char comm[EXCHANGE_COMM_BYTES]; /* "": unknown */
    bool is_described;              /* for the format: the output has it, with this name */
    void *data;                     /* of the format; freed with free */
};

struct exchange_threads {
    struct exchange_thread **slots; /* slot_count, a power of two, at most half of them used */
    uint32_t slot_count;
    uint32_t count;
    struct exchange_thread *last; /* that was found */
};

/*
 * Finds the thread of an event that has CAIRN_EVENT_TID, or adds it. A thread whose name changed is
 * not described any more. Begin with zeros.
 *
 * Returns 0, ENOMEM.
 */
int exchange_threads_of(struct exchange_threads *threads, const struct cairn_event *event,
                        struct exchange_thread **ret_thread);

/* The same by numbers; the name stays. */
int exchange_threads_find(struct exchange_threads *threads, uint32_t pid, uint32_t tid,
                          struct exchange_thread **ret_thread);

/*
 * Finds the process of a thread, or adds it: with the tid EXCHANGE_PROCESS, and the name of its
 * main thread, or of the first thread until that is known. Returns 0, ENOMEM.
 */
#define EXCHANGE_PROCESS UINT32_MAX
int exchange_threads_process_of(struct exchange_threads *threads,
                                const struct exchange_thread *thread,
                                struct exchange_thread **ret_process);

/* Accepts zeros. */
void exchange_threads_free(struct exchange_threads *threads);

#endif
