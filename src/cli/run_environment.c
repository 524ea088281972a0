/* SPDX-License-Identifier: MIT */
/* The environment of a program under `cairn run`. */
#include "cli/run_transport.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cli_run_set_directory(void)
{
    char found[PATH_MAX];
    char path[PATH_MAX];
    int error = cairn_directory_locate(found, sizeof(found), NULL);

    if (error)
        return error;
    if (!realpath(found, path) || setenv("CAIRN_TRACING_DIR", path, 1) ||
        setenv("CAIRN_BACKEND", "local", 1))
        return errno;
    return 0;
}

/* In the build directory of this program, or relative to this program where both were installed, or
 * in the configured directory. */
bool cli_run_find_library(const char *name, char path[PATH_MAX])
{
    static const char *const relative[] = {"src", CAIRN_RUN_FROM_BIN};
    char self[PATH_MAX / 2];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    self[size > 0 ? size : 0] = 0;
    slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof(relative) / sizeof(*relative); i++) {
        (void)snprintf(path, PATH_MAX, "%.*s/%s/%s", (int)(slash - self), self, relative[i], name);
        if (!access(path, R_OK))
            return true;
    }
    (void)snprintf(path, PATH_MAX, "%s/%s", CAIRN_RUN_DIRECTORY, name);
    return !access(path, R_OK);
}

int cli_run_add_preload(const char *prefix, const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char *list;
    int error;

    if (strpbrk(library, " :"))
        return EINVAL;
    if (asprintf(&list, "%s%s%s%s", prefix, library, others && *others ? ":" : "",
                 others ? others : "") < 0)
        return ENOMEM;
    error = setenv("LD_PRELOAD", list, 1) ? errno : 0;
    free(list);
    return error;
}
