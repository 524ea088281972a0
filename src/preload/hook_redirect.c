/* SPDX-License-Identifier: MIT */
/* Whose a path is, and what the C library is to be given in its place. */
#undef _FILE_OFFSET_BITS
#include "preload/detour.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum preload_place_side preload_hook_side(int directory, const char *path,
                                          tracefs_place_path ret_path)
{
    enum preload_place_side side = PRELOAD_PLACE_OUTSIDE;

    if (preload_hook_may_be_ours(directory, path))
        side = preload_place_resolve(directory, path, ret_path);
    return side && engine_is_locked_by_self() ? PRELOAD_PLACE_OUTSIDE : side;
}

static void renew_tree(const char *ours, enum preload_tree_depth depth)
{
    engine_lock_state lock_state;

    engine_lock(&lock_state);
    (void)preload_tree_renew(ours, depth);
    engine_unlock(&lock_state);
}

void preload_hook_renew_all(void)
{
    renew_tree("", PRELOAD_TREE_ALL);
}

void preload_hook_renew(const char *ours, enum preload_tree_depth depth, preload_real_path ret_path)
{
    renew_tree(ours, depth);
    (void)snprintf(ret_path, sizeof(preload_real_path), "%s/%s", preload_place_root(), ours);
}

static void redirect_to(const char *ours, enum preload_tree_depth depth, int *directory,
                        const char **path, preload_real_path text)
{
    preload_hook_renew(ours, depth, text);
    if (preload_hook_ends_as_directory(*path) && !preload_hook_ends_as_directory(text))
        memcpy(text + strlen(text), "/", 2);
    *directory = AT_FDCWD;
    *path = text;
}

enum preload_place_side preload_hook_redirect_to(enum preload_tree_depth depth, int *directory,
                                                 const char **path, preload_real_path text)
{
    tracefs_place_path ours;
    enum preload_place_side side = preload_hook_side(*directory, *path, ours);

    if (side == PRELOAD_PLACE_OURS) {
        redirect_to(ours, depth, directory, path, text);
    } else if (side == PRELOAD_PLACE_LED_OUT) {
        memcpy(text, ours, sizeof(ours));
        *directory = AT_FDCWD;
        *path = text;
    }
    return side;
}

enum preload_place_side preload_hook_redirect(int *directory, const char **path,
                                              preload_real_path text)
{
    return preload_hook_redirect_to(PRELOAD_TREE_PLACE, directory, path, text);
}

/* ---- detours ---- */

bool preload_hook_follow_detour(int directory, const char *path, bool follows_last,
                                tracefs_place_path ret_path)
{
    return *preload_place_root() && !engine_is_locked_by_self() &&
           preload_detour_find(directory, path, follows_last, ret_path);
}

static bool redirect_detour(enum preload_tree_depth depth, int *directory, const char **path,
                            preload_real_path text)
{
    int error = errno;
    tracefs_place_path ours;
    bool found = preload_hook_follow_detour(*directory, *path, true, ours);

    if (found)
        redirect_to(ours, depth, directory, path, text);
    errno = error;
    return found;
}

bool preload_hook_redirect_missed(int *directory, const char **path, preload_real_path text)
{
    return preload_hook_may_be_detour(*path) && preload_hook_is_miss(errno) &&
           preload_detour_may_be(*path) &&
           redirect_detour(PRELOAD_TREE_PLACE, directory, path, text);
}

bool preload_hook_redirect_missed_directory(enum preload_tree_depth depth, int *directory,
                                            const char **path, preload_real_path text)
{
    return preload_hook_is_miss(errno) && (uintptr_t)*path >= 4096 &&
           redirect_detour(depth, directory, path, text);
}

bool preload_hook_find_detour(int directory, const char *path, tracefs_place_path ret_path)
{
    return preload_hook_may_be_detour(path) && preload_detour_is_likely(path) &&
           preload_hook_follow_detour(directory, path, true, ret_path);
}
