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

CAIRN_HOOK ssize_t readlinkat(int directory, const char *path, char *to, size_t size_bytes)
{
    cairn_real_path text;
    ssize_t size;

    (void)cairn_hook_redirect(&directory, &path, text);
    size = CAIRN_NEXT(readlinkat)(directory, path, to, size_bytes);
    if (size < 0 && cairn_hook_redirect_missed(&directory, &path, text))
        size = CAIRN_NEXT(readlinkat)(directory, path, to, size_bytes);
    return size;
}

CAIRN_HOOK ssize_t readlink(const char *path, char *to, size_t size_bytes)
{
    return readlinkat(AT_FDCWD, path, to, size_bytes);
}

/* The names of these calls with _FORTIFY_SOURCE. */
CAIRN_HOOK ssize_t __readlink_chk(const char *path, char *to, size_t size_bytes, size_t space);
CAIRN_HOOK ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size_bytes,
                                    size_t space);

CAIRN_HOOK ssize_t __readlink_chk(const char *path, char *to, size_t size_bytes, size_t space)
{
    if (size_bytes > space)
        abort();
    return readlinkat(AT_FDCWD, path, to, size_bytes);
}

CAIRN_HOOK ssize_t __readlinkat_chk(int directory, const char *path, char *to, size_t size_bytes,
                                    size_t space)
{
    if (size_bytes > space)
        abort();
    return readlinkat(directory, path, to, size_bytes);
}

/* ---- names ---- */

bool cairn_hook_show(char *path, size_t space)
{
    size_t length = strlen(cairn_place_root());
    size_t rest = strlen(path) - length + 1;

    if (strncmp(path, cairn_place_root(), length) != 0 || (path[length] && path[length] != '/') ||
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

CAIRN_HOOK char *realpath(const char *path, char *to)
{
    char found[PATH_MAX];
    cairn_real_path text;
    int directory = AT_FDCWD;
    enum cairn_place_side side;

    side = path ? cairn_hook_redirect(&directory, &path, text) : CAIRN_PLACE_OUTSIDE;
    if (side == CAIRN_PLACE_OUTSIDE) {
        char *result = CAIRN_NEXT(realpath)(path, to);

        if (result || !path ||
            !cairn_hook_redirect_missed_directory(CAIRN_TREE_PLACE, &directory, &path, text))
            return result;
    }
    if (!CAIRN_NEXT(realpath)(path, found))
        return NULL;
    (void)cairn_hook_show(found, sizeof(found));
    return give(found, to);
}

CAIRN_HOOK char *canonicalize_file_name(const char *path)
{
    return realpath(path, NULL);
}

CAIRN_HOOK char *getcwd(char *to, size_t size_bytes)
{
    char text[PATH_MAX];
    size_t length;

    if (!cairn_place_is_inside() || cairn_engine_is_locked_by_self() || (to && !size_bytes))
        return CAIRN_NEXT(getcwd)(to, size_bytes);
    if (!CAIRN_NEXT(getcwd)(text, sizeof(text)))
        return NULL;
    (void)cairn_hook_show(text, sizeof(text));
    length = strlen(text) + 1;
    if (size_bytes && length > size_bytes) {
        errno = ERANGE;
        return NULL;
    }
    if (!to)
        to = malloc(size_bytes ? size_bytes : length);
    return to ? memcpy(to, text, length) : NULL;
}

CAIRN_HOOK char *get_current_dir_name(void)
{
    return cairn_place_is_inside() ? getcwd(NULL, 0) : CAIRN_NEXT(get_current_dir_name)();
}

CAIRN_HOOK char *__realpath_chk(const char *path, char *to, size_t space);
CAIRN_HOOK char *__getcwd_chk(char *to, size_t size_bytes, size_t space);

CAIRN_HOOK char *__realpath_chk(const char *path, char *to, size_t space)
{
    if (space < PATH_MAX)
        abort();
    return realpath(path, to);
}

CAIRN_HOOK char *__getcwd_chk(char *to, size_t size_bytes, size_t space)
{
    if (size_bytes > space)
        abort();
    return getcwd(to, size_bytes);
}

/* ---- extended attributes, which ls asks for ---- */

static ssize_t get_attribute(CAIRN_NEXT_TYPE(getxattr) next, const char *path, const char *name,
                             void *to, size_t size_bytes)
{
    cairn_real_path text;
    int directory = AT_FDCWD;
    ssize_t size;

    (void)cairn_hook_redirect(&directory, &path, text);
    size = next(path, name, to, size_bytes);
    if (size < 0 && cairn_hook_redirect_missed(&directory, &path, text))
        size = next(path, name, to, size_bytes);
    return size;
}

static ssize_t list_attributes(CAIRN_NEXT_TYPE(listxattr) next, const char *path, char *to,
                               size_t size_bytes)
{
    cairn_real_path text;
    int directory = AT_FDCWD;
    ssize_t size;

    (void)cairn_hook_redirect(&directory, &path, text);
    size = next(path, to, size_bytes);
    if (size < 0 && cairn_hook_redirect_missed(&directory, &path, text))
        size = next(path, to, size_bytes);
    return size;
}

CAIRN_HOOK ssize_t getxattr(const char *path, const char *name, void *to, size_t size_bytes)
{
    return get_attribute(CAIRN_NEXT(getxattr), path, name, to, size_bytes);
}

CAIRN_HOOK ssize_t lgetxattr(const char *path, const char *name, void *to, size_t size_bytes)
{
    return get_attribute(CAIRN_NEXT(lgetxattr), path, name, to, size_bytes);
}

CAIRN_HOOK ssize_t listxattr(const char *path, char *to, size_t size_bytes)
{
    return list_attributes(CAIRN_NEXT(listxattr), path, to, size_bytes);
}

CAIRN_HOOK ssize_t llistxattr(const char *path, char *to, size_t size_bytes)
{
    return list_attributes(CAIRN_NEXT(llistxattr), path, to, size_bytes);
}
