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

static struct tree_index *mapped;

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
    tree_path path;

    for (size_t i = 0; i < sizeof(of_event) / sizeof(*of_event); i++) {
        name_folder(event, of_event[i], name);
        (void)snprintf(path, sizeof(path), "%s/%s", cairn_place_root(), name);
        (void)unlink(path);
    }
    name_folder(event, "", name);
    (void)snprintf(path, sizeof(path), "%s/%s", cairn_place_root(), name);
    (void)rmdir(path);
    event->generation = 0;
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
    for (size_t i = 0; !error && i < sizeof(of_event) / sizeof(*of_event); i++) {
        name_folder(event, of_event[i], name);
        error = make_file(name, "");
    }
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

static int renew_locked(void)
{
    uint32_t changes;
    int error = 0;

    cairn_registry_sweep(&cairn_i_engine.local);
    changes = cairn_i_engine.local.registry->changes;
    if (mapped->magic != TREE_MAGIC) {
        error = make_fixed();
        if (!error)
            mapped->magic = TREE_MAGIC;
    } else if (mapped->changes == changes) {
        return 0;
    }
    if (!error)
        error = renew_events();
    if (!error)
        mapped->changes = changes;
    return error;
}

int cairn_tree_renew(void)
{
    int error = cairn_engine_attach();

    cairn_engine_check_process();
    if (!error && !mapped)
        error = map_index();
    if (!error)
        error = cairn_local_lock(&cairn_i_engine.local);
    if (error)
        return error;
    error = renew_locked();
    cairn_local_unlock(&cairn_i_engine.local);
    return error;
}
