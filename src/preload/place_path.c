/* SPDX-License-Identifier: MIT */
/* Which paths are ours: the names of our directory, and where a path leads from there. */
#include "preload/place_path.h"
#include "preload/next.h"
#include "preload/served.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum preload_place_inside preload_place_inside;
char preload_place_letters[3];

static char root[ENGINE_PATH_MAX];
static size_t root_length;

/* Each program does this when it starts: the C library's functions of strings would take longer to
 * be found than to do it. */
static bool is_text(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* CAIRN_RUN_TREE is DIRECTORY:TRACING_DIRECTORY (cli/run_tree.h); of another tracing directory it
 * is not about ours. Returns the directory, which ends before a colon, or that of tracing. */
static const char *find_tree(const char *tracing)
{
    const char *tree = secure_getenv("CAIRN_RUN_TREE");
    const char *at = tree;

    while (at && *at && *at != ':')
        at++;
    return at && *tree == '/' && *at && is_text(at + 1, tracing) ? tree : tracing;
}

bool preload_place_prepare(void)
{
    static const char name[] = "/tracefs";
    const char *tracing = secure_getenv("CAIRN_TRACING_DIR");
    const char *directory = tracing && *tracing == '/' ? find_tree(tracing) : NULL;
    const char end = directory == tracing ? '\0' : ':';
    size_t length = 0;

    if (!directory)
        return false;
    while (length < sizeof(root) - 64 && directory[length] && directory[length] != end) {
        root[length] = directory[length];
        length++;
    }
    if (directory[length] && directory[length] != end) {
        root[0] = 0;
        return false;
    }
    memcpy(root + length, name, sizeof(name));
    root_length = length + sizeof(name) - 1;
    memcpy(preload_place_letters, root + 1, sizeof(preload_place_letters));
    preload_place_inside = PRELOAD_PLACE_PERHAPS_INSIDE;
    return true;
}

const char *preload_place_root(void)
{
    return root;
}

/* Several slashes are one, also with dots between them. */
static inline const char *behind_letter(const char *path)
{
    while (*path == '/' && (path[1] == '/' || (path[1] == '.' && path[2] == '/')))
        path += path[1] == '/' ? 1 : 2;
    return path + 1;
}

/* The part of a path after a directory's name, or NULL. Programs open files outside of the tracing
 * directory all the time: no call for a path that differs soon. */
static inline const char *rest_after(const char *path, const char *directory)
{
    while (*directory && *path == *directory) {
        path = behind_letter(path);
        directory++;
    }
    return *directory ? NULL : path;
}

/* The same, if it is "" or begins with a slash. */
static const char *beneath(const char *path, const char *directory)
{
    const char *rest = *directory ? rest_after(path, directory) : NULL;

    return rest && (!*rest || *rest == '/') ? rest : NULL;
}

static const char *const names[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

bool preload_place_begins(const char *path)
{
    return rest_after(path, names[0]) || rest_after(path, names[1]) ||
           (root_length && rest_after(path, root)) ||
           (!strncmp(path, "/sys", 4) && strstr(path, "/.."));
}

bool preload_place_is_on_the_way(const char *path)
{
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (!strncmp(names[i], path, length) && names[i][length] == '/')
            return true;
    }
    return false;
}

/* The part of a path after the name of the tracing directory, or NULL. */
static const char *beneath_ours(const char *path)
{
    const char *rest = beneath(path, root);

    for (size_t i = 0; root_length && !rest && i < sizeof(names) / sizeof(*names); i++)
        rest = beneath(path, names[i]);
    return rest;
}

/* Finds the working directory when it matters: most programs never need it. */
void preload_place_look_around(void)
{
    preload_place_inside = PRELOAD_PLACE_PERHAPS_INSIDE;
}

/*
 * Adds a path's steps to a path without . and .. at its end. False: it is too long, *ret_out is
 * NULL; or it leads out, and *ret_out is the rest of it there.
 */
static bool append(tracefs_place_path to, const char *path, const char **ret_out)
{
    size_t at = strlen(to);

    *ret_out = NULL;
    while (*path) {
        size_t length = strcspn(path, "/");
        bool is_up = length == 2 && !memcmp(path, "..", 2);
        const char *step = path;

        path += length;
        path += *path == '/';
        if (is_up && at == 0) {
            *ret_out = path;
            return false;
        }
        while (is_up && at > 0 && to[--at] != '/')
            ;
        if (!is_up && length > 0 && !(length == 1 && *step == '.')) {
            if (at + 1 + length >= TRACEFS_PLACE_PATH_MAX)
                return false;
            if (at)
                to[at++] = '/';
            memcpy(to + at, step, length);
            at += length;
        }
        to[at] = 0;
    }
    return true;
}

static bool name_working_directory(char text[ENGINE_PATH_MAX])
{
    return PRELOAD_NEXT(syscall)(SYS_getcwd, text, ENGINE_PATH_MAX) > 0;
}

bool preload_place_look(void)
{
    char text[ENGINE_PATH_MAX];

    if (preload_place_inside == PRELOAD_PLACE_PERHAPS_INSIDE)
        preload_place_inside = name_working_directory(text) && beneath(text, root)
                                   ? PRELOAD_PLACE_INSIDE
                                   : PRELOAD_PLACE_NOT_INSIDE;
    return preload_place_inside == PRELOAD_PLACE_INSIDE;
}

/* The path of a directory that relative paths begin in, in the real directory. */
static bool name_directory(int directory, char text[ENGINE_PATH_MAX])
{
    char link[32];
    ssize_t size;

    if (directory == AT_FDCWD)
        return preload_place_is_inside() && name_working_directory(text);
    if (!preload_served_is_directory(directory))
        return false;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
    size = readlink(link, text, ENGINE_PATH_MAX - 1);
    if (size <= 0)
        return false;
    text[size] = 0;
    return true;
}

/* A path without . and ..; above the root there is the root. */
static bool flatten(const char *path, tracefs_place_path ret_path)
{
    const char *out;

    *ret_path = 0;
    while (!append(ret_path, path, &out)) {
        if (!out)
            return false;
        path = out;
    }
    return true;
}

static bool resolve_absolute(const char *path, tracefs_place_path ret_path)
{
    const char *rest = beneath_ours(path);
    tracefs_place_path flat = "/";
    const char *out;

    *ret_path = 0;
    if (rest && append(ret_path, rest, &out))
        return true;
    if (!strstr(path, "/..") || !flatten(path, ret_path) ||
        strlen(ret_path) + 1 >= TRACEFS_PLACE_PATH_MAX)
        return false;
    memcpy(flat + 1, ret_path, strlen(ret_path) + 1);
    rest = beneath_ours(flat);
    *ret_path = 0;
    return rest && append(ret_path, rest, &out);
}

/* Above our directory there is what the program takes for that, and not the tracing directory. */
static enum preload_place_side leave(const char *rest, tracefs_place_path ret_path)
{
    tracefs_place_path outside;
    int length = snprintf(outside, sizeof(outside), "/sys/kernel/%s", rest);

    if (length < 0 || length >= (int)sizeof(outside))
        return PRELOAD_PLACE_OUTSIDE;
    if (resolve_absolute(outside, ret_path))
        return PRELOAD_PLACE_OURS;
    memcpy(ret_path, outside, (size_t)length + 1);
    return PRELOAD_PLACE_LED_OUT;
}

enum preload_place_side preload_place_resolve(int directory, const char *path,
                                              tracefs_place_path ret_path)
{
    char text[ENGINE_PATH_MAX];
    const char *rest;
    const char *out;

    *ret_path = 0;
    if (*path == '/')
        return resolve_absolute(path, ret_path) ? PRELOAD_PLACE_OURS : PRELOAD_PLACE_OUTSIDE;
    if (!*path || !name_directory(directory, text))
        return PRELOAD_PLACE_OUTSIDE;
    rest = beneath(text, root);
    if (!rest || !append(ret_path, rest, &out))
        return PRELOAD_PLACE_OUTSIDE;
    if (append(ret_path, path, &out))
        return PRELOAD_PLACE_OURS;
    return out ? leave(out, ret_path) : PRELOAD_PLACE_OUTSIDE;
}

bool preload_place_resolve_from(const char *directory, const char *path,
                                tracefs_place_path ret_path)
{
    const char *rest = beneath_ours(directory);
    const char *out;

    *ret_path = 0;
    if (!rest || !append(ret_path, rest, &out))
        return false;
    return append(ret_path, path, &out) || (out && leave(out, ret_path) == PRELOAD_PLACE_OURS);
}
