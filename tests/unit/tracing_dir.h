/* SPDX-License-Identifier: MIT */
/* A tracing directory of the test's own, which is removed when the test ends. */
#ifndef TESTS_TRACING_DIR_H
#define TESTS_TRACING_DIR_H

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char tracing_dir[64];

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

static inline void tracing_dir_remove(void)
{
    if (*tracing_dir)
        (void)nftw(tracing_dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    *tracing_dir = 0;
}

/* Sets CAIRN_TRACING_DIR to a new directory, and CAIRN_BACKEND to "local". */
static inline int tracing_dir_make(void)
{
    (void)snprintf(tracing_dir, sizeof(tracing_dir), "/tmp/cairn-test-XXXXXX");
    if (!mkdtemp(tracing_dir))
        return -1;
    (void)setenv("CAIRN_BACKEND", "local", 1);
    return setenv("CAIRN_TRACING_DIR", tracing_dir, 1);
}

#endif
