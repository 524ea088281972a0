/* SPDX-License-Identifier: MIT */
/* The sides that run the cases: system calls, and cairn's two backends. */
#include "codes.h"

#include "engine/kernel_abi.h"
#include "engine/registry_text.h"
#include "engine/session.h"
#include "tracefs/abi.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int codes_fd = -1;

static struct engine_registry recorder = {.lock_fd = -1};

/* ---- system calls ---- */

static int add_by_ioctl(struct codes_event *e, uint32_t flags)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(e->word),
        .flags = (uint16_t)flags,
        .enable_addr = (uintptr_t)&e->word,
        .name_args = (uintptr_t)e->command,
    };

    if (ioctl(codes_fd, ENGINE_USER_EVENTS_REG, &reg) < 0)
        return errno;
    e->index = reg.write_index;
    return 0;
}

/* The struct of the first version has no flags. */
static int add_by_first_ioctl(struct codes_event *e, uint32_t flags)
{
    struct tracefs_reg_v4 reg = {.size = sizeof(reg), .name_args = (uintptr_t)e->command};

    if (flags)
        return add_by_ioctl(e, flags);
    if (ioctl(codes_fd, ENGINE_USER_EVENTS_REG, &reg) < 0)
        return errno;
    e->index = reg.write_index;
    e->word = UINT32_MAX;
    return 0;
}

static int remove_by_ioctl(struct codes_event *e)
{
    struct engine_user_unreg unreg = {.size = sizeof(unreg), .disable_addr = (uintptr_t)&e->word};

    if (e->word == UINT32_MAX) /* nothing to unregister */
        return 0;
    return ioctl(codes_fd, ENGINE_USER_EVENTS_UNREG, &unreg) < 0 ? errno : 0;
}

static int write_by_call(struct codes_event *e, const struct iovec *parts, int count)
{
    struct iovec all[128] = {{&e->index, sizeof(e->index)}};

    memcpy(all + 1, parts, (size_t)count * sizeof(*parts));
    return writev(codes_fd, all, count + 1) < 0 ? errno : 0;
}

static int delete_by_ioctl(const char *name)
{
    return ioctl(codes_fd, ENGINE_USER_EVENTS_DEL, name) < 0 ? errno : 0;
}

static int line_by_write(const char *text, size_t size_bytes)
{
    int fd = open(TRACING "/dynamic_events", O_WRONLY | O_CLOEXEC);
    ssize_t written;
    int error;

    codes_check(fd >= 0, "dynamic_events");
    written = write(fd, text, size_bytes);
    error = written < 0 ? errno : 0;
    codes_check(error || written == (ssize_t)size_bytes, "all of the lines");
    close(fd);
    return error;
}

static void listen_by_file(const char *name, bool on)
{
    char path[256];
    int fd;

    (void)snprintf(path, sizeof(path), TRACING "/events/user_events/%s/enable", name);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    codes_check(fd >= 0 && write(fd, on ? "1" : "0", 1) == 1, path);
    close(fd);
}

/* ---- cairn ---- */

static int add_with(struct codes_event *e, uint32_t flags, uint32_t backends)
{
    const struct cairn_tracepoint_options options = {sizeof(options), flags, backends};

    return cairn_tracepoint_register_with(&e->tp, e->command, &options);
}

static int add_to_backend(struct codes_event *e, uint32_t flags)
{
    return add_with(e, flags, CAIRN_BACKEND_KERNEL);
}

static int add_to_engine(struct codes_event *e, uint32_t flags)
{
    return add_with(e, flags, CAIRN_BACKEND_LOCAL);
}

static int remove_tracepoint(struct codes_event *e)
{
    return cairn_tracepoint_unregister(&e->tp);
}

static int write_tracepoint(struct codes_event *e, const struct iovec *parts, int count)
{
    return cairn_tracepoint_write(&e->tp, parts, count);
}

static int delete_from_backend(const char *name)
{
    return cairn_user_event_delete(name, CAIRN_BACKEND_KERNEL);
}

static int delete_from_engine(const char *name)
{
    return cairn_user_event_delete(name, CAIRN_BACKEND_LOCAL);
}

/* Does what `cairn events` does with each line. */
static int line_to_engine(const char *text, size_t size_bytes)
{
    char line[8192];
    int error = 0;

    for (size_t at = 0; at < size_bytes && !error;) {
        size_t length = strcspn(text + at, "\n");

        (void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(text + at, "\n#"), text + at);
        at += length + 1;
        if (!line[strspn(line, " \t\v\f\r")])
            continue;
        codes_check(!engine_registry_lock(&recorder), "the registry's lock");
        error = engine_registry_command(&recorder, line);
        engine_registry_unlock(&recorder);
    }
    return error;
}

static void listen_to_engine(const char *name, bool on)
{
    const struct engine_session_request request = {
        &name, NULL, 1, ENGINE_STATUS_RECORDER, 128 << 10, 8, 0, 0, false};
    static struct engine_session session;

    if (on)
        codes_check(!engine_session_begin(&recorder, &request, &session), "a session");
    else
        engine_session_end(&recorder, &session);
}

/* ---- */

static const struct codes_side sides[] = {
    {"calls", true, true, add_by_ioctl, remove_by_ioctl, write_by_call, delete_by_ioctl,
     line_by_write, listen_by_file},
    {"first", true, true, add_by_first_ioctl, remove_by_ioctl, write_by_call, delete_by_ioctl,
     line_by_write, listen_by_file},
    {"kernel", false, true, add_to_backend, remove_tracepoint, write_tracepoint,
     delete_from_backend, line_by_write, listen_by_file},
    {"local", false, false, add_to_engine, remove_tracepoint, write_tracepoint, delete_from_engine,
     line_to_engine, listen_to_engine},
};

const struct codes_side *codes_side_open(const char *name)
{
    const struct codes_side *side = NULL;

    for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
        if (!strcmp(sides[i].name, name))
            side = &sides[i];
    }
    if (side && side->is_raw) {
        codes_fd = open(TRACING "/user_events_data", O_RDWR | O_CLOEXEC);
        codes_check(codes_fd >= 0, "user_events_data");
    } else if (side && !side->line_is_file) {
        codes_check(!engine_registry_open(&recorder), "the tracing directory");
    }
    return side;
}

void codes_side_close(void)
{
    engine_registry_close(&recorder);
    if (codes_fd >= 0)
        close(codes_fd);
}
