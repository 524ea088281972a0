/* SPDX-License-Identifier: MIT */
/* Creates activity ids: 64 random bits that belong to this process and a counter, in the form of a
 * random UUID. The state is in a page that is cleared in a forked child, which so gets its own
 * bits. */
#include "core/atomic.h"
#include "os/memory.h"
#include "os/random.h"

#include <cairn/eventheader.h>
#include <errno.h>
#include <string.h>

struct activity_state {
    uint64_t prefix; /* 0: not chosen yet */
    uint64_t counter;
};

static struct activity_state *shared_state;

/* Used if the page cannot be mapped or lacks MADV_WIPEONFORK. Forked children inherit this
 * state. */
static struct activity_state fallback_state;

/* A page that is cleared in forked children, or the fallback. */
static struct activity_state *allocate_state(void)
{
    void *memory;

    if (os_memory_allocate(sizeof(struct activity_state), &memory))
        return &fallback_state;
    if (!os_memory_wipe_on_fork(memory, sizeof(struct activity_state)))
        return memory;
    os_memory_unmap(memory, sizeof(struct activity_state));
    return &fallback_state;
}

static struct activity_state *make_state(void)
{
    struct activity_state *state = allocate_state();
    struct activity_state *expected = NULL;

    if (!core_compare_exchange_release(&shared_state, &expected, state) && state != &fallback_state)
        os_memory_unmap(state, sizeof(*state)); /* another thread was faster */
    return core_load_acquire(&shared_state);
}

static uint64_t prefix_of(struct activity_state *state)
{
    uint64_t prefix = core_load_relaxed(&state->prefix);
    uint64_t fresh;

    if (prefix)
        return prefix;
    fresh = os_random();
    if (core_compare_exchange_relaxed(&state->prefix, &prefix, fresh))
        return fresh;
    return prefix;
}

void cairn_activity_id_generate(struct cairn_guid *ret_id)
{
    struct activity_state *state = core_load_acquire(&shared_state);
    int saved_errno = errno;
    uint64_t prefix;
    uint64_t number;

    if (!state)
        state = make_state();
    prefix = prefix_of(state);
    number = __builtin_bswap64(core_add_fetch_relaxed(&state->counter, 1));
    memcpy(ret_id->bytes, &prefix, 8);
    memcpy(ret_id->bytes + 8, &number, 8);
    ret_id->bytes[6] = (uint8_t)((ret_id->bytes[6] & 0x0f) | 0x40); /* version 4: random */
    ret_id->bytes[8] = (uint8_t)((ret_id->bytes[8] & 0x3f) | 0x80); /* RFC 4122 */
    errno = saved_errno;
}
