/* SPDX-License-Identifier: MIT */
/* Hooks of calls that return names: links, the working directory, and extended attributes. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

/* The name of the root to the program. */
static const char shown_root[] = "/sys/kernel/tracing";

/* ---- links: there are none in our directory ---- */

PRELOAD_HOOK ssize_t readlinkat(int directory, const char *path, char *to, size_t size_bytes)
{
    preload_real_path text;
    ssize_t size;

    (void)preload_hook_redirect(&directory, &path, text);
    size = PRELOAD_NEXT(readlinkat)(directory, path, to, size_bytes);
    if (size < 0 && preload_hook_redirect_missed(&directory, &path, text))
        size = PRELOAD_NEXT(readlinkat)(directory, path, to, size_bytes);
    return size;
}

PRELOAD_HOOK ssize_t readlink(const char *path, char *to, size_t size_bytes)
{
    return readlinkat(AT_FDCWD, path, to, size_bytes);
}

/* The names of these calls with _FORTIFY_SOURCE. */
PRELOAD_HOOK ssize_t __readlink_chk(const char *path, char *to, size_t size_bytes, size_t space);
PRELOAD_HOOK ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size_bytes,
                                      size_t space);

PRELOAD_HOOK ssize_t __readlink_chk(const char *path, char *to, size_t size_bytes, size_t space)
{
    if (size_bytes > space)
        abort();
    return readlinkat(AT_FDCWD, path, to, size_bytes);
}

PRELOAD_HOOK ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size_bytes,
                                      size_t space)
{
    if (size_bytes > space)
        abort();
    return readlinkat(directory, path, to, size_bytes);
}

/* ---- names ---- */

bool preload_hook_show(char *path, size_t space)
{
    size_t length = strlen(preload_place_root());
    size_t rest = strlen(path) - length + 1;

    if (strncmp(path, preload_place_root(), length) != 0 || (path[length] && path[length] != '/') ||
        sizeof(shown_root) + rest > space)
        return false;
    memmove(path + sizeof(shown_root) - 1, path + length, rest);
    memcpy(path, shown_root, sizeof(shown_root) - 1);
    return true;
}

/* realpath gives a program memory of its own when it has none. */
static char *give(const char *path, char *to)
{
    return to ? memcpy(to, path, strlen(path) + 1) : strdup(path);
}

PRELOAD_HOOK char *realpath(const char *path, char *to)
{
    char found[PATH_MAX];
    preload_real_path text;
    int directory = AT_FDCWD;
    enum preload_place_side side;

    side = path ? preload_hook_redirect(&directory, &path, text) : PRELOAD_PLACE_OUTSIDE;
    if (side == PRELOAD_PLACE_OUTSIDE) {
        char *result = PRELOAD_NEXT(realpath)(path, to);

        if (result || !path ||
            !preload_hook_redirect_missed_directory(PRELOAD_TREE_PLACE, &directory, &path, text))
            return result;
    }
    if (!PRELOAD_NEXT(realpath)(path, found))
        return NULL;
    (void)preload_hook_show(found, sizeof(found));
    return give(found, to);
}

PRELOAD_HOOK char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

PRELOAD_HOOK char *getcwd(char *to, size_t size_bytes)
{
    char text[PATH_MAX];
    size_t length;

    if (!preload_place_is_inside() || engine_is_locked_by_self() || (to && !size_bytes))
        return PRELOAD_NEXT(getcwd)(to, size_bytes);
    if (!PRELOAD_NEXT(getcwd)(text, sizeof(text)))
        return NULL;
    (void)preload_hook_show(text, sizeof(text));
    length = strlen(text) + 1;
    if (size_bytes && length > size_bytes) {
        errno = ERANGE;
        return NULL;
    }
    if (!to)
        to = malloc(size_bytes ? size_bytes : length);
    return to ? memcpy(to, text, length) : NULL;
}

PRELOAD_HOOK char *get_current_dir_name(void)
{
    return preload_place_is_inside() ? getcwd(NULL, 0) : PRELOAD_NEXT(get_current_dir_name)();
}

PRELOAD_HOOK char *__realpath_chk(const char *path, char *to, size_t space);
PRELOAD_HOOK char *__getcwd_chk(char *to, size_t size_bytes, size_t space);

PRELOAD_HOOK char *__realpath_chk(const char *path, char *to, size_t space)
{
    if (space < PATH_MAX)
        abort();
    return realpath(path, to);
}

PRELOAD_HOOK char *__getcwd_chk(char *to, size_t size_bytes, size_t space)
{
    if (size_bytes > space)
        abort();
    return getcwd(to, size_bytes);
}

/* ---- extended attributes, which ls asks for ---- */

static ssize_t get_attribute(PRELOAD_NEXT_TYPE(getxattr) next, const char *path, const char *name,
                             void *to, size_t size_bytes)
{
    preload_real_path text;
    int directory = AT_FDCWD;
    ssize_t size;

    (void)preload_hook_redirect(&directory, &path, text);
    size = next(path, name, to, size_bytes);
    if (size < 0 && preload_hook_redirect_missed(&directory, &path, text))
        size = next(path, name, to, size_bytes);
    return size;
}

static ssize_t list_attributes(PRELOAD_NEXT_TYPE(listxattr) next, const char *path, char *to,
                               size_t size_bytes)
{
    preload_real_path text;
    int directory = AT_FDCWD;
    ssize_t size;

    (void)preload_hook_redirect(&directory, &path, text);
    size = next(path, to, size_bytes);
    if (size < 0 && preload_hook_redirect_missed(&directory, &path, text))
        size = next(path, to, size_bytes);
    return size;
}

PRELOAD_HOOK ssize_t getxattr(const char *path, const char *name, void *to, size_t size_bytes)
{
    return get_attribute(PRELOAD_NEXT(getxattr), path, name, to, size_bytes);
}

PRELOAD_HOOK ssize_t lgetxattr(const char *path, const char *name, void *to, size_t size_bytes)
{
    return get_attribute(PRELOAD_NEXT(lgetxattr), path, name, to, size_bytes);
}

PRELOAD_HOOK ssize_t listxattr(const char *path, char *to, size_t size_bytes)
{
    return list_attributes(PRELOAD_NEXT(listxattr), path, to, size_bytes);
}

PRELOAD_HOOK ssize_t llistxattr(const char *path, char *to, size_t size_bytes)
{
    return list_attributes(PRELOAD_NEXT(llistxattr), path, to, size_bytes);
}
