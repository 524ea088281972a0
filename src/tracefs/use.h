/* SPDX-License-Identifier: MIT */
/* A use of an event, which keeps the event, as a reference does in the kernel. All under the
 * engine's lock.
 */
#ifndef TRACEFS_USE_H
#define TRACEFS_USE_H

#include <cairn/schema.h>
#include <cairn/tracepoint.h>

/* Its memory is reused, but never freed: a write in another thread, while the file is closed, finds
 * a valid use, perhaps of another event. */
struct tracefs_use {
    struct cairn_tracepoint tracepoint;
    struct tracefs_use *next; /* among the free */
    uint32_t fixed_bytes;     /* of a payload, at the minimum */
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/*
 * Takes a use of an event, which is registered if it does not exist. `flags` of enum
 * engine_entry_flag. Returns 0; EINVAL, E2BIG a bad command; EADDRINUSE; EMFILE no more events;
 * ENOMEM; or the error of the engine.
 */
int tracefs_use_take(const char *command, uint32_t flags, struct tracefs_use **ret_use);

/* The same for an event that is in use, to keep it registered; no event is written by such a use.
 */
int tracefs_use_take_again(const struct tracefs_use *other, struct tracefs_use **ret_use);

/* A use of an event that another process keeps registered, by its number in the registry: it keeps
 * nothing. Returns 0; ENOENT; ENOMEM; or the error of the engine. */
int tracefs_use_adopt(uint32_t index, uint64_t sample_id, struct tracefs_use **ret_use);

/* Ends one that tracefs_use_adopt returned. */
void tracefs_use_disown(struct tracefs_use *use);

void tracefs_use_release(struct tracefs_use *use);

/* True if both are of one event. */
bool tracefs_use_is_same(const struct tracefs_use *a, const struct tracefs_use *b);

/* The event's number in the registry; 0: it was lost, because the tracing directory was full after
 * a fork.
 */
uint32_t tracefs_use_index(const struct tracefs_use *use);

#endif
