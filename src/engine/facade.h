/* SPDX-License-Identifier: MIT */
/*
 * The filter of the facade of a process, in the process's file: the process shows the one in force,
 * and others ask for another one (session/program_filter.c). The process needs no thread for that:
 * its call sites look at a byte, which a request sets.
 *
 * A child of fork looks at the byte of its parent's file, until it has a file of its own: a request
 * is for a process, and for its children that have registered nothing.
 */
#ifndef ENGINE_FACADE_H
#define ENGINE_FACADE_H

#include "engine/abi.h"

#include <cairn/tracepoint.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Begins to take requests: `gate` is enabled while there is one. Attaches to the tracing directory.
 * Returns 0, also when it was called before; or why there is no engine.
 */
int engine_facade_open(struct cairn_tracepoint *gate);

/* Shows the filter in force; NULL: the process has none that could be changed. */
void engine_facade_show(const char *text);

/*
 * Copies a request that was not answered yet, NUL-terminated. False: there is none, or it is being
 * written. Any bytes may be in it.
 */
bool engine_facade_take(char text[ENGINE_FACADE_TEXT_BYTES], uint32_t *ret_number);

/* Answers a request; `at`: the offset of an error in its text. */
void engine_facade_answer(uint32_t number, int error, size_t at);

/* Makes the gate that of the next request. */
void engine_facade_finish(uint32_t number);

/* For the engine: the process has a new file. Under its lock. */
void engine_facade_move(struct engine_process_file *file);

#endif
