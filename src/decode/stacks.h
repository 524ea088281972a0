/* SPDX-License-Identifier: MIT */
/*
 * Stacks of samples: which files the processes had mapped, as records of the kernel say in the
 * order of time, and so which function an address belongs to.
 */
#ifndef DECODE_STACKS_H
#define DECODE_STACKS_H

#include "decode/kernel_symbols.h"
#include "decode/objects.h"
#include "perf_data/map.h"

#include <cairn/decode.h>

struct decode_process_maps;

struct decode_stacks {
    struct decode_objects objects;
    struct decode_process_maps **processes;
    uint32_t process_count;
    struct perf_data_map process_of;      /* pid to index */
    uint32_t map_count;                   /* of all processes */
    struct decode_kernel_symbols *kernel; /* the decoder's; NULL: none */
    struct decode_stack {
        struct decode_stacks *stacks; /* itself */
        const uint8_t *chain;         /* of the event: u64 addresses and marks of contexts */
        uint64_t count;
        uint32_t pid;
        bool swap;
        const struct cairn_frame *frames; /* instead of these: `count` frames, found before */
    } event;
};

/* Applies a record: MMAP, MMAP2, COMM, FORK; others have no effect. Returns 0; ENOMEM. */
int decode_stacks_apply(struct decode_stacks *stacks, const uint8_t *record, uint16_t size_bytes,
                        bool swap);

/* Sets the call chain of an event; count 0: it has none. */
void decode_stacks_set(struct decode_stacks *stacks, const uint8_t *chain, uint64_t count,
                       bool swap, struct cairn_event *event);

/*
 * Finds all frames of an event, for a copy of it: mappings may change with the next record.
 *
 * frames  of cairn_event_frame_count; their texts are valid as long as the event's reader
 */
void decode_stack_frames(const struct cairn_event *event, struct cairn_frame *frames);

void decode_stacks_free(struct decode_stacks *stacks);

#endif
