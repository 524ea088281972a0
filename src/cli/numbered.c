/* SPDX-License-Identifier: MIT */
/* Names of files with numbers. */
#include "cli/numbered.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DIGITS 6

static char *name_of(const char *path, const char *number)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    char *name;

    if (!dot)
        dot = path + strlen(path);
    return asprintf(&name, "%.*s.%s%s", (int)(dot - path), path, number, dot) < 0 ? NULL : name;
}

char *cli_numbered_name(const char *path, uint32_t number)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%0*" PRIu32, DIGITS, number);
    return name_of(path, text);
}

/* Characters of the path that a glob gives a meaning. */
static char *quote(const char *path)
{
    char *quoted = malloc(2 * strlen(path) + 1);
    char *to = quoted;

    for (; quoted && *path; path++) {
        if (strchr("*?[]\\", *path))
            *to++ = '\\';
        *to++ = *path;
    }
    if (quoted)
        *to = 0;
    return quoted;
}

void cli_numbered_each(const char *path,
                       void (*each)(void *context, uint32_t number, uint64_t bytes), void *context)
{
    char *quoted = quote(path);
    char *pattern = quoted ? name_of(quoted, "[0-9][0-9][0-9][0-9][0-9][0-9]") : NULL;
    glob_t found;
    struct stat st;

    if (pattern && !glob(pattern, 0, NULL, &found)) {
        const char *slash = strrchr(path, '/');
        const char *dot = strrchr(slash ? slash : path, '.');
        size_t at = (dot ? (size_t)(dot - path) : strlen(path)) + 1;

        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (!stat(found.gl_pathv[i], &st) && S_ISREG(st.st_mode))
                each(context, (uint32_t)strtoul(found.gl_pathv[i] + at, NULL, 10),
                     (uint64_t)st.st_size);
        }
        globfree(&found);
    }
    free(pattern);
    free(quoted);
}

static void note_last(void *context, uint32_t number, uint64_t bytes)
{
    uint32_t *last = context;

    (void)bytes;
    if (number > *last)
        *last = number;
}

uint32_t cli_numbered_next(const char *path)
{
    uint32_t last = 0;

    cli_numbered_each(path, note_last, &last);
    return last + 1;
}
