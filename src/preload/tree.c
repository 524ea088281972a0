/* SPDX-License-Identifier: MIT */
#include "preload/tree.h"
#include "local/engine.h"
#include "local/sweep.h"
#include "preload/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TREE_MAGIC UINT64_C(0x32656572746e7263) /* "crntree2" */

/* An event as its folder is: 256 bytes, for a page of memory holds whole ones. */
struct tree_event {
    uint64_t generation; /* 0: it has no folder */
    uint32_t flags;      /* of enum cairn_entry_flag */
    char name[CAIRN_NAME_MAX_BYTES - 12];
};

struct tree_index {
    uint64_t magic;
    uint32_t changes; /* of the registry, when it was last looked at */
    uint32_t end;     /* behind the last event that has memory: even to read another may be fatal */
    uint8_t reserved[4096 - 16];
    struct tree_event events[CAIRN_EVENT_MAX];
};

CAIRN_I_STATIC_ASSERT(sizeof(struct tree_event) == 256, "an event is of 256 bytes");
CAIRN_I_STATIC_ASSERT(offsetof(struct tree_index, events) == 4096, "events at 4096");

#define SWEEP_NS 2000000u

static struct tree_index *mapped;
static uint64_t swept_ns; /* when the dead were last looked for */

static const char *const folders[] = {
    "",
    "events",
    "events/user_events",
    "events/user_events_multi",
};

static const struct {
    const char *name;
    const char *text;
} files[] = {
    {"README", "tracefs as cairn serves it: user_events of the local engine\n"},
    {"available_tracers", "nop\n"},
    {"current_tracer", "nop\n"},
    {"trace_clock", "[mono]\n"},
};

static const char *const served[] = {
    "user_events_data",
    "user_events_status",
    "dynamic_events",
    "available_events",
    "set_event",
    "tracing_on",
    "trace",
    "trace_pipe",
    "events/enable",
    "events/user_events/enable",
    "events/user_events_multi/enable",
    "events/user_events/filter",
    "events/user_events_multi/filter",
    "error_log",
};

static const char *const systems[] = {"events/user_events", "events/user_events_multi"};

static const char *const of_event[] = {"enable", "filter", "format", "id"};

/* From the folder on, and from the root on. */
typedef char tree_name[CAIRN_NAME_MAX_BYTES + 64];
typedef char tree_path[CAIRN_PATH_MAX + CAIRN_NAME_MAX_BYTES + 80];

static int make_folder(const char *name)
{
    const struct cairn_directory *directory = &cairn_i_engine.local.directory;
    tree_path path;

    (void)snprintf(path, sizeof(path), "tracefs/%s", name);
    return cairn_directory_make(directory, path);
}

static int make_file(const char *name, const char *text)
{
    const struct cairn_directory *directory = &cairn_i_engine.local.directory;
    struct cairn_place place = {0};
    unsigned int mode = 0440;
    tree_path path;
    int error = 0;
    int fd;

    (void)snprintf(path, sizeof(path), "tracefs/%s", name);
    fd = cairn_directory_open(directory, path, O_RDWR | O_CREAT | O_TRUNC);
    if (fd < 0)
        return errno == EACCES ? 0 : errno; /* it is there, and only to be read */
    if (*text && write(fd, text, strlen(text)) < 0)
        error = errno;
    if (!*text && cairn_place_name(name, &place))
        mode = cairn_place_mode(place.kind);
    if (place.kind == CAIRN_PLACE_STATUS)
        error = ftruncate(fd, CAIRN_EVENT_MAX) ? errno : 0; /* what can be mapped of it */
    (void)fchmod(fd, mode | (directory->is_shared ? (mode & 0200) >> 3 : 0));
    close(fd);
    return error;
}

static int make_fixed(void)
{
    int error = 0;

    for (size_t i = 0; !error && i < sizeof(folders) / sizeof(*folders); i++)
        error = make_folder(folders[i]);
    for (size_t i = 0; !error && i < sizeof(served) / sizeof(*served); i++)
        error = make_file(served[i], "");
    for (size_t i = 0; !error && i < sizeof(files) / sizeof(*files); i++)
        error = make_file(files[i].name, files[i].text);
    return error;
}

static int map_index(void)
{
    int fd =
        cairn_directory_open(&cairn_i_engine.local.directory, "tracefs.index", O_RDWR | O_CREAT);
    void *memory = MAP_FAILED;
    int error = fd < 0 ? errno : cairn_file_extend(fd, sizeof(*mapped));

    if (!error) {
        memory = mmap(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = memory == MAP_FAILED ? errno : 0;
    }
    if (!error)
        error = cairn_file_back(fd, 0, offsetof(struct tree_index, events));
    if (fd >= 0)
        close(fd);
    if (error && memory != MAP_FAILED)
        munmap(memory, sizeof(*mapped));
    else if (!error)
        mapped = memory;
    return error;
}

/* ---- events ---- */

static void name_folder(const struct tree_event *event, const char *file, tree_name path)
{
    (void)snprintf(path, sizeof(tree_name), "events/user_events%s/%.*s%s%s",
                   event->flags & CAIRN_ENTRY_MULTI ? "_multi" : "", (int)sizeof(event->name),
                   event->name, *file ? "/" : "", file);
}

static void remove_event(struct tree_event *event)
{
    tree_name name;
    tree_path folder;
    tree_path path;

    name_folder(event, "", name);
    (void)snprintf(folder, sizeof(folder), "%s/%s", cairn_place_root(), name);
    event->generation = 0;
    if (!rmdir(folder))
        return; /* nobody has looked into it */
    for (size_t i = 0; i < sizeof(of_event) / sizeof(*of_event); i++) {
        name_folder(event, of_event[i], name);
        (void)snprintf(path, sizeof(path), "%s/%s", cairn_place_root(), name);
        (void)unlink(path);
    }
    (void)rmdir(folder);
}

static uint32_t events_end(void)
{
    return mapped->end < CAIRN_EVENT_MAX ? mapped->end : CAIRN_EVENT_MAX;
}

/* Memory behind all events below `end`. */
static int back_events(uint32_t end)
{
    uint32_t first = events_end();
    int error;
    int fd;

    if (end <= first)
        return 0;
    fd = cairn_directory_open(&cairn_i_engine.local.directory, "tracefs.index", O_RDWR);
    error = fd < 0 ? errno
                   : cairn_file_back(fd, offsetof(struct tree_index, events[first]),
                                     (end - first) * sizeof(struct tree_event));
    if (fd >= 0)
        close(fd);
    if (!error)
        mapped->end = end;
    return error;
}

static int add_event(uint32_t index, const struct cairn_event_entry *entry)
{
    struct tree_event *event = &mapped->events[index];
    uint32_t length = cairn_command_name_length(entry->command);
    tree_name name;
    int error;

    if (length >= sizeof(event->name) || memchr(entry->command, '/', length) ||
        strspn(entry->command, ".") >= length)
        return 0; /* no name for a folder */
    memcpy(event->name, entry->command, length);
    event->name[length] = 0;
    event->flags = entry->flags;
    name_folder(event, "", name);
    error = make_folder(name);
    event->generation = entry->generation;
    return error;
}

/* First what is gone, then what is new: a name may be another event's now. */
static int renew_events(void)
{
    const struct cairn_local *local = &cairn_i_engine.local;
    const uint32_t end = cairn_registry_end(local);
    int error = back_events(end);

    for (uint32_t i = 1; i < events_end() && i < end; i++) {
        struct tree_event *event = &mapped->events[i];

        if (event->generation && event->generation != local->entries[i].generation)
            remove_event(event);
    }
    for (uint32_t i = 1; !error && i < end; i++) {
        struct cairn_event_entry entry = local->entries[i];

        entry.command[sizeof(entry.command) - 1] = 0;
        if (entry.generation && entry.generation != mapped->events[i].generation)
            error = add_event(i, &entry);
    }
    return error;
}

/* ---- the files of an event ---- */

/* The last of them tells; what cannot be looked at is as it is. */
static bool is_filled(const char *folder)
{
    tree_path path;
    struct stat st;

    (void)snprintf(path, sizeof(path), "%s/%s/%s", cairn_place_root(), folder,
                   of_event[sizeof(of_event) / sizeof(*of_event) - 1]);
    return !fstatat(AT_FDCWD, path, &st, 0) || errno != ENOENT;
}

static int fill(const char *folder)
{
    int error = 0;
    tree_name name;

    for (size_t i = 0; !error && i < sizeof(of_event) / sizeof(*of_event); i++) {
        (void)snprintf(name, sizeof(name), "%s/%s", folder, of_event[i]);
        error = make_file(name, "");
    }
    return error == ENOENT || error == ENOTDIR ? 0 : error; /* there is no such event */
}

static int fill_all(void)
{
    int error = 0;
    tree_name name;

    for (uint32_t i = 1; !error && i < events_end(); i++) {
        if (!mapped->events[i].generation)
            continue;
        name_folder(&mapped->events[i], "", name);
        if (!is_filled(name))
            error = fill(name);
    }
    return error;
}

static bool begins_as(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* events/SYSTEM[/NAME[/FILE]]: what is behind the system, or NULL. */
static const char *behind_system(const char *path)
{
    for (size_t i = 0; i < sizeof(systems) / sizeof(*systems); i++) {
        if (begins_as(path, systems[i]))
            return path + strlen(systems[i]);
    }
    return NULL;
}

/* The event's folder whose files are looked for; false: none are. */
static bool find_folder(const char *path, enum cairn_tree_depth depth, tree_name folder)
{
    const char *name = behind_system(path);
    const char *file = name && *name ? strchr(name + 1, '/') : NULL;

    if (!name || !*name || (!file && depth == CAIRN_TREE_PLACE))
        return false;
    (void)snprintf(folder, sizeof(tree_name), "%.*s", file ? (int)(file - path) : (int)strlen(path),
                   path);
    return !is_filled(folder);
}

/* ---- */

static int renew_fixed(void)
{
    int error;

    if (mapped->magic == TREE_MAGIC)
        return 0;
    error = make_fixed();
    if (!error)
        __atomic_store_n(&mapped->magic, TREE_MAGIC, __ATOMIC_RELEASE);
    return error;
}

static int renew_folders(void)
{
    const uint32_t changes = cairn_i_engine.local.registry->changes;
    int error = 0;

    if (mapped->changes != changes)
        error = renew_events();
    if (!error)
        __atomic_store_n(&mapped->changes, changes, __ATOMIC_RELEASE);
    return error;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Nothing has changed, as far as can be seen without the registry's lock. The dead are looked for
 * every now and then: the kernel, too, lets their events go a moment later. */
static bool is_current(bool among_events)
{
    return __atomic_load_n(&mapped->magic, __ATOMIC_ACQUIRE) == TREE_MAGIC &&
           (!among_events ||
            (__atomic_load_n(&mapped->changes, __ATOMIC_ACQUIRE) ==
                 __atomic_load_n(&cairn_i_engine.local.registry->changes, __ATOMIC_RELAXED) &&
             now_ns() - swept_ns < SWEEP_NS));
}

static int renew_locked(bool among_events, enum cairn_tree_depth depth, const char *to_fill)
{
    int error = renew_fixed();

    if (error || !among_events)
        return error;
    cairn_registry_sweep(&cairn_i_engine.local);
    swept_ns = now_ns();
    error = renew_folders();
    if (!error && depth == CAIRN_TREE_ALL)
        error = fill_all();
    else if (!error && *to_fill)
        error = fill(to_fill);
    return error;
}

int cairn_tree_renew(const char *path, enum cairn_tree_depth depth)
{
    bool among_events = depth == CAIRN_TREE_ALL || behind_system(path);
    tree_name to_fill = "";
    int error = cairn_engine_attach();

    cairn_engine_check_process();
    if (!error && !mapped)
        error = map_index();
    if (!error && !find_folder(path, depth, to_fill) && depth != CAIRN_TREE_ALL &&
        is_current(among_events))
        return 0;
    if (!error)
        error = cairn_local_lock(&cairn_i_engine.local);
    if (error)
        return error;
    error = renew_locked(among_events, depth, to_fill);
    cairn_local_unlock(&cairn_i_engine.local);
    return error;
}
