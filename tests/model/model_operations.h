/* SPDX-License-Identifier: MIT */
/* Atomic operations and copies of memory in the model. Orders are __ATOMIC_ACQUIRE etc. */
#ifndef TESTS_MODEL_OPERATIONS_H
#define TESTS_MODEL_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

uint64_t model_load(const void *from, size_t size_bytes, int order);
void model_store(void *to, uint64_t value, size_t size_bytes, int order);
uint64_t model_add(void *to, uint64_t value, size_t size_bytes, int order);
bool model_exchange_if(void *to, uint64_t *expected, uint64_t wanted, size_t size_bytes, int order);
void model_fence(int order);
void model_copy(void *to, const void *from, size_t size_bytes);

/* If the caller is the writer, an interrupt may run here. */
void model_interrupt_point(void);

#endif
