/* SPDX-License-Identifier: MIT */
/*
 * The output under a temporary name, ".NAME.PID.tmp" in the same directory, until it is complete. A
 * pipe, a device and standard output have no other name and are written directly.
 */
#ifndef EXCHANGE_TARGET_H
#define EXCHANGE_TARGET_H

#include <stdbool.h>

struct exchange_target {
    char *path;      /* final; NULL: standard output */
    char *temporary; /* NULL: it is written directly */
    int fd;          /* of a file, or -1 */
    bool is_directory;
    bool owns_fd;
};

#define EXCHANGE_TARGET_NONE \
    {                        \
        .fd = -1             \
    }

/* Returns 0; EEXIST, ENOTDIR, EISDIR as cairn_exporter_create; ENOMEM; or the error of creating. */
int exchange_target_open(struct exchange_target *target, const char *path, bool is_directory);

/* Creates a file in a target that is a directory. Returns 0, or the error of open. */
int exchange_target_create(const struct exchange_target *target, const char *name, int *ret_fd);

/* Gives the target its final name. Returns 0, or the error of close or rename. */
int exchange_target_commit(struct exchange_target *target);

/* Removes a target that was not committed, and frees what it has. Accepts EXCHANGE_TARGET_NONE. */
void exchange_target_close(struct exchange_target *target);

#endif
