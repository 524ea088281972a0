/* SPDX-License-Identifier: MIT */
/* The frames of the process that reads CTF, in a pipe: each is followed by its bytes. */
#ifndef CTF_FRAME_H
#define CTF_FRAME_H

#include <stdbool.h>
#include <stdint.h>

enum ctf_frame_kind {
    CTF_FRAME_OPENED = 1, /* the first one, if the traces could be opened */
    CTF_FRAME_EVENT = 2,  /* name, comm, record */
    CTF_FRAME_END = 3,    /* the last one: the text of an error */
};

#define CTF_FRAME_HAS_TIME   0x1u
#define CTF_FRAME_HAS_WALL   0x2u
#define CTF_FRAME_HAS_CPU    0x4u
#define CTF_FRAME_HAS_THREAD 0x8u
#define CTF_FRAME_HAS_COMM   0x10u

struct ctf_frame {
    uint32_t kind;
    uint32_t has;
    int32_t error; /* of the end: an errno code; ENODATA: all was read */
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint64_t wall_ns;
    uint64_t lost; /* so far, as the next two */
    uint64_t lost_packets;
    uint64_t unreadable;
    uint32_t name_bytes; /* a zero included; of the end: of the text */
    uint32_t comm_bytes; /* a zero included */
    uint32_t record_bytes;
    uint32_t reserved;
};

#define CTF_FRAME_BYTES_MAX (256u << 20) /* of a frame's bytes */

#endif
