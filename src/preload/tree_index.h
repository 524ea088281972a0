/* SPDX-License-Identifier: MIT */
/* The index of the real directory, the file tracefs.index: which events have a directory there. All
 * processes map it; it is changed under the registry's lock. */
#ifndef PRELOAD_TREE_INDEX_H
#define PRELOAD_TREE_INDEX_H

#include "engine/abi.h"

#include <cairn/schema.h>
#include <stddef.h>
#include <stdint.h>

#define PRELOAD_TREE_INDEX_MAGIC UINT64_C(0x32656572746e7263) /* "crntree2" */

/* An event as its directory is: 256 bytes, for a page of memory holds whole ones. */
struct preload_tree_event {
    uint64_t generation; /* 0: it has no directory */
    uint32_t flags;      /* of enum engine_entry_flag */
    char name[CAIRN_NAME_MAX_BYTES - 12];
};

struct preload_tree_index {
    uint64_t magic;
    uint32_t changes; /* of the registry, when it was last looked at */
    uint32_t end;     /* after the last event that has memory: even reading another may be fatal */
    uint8_t reserved[4096 - 16];
    struct preload_tree_event events[ENGINE_EVENT_MAX];
};

CAIRN_I_STATIC_ASSERT(sizeof(struct preload_tree_event) == 256, "an event is of 256 bytes");
CAIRN_I_STATIC_ASSERT(offsetof(struct preload_tree_index, events) == 4096, "events at 4096");

/* Maps the file, and makes it where there is none. Returns 0 or an errno code. */
int preload_tree_index_map(struct preload_tree_index **ret_index);

/* After the last event that can be read. */
uint32_t preload_tree_index_end(const struct preload_tree_index *index);

/* Allocates memory for all events below `end`. Returns 0 or an errno code. */
int preload_tree_index_back(struct preload_tree_index *index, uint32_t end);

#endif
