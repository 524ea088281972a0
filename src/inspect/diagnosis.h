/* SPDX-License-Identifier: MIT */
/* A diagnosis while it is made: the steps append findings. */
#ifndef INSPECT_DIAGNOSIS_H
#define INSPECT_DIAGNOSIS_H

#include "engine/registry.h"

#include <cairn/inspect.h>
#include <sys/types.h>

struct cairn_diagnosis {
    struct cairn_finding *findings;
    uint32_t count;
    uint32_t backends; /* that take events, of enum cairn_backend */
    int error;         /* ENOMEM: a finding is missing */
};

/* Append a finding. */
void inspect_fine(struct cairn_diagnosis *diagnosis, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void inspect_problem(struct cairn_diagnosis *diagnosis, const char *subject, const char *format,
                     ...) __attribute__((format(printf, 3, 4)));

/* Sets the advice of the finding that was appended last. */
void inspect_advise(struct cairn_diagnosis *diagnosis, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define INSPECT_NAME_BYTES 64

/* Write the name of this user, and of a group, or the number of one that has no name; return text.
 */
const char *inspect_user_name(char text[INSPECT_NAME_BYTES]);
const char *inspect_group_name(gid_t group, char text[INSPECT_NAME_BYTES]);

/* Examine a backend. False: it cannot take events. */
bool inspect_diagnose_local(struct cairn_diagnosis *diagnosis);
bool inspect_diagnose_kernel(struct cairn_diagnosis *diagnosis);

/* Examines whether the kernel's tracepoints can be recorded. */
void inspect_diagnose_tracepoints(struct cairn_diagnosis *diagnosis);

/* Finds what the sessions of a tracing directory have lost, and which processes could not register.
 */
void inspect_diagnose_losses(struct cairn_diagnosis *diagnosis, struct engine_registry *local);

/* directory.c: true if the file system of a directory keeps its files in memory, also if that is
 * not known. */
bool inspect_is_in_memory(const char *directory);

/* directory.c: the text for EPROTONOSUPPORT of engine_registry_open. */
void inspect_describe_version(const struct engine_registry *local, char *text, size_t size_bytes);

#endif
