/* SPDX-License-Identifier: MIT */
/*
 * The tree of files, as a file system has it: directories and files with numbers. A number
 * identifies a file completely: nothing is stored for it. The number of an event's file contains
 * the event's sample id, so it never means another event's. All under the engine's lock.
 */
#ifndef TRACEFS_NODE_H
#define TRACEFS_NODE_H

#include "tracefs/file.h"

#include <cairn/schema.h>
#include <stdbool.h>

typedef uint64_t tracefs_node;

#define TRACEFS_NODE_ROOT   ((tracefs_node)1)
#define TRACEFS_NODE_STATUS ((tracefs_node)11) /* user_events_status */

struct tracefs_node_attributes {
    unsigned int mode; /* with the type */
    uint64_t size_bytes;
};

struct tracefs_node_entry {
    tracefs_node node;
    unsigned int mode;
    char name[CAIRN_NAME_MAX_BYTES + 64];
};

/* Returns 0; ENOENT; ENOTDIR; or why the registry cannot be used. */
int tracefs_node_find(tracefs_node directory, const char *name, tracefs_node *ret_node);

/* Returns 0; ENOENT the event is gone. */
int tracefs_node_attributes(tracefs_node node, struct tracefs_node_attributes *ret_attributes);

/* The entry of a directory at a position, or the next one; *position is then that of its successor.
 * The first is at 0. False: there is none. */
bool tracefs_node_list(tracefs_node directory, uint64_t *position,
                       struct tracefs_node_entry *ret_entry);

/* The file of a node, which may be gone. False: it is a directory, of kind TRACEFS_FILE_NONE. */
bool tracefs_node_file(tracefs_node node, struct tracefs_file *ret_file);

#endif
