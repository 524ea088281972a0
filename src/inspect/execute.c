/* SPDX-License-Identifier: MIT */
/* Executing lines of dynamic_events. */
#include "engine/registry_text.h"
#include "engine/sweep.h"

#include <cairn/inspect.h>
#include <cairn/schema.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

/* A command with what precedes it in a line: "u:". */
#define LINE_MAX_BYTES (CAIRN_COMMAND_MAX_BYTES + 8)

static int execute(struct engine_registry *local, const char *const *lines, size_t count,
                   size_t *ret_done)
{
    int error = 0;

    engine_registry_sweep(local);
    for (*ret_done = 0; *ret_done < count; ++*ret_done) {
        error = strlen(lines[*ret_done]) < LINE_MAX_BYTES
                    ? engine_registry_command(local, lines[*ret_done])
                    : E2BIG;
        if (error)
            break;
    }
    return error;
}

int cairn_directory_execute(const char *const *lines, size_t count, size_t *ret_done)
{
    struct engine_registry local = {.lock_fd = -1};
    int error = engine_registry_open(&local);

    *ret_done = SIZE_MAX;
    if (!error)
        error = engine_registry_lock(&local);
    if (!error) {
        error = execute(&local, lines, count, ret_done);
        engine_registry_unlock(&local);
    }
    engine_registry_close(&local);
    return error;
}
