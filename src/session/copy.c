/* SPDX-License-Identifier: MIT */
/*
 * Copies a chunk to its place in a block, and passes its records one by one: nearly all of them are
 * like the one before, and stay as they are. From the first one that cannot stay, the rest is put
 * aside and added record by record.
 */
#include "session/copy.h"
#include "core/compact_record.h"
#include "session/expand.h"
#include "session/kernel.h"
#include "session/known.h"
#include "session/resume.h"
#include "session/numbers.h"

#include <stddef.h>
#include <string.h>

struct copying {
    struct cairn_session *session;
    struct session_pool *pool;
    struct session_process *process;
    struct trace_file_copies *copies;
    const struct cairn_chunk *chunk;
    uint32_t number; /* of the chunk */
    struct engine_baseline *baseline;
    uint64_t limit; /* later counters are not possible */
    uint32_t domain;
    uint32_t position;    /* in the chunk, up to which records are in the block */
    bool is_held;         /* the chunk has no more, and is to be freed when the block is written */
    uint32_t stack_bytes; /* of the record before, if that is the stack of the next event */
    bool is_ours;         /* the open piece has the records before */
    bool is_named;
    char comm[CAIRN_COMM_BYTES];
};

/* ---- time ---- */

static uint64_t ns_of(const struct copying *c, uint64_t counter)
{
    uint64_t time_ns = counter;

    if (c->baseline->unit == ENGINE_UNIT_TICKS)
        (void)session_ticks_time(&c->session->ticks, counter, &time_ns);
    return time_ns;
}

/* A counter that the file has no line for is always later than the limit. */
static void set_limit(struct copying *c)
{
    uint64_t limit_ns = c->session->taken_ns + SESSION_AHEAD_MAX_NS;

    c->domain = 0;
    c->limit = limit_ns;
    if (c->baseline->unit == ENGINE_UNIT_TICKS &&
        (!session_trace_domain(c->session->trace, &c->domain) ||
         !session_ticks_counter(&c->session->ticks, limit_ns, &c->limit)))
        c->limit = 0;
}

/* ---- pieces ---- */

/* The last piece is continued if nothing else was added since. */
static bool continues(const struct copying *c, uint32_t consumed)
{
    const struct session_last_copied *last = &c->session->last_copied;

    return consumed && c->copies->is_open && last->piece == c->copies->pieces &&
           last->pool == c->pool && last->sequence == c->chunk->sequence;
}

static struct trace_file_piece_head head_of(const struct copying *c)
{
    bool is_ns = c->baseline->unit != ENGINE_UNIT_TICKS;

    return (struct trace_file_piece_head){
        .process = c->process->number_in_file,
        .tid = c->chunk->tid,
        .cpu = c->baseline->unit ? c->baseline->cpu : TRACE_FILE_CPU_UNKNOWN,
        .domain = c->domain,
        .flags = is_ns ? TRACE_FILE_PIECE_NS : 0,
        .base = c->baseline->base,
    };
}

static void begin_piece(struct copying *c)
{
    const struct trace_file_piece_head head = head_of(c);

    trace_file_copies_piece(c->copies, &head);
    c->is_ours = true;
}

static void name(struct copying *c, uint64_t counter)
{
    if (!c->is_named)
        session_name_records(c->session, c->pool, c->chunk, ns_of(c, counter), c->comm);
    c->is_named = true;
}

/* ---- records that stay as they are ---- */

#define NO_ID UINT32_MAX

/* A pass over the records of a piece, and the last record. */
struct pass {
    const uint8_t *at;
    const uint8_t *end;
    uint32_t id;
    uint32_t least_bytes; /* of such a record, and how much more it may have */
    uint32_t more_bytes;
    uint32_t run; /* records that were not counted yet */
    struct session_known *known;
    struct trace_file_copied copied;
};

static void end_run(struct copying *c, struct pass *p)
{
    if (!p->run)
        return;
    c->session->tracepoints[p->known->tracepoint].events += p->run;
    c->session->counts.events += p->run;
    trace_file_copies_count(c->copies, &p->known->position, p->known->number, p->run);
    p->copied.events += p->run;
    p->run = 0;
}

static uint16_t u16_at(const uint8_t *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static uint32_t u32_at(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* A control record that leaves the unit. */
static bool pass_control(struct copying *c, struct pass *p, const struct engine_record *record,
                         const struct engine_baseline *baseline)
{
    if (baseline->unit != c->baseline->unit)
        return false;
    *c->baseline = *baseline;
    p->at += record->size_bytes;
    return true;
}

static bool pass_other(struct copying *c, struct pass *p);

/* The stack of an event stays with it. */
static bool pass_stack(struct copying *c, struct pass *p, uint32_t stack_bytes)
{
    const uint8_t *before = p->at;

    p->at += stack_bytes;
    if ((size_t)(p->end - p->at) >= CORE_RECORD_HEAD_BYTES &&
        u16_at(p->at) != CORE_RECORD_CONTROL && pass_other(c, p))
        return true;
    p->at = before;
    return false;
}

/* A record that is not like the one before. False: it cannot stay. */
static bool pass_other(struct copying *c, struct pass *p)
{
    struct engine_baseline baseline = *c->baseline;
    struct session_known *known;
    struct engine_record record;

    if (!engine_record_read(&baseline, p->at, (size_t)(p->end - p->at), &record))
        return false;
    if (record.is_stack)
        return pass_stack(c, p, record.size_bytes);
    if (!record.payload)
        return pass_control(c, p, &record, &baseline);
    end_run(c, p);
    p->id = NO_ID;
    known = session_find_known(c->session, c->pool, c->process, record.id);
    if (!known || !known->number || known->is_filtered ||
        record.payload_bytes < known->least_bytes || record.payload_bytes > known->most_bytes ||
        record.counter < p->copied.last || record.counter > c->limit)
        return false;
    p->known = known;
    if (u16_at(p->at) != CORE_RECORD_LONG) {
        p->id = record.id;
        p->least_bytes = known->least_bytes + CORE_RECORD_HEAD_BYTES;
        p->more_bytes = known->most_bytes - known->least_bytes;
    }
    if (!p->copied.events)
        p->copied.first = record.counter;
    p->copied.last = record.counter;
    p->run = 1;
    p->at += record.size_bytes;
    return true;
}

/* Passes records as far as they can stay. */
static void pass(struct copying *c, struct pass *p)
{
    uint64_t base = c->baseline->base;

    while ((size_t)(p->end - p->at) >= CORE_RECORD_HEAD_BYTES) {
        uint32_t size_bytes = u16_at(p->at + 2);
        uint32_t padded = core_record_padded(size_bytes);
        uint64_t counter = base + u32_at(p->at + 4);

        if (cairn_unlikely(u16_at(p->at) != p->id || size_bytes - p->least_bytes > p->more_bytes)) {
            if (!pass_other(c, p))
                break;
            base = c->baseline->base;
            continue;
        }
        if (cairn_unlikely(padded > (size_t)(p->end - p->at) || counter < p->copied.last ||
                           counter > c->limit))
            break;
        p->copied.last = counter;
        p->run++;
        p->at += padded;
    }
    end_run(c, p);
}

/* The control records at the beginning say what the head of the piece needs. */
static bool read_first_controls(struct copying *c, struct pass *p)
{
    while (p->at < p->end && u16_at(p->at) == CORE_RECORD_CONTROL) {
        struct engine_record record;

        if (!engine_record_read(c->baseline, p->at, (size_t)(p->end - p->at), &record))
            return false;
        if (record.is_stack)
            break;
        p->at += record.size_bytes;
    }
    return true;
}

/* Adds what was passed. Returns its end. */
static const uint8_t *copy_good(struct copying *c, const uint8_t *begin, uint32_t size_bytes)
{
    struct pass p = {.at = begin, .end = begin + size_bytes, .id = NO_ID};

    if (!c->is_ours) {
        struct engine_baseline before = *c->baseline;

        if (!read_first_controls(c, &p)) {
            *c->baseline = before;
            return begin;
        }
        c->is_ours = true;
        set_limit(c);
        c->copies->head = head_of(c);
    }
    p.copied.last = c->copies->piece.last;
    pass(c, &p);
    p.copied.size_bytes = (size_t)(p.at - begin);
    if (p.copied.events) {
        p.copied.first_ns = ns_of(c, p.copied.first);
        p.copied.last_ns = ns_of(c, p.copied.last);
        name(c, p.copied.first);
    }
    trace_file_copies_add(c->copies, &p.copied);
    return p.at;
}

/* ---- one by one ---- */

static void spoil(struct copying *c)
{
    c->session->counts.damaged++;
    c->pool->spoilt = true;
}

static void count_event(struct copying *c, struct session_tracepoint *tp)
{
    tp->events++;
    c->session->counts.events++;
}

/* Adds bytes to our piece, which is begun if it is not there. */
static void put_bytes(struct copying *c, const uint8_t *at, const struct trace_file_copied *copied)
{
    uint8_t *to;

    if (!c->is_ours || copied->last < c->copies->piece.last)
        begin_piece(c);
    to = trace_file_copies_room(c->copies, copied->size_bytes);
    if (!to) { /* the error is reported when the block is written */
        c->copies->unstored += copied->events;
        return;
    }
    memcpy(to, at, copied->size_bytes);
    trace_file_copies_add(c->copies, copied);
}

/* A control record, and what was in force before it. */
static void put_control(struct copying *c, const uint8_t *at, uint32_t size_bytes, uint32_t unit)
{
    const struct trace_file_copied control = {.size_bytes = size_bytes,
                                              .last = c->copies->piece.last};

    if (c->baseline->unit != unit) {
        c->is_ours = false;
        set_limit(c);
    } else if (c->is_ours) {
        put_bytes(c, at, &control);
    }
}

/* With its stack, which is before it. */
static void put_as_it_is(struct copying *c, const uint8_t *at, const struct engine_record *record,
                         struct session_known *known)
{
    const struct trace_file_copied copied = {
        .size_bytes = c->stack_bytes + record->size_bytes,
        .events = 1,
        .first = record->counter,
        .last = record->counter,
        .first_ns = ns_of(c, record->counter),
        .last_ns = ns_of(c, record->counter),
    };

    if (record->payload_bytes < known->least_bytes || record->payload_bytes > known->most_bytes) {
        c->session->counts.damaged++;
        return;
    }
    name(c, record->counter);
    count_event(c, &c->session->tracepoints[known->tracepoint]);
    put_bytes(c, at - c->stack_bytes, &copied);
    trace_file_copies_count(c->copies, &known->position, known->number, 1);
}

/* A record that needs to be expanded: a filter chooses, or the file has it in another form. */
static void put_expanded(struct copying *c, const uint8_t *at, const struct engine_record *record,
                         struct session_known *known, struct session_tracepoint *tp)
{
    const struct session_expansion expansion = {
        .pool = c->pool, .baseline = c->baseline, .pid = c->chunk->pid, .tid = c->chunk->tid};
    bool is_filtered = known ? known->is_filtered : tp->filtered;
    uint8_t *sample = c->session->expanded;
    uint32_t size_bytes = session_expand_record(c->session, &expansion, record, sample);

    if (!size_bytes)
        return; /* it is counted */
    name(c, record->counter);
    if (is_filtered && !session_filter_chooses(c->session, tp, sample, size_bytes, c->comm)) {
        c->session->counts.filtered++;
        return;
    }
    if (known && known->number && record->counter <= c->limit) {
        put_as_it_is(c, at, record, known);
        return;
    }
    session_date_sample(c->session, sample);
    session_number_sample(sample, tp);
    count_event(c, tp);
    c->is_ours = false;
    session_fail(c->session,
                 session_trace_put_sample(c->session->trace, c->process->number_in_file, sample));
}

static void put_event(struct copying *c, const uint8_t *at, const struct engine_record *record)
{
    struct session_known *known = session_find_known(c->session, c->pool, c->process, record->id);
    struct session_tracepoint *tp = NULL;

    if (known)
        tp = &c->session->tracepoints[known->tracepoint];
    else if (!record->id)
        tp = session_look_up_tracepoint(c->session, c->pool->directory, record->sample_id);
    if (!tp)
        c->session->counts.damaged++;
    else if (!known || !known->number || known->is_filtered || record->counter > c->limit)
        put_expanded(c, at, record, known, tp);
    else
        put_as_it_is(c, at, record, known);
}

/* The end of what was read, or the position after a record. */
static void flush(struct copying *c, bool is_end)
{
    if (c->pool->positions && (is_end || trace_file_copies_are_enough(c->copies)))
        session_resume_position(c->session, c->pool, c->number, c->chunk->sequence, c->position);
    if (is_end && c->is_held)
        session_resume_hold(c->session, c->pool, c->number);
    if (!trace_file_copies_are_enough(c->copies))
        return;
    session_fail(c->session, session_trace_flush(c->session->trace));
    c->is_ours = false;
}

static void copy_rest(struct copying *c, const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        uint32_t unit = c->baseline->unit;
        struct engine_record record;

        if (!engine_record_read(c->baseline, at, (size_t)(end - at), &record)) {
            spoil(c);
            return;
        }
        if (record.payload)
            put_event(c, at, &record);
        else if (!record.is_stack)
            put_control(c, at, record.size_bytes, unit);
        c->stack_bytes = record.is_stack ? record.size_bytes : 0;
        at += record.size_bytes;
        c->position += record.size_bytes;
        if (!record.is_stack)
            flush(c, false);
    }
}

/* ---- chunks ---- */

/* Bytes that are in their place, or nearly. */
static void copy(struct copying *c, const uint8_t *begin, uint32_t size_bytes)
{
    const uint8_t *rest = copy_good(c, begin, size_bytes);
    size_t left = size_bytes - (size_t)(rest - begin);

    c->position += size_bytes - (uint32_t)left;
    if (left) {
        memcpy(c->session->block, rest, left);
        copy_rest(c, c->session->block, c->session->block + left);
    }
}

static uint32_t take(struct copying *c, uint8_t *to)
{
    struct engine_process_pool_reader *reader = &c->pool->reader;

    return c->pool->positions ? engine_process_pool_copy(reader, c->number, to, &c->is_held)
                              : engine_process_pool_take(reader, c->number, to);
}

static void note_last(const struct copying *c)
{
    c->session->last_copied = (struct session_last_copied){
        .piece = c->is_ours ? c->copies->pieces : 0,
        .pool = c->pool,
        .sequence = c->chunk->sequence,
    };
}

uint32_t session_copy_chunk(struct cairn_session *session, struct session_pool *pool,
                            uint32_t chunk)
{
    uint32_t consumed = pool->reader.consumed[chunk];
    struct cairn_chunk descriptor =
        engine_process_pool_copy_chunk(engine_process_pool_chunk(&pool->reader.pool, chunk));
    struct copying c = {
        .session = session,
        .pool = pool,
        .copies = session_trace_copies(session->trace),
        .chunk = &descriptor,
        .number = chunk,
        .position = consumed,
        .baseline = &pool->baselines[chunk],
    };
    uint32_t size_bytes;
    uint8_t *to;

    session_translate_numbers(pool, &descriptor);
    c.process = session_note_process(session, pool, descriptor.pid);
    if (!c.process) {
        session_fail(session, ENOMEM);
        return 0;
    }
    if (!c.process->number_in_file) {
        c.process->number_in_file =
            session_trace_new_process(session->trace, descriptor.pid, pool->directory->container);
        if (pool->namespace_is_ours)
            session_kernel_describe(session, descriptor.pid);
    }
    if (!consumed)
        *c.baseline = (struct engine_baseline){0};
    c.is_ours = continues(&c, consumed);
    if (!c.is_ours)
        trace_file_copies_piece(c.copies, &(struct trace_file_piece_head){0});
    to = trace_file_copies_room(c.copies, session->chunk_bytes);
    size_bytes = take(&c, to ? to : session->block);
    session->taken_ns = os_clock_ns(); /* later than all that was taken */
    set_limit(&c);
    if (to)
        copy(&c, to, size_bytes);
    else
        copy_rest(&c, session->block, session->block + size_bytes);
    flush(&c, true);
    note_last(&c);
    return size_bytes;
}
