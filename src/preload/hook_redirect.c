/* SPDX-License-Identifier: MIT */
/* Whose a path is, and what the C library is to be given in its place. */
#undef _FILE_OFFSET_BITS
#include "preload/detour.h"
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

enum cairn_place_side cairn_hook_side(int directory, const char *path, cairn_place_path ret_path)
{
    enum cairn_place_side side = CAIRN_PLACE_OUTSIDE;

    if (cairn_hook_may_be_ours(directory, path))
        side = cairn_place_resolve(directory, path, ret_path);
    return side && cairn_engine_is_locked_by_self() ? CAIRN_PLACE_OUTSIDE : side;
}

static void renew_tree(const char *ours, enum cairn_tree_depth depth)
{
    cairn_engine_lock_state lock_state;

    cairn_engine_lock(&lock_state);
    (void)cairn_tree_renew(ours, depth);
    cairn_engine_unlock(&lock_state);
}

void cairn_hook_renew_all(void)
{
    renew_tree("", CAIRN_TREE_ALL);
}

void cairn_hook_renew(const char *ours, enum cairn_tree_depth depth, cairn_real_path ret_path)
{
    renew_tree(ours, depth);
    (void)snprintf(ret_path, sizeof(cairn_real_path), "%s/%s", cairn_place_root(), ours);
}

static void redirect_to(const char *ours, enum cairn_tree_depth depth, int *directory,
                        const char **path, cairn_real_path text)
{
    cairn_hook_renew(ours, depth, text);
    if (cairn_hook_ends_as_directory(*path) && !cairn_hook_ends_as_directory(text))
        memcpy(text + strlen(text), "/", 2);
    *directory = AT_FDCWD;
    *path = text;
}

enum cairn_place_side cairn_hook_redirect_to(enum cairn_tree_depth depth, int *directory,
                                             const char **path, cairn_real_path text)
{
    cairn_place_path ours;
    enum cairn_place_side side = cairn_hook_side(*directory, *path, ours);

    if (side == CAIRN_PLACE_OURS) {
        redirect_to(ours, depth, directory, path, text);
    } else if (side == CAIRN_PLACE_LED_OUT) {
        memcpy(text, ours, sizeof(ours));
        *directory = AT_FDCWD;
        *path = text;
    }
    return side;
}

enum cairn_place_side cairn_hook_redirect(int *directory, const char **path, cairn_real_path text)
{
    return cairn_hook_redirect_to(CAIRN_TREE_PLACE, directory, path, text);
}

/* ---- detours ---- */

bool cairn_hook_follow_detour(int directory, const char *path, bool follows_last,
                              cairn_place_path ret_path)
{
    return *cairn_place_root() && !cairn_engine_is_locked_by_self() &&
           cairn_detour_find(directory, path, follows_last, ret_path);
}

static bool redirect_detour(enum cairn_tree_depth depth, int *directory, const char **path,
                            cairn_real_path text)
{
    int error = errno;
    cairn_place_path ours;
    bool found = cairn_hook_follow_detour(*directory, *path, true, ours);

    if (found)
        redirect_to(ours, depth, directory, path, text);
    errno = error;
    return found;
}

bool cairn_hook_redirect_missed(int *directory, const char **path, cairn_real_path text)
{
    return cairn_hook_may_be_detour(*path) && cairn_hook_is_miss(errno) &&
           cairn_detour_may_be(*path) && redirect_detour(CAIRN_TREE_PLACE, directory, path, text);
}

bool cairn_hook_redirect_missed_directory(enum cairn_tree_depth depth, int *directory,
                                          const char **path, cairn_real_path text)
{
    return cairn_hook_is_miss(errno) && (uintptr_t)*path >= 4096 &&
           redirect_detour(depth, directory, path, text);
}

bool cairn_hook_find_detour(int directory, const char *path, cairn_place_path ret_path)
{
    return cairn_hook_may_be_detour(path) && cairn_detour_is_likely(path) &&
           cairn_hook_follow_detour(directory, path, true, ret_path);
}
