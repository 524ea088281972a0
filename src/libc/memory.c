/* SPDX-License-Identifier: MIT */
/* Allocation. */
#include "libc/events.h"
#include "libc/real.h"

#include <errno.h>
#include <stdalign.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef void *malloc_function(size_t size);
typedef void *calloc_function(size_t count, size_t size);
typedef void *realloc_function(void *old, size_t size);
typedef int posix_memalign_function(void **memory, size_t alignment, size_t size);
typedef void *aligned_alloc_function(size_t alignment, size_t size);
typedef void free_function(void *memory);

static struct {
    malloc_function *malloc;
    calloc_function *calloc;
    realloc_function *realloc;
    free_function *free;
} real;

/* ---- before the functions are found ---- */

#define EARLY_BYTES ((size_t)64 << 10)

static alignas(max_align_t) char early[EARLY_BYTES];
static size_t early_used;

/* Finding a function may allocate memory. */
static void *take_early(size_t size)
{
    size_t whole = (size + sizeof(size_t) + alignof(max_align_t) - 1) & -alignof(max_align_t);
    size_t at;

    if (size > EARLY_BYTES)
        return NULL;
    whole += alignof(max_align_t); /* the size comes before the memory */
    at = core_fetch_add_relaxed(&early_used, whole);
    if (at > EARLY_BYTES - whole)
        return NULL;
    memcpy(early + at, &size, sizeof(size));
    return early + at + alignof(max_align_t);
}

static bool is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < EARLY_BYTES;
}

static size_t early_size(const void *memory)
{
    size_t size;

    memcpy(&size, (const char *)memory - alignof(max_align_t), sizeof(size));
    return size;
}

/* True if the functions are known. False for the thread that is finding them. */
static bool is_ready(void)
{
    static __thread bool is_finding __attribute__((tls_model("initial-exec")));

    /* Pairs with the release below: the other functions are known. */
    if (__builtin_expect(core_load_acquire(&real.malloc) != NULL, 1))
        return true;
    if (is_finding)
        return false;
    is_finding = true;
    real.calloc = (calloc_function *)libc_find("calloc", NULL);
    real.realloc = (realloc_function *)libc_find("realloc", NULL);
    real.free = (free_function *)libc_find("free", NULL);
    core_store_release(&real.malloc, (malloc_function *)libc_find("malloc", NULL));
    is_finding = false;
    return true;
}

/* ---- functions ---- */

LIBC_PUBLIC void *malloc(size_t size)
{
    void *memory;

    if (!is_ready())
        return take_early(size);
    memory = real.malloc(size);
    if (libc_is_wanted(LIBC_EVENT_malloc))
        libc_write_numbers(LIBC_EVENT_malloc, size, (uintptr_t)memory, 0, 2);
    return memory;
}

LIBC_PUBLIC void *calloc(size_t count, size_t size)
{
    void *memory;

    if (!is_ready())
        return size && count > EARLY_BYTES / size ? NULL : take_early(count * size);
    memory = real.calloc(count, size);
    if (libc_is_wanted(LIBC_EVENT_calloc))
        libc_write_numbers(LIBC_EVENT_calloc, count * size, (uintptr_t)memory, 0, 2);
    return memory;
}

static void *move_early(void *old, size_t size)
{
    void *memory = malloc(size);
    size_t kept = early_size(old) < size ? early_size(old) : size;

    if (memory)
        memcpy(memory, old, kept);
    return memory;
}

LIBC_PUBLIC void *realloc(void *old, size_t size)
{
    uintptr_t before = (uintptr_t)old;
    void *memory;

    if (is_early(old))
        return move_early(old, size);
    if (!is_ready())
        return take_early(size);
    memory = real.realloc(old, size);
    if (libc_is_wanted(LIBC_EVENT_realloc))
        libc_write_numbers(LIBC_EVENT_realloc, before, size, (uintptr_t)memory, 3);
    return memory;
}

/* Before: afterwards another thread may get the address, and write its event first. */
LIBC_PUBLIC void free(void *memory)
{
    if (!memory || is_early(memory) || !is_ready())
        return;
    if (libc_is_wanted(LIBC_EVENT_free))
        libc_write_numbers(LIBC_EVENT_free, (uintptr_t)memory, 0, 0, 1);
    real.free(memory);
}

LIBC_PUBLIC int posix_memalign(void **memory, size_t alignment, size_t size)
{
    int error = LIBC_REAL(posix_memalign_function *, "posix_memalign")(memory, alignment, size);

    if (libc_is_wanted(LIBC_EVENT_memalign))
        libc_write_numbers(LIBC_EVENT_memalign, size, error ? 0 : (uintptr_t)*memory, 0, 2);
    return error;
}

LIBC_PUBLIC void *aligned_alloc(size_t alignment, size_t size)
{
    void *memory = LIBC_REAL(aligned_alloc_function *, "aligned_alloc")(alignment, size);

    if (libc_is_wanted(LIBC_EVENT_memalign))
        libc_write_numbers(LIBC_EVENT_memalign, size, (uintptr_t)memory, 0, 2);
    return memory;
}
