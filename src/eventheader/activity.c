/* SPDX-License-Identifier: MIT */
/*
 * Activity ids: 64 bits that are this process's own, at random, and a counter; shaped as a random
 * UUID. The state is in a page that reads as zeros in a forked child, so that it begins anew.
 */
#include <cairn/eventheader.h>

#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct state {
    uint64_t prefix; /* 0: not chosen yet */
    uint64_t counter;
};

static struct state *shared_state;

/* When there is no memory for the page, or no MADV_WIPEONFORK: a state that forks inherit. */
static struct state fallback_state;

static struct state *make_state(void)
{
    struct state *state =
        mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct state *expected = NULL;

    if (state == MAP_FAILED || madvise(state, sizeof(*state), MADV_WIPEONFORK))
        state = &fallback_state;
    if (__atomic_compare_exchange_n(&shared_state, &expected, state, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        return state;
    if (state != &fallback_state)
        munmap(state, sizeof(*state));
    return expected; /* another thread was faster */
}

static uint64_t random_prefix(void)
{
    struct timespec now;
    uint64_t prefix = 0;

    /* getrandom() is a cancellation point. */
    if (syscall(SYS_getrandom, &prefix, sizeof(prefix), GRND_NONBLOCK) == (long)sizeof(prefix) &&
        prefix)
        return prefix;
    /* Before the kernel has gathered randomness: early in the boot, no two start as the same pid.
     */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)getpid() << 40) ^ ((uint64_t)now.tv_sec << 30) ^ (uint64_t)now.tv_nsec ^ 1;
}

static uint64_t prefix_of(struct state *state)
{
    uint64_t prefix = __atomic_load_n(&state->prefix, __ATOMIC_RELAXED);
    uint64_t fresh;

    if (prefix)
        return prefix;
    fresh = random_prefix();
    if (__atomic_compare_exchange_n(&state->prefix, &prefix, fresh, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
        return fresh;
    return prefix;
}

void cairn_activity_id_generate(struct cairn_guid *ret_id)
{
    struct state *state = __atomic_load_n(&shared_state, __ATOMIC_ACQUIRE);
    int saved_errno = errno;
    uint64_t prefix;
    uint64_t number;

    if (!state)
        state = make_state();
    prefix = prefix_of(state);
    number = __builtin_bswap64(__atomic_add_fetch(&state->counter, 1, __ATOMIC_RELAXED));
    memcpy(ret_id->bytes, &prefix, 8);
    memcpy(ret_id->bytes + 8, &number, 8);
    ret_id->bytes[6] = (uint8_t)((ret_id->bytes[6] & 0x0f) | 0x40); /* version 4: random */
    ret_id->bytes[8] = (uint8_t)((ret_id->bytes[8] & 0x3f) | 0x80); /* RFC 4122 */
    errno = saved_errno;
}
