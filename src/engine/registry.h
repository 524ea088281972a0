/* SPDX-License-Identifier: MIT */
/*
 * The registry of a tracing directory: which events exist, who wants them. One opening of it is a
 * struct engine_registry; a traced process has one, and a recorder has one.
 */
#ifndef ENGINE_REGISTRY_H
#define ENGINE_REGISTRY_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/abi.h"
#include "engine/directory.h"

#include <stdbool.h>

struct engine_registry {
    struct engine_directory directory;
    struct engine_registry_file *registry;
    struct engine_session_slot *slots;
    uint32_t *buckets;
    struct engine_event_entry *entries;
    uint8_t *status;        /* the status page: ENGINE_EVENT_MAX bytes */
    uint32_t found_version; /* of the registry there, if opening returned EPROTONOSUPPORT */
    /* under the lock */
    uint32_t backed_end; /* entries before this one are known to have memory */
    bool is_changed;     /* entries have changed: waiting processes are notified when the lock is
                            released */
    bool slots_known;    /* the next is right */
    uint64_t slots_used; /* mask of the slots with a session */
    int lock_fd;         /* -1, or the lock while we hold it */
    dev_t device;        /* of the registry's file, */
    ino_t inode;         /* and its number there */
    bool impatient;      /* taking the lock failed: there is no waiting until an attempt succeeds */
    uint32_t lock_tries; /* to take the lock, a millisecond each; 0: ENGINE_LOCK_TRIES */
};

/* For traced programs, and for those that need the registry, as under cairn run. */
#define ENGINE_LOCK_TRIES      2000u
#define ENGINE_LOCK_TRIES_LONG 20000u

/*
 * Opens the registry of the tracing directory, and creates it if it does not exist.
 *
 * Returns 0; what engine_directory_find returned; EPROTONOSUPPORT a registry of another version
 * (local->found_version has the number); EBADMSG no registry; or what a system call returned. Call
 * engine_registry_close in any case.
 */
int engine_registry_open(struct engine_registry *local) CORE_PRIVATE_API(engine_registry_open);

/*
 * The same without the lock, for a program that could not have it. Returns as
 * engine_registry_open; also EBUSY the process that has the lock has not finished creating
 * the registry.
 */
int engine_local_open_unlocked(struct engine_registry *local);

/*
 * Opens the registry of another user in the same shared directory, by its name there;
 * creates nothing, and never waits for its lock. That user may truncate the mapped files at any
 * time: access them only under a SIGBUS guard (os/guard.h). Returns as
 * engine_registry_open; also ENOENT its user has not finished creating it; EBUSY.
 */
int engine_registry_open_other(struct engine_registry *local, const struct engine_directory *own,
                               const char *name) CORE_PRIVATE_API(engine_registry_open_other);

/* The same for a directory that is open (engine_directory_of_descriptor). */
int engine_registry_open_descriptor(struct engine_registry *local, int fd)
    CORE_PRIVATE_API(engine_registry_open_descriptor);
void engine_registry_close(struct engine_registry *local) CORE_PRIVATE_API(engine_registry_close);

/*
 * Takes the lock under which the registry is changed. Waits for at most two seconds, since a
 * stopped process may hold it; after that does not wait until an attempt has succeeded. Completes
 * the change of a process that died while it held the lock, and does the registrations that
 * programs have left because they could not have it (pending.h). Returns 0; EBUSY; or what a system
 * call returned.
 */
int engine_registry_lock(struct engine_registry *local) CORE_PRIVATE_API(engine_registry_lock);
void engine_registry_unlock(struct engine_registry *local) CORE_PRIVATE_API(engine_registry_unlock);

/* Takes the lock as engine_registry_lock does, but without waiting: for recorders, which do again
 * later what they could not do now. */
int engine_registry_lock_now(struct engine_registry *local)
    CORE_PRIVATE_API(engine_registry_lock_now);

/*
 * Takes it without waiting, and without repairs, which take memory: for writers of events. Returns
 * 0; EBUSY another process has it, or a repair is needed; or what a system call returned.
 */
int engine_registry_try_lock(struct engine_registry *local)
    CORE_PRIVATE_API(engine_registry_try_lock);

/*
 * Checks that the path of the directory still leads to this registry: a program may have changed to
 * another root directory, or into a container, or the directory was removed. Takes no descriptor:
 * there may be none left. Returns 0; ENOENT it is gone, or is another one; or the error of lstat:
 * it is not known.
 */
int engine_registry_check_path(const struct engine_registry *local)
    CORE_PRIVATE_API(engine_registry_check_path);

/* Entries from this index on were never in use. */
static inline uint32_t engine_registry_end(const struct engine_registry *local)
{
    uint32_t end = core_load_relaxed(&local->registry->first_unused);

    return end < ENGINE_EVENT_MAX ? end : ENGINE_EVENT_MAX;
}

/* ---- under the lock ---- */

/*
 * The entry after `index` that was registered by this name, or 0: the first after 0. One at most is
 * of a single format; those of ENGINE_ENTRY_MULTI have their name with a suffix in their command.
 * The name ends at a NUL, a space or a colon.
 */
uint32_t engine_registry_next(const struct engine_registry *local, const char *name,
                              uint32_t index);

/* The entry of a single format by this name, or 0. */
uint32_t engine_registry_find(const struct engine_registry *local, const char *name);

/* The beginning of the list that an entry is on when it is free. */
uint32_t *engine_registry_free_list(struct engine_registry *local, uint32_t index);

/*
 * A new entry; `flags` of enum engine_entry_flag. Returns 0; E2BIG a command that is too long;
 * ENOSPC all entries are in use, or there is no memory for it.
 */
int engine_registry_add(struct engine_registry *local, const char *command, uint32_t flags,
                        uint32_t *ret_index);

/* Frees an entry that nobody refers to, no session has taken, and that is not to persist; otherwise
 * does nothing. */
void engine_registry_collect(struct engine_registry *local, uint32_t index);

/* Frees an entry, also one that persists. Returns 0; EBUSY somebody refers to it, or has taken it.
 */
int engine_registry_delete(struct engine_registry *local, uint32_t index);

/* Notifies waiting processes that entries have changed. */
void engine_registry_notify(struct engine_registry *local);

/*
 * The same for a registration: waiting processes are notified once, when the lock is released, and
 * woken only if there is a session. Without a session no entry is wanted, before and after.
 */
static inline void engine_registry_note_change(struct engine_registry *local)
{
    local->is_changed = true;
}

/* Returns the slots with a session, one bit each: determined once while the lock is held. */
uint64_t engine_registry_slots_used(struct engine_registry *local);

/* Without the lock: waits until engine_registry_notify is called after `changes` was read as
 * `seen`, up to the timeout. */
void engine_registry_wait(const struct engine_registry *local, uint32_t seen, uint32_t timeout_ms);

/* Length of the name that begins a command text, which may be an entry's and not end: always less
 * than CAIRN_COMMAND_MAX_BYTES. */
uint32_t engine_command_name_length(const char *command)
    CORE_PRIVATE_API(engine_command_name_length);

/* Length of the name that an entry was registered by: without the suffix of one of several formats.
 */
uint32_t engine_entry_name_length(const struct engine_event_entry *entry);

/* Sets an entry's status byte by the sessions in its mask. */
void engine_registry_refresh_status(struct engine_registry *local, uint32_t index);

#endif
