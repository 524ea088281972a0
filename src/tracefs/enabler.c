/* SPDX-License-Identifier: MIT */
/* Enable bits: words of programs in which a bit is set while an event has a listener. */
#include "tracefs/enabler.h"
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BUCKETS 1024u

struct enabler {
    struct enabler *next;
    const struct tracefs_program *program;
    struct tracefs_enabler_request request;
    struct tracefs_reference *reference;
    uint64_t added_ns; /* of CLOCK_BOOTTIME, by which processes are dated */
    bool is_set;
    bool is_guess; /* a copy for a child that may have been forked before the original was added */
};

static struct enabler *buckets[BUCKETS]; /* by address and bit */
static uint32_t enabler_count;

/* The status page when all bits were last updated. Most changes of the registry do not concern
 * listeners: comparing the page is cheaper than examining each bit. */
static uint8_t seen[ENGINE_EVENT_MAX];

static void free_enabler(struct enabler *enabler)
{
    tracefs_reference_release(enabler->reference);
    free(enabler);
}

static struct enabler **bucket_of(uint64_t address, uint32_t bit)
{
    return &buckets[(address / 4 + bit) % BUCKETS];
}

static bool is_at(const struct enabler *enabler, const struct tracefs_program *program,
                  uint64_t address, uint32_t bit)
{
    return enabler->program == program && enabler->request.address == address &&
           enabler->request.bit == bit;
}

/* Returns the link to the bit's enabler, or to NULL. */
static struct enabler **find(const struct tracefs_program *program, uint64_t address, uint32_t bit)
{
    struct enabler **link = bucket_of(address, bit);

    while (*link && !is_at(*link, program, address, bit))
        link = &(*link)->next;
    return link;
}

bool tracefs_enabler_is_there(const struct tracefs_program *program, uint64_t address, uint32_t bit)
{
    const struct enabler *enabler = *find(program, address, bit);

    return enabler && !enabler->is_guess;
}

static void link_enabler(struct enabler *enabler)
{
    struct enabler **bucket = bucket_of(enabler->request.address, enabler->request.bit);

    enabler->next = *bucket;
    *bucket = enabler;
    enabler_count++;
}

static void forget(struct enabler **link)
{
    struct enabler *enabler = *link;

    *link = enabler->next;
    free_enabler(enabler);
    enabler_count--;
}

bool tracefs_enabler_any(void)
{
    return enabler_count != 0;
}

static int put(const struct enabler *enabler, bool value)
{
    const struct tracefs_enabler_request *request = &enabler->request;

    return tracefs_memory_set_bit(enabler->program, request->address, request->word_bytes,
                                  request->bit, value);
}

/* Reads the last seen copy of the page, so that the bits follow from what was seen. */
static bool is_listened_to(const struct tracefs_reference *reference)
{
    return seen[tracefs_reference_index(reference)] != 0;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int tracefs_enabler_add(const struct tracefs_program *program,
                        const struct tracefs_enabler_request *request,
                        struct tracefs_reference *reference)
{
    struct enabler **guess = find(program, request->address, request->bit);
    struct enabler *enabler = calloc(1, sizeof(*enabler));
    int error;

    if (!enabler)
        return ENOMEM;
    if (*guess) /* the program shows that it had none */
        forget(guess);
    tracefs_transport_update();
    *enabler = (struct enabler){.program = program,
                                .request = *request,
                                .reference = tracefs_reference_share(reference),
                                .added_ns = now_ns(),
                                .is_set = is_listened_to(reference)};
    error = put(enabler, enabler->is_set);
    if (error)
        free_enabler(enabler);
    else
        link_enabler(enabler);
    return error;
}

/* A bit that cannot be set, because its memory is not mapped, is tried again at the next change, as
 * in the kernel. */
static void update(struct enabler *enabler)
{
    bool value = is_listened_to(enabler->reference);

    if (value != enabler->is_set && !put(enabler, value))
        enabler->is_set = value;
}

static void copy(const struct enabler *from, const struct tracefs_program *child, bool is_guess)
{
    struct enabler *enabler = malloc(sizeof(*enabler));

    if (!enabler)
        return;
    *enabler = *from;
    enabler->program = child;
    enabler->reference = tracefs_reference_share(from->reference);
    enabler->is_set = !is_listened_to(from->reference); /* whatever the child has there */
    enabler->is_guess |= is_guess;
    update(enabler);
    link_enabler(enabler);
}

/* New enablers are inserted before the one that is being visited. */
void tracefs_enabler_copy(const struct tracefs_program *parent, const struct tracefs_program *child,
                          uint64_t surely_until_ns, uint64_t until_ns)
{
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (const struct enabler *e = buckets[i]; e; e = e->next) {
            if (e->program == parent && e->added_ns <= until_ns)
                copy(e, child, e->added_ns > surely_until_ns);
        }
    }
}

int tracefs_enabler_remove(const struct tracefs_program *program, uint64_t address, uint32_t bit)
{
    struct enabler **link = find(program, address, bit);
    int error = *link ? put(*link, false) : ENOENT;

    if (*link)
        forget(link);
    return error;
}

void tracefs_enabler_drop(const struct tracefs_program *program)
{
    engine_open_batch();
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (struct enabler **link = &buckets[i]; *link;) {
            if ((*link)->program == program)
                forget(link);
            else
                link = &(*link)->next;
        }
    }
    engine_close_batch();
}

bool tracefs_enabler_update(void)
{
    const struct engine_registry *local = &engine_self.local;
    size_t size_bytes = engine_registry_end(local);

    if (!memcmp(seen, local->status, size_bytes))
        return false;
    memcpy(seen, local->status, size_bytes);
    for (uint32_t i = 0; i < BUCKETS; i++) {
        for (struct enabler *e = buckets[i]; e; e = e->next)
            update(e);
    }
    return true;
}
