/* SPDX-License-Identifier: MIT */
/*
 * The numbers of overwritten events in a trace.dat: options have texts about the CPUs of each
 * buffer, from the kernel's files `stats`. The bytes are untrusted.
 */
#ifndef DECODE_DAT_LOSSES_H
#define DECODE_DAT_LOSSES_H

#include "core/cursor.h"

struct decode_dat_overrun {
    uint64_t buffer;
    uint64_t events;
    uint32_t cpu;
};

/* Zeros are an empty one. */
struct decode_dat_losses {
    struct decode_dat_overrun *overruns;
    uint32_t count;
    uint64_t buffer; /* that the next texts are about */
};

/* Returns the identity of a buffer: 0 if it has no name, as the file's own. */
uint64_t decode_dat_buffer_of(const char *name, size_t length);

/* Takes the text of an option. Returns 0, ENOMEM. */
int decode_dat_losses_take(struct decode_dat_losses *losses, struct core_cursor text);

/* Returns how many events of a CPU were overwritten; 0: unknown. */
uint64_t decode_dat_losses_of(const struct decode_dat_losses *losses, uint64_t buffer,
                              uint32_t cpu);

void decode_dat_losses_free(struct decode_dat_losses *losses);

#endif
