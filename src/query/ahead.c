/* SPDX-License-Identifier: MIT */
/*
 * A thread runs cairn_reader_each, whose threads fill batches of rows; batches are passed on in the
 * order of the events, to a queue that has a limit.
 */
#include "query/ahead.h"

#include "core/atomic.h"
#include "decode/reader.h"
#include "query/batch.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define QUEUE_MAX 4u

struct query_ahead {
    struct query_stream *stream;
    struct query_ahead_calls calls;
    uint32_t threads;
    unsigned *columns; /* that are used */
    unsigned column_count;
    bool has_numbers; /* a batch is one row, of numbers */
    int *slots;       /* by column: its number among those that are used; -1: it is not */
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct query_batch *first; /* that are passed on */
    struct query_batch *last;
    unsigned queued;
    struct query_batch *spare;
    bool has_ended; /* no more batches come */
    bool is_cancelled;
    int error;         /* that ended reading */
    uint64_t *damaged; /* events, by source: the counts of readers lack them */

    struct query_batch *batch; /* of the row */
    size_t row;
    bool has_row;
};

/* The state of one of the threads. */
struct worker {
    struct query_ahead *ahead;
    void *of_caller;
    struct query_batch *batch;
};

/* ---- threads ---- */

static int keep_row(struct worker *worker)
{
    const struct query_ahead *ahead = worker->ahead;
    int err = 0;

    for (unsigned n = 0; n < ahead->column_count && !err; n++) {
        struct query_cell cell = {.kind = CAIRN_QUERY_NULL};

        ahead->calls.cell(worker->of_caller, ahead->columns[n], &cell);
        err = query_batch_add(worker->batch, n, &cell);
    }
    query_batch_end_row(worker->batch);
    return err;
}

static struct query_batch *take_spare(struct query_ahead *ahead)
{
    struct query_batch *batch;

    pthread_mutex_lock(&ahead->lock);
    batch = ahead->spare;
    if (batch)
        ahead->spare = batch->next;
    pthread_mutex_unlock(&ahead->lock);
    if (!batch)
        return query_batch_create(ahead->column_count, ahead->has_numbers);
    batch->next = NULL;
    query_batch_clear(batch);
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
        query_batches_free(worker->batch);
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
    *ret_kept_bytes = query_batch_bytes(worker->batch);
    return err;
}

static int pass_batch(void *state, bool pauses)
{
    struct worker *worker = (struct worker *)state;
    struct query_ahead *ahead = worker->ahead;
    struct query_batch *batch = worker->batch;
    int err = 0;

    (void)pauses;
    if (!batch->rows)
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
    query_batches_free(worker->batch);
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
    struct cairn_reader *reader = ahead->stream->reader;
    int err = ENODATA;

    if (reader && ahead->has_numbers)
        err = decode_reader_each_in_any_order(reader, &threads);
    else if (reader)
        err = cairn_reader_each(reader, &threads);

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
    query_batches_free(ahead->first);
    query_batches_free(ahead->spare);
    query_batches_free(ahead->batch);
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
    for (size_t n = 0; n < ahead->stream->count; n++)
        query_recording_note_damage(&ahead->stream->query->recordings, ahead->stream->indexes[n],
                                    ahead->damaged[n]);
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
        ahead->row++;
        if (!ahead->has_numbers && ahead->row < ahead->batch->rows)
            return 0;
    }
    return next_batch(ahead);
}

void query_ahead_cell(const struct query_ahead *ahead, unsigned column, struct query_cell *cell)
{
    if (ahead->slots[column] >= 0)
        query_batch_cell(ahead->batch, ahead->row, (unsigned)ahead->slots[column], cell);
}

uint64_t query_ahead_events(const struct query_ahead *ahead)
{
    return ahead->has_numbers ? ahead->batch->rows : 1;
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
