/* SPDX-License-Identifier: MIT */
/*
 * The tree of files, as a file system has it: directories and files with numbers. A number
 * identifies a file completely: nothing is stored for it. The number of an event's file contains
 * the event's generation, so it never means another event's. All under the engine's lock.
 */
#ifndef TRACEFS_NODE_H
#define TRACEFS_NODE_H

#include "tracefs/place.h"

#include <cairn/schema.h>

typedef uint64_t cairn_node;

#define CAIRN_NODE_ROOT   ((cairn_node)1)
#define CAIRN_NODE_STATUS ((cairn_node)17) /* user_events_status */

struct cairn_node_attributes {
    unsigned int mode; /* with the type */
    uint64_t size_bytes;
};

struct cairn_node_entry {
    cairn_node node;
    unsigned int mode;
    char name[CAIRN_NAME_MAX_BYTES + 64];
};

/* Returns 0; ENOENT; ENOTDIR; or why the registry cannot be used. */
int cairn_node_find(cairn_node directory, const char *name, cairn_node *ret_node);

/* Returns 0; ENOENT the event is gone. */
int cairn_node_attributes(cairn_node node, struct cairn_node_attributes *ret_attributes);

/* The entry of a directory at a position, or the next one; *position is then that of its successor.
 * The first is at 0. False: there is none. */
bool cairn_node_list(cairn_node directory, uint64_t *position, struct cairn_node_entry *ret_entry);

/* True for a directory. */
bool cairn_node_is_directory(cairn_node node);

/* The file of a node. False: it is a directory, or a file with a fixed text. */
bool cairn_node_place(cairn_node node, struct cairn_place *ret_place);

/* The content of a file that never changes, or NULL. */
const char *cairn_node_text(cairn_node node);

#endif
