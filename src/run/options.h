/* SPDX-License-Identifier: MIT */
/* The options of mounts, of callers of each version. */
#ifndef RUN_OPTIONS_H
#define RUN_OPTIONS_H

#include "core/options.h"

#include <cairn/mount.h>

/* Returns 0; EINVAL there is no directory; EINVAL, E2BIG as core_options_copy. */
static inline int run_options_copy(const struct cairn_mount_options *given,
                                   struct cairn_mount_options *ret_options)
{
    const struct cairn_mount_options defaults = CAIRN_MOUNT_OPTIONS_INIT;
    int error;

    *ret_options = defaults;
    error = core_options_copy(given, CORE_OPTIONS_BYTES_TO(struct cairn_mount_options, directory),
                              sizeof(*ret_options), ret_options);
    if (!error && !ret_options->directory)
        error = EINVAL;
    return error;
}

#endif
