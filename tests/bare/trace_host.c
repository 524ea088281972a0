/* SPDX-License-Identifier: MIT */
/* The host of the tracepoint core on these machines: contexts, grace periods, memory, a clock. */
#include "trace_host.h"

#include "bare.h"
#include "core/errno.h"

#include <cairn/kernel/comm_cache.h>
#include <cairn/typed_tracepoint.h>
#include <cairn/kernel/trace_text.h>

#define RING_BYTES  (96u << 10)
#define PIECE_BYTES 4096u
#define PIECES      256u
#define NAMES       16u
#define EVENTS      16u
#define SCRATCH     (256u << 10)
#define FIRST_TASK  101u /* the task of CPU 0; CPU 1 has the next id */

struct cairn_trace bare_trace;
struct cairn_trace_buffer bare_trace_buffer;
struct cairn_static_keys bare_trace_keys;

/* ---- context and time ---- */

static uint64_t fixed_time_ns;

/* For grace periods: the nesting depth of a CPU's sections, and the number of outermost sections
 * that ended. */
static struct {
    uint32_t depth;
    uint32_t left;
    uint8_t padding[56];
} sections[BARE_CPUS];

void bare_trace_set_time(uint64_t time_ns)
{
    __atomic_store_n(&fixed_time_ns, time_ns, __ATOMIC_SEQ_CST);
}

static uint64_t now_ns(void)
{
    if (__atomic_load_n(&fixed_time_ns, __ATOMIC_RELAXED))
        return __atomic_add_fetch(&fixed_time_ns, 1000, __ATOMIC_RELAXED);
    return bare_now_ns();
}

/* A task stays on its CPU on these machines, so preemption need not be disabled. */
static void enter(struct cairn_host_context *ret_context)
{
    unsigned cpu = bare_cpu();
    uint8_t flags = 0;

    if (!bare_irqs_are_on())
        flags |= CAIRN_TRACE_FLAG_IRQS_OFF;
    if (bare_in_interrupt())
        flags |= CAIRN_TRACE_FLAG_HARDIRQ;
    if (bare_in_nmi())
        flags |= CAIRN_TRACE_FLAG_NMI;
    /* An interrupt in between restores the value. */
    __atomic_store_n(&sections[cpu].depth, sections[cpu].depth + 1, __ATOMIC_SEQ_CST);
    *ret_context = (struct cairn_host_context){
        .time_ns = now_ns(),
        .cpu = cpu,
        .pid = FIRST_TASK + cpu,
        .tid = FIRST_TASK + cpu,
        .flags = flags,
    };
}

static void leave(void)
{
    unsigned cpu = bare_cpu();

    if (sections[cpu].depth == 1)
        __atomic_store_n(&sections[cpu].left, sections[cpu].left + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&sections[cpu].depth, sections[cpu].depth - 1, __ATOMIC_RELEASE);
}

static void comm(char comm[16])
{
    static const char names[BARE_CPUS][16] = {"first", "second"};

    __builtin_memcpy(comm, names[bare_cpu()], 16);
}

/* `enter` has a full barrier, and so has this function: a CPU outside of sections sees earlier
 * stores of this CPU. */
static void synchronize(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (unsigned cpu = 0; cpu < BARE_CPUS; cpu++) {
        uint32_t left = __atomic_load_n(&sections[cpu].left, __ATOMIC_ACQUIRE);

        while (__atomic_load_n(&sections[cpu].depth, __ATOMIC_ACQUIRE) &&
               __atomic_load_n(&sections[cpu].left, __ATOMIC_ACQUIRE) == left)
            bare_relax();
    }
}

/* ---- memory: blocks of one size, allocated and released in any context ---- */

static _Alignas(16) uint8_t pieces[PIECES][PIECE_BYTES];
static uint32_t taken[PIECES];

static void *allocate(size_t size_bytes)
{
    for (unsigned i = 0; i < PIECES && size_bytes <= PIECE_BYTES; i++) {
        if (!__atomic_exchange_n(&taken[i], 1, __ATOMIC_ACQUIRE))
            return pieces[i];
    }
    return NULL;
}

/* Released memory is overwritten, so that a later use is detected. */
static void release(void *memory)
{
    size_t i = (size_t)((uint8_t *)memory - pieces[0]) / PIECE_BYTES;

    __builtin_memset(memory, 0xa5, PIECE_BYTES);
    __atomic_store_n(&taken[i], 0, __ATOMIC_RELEASE);
}

uint32_t bare_trace_allocated(void)
{
    uint32_t count = 0;

    for (unsigned i = 0; i < PIECES; i++)
        count += __atomic_load_n(&taken[i], __ATOMIC_RELAXED);
    return count;
}

/* ---- the trace ---- */

static struct cairn_host host = {
    .enter = enter,
    .leave = leave,
    .comm = comm,
    .allocate = allocate,
    .release = release,
    .relax = bare_relax,
    .keys = {.write_text = bare_write_text, .sync_cores = bare_sync_cores},
};

static struct cairn_comm_cache comms;
static _Alignas(4096) uint8_t ring_memory[BARE_CPUS * RING_BYTES];
static _Alignas(16) uint8_t comm_memory[2048];
static _Alignas(16) uint8_t table_memory[4096];
static _Alignas(16) uint8_t scratch[SCRATCH];

#if defined(__x86_64__)
static uintptr_t on_breakpoint(uintptr_t ip)
{
    return cairn_static_keys_trap(&bare_trace_keys, ip);
}
#endif

int bare_trace_open(enum cairn_trace_mode mode, bool own_grace)
{
    const struct cairn_trace_config config = {
        .host = &host,
        .buffer = &bare_trace_buffer,
        .comms = &comms,
        .keys = &bare_trace_keys,
        .table_memory = table_memory,
        .table_bytes = sizeof(table_memory),
    };
    int err;

#if defined(__x86_64__)
    bare_breakpoint_hook = on_breakpoint;
#endif
    host.synchronize = own_grace ? synchronize : NULL;
    err = cairn_trace_buffer_init(&bare_trace_buffer, ring_memory, sizeof(ring_memory), BARE_CPUS,
                                  mode);
    if (!err)
        err = cairn_comm_cache_init(&comms, comm_memory, sizeof(comm_memory));
    if (!err)
        err = cairn_static_keys_init(&bare_trace_keys, &host.keys, __start_cairn_static_branches,
                                     __stop_cairn_static_branches);
    if (!err)
        err = cairn_trace_init(&bare_trace, &config, __start_cairn_trace_events,
                               __stop_cairn_trace_events);
    return err;
}

int bare_trace_close(void)
{
    int err = cairn_trace_file_truncate(&bare_trace, "error_log");

    if (!err)
        err =
            cairn_trace_remove(&bare_trace, __start_cairn_trace_events, __stop_cairn_trace_events);
    return err ? err : cairn_trace_synchronize(&bare_trace);
}

/* ---- text ---- */

static int find_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    const struct cairn_trace_event *event = cairn_trace_find_id(&bare_trace, id);

    (void)data;
    if (!event)
        return ENOENT;
    *ret_format = (struct cairn_trace_format){
        .name = {event->name, bare_length(event->name)},
        .schema = &event->event_class->schema,
        .print = event->event_class->print,
    };
    return 0;
}

static int find_comm(void *data, uint32_t tid, char ret_comm[16])
{
    (void)data;
    return cairn_comm_cache_find(&comms, tid, ret_comm);
}

static void put_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        bare_put(text[i]);
}

void bare_trace_print(bool consume)
{
    static const struct cairn_trace_names names = {.event = find_event, .comm = find_comm};
    struct cairn_trace_text text;
    char part[256];
    size_t length;

    if (cairn_trace_text_open(&text, &names, &bare_trace_buffer, CAIRN_TRACE_ALL_CPUS, consume,
                              scratch, sizeof(scratch))) {
        bare_print("cannot be opened\n");
        return;
    }
    while (!cairn_trace_text_read(&text, part, sizeof(part), &length) && length)
        put_text(part, length);
    cairn_trace_text_close(&text);
}

void bare_trace_print_file(const char *path)
{
    char part[256];
    size_t offset = 0;
    size_t length;

    while (!cairn_trace_file_read(&bare_trace, path, offset, part, sizeof(part), &length) &&
           length) {
        put_text(part, length);
        offset += length;
    }
}

int bare_trace_write_file(const char *path, const char *text)
{
    return cairn_trace_file_write(&bare_trace, path, text, bare_length(text));
}
