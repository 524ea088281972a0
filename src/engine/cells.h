/* SPDX-License-Identifier: MIT */
/*
 * Memory for the state of writing threads, mapped before the first event: equal cells, allocated
 * and freed without a lock or a system call, by any thread and any signal handler.
 *
 * In a forked child the cells read as zeros and are all free.
 */
#ifndef ENGINE_CELLS_H
#define ENGINE_CELLS_H

#include <stddef.h>
#include <stdint.h>

#define ENGINE_CELL_BYTES ((size_t)512)

/* Maps the cells, once. Returns 0 or ENOMEM. */
int engine_cells_map(void);

/* A cell of zeros, or NULL: all are taken. */
void *engine_cell_take(void);
void engine_cell_give(void *cell);

/* The number of a cell, never 0; and the cell of a number. */
uint32_t engine_cell_number(const void *cell);
void *engine_cell_at(uint32_t number);

/* Starts again with the lowest cells: in a forked child whose one thread has no cell any more. */
void engine_cells_forget(void);

#endif
