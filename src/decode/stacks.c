/* SPDX-License-Identifier: MIT */
/* Mappings of processes, and frames of call chains. */
#include "decode/stacks.h"

#include "core/cursor.h"
#include "perf_data/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A process that forks copies its mappings: a recording of many processes must not ask for more
 * memory than this many take. */
#define MAPS_MAX (1u << 20)

#define PATH_MAX_BYTES 4096u

enum { RECORD_MMAP = 1, RECORD_COMM = 3, RECORD_FORK = 7, RECORD_MMAP2 = 10 };

#define MISC_COMM_EXEC     0x2000u /* PERF_RECORD_MISC_COMM_EXEC */
#define MISC_MMAP_BUILD_ID 0x4000u /* PERF_RECORD_MISC_MMAP_BUILD_ID */

/* Marks in a call chain: the addresses after them are of this context. */
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER   ((uint64_t)-512)
#define CONTEXT_FIRST  ((uint64_t)-4095)

struct map {
    uint64_t start;
    uint64_t end;
    uint64_t file_offset;
    uint32_t object;
};

struct decode_process_maps {
    struct map *maps; /* by address, without overlap */
    uint32_t count;
    uint32_t capacity;
};

/* ---- mappings ---- */

static int find_process(struct decode_stacks *stacks, uint32_t pid,
                        struct decode_process_maps **ret_process)
{
    uint32_t index = perf_data_map_get(&stacks->process_of, pid);
    struct decode_process_maps *process;

    if (index != PERF_DATA_MAP_NONE) {
        *ret_process = stacks->processes[index];
        return 0;
    }
    process = (struct decode_process_maps *)calloc(1, sizeof(*process));
    if (!process || perf_data_array_grow((void ***)&stacks->processes, stacks->process_count) ||
        perf_data_map_set(&stacks->process_of, pid, stacks->process_count)) {
        free(process);
        return ENOMEM;
    }
    stacks->processes[stacks->process_count++] = process;
    *ret_process = process;
    return 0;
}

static void clear(struct decode_stacks *stacks, struct decode_process_maps *process)
{
    stacks->map_count -= process->count;
    process->count = 0;
}

static int make_space(struct decode_process_maps *process, uint32_t count)
{
    uint32_t capacity = process->capacity ? process->capacity : 16;
    void *bigger;

    while (capacity < count)
        capacity *= 2;
    if (capacity == process->capacity)
        return 0;
    bigger = realloc(process->maps, capacity * sizeof(*process->maps));
    if (!bigger)
        return ENOMEM;
    process->maps = (struct map *)bigger;
    process->capacity = capacity;
    return 0;
}

/* The first mapping that ends after an address. */
static uint32_t find_map(const struct decode_process_maps *process, uint64_t address)
{
    uint32_t first = 0;

    for (uint32_t count = process->count; count;) {
        uint32_t half = count / 2;

        if (process->maps[first + half].end <= address) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

/* A new mapping replaces what it overlaps: of a file that is mapped in parts the code is what
 * counts, and comes last or does not overlap. */
static int add_map(struct decode_stacks *stacks, struct decode_process_maps *process,
                   const struct map *map)
{
    uint32_t at = find_map(process, map->start);
    uint32_t after = at;
    int err;

    while (after < process->count && process->maps[after].start < map->end)
        after++;
    if (after == at && stacks->map_count >= MAPS_MAX)
        return 0;
    err = make_space(process, process->count + 1);
    if (err)
        return err;
    memmove(&process->maps[at + 1], &process->maps[after],
            (process->count - after) * sizeof(*process->maps));
    process->maps[at] = *map;
    stacks->map_count += 1 - (after - at);
    process->count += 1 - (after - at);
    return 0;
}

static int apply_mmap(struct decode_stacks *stacks, struct core_cursor c, uint32_t type,
                      uint16_t misc)
{
    struct decode_build_id build_id = {.size_bytes = 0};
    struct decode_process_maps *process;
    uint32_t pid = core_cursor_u32(&c);
    struct map map = {0};
    uint64_t length;
    size_t path_bytes;
    const uint8_t *id;
    const char *path;
    int err;

    core_cursor_u32(&c); /* the thread */
    map.start = core_cursor_u64(&c);
    length = core_cursor_u64(&c);
    map.file_offset = core_cursor_u64(&c);
    if (type == RECORD_MMAP2) {
        id = (const uint8_t *)core_cursor_take(&c, 24); /* or device, inode and generation */
        core_cursor_u64(&c);                            /* protection and flags */
        if (id && misc & MISC_MMAP_BUILD_ID && id[0] <= DECODE_BUILD_ID_MAX_BYTES) {
            build_id.size_bytes = id[0];
            memcpy(build_id.bytes, id + 4, id[0]);
        }
    }
    path = core_cursor_string(&c, &path_bytes);
    if (!path || path_bytes >= PATH_MAX_BYTES || !length || map.start > UINT64_MAX - length ||
        pid == UINT32_MAX)
        return 0;
    map.end = map.start + length;
    err = decode_objects_find(&stacks->objects, path, &build_id, &map.object);
    err = err ? err : find_process(stacks, pid, &process);
    return err ? err : add_map(stacks, process, &map);
}

static int apply_fork(struct decode_stacks *stacks, struct core_cursor c)
{
    uint32_t pid = core_cursor_u32(&c);
    uint32_t parent_pid = core_cursor_u32(&c);
    struct decode_process_maps *parent;
    struct decode_process_maps *child;
    int err;

    if (c.error || pid == parent_pid ||
        perf_data_map_get(&stacks->process_of, parent_pid) == PERF_DATA_MAP_NONE)
        return 0;
    err = find_process(stacks, parent_pid, &parent);
    err = err ? err : find_process(stacks, pid, &child);
    if (err)
        return err;
    clear(stacks, child);
    if (!parent->count || parent->count > MAPS_MAX - stacks->map_count)
        return 0;
    err = make_space(child, parent->count);
    if (err)
        return err;
    memcpy(child->maps, parent->maps, parent->count * sizeof(*parent->maps));
    child->count = parent->count;
    stacks->map_count += parent->count;
    return 0;
}

/* Another program has other mappings. */
static void apply_exec(struct decode_stacks *stacks, struct core_cursor c)
{
    uint32_t index = perf_data_map_get(&stacks->process_of, core_cursor_u32(&c));

    if (!c.error && index != PERF_DATA_MAP_NONE)
        clear(stacks, stacks->processes[index]);
}

int decode_stacks_apply(struct decode_stacks *stacks, const uint8_t *record, uint16_t size_bytes,
                        bool swap)
{
    struct core_cursor c = core_cursor(record, size_bytes, swap);
    uint32_t type = core_cursor_u32(&c);
    uint16_t misc = core_cursor_u16(&c);

    core_cursor_u16(&c); /* the size */
    if (type == RECORD_MMAP || type == RECORD_MMAP2)
        return apply_mmap(stacks, c, type, misc);
    if (type == RECORD_FORK)
        return apply_fork(stacks, c);
    if (type == RECORD_COMM && misc & MISC_COMM_EXEC)
        apply_exec(stacks, c);
    return 0;
}

void decode_stacks_free(struct decode_stacks *stacks)
{
    for (uint32_t n = 0; n < stacks->process_count; n++) {
        free(stacks->processes[n]->maps);
        free(stacks->processes[n]);
    }
    free(stacks->processes);
    perf_data_map_free(&stacks->process_of);
    decode_objects_free(&stacks->objects);
    *stacks = (struct decode_stacks){0};
}

/* ---- frames ---- */

void decode_stacks_set(struct decode_stacks *stacks, const uint8_t *chain, uint64_t count,
                       bool swap, struct cairn_event *event)
{
    event->stack = NULL;
    if (!count)
        return;
    stacks->event = (struct decode_stack){
        .stacks = stacks, .chain = chain, .count = count, .pid = event->pid, .swap = swap};
    event->stack = &stacks->event;
}

static uint64_t address_at(const struct decode_stack *stack, uint64_t index)
{
    return core_load64(stack->chain + 8 * index, stack->swap);
}

uint32_t cairn_event_frame_count(const struct cairn_event *event)
{
    uint64_t count = 0;

    if (event->stack && event->stack->frames)
        return (uint32_t)event->stack->count;
    for (uint64_t n = 0; event->stack && n < event->stack->count; n++)
        count += address_at(event->stack, n) < CONTEXT_FIRST;
    return (uint32_t)count;
}

static void resolve_user(struct decode_stacks *stacks, uint32_t pid, struct cairn_frame *frame)
{
    uint32_t index = perf_data_map_get(&stacks->process_of, pid);
    const struct decode_process_maps *process;
    const struct map *map;
    uint32_t at;

    if (index == PERF_DATA_MAP_NONE)
        return;
    process = stacks->processes[index];
    at = find_map(process, frame->address);
    if (at == process->count || process->maps[at].start > frame->address)
        return;
    map = &process->maps[at];
    frame->object = decode_object_path(&stacks->objects, map->object);
    frame->object_offset = frame->address - map->start + map->file_offset;
    (void)decode_object_symbol(&stacks->objects, map->object, frame->object_offset, &frame->symbol,
                               &frame->symbol_offset);
}

static void resolve(const struct decode_stack *stack, struct cairn_frame *frame)
{
    if (!frame->is_kernel)
        resolve_user(stack->stacks, stack->pid, frame);
    else if (stack->stacks->kernel)
        (void)decode_kernel_symbols_resolve(stack->stacks->kernel, frame->address, &frame->symbol,
                                            &frame->symbol_offset);
    if (frame->is_kernel)
        frame->object = "[kernel.kallsyms]";
}

/* Moves on to the next address that is none of a context. False: there is none. */
static bool next_address(const struct decode_stack *stack, uint64_t *at, struct cairn_frame *frame)
{
    bool is_kernel = frame->is_kernel;

    while (*at < stack->count) {
        uint64_t address = address_at(stack, (*at)++);

        if (address == CONTEXT_KERNEL || address == CONTEXT_USER)
            is_kernel = address == CONTEXT_KERNEL;
        if (address < CONTEXT_FIRST) {
            *frame = (struct cairn_frame){.address = address, .is_kernel = is_kernel};
            return true;
        }
    }
    return false;
}

bool cairn_event_frame(const struct cairn_event *event, uint32_t index,
                       struct cairn_frame *ret_frame)
{
    const struct decode_stack *stack = event->stack;
    struct cairn_frame frame = {0};
    uint64_t at = 0;
    uint32_t found = 0;

    if (!stack)
        return false;
    if (stack->frames) {
        if (index < stack->count)
            *ret_frame = stack->frames[index];
        return index < stack->count;
    }
    while (next_address(stack, &at, &frame)) {
        if (found++ < index)
            continue;
        resolve(stack, &frame);
        *ret_frame = frame;
        return true;
    }
    return false;
}

void decode_stack_frames(const struct cairn_event *event, struct cairn_frame *frames)
{
    struct cairn_frame frame = {0};
    uint64_t at = 0;

    if (event->stack->frames) {
        memcpy(frames, event->stack->frames, event->stack->count * sizeof(*frames));
        return;
    }
    for (uint32_t n = 0; next_address(event->stack, &at, &frame); n++) {
        frames[n] = frame;
        resolve(event->stack, &frames[n]);
    }
}
