/* SPDX-License-Identifier: MIT */
/* Enable bits: words of programs in which a bit is set while an event has a listener. All under
 * the engine's lock. */
#ifndef TRACEFS_ENABLER_H
#define TRACEFS_ENABLER_H

#include "tracefs/program.h"
#include "tracefs/reference.h"

#include <stdbool.h>

struct tracefs_enabler_request {
    uint64_t address;
    uint32_t word_bytes; /* 4 or 8 */
    uint32_t bit;
};

/* True if the program added or inherited a bit there. A copy that is a guess is none. */
bool tracefs_enabler_is_there(const struct tracefs_program *program, uint64_t address,
                              uint32_t bit);

/* Sets or clears the bit now, and at later changes; the program has no other there. The reference
 * is shared. Returns 0; EFAULT; ENOMEM. */
int tracefs_enabler_add(const struct tracefs_program *program,
                        const struct tracefs_enabler_request *request,
                        struct tracefs_reference *reference);

/* Forgets the bit, and clears it. Returns 0; ENOENT; EFAULT. */
int tracefs_enabler_remove(const struct tracefs_program *program, uint64_t address, uint32_t bit);

/* Forgets all bits of a program that has ended. */
void tracefs_enabler_drop(const struct tracefs_program *program);

/*
 * Copies the bits of a parent, up to a time, for a forked child, which has them in memory of its
 * own, and sets and clears them there. A bit that was added after `surely_until_ns` is a guess: it
 * gives way to one that the child adds. Times are of CLOCK_BOOTTIME.
 */
void tracefs_enabler_copy(const struct tracefs_program *parent, const struct tracefs_program *child,
                          uint64_t surely_until_ns, uint64_t until_ns);

/* Sets and clears all bits whose event got its first listener or lost its last one. False: none
 * changed. */
bool tracefs_enabler_update(void);

/* True if there are bits to update. */
bool tracefs_enabler_any(void);

#endif
