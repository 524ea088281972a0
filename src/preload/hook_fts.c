/* SPDX-License-Identifier: MIT */
/*
 * fts: the C library walks by itself, past our functions. It is given the real directory, with all
 * that is in it; an entry has the path that the program knows until the next one is asked for.
 */
#undef _FILE_OFFSET_BITS
#include "core/atomic.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WALKS_MAX 16 /* at once; others are shown the real paths, which are served too */

struct walk {
    FTS *fts;      /* NULL: free */
    FTSENT *shown; /* whose path is ours now */
    char *path;    /* the C library's */
    unsigned short path_length;
    char text[CAIRN_PATH_MAX];
};

/* Under the engine's lock are a walk's beginning and its end; between them it is one thread's. */
static struct walk walks[WALKS_MAX];
static uint32_t walk_count;

static struct walk *find(const FTS *fts)
{
    for (uint32_t i = 0; cairn_load_relaxed(&walk_count) && i < WALKS_MAX; i++) {
        if (cairn_load_relaxed(&walks[i].fts) == fts)
            return &walks[i];
    }
    return NULL;
}

static void add(FTS *fts)
{
    cairn_engine_lock_state lock_state;
    bool is_done = false;

    cairn_engine_lock(&lock_state);
    for (uint32_t i = 0; i < WALKS_MAX && !is_done; i++) {
        if (walks[i].fts)
            continue;
        walks[i].shown = NULL;
        cairn_store_relaxed(&walks[i].fts, fts);
        walk_count++;
        is_done = true;
    }
    cairn_engine_unlock(&lock_state);
}

static void drop(struct walk *walk)
{
    cairn_engine_lock_state lock_state;

    cairn_engine_lock(&lock_state);
    cairn_store_relaxed(&walk->fts, NULL);
    walk_count--;
    cairn_engine_unlock(&lock_state);
}

/* The C library's own path is what it goes on with. */
static void hide(struct walk *walk)
{
    if (!walk->shown)
        return;
    walk->shown->fts_path = walk->path;
    walk->shown->fts_pathlen = walk->path_length;
    walk->shown = NULL;
}

static void show(struct walk *walk, FTSENT *entry)
{
    size_t length = strlen(entry->fts_path);

    if (length >= sizeof(walk->text))
        return;
    memcpy(walk->text, entry->fts_path, length + 1);
    if (!cairn_hook_show(walk->text, sizeof(walk->text)))
        return;
    walk->shown = entry;
    walk->path = entry->fts_path;
    walk->path_length = entry->fts_pathlen;
    entry->fts_path = walk->text;
    entry->fts_pathlen = (unsigned short)strlen(walk->text);
}

/* The paths with those of ours in place of them; NULL: none is ours, or there is no memory. */
static char **redirect(char *const *paths)
{
    size_t count = 0;
    size_t ours = 0;
    char **real;

    while (paths[count])
        count++;
    real = calloc(count + 1, sizeof(*real));
    for (size_t i = 0; real && i < count; i++) {
        const char *path = paths[i];
        cairn_real_path text;
        int directory = AT_FDCWD;

        ours += cairn_hook_redirect_to(CAIRN_TREE_ALL, &directory, &path, text) == CAIRN_PLACE_OURS;
        real[i] = strdup(path);
    }
    if (real && ours)
        return real;
    for (size_t i = 0; real && i < count; i++)
        free(real[i]);
    free(real);
    return NULL;
}

static bool any_may_be_ours(char *const *paths)
{
    for (size_t i = 0; paths && paths[i]; i++) {
        if (cairn_hook_may_be_ours(AT_FDCWD, paths[i]))
            return true;
    }
    return false;
}

CAIRN_HOOK FTS *fts_open(char *const *paths, int options,
                         int (*compare)(const FTSENT **, const FTSENT **))
{
    char **real = any_may_be_ours(paths) ? redirect(paths) : NULL;
    FTS *fts = CAIRN_NEXT(fts_open)(real ? real : paths, options, compare);

    if (real && fts)
        add(fts);
    for (size_t i = 0; real && real[i]; i++)
        free(real[i]);
    free(real);
    return fts;
}

CAIRN_HOOK FTSENT *fts_read(FTS *fts)
{
    struct walk *walk = find(fts);
    FTSENT *entry;

    if (!walk)
        return CAIRN_NEXT(fts_read)(fts);
    hide(walk);
    entry = CAIRN_NEXT(fts_read)(fts);
    if (!(fts->fts_options & FTS_NOCHDIR))
        cairn_place_look_around();
    if (entry)
        show(walk, entry);
    return entry;
}

CAIRN_HOOK FTSENT *fts_children(FTS *fts, int options)
{
    struct walk *walk = find(fts);
    FTSENT *shown = walk ? walk->shown : NULL;
    FTSENT *first;

    if (walk)
        hide(walk);
    first = CAIRN_NEXT(fts_children)(fts, options);
    if (shown)
        show(walk, shown);
    return first;
}

CAIRN_HOOK int fts_close(FTS *fts)
{
    struct walk *walk = find(fts);
    int result;

    if (walk) {
        hide(walk);
        drop(walk);
    }
    result = CAIRN_NEXT(fts_close)(fts);
    if (walk)
        cairn_place_look_around();
    return result;
}

CAIRN_HOOK_ALIAS("fts_open")
FTS64 *fts64_open(char *const *paths, int options,
                  int (*compare)(const FTSENT64 **, const FTSENT64 **));
CAIRN_HOOK_ALIAS("fts_read") FTSENT64 *fts64_read(FTS64 *fts);
CAIRN_HOOK_ALIAS("fts_children") FTSENT64 *fts64_children(FTS64 *fts, int options);
CAIRN_HOOK_ALIAS("fts_close") int fts64_close(FTS64 *fts);
