/* SPDX-License-Identifier: MIT */
/* The events of the registry, as the files describe them. All under the engine's lock. */
#ifndef TRACEFS_EVENT_H
#define TRACEFS_EVENT_H

#include "engine/command_words.h"
#include "tracefs/file.h"

/* An event with the memory that its schema points to: the registry's may change. */
struct tracefs_event {
    uint64_t id; /* its sample id; 0: nothing was read */
    struct cairn_schema schema;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char words[ENGINE_WORDS_MAX_BYTES];
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/* The sample id of the event at a number of the registry; 0: there is none. */
uint64_t tracefs_event_id(uint32_t index);

bool tracefs_event_is_there(uint64_t id);

/* The first event of a system, of enum tracefs_system, after one at `index`, or 0: the first of all
 * is after 0. */
uint32_t tracefs_event_next(uint32_t system, uint32_t index);

/* Copies the event's text, or its name, which has a suffix if it is one of several formats. */
void tracefs_event_command(uint32_t index, char ret_command[CAIRN_COMMAND_MAX_BYTES]);
void tracefs_event_name(uint32_t index, char ret_name[CAIRN_COMMAND_MAX_BYTES]);

/* Reads an event, unless *event has it. False: it is gone, or its text is damaged. */
bool tracefs_event_read(uint64_t id, struct tracefs_event *event);

#endif
