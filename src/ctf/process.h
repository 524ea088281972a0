/* SPDX-License-Identifier: MIT */
/*
 * The events of CTF traces, read by a process of their own: libbabeltrace2 aborts, or crashes, when
 * a trace is damaged in some ways.
 */
#ifndef CTF_PROCESS_H
#define CTF_PROCESS_H

#include "ctf/frame.h"

#include <stddef.h>
#include <sys/types.h>

#define CTF_TEXT_BYTES 512u

struct ctf_process {
    pid_t pid; /* 0: none */
    int pidfd; /* or -1 */
    int fd;    /* of the pipe */
    uint8_t *buffer;
    size_t capacity;
    size_t begin; /* of the bytes that were read, and not taken */
    size_t end;
    int error; /* how reading ended, which each further call returns; 0: it has not */
    uint64_t lost;
    uint64_t lost_packets;
    uint64_t unreadable;
    char error_text[CTF_TEXT_BYTES];
};

/* An event. Valid until the next call. */
struct ctf_process_event {
    struct ctf_frame frame;
    const char *name; /* of its tracepoint */
    const char *comm; /* or NULL */
    const uint8_t *record;
};

/*
 * Opens the traces in a directory. The process is zeros before.
 *
 * Returns 0; EISDIR there is none; EOPNOTSUPP the library is not installed; EBADMSG; ENOMEM; or the
 * error of opendir, pipe or fork. On failure error_text has the reason, or is "". Closed by the
 * caller, also on failure.
 */
int ctf_process_open(struct ctf_process *process, const char *directory);

/* The same for a pipe, which is closed with it, and a writer that is no child of this process:
 * tests have theirs. */
int ctf_process_open_pipe(struct ctf_process *process, int fd);

void ctf_process_close(struct ctf_process *process);

/* The next event. Returns 0; ENODATA; EBADMSG; ENOMEM; or the error of read. */
int ctf_process_next(struct ctf_process *process, struct ctf_process_event *ret_event);

#endif
