/* SPDX-License-Identifier: MIT */
/* Reads bytes from a mapped file, from memory or from a stream. */
#include "perf_data/source.h"

#include "perf_data/disk.h"
#include "perf_data/large_pages.h"

#include <cairn/tracepoint.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Waits if another process made the descriptor non-blocking. True: read again. */
static bool wait_for_data(int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLIN};

    return errno == EAGAIN && (poll(&wanted, 1, -1) >= 0 || errno == EINTR);
}

/* Reads what was returned, and then the stream. Returns as read. */
static ssize_t read_more(struct perf_data_source *source, uint8_t *to, size_t space)
{
    struct perf_data_returned *returned = &source->returned;
    size_t left = returned->size_bytes - returned->taken_bytes;
    size_t part = left < space ? left : space;
    ssize_t got;

    if (part) {
        memcpy(to, returned->bytes + returned->taken_bytes, part);
        returned->taken_bytes += part;
        return (ssize_t)part;
    }
    free(returned->bytes);
    *returned = (struct perf_data_returned){0};
    do
        got = read(source->fd, to, space);
    while (got < 0 && (errno == EINTR || wait_for_data(source->fd)));
    return got;
}

/* Reads the next bytes, after the rest of the window. */
static int fill(struct perf_data_source *source, struct perf_data_block_pool *pool, size_t want)
{
    size_t space;
    uint8_t *to = perf_data_window_room(pool, &source->window, want, source->offset, &space);
    ssize_t got;

    if (!to)
        return ENOMEM;
    got = read_more(source, to, space);
    if (got < 0)
        return errno;
    if (!got)
        return source->window.left ? EBADMSG : ENODATA;
    source->window.left += (size_t)got;
    return 0;
}

size_t perf_data_source_read_at(const struct perf_data_source *source, uint64_t offset, void *to,
                                size_t size_bytes)
{
    size_t done = 0;

    while (done < size_bytes) {
        ssize_t got =
            pread(source->map_fd, (uint8_t *)to + done, size_bytes - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

void perf_data_source_read_ahead(struct perf_data_source *source, size_t size_bytes,
                                 size_t keep_bytes)
{
    size_t wanted = keep_bytes < source->map_bytes ? keep_bytes : source->map_bytes;
    size_t count = wanted > size_bytes ? wanted / size_bytes : 1;
    uint8_t *bytes;

    if (!source->has_map_fd || source->ahead)
        return;
    source->pieces = (struct perf_data_piece *)calloc(count, sizeof(*source->pieces));
    bytes = (uint8_t *)(count == 1 || source->map_bytes < PERF_DATA_LARGE_PAGE_BYTES
                            ? malloc(count * size_bytes)
                            : perf_data_large_allocate(count * size_bytes));
    if (!source->pieces || !bytes) {
        free(source->pieces);
        free(bytes);
        source->pieces = NULL;
        return;
    }
    for (size_t n = 0; n < count; n++)
        source->pieces[n].bytes = bytes + n * size_bytes;
    source->piece_count = (uint32_t)count;
    source->piece_limit_bytes = size_bytes;
    source->ahead = source->pieces;
}

const struct perf_data_piece *perf_data_source_find(const struct perf_data_source *source,
                                                    uint64_t at, size_t size_bytes)
{
    for (uint32_t n = 0; n < source->piece_count; n++) {
        if (perf_data_piece_has(&source->pieces[n], at, size_bytes))
            return &source->pieces[n];
    }
    return NULL;
}

/* Reads the next piece, in place of the oldest one. */
static void read_piece(struct perf_data_source *source)
{
    uint64_t left = source->end - source->offset;
    uint32_t next = (uint32_t)(source->ahead - source->pieces) + 1;
    struct perf_data_piece *piece = &source->pieces[next < source->piece_count ? next : 0];

    piece->at = source->offset;
    piece->size_bytes = perf_data_source_read_at(
        source, source->offset, piece->bytes,
        left < source->piece_limit_bytes ? (size_t)left : source->piece_limit_bytes);
    source->ahead = piece;
}

/* Peeks into what was read ahead. Returns 0; EBADMSG the file became shorter. */
static int peek_ahead(struct perf_data_source *source, size_t size_bytes, const uint8_t **ret_data)
{
    size_t ahead_bytes;
    const uint8_t *data = perf_data_source_ahead(source, &ahead_bytes);

    if (cairn_unlikely(!data || ahead_bytes < size_bytes)) {
        read_piece(source);
        data = source->ahead->bytes;
        if (source->ahead->size_bytes < size_bytes)
            return EBADMSG;
    }
    *ret_data = data;
    return 0;
}

int perf_data_source_peek(struct perf_data_source *source, struct perf_data_block_pool *pool,
                          size_t size_bytes, const uint8_t **ret_data)
{
    if (source->map) {
        if (source->end - source->offset < size_bytes)
            return source->end == source->offset ? ENODATA : EBADMSG;
        if (source->ahead)
            return peek_ahead(source, size_bytes, ret_data);
        *ret_data = source->map + source->offset;
        __builtin_prefetch(*ret_data + 1024);
        return 0;
    }
    while (source->window.left < size_bytes) {
        int err = fill(source, pool, size_bytes - source->window.left);

        if (err)
            return err;
    }
    *ret_data = source->window.at;
    return 0;
}

int perf_data_source_skip(struct perf_data_source *source, struct perf_data_block_pool *pool,
                          uint64_t size_bytes)
{
    const uint8_t *data;

    if (source->map) {
        if (source->end - source->offset < size_bytes) {
            source->offset = source->end;
            return EBADMSG;
        }
        source->offset += size_bytes;
        return 0;
    }
    while (size_bytes) {
        size_t piece = size_bytes < PERF_DATA_RECORD_LIMIT_BYTES ? (size_t)size_bytes
                                                                 : PERF_DATA_RECORD_LIMIT_BYTES;
        int err = perf_data_source_peek(source, pool, piece, &data);

        if (err)
            return err == ENODATA ? EBADMSG : err;
        perf_data_source_take(source, piece);
        size_bytes -= piece;
    }
    return 0;
}

/* Puts bytes, and the window's after them, before those that are read next. */
static int put_back(struct perf_data_source *source, const uint8_t *data, size_t size_bytes)
{
    struct perf_data_returned *returned = &source->returned;
    struct perf_data_window *window = &source->window;
    size_t left = returned->size_bytes - returned->taken_bytes;
    size_t all_bytes = size_bytes + window->left + left;
    uint8_t *bytes;

    if (returned->taken_bytes >= size_bytes + window->left) { /* they are still there */
        returned->taken_bytes -= size_bytes + window->left;
        return 0;
    }
    bytes = (uint8_t *)malloc(all_bytes);
    if (!bytes)
        return ENOMEM;
    memcpy(bytes, data, size_bytes);
    if (window->left)
        memcpy(bytes + size_bytes, window->at, window->left);
    if (left)
        memcpy(bytes + all_bytes - left, returned->bytes + returned->taken_bytes, left);
    free(returned->bytes);
    *returned = (struct perf_data_returned){.bytes = bytes, .size_bytes = all_bytes};
    return 0;
}

int perf_data_source_return(struct perf_data_source *source, struct perf_data_block_pool *pool,
                            const uint8_t *data, size_t size_bytes)
{
    int err = source->map || !size_bytes ? 0 : put_back(source, data, size_bytes);

    if (err)
        return err;
    source->offset -= size_bytes;
    if (!source->map && size_bytes) {
        perf_data_block_release(pool, source->window.block);
        source->window = (struct perf_data_window){0};
    }
    return 0;
}

/* Collects from a stream into memory that doubles as it fills. */
static int collect(struct perf_data_source *source, struct perf_data_block_pool *pool,
                   uint64_t size_bytes, uint8_t **ret_copy)
{
    uint8_t *copy = NULL;
    size_t capacity = 0;
    int err = 0;

    for (size_t done = 0; done < size_bytes && !err;) {
        const uint8_t *data;
        uint64_t piece = size_bytes - done;

        if (piece > PERF_DATA_RECORD_LIMIT_BYTES)
            piece = PERF_DATA_RECORD_LIMIT_BYTES;
        err = perf_data_source_peek(source, pool, (size_t)piece, &data);
        if (!err && capacity - done < piece) {
            uint8_t *bigger;

            capacity = 2 * capacity + (size_t)piece;
            bigger = realloc(copy, capacity);
            err = bigger ? 0 : ENOMEM;
            copy = bigger ? bigger : copy;
        }
        if (!err) {
            memcpy(copy + done, data, (size_t)piece);
            perf_data_source_take(source, (size_t)piece);
            done += (size_t)piece;
        }
    }
    *ret_copy = copy;
    return err == ENODATA ? EBADMSG : err;
}

int perf_data_source_collect(struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct perf_data_arena *arena, uint64_t size_bytes,
                             const uint8_t **ret_data)
{
    uint8_t *copy = NULL;
    void *kept = NULL;
    int err;

    if (source->map) {
        *ret_data = source->map + source->offset;
        return perf_data_source_skip(source, pool, size_bytes);
    }
    err = collect(source, pool, size_bytes, &copy);
    if (!err) {
        kept = perf_data_arena_alloc(arena, (size_t)size_bytes);
        err = kept ? 0 : ENOMEM;
    }
    if (!err && size_bytes)
        memcpy(kept, copy, (size_t)size_bytes);
    free(copy);
    if (!err)
        *ret_data = kept;
    return err;
}

int perf_data_source_map(struct perf_data_source *source, int fd)
{
    struct stat st;
    void *map;

    if (fstat(fd, &st))
        return errno;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode) || !st.st_size)
        return ENODEV;
    if ((uint64_t)st.st_size > SIZE_MAX)
        return EFBIG;
    map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map == MAP_FAILED)
        return errno;
    source->map = map;
    source->map_bytes = (size_t)st.st_size;
    source->own_map = source->is_paged = true;
    source->end = source->map_bytes;
    source->map_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    source->has_map_fd = source->map_fd >= 0; /* otherwise the map is enough */
    return 0;
}

struct perf_data_source perf_data_source_borrow(const struct perf_data_source *source)
{
    return (struct perf_data_source){
        .map = source->map,
        .map_bytes = source->map_bytes,
        .is_paged = source->is_paged,
        .has_map_fd = source->has_map_fd,
        .map_fd = source->map_fd,
        .end = source->end,
        .fd = -1,
    };
}

/*
 * Populates many pages at once: a page fault for each few of them costs more than processing a
 * record. Older kernels do not support it: their page faults work as usual, and so do those of
 * files that became shorter.
 */
#define PAGE_IN_BYTES ((uint64_t)4 << 20)

/* Pages that were read so long ago are given back: a large file does not fill memory. Who
 * still reads there gets them again, mostly without the disk. */
#define KEPT_BYTES ((uint64_t)16 << 20)

static void give_back(const struct perf_data_source *source, uint64_t begin, uint64_t end)
{
    if (begin < end)
        (void)madvise((void *)(uintptr_t)(source->map + begin), end - begin, MADV_DONTNEED);
}

/*
 * Reading again far before the position populates pages that were given back: every second time
 * twice as much is given back, every fourth time four times as much, and so on.
 */
static void page_out(const struct perf_data_source *source, uint64_t position)
{
    uint64_t end = position > KEPT_BYTES ? position - KEPT_BYTES : 0;
    uint64_t step = end / PAGE_IN_BYTES;
    uint64_t bytes = 2 * (step & -step) * PAGE_IN_BYTES;

    give_back(source, bytes < end ? end - bytes : 0, end);
}

void perf_data_source_give_back(const struct perf_data_source *source, const uint8_t *data,
                                size_t size_bytes)
{
    uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t begin = (uint64_t)(data - source->map);

    /* what is a little before the position is paged out, by fewer calls */
    if (source->is_paged && source->offset - begin > KEPT_BYTES)
        give_back(source, begin & ~(page_bytes - 1), (begin + size_bytes) & ~(page_bytes - 1));
}

void perf_data_source_page_in(struct perf_data_source *source)
{
    uint64_t begin = source->offset & ~(PAGE_IN_BYTES - 1);
    uint64_t left = source->map_bytes - begin;
    void *from = (void *)(uintptr_t)(source->map + begin);

    source->paged_in = begin + PAGE_IN_BYTES;
    page_out(source, begin);
    if (source->ahead) /* pages are used by what is out of order only */
        return;
    if (left > PAGE_IN_BYTES) { /* the next piece is read during the processing of this one */
        left = left < 2 * PAGE_IN_BYTES ? left : 2 * PAGE_IN_BYTES;
        (void)madvise(from, left, MADV_WILLNEED);
        left = PAGE_IN_BYTES;
    }
    (void)madvise(from, left, MADV_POPULATE_READ);
}

/* Writes the rest of a stream. */
static int copy_rest(struct perf_data_source *source, struct perf_data_block_pool *pool, FILE *to)
{
    for (;;) {
        int err = 0;

        if (!source->window.left)
            err = fill(source, pool, PERF_DATA_RECORD_LIMIT_BYTES);
        if (err == ENODATA)
            return fflush(to) ? errno : 0;
        if (err)
            return err;
        if (fwrite(source->window.at, 1, source->window.left, to) != source->window.left)
            return errno;
        perf_data_source_take(source, source->window.left);
    }
}

int perf_data_source_spool(struct perf_data_source *source, struct perf_data_block_pool *pool)
{
    FILE *spool = tmpfile();
    int err = spool ? copy_rest(source, pool, spool) : errno;

    if (!err) {
        source->offset = 0;
        err = perf_data_source_map(source, fileno(spool));
    }
    if (spool && fclose(spool) && !err)
        err = errno;
    return err;
}

void perf_data_source_close(struct perf_data_source *source, struct perf_data_block_pool *pool)
{
    perf_data_block_release(pool, source->window.block);
    free(source->returned.bytes);
    if (source->pieces)
        free(source->pieces[0].bytes);
    free(source->pieces);
    if (source->own_map)
        munmap((void *)(uintptr_t)source->map, source->map_bytes);
    if (source->own_map && source->has_map_fd)
        close(source->map_fd);
    if (source->own_fd)
        close(source->fd);
    *source = (struct perf_data_source){.fd = -1};
}
