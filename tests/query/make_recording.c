/* SPDX-License-Identifier: MIT */
/*
 * Makes a recording of a shop's requests with the kernel's scheduler events, the same for the same
 * arguments: make_recording REQUESTS FILE [by-cpu]. FILE is a perf.data file; cairn convert makes a
 * trace file of it. With by-cpu the events of each CPU follow one another in a round, as recorders
 * write them, and a request has ten events of system calls too.
 *
 * A request is an activity of a thread: Request (start), a Query in it, which the thread sleeps
 * for, Request (stop). There are ten events for each: five of the provider, five of the scheduler.
 */
#include "perf_data/bytes.h"

#include <cairn/eventheader_abi.h>
#include <cairn/perf_data.h>
#include <cairn/record.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THREADS      8u
#define CPUS         4u
#define PID          4000u
#define ROUND        1000u /* requests; with by-cpu: */
#define ROUND_BY_CPU 8u
#define READS        5u                   /* of a request, with by-cpu */
#define BEGIN        UINT64_C(1000000000) /* ns */

enum { SHOP = 1, SWITCH, WAKING, ENTER, EXIT };

static const char shop_format[] =
    "name: Shop_L4K1\nID: 1\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"
    "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"
    "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"
    "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n\n"
    "print fmt: \"\"\n";

#define COMMON                                                                     \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define STATES                                                                     \
    "{ 0x0001, \"S\" }, { 0x0002, \"D\" }, { 0x0004, \"T\" }, { 0x0008, \"t\" }, " \
    "{ 0x0010, \"X\" }, { 0x0020, \"Z\" }, { 0x0040, \"P\" }, { 0x0080, \"I\" }"

static const char switch_format[] =
    "name: sched_switch\nID: 2\nformat:\n" COMMON
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> next_comm=%s "
    "next_pid=%d "
    "next_prio=%d\", REC->prev_comm, REC->prev_pid, REC->prev_prio, (REC->prev_state & 0xff) ? "
    "__print_flags(REC->prev_state & 0xff, \"|\", " STATES ") : \"R\", REC->prev_state & 0x100 ? "
    "\"+\" : \"\", REC->next_comm, REC->next_pid, REC->next_prio\n";

static const char waking_format[] =
    "name: sched_waking\nID: 3\nformat:\n" COMMON
    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"comm=%s pid=%d prio=%d target_cpu=%d\", REC->comm, REC->pid, REC->prio, "
    "REC->target_cpu\n";

static const char enter_format[] =
    "name: sys_enter_read\nID: 4\nformat:\n" COMMON
    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char * buf;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:size_t count;\toffset:32;\tsize:8;\tsigned:0;\n\n"
    "print fmt: \"fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx\", ((unsigned long)(REC->fd)), "
    "((unsigned long)(REC->buf)), ((unsigned long)(REC->count))\n";

static const char exit_format[] = "name: sys_exit_read\nID: 5\nformat:\n" COMMON
                                  "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
                                  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
                                  "print fmt: \"0x%lx\", REC->ret\n";

struct generator {
    struct cairn_perf_writer *writer;
    struct cairn_bytes payload;
    uint64_t now_ns;
    uint64_t random;
    uint64_t events;
    bool by_cpu;
    int err;
};

static uint32_t random_below(struct generator *g, uint32_t limit)
{
    g->random = g->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((g->random >> 33) % limit);
}

static void write_record(struct generator *g, uint16_t tracepoint, uint32_t tid, uint32_t cpu)
{
    struct {
        struct cairn_record_head head;
        uint8_t payload[512];
    } __attribute__((packed, aligned(8))) record = {{0}, {0}};
    uint32_t size = cairn_record_size((uint32_t)g->payload.size);

    record.head = (struct cairn_record_head){
        .type = CAIRN_RECORD_SAMPLE,
        .misc = CAIRN_RECORD_MISC_USER,
        .size_bytes = (uint16_t)size,
        .id = tracepoint,
        .pid = tid ? PID : 0,
        .tid = tid,
        .time_ns = g->now_ns,
        .cpu = cpu,
        .raw_size_bytes = size - (uint32_t)offsetof(struct cairn_record_head, common_type),
        .common_type = tracepoint,
        .common_pid = (int32_t)tid,
    };
    memcpy(record.payload, g->payload.data, g->payload.size);
    if (!g->err)
        g->err = cairn_perf_writer_write(g->writer, &record, size);
    g->payload.size = 0;
    g->now_ns += 100 + random_below(g, 900);
    g->events++;
}

/* ---- the provider ---- */

struct field {
    const char *name;
    uint8_t encoding;
    uint8_t format; /* 0: none */
};

static void put_u16(struct generator *g, uint16_t value)
{
    perf_data_bytes_put(&g->payload, &value, sizeof(value));
}

static void put_text(struct generator *g, const char *text)
{
    put_u16(g, (uint16_t)strlen(text));
    perf_data_bytes_put(&g->payload, text, strlen(text));
}

static void begin_event(struct generator *g, const char *name, uint8_t opcode, uint64_t activity,
                        const struct field *fields, size_t count)
{
    const struct cairn_eventheader header = {
        .flags = CAIRN_EVENTHEADER_NATIVE_FLAGS | CAIRN_EVENTHEADER_EXTENSION,
        .opcode = opcode,
        .level = 4,
    };
    struct cairn_bytes *b = &g->payload;
    uint8_t id[16] = {0xab};
    size_t extension;
    uint16_t size;

    for (unsigned n = 0; n < 8; n++)
        id[15 - n] = (uint8_t)(activity >> 8 * n);
    perf_data_bytes_put(b, &header, sizeof(header));
    put_u16(g, 16);
    put_u16(g, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN);
    perf_data_bytes_put(b, id, sizeof(id));
    extension = b->size;
    put_u16(g, 0);
    put_u16(g, CAIRN_EXTENSION_METADATA);
    perf_data_bytes_put(b, name, strlen(name) + 1);
    for (size_t n = 0; n < count; n++) {
        uint8_t encoding = fields[n].encoding | (fields[n].format ? CAIRN_ENCODING_CHAIN : 0);

        perf_data_bytes_put(b, fields[n].name, strlen(fields[n].name) + 1);
        perf_data_bytes_put(b, &encoding, 1);
        if (fields[n].format)
            perf_data_bytes_put(b, &fields[n].format, 1);
    }
    size = (uint16_t)(b->size - extension - 4);
    memcpy(b->data + extension, &size, sizeof(size));
}

static void begin_request(struct generator *g, uint64_t request, uint32_t tid, uint32_t cpu)
{
    static const char *const paths[] = {"/", "/cart", "/item", "/pay", "/search"};
    static const struct field fields[] = {
        {"Path", CAIRN_ENCODING_STRING_LENGTH16_CHAR8, 0},
        {"User", CAIRN_ENCODING_VALUE32, 0},
    };

    begin_event(g, "Request", CAIRN_OPCODE_ACTIVITY_START, request, fields, 2);
    put_text(g, paths[random_below(g, 5)]);
    perf_data_bytes_put_u32(&g->payload, random_below(g, 1000));
    write_record(g, SHOP, tid, cpu);
}

static void write_query(struct generator *g, uint64_t request, uint32_t tid, uint32_t cpu)
{
    static const char *const tables[] = {"users", "items", "orders"};
    static const struct field fields[] = {
        {"DurationUs", CAIRN_ENCODING_VALUE32, 0},
        {"Rows", CAIRN_ENCODING_VALUE64, 0},
        {"Ms", CAIRN_ENCODING_VALUE64, CAIRN_FORMAT_FLOAT},
        {"Table", CAIRN_ENCODING_STRING_LENGTH16_CHAR8, 0},
        {"Hit", CAIRN_ENCODING_VALUE8, CAIRN_FORMAT_BOOLEAN},
    };
    uint32_t duration_us = random_below(g, 100) + (random_below(g, 50) ? 0 : random_below(g, 9000));
    double ms = (double)duration_us / 1000;
    uint8_t hit = (uint8_t)random_below(g, 2);

    begin_event(g, "Query", CAIRN_OPCODE_INFO, request, fields, 5);
    perf_data_bytes_put_u32(&g->payload, duration_us);
    perf_data_bytes_put_u64(&g->payload, random_below(g, 100000));
    perf_data_bytes_put(&g->payload, &ms, sizeof(ms));
    put_text(g, tables[random_below(g, 3)]);
    perf_data_bytes_put(&g->payload, &hit, 1);
    write_record(g, SHOP, tid, cpu);
}

static void write_note(struct generator *g, uint64_t request, uint32_t tid, uint32_t cpu,
                       const char *name)
{
    static const struct field fields[] = {{"Step", CAIRN_ENCODING_VALUE16, 0}};

    begin_event(g, name, CAIRN_OPCODE_INFO, request, fields, 1);
    put_u16(g, (uint16_t)random_below(g, 10));
    write_record(g, SHOP, tid, cpu);
}

static void end_request(struct generator *g, uint64_t request, uint32_t tid, uint32_t cpu)
{
    static const struct field fields[] = {{"Status", CAIRN_ENCODING_VALUE16, 0}};

    begin_event(g, "Request", CAIRN_OPCODE_ACTIVITY_STOP, request, fields, 1);
    put_u16(g, random_below(g, 20) ? 200 : 500);
    write_record(g, SHOP, tid, cpu);
}

/* ---- the scheduler ---- */

static void put_thread(struct generator *g, uint32_t tid)
{
    char comm[16] = "swapper/0";

    if (tid)
        (void)snprintf(comm, sizeof(comm), "worker-%u", tid - PID);
    perf_data_bytes_put(&g->payload, comm, sizeof(comm));
    perf_data_bytes_put_u32(&g->payload, tid);
    perf_data_bytes_put_u32(&g->payload, 120);
}

static void switch_to(struct generator *g, uint32_t prev, uint64_t state, uint32_t next,
                      uint32_t cpu)
{
    put_thread(g, prev);
    perf_data_bytes_put_u64(&g->payload, state);
    put_thread(g, next);
    write_record(g, SWITCH, prev, cpu);
}

static void wake(struct generator *g, uint32_t by, uint32_t tid, uint32_t cpu)
{
    put_thread(g, tid);
    perf_data_bytes_put_u32(&g->payload, cpu);
    write_record(g, WAKING, by, cpu);
}

/* ---- system calls ---- */

static void read_input(struct generator *g, uint32_t tid, uint32_t cpu)
{
    const uint64_t call[] = {0, random_below(g, 20), UINT64_C(0x7ffd00000000) + g->random % 65536,
                             4096};
    const uint64_t result[] = {0, random_below(g, 4096)};

    perf_data_bytes_put(&g->payload, call, sizeof(call));
    write_record(g, ENTER, tid, cpu);
    perf_data_bytes_put(&g->payload, result, sizeof(result));
    write_record(g, EXIT, tid, cpu);
}

/* ---- requests ---- */

static void serve(struct generator *g, uint64_t request)
{
    uint32_t tid = PID + (uint32_t)(request % THREADS);
    uint32_t cpu = (uint32_t)(request % CPUS);

    switch_to(g, 0, 0, tid, cpu);
    for (unsigned n = 0; g->by_cpu && n < READS; n++)
        read_input(g, tid, cpu);
    begin_request(g, request + 1, tid, cpu);
    write_note(g, request + 1, tid, cpu, "Parsed");
    switch_to(g, tid, random_below(g, 4) ? 1 : 2, 0, cpu); /* sleeps, or waits for a disk */
    g->now_ns += random_below(g, 20000);
    wake(g, PID + random_below(g, THREADS), tid, cpu);
    g->now_ns += random_below(g, 3000);
    switch_to(g, 0, 0, tid, cpu);
    write_query(g, request + 1, tid, cpu);
    write_note(g, request + 1, tid, cpu, "Rendered");
    end_request(g, request + 1, tid, cpu);
    switch_to(g, tid, random_below(g, 10) ? 1 : 0, 0, cpu); /* at times it is preempted */
}

static void serve_requests(struct generator *g, uint64_t first, uint64_t end)
{
    uint64_t step = g->by_cpu ? CPUS : 1;
    uint64_t begin_ns = g->now_ns;
    uint64_t latest_ns = begin_ns;

    for (uint64_t cpu = 0; cpu < step; cpu++) {
        g->now_ns = begin_ns;
        for (uint64_t n = first + cpu; n < end && !g->err; n += step)
            serve(g, n);
        latest_ns = g->now_ns > latest_ns ? g->now_ns : latest_ns;
    }
    g->now_ns = latest_ns;
}

/* ---- the file ---- */

static int describe(struct generator *g, const char *system, const char *name, const char *format,
                    uint64_t id)
{
    const struct cairn_perf_tracepoint tracepoint = {
        .system = system,
        .name = name,
        .id = (uint32_t)id,
        .format = format,
        .format_bytes = strlen(format),
        .sample_ids = &id,
        .sample_id_count = 1,
    };

    return cairn_perf_writer_add_tracepoint(g->writer, &tracepoint);
}

static int begin(struct generator *g, int fd)
{
    const struct cairn_perf_clock clock = {.clockid = 1,
                                           .wall_clock_known = true,
                                           .wall_clock_ns = UINT64_C(1700000000000000000),
                                           .time_ns = BEGIN};
    int err = cairn_perf_writer_create(fd, CAIRN_PERF_FILE, &g->writer);

    if (!err)
        err = cairn_perf_writer_set_clock(g->writer, &clock);
    if (!err)
        err = describe(g, "user_events", "Shop_L4K1", shop_format, SHOP);
    if (!err)
        err = describe(g, "sched", "sched_switch", switch_format, SWITCH);
    if (!err)
        err = describe(g, "sched", "sched_waking", waking_format, WAKING);
    if (!err && g->by_cpu)
        err = describe(g, "syscalls", "sys_enter_read", enter_format, ENTER);
    if (!err && g->by_cpu)
        err = describe(g, "syscalls", "sys_exit_read", exit_format, EXIT);
    for (uint32_t n = 0; n < THREADS && !err; n++) {
        char comm[16];

        (void)snprintf(comm, sizeof(comm), "worker-%u", n);
        err = cairn_perf_writer_comm(g->writer, PID, PID + n, comm, 0);
    }
    return err;
}

int main(int argc, char **argv)
{
    struct generator g = {.now_ns = BEGIN, .random = 1};
    uint64_t requests = argc == 3 || argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
    uint64_t round;
    int fd = requests ? open(argv[2], O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;

    if (fd < 0) {
        (void)fprintf(stderr, "usage: make_recording REQUESTS FILE [by-cpu]\n");
        return 2;
    }
    g.by_cpu = argc == 4;
    g.err = begin(&g, fd);
    round = g.by_cpu ? ROUND_BY_CPU : ROUND;
    for (uint64_t n = 0; n < requests && !g.err; n += round) {
        serve_requests(&g, n, requests - n < round ? requests : n + round);
        if (requests - n >= round && !g.err)
            g.err = cairn_perf_writer_round(g.writer);
    }
    if (!g.err)
        g.err = cairn_perf_writer_finish(g.writer);
    cairn_perf_writer_destroy(g.writer);
    perf_data_bytes_free(&g.payload);
    close(fd);
    if (g.err)
        (void)fprintf(stderr, "make_recording: %s\n", strerror(g.err));
    return g.err != 0;
}
