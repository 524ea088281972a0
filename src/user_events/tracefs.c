/* SPDX-License-Identifier: MIT */
/* Finds the tracing directory in the list of mounts. */
#include "user_events/tracefs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Takes the field at *at and advances to the next. Single spaces separate fields. */
static const char *take_field(const char **at, size_t *ret_length)
{
    const char *field = *at;

    *ret_length = strcspn(field, " \n");
    *at = field + *ret_length + (field[*ret_length] == ' ');
    return field;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* Copies a field, with \040 and similar escapes converted to characters. Returns the end of the
 * copy. */
static char *unescape(const char *field, size_t length, char *out)
{
    const char *end = field + length;

    while (field < end) {
        if (end - field >= 4 && field[0] == '\\' && is_octal(field[1]) && is_octal(field[2]) &&
            is_octal(field[3])) {
            *out++ = (char)((field[1] - '0') << 6 | (field[2] - '0') << 3 | (field[3] - '0'));
            field += 4;
        } else {
            *out++ = *field++;
        }
    }
    return out;
}

bool user_events_tracefs_of_mount(const char *line, const char *type, char ret_directory[PATH_MAX])
{
    static const char debugfs_directory[] = "/tracing";
    size_t device_length, directory_length, type_length;
    const char *directory, *line_type;
    char *end;

    take_field(&line, &device_length);
    directory = take_field(&line, &directory_length);
    line_type = take_field(&line, &type_length);
    if (type_length != strlen(type) || memcmp(line_type, type, type_length) != 0)
        return false;
    if (!directory_length || directory_length + sizeof(debugfs_directory) > PATH_MAX)
        return false;

    end = unescape(directory, directory_length, ret_directory);
    snprintf(end, sizeof(debugfs_directory), "%s",
             strcmp(type, "debugfs") ? "" : debugfs_directory);
    return true;
}

int user_events_tracefs_each(FILE *mounts, bool (*visit)(const char *directory, void *context),
                             void *context)
{
    static const char *const types[] = {"tracefs", "debugfs"};
    char directory[PATH_MAX], *line = NULL;
    bool found = false, done = false;
    size_t size = 0;
    int err = 0;

    for (int i = 0; i < 2 && !found && !err; i++) {
        rewind(mounts);
        while (!done && getline(&line, &size, mounts) >= 0) {
            if (user_events_tracefs_of_mount(line, types[i], directory)) {
                found = true;
                done = visit(directory, context);
            }
        }
        err = done || feof(mounts) ? 0 : errno;
    }
    free(line);
    return err;
}
