/* SPDX-License-Identifier: MIT */
/* The interface of repairs. */
#include "core/options.h"
#include "trace_file/repair.h"

#include <cairn/repair.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct cairn_repair {
    struct trace_file_repair found;
    struct cairn_repair_report report;
};

static struct cairn_repair_report report_of(const struct trace_file_repair *found)
{
    return (struct cairn_repair_report){
        .size_bytes = found->blocks.source.end,
        .blocks = found->block_count,
        .events = found->events,
        .undescribed = found->undescribed,
        .lost = found->lost,
        .damage_count = found->damage_count,
        .is_whole = found->is_whole,
        .can_append = found->can_append,
    };
}

static int examine(const char *path, struct cairn_perf_error *ret_error,
                   struct cairn_repair **ret_repair)
{
    struct cairn_repair *repair = calloc(1, sizeof(*repair));
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    int err;

    if (!repair)
        return ENOMEM;
    repair->found.blocks.source.fd = -1;
    err = perf_data_source_open(&source, path, ret_error);
    if (!err) {
        err = trace_file_repair_examine(&source, &pool, &repair->found);
        *ret_error = repair->found.blocks.error;
    }
    if (err) {
        cairn_repair_destroy(repair);
        return err;
    }
    repair->report = report_of(&repair->found);
    *ret_repair = repair;
    return 0;
}

int cairn_repair_create(const struct cairn_repair_options *options,
                        struct cairn_perf_error *ret_error, struct cairn_repair **ret_repair)
{
    struct cairn_repair_options own = CAIRN_REPAIR_OPTIONS_INIT;
    struct cairn_perf_error error = {0};
    int err = core_options_copy(options, CORE_OPTIONS_BYTES_TO(struct cairn_repair_options, path),
                                sizeof(own), &own);

    if (!err && !own.path)
        err = EINVAL;
    if (!err)
        err = examine(own.path, &error, ret_repair);
    if (ret_error)
        *ret_error = error;
    return err;
}

void cairn_repair_destroy(struct cairn_repair *repair)
{
    if (!repair)
        return;
    trace_file_repair_free(&repair->found);
    free(repair);
}

const struct cairn_repair_report *cairn_repair_report(const struct cairn_repair *repair)
{
    return &repair->report;
}

bool cairn_repair_damage(const struct cairn_repair *repair, size_t number,
                         struct cairn_repair_damage *ret_damage)
{
    struct trace_file_damage damage;

    if (number >= repair->found.damage_count)
        return false;
    memcpy(&damage, repair->found.damage.data + number * sizeof(damage), sizeof(damage));
    *ret_damage = (struct cairn_repair_damage){damage.offset, damage.end, damage.text};
    return true;
}

int cairn_repair_append(struct cairn_repair *repair, int fd)
{
    return repair->report.can_append ? trace_file_repair_append(&repair->found, fd) : EINVAL;
}

int cairn_repair_copy(struct cairn_repair *repair, int fd)
{
    return trace_file_repair_copy(&repair->found, fd);
}
