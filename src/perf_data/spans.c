/* SPDX-License-Identifier: MIT */
/* Merges the sorted spans of a file. */
#include "perf_data/spans.h"

#include "perf_data/file.h"
#include "perf_data/large_pages.h"

#include <cairn/tracepoint.h>

#include <errno.h>
#include <stdlib.h>

/* ---- the bytes of records ---- */

/* Parts of the file that were read again: as a rule one for each span that is being merged. One has
 * the next spans, too, where these are short. */
#define VIEWS      64u
#define VIEW_BYTES ((size_t)64 << 10)
_Static_assert(VIEW_BYTES >= PERF_DATA_RECORD_LIMIT_BYTES, "a view has space for each record");

/* Processors prefetch by themselves, but not across a page's end. */
#define PREFETCH_BYTES 4096

struct perf_data_view {
    struct perf_data_piece piece; /* first: a pointer to it is one to this */
    uint64_t owner; /* the end of the span that it was filled for; others may share it */
};

/* Returns false if there is no memory. */
static bool make_views(struct perf_data_spans *spans)
{
    struct perf_data_view *views = (struct perf_data_view *)calloc(VIEWS, sizeof(*views));
    uint8_t *bytes = (uint8_t *)perf_data_large_allocate(VIEWS * VIEW_BYTES);

    if (!views || !bytes) {
        free(views);
        free(bytes);
        return false;
    }
    for (size_t n = 0; n < VIEWS; n++)
        views[n].piece.bytes = bytes + n * VIEW_BYTES;
    spans->views = views;
    return true;
}

/* The view that was filled for a span and has its bytes; or NULL. */
static struct perf_data_view *own_view(const struct perf_data_spans *spans,
                                       const struct perf_data_span *span)
{
    uintptr_t distance = (uintptr_t)span->piece - (uintptr_t)spans->views;
    struct perf_data_view *view;

    if (!span->piece || distance >= VIEWS * sizeof(*spans->views))
        return NULL;
    view = &spans->views[distance / sizeof(*spans->views)];
    return view->owner == span->end ? view : NULL;
}

/* Returns a view to be filled for a span: its own, whose bytes it has passed, or that of a span
 * that has ended. These are still in the cache. */
static struct perf_data_view *choose_view(struct perf_data_spans *spans,
                                          const struct perf_data_span *span)
{
    struct perf_data_view *view = own_view(spans, span);

    if (view)
        return view;
    view = spans->spare_view;
    spans->spare_view = NULL;
    return view ? view : &spans->views[spans->next_view++ % VIEWS];
}

/* Reads the first bytes of a span again. Returns NULL if the file became shorter, or there is no
 * memory. */
static const struct perf_data_piece *fill_view(struct cairn_perf_file *file,
                                               const struct perf_data_span *span, size_t size_bytes)
{
    struct perf_data_view *view;

    if (!file->source.ahead || (!file->spans.views && !make_views(&file->spans)))
        return NULL;
    view = choose_view(&file->spans, span);
    view->owner = span->end;
    view->piece.at = span->at;
    view->piece.size_bytes =
        perf_data_source_read_at(&file->source, span->at, view->piece.bytes, VIEW_BYTES);
    return view->piece.size_bytes >= size_bytes ? &view->piece : NULL;
}

/* Returns what was read before and has the first bytes of a span, or NULL. */
static const struct perf_data_piece *
find_piece(const struct cairn_perf_file *file, const struct perf_data_span *span, size_t size_bytes)
{
    const struct perf_data_view *views = file->spans.views;

    for (size_t n = 0; views && n < VIEWS; n++) {
        if (perf_data_piece_has(&views[n].piece, span->at, size_bytes))
            return &views[n].piece;
    }
    return perf_data_source_find(&file->source, span->at, size_bytes);
}

/* The same as bytes_of, if its piece does not have them. */
static __attribute__((noinline)) const uint8_t *
read_bytes_of(struct cairn_perf_file *file, struct perf_data_span *span, size_t size_bytes)
{
    const struct perf_data_piece *piece = find_piece(file, span, size_bytes);

    if (!piece)
        piece = fill_view(file, span, size_bytes);
    if (!piece)
        return file->source.map + span->at;
    span->piece = piece;
    return piece->bytes + (span->at - piece->at);
}

/* Returns the first bytes of a span; they are in the map if they cannot be read. */
static inline const uint8_t *bytes_of(struct cairn_perf_file *file, struct perf_data_span *span,
                                      size_t size_bytes)
{
    const struct perf_data_piece *piece = span->piece;

    if (cairn_likely(piece && perf_data_piece_has(piece, span->at, size_bytes)))
        return piece->bytes + (span->at - piece->at);
    return read_bytes_of(file, span, size_bytes);
}

/* Fills the record at the beginning of a span, which was read before. Returns false if the file has
 * changed since then. */
static bool read_first(struct cairn_perf_file *file, struct perf_data_span *span,
                       struct cairn_perf_record *ret_record)
{
    const uint8_t *data = bytes_of(file, span, PERF_DATA_RECORD_HEADER_BYTES);
    uint16_t size = core_load16(data + 6, file->swap);

    if (cairn_unlikely(size < PERF_DATA_RECORD_HEADER_BYTES || size > span->end - span->at)) {
        perf_data_file_fail(file, EBADMSG, span->at, "the file has changed while it was read");
        return false;
    }
    data = bytes_of(file, span, size);
    perf_data_record_fill(file, data, span->at, ret_record);
    return ret_record->size_bytes == size;
}

/* ---- the heap ---- */

static bool is_before(const struct perf_data_span *a, const struct perf_data_span *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->at < b->at;
}

/* Moves the first span to its place, and finds until when the new first one is alone. */
static void sift_first(struct perf_data_spans *spans)
{
    struct perf_data_span *heap = spans->heap;
    struct perf_data_span moved = heap[0];
    size_t count = spans->heap_count;
    size_t at = 0;

    for (size_t least = 1; least < count; least = 2 * at + 1) {
        least += least + 1 < count && is_before(&heap[least + 1], &heap[least]);
        if (!is_before(&heap[least], &moved))
            break;
        heap[at] = heap[least];
        at = least;
    }
    heap[at] = moved;
    spans->alone_ns = UINT64_MAX;
    for (size_t n = 1; n < 3 && n < count; n++) {
        if (heap[n].time_ns < spans->alone_ns)
            spans->alone_ns = heap[n].time_ns;
    }
}

static void remove_first(struct perf_data_spans *spans)
{
    struct perf_data_view *view = own_view(spans, &spans->heap[0]);

    if (view)
        spans->spare_view = view;
    spans->heap[0] = spans->heap[--spans->heap_count];
    if (spans->heap_count)
        sift_first(spans);
}

static int grow(struct perf_data_span **array, size_t count, size_t *capacity)
{
    size_t more = *capacity ? 2 * *capacity : 64;
    void *bigger;

    if (count < *capacity)
        return 0;
    bigger = more > SIZE_MAX / sizeof(**array) ? NULL : realloc(*array, more * sizeof(**array));
    if (!bigger)
        return ENOMEM;
    *array = (struct perf_data_span *)bigger;
    *capacity = more;
    return 0;
}

static int push(struct perf_data_spans *spans, const struct perf_data_span *span)
{
    int err = grow(&spans->heap, spans->heap_count, &spans->heap_capacity);
    size_t at = spans->heap_count;

    if (err)
        return err;
    spans->heap_count++;
    for (; at && is_before(span, &spans->heap[(at - 1) / 2]); at = (at - 1) / 2)
        spans->heap[at] = spans->heap[(at - 1) / 2];
    spans->heap[at] = *span;
    return 0;
}

/* ---- adding ---- */

int perf_data_spans_add(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    struct perf_data_spans *spans = &file->spans;
    struct perf_data_span *last = spans->fresh_count ? &spans->fresh[spans->fresh_count - 1] : NULL;
    uint64_t end = record->offset + record->size_bytes;
    int err;

    if (record->time_ns > file->order.latest_ns)
        file->order.latest_ns = record->time_ns;
    if (cairn_likely(last && last->end == record->offset && record->time_ns >= spans->latest_ns)) {
        spans->latest_ns = record->time_ns;
        last->end = end;
        return 0;
    }
    err = grow(&spans->fresh, spans->fresh_count, &spans->fresh_capacity);
    if (err)
        return err;
    spans->fresh[spans->fresh_count++] =
        (struct perf_data_span){.time_ns = record->time_ns, .at = record->offset, .end = end};
    spans->latest_ns = record->time_ns;
    return 0;
}

/* The size of a sample that is not earlier than *time_ns; 0: none follows. */
static inline uint16_t size_of_next(const uint8_t *data, size_t left, uint16_t time_at, bool swap,
                                    uint64_t *time_ns)
{
    uint16_t size = left < time_at + 8u ? 0 : core_load16(data + 6, swap);
    uint64_t next_ns;

    if (size < time_at + 8u || size > left || core_load32(data, swap) != CAIRN_PERF_RECORD_SAMPLE)
        return 0;
    next_ns = core_load64(data + time_at, swap);
    if (next_ns < *time_ns || next_ns == UINT64_MAX) /* the mark for "no time" */
        return 0;
    *time_ns = next_ns;
    return size;
}

void perf_data_spans_add_following(struct cairn_perf_file *file)
{
    struct perf_data_spans *spans = &file->spans;
    uint64_t time_ns = spans->latest_ns;
    uint16_t time_at = file->shared.time_at;
    size_t left;
    const uint8_t *begin = perf_data_source_ahead(&file->source, &left);
    const uint8_t *data = begin;

    /* Late records are counted one by one. */
    if (!left || time_ns < file->handed_out_ns || !time_at)
        return;
    for (uint16_t size; (size = size_of_next(data, left, time_at, file->swap, &time_ns));) {
        data += size;
        left -= size;
        __builtin_prefetch(data + PREFETCH_BYTES);
    }
    spans->fresh[spans->fresh_count - 1].end += (uint64_t)(data - begin);
    spans->latest_ns = time_ns;
    if (time_ns > file->order.latest_ns)
        file->order.latest_ns = time_ns;
    perf_data_source_take(&file->source, (size_t)(data - begin));
}

/* Adds the fresh spans to the others. */
static int merge_fresh(struct cairn_perf_file *file)
{
    struct perf_data_spans *spans = &file->spans;

    for (size_t n = 0; n < spans->fresh_count; n++) {
        int err = push(spans, &spans->fresh[n]);

        if (err)
            return err;
    }
    spans->fresh_count = 0;
    if (spans->heap_count)
        sift_first(spans);
    return 0;
}

int perf_data_spans_end_round(struct cairn_perf_file *file)
{
    int err = merge_fresh(file);

    if (err || !file->spans.heap_count)
        return err;
    file->order.release_ns = file->order.limit_ns;
    file->order.limit_ns = file->order.latest_ns;
    return 0;
}

int perf_data_spans_all(struct cairn_perf_file *file)
{
    file->order.release_ns = UINT64_MAX;
    return merge_fresh(file);
}

/* ---- taking ---- */

/* Moves the first span past the record that was taken, whose bytes stay valid. Returns true if the
 * next record is of the same span: then it is in *ret_record. */
static bool advance(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    struct perf_data_spans *spans = &file->spans;
    struct perf_data_span *first = &spans->heap[0];

    first->at += spans->taken_bytes;
    spans->taken_bytes = 0;
    if (first->at >= first->end || !read_first(file, first, ret_record)) {
        remove_first(spans);
        return false;
    }
    first->time_ns = ret_record->time_ns;
    if (cairn_likely(first->time_ns < spans->alone_ns))
        return true;
    sift_first(spans);
    return false;
}

bool perf_data_spans_next(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    struct perf_data_spans *spans = &file->spans;
    bool has_next = spans->taken_bytes && advance(file, ret_record);

    while (!has_next && spans->heap_count && spans->heap[0].time_ns <= file->order.release_ns) {
        has_next = read_first(file, &spans->heap[0], ret_record);
        if (!has_next)
            remove_first(spans);
    }
    if (!has_next || spans->heap[0].time_ns > file->order.release_ns)
        return false;
    spans->taken_bytes = ret_record->size_bytes;
    return true;
}

/* ---- the end ---- */

static int by_offset(const void *a, const void *b)
{
    const struct perf_data_span *x = (const struct perf_data_span *)a;
    const struct perf_data_span *y = (const struct perf_data_span *)b;

    return (x->at > y->at) - (x->at < y->at);
}

static int move(struct cairn_perf_file *file, struct perf_data_span *span)
{
    int err = 0;

    while (span->at < span->end && !err) {
        struct cairn_perf_record record;

        if (!read_first(file, span, &record))
            break;
        err = perf_data_order_add(
            &file->order,
            &(struct perf_data_order_entry){record.time_ns, file->source.map + span->at,
                                            (struct perf_data_attr *)(uintptr_t)record.attr});
        span->at += record.size_bytes;
    }
    return err;
}

int perf_data_spans_give_up(struct cairn_perf_file *file)
{
    struct perf_data_spans *spans = &file->spans;
    struct cairn_perf_record next;
    size_t settled = 0;
    int err = 0;

    if (!spans->is_used)
        return 0;
    spans->is_used = false;
    if (spans->taken_bytes)
        (void)advance(file, &next);
    if (spans->heap_count)
        qsort(spans->heap, spans->heap_count, sizeof(*spans->heap), by_offset);
    for (; settled < spans->heap_count && !err; settled++)
        err = move(file, &spans->heap[settled]);
    perf_data_order_until(&file->order, file->order.release_ns);
    for (size_t n = 0; n < spans->fresh_count && !err; n++)
        err = move(file, &spans->fresh[n]);
    perf_data_spans_free(spans);
    return err;
}

void perf_data_spans_free(struct perf_data_spans *spans)
{
    if (spans->views)
        free(spans->views[0].piece.bytes);
    free(spans->views);
    free(spans->heap);
    free(spans->fresh);
    *spans = (struct perf_data_spans){0};
}
