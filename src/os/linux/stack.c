/* SPDX-License-Identifier: MIT */
/* Walks a stack by frame pointers, within the limits of the stack. */
#include "os/stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/auxv.h>

/* The kernel leaves at least this much below the stack of the first thread for it to grow. */
#define FIRST_STACK_BYTES ((uintptr_t)64 << 20)

/* Frames of this library between the program's code and os_stack_walk. */
#define OWN_FRAMES_MAX 16u

/* Two words of a function's stack, at its frame pointer. */
struct frame {
    const struct frame *next;
    uintptr_t returns_to;
};

/* ---- limits ---- */

static bool is_in(const struct os_stack *stack, uintptr_t at)
{
    return at >= stack->low && at < stack->high;
}

/* The kernel puts some random bytes above the frames of the first thread. */
static struct os_stack first_stack(void)
{
    uintptr_t high = (uintptr_t)getauxval(AT_RANDOM) & ~(sizeof(struct frame) - 1);

    return (struct os_stack){high > FIRST_STACK_BYTES ? high - FIRST_STACK_BYTES : 0, high};
}

/*
 * glibc stores a thread's data above its stack. In the first kilobytes are three words: address,
 * size and guard size of the memory for both. They are recognized by their values, because their
 * offset depends on the version. (pthread_getattr_np, which returns them, allocates memory.)
 */
#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8
#define THREAD_POINTERS 256u
#define PAGE_MASK       UINT64_C(4095)

__attribute__((no_sanitize("address"))) static struct os_stack stack_of_thread(uintptr_t at)
{
    const uintptr_t *thread = (const void *)pthread_self();
    uintptr_t high = (uintptr_t)thread;

    for (uint32_t n = 0; n + 2 < THREAD_POINTERS; n++) {
        uintptr_t low = thread[n];
        uintptr_t size = thread[n + 1];
        uintptr_t guard = thread[n + 2];

        if (low && !((low | size | guard) & PAGE_MASK) && low < high && size > high - low &&
            guard < size && at >= low + guard && at < high)
            return (struct os_stack){low + guard, high};
    }
    return (struct os_stack){0};
}
#else
static struct os_stack stack_of_thread(uintptr_t at)
{
    (void)at;
    return (struct os_stack){0};
}
#endif

static bool find_stack(struct os_stack *known, uintptr_t at)
{
    if (is_in(known, at))
        return true;
    *known = first_stack();
    if (!is_in(known, at))
        *known = stack_of_thread(at);
    return is_in(known, at);
}

/* ---- frames ---- */

/* Removes the signature of ARM's pointer authentication from an address. */
static uintptr_t plain(uintptr_t address)
{
#if defined(__aarch64__)
    register uintptr_t link __asm__("x30") = address;

    __asm__("hint #7" : "+r"(link)); /* xpaclri */
    address = link;
#endif
    return address;
}

static const struct frame *valid(const struct os_stack *stack, const struct frame *frame,
                                 uintptr_t above)
{
    uintptr_t at = (uintptr_t)frame;

    return at > above && !(at % sizeof(uintptr_t)) && is_in(stack, at) &&
                   stack->high - at >= sizeof(*frame)
               ? frame
               : NULL;
}

/* Finds the frame that returns to the caller, or returns the first one. */
__attribute__((no_sanitize("address"))) static const struct frame *
find_caller(const struct os_stack *stack, const struct frame *first, const void *caller)
{
    const struct frame *frame = first;

    for (uint32_t n = 0; caller && frame && n < OWN_FRAMES_MAX; n++) {
        if (plain(frame->returns_to) == plain((uintptr_t)caller))
            return frame;
        frame = valid(stack, frame->next, (uintptr_t)frame);
    }
    return first;
}

__attribute__((noinline, no_sanitize("address"))) uint32_t
os_stack_walk(struct os_stack *known, const void *caller, uint64_t *ret_addresses, uint32_t max)
{
    const struct frame *frame = __builtin_frame_address(0);
    uint32_t count = 0;

    if (!find_stack(known, (uintptr_t)frame)) {
        if (caller && max)
            ret_addresses[count++] = plain((uintptr_t)caller);
        return count;
    }
    frame = find_caller(known, valid(known, frame, 0), caller);
    while (frame && count < max && frame->returns_to) {
        ret_addresses[count++] = plain(frame->returns_to);
        frame = valid(known, frame->next, (uintptr_t)frame);
    }
    return count;
}
