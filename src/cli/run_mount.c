/* SPDX-License-Identifier: MIT */
/* cairn run with a mount, in a mount namespace (and user namespace) of the program's own. */
#include "cli/run_transport.h"

#include <cairn/mount.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIRECTORY   "/sys/kernel/tracing"
#define ACCELERATOR "libcairn-accelerator.so"

/*
 * Makes only glibc's dynamic linker load the library: it replaces $LIB by the name of a directory,
 * from which the rest of the path leads back to the root. Other dynamic linkers (musl's) find no
 * such file and ignore it.
 */
#define GLIBC_ONLY "/$LIB/../../../.."

static const char *const messages[] = {
    [CAIRN_MOUNT_STEP_NAMESPACE] =
        "cannot create a mount namespace; are user namespaces permitted?",
    [CAIRN_MOUNT_STEP_IDS] = "cannot keep this user's ids in a user namespace",
    [CAIRN_MOUNT_STEP_MOUNT] = ("cannot mount at " DIRECTORY "; is /dev/fuse there?"),
};

/* AddressSanitizer refuses to start a program if another library is loaded before its own, unless
 * this option is set. */
static int allow_sanitizer(void)
{
    static const char word[] = "verify_asan_link_order=0";
    const char *options = getenv("ASAN_OPTIONS");
    char *list;
    int error;

    if (asprintf(&list, "%s%s%s", options ? options : "", options && *options ? ":" : "", word) < 0)
        return ENOMEM;
    error = setenv("ASAN_OPTIONS", list, 1) ? errno : 0;
    free(list);
    return error;
}

/* A failure is not an error: without the accelerator the program is only slower. */
static void accelerate(const struct cli_verb *verb, bool is_quiet)
{
    char library[PATH_MAX];
    int error = cli_run_find_library(ACCELERATOR, library) ? 0 : ENOENT;

    if (!error)
        error = allow_sanitizer();
    if (!error)
        error = cli_run_add_preload(GLIBC_ONLY, library);
    if (error && !is_quiet)
        cli_errno(verb, error, "cannot preload %s: each event takes a round trip to the server",
                  library);
}

int cli_run_by_mount(const struct cli_verb *verb, const struct cli_run_options *options,
                     bool *ret_mounted)
{
    const struct cairn_mount_options mount = {.size = sizeof(mount), .directory = DIRECTORY};
    enum cairn_mount_step step;
    int error = cli_run_set_directory();

    *ret_mounted = true;
    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
        return CLI_RUN_FAILED;
    }
    error = cairn_mount_unshare(&mount, &step);
    if (!error) {
        if (options->is_accelerated)
            accelerate(verb, options->is_quiet);
        return CLI_OK;
    }
    *ret_mounted = !(options->may_preload &&
                     (step == CAIRN_MOUNT_STEP_NAMESPACE || step == CAIRN_MOUNT_STEP_MOUNT));
    if (*ret_mounted) {
        if (step == CAIRN_MOUNT_STEP_SERVER)
            cli_directory_error(verb, error, "cannot use the tracing directory");
        else
            cli_errno(verb, error, "%s", messages[step]);
        return CLI_RUN_FAILED;
    }
    if (!options->is_quiet)
        cli_errno(verb, error,
                  "cannot mount here; a library that is loaded into the program emulates the "
                  "files, with limits (cairn doctor)");
    return CLI_OK;
}
