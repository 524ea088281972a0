/* SPDX-License-Identifier: MIT */
/*
 * Atomic operations, named by the order that they guarantee. A call with an order says in a comment
 * what it pairs with.
 *
 *   relaxed   the value alone matters: nothing else is published with it
 *   release   what was written before is visible to a thread that acquires the new value
 *   acquire   what was written before the release of the loaded value is visible after it
 *   acq_rel   both: the value hands something over, and takes something over
 *   seq_cst   a store and a later load of another object stay in order, for all threads
 *
 * An interrupt on the same CPU, or a signal handler in the same thread, sees stores in the order of
 * the program if the compiler keeps that order: core_interrupt_barrier() makes it.
 *
 * A compare-exchange does not fail spuriously. When it fails it stores the value that it found in
 * *expected, and orders nothing.
 *
 * Macros, for objects of any integer or pointer type, and for the model of the tests.
 */
#ifndef CORE_ATOMIC_H
#define CORE_ATOMIC_H

#define core_load_relaxed(from) __atomic_load_n(from, __ATOMIC_RELAXED)
#define core_load_acquire(from) __atomic_load_n(from, __ATOMIC_ACQUIRE)
#define core_load_seq_cst(from) __atomic_load_n(from, __ATOMIC_SEQ_CST)

#define core_store_relaxed(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)
#define core_store_release(to, value) __atomic_store_n(to, value, __ATOMIC_RELEASE)
#define core_store_seq_cst(to, value) __atomic_store_n(to, value, __ATOMIC_SEQ_CST)

/* Return the old value. */
#define core_exchange_relaxed(to, value)  __atomic_exchange_n(to, value, __ATOMIC_RELAXED)
#define core_exchange_acquire(to, value)  __atomic_exchange_n(to, value, __ATOMIC_ACQUIRE)
#define core_exchange_acq_rel(to, value)  __atomic_exchange_n(to, value, __ATOMIC_ACQ_REL)
#define core_exchange_seq_cst(to, value)  __atomic_exchange_n(to, value, __ATOMIC_SEQ_CST)
#define core_fetch_add_relaxed(to, value) __atomic_fetch_add(to, value, __ATOMIC_RELAXED)
#define core_fetch_add_release(to, value) __atomic_fetch_add(to, value, __ATOMIC_RELEASE)
#define core_fetch_add_acq_rel(to, value) __atomic_fetch_add(to, value, __ATOMIC_ACQ_REL)
#define core_fetch_add_seq_cst(to, value) __atomic_fetch_add(to, value, __ATOMIC_SEQ_CST)
#define core_fetch_sub_relaxed(to, value) __atomic_fetch_sub(to, value, __ATOMIC_RELAXED)
#define core_fetch_sub_release(to, value) __atomic_fetch_sub(to, value, __ATOMIC_RELEASE)
#define core_fetch_or_relaxed(to, value)  __atomic_fetch_or(to, value, __ATOMIC_RELAXED)
#define core_fetch_or_release(to, value)  __atomic_fetch_or(to, value, __ATOMIC_RELEASE)
#define core_fetch_xor_release(to, value) __atomic_fetch_xor(to, value, __ATOMIC_RELEASE)
#define core_fetch_and_relaxed(to, value) __atomic_fetch_and(to, value, __ATOMIC_RELAXED)
#define core_fetch_and_release(to, value) __atomic_fetch_and(to, value, __ATOMIC_RELEASE)

/* Return the new value. */
#define core_or_fetch_release(to, value)  __atomic_or_fetch(to, value, __ATOMIC_RELEASE)
#define core_add_fetch_relaxed(to, value) __atomic_add_fetch(to, value, __ATOMIC_RELAXED)
#define core_add_fetch_release(to, value) __atomic_add_fetch(to, value, __ATOMIC_RELEASE)
#define core_sub_fetch_acq_rel(to, value) __atomic_sub_fetch(to, value, __ATOMIC_ACQ_REL)
#define core_sub_fetch_seq_cst(to, value) __atomic_sub_fetch(to, value, __ATOMIC_SEQ_CST)

/* Return true if *to was *expected, and is now `wanted`. */
#define core_compare_exchange_relaxed(to, expected, wanted) \
    CORE_COMPARE_EXCHANGE(to, expected, wanted, __ATOMIC_RELAXED)
#define core_compare_exchange_acquire(to, expected, wanted) \
    CORE_COMPARE_EXCHANGE(to, expected, wanted, __ATOMIC_ACQUIRE)
#define core_compare_exchange_release(to, expected, wanted) \
    CORE_COMPARE_EXCHANGE(to, expected, wanted, __ATOMIC_RELEASE)
#define core_compare_exchange_acq_rel(to, expected, wanted) \
    CORE_COMPARE_EXCHANGE(to, expected, wanted, __ATOMIC_ACQ_REL)
#define core_compare_exchange_seq_cst(to, expected, wanted) \
    CORE_COMPARE_EXCHANGE(to, expected, wanted, __ATOMIC_SEQ_CST)
#define CORE_COMPARE_EXCHANGE(to, expected, wanted, order) \
    __atomic_compare_exchange_n(to, expected, wanted, false, order, __ATOMIC_RELAXED)

/* Order all loads and stores before with those after, not those of one object. */
#define core_fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define core_fence_release() __atomic_thread_fence(__ATOMIC_RELEASE)
#define core_fence_seq_cst() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Keeps the compiler from moving loads and stores: an interrupt or a signal may come here. No
 * instruction. */
#define core_interrupt_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
