/* SPDX-License-Identifier: MIT */
/*
 * The real folder behind the tracing folder: with folders and empty files for all that could be
 * opened, so that stat, glob, readdir and chdir work. It is made and brought up to date when a
 * program looks around there; nobody else pays for it.
 */
#ifndef PRELOAD_TREE_H
#define PRELOAD_TREE_H

/* Makes it as the registry is now. Under the engine's lock. Returns 0 or why not. */
int cairn_tree_renew(void);

#endif
