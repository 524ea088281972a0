/* SPDX-License-Identifier: MIT */
/* A reader's events from a trace file. */
#include "decode/reader.h"
#include "decode/tracepoint_name.h"
#include "trace_file/count.h"
#include "trace_file/expand.h"
#include "trace_file/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Facts from an event about the next ones of its piece: these differ in payload and time only. */
struct alike {
    const struct trace_file_descriptor *descriptor; /* NULL: nothing */
    uint64_t turns;                                 /* of the reader: after another one, nothing */
    uint64_t first_ns;                              /* the times for which it is true */
    uint64_t last_ns;
    uint32_t cpu;
};

/* Events of merged recordings alternate between domains: each has the time of day of its own. */
#define DAYS 16u

struct decode_reader_trace {
    struct trace_file_reader reader;
    uint32_t *tracepoints; /* the decoder's number of each descriptor's tracepoint, plus 1 */
    uint32_t tracepoint_count;
    decode_reader_wants_fn *wants; /* NULL: events of all types are wanted */
    void *wants_context;
    struct trace_file_day days[DAYS];      /* by domain, modulo their number */
    const struct trace_file_day *day;      /* of the event that was read last */
    struct alike last;                     /* the same */
    struct cairn_reader_name_count *names; /* that were counted last */
    struct perf_data_arena name_texts;
};

/* ---- opening ---- */

static int fail(int err, const struct cairn_perf_error *error, struct cairn_perf_error *ret_error)
{
    if (ret_error) {
        *ret_error = *error;
        ret_error->code = err;
    }
    return err;
}

/* Blocks without events of the range are not read. */
static int limit(struct cairn_reader *reader)
{
    if (!reader->has_range)
        return 0;
    return trace_file_reader_set_range(&reader->trace->reader, reader->range.since_ns,
                                       reader->range.until_ns);
}

int decode_reader_open_trace(const char *name, const struct cairn_reader_options *options,
                             struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct decode_reader_trace *trace = (struct decode_reader_trace *)calloc(1, sizeof(*trace));
    int err;

    if (!trace) {
        perf_data_source_close(source, pool);
        perf_data_block_pool_free(pool);
        return fail(ENOMEM, &(struct cairn_perf_error){0}, ret_error);
    }
    err = trace_file_reader_begin(&trace->reader, source, pool);
    if (!err)
        err = decode_reader_create(name, options, ret_reader);
    if (err) {
        fail(err, &trace->reader.blocks.error, ret_error);
        decode_reader_close_trace(trace);
        return err;
    }
    trace->reader.with_others = true;
    trace->reader.without_switches = !(*ret_reader)->with_switches;
    (*ret_reader)->trace = trace;
    err = limit(*ret_reader);
    if (err)
        cairn_reader_close(*ret_reader);
    return err;
}

void decode_reader_close_trace(struct decode_reader_trace *trace)
{
    if (!trace)
        return;
    trace_file_reader_end(&trace->reader);
    free(trace->tracepoints);
    perf_data_arena_free(&trace->name_texts);
    free(trace->names);
    free(trace);
}

/* ---- tracepoints ---- */

static int make_space(struct decode_reader_trace *trace, uint32_t least)
{
    uint32_t known = trace->reader.tables.descriptor_count;
    uint32_t count = known > least ? known : least;
    void *bigger = realloc(trace->tracepoints, count * sizeof(*trace->tracepoints));

    if (!bigger)
        return ENOMEM;
    trace->tracepoints = (uint32_t *)bigger;
    memset(trace->tracepoints + trace->tracepoint_count, 0,
           (count - trace->tracepoint_count) * sizeof(*trace->tracepoints));
    trace->tracepoint_count = count;
    return 0;
}

static int describe(struct cairn_reader *reader, const struct trace_file_descriptor *tracepoint,
                    uint32_t *ret_number)
{
    struct cairn_decoder_format format = {
        .system = tracepoint->system,
        .name = tracepoint->name,
        .text = tracepoint->format,
        .long_size_bytes = tracepoint->long_size_bytes,
        .swap = reader->trace->reader.blocks.swap !=
                ((tracepoint->flags & TRACE_FILE_OTHER_ORDER) != 0),
    };
    int err;

    decode_kernel_note_tables(reader->decoder, reader->trace->reader.tables.kernel_strings,
                              (struct cairn_slice){0});
    err = cairn_decoder_add(reader->decoder, &format, ret_number);
    if (err == EBADMSG) { /* show its bytes */
        format.text.length = 0;
        err = cairn_decoder_add(reader->decoder, &format, ret_number);
    }
    return err;
}

int decode_reader_tracepoint_of_trace(struct cairn_reader *reader,
                                      const struct trace_file_descriptor *tracepoint,
                                      uint32_t *ret_number)
{
    struct decode_reader_trace *trace = reader->trace;
    int err = 0;

    if (tracepoint->index >= trace->tracepoint_count)
        err = make_space(trace, tracepoint->index + 1);
    if (!err && !trace->tracepoints[tracepoint->index]) {
        err = describe(reader, tracepoint, ret_number);
        if (!err)
            trace->tracepoints[tracepoint->index] = *ret_number + 1;
    }
    if (!err)
        *ret_number = trace->tracepoints[tracepoint->index] - 1;
    return err;
}

/* ---- events ---- */

/* The decoder's number of an event's tracepoint. Returns 0; ENOENT there is none; ENOMEM. */
static __attribute__((noinline)) int find_tracepoint(struct cairn_reader *reader,
                                                     const struct trace_file_descriptor *descriptor,
                                                     uint32_t *ret_number)
{
    struct decode_reader_trace *trace = reader->trace;
    const struct trace_file_descriptor *tracepoint = trace_file_tracepoint_of(descriptor);
    int err =
        tracepoint ? decode_reader_tracepoint_of_trace(reader, tracepoint, ret_number) : ENOENT;

    if (!err && descriptor->index >= trace->tracepoint_count)
        err = make_space(trace, descriptor->index + 1);
    if (!err)
        trace->tracepoints[descriptor->index] = *ret_number + 1;
    return err;
}

static inline int tracepoint_of(struct cairn_reader *reader,
                                const struct trace_file_descriptor *descriptor,
                                uint32_t *ret_number)
{
    const struct decode_reader_trace *trace = reader->trace;

    if (cairn_likely(descriptor->index < trace->tracepoint_count &&
                     trace->tracepoints[descriptor->index])) {
        *ret_number = trace->tracepoints[descriptor->index] - 1;
        return 0;
    }
    return find_tracepoint(reader, descriptor, ret_number);
}

/* While the reader returns events of one piece, no table changes. */
static inline bool is_alike(const struct decode_reader_trace *trace,
                            const struct trace_file_event *from)
{
    const struct alike *last = &trace->last;

    return last->descriptor == from->descriptor && last->turns == trace->reader.turns &&
           last->cpu == from->cpu && from->time_ns >= last->first_ns &&
           from->time_ns <= last->last_ns && !from->callchain_count;
}

static void note_alike(struct decode_reader_trace *trace, const struct trace_file_event *from,
                       bool with_comm)
{
    const struct trace_file_recent_name *name = &trace->reader.tables.recent_name;
    uint64_t last_ns = trace->day->last_ns;

    if (with_comm && name->until_ns <= last_ns)
        last_ns = name->until_ns ? name->until_ns - 1 : 0;
    trace->last = (struct alike){
        .descriptor = from->callchain_count || from->perf ? NULL : from->descriptor,
        .turns = trace->reader.turns,
        .first_ns = from->time_ns,
        .last_ns = last_ns,
        .cpu = from->cpu,
    };
}

static void set_wall(struct decode_reader_trace *trace, const struct trace_file_event *from,
                     struct cairn_event *event)
{
    struct trace_file_day *day = &trace->days[from->domain % DAYS];

    if (trace_file_clocks_wall(&trace->reader.tables.clocks, from->domain, from->time_ns, day,
                               &event->wall_ns))
        event->has |= CAIRN_EVENT_WALL;
    trace->day = day;
}

/* Returns 0; ENOENT, EBADMSG the event cannot be decoded; ENOMEM. */
static __attribute__((noinline)) int fill_unlike(struct cairn_reader *reader,
                                                 const struct trace_file_event *from)
{
    struct decode_reader_trace *trace = reader->trace;
    struct cairn_event *event = &reader->event;
    uint32_t number;
    int err = tracepoint_of(reader, from->descriptor, &number);

    if (!err && from->payload_bytes < trace_file_payload_least(from->descriptor))
        err = EBADMSG;
    if (err)
        return err;
    reader->record = (struct decode_record){
        .tracepoint = number,
        .descriptor = from->descriptor,
        .bytes = from->payload,
        .size_bytes = from->payload_bytes,
        .swap = trace->reader.blocks.swap,
    };
    event->has = CAIRN_EVENT_TIME | CAIRN_EVENT_TID;
    if (from->cpu != TRACE_FILE_CPU_UNKNOWN)
        event->has |= CAIRN_EVENT_CPU;
    event->cpu = from->cpu;
    event->pid = from->pid;
    event->tid = from->tid;
    event->time_ns = from->time_ns;
    set_wall(trace, from, event);
    decode_stacks_set(&reader->stacks, from->callchain, from->callchain_count,
                      trace->reader.blocks.swap, event);
    event->comm = reader->with_comm ? trace_file_reader_name(&trace->reader, from) : NULL;
    event->container = from->process ? from->process->container : NULL;
    reader->position.offset = from->offset;
    note_alike(trace, from, reader->with_comm);
    return 0;
}

static inline int fill_event(struct cairn_reader *reader, const struct trace_file_event *from)
{
    struct decode_reader_trace *trace = reader->trace;

    if (cairn_unlikely(!is_alike(trace, from)) ||
        from->payload_bytes < trace_file_payload_least(from->descriptor))
        return fill_unlike(reader, from);
    reader->record.bytes = from->payload;
    reader->record.size_bytes = from->payload_bytes;
    reader->event.time_ns = from->time_ns;
    reader->event.wall_ns = from->time_ns + trace->day->shift_ns;
    return 0;
}

/* Switches of earlier ranges are read, too. Returns 0; ENOENT it is no record of a switch; ENOMEM.
 */
static int fill_switch(struct cairn_reader *reader, const struct trace_file_event *from)
{
    struct decode_reader_trace *trace = reader->trace;
    const struct trace_file_perf_record *record = from->perf;
    struct trace_file_event named = *from;
    struct cairn_event *event = &reader->event;
    bool swap = trace->reader.blocks.swap;
    int err;

    if (!reader->with_switches || !record->attr ||
        (trace->reader.is_range && from->time_ns < trace->reader.since_ns))
        return ENOENT;
    err =
        decode_switches_fill(reader, &record->attr->layout, record->data, record->size_bytes, swap);
    if (err)
        return err;
    event->time_ns = from->time_ns;
    set_wall(trace, from, event);
    decode_stacks_set(&reader->stacks, NULL, 0, swap, event);
    named.tid = event->tid;
    event->comm = trace_file_reader_name(&trace->reader, &named); /* nothing else has it */
    event->container = NULL;
    reader->position.offset = from->offset;
    return 0;
}

int decode_reader_take_of_trace(struct cairn_reader *reader)
{
    const struct trace_file_event *event;
    int err;

    do {
        err = trace_file_reader_take(&reader->trace->reader, &event);
        if (err)
            return err;
        if (!event->descriptor) {
            err = fill_switch(reader, event);
            if (err != ENOENT)
                return err;
            err = decode_reader_note(reader, event->perf->data, event->perf->size_bytes,
                                     reader->trace->reader.blocks.swap);
            continue;
        }
        err = fill_event(reader, event);
        if (err == ENOENT || err == EBADMSG)
            reader->trace->reader.unreadable++;
    } while (err == ENOENT || err == EBADMSG || (!err && !event->descriptor));
    return err;
}

const struct trace_file_blocks *decode_reader_blocks_of_trace(const struct cairn_reader *reader)
{
    return &reader->trace->reader.blocks;
}

const struct trace_file_tables *decode_reader_tables_of_trace(const struct cairn_reader *reader)
{
    return &reader->trace->reader.tables;
}

/* ---- choosing ---- */

/* Events of a tracepoint of EventHeader that are stored as they were written have types of their
 * own: they are decided on one by one. */
static bool has_one_type(const struct trace_file_descriptor *descriptor)
{
    struct decode_tracepoint_name parts;

    return descriptor->kind == TRACE_FILE_EVENTHEADER ||
           decode_tracepoint_name_parse(descriptor->name, &parts) != 0;
}

static bool wants(void *context, const struct trace_file_descriptor *descriptor)
{
    struct cairn_reader *reader = (struct cairn_reader *)context;
    const struct cairn_event_type *type;

    return !has_one_type(descriptor) || decode_reader_type_of(reader, descriptor, &type) ||
           reader->trace->wants(reader->trace->wants_context, type);
}

int decode_reader_choose(struct cairn_reader *reader, decode_reader_wants_fn *fn, void *context)
{
    struct decode_reader_trace *trace = reader->trace;

    if (!trace)
        return 0;
    trace->wants = fn;
    trace->wants_context = context;
    trace->reader.wants = wants;
    trace->reader.wants_context = reader;
    if (!trace->reader.blocks.source.map || trace->reader.is_range)
        return 0;
    return trace_file_reader_set_range(&trace->reader, 0, UINT64_MAX); /* by the index */
}

/* ---- parts ---- */

int decode_reader_divide(struct cairn_reader *reader, bool *ret_is_divided)
{
    struct decode_reader_trace *trace = reader->trace;
    int err;

    *ret_is_divided = false;
    if (reader->session || reader->position.event || reader->end)
        return EINVAL;
    if (!trace || !trace->reader.blocks.source.map)
        return 0;
    err =
        trace_file_reader_set_range(&trace->reader, reader->range.since_ns, reader->range.until_ns);
    *ret_is_divided = trace->reader.index.count != 0;
    return err;
}

void decode_reader_begin_parts(struct cairn_reader *reader, struct trace_file_parts *ret_parts)
{
    trace_file_parts_begin(ret_parts, &reader->trace->reader);
}

int decode_reader_end_parts(struct cairn_reader *reader, int err)
{
    int damage = reader->trace->reader.blocks.error.code;

    return decode_reader_end(reader, err == ENODATA && damage ? damage : err);
}

int decode_reader_open_part(struct cairn_reader *whole, struct cairn_reader **ret_part)
{
    const struct cairn_reader_options options = {
        .without_comm = !whole->with_comm,
        .without_raw = whole->records.without_raw,
        .with_switches = whole->with_switches,
    };
    struct perf_data_source source = perf_data_source_borrow(&whole->trace->reader.blocks.source);
    struct perf_data_block_pool pool = {0};
    int err = decode_reader_open_trace(whole->name, &options, &source, &pool, NULL, ret_part);

    if (err)
        return err;
    (*ret_part)->has_range = whole->has_range;
    (*ret_part)->range = whole->range;
    if (whole->trace->wants)
        err = decode_reader_choose(*ret_part, whole->trace->wants, whole->trace->wants_context);
    if (err) {
        cairn_reader_close(*ret_part);
        *ret_part = NULL;
    }
    return err;
}

int decode_reader_set_part(struct cairn_reader *part, const struct trace_file_range *range)
{
    struct trace_file_reader *reader = &part->trace->reader;
    int err = trace_file_reader_set_range(reader, range->since_ns, range->until_ns);

    part->end = 0;
    if (!err && range->end_entry)
        trace_file_reader_set_entries(reader, range->first_entry, range->end_entry);
    return err;
}

bool decode_reader_has_wrong_index(const struct cairn_reader *part)
{
    return part->trace->reader.is_index_wrong;
}

/* True if damage is reported instead of another reader's. */
static bool is_before(const struct trace_file_reader *a, const struct trace_file_reader *b)
{
    if (a->lacks_clocks != b->lacks_clocks)
        return a->lacks_clocks;
    return !b->blocks.error.code || a->blocks.error.offset < b->blocks.error.offset;
}

/* All parts have the same tables, and find the same damage in them. */
void decode_reader_add_part(struct cairn_reader *whole, const struct cairn_reader *part)
{
    struct trace_file_reader *to = &whole->trace->reader;
    const struct trace_file_reader *from = &part->trace->reader;
    struct cairn_perf_error *error = &to->blocks.error;

    whole->position.event += part->position.event;
    whole->out_of_range += part->out_of_range;
    whole->counts.undated += part->counts.undated;
    to->unreadable += from->unreadable;
    to->lost_in_records += from->lost_in_records;
    if (from->blocks.error.code && is_before(from, to))
        *error = from->blocks.error;
    to->lacks_clocks |= from->lacks_clocks;
}

/* ---- counts by name ---- */

static const char *name_of(struct perf_data_arena *arena,
                           const struct trace_file_descriptor *descriptor)
{
    const struct trace_file_descriptor *tracepoint = trace_file_tracepoint_of(descriptor);
    struct decode_tracepoint_name parts;
    struct cairn_slice first;
    struct cairn_slice second;
    char *text;

    if (!tracepoint)
        return "unknown";
    first = tracepoint->system;
    second = tracepoint->name;
    if (descriptor->kind == TRACE_FILE_EVENTHEADER &&
        !decode_tracepoint_name_parse(tracepoint->name, &parts)) {
        first = parts.provider;
        second = descriptor->metadata;
        second.length = (uint32_t)strnlen(second.text, second.length);
        second = decode_name_without_attributes(second);
    }
    text = (char *)perf_data_arena_alloc(arena, (size_t)first.length + second.length + 2);
    if (text) {
        memcpy(text, first.text, first.length);
        text[first.length] = ':';
        memcpy(text + first.length + 1, second.text, second.length);
        text[first.length + 1 + second.length] = '\0';
    }
    return text;
}

static int by_name(const void *a, const void *b)
{
    const struct cairn_reader_name_count *x = (const struct cairn_reader_name_count *)a;
    const struct cairn_reader_name_count *y = (const struct cairn_reader_name_count *)b;

    return strcmp(x->name, y->name);
}

/* Adds up what has equal names. Returns how many there are. */
static size_t merge_names(struct cairn_reader_name_count *names, size_t count)
{
    size_t kept = 0;

    qsort(names, count, sizeof(*names), by_name);
    for (size_t n = 0; n < count; n++) {
        if (kept && !strcmp(names[kept - 1].name, names[n].name))
            names[kept - 1].events += names[n].events;
        else
            names[kept++] = names[n];
    }
    return kept;
}

int cairn_reader_count_names(struct cairn_reader *reader,
                             const struct cairn_reader_name_count **ret_counts, size_t *ret_count)
{
    struct decode_reader_trace *trace = reader->trace;
    struct trace_file_counts counts = {0};
    size_t count = 0;
    int err;

    if (!trace || !trace->reader.blocks.source.map)
        return EINVAL;
    err = trace_file_count(&trace->reader.blocks, &counts);
    free(trace->names);
    trace->names = (struct cairn_reader_name_count *)calloc(
        (size_t)counts.tables.descriptor_count + 1, sizeof(*trace->names));
    if (!trace->names)
        err = ENOMEM;
    for (uint32_t n = 0; n < counts.tables.descriptor_count && (!err || err == EBADMSG); n++) {
        const char *name = name_of(&trace->name_texts, counts.tables.descriptors[n]);

        if (!name)
            err = ENOMEM;
        else if (counts.events[n])
            trace->names[count++] = (struct cairn_reader_name_count){name, counts.events[n]};
    }
    trace_file_counts_free(&counts);
    if (!err || err == EBADMSG) {
        *ret_count = merge_names(trace->names, count);
        *ret_counts = trace->names;
    }
    return err;
}

/* ---- state ---- */

void decode_reader_count_trace(struct cairn_reader *reader)
{
    const struct trace_file_reader *trace = &reader->trace->reader;

    reader->counts.unreadable = trace->unreadable;
    reader->counts.lost = trace_file_reader_lost(trace);
    reader->counts.missing = trace->tables.missing;
}

const struct cairn_perf_error *decode_reader_error_of_trace(const struct cairn_reader *reader)
{
    return &reader->trace->reader.blocks.error;
}
