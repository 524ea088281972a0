/* SPDX-License-Identifier: MIT */
#include "preload/enabler.h"
#include "local/engine.h"
#include "preload/memory.h"

#include <errno.h>

#define ENABLERS_AT_ONCE 64

struct enabler {
    struct enabler *next;
    struct cairn_enabler_request request;
    struct cairn_use *use;
    bool is_set;
};

static struct enabler *enablers;
static struct enabler *free_enablers;

static struct enabler *new_enabler(void)
{
    struct enabler *enabler = free_enablers;

    if (!enabler) {
        enabler = cairn_memory_take(ENABLERS_AT_ONCE * sizeof(*enabler));
        for (uint32_t i = 0; enabler && i + 1 < ENABLERS_AT_ONCE; i++)
            enabler[i].next = &enabler[i + 1];
    }
    if (enabler)
        free_enablers = enabler->next;
    return enabler;
}

static void free_enabler(struct enabler *enabler)
{
    cairn_use_release(enabler->use);
    enabler->next = free_enablers;
    free_enablers = enabler;
}

static bool is_at(const struct enabler *enabler, uint64_t address, uint32_t bit)
{
    return enabler->request.address == address && enabler->request.bit == bit;
}

bool cairn_enabler_is_there(uint64_t address, uint32_t bit)
{
    for (const struct enabler *e = enablers; e; e = e->next) {
        if (is_at(e, address, bit))
            return true;
    }
    return false;
}

static int put(const struct cairn_enabler_request *request, bool value)
{
    return cairn_memory_set_bit(request->address, request->word_bytes, request->bit, value);
}

int cairn_enabler_add(const struct cairn_enabler_request *request, struct cairn_use *use)
{
    struct enabler *enabler = new_enabler();
    bool value = cairn_tracepoint_enabled(&use->tracepoint);
    int error = enabler ? put(request, value) : ENOMEM;

    if (!enabler) {
        cairn_use_release(use);
        return error;
    }
    *enabler = (struct enabler){.request = *request, .use = use, .is_set = value};
    if (error) {
        free_enabler(enabler);
        return error;
    }
    enabler->next = enablers;
    enablers = enabler;
    return 0;
}

int cairn_enabler_remove(uint64_t address, uint32_t bit)
{
    struct enabler **link = &enablers;
    int error = ENOENT;

    while (*link) {
        struct enabler *enabler = *link;

        if (!is_at(enabler, address, bit)) {
            link = &enabler->next;
            continue;
        }
        *link = enabler->next;
        error = put(&enabler->request, false);
        free_enabler(enabler);
    }
    return error;
}

/* A bit that cannot be set, its memory being gone, is tried again at the next change. */
void cairn_enabler_update(void)
{
    for (struct enabler *e = enablers; e; e = e->next) {
        bool value = cairn_tracepoint_enabled(&e->use->tracepoint);

        if (value != e->is_set && !put(&e->request, value))
            e->is_set = value;
    }
}

bool cairn_enabler_any(void)
{
    return enablers != NULL;
}
