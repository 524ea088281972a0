/* SPDX-License-Identifier: MIT */
/* The tree of functions, and the stacks of events in it. */
#include "report/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SLOTS 256u

/* ---- tables ---- */

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint32_t h = (a ^ b * 0x85ebca6bu) * 0x9e3779b1u;

    return h ^ h >> 15;
}

static uint32_t hash_bytes(uint32_t hash, const char *text, size_t size)
{
    for (size_t n = 0; n < size; n++)
        hash = (hash ^ (uint8_t)text[n]) * 16777619u;
    return hash;
}

static void put(struct report_slots *slots, uint32_t hash, uint32_t number)
{
    uint32_t at = hash & (slots->count - 1);

    while (slots->list[at])
        at = (at + 1) & (slots->count - 1);
    slots->list[at] = number + 1;
}

/* Makes space for one more: at most half of the slots are used. */
static int grow(struct report_slots *slots, uint32_t used, void **list, uint32_t *capacity,
                size_t element_bytes, bool *ret_is_new)
{
    uint32_t count = slots->count ? 2 * slots->count : FIRST_SLOTS;
    uint32_t *grown;
    void *bigger;

    *ret_is_new = false;
    if (used < slots->count / 2)
        return 0;
    bigger = realloc(*list, count / 2 * element_bytes);
    if (!bigger)
        return ENOMEM;
    *list = bigger;
    *capacity = count / 2;
    grown = (uint32_t *)calloc(count, sizeof(*grown));
    if (!grown)
        return ENOMEM;
    free(slots->list);
    *slots = (struct report_slots){grown, count};
    *ret_is_new = true;
    return 0;
}

/* ---- functions ---- */

/* The name of a frame: its function, or else the file that it is in. */
struct name {
    const char *symbol;
    const char *object;
    uint32_t symbol_bytes;
    uint32_t object_bytes;
    uint32_t hash;
    bool is_kernel;
};

static struct name name_of(const struct cairn_frame *frame)
{
    struct name name = {.symbol = frame->symbol ? frame->symbol : "",
                        .object = frame->object ? frame->object : "",
                        .is_kernel = frame->is_kernel};

    name.symbol_bytes = (uint32_t)strlen(name.symbol);
    name.object_bytes = (uint32_t)strlen(name.object);
    name.hash = hash_bytes(2166136261u, name.symbol, name.symbol_bytes + 1);
    name.hash = hash_bytes(name.hash ^ name.is_kernel, name.object, name.object_bytes);
    return name;
}

static bool is_same(const struct report_frame *frame, const struct name *name)
{
    return frame->hash == name->hash && frame->symbol_bytes == name->symbol_bytes &&
           frame->object_bytes == name->object_bytes && frame->is_kernel == name->is_kernel &&
           !memcmp(frame->text, name->symbol, name->symbol_bytes) &&
           !memcmp(frame->text + frame->symbol_bytes + 1, name->object, name->object_bytes);
}

static int add_frame(struct report_stacks *stacks, const struct name *name, uint32_t *ret_frame)
{
    struct report_frame *frame;
    bool is_new;
    int err = grow(&stacks->frame_slots, stacks->frame_count, (void **)&stacks->frames,
                   &stacks->frame_capacity, sizeof(*stacks->frames), &is_new);

    if (err)
        return err;
    for (uint32_t n = 0; is_new && n < stacks->frame_count; n++)
        put(&stacks->frame_slots, stacks->frames[n].hash, n);
    frame = &stacks->frames[stacks->frame_count];
    *frame = (struct report_frame){
        .text = (char *)malloc(name->symbol_bytes + 1 + name->object_bytes + 1),
        .hash = name->hash,
        .symbol_bytes = name->symbol_bytes,
        .object_bytes = name->object_bytes,
        .is_kernel = name->is_kernel};
    if (!frame->text)
        return ENOMEM;
    memcpy(frame->text, name->symbol, name->symbol_bytes + 1);
    memcpy(frame->text + name->symbol_bytes + 1, name->object, name->object_bytes + 1);
    put(&stacks->frame_slots, name->hash, stacks->frame_count);
    *ret_frame = stacks->frame_count++;
    return 0;
}

/* Returns 0; ENOSPC too many; ENOMEM. */
static int find_frame(struct report_stacks *stacks, const struct cairn_frame *of,
                      uint32_t *ret_frame)
{
    const struct report_slots *slots = &stacks->frame_slots;
    struct name name = name_of(of);

    for (uint32_t at = name.hash; slots->count && slots->list[at & (slots->count - 1)]; at++) {
        uint32_t number = slots->list[at & (slots->count - 1)] - 1;

        if (is_same(&stacks->frames[number], &name)) {
            *ret_frame = number;
            return 0;
        }
    }
    return stacks->frame_count < REPORT_FRAMES_MAX ? add_frame(stacks, &name, ret_frame) : ENOSPC;
}

/* ---- the tree ---- */

static void write_node(struct report_stacks *stacks, struct report_output *output,
                       const struct report_node *node)
{
    struct report_columns *rows = &stacks->node_rows;

    if (!rows->count)
        rows->first = stacks->node_count;
    report_columns_row(rows, 0, 0);
    report_bytes_difference(&rows->columns[0], node->parent, rows->last_event);
    report_bytes_varint(&rows->columns[1], node->frame);
    rows->last_event = node->parent;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &stacks->node_blocks, output);
}

static int add_node(struct report_stacks *stacks, struct report_output *output,
                    const struct report_node *node, uint32_t *ret_node)
{
    bool is_new;
    int err = grow(&stacks->node_slots, stacks->node_count, (void **)&stacks->nodes,
                   &stacks->node_capacity, sizeof(*stacks->nodes), &is_new);

    if (err)
        return err;
    for (uint32_t n = 0; is_new && n < stacks->node_count; n++)
        put(&stacks->node_slots, mix(stacks->nodes[n].parent, stacks->nodes[n].frame), n);
    write_node(stacks, output, node);
    stacks->nodes[stacks->node_count] = *node;
    put(&stacks->node_slots, mix(node->parent, node->frame), stacks->node_count);
    *ret_node = stacks->node_count++;
    return 0;
}

/* Returns 0; ENOSPC too many; ENOMEM. */
static int find_node(struct report_stacks *stacks, struct report_output *output,
                     const struct report_node *node, uint32_t *ret_node)
{
    const struct report_slots *slots = &stacks->node_slots;
    uint32_t at = mix(node->parent, node->frame);

    for (; slots->count && slots->list[at & (slots->count - 1)]; at++) {
        uint32_t number = slots->list[at & (slots->count - 1)] - 1;

        if (stacks->nodes[number].parent == node->parent &&
            stacks->nodes[number].frame == node->frame) {
            *ret_node = number;
            return 0;
        }
    }
    return stacks->node_count < REPORT_NODES_MAX ? add_node(stacks, output, node, ret_node)
                                                 : ENOSPC;
}

/* Sets *ret_leaf to the number + 1 of the innermost function's node. Returns as find_node. */
static int find_leaf(struct report_stacks *stacks, struct report_output *output,
                     const struct cairn_event *event, uint32_t *ret_leaf)
{
    uint32_t depth = cairn_event_frame_count(event);
    struct cairn_frame frame;
    int err = 0;

    *ret_leaf = 0;
    if (depth > REPORT_STACK_DEPTH_MAX) {
        depth = REPORT_STACK_DEPTH_MAX;
        stacks->cut++;
    }
    while (depth-- && !err && cairn_event_frame(event, depth, &frame)) {
        struct report_node node = {.parent = *ret_leaf};
        uint32_t number;

        err = find_frame(stacks, &frame, &node.frame);
        err = err ? err : find_node(stacks, output, &node, &number);
        if (!err)
            *ret_leaf = number + 1;
    }
    return err;
}

/* ---- events ---- */

int report_stacks_add(struct report_stacks *stacks, struct report_output *output,
                      const struct cairn_event *event, const struct report_stack_event *of)
{
    struct report_columns *rows = &stacks->rows;
    uint32_t leaf;
    int err = find_leaf(stacks, output, event, &leaf);

    if (err == ENOMEM)
        return err;
    stacks->cut += err == ENOSPC;
    if (!rows->count)
        rows->first = of->number;
    report_columns_row(rows, of->time_ns, of->time_ns);
    report_bytes_difference(&rows->columns[0], of->time_ns, rows->last_time);
    report_bytes_difference(&rows->columns[1], of->number, rows->last_event);
    report_bytes_varint(&rows->columns[2], of->thread);
    report_bytes_varint(&rows->columns[3], of->kind);
    report_bytes_varint(&rows->columns[4], leaf);
    rows->last_time = of->time_ns;
    rows->last_event = of->number;
    if (rows->count == REPORT_BLOCK_ROWS_MAX)
        report_columns_write(rows, &stacks->row_blocks, output);
    return 0;
}

void report_stacks_write(struct report_stacks *stacks, struct report_output *output)
{
    report_columns_write(&stacks->node_rows, &stacks->node_blocks, output);
    report_columns_write(&stacks->rows, &stacks->row_blocks, output);
}

void report_stacks_free(struct report_stacks *stacks)
{
    for (uint32_t n = 0; n < stacks->frame_count; n++)
        free(stacks->frames[n].text);
    free(stacks->frames);
    free(stacks->frame_slots.list);
    free(stacks->nodes);
    free(stacks->node_slots.list);
    report_columns_free(&stacks->node_rows);
    report_blocks_free(&stacks->node_blocks);
    report_columns_free(&stacks->rows);
    report_blocks_free(&stacks->row_blocks);
    *stacks = (struct report_stacks){0};
}
