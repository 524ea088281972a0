/* SPDX-License-Identifier: MIT */
/*
 * Probes in programs that were not prepared for tracing: at the entry of functions, with the
 * arguments that debug information describes, and at the static probes of SystemTap (USDT). The
 * kernel makes a tracepoint of each (uprobe_events of tracefs).
 */
#ifndef PERF_EVENTS_PROBES_H
#define PERF_EVENTS_PROBES_H

#include "perf_data/bytes.h"

#include <stdbool.h>

/* A place in a file, and what the kernel is to fetch there. */
struct perf_events_probe {
    char *name;               /* of the event: identifiers and digits only */
    uint64_t offset;          /* in the file */
    uint64_t counter;         /* offset of the probe's reference counter; 0: it has none */
    struct cairn_bytes fetch; /* " n=%di:s32 text=+0(%si):string", without a NUL */
};

struct perf_events_probes {
    struct perf_events_probe *probes;
    uint32_t count;
};

/*
 * Finds the functions of a file whose names match a glob.
 *
 * ret_probes  added to; freed by the caller
 *
 * Returns 0; ENOENT none matches; EBADMSG not an executable or library; EOPNOTSUPP libdw is not
 * installed, or this build is without it, or the processor is unknown; ENOMEM.
 */
int perf_events_find_functions(const char *path, const char *pattern,
                               struct perf_events_probes *ret_probes);

/* The same for static probes; the pattern is "provider:name", or a name. */
int perf_events_find_static(const char *path, const char *pattern,
                            struct perf_events_probes *ret_probes);

/* Finds probes: one of these two. */
typedef int perf_events_find(const char *path, const char *pattern,
                             struct perf_events_probes *ret_probes);

/* Appends a probe. Returns 0; ENOMEM. */
int perf_events_add_probe(struct perf_events_probes *probes, const char *name, uint64_t offset,
                          struct perf_events_probe **ret_probe);

void perf_events_free_probes(struct perf_events_probes *probes);

/*
 * Appends an argument of a static probe, as its note describes it: "-4@%edi", "8@-16(%rbp)",
 * "4@$5". Arguments of other forms are left out. Returns their number so far.
 */
unsigned perf_events_put_static_argument(struct cairn_bytes *fetch, unsigned number,
                                         const char *text, size_t length);

#endif
