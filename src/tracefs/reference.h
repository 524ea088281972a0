/* SPDX-License-Identifier: MIT */
/* A reference to an event, which keeps the event registered, as in the kernel. All under the
 * engine's lock.
 */
#ifndef TRACEFS_REFERENCE_H
#define TRACEFS_REFERENCE_H

#include <cairn/schema.h>
#include <cairn/tracepoint.h>

/* Its memory is reused, but never freed: a write in another thread, while the file is closed, finds
 * a valid reference, perhaps to another event. */
struct tracefs_reference {
    struct cairn_tracepoint tracepoint;
    struct tracefs_reference *next; /* among the free */
    uint32_t owners;
    uint32_t fixed_bytes; /* of a payload, at the minimum */
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/*
 * Takes a reference to an event, which is registered if it does not exist. `flags` of enum
 * engine_entry_flag. Returns 0; EINVAL, E2BIG a bad command; EADDRINUSE; EMFILE no more events;
 * ENOMEM; or the error of the engine.
 */
int tracefs_reference_take(const char *command, uint32_t flags,
                           struct tracefs_reference **ret_reference);

/* Adds an owner: each releases the reference. */
static inline struct tracefs_reference *tracefs_reference_share(struct tracefs_reference *reference)
{
    reference->owners++;
    return reference;
}

/* A reference to an event that another process keeps registered, by its number in the registry: it
 * keeps nothing. Returns 0; ENOENT; ENOMEM; or the error of the engine. */
int tracefs_reference_adopt(uint32_t index, uint64_t sample_id,
                            struct tracefs_reference **ret_reference);

/* Ends one that tracefs_reference_adopt returned. */
void tracefs_reference_disown(struct tracefs_reference *reference);

void tracefs_reference_release(struct tracefs_reference *reference);

/* True if both lead to one event. */
bool tracefs_reference_is_same(const struct tracefs_reference *a,
                               const struct tracefs_reference *b);

/* The event's number in the registry; 0: it was lost, because the tracing directory was full after
 * a fork.
 */
uint32_t tracefs_reference_index(const struct tracefs_reference *reference);

#endif
