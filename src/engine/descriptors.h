/* SPDX-License-Identifier: MIT */
/*
 * The table of descriptors: data that the events of this process and its family have in common, for
 * recorders that read their records.
 */
#ifndef ENGINE_DESCRIPTORS_H
#define ENGINE_DESCRIPTORS_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/abi.h"

#include <cairn/tracepoint.h>
#include <stdbool.h>

/* The least memory of a table while a session records; a recorder adds more. */
#define ENGINE_TABLE_FIRST_BYTES ((size_t)32 << 10)

/* ---- writing: any thread, any signal handler; no lock, no system call ---- */

/* The contents of an EventHeader descriptor; texts may be NULL. */
struct engine_constants {
    const void *header;   /* the EventHeader */
    const void *metadata; /* with its extension's head */
    uint32_t metadata_bytes;
    uint32_t line;
    const char *file;
    const char *function;
};

/*
 * Adds a descriptor and stores its id in tp->descriptor. With `constants` it describes an
 * EventHeader event; with NULL there is one descriptor for all tracepoints of the event. Returns
 * the id, or ENGINE_ID_NONE if the table has no space.
 */
uint32_t engine_descriptor_add(struct cairn_tracepoint *tp, uint64_t sample_id,
                               const struct engine_constants *constants);

/* Adds a descriptor for a tracepoint whose events have several. The caller stores the id. Returns
 * the id, or ENGINE_ID_NONE if the table has no space. */
uint32_t engine_descriptor_make(uint64_t sample_id, const struct engine_constants *constants);

/* The table of this process; NULL: it is not attached. */
struct engine_descriptor_table *engine_descriptors(void);

/* True if an id of this process belongs to a descriptor with this sample id. */
static inline bool engine_descriptor_is_of(const struct engine_descriptor_table *table, uint32_t id,
                                           uint64_t sample_id)
{
    const uint8_t *units = (const void *)table;
    const struct engine_descriptor *descriptor =
        (const void *)(units + (size_t)(id / ENGINE_ID_VARIANTS) * ENGINE_DESCRIPTOR_UNIT);

    return core_load_relaxed(&descriptor->sample_id) == sample_id;
}

/* Returns the id if it belongs to a descriptor with this sample id; otherwise ENGINE_ID_NONE: the
 * tracepoint has been registered again. */
static inline uint32_t engine_descriptor_check(uint32_t id, uint64_t sample_id)
{
    const struct engine_descriptor_table *table = engine_descriptors();

    return table && engine_descriptor_is_of(table, id, sample_id) ? id : ENGINE_ID_NONE;
}

/* Clears the descriptor's id of an earlier registration, after the tracepoint's sample id was set.
 * The fence pairs with the one in engine_descriptor_add. */
static inline void engine_descriptor_forget(struct cairn_tracepoint *tp)
{
    core_fence_seq_cst();
    core_store_relaxed(&tp->descriptor, ENGINE_ID_NONE);
}

/* The number of bytes of an event's payload that precede its values, without those of activity ids.
 */
static inline uint32_t engine_constant_bytes(const struct engine_constants *constants,
                                             uint32_t variant)
{
    return (uint32_t)sizeof(((struct engine_descriptor *)0)->header) + constants->metadata_bytes +
           (variant ? ENGINE_EXTENSION_BYTES : 0);
}

/* Returns the id of the descriptor of a tracepoint whose events all have the same constants, or
 * have no constants. Adds the descriptor if necessary. */
static inline uint32_t engine_tracepoint_id(const struct cairn_tracepoint *tp, uint64_t sample_id,
                                            const struct engine_constants *constants)
{
    const struct engine_descriptor_table *table = engine_descriptors();
    uint32_t id = core_load_acquire(&tp->descriptor); /* pairs with the release in adding it */

    if (cairn_likely(id) && engine_descriptor_is_of(table, id, sample_id))
        return id;
    /* A registered tracepoint is not constant. */
    return engine_descriptor_add((struct cairn_tracepoint *)(uintptr_t)tp, sample_id, constants);
}

/* ---- memory ---- */

/* Allocates memory for the table of a pool file: of at least `bytes`, and of as much again as is in
 * use. Returns 0, or the errno code of a system call. Several processes may do it concurrently. */
int engine_descriptors_back(int fd, struct engine_descriptor_table *table, size_t bytes)
    CORE_PRIVATE_API(engine_descriptors_back);

/* True if the table needs more memory soon. */
static inline bool engine_descriptors_need_memory(const struct engine_descriptor_table *table)
{
    uint32_t backed = core_load_relaxed(&table->backed_units);

    return backed < ENGINE_TABLE_UNITS && core_load_relaxed(&table->used_units) > backed / 2;
}

/* ---- reading ---- */

/*
 * Copies the descriptor of an id from the table of another process, which may contain anything.
 * Returns 0; ENOENT there is none; EBADMSG it is not valid; ENOMEM.
 *
 * ret_descriptor  with its texts; to be freed by the caller
 */
int engine_descriptor_copy(const struct engine_descriptor_table *table, uint32_t id,
                           struct engine_descriptor **ret_descriptor)
    CORE_PRIVATE_API(engine_descriptor_copy);

#endif
