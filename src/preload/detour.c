/* SPDX-License-Identifier: MIT */
/* Paths that lead to the tracing directory through links or from outside. */
#include "preload/detour.h"
#include "preload/next.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINKS_MAX 40 /* as in the kernel */

/* ---- names ---- */

/* The names in the directory itself, in `events`, and in the directory of an event: grouped by
 * their first letter. */
static const char *const names[] = {
    "available_events", "dynamic_events",    "error_log",
    "events",           "set_event",         "trace",
    "trace_pipe",       "tracing_on",        "user_events",
    "user_events_data", "user_events_multi", "user_events_status",
};
static const char *const names_in_events[] = {"enable", "filter", "format", "id"};

/* Each call with a path comes here: what begins otherwise is compared no further. */
static bool begins_as_one(const char *name)
{
    const char second = *name ? name[1] : 0;

    switch (*name) {
    case 'a':
        return second == 'v';
    case 'd':
        return second == 'y';
    case 'e':
        return second == 'r' || second == 'v' || second == 'n';
    case 'f':
        return second == 'i' || second == 'o';
    case 'i':
        return second == 'd';
    case 's':
        return second == 'e';
    case 't':
        return second == 'r';
    case 'u':
        return second == 's';
    default:
        return false;
    }
}

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(name, list[i]))
            return true;
    }
    return false;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static bool is_in_directory(const char *name)
{
    return is_one_of(name, names, sizeof(names) / sizeof(*names));
}

static bool is_in_events(const char *name)
{
    return is_one_of(name, names_in_events, sizeof(names_in_events) / sizeof(*names_in_events));
}

bool preload_detour_is_likely(const char *path)
{
    const char *name = last_name(path);

    return begins_as_one(name) &&
           (is_in_directory(name) || (is_in_events(name) && strstr(path, "events")));
}

bool preload_detour_may_be(const char *path)
{
    const char *name = last_name(path);

    return (begins_as_one(name) && (is_in_directory(name) || is_in_events(name))) ||
           (strchr(path, '_') && strstr(path, "user_events"));
}

/* ---- the way ---- */

/* Longer paths are nobody's who wants to come to our directory. */
struct way {
    tracefs_place_path done; /* without links; "" is the root */
    tracefs_place_path rest; /* still to go */
    int links;
};

static bool begin(struct way *way, int directory, const char *path)
{
    char link[32];
    ssize_t size;

    way->links = 0;
    *way->done = 0;
    if (strlen(path) >= sizeof(way->rest))
        return false;
    memcpy(way->rest, path, strlen(path) + 1);
    if (*path == '/')
        return true;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", directory);
    if (directory == AT_FDCWD)
        size = PRELOAD_NEXT(syscall)(SYS_getcwd, way->done, sizeof(way->done)) - 1;
    else
        size = PRELOAD_NEXT(readlink)(link, way->done, sizeof(way->done) - 1);
    if (size <= 0 || size >= (ssize_t)sizeof(way->done) - 1 || *way->done != '/')
        return false;
    way->done[size == 1 ? 0 : size] = 0;
    return true;
}

static void go_up(struct way *way)
{
    char *slash = strrchr(way->done, '/');

    if (slash)
        *slash = 0;
}

/* The target of the link comes before the rest of the path. */
static bool follow(struct way *way, const char *link)
{
    tracefs_place_path rest;
    int length = snprintf(rest, sizeof(rest), "%s/%s", link, way->rest);

    if (length < 0 || length >= (int)sizeof(rest) || ++way->links > LINKS_MAX)
        return false;
    memcpy(way->rest, rest, (size_t)length + 1);
    if (*link == '/')
        *way->done = 0;
    else
        go_up(way);
    return true;
}

/* The next step of the rest. */
static size_t take_step(struct way *way, tracefs_place_path step)
{
    size_t slashes = strspn(way->rest, "/");
    size_t length = strcspn(way->rest + slashes, "/");

    memcpy(step, way->rest + slashes, length);
    step[length] = 0;
    memmove(way->rest, way->rest + slashes + length, strlen(way->rest + slashes + length) + 1);
    return length;
}

/* False: it leads nowhere. What is not there may still be one of the names of our directory. */
static bool go(struct way *way, const char *step, bool follows_last)
{
    tracefs_place_path link;
    size_t length = strlen(way->done);
    int written;
    ssize_t size;

    if (!strcmp(step, "."))
        return true;
    if (!strcmp(step, "..")) {
        go_up(way);
        return true;
    }
    written = snprintf(way->done + length, sizeof(way->done) - length, "/%s", step);
    if (written < 0 || (size_t)written >= sizeof(way->done) - length)
        return false;
    if (preload_place_begins(way->done))
        return true;
    size = PRELOAD_NEXT(readlink)(way->done, link, sizeof(link) - 1);
    if (size < 0)
        return errno == EINVAL || preload_place_is_on_the_way(way->done);
    link[size] = 0; /* one that is cut leads nowhere */
    return (follows_last || *way->rest) && follow(way, link);
}

bool preload_detour_find(int directory, const char *path, bool follows_last,
                         tracefs_place_path ret_path)
{
    tracefs_place_path step;
    struct way way;
    int error = errno;
    bool found = false;

    if (!*path || !begin(&way, directory, path))
        return false;
    while (!(found = preload_place_resolve_from(way.done, way.rest, ret_path)) &&
           take_step(&way, step)) {
        if (!go(&way, step, follows_last))
            break;
    }
    errno = error;
    return found;
}
