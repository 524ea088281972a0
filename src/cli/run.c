/* SPDX-License-Identifier: MIT */
/* cairn run: a program that uses the kernel's user_events, served by the local engine. */
#include "cli/cli.h"
#include "cli/program.h"
#include "cli/run_tree.h"
#include "engine/session.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libcairn-run.so"

static const struct option options[] = {
    {"backend", required_argument, NULL, 'b'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Runs a program that uses the kernel's user_events, and serves it by the local engine:\n"
    "it needs no kernel with user_events, no root, and nothing of cairn's.\n"
    "\n"
    "  -b, --backend=B   local: serve it; kernel: leave it to the kernel; auto (the\n"
    "                    default, or what CAIRN_BACKEND says): the kernel where it has\n"
    "                    user_events that this user may use, else local\n"
    "  -q, --quiet       do not say what cannot be served\n"
    "  -h, --help        print this\n"
    "\n"
    "It becomes the program: its process, its signals and its exit status are the\n"
    "program's. Exit status of its own: 125 the tracing directory cannot be used or the\n"
    "library is not there, 126 the program cannot be run, 127 it was not found.\n"
    "Programs that are linked statically, or that call the kernel past the C library,\n"
    "cannot be served; the first are told of, and Go programs.\n"
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

/* Beside the program in its build folder; where it was installed to, also when that was moved. */
static bool find_library(char path[PATH_MAX])
{
    static const char *const places[] = {"src", CAIRN_RUN_FROM_BIN};
    char self[PATH_MAX / 2];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *slash;

    self[size > 0 ? size : 0] = 0;
    slash = strrchr(self, '/');
    for (size_t i = 0; slash && i < sizeof(places) / sizeof(*places); i++) {
        (void)snprintf(path, PATH_MAX, "%.*s/%s/%s", (int)(slash - self), self, places[i], LIBRARY);
        if (!access(path, R_OK))
            return true;
    }
    (void)snprintf(path, PATH_MAX, "%s/%s", CAIRN_RUN_FOLDER, LIBRARY);
    return !access(path, R_OK);
}

/* Before what else is to be loaded. The list knows no quoting. */
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
 * The session of tracefs's text is held from now on: here, then by the library in the program, so
 * that what a shell's commands enable stays so until the shell ends.
 */
static int hold_session(struct cairn_engine_registry *local)
{
    static const struct cairn_session_request request = {
        .status_bit = CAIRN_STATUS_TEXT,
        .chunk_bytes = CAIRN_SHARED_CHUNK_BYTES,
        .chunk_count = CAIRN_SHARED_CHUNKS,
    };
    struct cairn_engine_session session;
    char path[PATH_MAX + 64];
    char number[16];
    int error = cairn_session_share(local, &request, &session);

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

/* The one directory for all that the program starts, wherever they go. */
static int set_directory(const struct cairn_directory *directory)
{
    char *path = realpath(directory->path, NULL);
    int error = !path || setenv("CAIRN_TRACING_DIR", path, 1) ? errno : 0;

    if (!error)
        cli_run_set_tree(directory->is_shared, path);
    free(path);
    return error;
}

/* Programs that do know cairn are to register once, and not with what we serve besides. */
static int prepare(const struct cli_verb *verb)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    char library[PATH_MAX];
    int error;

    if (!find_library(library)) {
        cli_error(verb, "%s is not there; is cairn installed whole?", library);
        return CLI_RUN_FAILED;
    }
    error = cairn_engine_registry_open(&local);
    if (!error)
        error = set_directory(&local.directory);
    if (!error)
        error = hold_session(&local);
    cairn_engine_registry_close(&local);
    if (!error)
        error = setenv("CAIRN_BACKEND", "local", 1) ? errno : 0;
    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
        return CLI_RUN_FAILED;
    }
    error = set_preload(library);
    if (error)
        cli_errno(verb, error, "cannot preload %s", library);
    return error ? CLI_RUN_FAILED : CLI_OK;
}

/* ---- */

static void warn(const struct cli_verb *verb, const char *name)
{
    char path[PATH_MAX];
    const char *reason;

    if (!cli_program_find(name, path))
        return; /* exec will say so */
    reason = cli_program_hindrance(path);
    if (reason)
        cli_error(verb, "warning: %s %s: it runs, and is not served", path, reason);
}

static int become(const struct cli_verb *verb, char **argv)
{
    int error;

    execvp(argv[0], argv);
    error = errno;
    cli_errno(verb, error, "cannot run %s", argv[0]);
    return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

static int run_command(const struct cli_verb *verb, char **argv, enum choice choice, bool quiet)
{
    int status;

    if (choice == CHOICE_KERNEL ||
        (choice == CHOICE_AUTO && !cairn_backend_probe_kernel(NULL, 0))) {
        if (!quiet && choice == CHOICE_AUTO)
            cli_error(verb, "the kernel has user_events, and takes this program's "
                            "(--backend=local for the local engine)");
        return become(verb, argv);
    }
    status = prepare(verb);
    if (status)
        return status;
    if (!quiet)
        warn(verb, argv[0]);
    return become(verb, argv);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    enum choice choice = default_choice();
    bool quiet = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:b:qh", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print_help(verb);
        if (option == 'q')
            quiet = true;
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
    return run_command(verb, argv + optind, choice, quiet);
}

const struct cli_verb cli_run = {
    .name = "run",
    .summary = "emulate the kernel's user_events for an unmodified program",
    .usage = "run [options] [--] COMMAND [ARG...]",
    .help = help,
    .run = run,
};
