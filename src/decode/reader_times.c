/* SPDX-License-Identifier: MIT */
/* Finds the first and the last time of a recording. */
#include "decode/reader.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static void note_time(struct cairn_reader_times *times, const struct cairn_event *event)
{
    if (event->has & CAIRN_EVENT_TIME) {
        if (!times->events++ || event->time_ns < times->first_ns)
            times->first_ns = event->time_ns;
        if (event->time_ns > times->last_ns)
            times->last_ns = event->time_ns;
    }
    if (event->has & CAIRN_EVENT_WALL) {
        if (!times->walls++ || event->wall_ns < times->first_wall_ns)
            times->first_wall_ns = event->wall_ns;
        if (event->wall_ns > times->last_wall_ns)
            times->last_wall_ns = event->wall_ns;
    }
}

int cairn_reader_find_times(const char *path, struct cairn_reader_times *ret_times)
{
    struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct cairn_reader_times times = {0};
    const struct cairn_event *event;
    struct cairn_reader *reader;
    struct stat st;
    int err;

    if (!strcmp(path, "-") || (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
        return ESPIPE;
    options.without_comm = true;
    options.in_file_order = true; /* sorting would take time */
    err = cairn_reader_open(path, &options, NULL, &reader);
    if (err)
        return err;
    do {
        err = cairn_reader_next(reader, &event);
        if (!err)
            note_time(&times, event);
    } while (!err || err == EAGAIN);
    cairn_reader_close(reader);
    if (err == ENOMEM)
        return ENOMEM;
    if (!times.events)
        return ENODATA;
    *ret_times = times;
    return 0;
}
