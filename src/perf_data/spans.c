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
 * the next spans, too, where these are short. Number 0 is none. */
#define VIEWS      64u
#define VIEW_BYTES ((size_t)64 << 10)

/* Processors prefetch by themselves, but not across a page's end. */
#define PREFETCH_BYTES 4096

struct perf_data_view {
    uint8_t *bytes;
    uint64_t at; /* the offset in the file */
    size_t size_bytes;
    uint64_t owner; /* the end of the span that it was filled for; others may share it */
};

static bool has_bytes(const struct perf_data_view *view, uint64_t at, size_t size_bytes)
{
    return at - view->at < view->size_bytes && view->size_bytes - (at - view->at) >= size_bytes;
}

_Static_assert(VIEW_BYTES >= PERF_DATA_RECORD_LIMIT_BYTES, "a view has space for each record");

/* Reads a part of the file. Returns false if the file became shorter. */
static bool fill(const struct cairn_perf_file *file, struct perf_data_view *view, uint64_t at,
                 size_t size_bytes)
{
    view->at = at;
    view->size_bytes = perf_data_source_read_at(&file->source, at, view->bytes, VIEW_BYTES);
    return view->size_bytes >= size_bytes;
}

static bool owns_view(const struct perf_data_spans *spans, const struct perf_data_span *span)
{
    return span->view && spans->views[span->view].owner == span->end;
}

/* Returns a view to be filled for a span: its own, whose bytes it has passed, or that of a span
 * that has ended. These are still in the cache. */
static uint32_t choose_view(struct perf_data_spans *spans, const struct perf_data_span *span)
{
    uint32_t number = spans->spare_view;

    if (owns_view(spans, span))
        return span->view;
    spans->spare_view = 0;
    return number ? number : 1 + spans->next_view++ % VIEWS;
}

/* Returns the number of a view that has the first bytes of a span; 0: none can be filled. */
static uint32_t find_view(struct cairn_perf_file *file, const struct perf_data_span *span,
                          size_t size_bytes)
{
    struct perf_data_spans *spans = &file->spans;
    uint32_t number = 1;

    while (number <= VIEWS && !has_bytes(&spans->views[number], span->at, size_bytes))
        number++;
    if (number <= VIEWS)
        return number;
    number = choose_view(spans, span);
    spans->views[number].owner = span->end;
    return fill(file, &spans->views[number], span->at, size_bytes) ? number : 0;
}

/* The same as bytes_of, if its view does not have them. */
static __attribute__((noinline)) const uint8_t *
read_bytes_of(struct cairn_perf_file *file, struct perf_data_span *span, size_t size_bytes)
{
    uint32_t number = file->spans.views ? find_view(file, span, size_bytes) : 0;
    const struct perf_data_view *view;

    if (!number)
        return file->source.map + span->at;
    span->view = number;
    view = &file->spans.views[number];
    return view->bytes + (span->at - view->at);
}

/* Returns the first bytes of a span; they are in the map if they cannot be read. */
static inline const uint8_t *bytes_of(struct cairn_perf_file *file, struct perf_data_span *span,
                                      size_t size_bytes)
{
    const struct perf_data_view *views = file->spans.views;

    if (cairn_likely(views && has_bytes(&views[span->view], span->at, size_bytes)))
        return views[span->view].bytes + (span->at - views[span->view].at);
    return read_bytes_of(file, span, size_bytes);
}

/* Fills the record at the beginning of a span, which was read before. */
static void read_first(struct cairn_perf_file *file, struct perf_data_span *span,
                       struct cairn_perf_record *ret_record)
{
    const uint8_t *data = bytes_of(file, span, PERF_DATA_RECORD_HEADER_BYTES);

    data = bytes_of(file, span, core_load16(data + 6, file->swap));
    perf_data_record_fill(file, data, span->at, ret_record);
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
    if (owns_view(spans, &spans->heap[0]))
        spans->spare_view = spans->heap[0].view;
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

/* Conditions for samples that continue a span. */
struct continuing {
    uint16_t time_at;
    uint16_t id_at; /* 0: all samples have one attr */
    uint16_t least_bytes;
    uint64_t id;
};

static bool is_described(const struct cairn_perf_file *file, const struct cairn_perf_record *record,
                         struct continuing *ret_continuing)
{
    const struct perf_data_attr *attr = (const struct perf_data_attr *)record->attr;

    if (record->type != CAIRN_PERF_RECORD_SAMPLE || !attr || !attr->layout.time_at ||
        (file->attr_count > 1 && !file->shared.id_at))
        return false;
    *ret_continuing = (struct continuing){.time_at = attr->layout.time_at};
    if (file->attr_count > 1) {
        ret_continuing->id_at = file->shared.id_at;
        ret_continuing->id = core_load64(record->data + ret_continuing->id_at, file->swap);
    }
    ret_continuing->least_bytes =
        (uint16_t)(8 + (ret_continuing->time_at > ret_continuing->id_at ? ret_continuing->time_at
                                                                        : ret_continuing->id_at));
    return true;
}

/* The size of a sample like these that is not earlier; 0: there is none. */
static inline uint16_t size_of_alike(const struct continuing *continuing, const uint8_t *data,
                                     size_t left, bool swap, uint64_t *time_ns)
{
    uint16_t size = left < continuing->least_bytes ? 0 : core_load16(data + 6, swap);
    uint64_t next_ns;

    if (size < continuing->least_bytes || size > left ||
        core_load32(data, swap) != CAIRN_PERF_RECORD_SAMPLE ||
        (continuing->id_at && core_load64(data + continuing->id_at, swap) != continuing->id))
        return 0;
    next_ns = core_load64(data + continuing->time_at, swap);
    if (next_ns < *time_ns || next_ns == UINT64_MAX) /* the mark for "no time" */
        return 0;
    *time_ns = next_ns;
    return size;
}

void perf_data_spans_add_alike(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    struct perf_data_spans *spans = &file->spans;
    uint64_t time_ns = spans->latest_ns;
    struct continuing continuing;
    size_t left;
    const uint8_t *begin = perf_data_source_ahead(&file->source, &left);
    const uint8_t *data = begin;

    /* Late records are counted one by one. */
    if (!left || time_ns < file->handed_out_ns || !is_described(file, record, &continuing))
        return;
    for (uint16_t size; (size = size_of_alike(&continuing, data, left, file->swap, &time_ns));) {
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

/* If there is no memory, the map is read. A large page would cost more than a small file's views.
 */
static void make_views(struct perf_data_spans *spans, size_t file_bytes)
{
    struct perf_data_view *views = (struct perf_data_view *)calloc(VIEWS + 1, sizeof(*views));
    uint8_t *bytes = (uint8_t *)(file_bytes < PERF_DATA_LARGE_PAGE_BYTES
                                     ? malloc(VIEWS * VIEW_BYTES)
                                     : perf_data_large_allocate(VIEWS * VIEW_BYTES));

    if (!views || !bytes) {
        free(views);
        free(bytes);
        return;
    }
    for (size_t n = 0; n < VIEWS; n++)
        views[1 + n].bytes = bytes + n * VIEW_BYTES;
    spans->views = views;
    spans->view_bytes = bytes;
}

/* Adds the fresh spans to the others. */
static int merge_fresh(struct cairn_perf_file *file)
{
    struct perf_data_spans *spans = &file->spans;

    if (!spans->views && file->source.ahead)
        make_views(spans, file->source.map_bytes);
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
    if (first->at >= first->end) {
        remove_first(spans);
        return false;
    }
    read_first(file, first, ret_record);
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

    if (!spans->heap_count || spans->heap[0].time_ns > file->order.release_ns)
        return false;
    if (!has_next)
        read_first(file, &spans->heap[0], ret_record);
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

        read_first(file, span, &record);
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
    free(spans->views);
    free(spans->view_bytes);
    free(spans->heap);
    free(spans->fresh);
    *spans = (struct perf_data_spans){0};
}
