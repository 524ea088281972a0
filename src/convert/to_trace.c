/* SPDX-License-Identifier: MIT */
/* perf.data to a trace file: what is constant for the events of a call site becomes a descriptor.
 */
#include "convert/convert.h"
#include "core/slice.h"
#include "decode/eventheader.h"
#include "decode/hash.h"
#include "decode/origin.h"
#include "trace_file/expand.h"
#include "trace_file/pieces.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#define COMMON_BYTES 8u

/* A descriptor that was written, and the bytes of its events before their fields. */
struct known {
    struct cairn_bytes prefix; /* EventHeader and extensions, the activity's ids as zeros */
    uint32_t attr;
    uint32_t number;
    uint32_t flags;
};

/* An attr of the input, with the descriptors of its tracepoint. */
struct attr {
    bool is_known;
    bool is_eventheader;
    uint32_t header_offset;
    uint32_t number;        /* of events without common flags; 0: none yet */
    uint32_t common_number; /* of those with the common fields; 0: none yet */
    const char *format;     /* the text that it was made from */
    struct known *recent;   /* the call site of its last event */
};

struct conversion {
    struct cairn_perf_file *file;
    struct trace_file_writer writer;
    struct trace_file_tables_writer tables;
    struct trace_file_pieces pieces;
    struct attr *attrs;
    uint32_t attr_count;
    struct known **known;
    struct perf_data_map known_of; /* hash of tracepoint and prefix, to the index */
    uint32_t known_count;
    struct perf_data_map process_of; /* pid to the file's number */
    struct perf_data_map name_of;    /* process and thread to the index of its name */
    char (*names)[16];
    uint32_t name_count;
    uint32_t process_count;
    uint32_t last_number; /* of a descriptor */
    struct cairn_bytes prefix;
    struct convert_report *report;
};

/* ---- descriptors ---- */

static int make_attr_space(struct conversion *c, uint32_t index)
{
    uint32_t count = cairn_perf_file_attr_count(c->file);
    void *bigger;

    if (index < c->attr_count)
        return 0;
    bigger = realloc(c->attrs, count * sizeof(*c->attrs));
    if (!bigger)
        return ENOMEM;
    c->attrs = (struct attr *)bigger;
    memset(c->attrs + c->attr_count, 0, (count - c->attr_count) * sizeof(*c->attrs));
    c->attr_count = count;
    return 0;
}

static uint32_t order_flag(const struct conversion *c)
{
    return cairn_perf_file_is_swapped(c->file) ? TRACE_FILE_OTHER_ORDER : 0;
}

/* The file's tracepoint of an attr; flags: TRACE_FILE_HAS_COMMON or 0. Returns its number. */
static uint32_t put_tracepoint(struct conversion *c, const struct cairn_perf_attr *attr,
                               uint32_t flags)
{
    const char *colon = strchr(attr->name, ':');
    struct trace_file_descriptor descriptor = {
        .number = ++c->last_number,
        .kind = TRACE_FILE_TRACEPOINT,
        .flags = (uint8_t)(flags | order_flag(c)),
        .id = (uint32_t)attr->config,
        .long_size_bytes = cairn_perf_file_tracing(c->file)->long_size_bytes,
        .system = attr->system,
        .name = core_slice_of(colon ? colon + 1 : attr->name),
        .format = attr->format,
    };

    if (!descriptor.system.length && colon)
        descriptor.system = (struct cairn_slice){attr->name, (uint32_t)(colon - attr->name)};
    trace_file_put_descriptor(&c->tables, &descriptor);
    return descriptor.number;
}

/* Learns whether a tracepoint's events are EventHeader events, and where they begin. */
static int describe(struct conversion *c, const struct cairn_perf_attr *attr, struct attr *own)
{
    struct cairn_decoder_format format = {
        .text = attr->format,
        .long_size_bytes = cairn_perf_file_tracing(c->file)->long_size_bytes,
        .swap = cairn_perf_file_is_swapped(c->file),
    };
    struct decode_origin origin = {0};
    int err = decode_origin_open(&format, &origin);

    *own = (struct attr){.is_known = true, .format = attr->format.text};
    own->is_eventheader = !err && origin.is_eventheader;
    own->header_offset = origin.header_offset;
    if (!err)
        decode_origin_close(&origin);
    return err == EBADMSG ? 0 : err;
}

static int find_attr(struct conversion *c, const struct cairn_perf_attr *attr,
                     struct attr **ret_attr)
{
    int err = make_attr_space(c, attr->index);

    *ret_attr = err ? NULL : &c->attrs[attr->index];
    if (!err && (!(*ret_attr)->is_known || (*ret_attr)->format != attr->format.text))
        err = describe(c, attr, *ret_attr); /* in a stream the format may come late */
    return err;
}

/* ---- EventHeader events ---- */

static uint32_t flags_of(const struct decode_eventheader_parts *parts)
{
    return (parts->activity_id ? TRACE_FILE_HAS_ACTIVITY : 0) |
           (parts->related_id ? TRACE_FILE_HAS_RELATED : 0);
}

/* An event's bytes before its fields, as trace_file_expand will make them. */
static bool make_prefix(struct conversion *c, const struct decode_eventheader_parts *parts)
{
    static const uint8_t no_ids[2 * CAIRN_ACTIVITY_ID_BYTES];
    uint32_t activity_bytes = trace_file_activity_bytes(flags_of(parts));
    const void *activity = parts->activity_id;
    struct cairn_slice metadata = {(const char *)parts->metadata, parts->metadata_bytes};
    size_t size = (size_t)(parts->data - parts->bytes);

    if (!parts->metadata)
        return false;
    c->prefix.size = 0;
    trace_file_put_eventheader(&c->prefix, parts->bytes, metadata, activity, activity_bytes);
    if (c->prefix.error || c->prefix.size != size ||
        memcmp(c->prefix.data, parts->bytes, size) != 0)
        return false;
    if (activity_bytes)
        memcpy(c->prefix.data + (parts->activity_id - parts->bytes), no_ids, activity_bytes);
    return true;
}

static bool is_same(const struct known *known, uint32_t attr, const struct cairn_bytes *prefix)
{
    return known->attr == attr && known->prefix.size == prefix->size &&
           !memcmp(known->prefix.data, prefix->data, prefix->size);
}

static int add_known(struct conversion *c, uint64_t hash, uint32_t attr, uint32_t tracepoint,
                     const struct decode_eventheader_parts *parts, struct known **ret_known)
{
    struct trace_file_descriptor of_tracepoint = {.number = tracepoint};
    struct trace_file_descriptor descriptor = {
        .number = c->last_number + 1,
        .kind = TRACE_FILE_EVENTHEADER,
        .flags = (uint8_t)(flags_of(parts) | order_flag(c)),
        .tracepoint = &of_tracepoint,
        .metadata = {(const char *)parts->metadata, parts->metadata_bytes},
        .file = {"", 0},
        .function = {"", 0},
    };
    struct known *known = (struct known *)calloc(1, sizeof(*known));
    int err = known ? perf_data_array_grow((void ***)&c->known, c->known_count) : ENOMEM;

    if (!err)
        err = perf_data_map_set(&c->known_of, hash, c->known_count);
    if (err) {
        free(known);
        return err;
    }
    memcpy(descriptor.header, parts->bytes, sizeof(descriptor.header));
    trace_file_put_descriptor(&c->tables, &descriptor);
    *known = (struct known){.attr = attr, .number = descriptor.number, .flags = descriptor.flags};
    perf_data_bytes_put(&known->prefix, c->prefix.data, c->prefix.size);
    c->last_number++;
    c->known[c->known_count++] = known;
    *ret_known = known;
    return known->prefix.error;
}

/* Finds or makes the descriptor of the call site. *ret_known is NULL if another has its hash. */
static int find_known(struct conversion *c, struct attr *own, const struct cairn_perf_attr *attr,
                      const struct decode_eventheader_parts *parts, struct known **ret_known)
{
    uint64_t hash;
    uint32_t index;

    *ret_known = own->recent;
    if (own->recent && is_same(own->recent, attr->index, &c->prefix))
        return 0;
    hash = decode_hash(c->prefix.data, c->prefix.size, attr->index);
    index = perf_data_map_get(&c->known_of, hash);
    if (index != PERF_DATA_MAP_NONE) {
        *ret_known = is_same(c->known[index], attr->index, &c->prefix) ? c->known[index] : NULL;
        return 0;
    }
    if (!own->number)
        own->number = put_tracepoint(c, attr, 0);
    return add_known(c, hash, attr->index, own->number, parts, ret_known);
}

/* ---- processes and names ---- */

static int find_process(struct conversion *c, uint32_t pid, uint32_t *ret_number)
{
    uint32_t number = perf_data_map_get(&c->process_of, pid);
    int err = 0;

    if (number == PERF_DATA_MAP_NONE) {
        number = ++c->process_count;
        err = perf_data_map_set(&c->process_of, pid, number);
        trace_file_put_process(&c->tables,
                               &(struct trace_file_process){.number = number, .pid = pid});
    }
    *ret_number = number;
    return err;
}

static int make_name_space(struct conversion *c)
{
    void *bigger;

    if (c->name_count & (c->name_count - 1))
        return 0;
    bigger = realloc(c->names, (c->name_count ? 2 * (size_t)c->name_count : 1) * sizeof(*c->names));
    if (!bigger)
        return ENOMEM;
    c->names = (char(*)[16])bigger;
    return 0;
}

/* Writes a thread's name if it is not the one that was written last. */
static int note_name(struct conversion *c, const struct trace_file_origin *origin)
{
    uint64_t key = (uint64_t)origin->process << 32 | origin->tid;
    const char *name = cairn_perf_file_comm(c->file, origin->tid);
    uint32_t index = perf_data_map_get(&c->name_of, key);
    int err = 0;

    if (!name ||
        (index != PERF_DATA_MAP_NONE && !strncmp(c->names[index], name, sizeof(*c->names))))
        return 0;
    if (index == PERF_DATA_MAP_NONE) {
        index = c->name_count;
        err = make_name_space(c);
        err = err ? err : perf_data_map_set(&c->name_of, key, index);
        if (err)
            return err;
        c->name_count++;
    }
    strncpy(c->names[index], name, sizeof(*c->names));
    trace_file_put_name(&c->tables, &(struct trace_file_name){.time_ns = origin->time_ns,
                                                              .process = origin->process,
                                                              .tid = origin->tid,
                                                              .text = name});
    return 0;
}

/* ---- events ---- */

/* True if the common fields are what trace_file_expand makes: the id, zeros, the thread. */
static bool is_common_plain(const struct conversion *c, const struct cairn_perf_sample *sample)
{
    bool swap = cairn_perf_file_is_swapped(c->file);

    return sample->raw_size_bytes >= COMMON_BYTES &&
           core_load16(sample->raw, swap) == (uint16_t)sample->attr->config &&
           !core_load16(sample->raw + 2, swap) && core_load32(sample->raw + 4, swap) == sample->tid;
}

static int add_verbatim(struct conversion *c, struct attr *own,
                        const struct cairn_perf_sample *sample, struct trace_file_origin *origin)
{
    bool is_plain = is_common_plain(c, sample);
    uint32_t *number = is_plain ? &own->number : &own->common_number;
    uint32_t skipped = is_plain ? COMMON_BYTES : 0;
    struct iovec part = {(void *)(uintptr_t)(sample->raw + skipped),
                         sample->raw_size_bytes - skipped};

    if (!*number)
        *number = put_tracepoint(c, sample->attr, is_plain ? 0 : TRACE_FILE_HAS_COMMON);
    origin->descriptor = *number;
    return trace_file_pieces_add(&c->pieces, origin, &part, 1);
}

static int add_event(struct conversion *c, struct attr *own, const struct cairn_perf_sample *sample,
                     struct trace_file_origin *origin)
{
    struct decode_eventheader_parts parts;
    struct known *known = NULL;
    struct iovec fields[2];
    int err = 0;

    if (own->is_eventheader && own->header_offset == COMMON_BYTES && is_common_plain(c, sample) &&
        !decode_eventheader_parse(sample->raw + COMMON_BYTES, sample->raw_size_bytes - COMMON_BYTES,
                                  &parts) &&
        make_prefix(c, &parts))
        err = find_known(c, own, sample->attr, &parts, &known);
    if (err || !known)
        return err ? err : add_verbatim(c, own, sample, origin);
    own->recent = known;
    origin->descriptor = known->number;
    fields[0] = (struct iovec){(void *)(uintptr_t)parts.activity_id,
                               trace_file_activity_bytes(known->flags)};
    fields[1] = (struct iovec){(void *)(uintptr_t)parts.data, parts.data_bytes};
    return trace_file_pieces_add(&c->pieces, origin, fields, 2);
}

/* Counts what a trace file has no place for. */
static void note_reductions(struct conversion *c, const struct cairn_perf_sample *sample)
{
    const uint64_t kept = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
                          PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN;

    c->report->stacks += sample->callchain_count != 0;
    if (sample->attr->sample_type & ~kept)
        c->report->is_reduced = true;
}

static int convert_sample(struct conversion *c, const struct cairn_perf_record *record)
{
    struct cairn_perf_sample sample;
    struct trace_file_origin origin;
    struct attr *own;
    int err;

    if (cairn_perf_sample_parse(c->file, record, &sample)) {
        c->report->unreadable++;
        return 0;
    }
    if (sample.attr->type != CAIRN_PERF_TYPE_TRACEPOINT || !sample.raw) {
        c->report->no_tracepoints++;
        return 0;
    }
    origin = (struct trace_file_origin){
        .tid = sample.tid,
        .cpu = sample.attr->sample_type & PERF_SAMPLE_CPU ? sample.cpu : TRACE_FILE_CPU_UNKNOWN,
        .time_ns = sample.time_ns,
    };
    note_reductions(c, &sample);
    err = find_attr(c, sample.attr, &own);
    err = err ? err : find_process(c, sample.pid, &origin.process);
    err = err ? err : note_name(c, &origin);
    err = err ? err : add_event(c, own, &sample, &origin);
    c->report->events += !err;
    return err;
}

static void put_clock(struct conversion *c)
{
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(c->file);

    trace_file_put_clock(&c->tables,
                         &(struct trace_file_clock_pair){
                             .counter_kind = TRACE_FILE_COUNTER_NS,
                             .clockid = clock->clockid,
                             .counter = clock->time_ns,
                             .time_ns = clock->time_ns,
                             .wall_ns = clock->wall_clock_known ? clock->wall_clock_ns : 0,
                             .resolution_ns = clock->resolution_ns,
                         });
}

/* Facts of a stream come before its samples. */
static void put_facts(struct conversion *c)
{
    trace_file_put_host(&c->tables, cairn_perf_file_host(c->file));
    put_clock(c);
}

static bool is_metadata(uint32_t type)
{
    return type == CAIRN_PERF_RECORD_COMM || type == CAIRN_PERF_RECORD_FORK ||
           type == CAIRN_PERF_RECORD_LOST || type == CAIRN_PERF_RECORD_LOST_SAMPLES ||
           type >= CAIRN_PERF_RECORD_USER_FIRST;
}

/* Returns the first error of reading; *ret_err is that of writing. */
static int convert_records(struct conversion *c, int *ret_err)
{
    bool is_begun = false;

    *ret_err = 0;
    for (;;) {
        struct cairn_perf_record record;
        int err = cairn_perf_file_next_ordered(c->file, &record);

        if (err)
            return err == ENODATA ? 0 : err;
        if (record.type == CAIRN_PERF_RECORD_SAMPLE) {
            if (!is_begun)
                put_facts(c);
            is_begun = true;
            *ret_err = convert_sample(c, &record);
        } else if (!is_metadata(record.type)) {
            c->report->records++;
        }
        if (*ret_err)
            return 0;
    }
}

static void report_losses(struct conversion *c)
{
    const struct cairn_perf_counts *counts = cairn_perf_file_counts(c->file);
    uint64_t known = 0;

    c->report->lost = counts->lost_events + counts->lost_samples;
    c->report->missing = *cairn_perf_file_missing(c->file);
    for (size_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        known += c->report->missing.lost[cause];
    if (known < c->report->lost) /* another recorder's losses have no causes */
        c->report->missing.lost[CAIRN_LOSS_OTHER] += c->report->lost - known;
    trace_file_put_missing(&c->tables, &c->report->missing);
}

static void free_conversion(struct conversion *c)
{
    for (uint32_t n = 0; n < c->known_count; n++) {
        perf_data_bytes_free(&c->known[n]->prefix);
        free(c->known[n]);
    }
    trace_file_pieces_free(&c->pieces);
    trace_file_tables_writer_free(&c->tables);
    trace_file_writer_free(&c->writer);
    perf_data_map_free(&c->known_of);
    perf_data_map_free(&c->process_of);
    perf_data_map_free(&c->name_of);
    perf_data_bytes_free(&c->prefix);
    free(c->known);
    free(c->attrs);
    free(c->names);
}

int convert_to_trace(const char *path, int fd, int level, struct convert_report *ret_report)
{
    struct conversion c = {.report = ret_report};
    int read_err;
    int err;

    *ret_report = (struct convert_report){0};
    err = cairn_perf_file_open(path, &ret_report->error, &c.file);
    if (err)
        return err;
    err = trace_file_writer_begin(&c.writer, fd, level);
    if (!err) {
        trace_file_pieces_begin(&c.pieces, &c.writer, &c.tables);
        read_err = convert_records(&c, &err);
        report_losses(&c);
        if (read_err)
            ret_report->error = *cairn_perf_file_error(c.file);
        err = err ? err : trace_file_pieces_flush(&c.pieces);
        err = err ? err : trace_file_writer_finish(&c.writer);
        err = err ? err : read_err;
    }
    free_conversion(&c);
    cairn_perf_file_close(c.file);
    return err;
}
