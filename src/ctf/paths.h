/* SPDX-License-Identifier: MIT */
/* The traces in a directory. */
#ifndef CTF_PATHS_H
#define CTF_PATHS_H

#include <stddef.h>

#define CTF_PATHS_MAX 1024u

/* Directories that have a file `metadata`; zeros: none. */
struct ctf_paths {
    char **paths;
    size_t count;
};

/*
 * Finds the traces in a directory and below, as LTTng's sessions have them: the directory itself if
 * it is one.
 *
 * ret_paths  freed by the caller, also on failure
 *
 * Returns 0; ENOENT there is none; EMFILE there are too many; ENOMEM; or the error of opendir.
 */
int ctf_paths_find(const char *directory, struct ctf_paths *ret_paths);
void ctf_paths_free(struct ctf_paths *paths);

#endif
