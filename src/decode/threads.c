/* SPDX-License-Identifier: MIT */
/*
 * Reads with several threads. A trace file that has an index is divided into ranges of time, each
 * of which a thread reads with a reader of its own. Records of other sources are read by whichever
 * thread needs some, and decoded by it. What the threads make of the events is passed on in order.
 */
#include "decode/batch.h"
#include "decode/reader.h"
#include "core/atomic.h"
#include "core/options.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 256u

/* Limits of the output that a thread keeps: at most, and if it need not wait to pass it on. */
#define KEPT_MAX_BYTES     ((size_t)7 << 20)
#define KEPT_IN_TURN_BYTES ((size_t)192 << 10)

/* The state that all threads share. */
struct crew {
    struct cairn_reader *reader;
    struct cairn_reader_threads calls;
    bool is_divided;
    bool has_order; /* that of time */
    struct trace_file_parts parts;

    pthread_mutex_t reading; /* of the reader, the parts, and these: */
    uint64_t part_count;     /* given to threads */
    int end;                 /* how reading ended; 0: it did not */

    pthread_mutex_t passing; /* of these: */
    pthread_cond_t passed;
    uint64_t turn; /* the part whose results are passed on next */
    int error;     /* that ended the work */
};

struct member {
    struct crew *crew;
    pthread_t thread;
    bool is_thread;
    void *state;
    uint64_t first_part; /* whose results it keeps, with those of all up to */
    uint64_t part;       /* the one that it works on */
    size_t kept_bytes;
    struct decode_batch batch;   /* of records; or */
    struct cairn_reader *reader; /* of ranges */
    struct trace_file_range range;
};

/* ---- passing on ---- */

static void fail(struct crew *crew, int err)
{
    pthread_mutex_lock(&crew->passing);
    if (err && !crew->error)
        crew->error = err;
    pthread_cond_broadcast(&crew->passed);
    pthread_mutex_unlock(&crew->passing);
}

static bool is_in_turn(const struct member *member)
{
    return core_load_relaxed(&member->crew->turn) == member->first_part;
}

/* Waits until the results of the parts before were passed on, and passes on those that the member
 * keeps. Returns the error that ended the work. */
static int pass(struct member *member, bool is_end)
{
    struct crew *crew = member->crew;
    int err;

    pthread_mutex_lock(&crew->passing);
    while (!is_in_turn(member) && !crew->error)
        pthread_cond_wait(&crew->passed, &crew->passing);
    err = crew->error;
    pthread_mutex_unlock(&crew->passing);
    if (!err) /* nobody else does, before `turn` changes */
        err = crew->calls.pass(member->state, member->batch.is_paused);
    member->kept_bytes = 0;
    member->first_part = member->part;
    pthread_mutex_lock(&crew->passing);
    core_store_relaxed(&crew->turn, member->part + is_end);
    if (!crew->error)
        crew->error = err;
    if (err || is_end)
        pthread_cond_broadcast(&crew->passed);
    pthread_mutex_unlock(&crew->passing);
    return err;
}

/* A member whose turn it is not yet continues with another part. */
static bool may_keep_more(const struct member *member)
{
    return !is_in_turn(member) && member->kept_bytes < KEPT_MAX_BYTES && !member->batch.is_paused;
}

static int handle(struct member *member, const struct cairn_event *event, size_t source)
{
    size_t kept_bytes = 0;
    int err = member->crew->calls.event(member->state, event, source, &kept_bytes);

    member->kept_bytes = kept_bytes;
    if (err || kept_bytes < KEPT_IN_TURN_BYTES)
        return err;
    if (kept_bytes < KEPT_MAX_BYTES && !is_in_turn(member))
        return 0;
    return pass(member, false);
}

/* ---- ranges ---- */

static void take_range(struct member *member, bool *ret_is_end)
{
    struct crew *crew = member->crew;

    if (member->reader && decode_reader_has_wrong_index(member->reader))
        crew->parts.is_rest = true; /* it reads the whole file for each of its ranges */
    *ret_is_end = !trace_file_parts_next(&crew->parts, &member->range);
}

static int begin_range(struct member *member)
{
    int err = 0;

    if (!member->reader)
        err = decode_reader_open_part(member->crew->reader, &member->reader);
    return err ? err : decode_reader_set_part(member->reader, &member->range);
}

static int read_range(struct member *member)
{
    const struct cairn_event *event;
    int err = begin_range(member);

    if (err)
        return err;
    do {
        err = cairn_reader_next(member->reader, &event);
        if (!err)
            err = handle(member, event, 0);
        else
            return err == ENODATA || err == EBADMSG ? 0 : err; /* damage ends no other range */
    } while (!err);
    return err;
}

/* ---- records ---- */

static int read_batch(struct member *member)
{
    int err = 0;

    for (uint32_t n = 0; n < member->batch.count && !err; n++) {
        const struct cairn_event *event;
        size_t source;

        err = decode_batch_event(&member->batch, n, &event, &source);
        if (!err)
            err = handle(member, event, source);
    }
    return err;
}

/* ---- threads ---- */

/* Sets the range of the member's next part, or reads its records. False: there is no part. */
static bool read_part(struct member *member)
{
    struct crew *crew = member->crew;
    bool is_end = true;

    if (!crew->end && crew->is_divided) {
        take_range(member, &is_end);
        crew->end = is_end ? ENODATA : 0;
    } else if (!crew->end) {
        crew->end = decode_batch_fill(&member->batch, crew->reader);
        is_end = crew->end && !member->batch.count; /* what was read before an error is a part */
    }
    return !is_end;
}

/* Takes the next part; a member that keeps results takes it only if it follows theirs. */
static bool take_part(struct member *member, bool keeps_results)
{
    struct crew *crew = member->crew;
    bool is_taken = false;

    pthread_mutex_lock(&crew->reading);
    if (!keeps_results || crew->part_count == member->part + 1)
        is_taken = read_part(member);
    if (is_taken) {
        member->part = crew->part_count++;
        if (!keeps_results)
            member->first_part = member->part;
    }
    pthread_mutex_unlock(&crew->reading);
    return is_taken;
}

static int read_parts(struct member *member)
{
    int err;

    do {
        err = member->crew->is_divided ? read_range(member) : read_batch(member);
    } while (!err && may_keep_more(member) && take_part(member, true));
    return err ? err : pass(member, true);
}

static bool has_failed(struct crew *crew)
{
    int err;

    pthread_mutex_lock(&crew->passing);
    err = crew->error;
    pthread_mutex_unlock(&crew->passing);
    return err != 0;
}

static void work(struct member *member)
{
    struct crew *crew = member->crew;
    int err = crew->calls.begin(crew->calls.context, &member->state);

    if (err) {
        fail(crew, err);
        return;
    }
    while (!err && !has_failed(crew) && take_part(member, false))
        err = read_parts(member);
    if (err)
        fail(crew, err);
}

static void *run(void *context)
{
    work((struct member *)context);
    return NULL;
}

/* Ends a member's work, after that of all others. */
static void finish(struct member *member)
{
    struct crew *crew = member->crew;

    if (member->state)
        crew->calls.end(crew->calls.context, member->state);
    decode_batch_free(&member->batch);
    if (member->reader)
        decode_reader_add_part(crew->reader, member->reader);
    cairn_reader_close(member->reader);
}

/* The calling thread is the first member. What cannot be created is left out. */
static void run_all(struct crew *crew, struct member *members)
{
    for (uint32_t n = 0; n < crew->calls.count; n++)
        members[n].crew = crew;
    for (uint32_t n = 1; n < crew->calls.count; n++)
        members[n].is_thread = !pthread_create(&members[n].thread, NULL, run, &members[n]);
    work(&members[0]);
    for (uint32_t n = 1; n < crew->calls.count; n++) {
        if (members[n].is_thread)
            pthread_join(members[n].thread, NULL);
    }
    for (uint32_t n = 0; n < crew->calls.count; n++)
        finish(&members[n]);
}

static int read_all(struct crew *crew)
{
    struct member *members = (struct member *)calloc(crew->calls.count, sizeof(*members));

    if (!members)
        return ENOMEM;
    if (crew->is_divided)
        decode_reader_begin_parts(crew->reader, &crew->parts);
    crew->parts.by_blocks = !crew->has_order;
    run_all(crew, members);
    free(members);
    if (crew->error)
        return crew->error == EAGAIN ? EAGAIN : decode_reader_end(crew->reader, crew->error);
    return crew->is_divided ? decode_reader_end_parts(crew->reader, crew->end) : crew->end;
}

static int each(struct cairn_reader *reader, const struct cairn_reader_threads *threads,
                bool has_order)
{
    struct crew crew = {
        .reader = reader,
        .has_order = has_order,
        .reading = PTHREAD_MUTEX_INITIALIZER,
        .passing = PTHREAD_MUTEX_INITIALIZER,
        .passed = PTHREAD_COND_INITIALIZER,
    };
    int err = core_options_copy(threads, CORE_OPTIONS_BYTES_TO(struct cairn_reader_threads, end),
                                sizeof(crew.calls), &crew.calls);

    if (err)
        return err;
    if (crew.calls.count > THREADS_MAX)
        return EINVAL;
    if (!crew.calls.count)
        crew.calls.count = 1;
    err = crew.calls.count > 1 ? decode_reader_divide(reader, &crew.is_divided) : 0;
    err = err ? err : read_all(&crew);
    pthread_mutex_destroy(&crew.reading);
    pthread_mutex_destroy(&crew.passing);
    pthread_cond_destroy(&crew.passed);
    return err;
}

int cairn_reader_each(struct cairn_reader *reader, const struct cairn_reader_threads *threads)
{
    return each(reader, threads, true);
}

int decode_reader_each_in_any_order(struct cairn_reader *reader,
                                    const struct cairn_reader_threads *threads)
{
    return each(reader, threads, false);
}
