/* SPDX-License-Identifier: MIT */
/* The reasons why an event, or all events of a process, are missing from a session. */
#ifndef CAIRN_LOSS_H
#define CAIRN_LOSS_H

/* The numbers are an ABI: counters in the tracing directory and in recordings have this order. */
enum cairn_loss {
    CAIRN_LOSS_FULL = 0,    /* the buffer of its process was full */
    CAIRN_LOSS_NESTED,      /* written by a signal handler that interrupted too many others */
    CAIRN_LOSS_TOO_LARGE,   /* larger than a record can be */
    CAIRN_LOSS_PERMISSION,  /* the process may not, or no longer, access the tracing directory */
    CAIRN_LOSS_LIMIT,       /* RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_AS..., or no memory */
    CAIRN_LOSS_STORAGE,     /* the tracing directory's file system, or a quota, is full */
    CAIRN_LOSS_UNREACHABLE, /* the process does not find the tracing directory, or no longer */
    CAIRN_LOSS_OTHER,
};

#define CAIRN_LOSS_CAUSES 8u

#endif
