/* SPDX-License-Identifier: MIT */
/*
 * The real directory that the tracing directory is stored in: with directories and empty files for
 * all that could be opened, so that stat, glob, readdir and chdir work. It is made and brought up
 * to date when a program looks around there, where it does; nobody else pays for it.
 */
#ifndef PRELOAD_TREE_H
#define PRELOAD_TREE_H

enum preload_tree_depth {
    PRELOAD_TREE_PLACE = 0, /* what is at the path */
    PRELOAD_TREE_DIRECTORY, /* and what is in it */
    PRELOAD_TREE_ALL,       /* and in all directories of it */
};

/*
 * Makes it as the registry is now, as far as somebody looks who looks at `path` (from the root on):
 * events have directories when one looks among them, and a directory has files when one looks into
 * it. Under the engine's lock. Returns 0 or why not.
 */
int preload_tree_renew(const char *path, enum preload_tree_depth depth);

#endif
