/* SPDX-License-Identifier: MIT */
/* The options for events of the kernel: which ones, of which processes. */
#include "cli/kernel.h"

#include "cli/collection.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STACK_DEFAULT_BYTES 8192u
#define STACK_MAX_BYTES     65000u /* a record has 64 KiB */

bool cli_kernel_open(struct cli_kernel *kernel, const struct cli_verb *verb, int argc)
{
    *kernel = (struct cli_kernel){.verb = verb};
    kernel->patterns = calloc((size_t)argc + 1, sizeof(*kernel->patterns));
    kernel->filters = calloc((size_t)argc + 1, sizeof(*kernel->filters));
    kernel->functions = calloc((size_t)argc + 1, sizeof(*kernel->functions));
    kernel->static_probes = calloc((size_t)argc + 1, sizeof(*kernel->static_probes));
    if (kernel->patterns && kernel->filters && kernel->functions && kernel->static_probes)
        return true;
    cli_errno(verb, ENOMEM, "cannot start");
    return false;
}

void cli_kernel_close(struct cli_kernel *kernel)
{
    free((void *)kernel->patterns);
    free((void *)kernel->filters);
    free((void *)kernel->functions);
    free((void *)kernel->static_probes);
    free(kernel->pids);
}

/* ---- options ---- */

int cli_kernel_add_pattern(struct cli_kernel *kernel, const char *pattern)
{
    kernel->patterns[kernel->pattern_count++] = pattern;
    return CLI_OK;
}

int cli_kernel_add_preset(struct cli_kernel *kernel, const char *name)
{
    static const char *const presets[] = {"@sched", "@syscalls", "@io", "@memory", "@switches"};

    for (size_t n = 0; n < sizeof(presets) / sizeof(*presets); n++) {
        if (!strcmp(name, presets[n] + 1))
            return cli_kernel_add_pattern(kernel, presets[n]);
    }
    cli_error(kernel->verb, "invalid --kernel %s: expected sched, syscalls, io, memory or switches",
              name);
    return CLI_USAGE;
}

int cli_kernel_add_filter(struct cli_kernel *kernel, const char *filter)
{
    const char **to = kernel->pattern_count ? &kernel->filters[kernel->pattern_count - 1] : NULL;

    if (!to || *to) {
        cli_error(kernel->verb, "each -k takes one --filter; combine two with && or ||");
        return CLI_USAGE;
    }
    if (!cli_check_possible(kernel->verb, "--filter", filter))
        return CLI_USAGE;
    *to = filter;
    return CLI_OK;
}

static int add_pid(struct cli_kernel *kernel, int32_t pid)
{
    void *bigger = realloc(kernel->pids, (kernel->pid_count + 1) * sizeof(*kernel->pids));

    if (!bigger) {
        cli_errno(kernel->verb, ENOMEM, "cannot start");
        return CLI_FAILED;
    }
    kernel->pids = bigger;
    kernel->pids[kernel->pid_count++] = pid;
    kernel->has_target = true;
    return CLI_OK;
}

int cli_kernel_add_pids(struct cli_kernel *kernel, const char *text)
{
    const char *at = text;
    int status = CLI_OK;

    while (!status) {
        char *end;
        unsigned long pid = strtoul(at, &end, 10);

        if (!isdigit((unsigned char)*at) || !pid || pid > INT32_MAX || (*end && *end != ',')) {
            cli_error(kernel->verb, "invalid --pid %s: expected numbers, separated by commas",
                      text);
            return CLI_USAGE;
        }
        status = add_pid(kernel, (int32_t)pid);
        if (!*end)
            break;
        at = end + 1;
    }
    return status;
}

/* Returns an exit status. */
static int find_user(const struct cli_kernel *kernel, const char *user, uid_t *ret_uid)
{
    const struct passwd *entry = getpwnam(user);
    char *end;
    unsigned long uid = strtoul(user, &end, 10);

    if (!entry && (!*user || *end || uid >= UINT32_MAX)) {
        cli_error(kernel->verb, "there is no user %s", user);
        return CLI_USAGE;
    }
    *ret_uid = entry ? entry->pw_uid : (uid_t)uid;
    return CLI_OK;
}

int cli_kernel_add_user(struct cli_kernel *kernel, const char *user)
{
    DIR *processes = opendir("/proc");
    const struct dirent *entry;
    uid_t uid;
    int status = find_user(kernel, user, &uid);

    while (!status && processes && (entry = readdir(processes))) {
        struct stat st;
        char *end;
        unsigned long pid = strtoul(entry->d_name, &end, 10);

        if (pid && !*end && !fstatat(dirfd(processes), entry->d_name, &st, 0) && st.st_uid == uid)
            status = add_pid(kernel, (int32_t)pid);
    }
    if (processes)
        closedir(processes);
    if (!status && !kernel->pid_count) {
        cli_error(kernel->verb, "no process of user %s is running", user);
        return CLI_FAILED;
    }
    return status;
}

int cli_kernel_set_stacks(struct cli_kernel *kernel, const char *text)
{
    size_t bytes = STACK_DEFAULT_BYTES;

    kernel->with_stacks = true;
    kernel->stack_bytes = 0;
    if (!strcmp(text, "fp"))
        return CLI_OK;
    if (strncmp(text, "dwarf", 5) != 0 || (text[5] && text[5] != ',') ||
        (text[5] && !cli_parse_size(text + 6, &bytes)) || bytes < 8 || bytes > STACK_MAX_BYTES) {
        cli_error(kernel->verb,
                  "invalid --call-graph %s: expected fp, dwarf, or dwarf,SIZE up to %u", text,
                  STACK_MAX_BYTES);
        return CLI_USAGE;
    }
    kernel->stack_bytes = (uint32_t)bytes & ~7u;
    return CLI_OK;
}

int cli_kernel_set_buffer(struct cli_kernel *kernel, const char *text)
{
    if (cli_parse_size(text, &kernel->ring_bytes) && kernel->ring_bytes >= (64u << 10) &&
        kernel->ring_bytes <= CAIRN_SESSION_RING_MAX_BYTES)
        return CLI_OK;
    cli_error(kernel->verb, "invalid --kernel-buffer %s: expected 64K to 512M", text);
    return CLI_USAGE;
}

bool cli_kernel_is_wanted(const struct cli_kernel *kernel)
{
    return kernel->pattern_count || kernel->function_count || kernel->static_probe_count;
}

int cli_kernel_check(const struct cli_kernel *kernel, bool has_command)
{
    if (kernel->is_all && kernel->has_target) {
        cli_error(kernel->verb, "-a records all processes: it cannot be used with -p or -u");
        return CLI_USAGE;
    }
    if (!cli_kernel_is_wanted(kernel) && kernel->with_stacks) {
        cli_error(kernel->verb, "-g records stacks of events of the kernel: add -k PATTERN");
        return CLI_USAGE;
    }
    if (!cli_kernel_is_wanted(kernel) && kernel->has_target) {
        cli_error(kernel->verb, "-p and -u select events of the kernel: add -k PATTERN");
        return CLI_USAGE;
    }
    if (!cli_kernel_is_wanted(kernel) || kernel->is_all || kernel->has_target || has_command)
        return CLI_OK;
    cli_error(kernel->verb, "whose events of the kernel? Add -a (all processes), -p PID, -u USER, "
                            "or a COMMAND");
    return CLI_USAGE;
}

const struct cairn_session_kernel_options *cli_kernel_options(struct cli_kernel *kernel)
{
    kernel->options = (struct cairn_session_kernel_options)CAIRN_SESSION_KERNEL_OPTIONS_INIT;
    kernel->options.patterns = kernel->patterns;
    kernel->options.filters = kernel->filters;
    kernel->options.pattern_count = kernel->pattern_count;
    kernel->options.target = kernel->has_target ? CAIRN_SESSION_KERNEL_PROCESSES
                             : kernel->is_all || !kernel->has_command
                                 ? CAIRN_SESSION_KERNEL_ALL
                                 : CAIRN_SESSION_KERNEL_CHILDREN;
    kernel->options.functions = kernel->functions;
    kernel->options.function_count = kernel->function_count;
    kernel->options.static_probes = kernel->static_probes;
    kernel->options.static_probe_count = kernel->static_probe_count;
    kernel->options.pids = kernel->pids;
    kernel->options.pid_count = kernel->pid_count;
    kernel->options.ring_bytes = kernel->ring_bytes;
    kernel->options.with_stacks = kernel->with_stacks;
    kernel->options.stack_bytes = kernel->stack_bytes;
    kernel->options.problem = kernel->problem;
    kernel->options.problem_bytes = sizeof(kernel->problem);
    kernel->options.with_maps = kernel->with_maps;
    return cli_kernel_is_wanted(kernel) || kernel->with_maps ? &kernel->options : NULL;
}

/* ---- messages ---- */

void cli_kernel_advise(const struct cli_kernel *kernel)
{
    bool is_of_some = !kernel->is_all && (kernel->has_target || kernel->has_command);

    for (size_t n = 0; is_of_some && n < kernel->pattern_count; n++) {
        if (!strcmp(kernel->patterns[n], "@sched"))
            cli_error(kernel->verb,
                      "--kernel sched has when these threads were switched out and when they "
                      "continued, but not what ran instead: add -a for that");
    }
}

/* True if a pattern without wildcards names a tracepoint. */
static bool names(const char *pattern, const char *tracepoint)
{
    size_t bytes = strlen(tracepoint);

    return !strncmp(pattern, tracepoint, bytes) &&
           (!pattern[bytes] || !strcmp(pattern + bytes, "/stack/"));
}

static bool is_named(const struct cli_kernel *kernel, const char *tracepoint)
{
    for (size_t n = 0; n < kernel->pattern_count; n++) {
        if (names(kernel->patterns[n], tracepoint))
            return true;
    }
    return false;
}

bool cli_kernel_has_useless_filter(const struct cli_kernel *kernel,
                                   const struct cairn_session *session)
{
    uint32_t count = cairn_session_counts(session)->kernel_tracepoints;
    uint32_t refused = 0;

    for (uint32_t n = 0; n < count; n++) {
        const struct cairn_session_tracepoint *tp = cairn_session_kernel_tracepoint(session, n);

        refused += tp->filter_problem != NULL;
        if (tp->filter_problem && is_named(kernel, tp->name))
            return true;
    }
    return refused && refused == count;
}

bool cli_kernel_report_filters(const struct cli_kernel *kernel, const struct cairn_session *session)
{
    uint32_t count = cairn_session_counts(session)->kernel_tracepoints;
    bool is_fine = true;

    for (uint32_t n = 0; n < count; n++) {
        const struct cairn_session_tracepoint *tp = cairn_session_kernel_tracepoint(session, n);

        if (!tp->filter_problem)
            continue;
        is_fine = false;
        cli_error(kernel->verb, "the filter is invalid for %s (%s): none of its events is recorded",
                  tp->name, tp->filter_problem);
    }
    return is_fine;
}
