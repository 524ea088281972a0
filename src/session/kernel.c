/* SPDX-License-Identifier: MIT */
/* Records events of the kernel: from the rings to the output, unchanged. */
#include "session/kernel.h"

#include "core/options.h"
#include "os/clock.h"
#include "perf_data/disk.h"
#include "perf_data/order.h"
#include "perf_data/sample_layout.h"
#include "perf_events/perf_events.h"
#include "session/internal.h"
#include "session/take.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For records of mappings alone. */
#define MAPS_RING_BYTES ((size_t)256 << 10)

/* As many are kept for files that follow: those of some thousand processes. */
#define MAPS_MAX_BYTES ((size_t)16 << 20)

/* Time between two looks at the list of CPUs. */
#define LOOK_NS UINT64_C(1000000000)

struct session_kernel {
    struct perf_events *events;
    bool with_maps;
    struct cairn_bytes maps; /* records of mappings, for the files that follow, or for a reader */
    uint64_t drained_ns;     /* records that are earlier have been read, of all rings */
    uint64_t lost;           /* as records of the kernel say */
    uint64_t looked_ns;      /* when the list of CPUs was read */
    struct cairn_session_tracepoint shown;
    char shown_name[512];
};

/* ---- begin ---- */

static int copy_options(const struct cairn_session_options *options,
                        struct cairn_session_kernel_options *ret_kernel)
{
    int error = core_options_copy(
        options->kernel, CORE_OPTIONS_BYTES_TO(struct cairn_session_kernel_options, problem_bytes),
        sizeof(*ret_kernel), ret_kernel);

    if (error)
        return error;
    if (!ret_kernel->ring_bytes)
        ret_kernel->ring_bytes = CAIRN_SESSION_RING_DEFAULT_BYTES;
    return options->receiver ||
                   !(ret_kernel->with_maps || ret_kernel->pattern_count +
                                                  ret_kernel->function_count +
                                                  ret_kernel->static_probe_count) ||
                   ret_kernel->stack_bytes % 8 ||
                   ret_kernel->stack_bytes > CAIRN_RECORD_MAX_BYTES ||
                   ret_kernel->ring_bytes > CAIRN_SESSION_RING_MAX_BYTES
               ? EINVAL
               : 0;
}

static int open_events(const struct cairn_session_kernel_options *from,
                       struct session_kernel *kernel)
{
    static const enum perf_events_target targets[] = {
        [CAIRN_SESSION_KERNEL_ALL] = PERF_EVENTS_ALL,
        [CAIRN_SESSION_KERNEL_CHILDREN] = PERF_EVENTS_CHILDREN,
        [CAIRN_SESSION_KERNEL_PROCESSES] = PERF_EVENTS_PROCESSES,
    };
    struct perf_events_problem problem = {.text = ""};
    struct perf_events_options options = {
        .patterns = from->patterns,
        .filters = from->filters,
        .pattern_count = from->pattern_count,
        .functions = from->functions,
        .function_count = from->function_count,
        .statics = from->static_probes,
        .static_count = from->static_probe_count,
        .pids = from->pids,
        .pid_count = from->pid_count,
        .ring_bytes = from->ring_bytes,
        .with_stacks = from->with_stacks,
        .stack_bytes = from->stack_bytes,
        .with_maps = from->with_maps,
    };
    int error;

    if ((size_t)from->target >= sizeof(targets) / sizeof(*targets))
        return EINVAL;
    options.target = targets[from->target];
    error = perf_events_open(&options, &problem, &kernel->events);
    if (error && from->problem && from->problem_bytes)
        (void)snprintf(from->problem, from->problem_bytes, "%s", problem.text);
    return error;
}

static int describe(struct cairn_session *session)
{
    struct perf_events *events = session->kernel->events;
    int error = 0;

    if (session->writer)
        error = session->writer->type->kernel_strings(session->writer, perf_events_strings(events));
    for (size_t n = 0; session->writer && n < perf_events_count(events) && !error; n++)
        error = session->writer->type->kernel_event(session->writer, perf_events_at(events, n));
    session->counts.kernel_tracepoints = (uint32_t)perf_events_count(events) - 1;
    return error;
}

/* Whichever change the mappings of a process: a process may have ended when the next file begins.
 */
static bool is_of_maps(uint32_t type)
{
    return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_FORK ||
           type == PERF_RECORD_COMM;
}

static void add_maps(struct session_kernel *kernel, const uint8_t *records, size_t size_bytes)
{
    size_t at = 0;

    while (size_bytes - at >= sizeof(struct perf_event_header)) {
        struct perf_event_header header;

        memcpy(&header, records + at, sizeof(header));
        if (header.size < sizeof(header) || header.size > size_bytes - at)
            return;
        if (is_of_maps(header.type) && kernel->maps.size + header.size <= MAPS_MAX_BYTES)
            perf_data_bytes_put(&kernel->maps, records + at, header.size);
        at += header.size;
    }
}

static int receive(void *context, uint32_t cpu, const uint8_t *records, size_t size_bytes)
{
    struct cairn_session *session = context;
    struct trace_file_perf_added added = {0};
    int error = 0;

    if (session->kernel->with_maps)
        add_maps(session->kernel, records, size_bytes);
    if (session->writer)
        error = session->writer->type->kernel_records(session->writer, cpu, records, size_bytes,
                                                      &added);

    session->counts.events += added.samples;
    session->counts.kernel_events += added.samples;
    session->counts.lost += added.lost;
    session->counts.lost_by_cause[CAIRN_LOSS_FULL] += added.lost;
    session->kernel->lost += added.lost;
    return error;
}

int session_kernel_begin(struct cairn_session *session, const struct cairn_session_options *options)
{
    struct cairn_session_kernel_options kernel = CAIRN_SESSION_KERNEL_OPTIONS_INIT;
    int error = 0;

    if (!options->kernel && !session->with_stacks)
        return 0;
    if (options->kernel)
        error = copy_options(options, &kernel);
    else
        kernel.ring_bytes = MAPS_RING_BYTES;
    if (error)
        return error;
    kernel.with_maps |= session->with_stacks;
    session->kernel = calloc(1, sizeof(*session->kernel));
    error = session->kernel ? open_events(&kernel, session->kernel) : ENOMEM;
    if (!error)
        session->kernel->with_maps = perf_events_has_maps(session->kernel->events);
    error = error ? error : describe(session);
    if (error)
        return error;
    error = perf_events_describe_threads(session->kernel->events, receive, session);
    if (!error)
        perf_events_enable(session->kernel->events);
    session->counts.has_kernel_gap =
        session->counts.is_resumed && session->counts.kernel_tracepoints;
    return error;
}

static uint64_t time_of_map(const uint8_t *record, size_t size_bytes)
{
    const struct perf_data_sample_layout layout =
        perf_data_sample_layout_of(CAIRN_RECORD_SAMPLE_TYPE, PERF_DATA_ATTR_SAMPLE_ID_ALL);
    uint64_t time_ns;

    memcpy(&time_ns, record + size_bytes - layout.tail_time, sizeof(time_ns));
    return time_ns;
}

static uint16_t size_of_map(const uint8_t *record)
{
    struct perf_event_header header;

    memcpy(&header, record, sizeof(header));
    return header.size;
}

/* Sorts records that are earlier than a time; keeps the others. */
static int sort_maps(const struct cairn_bytes *maps, uint64_t before_ns,
                     struct perf_data_order *order, struct cairn_bytes *later)
{
    int error = 0;

    for (size_t at = 0; at < maps->size && !error; at += size_of_map(maps->data + at)) {
        const uint8_t *record = maps->data + at;
        const struct perf_data_order_entry entry = {
            .time_ns = time_of_map(record, size_of_map(record)), .data = record};

        if (entry.time_ns < before_ns)
            error = perf_data_order_add(order, &entry);
        else
            perf_data_bytes_put(later, record, size_of_map(record));
    }
    perf_data_order_all(order);
    return error ? error : later->error;
}

/* Each CPU has a ring: a process that runs on several has its exec in one and mappings in others.
 */
void session_take_maps(struct cairn_session *session, struct cairn_bytes *ret_records)
{
    struct session_kernel *kernel = session->kernel;
    struct perf_data_order order = {0};
    struct perf_data_order_entry entry;
    struct cairn_bytes later = {0};

    *ret_records = (struct cairn_bytes){0};
    if (!kernel || !kernel->maps.size)
        return;
    session_fail(session,
                 sort_maps(&kernel->maps, session->is_finished ? UINT64_MAX : kernel->drained_ns,
                           &order, &later));
    while (perf_data_order_next(&order, &entry))
        perf_data_bytes_put(ret_records, entry.data, size_of_map(entry.data));
    session_fail(session, ret_records->error);
    perf_data_order_free(&order);
    perf_data_bytes_free(&kernel->maps);
    kernel->maps = later;
}

/* The records are added again while they are passed on. */
static int put_kept_maps(struct cairn_session *session)
{
    struct cairn_bytes maps = session->kernel->maps;
    int error = 0;

    session->kernel->maps = (struct cairn_bytes){0};
    if (maps.size)
        error = receive(session, 0, maps.data, maps.size);
    perf_data_bytes_free(&maps);
    return error;
}

int session_kernel_continue(struct cairn_session *session)
{
    int error = session->kernel ? describe(session) : 0;

    if (!error && session->kernel)
        error = put_kept_maps(session);
    if (error || !session->kernel)
        return error;
    return perf_events_describe_threads(session->kernel->events, receive, session);
}

void session_kernel_describe(struct cairn_session *session, uint32_t pid)
{
    if (session->with_stacks && session->kernel)
        session_fail(session,
                     perf_events_describe_process(session->kernel->events, pid, receive, session));
}

/* ---- polls ---- */

static void look_at_cpus(struct cairn_session *session)
{
    uint32_t changed = perf_events_changed_cpus(session->kernel->events);

    session->kernel->looked_ns = os_clock_ns();
    if (changed > session->counts.changed_cpus)
        session->counts.changed_cpus = changed;
}

size_t session_kernel_poll(struct cairn_session *session)
{
    size_t moved = 0;

    if (!session->kernel)
        return 0;
    if (os_clock_ns() - session->kernel->looked_ns > LOOK_NS)
        look_at_cpus(session);
    session->kernel->drained_ns = os_clock_ns();
    session_fail(session, perf_events_drain(session->kernel->events, receive, session, &moved));
    session_limit_file(session);
    return moved;
}

uint32_t session_kernel_ring_count(const struct cairn_session *session)
{
    return session->kernel ? perf_events_ring_count(session->kernel->events) : 0;
}

int session_kernel_ring_fd(const struct cairn_session *session, uint32_t index)
{
    return perf_events_ring_fd(session->kernel->events, index);
}

/* Records that the kernel dropped at the end are in no record of losses. */
void session_kernel_finish(struct cairn_session *session)
{
    struct session_kernel *kernel = session->kernel;
    uint64_t lost;

    if (!kernel)
        return;
    look_at_cpus(session);
    perf_events_disable(kernel->events);
    (void)session_kernel_poll(session);
    lost = perf_events_lost(kernel->events);
    if (lost <= kernel->lost)
        return;
    lost -= kernel->lost;
    session->counts.lost += lost;
    session->counts.lost_by_cause[CAIRN_LOSS_FULL] += lost;
    session_put_lost(session, 0, lost);
}

void session_kernel_free(struct cairn_session *session)
{
    if (session->kernel) {
        perf_events_close(session->kernel->events);
        perf_data_bytes_free(&session->kernel->maps);
    }
    free(session->kernel);
    session->kernel = NULL;
}

/* ---- results ---- */

const struct cairn_session_tracepoint *
cairn_session_kernel_tracepoint(const struct cairn_session *session, uint32_t index)
{
    struct session_kernel *kernel = session->kernel;
    const struct perf_events_event *event;

    if (!kernel || index >= session->counts.kernel_tracepoints)
        return NULL;
    event = perf_events_at(kernel->events, (size_t)index + 1);
    (void)snprintf(kernel->shown_name, sizeof(kernel->shown_name), "%s:%s",
                   event->tracepoint.system, event->tracepoint.name);
    kernel->shown = (struct cairn_session_tracepoint){
        .name = kernel->shown_name,
        .events = event->events,
        .filter_problem = event->filter_problem,
    };
    return &kernel->shown;
}
