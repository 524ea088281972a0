/* SPDX-License-Identifier: MIT */
/* cairn doctor on the sessions that are under way: what they have lost so far, and why. */
#include "cli/doctor.h"
#include "cli/missing.h"
#include "engine/loss.h"
#include "engine/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cairn/pool.h>
#include <dirent.h>

/* What the writers of a session's pool have lost: its header says so. */
static void add_pool(int fd, uint32_t slot, uint64_t session, uint64_t counts[CAIRN_LOSS_CAUSES])
{
    struct cairn_pool_file file;
    const struct cairn_pool_range *range = &file.ranges[slot];
    struct cairn_pool_header header;

    if (pread(fd, &file, sizeof(file), 0) != (ssize_t)sizeof(file) ||
        file.magic != CAIRN_POOL_FILE_MAGIC || range->session != session ||
        pread(fd, &header, sizeof(header), (off_t)(range->offset + range->table_bytes)) !=
            (ssize_t)sizeof(header) ||
        header.magic != CAIRN_POOL_MAGIC)
        return;
    counts[header.bare_error ? cairn_loss_of_error((int)header.bare_error) : CAIRN_LOSS_FULL] +=
        header.lost;
}

static void add_pools(const struct cairn_engine_registry *local, uint32_t slot,
                      uint64_t counts[CAIRN_LOSS_CAUSES])
{
    uint64_t session = local->slots[slot].generation;
    DIR *folder = cairn_directory_list(&local->directory, "pools");

    if (!folder)
        return;
    for (struct dirent *item; (item = readdir(folder));) {
        int pool =
            openat(dirfd(folder), item->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

        if (pool < 0)
            continue;
        add_pool(pool, slot, session, counts);
        close(pool);
    }
    closedir(folder);
}

static void print_losses(const struct cairn_session_slot *slot,
                         const uint64_t counts[CAIRN_LOSS_CAUSES])
{
    char number[CLI_NUMBER_SIZE];
    char text[256];

    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        if (!counts[cause])
            continue;
        (void)snprintf(text, sizeof(text), "recorder %" PRIu32 " lost %s event%s so far: %s",
                       slot->pid, cli_number(counts[cause], number), cli_plural(counts[cause]),
                       cli_loss_text((enum cairn_loss)cause));
        cli_doctor_print_bad("losses", text);
    }
}

static void print_refused(const struct cairn_registry *registry)
{
    uint32_t refused = __atomic_load_n(&registry->refused, __ATOMIC_ACQUIRE);
    char text[256];

    if (!refused)
        return;
    (void)snprintf(text, sizeof(text),
                   "%" PRIu32 " process%s could not register events since this directory was made: "
                   "%s (the last of them)",
                   refused, refused == 1 ? "" : "es", strerror((int)registry->refused_error));
    cli_doctor_print_bad("refused", text);
}

void cli_doctor_examine_losses(struct cairn_engine_registry *local)
{
    print_refused(local->registry);
    /* Those of recorders that were killed are nobody's. */
    if (!cairn_engine_registry_try_lock(local)) {
        cairn_registry_sweep(local);
        cairn_engine_registry_unlock(local);
    }
    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        const struct cairn_session_slot *slot = &local->slots[i];
        uint64_t counts[CAIRN_LOSS_CAUSES];

        if (!slot->generation)
            continue;
        cairn_loss_read(slot, counts);
        add_pools(local, i, counts);
        print_losses(slot, counts);
    }
}
