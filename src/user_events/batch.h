/* SPDX-License-Identifier: MIT */
/*
 * Many registrations in one go: the locks are taken, and the kernel's file is looked for, once for
 * all of them, and tracepoints of the same event share what was found out about it.
 */
#ifndef USER_EVENTS_BATCH_H
#define USER_EVENTS_BATCH_H

#include "engine/engine.h"
#include "user_events/backend.h"

struct cairn_user_event_batch {
    cairn_engine_guard guard;
    struct cairn_backends backends;
    bool kernel_is_asked; /* the next is known: */
    int kernel_error;     /* why the kernel takes no events at all */
    /* The caller's: not 0 when all commands are good and have fields of so many bytes, none
     * dynamic. They are not parsed then. */
    uint32_t fixed_bytes;
    uint32_t count;                      /* since the locks were taken */
    const struct cairn_tracepoint *last; /* that was registered in full, or NULL */
};

/* Takes the locks, with all signals blocked: until it is closed the thread does nothing else. Any
 * thread. Not in signal handlers. */
void cairn_user_event_batch_open(struct cairn_user_event_batch *batch);
void cairn_user_event_batch_close(struct cairn_user_event_batch *batch);

/*
 * As cairn_tracepoint_register and cairn_tracepoint_unregister. Tracepoints with the same command
 * (the same pointer) are to follow each other. Every few hundred the locks are let go for a moment,
 * so that signals and other threads have their turn.
 */
int cairn_user_event_batch_register(struct cairn_user_event_batch *batch,
                                    struct cairn_tracepoint *tp, const char *command);
int cairn_user_event_batch_unregister(struct cairn_user_event_batch *batch,
                                      struct cairn_tracepoint *tp);

#endif
