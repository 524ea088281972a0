/* SPDX-License-Identifier: MIT */
/* The directories and files of the real directory: creating and removing them. */
#include "preload/tree_files.h"
#include "engine/engine.h"
#include "preload/place_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const directories[] = {
    "",
    "events",
    "events/user_events",
    "events/user_events_multi",
};

#define LAST_OF_EVENT "id" /* of the files that are made for an event */

/* From the root on. */
typedef char tree_path[ENGINE_PATH_MAX + CAIRN_NAME_MAX_BYTES + 80];

const struct engine_directory *preload_tree_directory(void)
{
    static struct engine_directory other;
    const struct engine_directory *tracing = &engine_self.local.directory;
    const size_t length = strlen(preload_place_root()) - strlen("/tracefs");

    if (!strncmp(tracing->path, preload_place_root(), length) && !tracing->path[length])
        return tracing;
    other.file_mode = 0600;
    memcpy(other.path, preload_place_root(), length);
    return &other;
}

int preload_tree_make_directory(const char *name)
{
    const struct engine_directory *directory = preload_tree_directory();
    tree_path path;

    (void)snprintf(path, sizeof(path), "tracefs%s%s", *name ? "/" : "", name);
    return engine_directory_make(directory, path);
}

static int make_file(const char *name, const char *text)
{
    const struct engine_directory *directory = preload_tree_directory();
    struct tracefs_place place = {0};
    unsigned int mode = 0440;
    tree_path path;
    int error = 0;
    int fd;

    (void)snprintf(path, sizeof(path), "tracefs/%s", name);
    fd = engine_directory_open(directory, path, O_RDWR | O_CREAT | O_TRUNC);
    if (fd < 0)
        return errno == EACCES ? 0 : errno; /* it is there, and only to be read */
    if (*text && write(fd, text, strlen(text)) < 0)
        error = errno;
    if (!*text && tracefs_place_name(name, &place))
        mode = tracefs_place_mode(place.kind);
    if (place.kind == TRACEFS_PLACE_STATUS)
        error = ftruncate(fd, ENGINE_EVENT_MAX) ? errno : 0; /* what can be mapped of it */
    (void)fchmod(fd, mode | (directory->is_shared ? (mode & 0200) >> 3 : 0));
    close(fd);
    return error;
}

int preload_tree_make_fixed(void)
{
    struct tracefs_place place;
    const char *name;
    const char *text;
    int error = 0;

    for (size_t i = 0; !error && i < sizeof(directories) / sizeof(*directories); i++)
        error = preload_tree_make_directory(directories[i]);
    for (uint32_t i = 0; !error && tracefs_place_of_fixed(i, &name, &place); i++)
        error = make_file(name, "");
    for (uint32_t i = 0; !error && tracefs_place_of_text(i, &name, &text); i++)
        error = make_file(name, text);
    return error;
}

/* ---- the files of an event ---- */

/* The last of its files decides; files that cannot be examined are left. */
bool preload_tree_is_filled(const char *directory)
{
    tree_path path;
    struct stat st;

    (void)snprintf(path, sizeof(path), "%s/%s/%s", preload_place_root(), directory, LAST_OF_EVENT);
    return !fstatat(AT_FDCWD, path, &st, 0) || errno != ENOENT;
}

int preload_tree_fill(const char *directory)
{
    const char *file;
    uint32_t kind;
    int error = 0;
    preload_tree_name name;

    for (uint32_t i = 0; !error && tracefs_place_of_event_file(i, &file, &kind); i++) {
        (void)snprintf(name, sizeof(name), "%s/%s", directory, file);
        error = make_file(name, "");
    }
    return error == ENOENT || error == ENOTDIR ? 0 : error; /* there is no such event */
}

void preload_tree_remove(const char *directory)
{
    tree_path path;
    tree_path file;
    const char *name;
    uint32_t kind;

    (void)snprintf(path, sizeof(path), "%s/%s", preload_place_root(), directory);
    if (!rmdir(path))
        return; /* nobody has looked into it */
    for (uint32_t i = 0; tracefs_place_of_event_file(i, &name, &kind); i++) {
        (void)snprintf(file, sizeof(file), "%s/%s/%s", preload_place_root(), directory, name);
        (void)unlink(file);
    }
    (void)rmdir(path);
}
