/* SPDX-License-Identifier: MIT */
/*
 * Names of threads: from the tracing data, then from COMM and FORK records as they are returned. /
 */
#include "perf_data/disk.h"
#include "perf_data/file.h"

#include <errno.h>
#include <stdlib.h>

static const char *find_comm(const struct cairn_perf_file *file, uint32_t tid)
{
    uint32_t at = perf_data_map_get(&file->comm_of_tid, tid);

    return at == PERF_DATA_MAP_NONE ? NULL : file->comms[at];
}

static int set_comm(struct cairn_perf_file *file, uint32_t tid, const char *comm, size_t length)
{
    uint32_t at = perf_data_map_get(&file->comm_of_tid, tid);
    int err;

    if (length > CAIRN_COMM_BYTES - 1)
        length = CAIRN_COMM_BYTES - 1;
    if (at == PERF_DATA_MAP_NONE) {
        at = file->comm_count;
        if (!(at & (at - 1))) {
            void *bigger = realloc(file->comms, (at ? 2 * (size_t)at : 1) * sizeof(*file->comms));

            if (!bigger)
                return ENOMEM;
            file->comms = bigger;
        }
        err = perf_data_map_set(&file->comm_of_tid, tid, at);
        if (err)
            return err;
        file->comm_count++;
    }
    memset(file->comms[at], 0, CAIRN_COMM_BYTES);
    memcpy(file->comms[at], comm, length);
    return 0;
}

static int apply_comm(struct cairn_perf_file *file, struct core_cursor *c)
{
    uint32_t tid;

    core_cursor_u32(c); /* pid */
    tid = core_cursor_u32(c);
    if (c->error)
        return 0;
    return set_comm(file, tid, (const char *)c->at, strnlen((const char *)c->at, c->left));
}

/* A new thread inherits the name of its creator. */
static int apply_fork(struct cairn_perf_file *file, struct core_cursor *c)
{
    char name[CAIRN_COMM_BYTES];
    uint32_t tid;
    uint32_t parent;
    const char *comm;

    core_cursor_u32(c); /* pid */
    core_cursor_u32(c); /* the parent's pid */
    tid = core_cursor_u32(c);
    parent = core_cursor_u32(c);
    comm = c->error ? NULL : find_comm(file, parent);
    if (!comm)
        return 0;
    memcpy(name, comm, sizeof(name)); /* the table may move */
    return set_comm(file, tid, name, strlen(name));
}

int perf_data_comm_apply(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    struct core_cursor c =
        core_cursor(record->data + PERF_DATA_RECORD_HEADER_BYTES,
                    record->size_bytes - PERF_DATA_RECORD_HEADER_BYTES, file->swap);

    if (record->type == CAIRN_PERF_RECORD_COMM)
        return apply_comm(file, &c);
    return apply_fork(file, &c);
}

/* Applies one line "PID COMM". Other lines are ignored. */
static int read_cmdline(struct cairn_perf_file *file, const char *line, const char *end)
{
    uint64_t tid = 0;
    const char *at = line;

    while (at < end && *at >= '0' && *at <= '9' && tid <= UINT32_MAX)
        tid = 10 * tid + (uint64_t)(*at++ - '0');
    if (at == line || at == end || *at != ' ' || tid > UINT32_MAX)
        return 0;
    return set_comm(file, (uint32_t)tid, at + 1, strnlen(at + 1, (size_t)(end - at - 1)));
}

int perf_data_comm_read_cmdlines(struct cairn_perf_file *file, struct cairn_slice lines)
{
    const char *at = lines.text;
    const char *end = at + lines.length;
    int err = 0;

    while (lines.length && at < end && !err) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *line_end = newline ? newline : end;

        err = read_cmdline(file, at, line_end);
        at = line_end + 1;
    }
    return err;
}

const char *cairn_perf_file_comm(const struct cairn_perf_file *file, uint32_t tid)
{
    const char *comm = find_comm(file, tid);

    return comm || tid ? comm : PERF_DATA_IDLE_COMM;
}
