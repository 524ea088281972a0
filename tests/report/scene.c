/* SPDX-License-Identifier: MIT */
/*
 * Writes a page of made events: scene OUTPUT COUNT [OVERLAPPING].
 *
 * COUNT requests, 50 us each and one after the other: a span of a server's thread, in it one of a
 * worker's thread, states of both, and a number, with a stack. Then OVERLAPPING spans of the worker
 * of two names by turns, which begin 1 us after one another, and end so 1 ms later. At first
 * one event whose names and values are markup, controls and invalid UTF-8, and one whose fields
 * have names that mean something else in filters.
 */
#include "decode/stacks.h"

#include <cairn/decode.h>
#include <cairn/eventheader_abi.h>
#include <cairn/report.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMON                                                                     \
    "format:\n"                                                                    \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define EVENTHEADER                                                  \
    "name: Shop_L4K1\nID: 7\n" COMMON                                \
    "\tfield:u8 eventheader_flags;\toffset:8;\tsize:1;\tsigned:0;\n" \
    "\tfield:u8 version;\toffset:9;\tsize:1;\tsigned:0;\n"           \
    "\tfield:u16 id;\toffset:10;\tsize:2;\tsigned:0;\n"              \
    "\tfield:u16 tag;\toffset:12;\tsize:2;\tsigned:0;\n"             \
    "\tfield:u8 opcode;\toffset:14;\tsize:1;\tsigned:0;\n"           \
    "\tfield:u8 level;\toffset:15;\tsize:1;\tsigned:0;\n\n"

#define SWITCH                                                       \
    "name: sched_switch\nID: 8\n" COMMON                             \
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"  \
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"      \
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"       \
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"     \
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n" \
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"      \
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"

#define WAKING                                                 \
    "name: sched_waking\nID: 9\n" COMMON                       \
    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n" \
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"     \
    "\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"      \
    "\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n"

#define BASE_NS UINT64_C(1764000000000000000)
#define SERVER  100u
#define WORKER  101u

struct scene {
    struct cairn_decoder *decoder;
    struct cairn_report *report;
    uint32_t eventheader;
    uint32_t on_switch;
    uint32_t on_waking;
    uint64_t now_ns;
    uint8_t raw[512];
    size_t size;
    struct decode_stacks stacks;
    uint64_t chain[3]; /* of the next event */
    uint64_t chain_count;
};

static void check(int err, const char *what)
{
    if (err) {
        fprintf(stderr, "scene: %s: %s\n", what, strerror(err));
        exit(1);
    }
}

static void put(struct scene *scene, const void *data, size_t size)
{
    memcpy(scene->raw + scene->size, data, size);
    scene->size += size;
}

static void put_number(struct scene *scene, uint64_t number, size_t size)
{
    put(scene, &number, size);
}

static uint32_t add(struct scene *scene, const char *system, const char *name, const char *text)
{
    const struct cairn_decoder_format format = {
        .system = {system, (uint32_t)strlen(system)},
        .name = {name, (uint32_t)strlen(name)},
        .text = {text, (uint32_t)strlen(text)},
        .long_size_bytes = 8,
    };
    uint32_t tracepoint;

    check(cairn_decoder_add(scene->decoder, &format, &tracepoint), name);
    return tracepoint;
}

static void pass(struct scene *scene, uint32_t tracepoint, uint32_t tid, const char *comm)
{
    struct cairn_event event = {
        .has = CAIRN_EVENT_TIME | CAIRN_EVENT_WALL | CAIRN_EVENT_CPU | CAIRN_EVENT_TID,
        .cpu = tid % 4,
        .pid = SERVER,
        .tid = tid,
        .time_ns = scene->now_ns,
        .wall_ns = BASE_NS + scene->now_ns,
        .comm = comm,
    };

    check(cairn_decoder_event(scene->decoder, tracepoint, scene->raw, scene->size, &event),
          "decode");
    decode_stacks_set(&scene->stacks, (const uint8_t *)scene->chain, scene->chain_count, false,
                      &event);
    scene->chain_count = 0;
    check(cairn_report_event(scene->report, &event, 0, NULL), "report");
}

static void put_id(struct scene *scene, uint64_t number, uint64_t of)
{
    put_number(scene, number, 8);
    put_number(scene, of, 8);
}

/* An EventHeader event; activity 0: none. Its metadata has the lengths of the texts' arrays. */
static void pass_event(struct scene *scene, uint32_t tid, uint8_t opcode, uint64_t activity,
                       uint64_t related, const void *metadata, size_t metadata_bytes,
                       const void *data, size_t data_bytes)
{
    scene->size = 8;
    put_number(scene,
               CAIRN_EVENTHEADER_LITTLE_ENDIAN | CAIRN_EVENTHEADER_EXTENSION |
                   CAIRN_EVENTHEADER_POINTER64,
               1);
    put_number(scene, 0, 5);
    put_number(scene, opcode, 1);
    put_number(scene, 4, 1);
    if (activity) {
        put_number(scene, related ? 32 : 16, 2);
        put_number(scene, CAIRN_EXTENSION_ACTIVITY_ID | CAIRN_EXTENSION_CHAIN, 2);
        put_id(scene, 1, activity);
        if (related)
            put_id(scene, 1, related);
    }
    put_number(scene, metadata_bytes, 2);
    put_number(scene, CAIRN_EXTENSION_METADATA, 2);
    put(scene, metadata, metadata_bytes);
    put(scene, data, data_bytes);
    pass(scene, scene->eventheader, tid, tid == SERVER ? "server" : "worker");
}

#define EVENT(scene, tid, opcode, activity, related, metadata, data, data_bytes)            \
    pass_event(scene, tid, opcode, activity, related, metadata, sizeof(metadata) - 1, data, \
               data_bytes)

#define U32          "\x04"
#define ZTEXT        "\x07"
#define U32S         "\x44" /* an array, whose length is before it */
#define STRUCT_OF_1  "\x81\x01"
#define STRUCTS_OF_1 "\xc1\x01"

static void put_thread(struct scene *scene, uint32_t tid)
{
    char comm[16] = "worker";

    if (tid == SERVER)
        strcpy(comm, "server");
    put(scene, comm, sizeof(comm));
    put_number(scene, tid, 4);
    put_number(scene, 120, 4);
}

static void pass_switch(struct scene *scene, uint32_t from, uint64_t state, uint32_t to)
{
    scene->size = 8;
    put_thread(scene, from);
    put_number(scene, state, 8);
    put_thread(scene, to);
    pass(scene, scene->on_switch, from, from == SERVER ? "server" : "worker");
}

static void pass_waking(struct scene *scene, uint32_t waker, uint32_t woken)
{
    scene->size = 8;
    put_thread(scene, woken);
    put_number(scene, 1, 4);
    pass(scene, scene->on_waking, waker, waker == SERVER ? "server" : "worker");
}

/* Files that the server has mapped: PERF_RECORD_MMAP. The second one's path is markup. */
#define MAIN_ADDRESS    UINT64_C(0x10000)
#define LIBRARY_ADDRESS UINT64_C(0x20000)

static void map_file(struct scene *scene, uint64_t address, const char *path)
{
    scene->size = 0;
    put_number(scene, 1, 4);
    put_number(scene, 0, 2);
    put_number(scene, 40 + strlen(path) + 1, 2);
    put_number(scene, SERVER, 4);
    put_number(scene, SERVER, 4);
    put_number(scene, address, 8);
    put_number(scene, 0x1000, 8);
    put_number(scene, 0, 8);
    put(scene, path, strlen(path) + 1);
    check(decode_stacks_apply(&scene->stacks, scene->raw, (uint16_t)scene->size, false), "map");
}

/* Every third one was called by the library. */
static void put_stack(struct scene *scene, uint32_t number)
{
    static const uint64_t kernel = UINT64_C(0xffffffff81000000); /* without a mark: it is unknown */

    scene->chain[0] = MAIN_ADDRESS;
    scene->chain[1] = number % 3 ? MAIN_ADDRESS + 8 : LIBRARY_ADDRESS;
    scene->chain[2] = kernel;
    scene->chain_count = number % 3 ? 2 : 3;
}

static void pass_request(struct scene *scene, uint32_t number)
{
    uint64_t outer = 2 * (uint64_t)number + 1;
    uint64_t begin_ns = scene->now_ns;
    uint32_t queue = number % 100;

    EVENT(scene, SERVER, 1, outer, 0, "Request\0Number\0" U32, &number, 4);
    put_stack(scene, number);
    EVENT(scene, SERVER, 0, 0, 0, "Queue\0Length\0" U32, &queue, 4);
    scene->now_ns = begin_ns + 5000;
    pass_waking(scene, SERVER, WORKER);
    scene->now_ns = begin_ns + 6000;
    pass_switch(scene, SERVER, 1, WORKER);
    EVENT(scene, WORKER, 1, outer + 1, outer, "Work\0Number\0" U32, &number, 4);
    scene->now_ns = begin_ns + 26000 + 100 * queue;
    EVENT(scene, WORKER, 2, outer + 1, 0, "Work\0", "", 0);
    pass_waking(scene, WORKER, SERVER);
    scene->now_ns += 1000;
    pass_switch(scene, WORKER, 1, SERVER);
    scene->now_ns += 500;
    EVENT(scene, SERVER, 2, outer, 0, "Request\0", "", 0);
    scene->now_ns = begin_ns + 50000;
}

static void pass_overlapping(struct scene *scene, uint32_t count)
{
    static const uint64_t first = UINT64_C(1) << 32;

    for (uint32_t i = 0; i < count; i++, scene->now_ns += 1000) {
        if (i % 2)
            EVENT(scene, WORKER, 1, first + i, 0, "Odd\0", "", 0);
        else
            EVENT(scene, WORKER, 1, first + i, 0, "Even\0", "", 0);
    }
    scene->now_ns += 1000000 - 1000 * (uint64_t)count;
    for (uint32_t i = 0; i < count; i++, scene->now_ns += 1000)
        EVENT(scene, WORKER, 2, first + i, 0, "End\0", "", 0);
}

static void pass_hostile(struct scene *scene)
{
    static const char data[] = "<img src=x onerror=\"window.hacked=1\">\0"
                               "\xff\xfe\x01 \xe2\x80\xae"
                               "gpj.exe\0"
                               "</script><script>window.hacked=1</script>";

    EVENT(scene, SERVER, 0, 0, 0,
          "<script>window.hacked=1</script>\0<b>Bold\0" ZTEXT "\xe2\x80\xaeReversed\0" ZTEXT
          "\xc3(\0" ZTEXT,
          data, sizeof(data));
}

static void pass_words(struct scene *scene)
{
    static const char data[] = "\7\0\0\0"
                               "\10\0\0\0"
                               "\11\0\0\0"
                               "\1\0\1\0\0\0"
                               "\1\0\1\0\0\0";

    EVENT(scene, SERVER, 0, 0, 0,
          "Words\0in\0" U32 "pid\0" U32 "Members\0" STRUCT_OF_1 "not\0" U32 "Numbers\0" U32S
          "Points\0" STRUCTS_OF_1 "X\0" U32,
          data, sizeof(data) - 1);
}

int main(int argc, char **argv)
{
    const struct cairn_report_options options = {.size = sizeof(options), .title = "<b>scene</b>"};
    struct scene scene = {.now_ns = 0};
    uint32_t count = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 10;
    int fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

    check(fd < 0, "the output cannot be opened");
    check(cairn_decoder_create(&scene.decoder), "decoder");
    check(cairn_report_create(&options, fd, &scene.report), "report");
    scene.eventheader = add(&scene, "user_events", "Shop_L4K1", EVENTHEADER);
    scene.on_switch = add(&scene, "sched", "sched_switch", SWITCH);
    scene.on_waking = add(&scene, "sched", "sched_waking", WAKING);
    map_file(&scene, MAIN_ADDRESS, "/opt/shop/server");
    map_file(&scene, LIBRARY_ADDRESS, "<img src=x onerror=window.hacked=1>\xe2\x80\xae\xff");
    pass_hostile(&scene);
    pass_words(&scene);
    for (uint32_t number = 0; number < count; number++)
        pass_request(&scene, number);
    pass_overlapping(&scene, argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0);
    check(cairn_report_finish(scene.report), "finish");
    cairn_report_destroy(scene.report);
    cairn_decoder_destroy(scene.decoder);
    decode_stacks_free(&scene.stacks);
    check(close(fd) < 0, "close");
    return 0;
}
