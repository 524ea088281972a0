/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints of the kernel for probes in programs: made by uprobe_events of tracefs, removed when
 * the recording ends. Those of a recorder that was killed are removed by the next one.
 */
#include "perf_events/internal.h"

#include "perf_events/probes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP "cairn_" /* then the recorder's pid, "_", and a number */

/* Executes a line. Returns 0; or the error of the kernel. */
static int execute(const struct perf_events *events, const char *line)
{
    int fd = openat(events->tracefs, "uprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
    int err = fd < 0 ? errno : 0;

    if (!err && write(fd, line, strlen(line)) < 0)
        err = errno;
    if (fd >= 0)
        close(fd);
    return err;
}

/* ---- removing ---- */

void perf_events_remove_probe(const struct perf_events *events, const char *probe)
{
    char line[NAME_MAX + 32];

    if (snprintf(line, sizeof(line), "-:%s\n", probe) < (int)sizeof(line))
        (void)execute(events, line);
}

/* The pid of the recorder that made a probe; 0: somebody else did. */
static pid_t owner_of(const char *probe)
{
    char *end;
    unsigned long pid;

    if (strncmp(probe, GROUP, strlen(GROUP)) != 0)
        return 0;
    pid = strtoul(probe + strlen(GROUP), &end, 10);
    return *end == '_' && pid <= INT32_MAX ? (pid_t)pid : 0;
}

/* Lines are "p:GROUP/NAME PATH:OFFSET ...". */
static void remove_stale(const struct perf_events *events)
{
    int fd = openat(events->tracefs, "uprobe_events", O_RDONLY | O_CLOEXEC);
    FILE *list = fd < 0 ? NULL : fdopen(fd, "r");
    char *line = NULL;
    size_t capacity = 0;

    if (fd >= 0 && !list)
        close(fd);
    while (list && getline(&line, &capacity, list) > 2) {
        char *probe = line + 2;
        pid_t owner = owner_of(probe);

        probe[strcspn(probe, " ")] = '\0';
        if (owner && kill(owner, 0) && errno == ESRCH)
            perf_events_remove_probe(events, probe);
    }
    free(line);
    if (list)
        fclose(list);
}

/* ---- making ---- */

/* The name of a file without its directory, as a system's name. Allocated. */
static char *system_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *system = strdup(slash ? slash + 1 : path);

    for (char *at = system; at && *at; at++) {
        if (!isalnum((unsigned char)*at))
            *at = '_';
    }
    return system;
}

static int make(struct perf_events *events, const char *path, const struct perf_events_probe *probe,
                bool with_fetch, char **ret_name)
{
    char counter[32] = "";
    char *line = NULL;
    char *name = NULL;
    int err = 0;

    if (probe->counter)
        (void)snprintf(counter, sizeof(counter), "(0x%" PRIx64 ")", probe->counter);
    if (asprintf(&name, GROUP "%d_%" PRIu32 "/%s", getpid(), events->event_count, probe->name) < 0)
        return ENOMEM;
    if (asprintf(&line, "p:%s %s:0x%" PRIx64 "%s%.*s\n", name, path, probe->offset, counter,
                 with_fetch ? (int)probe->fetch.size : 0,
                 probe->fetch.data ? (const char *)probe->fetch.data : "") < 0) {
        free(name);
        return ENOMEM;
    }
    err = execute(events, line);
    free(line);
    if (err)
        free(name);
    else
        *ret_name = name;
    return err;
}

/* Adds the event of a probe. Arguments that the kernel cannot fetch are left out, all of them. The
 * event has the program's name that the user gave: `path` may be what a link leads to. */
static int add(struct perf_events *events, const char *program, const char *path,
               const struct perf_events_probe *probe)
{
    struct perf_events_tracepoint tracepoint;
    struct perf_events_event *event;
    char *name = NULL;
    char *slash;
    int err = make(events, path, probe, true, &name);

    if (err == EINVAL && probe->fetch.size)
        err = make(events, path, probe, false, &name);
    if (err)
        return err;
    slash = strchr(name, '/');
    *slash = '\0';
    err = perf_events_tracepoint_read(events->tracefs, name, slash + 1, &tracepoint);
    *slash = '/';
    event = err ? NULL : perf_events_add_event(events);
    if (!event) {
        perf_events_remove_probe(events, name);
        free(name);
        return err ? err : ENOMEM;
    }
    event->tracepoint = tracepoint;
    event->probe = name;
    event->pattern = "probe:one";
    free(event->tracepoint.system);
    event->tracepoint.system = system_of(program);
    return event->tracepoint.system ? 0 : ENOMEM;
}

/* ---- words of the user ---- */

/* Finds a program as a shell does. Returns an absolute path, allocated, or NULL. */
static char *find_program(const char *name)
{
    const char *at = getenv("PATH");
    char path[PATH_MAX];

    if (strchr(name, '/') || !at)
        return realpath(name, NULL);
    while (*at) {
        size_t length = strcspn(at, ":");

        if (length &&
            snprintf(path, sizeof(path), "%.*s/%s", (int)length, at, name) < (int)sizeof(path) &&
            !access(path, X_OK))
            return realpath(path, NULL);
        at += length + (at[length] == ':');
    }
    return realpath(name, NULL);
}

static int explain(const char *word, int err, struct perf_events_problem *problem)
{
    switch (err) {
    case ENOENT:
        return perf_events_fail(problem, err, "%s: no function or probe has such a name", word);
    case EBADMSG:
        return perf_events_fail(problem, err, "%s: not an executable or a library", word);
    case EOPNOTSUPP:
        return perf_events_fail(
            problem, err, "%s: cannot look into programs: libdw is missing, here or in this build",
            word);
    case EACCES:
    case EPERM:
        return perf_events_fail(problem, err, "%s: only root may make probes (uprobe_events)",
                                word);
    default:
        return perf_events_fail(problem, err, "%s: %s", word, strerror(err));
    }
}

/* A word is "PROGRAM:PATTERN". */
static int add_word(struct perf_events *events, const char *word, bool is_stacked,
                    perf_events_find *find, struct perf_events_problem *problem)
{
    struct perf_events_probes probes = {0};
    const char *colon = strchr(word, ':');
    char *program = colon ? strndup(word, (size_t)(colon - word)) : NULL;
    char *path = program ? find_program(program) : NULL;
    int err = 0;

    if (!colon)
        err = perf_events_fail(problem, EINVAL, "%s: expected PROGRAM:NAME", word);
    else if (!path)
        err = perf_events_fail(problem, ENOENT, "%s: there is no program %s", word,
                               program ? program : "");
    if (err) {
        free(program);
        return err;
    }
    err = find(path, colon + 1, &probes);
    for (uint32_t n = 0; n < probes.count && !err; n++) {
        err = add(events, program, path, &probes.probes[n]);
        if (!err)
            events->events[events->event_count - 1]->has_stacks = is_stacked;
    }
    perf_events_free_probes(&probes);
    free(program);
    free(path);
    return err ? explain(word, err, problem) : 0;
}

static int add_words(struct perf_events *events, const char *const *words, size_t count,
                     perf_events_find *find, struct perf_events_problem *problem)
{
    int err = 0;

    for (size_t n = 0; n < count && !err; n++) {
        bool is_stacked;
        char *word = perf_events_copy_pattern(events, words[n], &is_stacked);

        err = word ? add_word(events, word, is_stacked, find, problem) : ENOMEM;
        free(word);
    }
    return err;
}

int perf_events_add_probes(struct perf_events *events, const struct perf_events_options *options,
                           struct perf_events_problem *problem)
{
    int err;

    if (options->function_count || options->static_count)
        remove_stale(events);
    err = add_words(events, options->functions, options->function_count, perf_events_find_functions,
                    problem);
    return err ? err
               : add_words(events, options->statics, options->static_count, perf_events_find_static,
                           problem);
}
