/* SPDX-License-Identifier: MIT */
/*
 * Sections: what lies between the host's `enter` and `leave`. What is replaced stays as it is until
 * all sections that may have seen it are over: a grace period.
 */
#ifndef CORE_TRACE_SECTION_H
#define CORE_TRACE_SECTION_H

#include <cairn/host.h>
#include <cairn/trace.h>
#include <cairn/trace_buffer.h>

/* A section in which nothing is written. */
struct cairn_i_section {
    const struct cairn_trace *trace;
    struct cairn_host_context context;
    struct cairn_trace_cpu *cpu; /* NULL: no rings */
    uint32_t level;
};

void cairn_i_section_enter(const struct cairn_trace *trace, struct cairn_i_section *section);
void cairn_i_section_leave(struct cairn_i_section *section);

/* Whether the caller may wait: it is in no section, and in no interrupt. */
bool cairn_i_trace_can_wait(const struct cairn_trace *trace);

/* Returns when all sections that there were at the time of the call are over. */
void cairn_i_trace_wait(const struct cairn_trace *trace);

#endif
