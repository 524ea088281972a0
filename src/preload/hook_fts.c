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
    char text[ENGINE_PATH_MAX];
};

/* Under the engine's lock are a walk's beginning and its end; between them it is one thread's. */
static struct walk walks[WALKS_MAX];
static uint32_t walk_count;

static struct walk *find(const FTS *fts)
{
    for (uint32_t i = 0; core_load_relaxed(&walk_count) && i < WALKS_MAX; i++) {
        if (core_load_relaxed(&walks[i].fts) == fts)
            return &walks[i];
    }
    return NULL;
}

static void add(FTS *fts)
{
    engine_lock_state lock_state;
    bool is_done = false;

    engine_lock(&lock_state);
    for (uint32_t i = 0; i < WALKS_MAX && !is_done; i++) {
        if (walks[i].fts)
            continue;
        walks[i].shown = NULL;
        core_store_relaxed(&walks[i].fts, fts);
        walk_count++;
        is_done = true;
    }
    engine_unlock(&lock_state);
}

static void drop(struct walk *walk)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    core_store_relaxed(&walk->fts, NULL);
    walk_count--;
    engine_unlock(&lock_state);
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
    if (!preload_hook_show(walk->text, sizeof(walk->text)))
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
        preload_real_path text;
        int directory = AT_FDCWD;

        ours += preload_hook_redirect_to(PRELOAD_TREE_ALL, &directory, &path, text) ==
                PRELOAD_PLACE_OURS;
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
        if (preload_hook_may_be_ours(AT_FDCWD, paths[i]))
            return true;
    }
    return false;
}

PRELOAD_HOOK FTS *fts_open(char *const *paths, int options,
                           int (*compare)(const FTSENT **, const FTSENT **))
{
    char **real = any_may_be_ours(paths) ? redirect(paths) : NULL;
    FTS *fts = PRELOAD_NEXT(fts_open)(real ? real : paths, options, compare);

    if (real && fts)
        add(fts);
    for (size_t i = 0; real && real[i]; i++)
        free(real[i]);
    free(real);
    return fts;
}

PRELOAD_HOOK FTSENT *fts_read(FTS *fts)
{
    struct walk *walk = find(fts);
    FTSENT *entry;

    if (!walk)
        return PRELOAD_NEXT(fts_read)(fts);
    hide(walk);
    entry = PRELOAD_NEXT(fts_read)(fts);
    if (!(fts->fts_options & FTS_NOCHDIR))
        preload_place_look_around();
    if (entry)
        show(walk, entry);
    return entry;
}

PRELOAD_HOOK FTSENT *fts_children(FTS *fts, int options)
{
    struct walk *walk = find(fts);
    FTSENT *shown = walk ? walk->shown : NULL;
    FTSENT *first;

    if (walk)
        hide(walk);
    first = PRELOAD_NEXT(fts_children)(fts, options);
    if (shown)
        show(walk, shown);
    return first;
}

PRELOAD_HOOK int fts_close(FTS *fts)
{
    struct walk *walk = find(fts);
    int result;

    if (walk) {
        hide(walk);
        drop(walk);
    }
    result = PRELOAD_NEXT(fts_close)(fts);
    if (walk)
        preload_place_look_around();
    return result;
}

PRELOAD_HOOK_ALIAS("fts_open")
FTS64 *fts64_open(char *const *paths, int options,
                  int (*compare)(const FTSENT64 **, const FTSENT64 **));
PRELOAD_HOOK_ALIAS("fts_read") FTSENT64 *fts64_read(FTS64 *fts);
PRELOAD_HOOK_ALIAS("fts_children") FTSENT64 *fts64_children(FTS64 *fts, int options);
PRELOAD_HOOK_ALIAS("fts_close") int fts64_close(FTS64 *fts);
