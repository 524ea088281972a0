/* SPDX-License-Identifier: MIT */
/* A recorder's trace file: its tables, and the blocks with records. */
#include "session/sink_trace.h"
#include "core/slice.h"
#include "perf_data/arena.h"
#include "perf_data/host.h"
#include "session/resume.h"
#include "trace_file/eventheader.h"
#include "trace_file/kept.h"
#include "trace_file/samples.h"

#include <cairn/record.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LEVEL_MAX 19

/* A record that is made visible later than this after its time is read late. */
#define LATE_NS UINT64_C(1000000000)

/* A line of the counter that the file does not have yet, and the time of day where it begins. */
struct pending_line {
    struct engine_clock_line line;
    uint64_t wall_ns;
    uint64_t resolution_ns;
};

#define PENDING_MAX 64u

/* The clock whose counters the file can convert. */
enum clock_kind {
    CLOCK_UNKNOWN, /* no event was written yet */
    CLOCK_TICKS,   /* those of the processor */
    CLOCK_NS,      /* none but ns */
};

struct session_trace {
    struct session_sink sink;          /* first */
    struct trace_file_samples samples; /* the tables; no samples are gathered */
    struct trace_file_copies copies;
    struct trace_file_kept kept; /* instead of a file */
    bool is_flight;
    struct trace_file_perf_writer perf; /* the kernel's records */
    struct pending_line lines[PENDING_MAX];
    uint32_t line_count;
    uint32_t domain; /* of the counter: another one each time it begins anew */
    enum clock_kind clock;
    struct perf_data_arena texts;
    struct trace_file_sample_type **types;
    uint32_t type_count;
    struct perf_data_map type_of; /* sample id to index */
    struct trace_file_sample_type *recent;
    uint64_t recent_id;
    struct session_resume *resume; /* or NULL */
    int error;
};

static struct session_trace *trace_of(struct session_sink *sink)
{
    return (struct session_trace *)sink;
}

/* Stores the first failure. */
static int set_error(struct session_trace *trace, int error)
{
    if (error && !trace->error)
        trace->error = error;
    return trace->error;
}

/* ---- tracepoints ---- */

static int copy_text(struct session_trace *trace, const char *text, size_t length,
                     struct cairn_slice *ret_text)
{
    *ret_text =
        (struct cairn_slice){perf_data_arena_text(&trace->texts, text, length), (uint32_t)length};
    return ret_text->text ? 0 : ENOMEM;
}

static int describe(struct session_trace *trace, const struct cairn_perf_tracepoint *tracepoint,
                    struct trace_file_sample_type *type)
{
    struct trace_file_descriptor descriptor = {
        .kind = TRACE_FILE_TRACEPOINT,
        .id = tracepoint->id,
        .long_size_bytes = sizeof(long),
    };
    int error =
        copy_text(trace, tracepoint->system, strlen(tracepoint->system), &descriptor.system);

    error = error ? error
                  : copy_text(trace, tracepoint->name, strlen(tracepoint->name), &descriptor.name);
    error =
        error ? error
              : copy_text(trace, tracepoint->format, tracepoint->format_bytes, &descriptor.format);
    if (!error)
        trace_file_sample_type_set(type, &descriptor);
    return error;
}

static int add_tracepoint(struct session_sink *sink, const struct cairn_perf_tracepoint *tracepoint)
{
    struct session_trace *trace = trace_of(sink);
    struct trace_file_sample_type *type = perf_data_arena_alloc(&trace->texts, sizeof(*type));
    int error = type ? perf_data_array_grow((void ***)&trace->types, trace->type_count) : ENOMEM;

    error = error ? error : describe(trace, tracepoint, type);
    for (size_t n = 0; n < tracepoint->sample_id_count && !error; n++)
        error = perf_data_map_set(&trace->type_of, tracepoint->sample_ids[n], trace->type_count);
    if (error)
        return error;
    trace->types[trace->type_count++] = type;
    trace->recent = NULL;
    return 0;
}

static struct trace_file_sample_type *find_type(struct session_trace *trace, uint64_t id)
{
    uint32_t index;

    if (trace->recent && trace->recent_id == id)
        return trace->recent;
    index = perf_data_map_get(&trace->type_of, id);
    if (index == PERF_DATA_MAP_NONE)
        return NULL;
    trace->recent = trace->types[index];
    trace->recent_id = id;
    return trace->recent;
}

/* ---- writing ---- */

/* Adds the lines that the file does not have yet: also one that the events of this block are later
 * than, since a block that follows may have earlier ones, of another thread. */
static void write_lines(struct session_trace *trace)
{
    for (uint32_t n = 0; n < trace->line_count; n++) {
        const struct pending_line *line = &trace->lines[n];

        trace_file_put_clock(&trace->samples.tables, &(struct trace_file_clock_pair){
                                                         .domain = trace->domain,
                                                         .counter_kind = TRACE_FILE_COUNTER_CYCLES,
                                                         .clockid = CLOCK_MONOTONIC,
                                                         .counter = line->line.ticks,
                                                         .time_ns = line->line.time_ns,
                                                         .wall_ns = line->wall_ns,
                                                         .resolution_ns = line->resolution_ns,
                                                         .rate = line->line.mult,
                                                     });
    }
    trace->line_count = 0;
}

/* The counter is the clock itself. */
static void write_ns(struct session_trace *trace)
{
    struct cairn_perf_clock clock = {0};

    if (cairn_perf_clock_read(CLOCK_MONOTONIC, &clock))
        return; /* then it has no time of day */
    trace_file_put_clock(&trace->samples.tables,
                         &(struct trace_file_clock_pair){
                             .counter_kind = TRACE_FILE_COUNTER_NS,
                             .clockid = clock.clockid,
                             .counter = clock.time_ns,
                             .time_ns = clock.time_ns,
                             .wall_ns = clock.wall_clock_known ? clock.wall_clock_ns : 0,
                             .resolution_ns = clock.resolution_ns,
                         });
}

/* Adds what the events of the block need. */
static void write_clocks(struct session_trace *trace)
{
    if (trace->clock == CLOCK_UNKNOWN) {
        trace->clock = trace->line_count ? CLOCK_TICKS : CLOCK_NS;
        if (trace->clock == CLOCK_NS)
            write_ns(trace);
    }
    if (trace->clock == CLOCK_TICKS)
        write_lines(trace);
}

static int write_all(struct session_trace *trace)
{
    int error;

    if (trace->resume)
        session_resume_prepare(trace->resume);
    trace_file_copies_end_piece(&trace->copies);
    write_clocks(trace);
    error = set_error(trace, trace_file_copies_flush(&trace->copies));
    if (trace->resume)
        session_resume_written(trace->resume, error);
    return error;
}

int session_trace_write(struct session_trace *trace)
{
    return write_all(trace);
}

void session_trace_resume(struct session_trace *trace, struct session_resume *resume)
{
    trace->resume = resume;
    trace->samples.writer.before = session_resume_note_end;
    trace->samples.writer.before_context = resume;
}

void session_trace_precede(const struct session_trace *trace, struct session_trace *next)
{
    next->samples.writer.packing = trace->samples.writer.packing;
}

/* The same for the kernel's records. */
static int write_perf(struct session_trace *trace)
{
    write_clocks(trace);
    return set_error(trace, trace_file_perf_writer_flush(&trace->perf));
}

int session_trace_flush(struct session_trace *trace)
{
    return trace_file_copies_are_enough(&trace->copies) ? write_all(trace) : trace->error;
}

/* ---- processes and descriptors ---- */

uint32_t session_trace_new_process(struct session_trace *trace, uint32_t pid, const char *container)
{
    return trace_file_samples_new_process(&trace->samples, 0, pid, container);
}

void session_trace_put_id(struct session_trace *trace, uint32_t process, uint32_t id,
                          uint32_t number)
{
    trace_file_put_id(&trace->samples.tables, process, id, number);
}

/* The head of the metadata's extension. */
struct sink_trace_extension {
    uint16_t size_bytes;
    uint16_t kind;
};

/* True if the constant part is as trace_file_put_eventheader makes it: one extension, of metadata,
 * in the byte order of this machine. */
static bool is_usual(const struct engine_descriptor *descriptor)
{
    struct sink_trace_extension extension;

    if (descriptor->metadata_bytes < sizeof(extension) ||
        (descriptor->header[0] ^ CAIRN_EVENTHEADER_NATIVE_FLAGS) &
            CAIRN_EVENTHEADER_LITTLE_ENDIAN ||
        !(descriptor->header[0] & CAIRN_EVENTHEADER_EXTENSION))
        return false;
    memcpy(&extension, descriptor->texts, sizeof(extension));
    return extension.kind == CAIRN_EXTENSION_METADATA &&
           extension.size_bytes == descriptor->metadata_bytes - sizeof(extension);
}

static int put_call_site(struct session_trace *trace, uint32_t tracepoint,
                         const struct engine_descriptor *from, uint32_t variant,
                         uint32_t *ret_number)
{
    const struct trace_file_descriptor of_tracepoint = {.number = tracepoint};
    const char *file = (const char *)from->texts + from->metadata_bytes;
    struct trace_file_descriptor descriptor = {
        .kind = TRACE_FILE_EVENTHEADER,
        .flags = (uint8_t)((variant >= ENGINE_ID_ACTIVITY ? TRACE_FILE_HAS_ACTIVITY : 0) |
                           (variant >= ENGINE_ID_RELATED ? TRACE_FILE_HAS_RELATED : 0)),
        .tracepoint = &of_tracepoint,
        .metadata = {(const char *)from->texts + sizeof(struct sink_trace_extension),
                     from->metadata_bytes - (uint32_t)sizeof(struct sink_trace_extension)},
        .file = {file, from->file_bytes},
        .function = {file + from->file_bytes, from->function_bytes},
        .line = from->line,
    };

    memcpy(descriptor.header, from->header, sizeof(descriptor.header));
    return trace_file_samples_descriptor(&trace->samples, &descriptor, ret_number);
}

int session_trace_descriptor(struct session_trace *trace, uint64_t sample_id,
                             const struct engine_descriptor *descriptor, uint32_t variant,
                             uint32_t *ret_number)
{
    struct trace_file_sample_type *type = find_type(trace, sample_id);
    bool is_call_site = descriptor->kind == ENGINE_DESCRIPTOR_EVENTHEADER;
    uint32_t tracepoint;
    int error;

    /* An EventHeader event that a program encoded itself has its metadata in each record: the file
     * has it once. */
    if (!type || type->is_eventheader != is_call_site || (is_call_site && !is_usual(descriptor)))
        return EOPNOTSUPP;
    error = trace_file_samples_tracepoint(&trace->samples, type, &tracepoint);
    if (error || !is_call_site) {
        *ret_number = error ? *ret_number : tracepoint;
        return error;
    }
    return put_call_site(trace, tracepoint, descriptor, variant, ret_number);
}

/* ---- records ---- */

struct trace_file_copies *session_trace_copies(struct session_trace *trace)
{
    return &trace->copies;
}

/* True if a sample's record can follow the last one in its piece. */
static bool fits_piece(const struct trace_file_copies *copies,
                       const struct trace_file_piece_head *head)
{
    const struct trace_file_piece_head *open = &copies->head;

    return copies->is_open && copies->piece.events && open->flags == head->flags &&
           open->process == head->process && open->tid == head->tid && open->cpu == head->cpu &&
           head->base >= copies->piece.last && head->base - open->base <= UINT32_MAX;
}

/* Writes the head of a record. Returns its size. */
static size_t put_head(uint8_t *to, uint32_t number, uint32_t payload_bytes, uint32_t time)
{
    uint32_t size_bytes = CORE_RECORD_HEAD_BYTES + payload_bytes;
    uint32_t more[2] = {number, CORE_RECORD_LONG_BYTES + payload_bytes};

    if (number < CORE_RECORD_LONG && size_bytes <= TRACE_FILE_RECORD_MAX_BYTES) {
        core_record_put_head(to, number, size_bytes, time);
        return CORE_RECORD_HEAD_BYTES;
    }
    core_record_put_head(to, CORE_RECORD_LONG, 0, time);
    memcpy(to + CORE_RECORD_HEAD_BYTES, more, sizeof(more));
    return CORE_RECORD_HEAD_BYTES + sizeof(more);
}

static int put_parts(struct session_trace *trace, const struct trace_file_split *parts,
                     uint64_t time_ns)
{
    struct trace_file_copies *copies = &trace->copies;
    size_t payload_bytes = parts->parts[0].iov_len + parts->parts[1].iov_len;
    struct trace_file_copied copied = {
        .events = 1, .first = time_ns, .last = time_ns, .first_ns = time_ns, .last_ns = time_ns};
    struct trace_file_count_position position = {0};
    uint8_t *begin = trace_file_copies_room(copies, CORE_RECORD_LONG_BYTES + payload_bytes + 3);
    uint8_t *to = begin;

    if (!begin)
        return ENOMEM;
    to += put_head(to, parts->descriptor, (uint32_t)payload_bytes,
                   (uint32_t)(time_ns - copies->head.base));
    for (int n = 0; n < TRACE_FILE_PARTS; n++) {
        if (parts->parts[n].iov_len)
            memcpy(to, parts->parts[n].iov_base, parts->parts[n].iov_len);
        to += parts->parts[n].iov_len;
    }
    while ((to - begin) % CORE_RECORD_ALIGNMENT)
        *to++ = 0;
    copied.size_bytes = (size_t)(to - begin);
    trace_file_copies_add(copies, &copied);
    trace_file_copies_count(copies, &position, parts->descriptor, 1);
    return 0;
}

int session_trace_put_sample(struct session_trace *trace, uint32_t process, const uint8_t *record)
{
    struct trace_file_sample_type *type;
    struct trace_file_piece_head piece;
    struct cairn_record_head head;
    struct trace_file_split parts;
    int error;

    memcpy(&head, record, sizeof(head));
    type = find_type(trace, head.id);
    piece = (struct trace_file_piece_head){.process = process,
                                           .tid = head.tid,
                                           .cpu = head.cpu,
                                           .flags = TRACE_FILE_PIECE_FILE_IDS | TRACE_FILE_PIECE_NS,
                                           .base = head.time_ns};
    error = !type ? EINVAL
                  : trace_file_samples_split(
                        &trace->samples, type,
                        &(struct trace_file_sample){
                            .tid = head.tid,
                            .raw = record + offsetof(struct cairn_record_head, common_type),
                            .raw_bytes = head.raw_size_bytes,
                        },
                        &parts);
    if (!error && !fits_piece(&trace->copies, &piece))
        trace_file_copies_piece(&trace->copies, &piece);
    error = error ? error : put_parts(trace, &parts, head.time_ns);
    trace->copies.unstored += error != 0;
    return error;
}

/* ---- the kernel ---- */

static int add_kernel_strings(struct session_sink *sink, struct cairn_slice text)
{
    struct session_trace *trace = trace_of(sink);

    trace_file_put_kernel_strings(&trace->samples.tables, trace->domain, text);
    return 0;
}

static int add_kernel_event(struct session_sink *sink, const struct perf_events_event *event)
{
    struct session_trace *trace = trace_of(sink);
    const struct perf_events_tracepoint *t = &event->tracepoint;
    struct cairn_slice attr = {(const char *)&event->attr, sizeof(event->attr)};
    uint32_t number = 0;
    int error = 0;

    if (t->name)
        error =
            trace_file_samples_descriptor(&trace->samples,
                                          &(struct trace_file_descriptor){
                                              .kind = TRACE_FILE_TRACEPOINT,
                                              .flags = TRACE_FILE_HAS_COMMON,
                                              .id = t->id,
                                              .long_size_bytes = sizeof(long),
                                              .system = {t->system, (uint32_t)strlen(t->system)},
                                              .name = {t->name, (uint32_t)strlen(t->name)},
                                              .format = {t->format, (uint32_t)t->format_bytes},
                                          },
                                          &number);
    return error ? error
                 : trace_file_perf_writer_attr(&trace->perf, number, attr, event->ids,
                                               event->id_count);
}

static int put_kernel_records(struct session_sink *sink, uint32_t cpu, const uint8_t *records,
                              size_t size_bytes, struct trace_file_perf_added *ret_added)
{
    struct session_trace *trace = trace_of(sink);
    int error;

    trace->perf.domain = trace->domain;
    error = trace_file_perf_writer_put(&trace->perf, cpu, records, size_bytes, ret_added);
    if (!error && trace_file_perf_writer_is_enough(&trace->perf))
        error = write_perf(trace);
    return error;
}

/* ---- clocks ---- */

static uint64_t wall_at(const struct cairn_perf_clock *clock, uint64_t time_ns)
{
    return clock->wall_clock_known ? clock->wall_clock_ns + (time_ns - clock->time_ns) : 0;
}

void session_trace_add_line(struct session_trace *trace, const struct engine_clock_line *line,
                            bool is_new)
{
    struct cairn_perf_clock clock = {0};
    bool is_known = !cairn_perf_clock_read(CLOCK_MONOTONIC, &clock);

    if (is_new) {
        write_lines(trace);
        trace->domain++;
    }
    if (trace->line_count == PENDING_MAX) {
        memmove(trace->lines, trace->lines + 1, (PENDING_MAX - 1) * sizeof(*trace->lines));
        trace->line_count--;
    }
    trace->lines[trace->line_count++] = (struct pending_line){
        .line = *line,
        .wall_ns = is_known ? wall_at(&clock, line->time_ns) : 0,
        .resolution_ns = clock.resolution_ns,
    };
}

bool session_trace_domain(const struct session_trace *trace, uint32_t *ret_domain)
{
    *ret_domain = trace->domain;
    return trace->clock != CLOCK_NS;
}

/* ---- the functions of a sink ---- */

static int put_comm(struct session_sink *sink, const struct session_sink_thread *thread,
                    const char *comm, uint64_t time_ns)
{
    struct session_trace *trace = trace_of(sink);
    const struct trace_file_name name = {
        .time_ns = time_ns, .process = thread->process, .tid = thread->tid, .text = comm};

    return set_error(trace, trace_file_samples_name(&trace->samples, &name));
}

/* The totals that follow have them, too. */
static int put_lost(struct session_sink *sink, uint64_t sample_id, uint64_t lost)
{
    (void)sink;
    (void)sample_id;
    (void)lost;
    return 0;
}

static int put_missing(struct session_sink *sink, const struct cairn_perf_missing *missing)
{
    trace_file_put_missing(&trace_of(sink)->samples.tables, missing);
    return 0;
}

static int end_round(struct session_sink *sink, uint64_t began_ns)
{
    struct session_trace *trace = trace_of(sink);
    uint64_t complete_ns = began_ns > LATE_NS ? began_ns - LATE_NS : 0;

    (void)write_perf(trace);
    trace_file_kept_expire(&trace->kept, began_ns);
    sink->wants_round =
        trace->copies.latest_ns > complete_ns || trace->perf.latest_ns > complete_ns;
    return write_all(trace)
               ? trace->error
               : set_error(trace, trace_file_writer_round(&trace->samples.writer, complete_ns));
}

static int finish(struct session_sink *sink)
{
    struct session_trace *trace = trace_of(sink);

    (void)write_perf(trace);
    if (write_all(trace) || trace->is_flight)
        return trace->error;
    return set_error(trace, trace_file_writer_finish(&trace->samples.writer));
}

static uint64_t bytes_of(const struct session_sink *sink)
{
    const struct session_trace *trace = (const struct session_trace *)sink;

    return (trace->is_flight ? trace->kept.tables.bytes + trace->kept.events.bytes
                             : trace->samples.writer.offset) +
           trace_file_writer_estimate(&trace->samples.writer, trace->copies.block.size +
                                                                  trace->perf.samples.bytes.size +
                                                                  trace->perf.others.bytes.size);
}

/* After an error nothing is written any more, and that includes the events that wait. */
static uint64_t unstored_of(const struct session_sink *sink)
{
    const struct session_trace *trace = (const struct session_trace *)sink;

    return trace->copies.unstored + trace->perf.unstored +
           (trace->error ? trace_file_copies_waiting(&trace->copies) : 0);
}

static void destroy(struct session_sink *sink)
{
    struct session_trace *trace = trace_of(sink);

    trace_file_copies_free(&trace->copies);
    trace_file_kept_free(&trace->kept);
    trace_file_perf_writer_free(&trace->perf);
    trace_file_samples_free(&trace->samples);
    perf_data_map_free(&trace->type_of);
    perf_data_arena_free(&trace->texts);
    free(trace->types);
    free(trace);
}

static const struct session_sink_type sink_type = {
    .tracepoint = add_tracepoint,
    .comm = put_comm,
    .lost = put_lost,
    .missing = put_missing,
    .kernel_strings = add_kernel_strings,
    .kernel_event = add_kernel_event,
    .kernel_records = put_kernel_records,
    .round = end_round,
    .finish = finish,
    .bytes = bytes_of,
    .unstored = unstored_of,
    .destroy = destroy,
};

/* ---- opening ---- */

/* A file is emptied; a stream may be anything. */
static int check_fd(int fd, enum cairn_perf_mode mode)
{
    int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (flags < 0)
        return errno;
    if ((flags & O_ACCMODE) == O_RDONLY)
        return EINVAL;
    if (mode == CAIRN_PERF_PIPE)
        return 0;
    if (fstat(fd, &st))
        return errno;
    if (!S_ISREG(st.st_mode) || flags & O_APPEND)
        return EINVAL;
    return ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) < 0 ? errno : 0;
}

int session_trace_snapshot(struct session_trace *trace, int fd, uint64_t now_ns,
                           uint64_t *ret_events)
{
    int error;

    if (!trace->is_flight)
        return EINVAL;
    (void)write_perf(trace);
    error = write_all(trace);
    trace_file_kept_expire(&trace->kept, now_ns);
    *ret_events = trace_file_kept_events(&trace->kept);
    error = error ? error : check_fd(fd, CAIRN_PERF_FILE);
    return error ? error : trace_file_kept_write(&trace->kept, fd);
}

/* A flight recorder has no file. */
static int check_output(struct session_trace *trace, const struct cairn_session_options *options)
{
    if (options->compression > LEVEL_MAX || options->compression < CAIRN_SESSION_COMPRESS_AUTO)
        return EINVAL;
    if (!options->flight_bytes && !options->flight_ns)
        return check_fd(options->fd, options->mode);
    trace->is_flight = true;
    trace->kept.limit_bytes = options->flight_bytes;
    trace->kept.limit_ns = options->flight_ns;
    return 0;
}

static void put_facts(struct session_trace *trace, const struct cairn_session_options *options)
{
    struct perf_data_host_facts facts;

    perf_data_host_gather(&facts);
    trace_file_put_host(&trace->samples.tables, &(struct cairn_perf_host){
                                                    .hostname = facts.uts.nodename,
                                                    .osrelease = facts.uts.release,
                                                    .version = "cairn " CAIRN_VERSION,
                                                    .arch = facts.uts.machine,
                                                    .cpudesc = facts.cpudesc,
                                                    .cpuid = facts.cpuid,
                                                    .cpus_available = facts.cpus_available,
                                                    .cpus_online = facts.cpus_online,
                                                    .total_mem_kib = facts.total_mem_kib,
                                                    .arg_count = (uint32_t)options->arg_count,
                                                    .args = options->args,
                                                });
}

int session_open_trace_sink(const struct cairn_session_options *options,
                            struct session_sink **ret_sink, struct session_trace **ret_trace)
{
    bool is_auto = options->compression == CAIRN_SESSION_COMPRESS_AUTO;
    struct session_trace *trace = calloc(1, sizeof(*trace));
    int error;

    if (!trace)
        return ENOMEM;
    trace->sink.type = &sink_type;
    error = check_output(trace, options);
    if (!error)
        error = trace_file_samples_begin(&trace->samples, options->fd,
                                         is_auto ? 1 : options->compression);
    if (!error) {
        trace->samples.writer.is_level_auto = is_auto;
        trace->samples.writer.kept = trace->is_flight ? &trace->kept : NULL;
        if (options->mode == CAIRN_PERF_PIPE && options->wait && !trace->is_flight)
            trace->samples.writer.wait =
                perf_data_write_wait(options->fd, options->wait, options->wait_context);
        trace_file_copies_begin(&trace->copies, &trace->samples.writer, &trace->samples.tables);
        trace_file_perf_writer_begin(&trace->perf, &trace->samples.writer, &trace->samples.tables);
        put_facts(trace, options);
    }
    if (error) {
        destroy(&trace->sink);
        return error;
    }
    *ret_sink = &trace->sink;
    *ret_trace = trace;
    return 0;
}
