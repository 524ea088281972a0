/* SPDX-License-Identifier: MIT */
/* The mapped status page. */
#include "run/answers.h"
#include "engine/engine.h"
#include "tracefs/file.h"

#include <string.h>

#define WAITING_MAX 64u
#define PAGES       (ENGINE_EVENT_MAX / ENGINE_PAGE_BYTES)

struct waiting {
    uint64_t unique;
    struct fuse_write_out out;
};

/* Under the engine's lock. */
static struct waiting waiting[WAITING_MAX];
static uint32_t waiting_count;
static uint32_t taken_count; /* of these: they wait for what was taken */
static bool is_storing;      /* what was taken is not stored yet */

static uint8_t taken[ENGINE_EVENT_MAX];
static bool is_changed[PAGES];

void run_status_reply(const struct run_request *request, int error,
                      const struct fuse_write_out *out)
{
    if (error || waiting_count == WAITING_MAX ||
        (!is_storing && !memcmp(taken, engine_self.local.status, sizeof(taken)))) {
        run_fuse_reply(request, error, out, sizeof(*out));
        return;
    }
    waiting[waiting_count++] = (struct waiting){request->head->unique, *out};
}

void run_status_take(void)
{
    const uint8_t *status = engine_self.local.status;

    for (uint32_t i = 0; i < PAGES; i++) {
        size_t at = (size_t)i * ENGINE_PAGE_BYTES;

        is_changed[i] = memcmp(taken + at, status + at, ENGINE_PAGE_BYTES) != 0;
        if (is_changed[i])
            memcpy(taken + at, status + at, ENGINE_PAGE_BYTES);
        is_storing |= is_changed[i];
    }
    taken_count = waiting_count;
}

bool run_status_store(void)
{
    engine_lock_state lock_state;
    bool any_waits;

    for (uint32_t i = 0; i < PAGES; i++) {
        uint64_t at = (uint64_t)i * ENGINE_PAGE_BYTES;

        if (is_changed[i])
            run_fuse_notify_store(TRACEFS_NODE_STATUS, at, taken + at, ENGINE_PAGE_BYTES);
    }
    engine_lock(&lock_state);
    for (uint32_t i = 0; i < taken_count; i++)
        run_fuse_reply_later(waiting[i].unique, 0, &waiting[i].out, sizeof(waiting->out));
    waiting_count -= taken_count;
    memmove(waiting, waiting + taken_count, waiting_count * sizeof(*waiting));
    is_storing = false;
    any_waits = waiting_count != 0;
    engine_unlock(&lock_state);
    return any_waits;
}
