/* SPDX-License-Identifier: MIT */
/*
 * The comm cache: names of tasks, found by thread id, as ftrace's text shows them.
 *
 * A record contains its thread's id, not its name: the name is stored here when the event happens.
 * The cache is bounded. When it is full, a new name replaces another, whose events are then shown
 * with "<...>".
 *
 * Threads: all functions but cairn_comm_cache_init may be called at once, by any CPU in any
 * context, NMIs included. None waits: of two concurrent pushes for one entry one is dropped, and a
 * lookup does not find an entry that is being written. A name is found whole or not at all.
 */
#ifndef CAIRN_KERNEL_COMM_CACHE_H
#define CAIRN_KERNEL_COMM_CACHE_H

#include <cairn/api.h>
#include <cairn/kernel/text.h>

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

/* Members are internal. */
struct cairn_comm_cache {
    struct cairn_comm_entry *entries;
    uint32_t bucket_count;
};

/* The bytes of memory for name_count names. Linux's default is 128 names. */
CAIRN_API size_t cairn_comm_cache_memory_bytes(uint32_t name_count);

/*
 * Makes an empty cache in `memory`, which is aligned to 8 and remains the caller's. Returns 0;
 * EINVAL memory that is not aligned, or is less than cairn_comm_cache_memory_bytes(1).
 */
CAIRN_API int cairn_comm_cache_init(struct cairn_comm_cache *cache, void *memory,
                                    size_t size_bytes);

/*
 * Stores a thread's name: 16 bytes, padded with NULs; the last is treated as a NUL. Thread 0 is
 * ignored. If the name is stored already, this costs a few loads.
 */
CAIRN_API void cairn_comm_cache_push(struct cairn_comm_cache *cache, uint32_t tid,
                                     const char comm[CAIRN_COMM_BYTES]);

/* Looks up a name, NUL-terminated. Returns 0; ENOENT the name is unknown. */
CAIRN_API int cairn_comm_cache_find(const struct cairn_comm_cache *cache, uint32_t tid,
                                    char ret_comm[CAIRN_COMM_BYTES]);

/* Adds the text of Linux's saved_cmdlines: a line "TID NAME" for each name, in no order. */
CAIRN_API void cairn_comm_cache_text(const struct cairn_comm_cache *cache, struct cairn_text *to);

#ifdef __cplusplus
}
#endif

#endif
