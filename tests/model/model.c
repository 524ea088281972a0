/* SPDX-License-Identifier: MIT */
/* The model of memory, and the explorer of its runs. */
#include "model.h"

#include "model_operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define LOCATIONS   160
#define MESSAGES    48
#define CHOICES     4096
#define REGION      (64u << 10) /* all tracked memory is within this number of bytes */
#define STACK_BYTES (256u << 10)
#define RUNS_MAX    50000000u

/* Upper limit of the size of registers saved below a function's frame address. */
#define CALLER_SAVES_BYTES 64

typedef uint8_t bytes32 __attribute__((vector_size(32)));

union view {
    uint8_t seen[LOCATIONS]; /* index of the oldest message that may be read */
    bytes32 parts[LOCATIONS / 32];
};

struct message {
    uint64_t value;
    union view view;
};

struct location {
    uint8_t *at;
    size_t size_bytes;
    bool shared; /* readers store to it, too */
    uint32_t count;
    uint64_t hash; /* hash of the messages */
    struct message messages[MESSAGES];
};

struct thread {
    union view now, acquired, released;
    ucontext_t context;
    uint64_t history; /* hash of everything that it has read, which determines its next
                       * operations */
    int location;     /* location of its next operation; -1: does not concern other threads */
    bool alive, asleep;
};

struct choice {
    uint32_t taken, count;
};

static struct {
    struct location locations[LOCATIONS];
    struct thread threads[MODEL_THREADS];
    ucontext_t explorer;
    const struct model *model;
    uint8_t *base;  /* begin of the region */
    uint8_t *first; /* first tracked location, and the number of bytes to the end of the last one */
    size_t tracked_bytes;
    uint8_t shadow[REGION]; /* the region's contents in the model */
    int16_t index[REGION / 4];
    uint32_t location_count;
    unsigned thread_count, current;
    unsigned interrupts, depth, old_values;
    struct choice choices[CHOICES];
    uint32_t choice_count, choice_at;
    uint64_t *states; /* a hash set */
    size_t state_slots, state_count;
    const char *failure;
    bool running;
} m;

static uint8_t stacks[MODEL_THREADS][STACK_BYTES] __attribute__((aligned(64)));

/* ---- choices ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint32_t choose(uint32_t count)
{
    struct choice *choice = &m.choices[m.choice_at];

    if (count < 2)
        return 0;
    if (m.choice_at == m.choice_count) {
        if (m.choice_count == CHOICES)
            abort();
        *choice = (struct choice){0, count};
        m.choice_count++;
    }
    if (choice->count != count)
        abort(); /* a run is determined by its choices */
    m.choice_at++;
    return choice->taken;
}

/* Prepares the next run, which differs in the last choice that has alternatives left. */
static bool next_run(void)
{
    m.choice_count = m.choice_at;
    while (m.choice_count) {
        struct choice *last = &m.choices[m.choice_count - 1];

        if (++last->taken < last->count)
            return true;
        m.choice_count--;
    }
    return false;
}

static void end_run(void)
{
    m.running = false;
    setcontext(&m.explorer);
}

void model_check(bool holds, const char *claim)
{
    if (holds)
        return;
    m.failure = claim;
    if (m.running)
        end_run();
}

const char *model_failure(void)
{
    return m.failure;
}

/* ---- memory ---- */

static struct thread *me(void)
{
    return &m.threads[m.current];
}

static void join(union view *to, const union view *from)
{
    for (uint32_t i = 0; i < LOCATIONS / 32; i++) {
        bytes32 newer = (bytes32)(to->parts[i] > from->parts[i]);

        to->parts[i] = (newer & to->parts[i]) | (~newer & from->parts[i]);
    }
}

static uint8_t *shadow_of(const uint8_t *at)
{
    return m.shadow + (at - m.base);
}

static uint64_t value_at(const void *at, size_t size_bytes)
{
    uint64_t value = 0;

    memcpy(&value, at, size_bytes);
    return value;
}

static void track(void *at, size_t size_bytes, bool shared)
{
    struct location *location = &m.locations[m.location_count];
    size_t offset;

    if (!m.location_count)
        m.base = (uint8_t *)((uintptr_t)at & ~(uintptr_t)4095) - REGION / 2;
    offset = (size_t)((uint8_t *)at - m.base);
    if (m.location_count == LOCATIONS || offset >= REGION)
        abort();
    m.index[offset / 4] = (int16_t)m.location_count++;
    location->at = at;
    location->size_bytes = size_bytes;
    location->shared = shared;
    location->count = 1;
    location->hash = value_at(at, size_bytes);
    memset(&location->messages[0], 0, sizeof(location->messages[0]));
    location->messages[0].value = value_at(at, size_bytes);
}

void model_track(void *at, size_t size_bytes)
{
    track(at, size_bytes, false);
}

void model_track_shared(void *at, size_t size_bytes)
{
    track(at, size_bytes, true);
}

static int find(const void *at)
{
    size_t offset = (size_t)((const uint8_t *)at - m.base);

    return m.running && offset < REGION ? m.index[offset / 4] : -1;
}

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size_bytes)
{
    size_t i = 0;

    for (; i + 8 <= size_bytes; i += 8)
        hash = mix(hash, value_at((const uint8_t *)bytes + i, 8));
    return mix(hash, value_at((const uint8_t *)bytes + i, size_bytes - i));
}

static uint32_t newest(const struct location *location)
{
    return location->count - 1;
}

/* Appends a value. `view` is passed to a thread that acquires the value. */
static void append(int at, uint64_t value, const union view *view)
{
    struct location *location = &m.locations[at];
    struct message *message = &location->messages[location->count];

    if (location->count == MESSAGES)
        abort();
    message->value = value;
    message->view = *view;
    message->view.seen[at] = (uint8_t)location->count;
    location->hash = hash_bytes(mix(location->hash, value), &message->view, m.location_count);
    me()->now.seen[at] = (uint8_t)location->count++;
    memcpy(location->at, &value, location->size_bytes);
    memcpy(shadow_of(location->at), &value, location->size_bytes);
}

/* Finds the writer's plain stores since the last operation; they are not ordered among
 * themselves. */
static void find_plain_stores(void)
{
    if (m.current != 0 || memcmp(m.first, shadow_of(m.first), m.tracked_bytes) == 0)
        return;
    memcpy(shadow_of(m.first), m.first, m.tracked_bytes);
    for (uint32_t i = 0; i < m.location_count; i++) {
        const struct location *location = &m.locations[i];
        uint64_t value = value_at(location->at, location->size_bytes);

        if (value != location->messages[newest(location)].value)
            append((int)i, value, &me()->released);
    }
}

/* ---- scheduling ---- */

static bool conflicts(const struct thread *sleeper, int location)
{
    return sleeper->location == location && location >= 0;
}

/* An operation wakes the threads for which its order with their operations matters. */
static void wake(unsigned by, int location, bool wrote)
{
    for (unsigned i = 0; i < m.thread_count && wrote; i++) {
        if (i != by && m.threads[i].asleep && conflicts(&m.threads[i], location))
            m.threads[i].asleep = false;
    }
}

static bool is_local(const struct thread *thread, unsigned number)
{
    return thread->location < 0 || (number == 0 && !m.locations[thread->location].shared);
}

static void switch_to(unsigned number)
{
    unsigned from = m.current;

    if (number == from)
        return;
    m.current = number;
    swapcontext(&m.threads[from].context, &m.threads[number].context);
}

/*
 * Chooses the thread whose next operation runs. An operation that does not concern other threads
 * runs at once, as does a store to a location that only the writer stores to: a load chooses when
 * to see it.
 */
static void schedule(void)
{
    unsigned ready[MODEL_THREADS] = {0};
    uint32_t count = 0, taken;

    for (unsigned i = 0; i < m.thread_count; i++) {
        if (m.threads[i].alive && is_local(&m.threads[i], i)) {
            switch_to(i);
            return;
        }
    }
    for (unsigned i = 0; i < m.thread_count; i++) {
        if (m.threads[i].alive && !m.threads[i].asleep)
            ready[count++] = i;
    }
    if (!count)
        end_run(); /* all continuations were explored in other runs */
    taken = choose(count);
    for (uint32_t i = 0; i < taken; i++)
        m.threads[ready[i]].asleep = true;
    switch_to(ready[taken]);
}

void model_interrupt_point(void)
{
    if (!m.running || m.current != 0 || !m.model->interrupt ||
        m.interrupts == m.model->interrupts || m.depth == m.model->nesting)
        return;
    if (choose(2)) {
        me()->history = mix(me()->history, ++m.interrupts);
        m.depth++;
        m.model->interrupt(m.depth);
        m.depth--;
    }
}

/* Called before each operation. */
static void announce(int location)
{
    find_plain_stores();
    model_interrupt_point();
    find_plain_stores();
    me()->location = location;
    if (m.thread_count > 1 && (location < 0 || !is_local(me(), m.current)))
        schedule();
}

static void done(int location, bool wrote, uint64_t value)
{
    me()->history = mix(me()->history, value);
    wake(m.current, location, wrote);
    me()->location = -1;
}

/* ---- operations ---- */

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST;
}

static uint64_t read_message(int at, uint32_t which, int order)
{
    const struct message *message = &m.locations[at].messages[which];

    me()->now.seen[at] = (uint8_t)which;
    join(&me()->acquired, &message->view);
    if (acquires(order))
        join(&me()->now, &message->view);
    return message->value;
}

uint64_t model_load(const void *from, size_t size_bytes, int order)
{
    int at = find(from);
    uint64_t value;
    uint32_t last, back = 0;

    if (at < 0)
        return value_at(from, size_bytes);
    announce(at);
    last = newest(&m.locations[at]);
    if (m.old_values < m.model->old_values)
        back = choose(last - me()->now.seen[at] + 1);
    m.old_values += back && m.model->old_values != MODEL_ANY;
    value = read_message(at, last - back, order);
    done(at, false, value);
    return value;
}

void model_store(void *to, uint64_t value, size_t size_bytes, int order)
{
    int at = find(to);

    if (at < 0) {
        model_interrupt_point();
        memcpy(to, &value, size_bytes);
        return;
    }
    announce(at);
    append(at, value, releases(order) ? &me()->now : &me()->released);
    done(at, true, 0);
}

/* A read-modify-write reads the newest value, and continues its release sequence. */
static void replace(int at, uint64_t value, int order)
{
    union view view = m.locations[at].messages[newest(&m.locations[at])].view;

    join(&view, releases(order) ? &me()->now : &me()->released);
    append(at, value, &view);
}

uint64_t model_add(void *to, uint64_t value, size_t size_bytes, int order)
{
    int at = find(to);
    uint64_t old;

    if (at < 0) {
        old = value_at(to, size_bytes);
        value += old;
        memcpy(to, &value, size_bytes);
        return old;
    }
    announce(at);
    old = read_message(at, newest(&m.locations[at]), order);
    replace(at, old + value, order);
    done(at, true, old);
    return old;
}

/* A failed one may have read any value that the thread can see, except the expected one. */
bool model_exchange_if(void *to, uint64_t *expected, uint64_t wanted, size_t size_bytes, int order)
{
    uint32_t may_read[MESSAGES] = {0}, count = 0, last, which;
    int at = find(to);
    bool same;

    if (at < 0) {
        uint64_t old = value_at(to, size_bytes);

        same = old == *expected;
        if (same)
            memcpy(to, &wanted, size_bytes);
        *expected = old;
        return same;
    }
    announce(at);
    last = newest(&m.locations[at]);
    for (which = last + 1; which-- > me()->now.seen[at];) {
        if (which == last || m.locations[at].messages[which].value != *expected)
            may_read[count++] = which;
    }
    which = may_read[choose(count)];
    same = m.locations[at].messages[which].value == *expected;
    *expected = read_message(at, which, same ? order : __ATOMIC_RELAXED);
    if (same)
        replace(at, wanted, order);
    done(at, same, *expected);
    return same;
}

void model_fence(int order)
{
    find_plain_stores();
    model_interrupt_point();
    find_plain_stores();
    if (!m.running)
        return;
    if (acquires(order))
        join(&me()->now, &me()->acquired);
    if (releases(order))
        me()->released = me()->now;
}

/* A copy of tracked memory is a sequence of relaxed loads; a copy to it is a sequence of plain
 * stores. */
void model_copy(void *to, const void *from, size_t size_bytes)
{
    for (size_t i = 0; i < size_bytes;) {
        int at = find((const uint8_t *)from + i);
        size_t part = at < 0 ? 1 : m.locations[at].size_bytes;
        uint64_t value;

        part = part < size_bytes - i ? part : size_bytes - i;
        value = at < 0 ? *((const uint8_t *)from + i)
                       : model_load((const uint8_t *)from + i, part, __ATOMIC_RELAXED);
        memcpy((uint8_t *)to + i, &value, part);
        i += part;
    }
}

/* ---- states ---- */

/* `stack` is the used part of the current thread's stack. It also contains values that are no
 * longer needed: equal states may have different hashes, but different states have different
 * contents. */
static uint64_t hash_state(const uint8_t *stack)
{
    const uint8_t *top = stacks[m.current] + STACK_BYTES;
    uint64_t hash = hash_bytes(mix(m.old_values, m.current), stack, (size_t)(top - stack));

    for (uint32_t i = 0; i < m.location_count; i++) {
        hash = mix(hash, m.locations[i].hash);
    }
    hash = hash_bytes(hash, m.model->world, m.model->world_bytes);
    for (unsigned i = 0; i < m.thread_count; i++) {
        const struct thread *thread = &m.threads[i];

        hash = mix(hash, thread->alive | (uint64_t)thread->asleep << 1);
        if (!thread->alive)
            continue;
        hash = mix(hash, i == m.current ? 0 : thread->history);
        hash = hash_bytes(hash, &thread->now, m.location_count);
        hash = hash_bytes(hash, &thread->acquired, m.location_count);
        hash = hash_bytes(hash, &thread->released, m.location_count);
    }
    return hash | 1;
}

static bool insert(uint64_t hash)
{
    size_t at = hash >> 1 & (m.state_slots - 1);

    while (m.states[at] && m.states[at] != hash)
        at = (at + 1) & (m.state_slots - 1);
    if (m.states[at])
        return false;
    m.states[at] = hash;
    m.state_count++;
    return true;
}

static void grow(void)
{
    uint64_t *old = m.states;
    size_t old_slots = m.state_slots;

    m.state_slots = old_slots ? 2 * old_slots : 1 << 16;
    m.states = calloc(m.state_slots, sizeof(*m.states));
    m.state_count = 0;
    for (size_t i = 0; i < old_slots; i++) {
        if (old[i])
            (void)insert(old[i]);
    }
    free(old);
}

__attribute__((noinline)) void model_state(void)
{
    __builtin_unwind_init(); /* stores the caller's registers on the stack */
    if (!m.running)
        return;
    find_plain_stores();
    if (2 * m.state_count >= m.state_slots)
        grow();
    /* While a run repeats the choices of the one before, its states are known. */
    if (!insert(hash_state(__builtin_frame_address(0) - CALLER_SAVES_BYTES)) &&
        m.choice_at >= m.choice_count)
        end_run();
}

/* ---- runs ---- */

static void run_thread(unsigned number)
{
    m.model->threads[number](number);
    find_plain_stores();
    m.threads[number].alive = false;
    for (unsigned i = 0; i < m.thread_count; i++) {
        if (m.threads[i].alive)
            schedule(); /* never returns */
    }
    m.running = false;
    m.model->end();
    setcontext(&m.explorer);
}

static void begin_run(void)
{
    m.location_count = 0;
    memset(m.index, -1, sizeof(m.index));
    m.choice_at = 0;
    m.interrupts = 0;
    m.old_values = 0;
    m.depth = 0;
    m.model->begin();
    m.first = m.locations[0].at;
    m.tracked_bytes = 0;
    for (uint32_t i = 0; i < m.location_count; i++) {
        size_t end = (size_t)(m.locations[i].at - m.first) + m.locations[i].size_bytes;

        m.tracked_bytes = end > m.tracked_bytes ? end : m.tracked_bytes;
    }
    memcpy(shadow_of(m.first), m.first, m.tracked_bytes);
    memset(m.threads, 0, sizeof(m.threads));
    for (m.thread_count = 0; m.thread_count < MODEL_THREADS && m.model->threads[m.thread_count];
         m.thread_count++) {
        struct thread *thread = &m.threads[m.thread_count];

        thread->alive = true;
        thread->location = -1;
        getcontext(&thread->context);
        thread->context.uc_stack.ss_sp = stacks[m.thread_count];
        thread->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&thread->context, (void (*)(void))run_thread, 1, m.thread_count);
    }
    m.current = 0;
    m.running = true;
}

uint64_t model_explore(const struct model *model)
{
    volatile uint64_t runs = 0;

    m.model = model;
    m.choice_count = 0;
    m.failure = NULL;
    m.state_slots = 0;
    free(m.states);
    m.states = NULL;
    grow();
    do {
        volatile bool back = false;

        begin_run();
        getcontext(&m.explorer);
        if (!back) {
            back = true;
            setcontext(&m.threads[0].context);
        }
        runs++;
        if (runs == RUNS_MAX)
            m.failure = "there are more runs than can be made";
    } while (!m.failure && next_run());
    if (m.failure)
        printf("%s: %s, in run %llu\n", model->name, m.failure, (unsigned long long)runs);
    return m.failure ? 0 : runs;
}
