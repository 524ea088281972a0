/* SPDX-License-Identifier: MIT */
/* Opening and closing a file, and its properties. */
#include "perf_data/file.h"
#include "perf_data/large_pages.h"
#include "perf_data/tracing.h"

#include <errno.h>
#include <stdlib.h>

/* Fits into the caches of a processor. */
#define AHEAD_BYTES ((size_t)256 << 10)

/* The bytes of records that wait for their round are mostly still there when they are returned. */
#define KEEP_BYTES ((size_t)1 << 20)
_Static_assert(AHEAD_BYTES >= PERF_DATA_RECORD_LIMIT_BYTES, "a record fits");

int perf_data_file_fail(struct cairn_perf_file *file, int code, uint64_t offset, const char *text)
{
    if (!file->error.code)
        file->error = (struct cairn_perf_error){.code = code, .offset = offset, .text = text};
    return code;
}

static struct cairn_perf_file *file_new(void)
{
    struct cairn_perf_file *file = calloc(1, sizeof(*file));

    if (!file)
        return NULL;
    file->source.fd = -1;
    file->clock.clockid = -1;
    file->tracing.header_page.text = "";
    file->tracing.header_event.text = "";
    file->tracing.kallsyms.text = "";
    file->tracing.printk.text = "";
    file->tracing.cmdlines.text = "";
    file->tracing.long_size_bytes = 8;
    return file;
}

/* Ends opening. err: 0, or the error so far. */
static int file_opened(struct cairn_perf_file *file, int err, struct cairn_perf_error *ret_error,
                       struct cairn_perf_file **ret_file)
{
    if (!err)
        err = perf_data_file_read_header(file);
    if (!err && file->source.map) {
        perf_data_source_read_ahead(&file->source, AHEAD_BYTES, KEEP_BYTES);
        file->spans.is_used = !file->is_pipe; /* their attrs come first */
    }
    if (err) {
        if (ret_error)
            *ret_error = file->error;
        cairn_perf_file_close(file);
        return err;
    }
    *ret_file = file;
    return 0;
}

static int out_of_memory(struct cairn_perf_error *ret_error)
{
    if (ret_error)
        *ret_error = (struct cairn_perf_error){.code = ENOMEM, .text = "no memory"};
    return ENOMEM;
}

int perf_data_file_open_memory(const void *data, size_t size_bytes,
                               struct cairn_perf_error *ret_error,
                               struct cairn_perf_file **ret_file)
{
    struct cairn_perf_file *file = file_new();

    if (!file)
        return out_of_memory(ret_error);
    file->source.map = size_bytes ? data : (const void *)"";
    file->source.map_bytes = size_bytes;
    file->source.end = size_bytes;
    return file_opened(file, 0, ret_error, ret_file);
}

int perf_data_file_open_source(struct perf_data_source *source, struct perf_data_block_pool *pool,
                               struct cairn_perf_error *ret_error,
                               struct cairn_perf_file **ret_file)
{
    struct cairn_perf_file *file = file_new();

    if (!file) {
        perf_data_source_close(source, pool);
        perf_data_block_pool_free(pool);
        return out_of_memory(ret_error);
    }
    file->source = *source;
    file->blocks = *pool;
    return file_opened(file, 0, ret_error, ret_file);
}

int perf_data_file_open_tracing(struct perf_data_source *source, struct perf_data_block_pool *pool,
                                struct cairn_perf_error *ret_error,
                                struct cairn_perf_file **ret_file)
{
    struct cairn_perf_file *file = file_new();
    struct perf_data_feature blob;
    int err = 0;

    if (!file) {
        perf_data_source_close(source, pool);
        perf_data_block_pool_free(pool);
        return out_of_memory(ret_error);
    }
    file->source = *source;
    file->blocks = *pool;
    if (!file->source.map)
        err = perf_data_source_spool(&file->source, &file->blocks);
    blob =
        (struct perf_data_feature){.data = file->source.map, .size_bytes = file->source.map_bytes};
    if (!err)
        err = perf_data_tracing_data_read(file, &blob);
    if (!err)
        err = file->error.code;
    if (err) {
        if (ret_error)
            *ret_error = file->error;
        cairn_perf_file_close(file);
        return err;
    }
    *ret_file = file;
    return 0;
}

int cairn_perf_file_open_fd(int fd, struct cairn_perf_error *ret_error,
                            struct cairn_perf_file **ret_file)
{
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    int err = perf_data_source_open_fd(&source, fd, ret_error);

    return err ? err : perf_data_file_open_source(&source, &pool, ret_error, ret_file);
}

int cairn_perf_file_open(const char *path, struct cairn_perf_error *ret_error,
                         struct cairn_perf_file **ret_file)
{
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    int err = perf_data_source_open(&source, path, ret_error);

    return err ? err : perf_data_file_open_source(&source, &pool, ret_error, ret_file);
}

void cairn_perf_file_close(struct cairn_perf_file *file)
{
    struct perf_data_order_entry entry;

    if (!file)
        return;
    perf_data_record_release(file);
    perf_data_order_all(&file->order);
    while (perf_data_order_next(&file->order, &entry))
        perf_data_block_release(&file->blocks,
                                perf_data_source_block_of(&file->source, entry.data));
    perf_data_order_free(&file->order);
    perf_data_spans_free(&file->spans);
    perf_data_unpack_close(&file->unpack, &file->blocks);
    perf_data_source_close(&file->source, &file->blocks);
    perf_data_block_pool_free(&file->blocks);
    perf_data_map_free(&file->attr_of_id);
    perf_data_map_free(&file->format_of_id);
    perf_data_map_free(&file->comm_of_tid);
    perf_data_arena_free(&file->arena);
    free(file->attrs);
    free(file->formats);
    free(file->comms);
    free(file);
}

const struct cairn_perf_error *cairn_perf_file_error(const struct cairn_perf_file *file)
{
    return &file->error;
}

bool cairn_perf_file_is_swapped(const struct cairn_perf_file *file)
{
    return file->swap;
}

bool cairn_perf_file_is_pipe(const struct cairn_perf_file *file)
{
    return file->is_pipe;
}

uint32_t cairn_perf_file_attr_count(const struct cairn_perf_file *file)
{
    return file->attr_count;
}

const struct cairn_perf_attr *cairn_perf_file_attr(const struct cairn_perf_file *file,
                                                   uint32_t index)
{
    return &file->attrs[index]->public;
}

const struct cairn_perf_attr *cairn_perf_file_attr_of_id(const struct cairn_perf_file *file,
                                                         uint64_t sample_id)
{
    uint32_t index = perf_data_map_get(&file->attr_of_id, sample_id);

    return index == PERF_DATA_MAP_NONE ? NULL : &file->attrs[index]->public;
}

uint32_t cairn_perf_file_format_count(const struct cairn_perf_file *file)
{
    return file->format_count;
}

const struct cairn_perf_format *cairn_perf_file_format(const struct cairn_perf_file *file,
                                                       uint32_t index)
{
    return &file->formats[index]->public;
}

const struct cairn_perf_tracing *cairn_perf_file_tracing(const struct cairn_perf_file *file)
{
    return &file->tracing;
}

const struct cairn_perf_host *cairn_perf_file_host(const struct cairn_perf_file *file)
{
    return &file->host;
}

const struct cairn_perf_clock *cairn_perf_file_clock(const struct cairn_perf_file *file)
{
    return &file->clock;
}

const struct cairn_perf_counts *cairn_perf_file_counts(const struct cairn_perf_file *file)
{
    return &file->counts;
}

int cairn_perf_file_feature(const struct cairn_perf_file *file, enum cairn_perf_feature feature,
                            const void **ret_data, size_t *ret_size_bytes)
{
    const struct perf_data_feature *f;

    if ((unsigned)feature >= CAIRN_PERF_FEATURE_COUNT)
        return ENOENT;
    f = &file->features[feature];
    if (!f->data)
        return ENOENT;
    *ret_data = f->data;
    *ret_size_bytes = f->size_bytes;
    return 0;
}
