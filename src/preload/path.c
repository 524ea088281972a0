/* SPDX-License-Identifier: MIT */
/* Recognizes paths of tracefs by their text, and finds their files. */
#include "preload/path.h"
#include "engine/engine.h"
#include "preload/process.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

static const char *const directories[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};

const char *preload_path_inside(const char *path)
{
    for (size_t i = 0; path && i < sizeof(directories) / sizeof(*directories); i++) {
        size_t length = strlen(directories[i]);

        if (!strncmp(path, directories[i], length) && (!path[length] || path[length] == '/'))
            return path + length;
    }
    return NULL;
}

/* Copies the next component of a path. False: there is none, or it is too long for a name. */
static bool next_component(const char **path, char name[CAIRN_COMMAND_MAX_BYTES])
{
    size_t length;

    *path += strspn(*path, "/");
    length = strcspn(*path, "/");
    if (!length || length >= CAIRN_COMMAND_MAX_BYTES)
        return false;
    memcpy(name, *path, length);
    name[length] = 0;
    *path += length;
    return true;
}

int preload_path_find(const char *rest, tracefs_node *ret_node)
{
    char name[CAIRN_COMMAND_MAX_BYTES];
    tracefs_node node = TRACEFS_NODE_ROOT;
    int error;

    /* A program that registers by the files needs the answer: nobody completes it later. */
    engine_self.local.lock_tries = ENGINE_LOCK_TRIES_LONG;
    error = engine_attach();
    preload_process_join();
    engine_check_process();
    while (!error && next_component(&rest, name)) {
        if (strcmp(name, ".") != 0)
            error = tracefs_node_find(node, name, &node);
    }
    if (error)
        return error;
    if (*rest)
        return ENAMETOOLONG;
    *ret_node = node;
    return 0;
}
