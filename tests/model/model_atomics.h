/* SPDX-License-Identifier: MIT */
/*
 * Included before the sources of the rings (-include): redirects each atomic operation and each
 * copy of memory to the model. The model finds plain stores itself.
 */
#ifndef TESTS_MODEL_ATOMICS_H
#define TESTS_MODEL_ATOMICS_H

#include "model_operations.h"

#define __atomic_load_n(p, order)         ((__typeof__(*(p)))model_load(p, sizeof(*(p)), order))
#define __atomic_store_n(p, value, order) model_store(p, (uint64_t)(value), sizeof(*(p)), order)
#define __atomic_fetch_add(p, value, order) \
    ((__typeof__(*(p)))model_add(p, (uint64_t)(value), sizeof(*(p)), order))
#define __atomic_add_fetch(p, value, order) (__atomic_fetch_add(p, value, order) + (value))
#define __atomic_compare_exchange_n(p, expected, wanted, weak, order, failure_order)        \
    __extension__({                                                                         \
        uint64_t model_expected = *(expected);                                              \
        bool model_done =                                                                   \
            model_exchange_if(p, &model_expected, (uint64_t)(wanted), sizeof(*(p)), order); \
                                                                                            \
        *(expected) = (__typeof__(*(expected)))model_expected;                              \
        model_done;                                                                         \
    })
#define __atomic_thread_fence(order)           model_fence(order)
#define __atomic_signal_fence(order)           model_interrupt_point()
#define __builtin_memcpy(to, from, size_bytes) model_copy(to, from, size_bytes)

#endif
