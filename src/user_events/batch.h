/* SPDX-License-Identifier: MIT */
/* Many registrations at once: the locks are taken, and the kernel's file is looked up, once for all
 * of them. Tracepoints of the same event share the result of parsing and of the lookup. */
#ifndef USER_EVENTS_BATCH_H
#define USER_EVENTS_BATCH_H

#include "engine/engine.h"
#include "user_events/backend.h"

struct user_events_batch {
    engine_lock_state lock_state;
    struct user_events_choice choice;
    bool kernel_is_asked; /* the next member is valid */
    int kernel_error;     /* the reason if the kernel accepts no events at all */
    /* Set by the caller. Not 0: all commands are valid, their fields have this many bytes, and none
     * is dynamic. The commands are not parsed then. */
    uint32_t fixed_bytes;
    uint32_t count;                      /* registrations since the locks were taken */
    const struct cairn_tracepoint *last; /* the last one that was registered completely, or NULL */
};

/* Takes the locks, with all signals blocked: until it is closed the thread does nothing else. Any
 * thread. Not in signal handlers. */
void user_events_batch_open(struct user_events_batch *batch);
void user_events_batch_close(struct user_events_batch *batch);

/* As cairn_tracepoint_register and cairn_tracepoint_unregister. Tracepoints with the same command
 * (the same pointer) must be adjacent. The locks are released and taken again every few hundred
 * registrations, so that signals and other threads are not delayed for long. */
int user_events_batch_register(struct user_events_batch *batch, struct cairn_tracepoint *tp,
                               const char *command);
int user_events_batch_unregister(struct user_events_batch *batch, struct cairn_tracepoint *tp);

#endif
