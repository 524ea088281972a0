/* SPDX-License-Identifier: MIT */
/*
 * The cache of task names: a table of buckets. Each entry has a sequence lock that nobody waits
 * for: a writer or reader that finds an entry being written skips it, because it may have
 * interrupted that very writer.
 */
#include "core/atomic.h"
#include "core/errno.h"

#include <cairn/kernel/comm_cache.h>
#include <stdbool.h>

#define WAYS         4u
#define BUCKET_BYTES (WAYS * sizeof(struct cairn_comm_entry))
#define BUCKETS_MAX  (1u << 24)
#define COMM_UNITS   (CAIRN_COMM_BYTES / sizeof(uintptr_t))

/* A consistent copy of an entry. */
struct look {
    uint32_t sequence;
    uint32_t tid;
    uintptr_t comm[COMM_UNITS];
};

size_t cairn_comm_cache_memory_bytes(uint32_t name_count)
{
    return ((size_t)name_count + WAYS - 1) / WAYS * BUCKET_BYTES;
}

int cairn_comm_cache_init(struct cairn_comm_cache *cache, void *memory, size_t size_bytes)
{
    size_t buckets = size_bytes / BUCKET_BYTES;

    if (!memory || (uintptr_t)memory % 8 || !buckets)
        return EINVAL;
    if (buckets > BUCKETS_MAX)
        buckets = BUCKETS_MAX;
    __builtin_memset(memory, 0, buckets * BUCKET_BYTES);
    *cache = (struct cairn_comm_cache){(struct cairn_comm_entry *)memory, (uint32_t)buckets};
    return 0;
}

/* Multiplied by the golden ratio, consecutive numbers spread evenly. */
static struct cairn_comm_entry *bucket_of(const struct cairn_comm_cache *cache, uint32_t tid)
{
    uint32_t hash = tid * 2654435769u;

    return cache->entries + ((uint64_t)hash * cache->bucket_count >> 32) * WAYS;
}

/* False: the entry is being written. */
static bool look_at(const struct cairn_comm_entry *entry, struct look *ret_look)
{
    /* pairs with the release in write_entry: what is read below is as new as the sequence */
    ret_look->sequence = core_load_acquire(&entry->sequence);
    ret_look->tid = core_load_relaxed(&entry->tid);
    for (uint32_t i = 0; i < COMM_UNITS; i++)
        ret_look->comm[i] = core_load_relaxed(&entry->comm[i]);
    /* pairs with the fence in write_entry: a reader of a new word sees the sequence changed */
    core_fence_acquire();
    return ret_look->sequence % 2 == 0 && core_load_relaxed(&entry->sequence) == ret_look->sequence;
}

/* Overwrites the entry that was copied; does nothing if it has changed since. */
static void write_entry(struct cairn_comm_entry *entry, uint32_t sequence, uint32_t tid,
                        const uintptr_t comm[COMM_UNITS])
{
    if (!core_compare_exchange_acquire(&entry->sequence, &sequence, sequence + 1))
        return;
    /* pairs with the fence in look_at: the odd sequence before any new word */
    core_fence_release();
    core_store_relaxed(&entry->tid, tid);
    for (uint32_t i = 0; i < COMM_UNITS; i++)
        core_store_relaxed(&entry->comm[i], comm[i]);
    /* pairs with the acquire in look_at: all units before the even sequence */
    core_store_release(&entry->sequence, sequence + 2);
}

/*
 * Chooses the entry to write: the thread's own, else a free one, else round robin: each write adds
 * two to the sum of a bucket's sequences.
 */
static uint32_t choose_way(const struct look looks[WAYS], uint32_t tid)
{
    uint32_t free_way = WAYS, writes = 0;

    for (uint32_t way = 0; way < WAYS; way++) {
        if (looks[way].tid == tid)
            return way;
        if (!looks[way].tid && free_way == WAYS)
            free_way = way;
        writes += looks[way].sequence / 2;
    }
    return free_way < WAYS ? free_way : writes % WAYS;
}

void cairn_comm_cache_push(struct cairn_comm_cache *cache, uint32_t tid,
                           const char comm[CAIRN_COMM_BYTES])
{
    struct cairn_comm_entry *bucket = bucket_of(cache, tid);
    struct look looks[WAYS];
    uintptr_t units[COMM_UNITS];
    uint32_t way;

    if (!tid)
        return;
    __builtin_memcpy(units, comm, sizeof(units));
    ((char *)units)[CAIRN_COMM_BYTES - 1] = '\0';

    for (way = 0; way < WAYS; way++) {
        /* An entry that is being written may become this thread's: do not add a second one. */
        if (!look_at(&bucket[way], &looks[way]))
            return;
        if (looks[way].tid == tid && !__builtin_memcmp(looks[way].comm, units, sizeof(units)))
            return;
    }
    way = choose_way(looks, tid);
    write_entry(&bucket[way], looks[way].sequence, tid, units);
}

int cairn_comm_cache_find(const struct cairn_comm_cache *cache, uint32_t tid,
                          char ret_comm[CAIRN_COMM_BYTES])
{
    const struct cairn_comm_entry *bucket = bucket_of(cache, tid);
    struct look look;

    for (uint32_t way = 0; tid && way < WAYS; way++) {
        if (look_at(&bucket[way], &look) && look.tid == tid) {
            __builtin_memcpy(ret_comm, look.comm, CAIRN_COMM_BYTES);
            return 0;
        }
    }
    return ENOENT;
}

void cairn_comm_cache_text(const struct cairn_comm_cache *cache, struct cairn_text *to)
{
    struct look look;

    for (uint32_t i = 0; i < cache->bucket_count * WAYS && !to->full; i++) {
        if (look_at(&cache->entries[i], &look) && look.tid)
            cairn_text_printf(to, "%d %s\n", (int)look.tid, (const char *)look.comm);
    }
}
