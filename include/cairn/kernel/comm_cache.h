/* SPDX-License-Identifier: MIT */
/*
 * The comm cache: names of tasks, found by thread id, as ftrace's text shows them.
 *
 * A record says which thread it is of, not what that is called: the name is remembered here when
 * the event happens. The cache is bounded. Where it is full the new name takes the place of
 * another, whose events are then shown as of "<...>".
 *
 * Threads: all functions but cairn_comm_cache_init may be called at once, by any CPU in any
 * context, NMIs included. None waits: of two pushes for one place one is not remembered, and who
 * looks while the entry is being written does not find it. A name is found whole or not at all.
 */
#ifndef CAIRN_KERNEL_COMM_CACHE_H
#define CAIRN_KERNEL_COMM_CACHE_H

#include <cairn/api.h>
#include <cairn/text.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_COMM_BYTES 16u

struct cairn_comm_entry {
    uint32_t sequence; /* odd while the entry is being written */
    uint32_t tid;      /* 0: free */
    uintptr_t comm[CAIRN_COMM_BYTES / sizeof(uintptr_t)];
};

/* Members are not the user's. */
struct cairn_comm_cache {
    struct cairn_comm_entry *entries;
    uint32_t bucket_count;
};

/* Bytes of memory for so many names. Linux remembers 128 to begin with. */
CAIRN_API size_t cairn_comm_cache_bytes(uint32_t name_count);

/*
 * Makes an empty cache in `memory`, which is aligned to 8 and stays the caller's.
 * Returns 0; EINVAL memory that is not aligned, or is less than cairn_comm_cache_bytes(1).
 */
CAIRN_API int cairn_comm_cache_init(struct cairn_comm_cache *cache, void *memory,
                                    size_t size_bytes);

/*
 * Remembers a thread's name: 16 bytes, filled up with NULs; the last is taken for a NUL. Thread 0
 * is no thread. When the name is there already this costs a few loads.
 */
CAIRN_API void cairn_comm_cache_push(struct cairn_comm_cache *cache, uint32_t tid,
                                     const char comm[CAIRN_COMM_BYTES]);

/* Returns 0, and the name, ended with a NUL; ENOENT: it is not known. */
CAIRN_API int cairn_comm_cache_find(const struct cairn_comm_cache *cache, uint32_t tid,
                                    char ret_comm[CAIRN_COMM_BYTES]);

/* Adds the text of Linux's saved_cmdlines: a line "TID NAME" for each name, in no order. */
CAIRN_API void cairn_comm_cache_text(const struct cairn_comm_cache *cache, struct cairn_text *to);

#ifdef __cplusplus
}
#endif

#endif
