/* SPDX-License-Identifier: MIT */
/* The file of a session that can be resumed: which blocks of records have been written. */
#ifndef SESSION_RESUME_STATE_H
#define SESSION_RESUME_STATE_H

#include "engine/abi.h"

#include <limits.h>
#include <stdbool.h>

#define RESUME_MAGIC           UINT64_C(0x31656d7573657263) /* "cresume1" */
#define RESUME_GAPS            64u
#define RESUME_DIRECTORIES_MAX 64u

/* Changed with each block, by one write. Blocks are numbered over all files. */
struct resume_block {
    uint64_t written; /* up to this number all are written, or are gaps */
    uint64_t pending; /* one that is being written; 0: none. Its file, and where it ends there: */
    uint64_t device;
    uint64_t inode;
    uint64_t end;
};

/* A session of the engine. */
struct resume_directory {
    uint64_t device; /* of the tracing directory */
    uint64_t inode;
    uint64_t generation; /* 0: it is about to begin, */
    uint64_t first;      /* with this generation or a later one */
    uint32_t slot;
    uint32_t pid; /* of the recorder that began it, */
    uint64_t pid_start;
    uint64_t lost[CAIRN_LOSS_CAUSES];      /* losses outside of pools that are in a file */
    uint64_t next_lost[CAIRN_LOSS_CAUSES]; /* and those of the one that takes its place */
};

struct resume_file {
    uint64_t magic;
    uint64_t size_bytes;
    struct resume_block block;
    uint64_t is_used; /* positions in the block after the written ones may exist */
    uint64_t gap_count;
    uint64_t gaps[RESUME_GAPS]; /* the latest numbers of blocks that were never written */
    char directory[PATH_MAX];   /* of the files */
    struct resume_directory directories[RESUME_DIRECTORIES_MAX];
};

struct resume_state {
    int fd;
    int directory_fd; /* of recorders */
    char name[NAME_MAX];
    struct resume_file file; /* a copy */
};

/* Opens or makes the file of a name, and locks it. Returns 0; EBUSY it is locked; or an errno code.
 * To be closed in any case. */
int resume_state_open(struct resume_state *state, const char *name);
void resume_state_close(struct resume_state *state, bool remove);

/* Writes a part of the file: a member of state->file. */
void resume_state_store(const struct resume_state *state, const void *member, size_t size_bytes);

/* True if a block was written; the file of one that was about to be is looked at. */
bool resume_state_is_written(const struct resume_state *state, uint64_t block);

#endif
