/* SPDX-License-Identifier: MIT */
/* cairn run: emulates the kernel's user_events for a program, with the local engine. */
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/run_tree.h"
#include "engine/session.h"
#include "run/namespace.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY   "libcairn-run.so"
#define DIRECTORY "/sys/kernel/tracing"

static const struct option options[] = {
    {"backend", required_argument, NULL, 'b'},
    {"fuse", no_argument, NULL, 'f'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Runs a program that uses the kernel's user_events, and emulates these with the local\n"
    "engine: on any kernel, without privileges, and without a change to the program.\n"
    "\n"
    "  -b, --backend=B   local: emulate; kernel: run the program unchanged; auto: kernel if\n"
    "                    this user may use the kernel's user_events, otherwise local\n"
    "                    [default: the value of CAIRN_BACKEND, or auto]\n"
    "  -f, --fuse        emulate by a mount in namespaces of its own, and load nothing: for\n"
    "                    programs of any kind; needs /dev/fuse and user namespaces\n"
    "  -q, --quiet       do not print the backend and what cannot be emulated\n"
    "  -h, --help        print this\n"
    "\n"
    "cairn run becomes the program: process, signals and exit status are the program's.\n"
    "Its own exit statuses: 125 if the tracing directory cannot be used or the library is\n"
    "missing, 126 if the program cannot be run, 127 if it was not found, 2 if the command\n"
    "line is invalid.\n"
    "Without --fuse, programs that are linked statically, and system calls that bypass\n"
    "the C library, are not emulated; for static programs and Go programs a warning is\n"
    "printed.\n"
    "\n"
    "  cairn run -- ./my_service & cairn record -e '*' -o my.data --duration 10\n";

enum { CLI_RUN_FAILED = 125 };

/* ---- which backend ---- */

enum choice { CHOICE_AUTO, CHOICE_LOCAL, CHOICE_KERNEL };

static bool parse_choice(const char *text, enum choice *choice)
{
    static const char *const names[] = {"auto", "local", "kernel"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(text, names[i]) != 0)
            continue;
        *choice = (enum choice)i;
        return true;
    }
    return false;
}

static enum choice default_choice(void)
{
    uint32_t backends = cairn_backend_chosen();

    if (!(backends & CAIRN_BACKEND_REQUIRED))
        return CHOICE_AUTO;
    return backends & CAIRN_BACKEND_KERNEL && !(backends & CAIRN_BACKEND_LOCAL) ? CHOICE_KERNEL
                                                                                : CHOICE_LOCAL;
}

/* ---- the environment of the program ---- */

/* Finds the library: in the build directory of this program, or relative to this program where both
 * were installed, or in the configured directory. */
static bool find_library(char path[PATH_MAX])
{
    static const char *const relative[] = {"src", CAIRN_RUN_FROM_BIN};
    char self[PATH_MAX / 2];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    self[size > 0 ? size : 0] = 0;
    slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof(relative) / sizeof(*relative); i++) {
        (void)snprintf(path, PATH_MAX, "%.*s/%s/%s", (int)(slash - self), self, relative[i],
                       LIBRARY);
        if (!access(path, R_OK))
            return true;
    }
    (void)snprintf(path, PATH_MAX, "%s/%s", CAIRN_RUN_DIRECTORY, LIBRARY);
    return !access(path, R_OK);
}

/* Adds the library at the front of LD_PRELOAD, in which spaces and colons cannot be quoted. */
static int set_preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char *list;
    int error;

    if (strpbrk(library, " :"))
        return EINVAL;
    if (asprintf(&list, "%s%s%s", library, others && *others ? ":" : "", others ? others : "") < 0)
        return ENOMEM;
    error = setenv("LD_PRELOAD", list, 1) ? errno : 0;
    free(list);
    return error;
}

/*
 * Begins, or joins, the session whose events are the lines of tracefs's trace, and leaves its
 * descriptor to the library in the program: events that a shell's commands enable remain enabled
 * until the shell ends.
 */
static int hold_session(struct engine_registry *local)
{
    static const struct engine_session_request request = {
        .status_bit = ENGINE_STATUS_TEXT,
        .chunk_bytes = ENGINE_SHARED_CHUNK_BYTES,
        .chunk_count = ENGINE_SHARED_CHUNKS,
        .small_chunks = ENGINE_SHARED_SMALL_CHUNKS,
    };
    struct engine_session session;
    char path[PATH_MAX + 64];
    char number[16];
    int error = engine_session_share(local, &request, &session);

    if (error)
        return error;
    (void)snprintf(path, sizeof(path), "%s/sessions/%" PRIu64, local->directory.path,
                   session.generation);
    (void)snprintf(number, sizeof(number), "%d", session.liveness_fd);
    if (fcntl(session.liveness_fd, F_SETFD, 0) || setenv("CAIRN_RUN_SESSION", path, 1) ||
        setenv("CAIRN_RUN_FD", number, 1))
        error = errno;
    return error;
}

/*
 * Sets the absolute path of the tracing directory: the program may change its working directory.
 * Programs that use cairn register with the local engine only: with the emulated kernel too, their
 * events would be registered twice.
 */
static int set_directory(const struct engine_directory *directory, bool has_tree)
{
    char *path = realpath(directory->path, NULL);
    int error = !path || setenv("CAIRN_TRACING_DIR", path, 1) ? errno : 0;

    if (!error && has_tree)
        cli_run_set_tree(directory->is_shared, path);
    free(path);
    return error || !setenv("CAIRN_BACKEND", "local", 1) ? error : errno;
}

/* ---- the two transports ---- */

static int prepare_preload(const struct cli_verb *verb)
{
    struct engine_registry local = {.lock_fd = -1};
    char library[PATH_MAX];
    int error;

    if (!find_library(library)) {
        cli_error(verb, "cannot find %s: reinstall cairn", library);
        return CLI_RUN_FAILED;
    }
    error = engine_registry_open(&local);
    if (!error)
        error = set_directory(&local.directory, true);
    if (!error)
        error = hold_session(&local);
    engine_registry_close(&local);
    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
        return CLI_RUN_FAILED;
    }
    error = set_preload(library);
    if (error)
        cli_errno(verb, error, "cannot preload %s", library);
    return error ? CLI_RUN_FAILED : CLI_OK;
}

static int prepare_mount(const struct cli_verb *verb)
{
    static const char *const messages[] = {
        [RUN_STEP_NAMESPACE] = "cannot have a mount namespace; are user namespaces permitted?",
        [RUN_STEP_MOUNT] = "cannot mount at " DIRECTORY "; is /dev/fuse there?",
        [RUN_STEP_SERVER] = ("cannot serve " DIRECTORY),
    };
    struct engine_registry local = {.lock_fd = -1};
    enum run_namespace_step step;
    int error = engine_registry_open(&local);

    if (!error)
        error = set_directory(&local.directory, false);
    engine_registry_close(&local);
    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
        return CLI_RUN_FAILED;
    }
    error = run_namespace_enter(DIRECTORY, &step);
    if (error)
        cli_errno(verb, error, "%s", messages[step]);
    return error ? CLI_RUN_FAILED : CLI_OK;
}

/* ---- */

static void warn(const struct cli_verb *verb, const char *name)
{
    char path[PATH_MAX];
    const char *reason;

    if (!cli_program_find(name, path))
        return; /* exec will fail */
    reason = cli_program_preload_obstacle(path);
    if (reason)
        cli_error(verb, "warning: %s %s: it runs without emulation", path, reason);
}

static int exec_program(const struct cli_verb *verb, char **argv)
{
    int error;

    execvp(argv[0], argv);
    error = errno;
    cli_errno(verb, error, "cannot run %s", argv[0]);
    return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

static int run_command(const struct cli_verb *verb, char **argv, enum choice choice, bool by_fuse,
                       bool quiet)
{
    int status;

    if (choice == CHOICE_KERNEL ||
        (choice == CHOICE_AUTO && !cairn_backend_probe_kernel(NULL, 0))) {
        if (!quiet && choice == CHOICE_AUTO)
            cli_error(verb, "this program uses the user_events of the kernel "
                            "(--backend=local selects the local engine)");
        return exec_program(verb, argv);
    }
    status = by_fuse ? prepare_mount(verb) : prepare_preload(verb);
    if (status)
        return status;
    if (!quiet && !by_fuse)
        warn(verb, argv[0]);
    return exec_program(verb, argv);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    enum choice choice = default_choice();
    bool by_fuse = false;
    bool quiet = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:b:fqh", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print_help(verb);
        if (option == 'q')
            quiet = true;
        else if (option == 'f')
            by_fuse = true;
        else if (option != 'b')
            return cli_bad_option(verb, option, argv);
        else if (!parse_choice(optarg, &choice)) {
            cli_error(verb, "no such backend: %s (auto, local, kernel)", optarg);
            return CLI_USAGE;
        }
    }
    if (optind == argc) {
        cli_error(verb, "no command to run");
        fprintf(stderr, "Try: cairn %s --help\n", verb->name);
        return CLI_USAGE;
    }
    return run_command(verb, argv + optind, choice, by_fuse, quiet);
}

const struct cli_verb cli_run = {
    .name = "run",
    .summary = "emulate the kernel's user_events for an unmodified program",
    .usage = "run [options] [--] COMMAND [ARG...]",
    .help = help,
    .run = run,
};
