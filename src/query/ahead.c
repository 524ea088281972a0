/* SPDX-License-Identifier: MIT */
/*
 * A thread runs cairn_reader_each, whose threads fill batches of rows; batches are passed on in the
 * order of the events, to a queue that has a limit.
 */
#include "query/ahead.h"

#include "core/atomic.h"
#include "query/numbers.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define QUEUE_MAX 4u

/* A cell of a batch. */
struct kept {
    uint8_t kind; /* enum cairn_query_kind */
    bool lasts;   /* the text is not the batch's */
    uint32_t size_bytes;
    union {
        int64_t integer;
        double real;
        const char *text;
        size_t offset; /* of a text in the batch */
    };
};

struct batch {
    struct batch *next;
    struct kept *cells; /* of the used columns, row by row */
    size_t cell_count;
    size_t cell_space;
    char *texts;
    size_t text_bytes;
    size_t text_space;
    struct query_number_array *numbers; /* of the used columns, instead of cells; NULL: none */
    size_t number_columns;
    uint64_t events; /* that it has rows or numbers of */
};

struct query_ahead {
    struct query_stream *stream;
    struct query_ahead_calls calls;
    uint32_t threads;
    unsigned *columns; /* that are used */
    unsigned column_count;
    bool has_numbers; /* a batch is one row, of numbers */
    int *slots;       /* by column: the number of its cell in a row; -1: it is not used */
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct batch *first; /* that are passed on */
    struct batch *last;
    unsigned queued;
    struct batch *spare;
    bool has_ended; /* no more batches come */
    bool is_cancelled;
    int error;         /* that ended reading */
    uint64_t *damaged; /* events, by source: the counts of readers lack them */

    struct batch *batch; /* of the row */
    size_t row;          /* its first cell */
    bool has_row;
};

/* The state of one of the threads. */
struct worker {
    struct query_ahead *ahead;
    void *of_caller;
    struct batch *batch;
};

/* ---- batches ---- */

static void free_batches(struct batch *batch)
{
    while (batch) {
        struct batch *next = batch->next;

        free(batch->cells);
        free(batch->texts);
        for (size_t n = 0; n < batch->number_columns; n++)
            free(batch->numbers[n].all);
        free(batch->numbers);
        free(batch);
        batch = next;
    }
}

/* Makes space for `more` elements. Returns 0, ENOMEM. */
static int grow(void **array, size_t count, size_t more, size_t *space, size_t element_bytes)
{
    size_t wanted = *space ? *space : 1024;
    void *bigger;

    if (count + more <= *space)
        return 0;
    while (wanted < count + more)
        wanted *= 2;
    bigger = realloc(*array, wanted * element_bytes);
    if (!bigger)
        return ENOMEM;
    *array = bigger;
    *space = wanted;
    return 0;
}

static int copy_text(struct batch *batch, const struct query_cell *cell, struct kept *kept)
{
    int err = grow((void **)&batch->texts, batch->text_bytes, cell->size_bytes + 1,
                   &batch->text_space, 1); /* also of an empty one: its address is not NULL */

    if (err)
        return err;
    kept->offset = batch->text_bytes;
    if (cell->size_bytes)
        memcpy(batch->texts + batch->text_bytes, cell->text, cell->size_bytes);
    batch->text_bytes += cell->size_bytes;
    return 0;
}

static int copy_cell(struct batch *batch, const struct query_cell *cell)
{
    struct kept *kept = &batch->cells[batch->cell_count++];

    *kept = (struct kept){
        .kind = (uint8_t)cell->kind,
        .lasts = cell->lasts,
        .size_bytes = (uint32_t)cell->size_bytes,
    };
    switch (cell->kind) {
    case CAIRN_QUERY_INTEGER:
        kept->integer = cell->integer;
        return 0;
    case CAIRN_QUERY_REAL:
        kept->real = cell->real;
        return 0;
    case CAIRN_QUERY_TEXT:
        if (!cell->lasts)
            return copy_text(batch, cell, kept);
        kept->text = cell->text;
        return 0;
    default:
        return 0;
    }
}

static int copy_cells(struct worker *worker)
{
    const struct query_ahead *ahead = worker->ahead;
    struct batch *batch = worker->batch;
    size_t count = ahead->column_count + !ahead->column_count; /* rows without cells have one */
    int err = grow((void **)&batch->cells, batch->cell_count, count, &batch->cell_space,
                   sizeof(*batch->cells));

    for (unsigned n = 0; n < ahead->column_count && !err; n++) {
        struct query_cell cell = {.kind = CAIRN_QUERY_NULL};

        ahead->calls.cell(worker->of_caller, ahead->columns[n], &cell);
        err = copy_cell(batch, &cell);
    }
    if (!err && !ahead->column_count)
        err = copy_cell(batch, &(struct query_cell){.kind = CAIRN_QUERY_NULL});
    return err;
}

static int add_numbers(struct worker *worker)
{
    const struct query_ahead *ahead = worker->ahead;
    int err = 0;

    for (unsigned n = 0; n < ahead->column_count && !err; n++) {
        struct query_cell cell = {.kind = CAIRN_QUERY_NULL};

        ahead->calls.cell(worker->of_caller, ahead->columns[n], &cell);
        err = query_numbers_add(&worker->batch->numbers[n], &cell);
    }
    return err;
}

static int keep_row(struct worker *worker)
{
    worker->batch->events++;
    return worker->ahead->has_numbers ? add_numbers(worker) : copy_cells(worker);
}

/* The bytes that a batch holds. */
static size_t kept_bytes(const struct batch *batch)
{
    size_t bytes = batch->cell_count * sizeof(*batch->cells) + batch->text_bytes;

    for (size_t n = 0; n < batch->number_columns; n++)
        bytes += batch->numbers[n].count * sizeof(*batch->numbers[n].all);
    return bytes;
}

static struct batch *make_batch(const struct query_ahead *ahead)
{
    struct batch *batch = (struct batch *)calloc(1, sizeof(*batch));

    if (!batch || !ahead->has_numbers)
        return batch;
    batch->numbers =
        (struct query_number_array *)calloc(ahead->column_count, sizeof(*batch->numbers));
    if (!batch->numbers) {
        free(batch);
        return NULL;
    }
    batch->number_columns = ahead->column_count;
    return batch;
}

/* ---- threads ---- */

static struct batch *take_spare(struct query_ahead *ahead)
{
    struct batch *batch;

    pthread_mutex_lock(&ahead->lock);
    batch = ahead->spare;
    if (batch)
        ahead->spare = batch->next;
    pthread_mutex_unlock(&ahead->lock);
    if (!batch)
        return make_batch(ahead);
    batch->next = NULL;
    batch->cell_count = batch->text_bytes = batch->events = 0;
    for (size_t n = 0; n < batch->number_columns; n++)
        batch->numbers[n].count = 0;
    return batch;
}

static int begin_worker(void *context, void **ret_state)
{
    struct query_ahead *ahead = (struct query_ahead *)context;
    struct worker *worker = (struct worker *)calloc(1, sizeof(*worker));
    int err;

    if (!worker)
        return ENOMEM;
    worker->ahead = ahead;
    worker->batch = take_spare(ahead);
    err = worker->batch ? ahead->calls.begin(ahead->calls.context, &worker->of_caller) : ENOMEM;
    if (err) {
        free_batches(worker->batch);
        free(worker);
        return err;
    }
    *ret_state = worker;
    return 0;
}

static int take_event(void *state, const struct cairn_event *event, size_t source,
                      size_t *ret_kept_bytes)
{
    struct worker *worker = (struct worker *)state;
    struct query_ahead *ahead = worker->ahead;
    bool is_row = false;
    int err;

    if (core_load_relaxed(&ahead->is_cancelled) || ahead->stream->query->is_interrupted)
        return ECANCELED;
    if (cairn_unlikely(event->error != CAIRN_EVENT_WHOLE))
        (void)core_fetch_add_relaxed(&ahead->damaged[source], 1);
    err = ahead->calls.event(worker->of_caller, event, source, &is_row);
    if (!err && is_row)
        err = keep_row(worker);
    *ret_kept_bytes = kept_bytes(worker->batch);
    return err;
}

static int pass_batch(void *state, bool pauses)
{
    struct worker *worker = (struct worker *)state;
    struct query_ahead *ahead = worker->ahead;
    struct batch *batch = worker->batch;
    int err = 0;

    (void)pauses;
    if (!batch->events)
        return core_load_relaxed(&ahead->is_cancelled) ? ECANCELED : 0;
    pthread_mutex_lock(&ahead->lock);
    while (ahead->queued >= QUEUE_MAX && !ahead->is_cancelled)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    if (ahead->is_cancelled) {
        err = ECANCELED;
    } else {
        if (ahead->last)
            ahead->last->next = batch;
        else
            ahead->first = batch;
        ahead->last = batch;
        ahead->queued++;
        worker->batch = NULL;
        pthread_cond_broadcast(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
    if (!worker->batch)
        worker->batch = take_spare(ahead);
    return worker->batch ? err : ENOMEM;
}

static void end_worker(void *context, void *state)
{
    struct query_ahead *ahead = (struct query_ahead *)context;
    struct worker *worker = (struct worker *)state;

    ahead->calls.end(worker->of_caller);
    free_batches(worker->batch);
    free(worker);
}

static void *read_all(void *context)
{
    struct query_ahead *ahead = (struct query_ahead *)context;
    const struct cairn_reader_threads threads = {
        .size = sizeof(threads),
        .count = ahead->threads,
        .context = ahead,
        .begin = begin_worker,
        .event = take_event,
        .pass = pass_batch,
        .end = end_worker,
    };
    int err = ahead->stream->reader ? cairn_reader_each(ahead->stream->reader, &threads) : ENODATA;

    pthread_mutex_lock(&ahead->lock);
    ahead->has_ended = true;
    ahead->error = err;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

/* ---- rows ---- */

static int choose_columns(struct query_ahead *ahead, uint64_t used, unsigned column_count)
{
    ahead->columns = (unsigned *)calloc(column_count + 1, sizeof(*ahead->columns));
    ahead->slots = (int *)calloc(column_count + 1, sizeof(*ahead->slots));
    ahead->damaged = (uint64_t *)calloc(ahead->stream->count + 1, sizeof(*ahead->damaged));
    if (!ahead->columns || !ahead->slots || !ahead->damaged)
        return ENOMEM;
    for (unsigned n = 0; n < column_count; n++) {
        ahead->slots[n] = -1;
        if (!query_is_used(used, n))
            continue;
        ahead->slots[n] = (int)ahead->column_count;
        ahead->columns[ahead->column_count++] = n;
    }
    return 0;
}

static void free_all(struct query_ahead *ahead)
{
    free_batches(ahead->first);
    free_batches(ahead->spare);
    free_batches(ahead->batch);
    free(ahead->columns);
    free(ahead->slots);
    free(ahead->damaged);
    pthread_mutex_destroy(&ahead->lock);
    pthread_cond_destroy(&ahead->changed);
    free(ahead);
}

int query_ahead_begin(struct query_stream *stream, uint32_t threads,
                      const struct query_ahead_calls *calls, const struct query_request *request,
                      unsigned column_count, struct query_ahead **ret_ahead)
{
    struct query_ahead *ahead = (struct query_ahead *)calloc(1, sizeof(*ahead));
    int err;

    if (!ahead)
        return ENOMEM;
    ahead->stream = stream;
    ahead->calls = *calls;
    ahead->threads = threads;
    ahead->has_numbers = request->may_have_numbers;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    err = choose_columns(ahead, request->used, column_count);
    if (!err)
        err = pthread_create(&ahead->thread, NULL, read_all, ahead);
    if (err) {
        free_all(ahead);
        return err;
    }
    *ret_ahead = ahead;
    return 0;
}

static void note_damage(const struct query_ahead *ahead)
{
    for (size_t n = 0; n < ahead->stream->count; n++) {
        size_t index = ahead->stream->indexes[n];
        struct cairn_query_file *file = &ahead->stream->query->recordings.all[index].file;

        if (ahead->damaged[n] > file->damaged)
            file->damaged = ahead->damaged[n];
    }
}

/* Notes how reading ended, in the recordings. Returns ENODATA. */
static int note_end(struct query_ahead *ahead)
{
    note_damage(ahead);
    return query_stream_next(ahead->stream);
}

/* Goes to the next batch. Returns as query_ahead_next. */
static int next_batch(struct query_ahead *ahead)
{
    int err = 0;

    pthread_mutex_lock(&ahead->lock);
    if (ahead->batch) {
        ahead->batch->next = ahead->spare;
        ahead->spare = ahead->batch;
        ahead->batch = NULL;
    }
    while (!ahead->first && !ahead->has_ended)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    ahead->batch = ahead->first;
    if (ahead->batch) {
        ahead->first = ahead->batch->next;
        ahead->last = ahead->first ? ahead->last : NULL;
        ahead->batch->next = NULL;
        ahead->queued--;
        pthread_cond_broadcast(&ahead->changed);
    } else {
        err = ahead->error == ENOMEM || ahead->error == ECANCELED ? ahead->error : ENODATA;
    }
    pthread_mutex_unlock(&ahead->lock);
    ahead->row = 0;
    ahead->has_row = !err;
    return err == ENODATA ? note_end(ahead) : err;
}

int query_ahead_next(struct query_ahead *ahead)
{
    if (ahead->stream->query->is_interrupted)
        return ECANCELED;
    if (ahead->has_row) {
        ahead->row += ahead->column_count + !ahead->column_count;
        if (ahead->row < ahead->batch->cell_count)
            return 0;
    }
    return next_batch(ahead);
}

void query_ahead_cell(const struct query_ahead *ahead, unsigned column, struct query_cell *cell)
{
    const struct kept *kept;

    if (ahead->slots[column] < 0)
        return;
    if (ahead->has_numbers) {
        cell->numbers = &ahead->batch->numbers[ahead->slots[column]];
        return;
    }
    kept = &ahead->batch->cells[ahead->row + (size_t)ahead->slots[column]];
    cell->kind = (enum cairn_query_kind)kept->kind;
    if (kept->kind == CAIRN_QUERY_INTEGER)
        cell->integer = kept->integer;
    else if (kept->kind == CAIRN_QUERY_REAL)
        cell->real = kept->real;
    else if (kept->kind == CAIRN_QUERY_TEXT)
        query_cell_text(cell, kept->lasts ? kept->text : ahead->batch->texts + kept->offset,
                        kept->size_bytes, kept->lasts);
}

uint64_t query_ahead_events(const struct query_ahead *ahead)
{
    return ahead->has_numbers ? ahead->batch->events : 1;
}

void query_ahead_end(struct query_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    core_store_relaxed(&ahead->is_cancelled, true);
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    free_all(ahead);
}
