/* SPDX-License-Identifier: MIT */
/* The openings of the mount's user_events_data: a table by descriptor. */
#include "accelerator/openings.h"
#include "engine/engine.h"
#include "tracefs/accelerate.h"
#include "tracefs/memory.h"

#include <errno.h>
#include <fcntl.h>

struct accelerator_opening *accelerator_openings[ACCELERATOR_FD_MAX];

static bool has_stopped;
static struct accelerator_opening *all_openings;

void accelerator_stop(void)
{
    core_store_relaxed(&has_stopped, true);
    accelerator_openings_forget(0, ACCELERATOR_FD_MAX - 1);
}

void accelerator_openings_forget(unsigned int first, unsigned int last)
{
    if (last >= ACCELERATOR_FD_MAX)
        last = ACCELERATOR_FD_MAX - 1;
    for (unsigned int fd = first; fd <= last; fd++) {
        if (core_load_relaxed(&accelerator_openings[fd]))
            core_store_relaxed(&accelerator_openings[fd], NULL);
    }
}

/* ---- learning, under the engine's lock ---- */

/* The registry that the server writes to is ours: the program may have changed its environment. */
static bool is_our_registry(const struct tracefs_accelerate *event)
{
    return !engine_attach() && engine_self.local.device == event->registry_device &&
           engine_self.local.inode == event->registry_inode;
}

/* Learns the event of the next write index. Returns false if there is none. */
static bool learn_next(struct accelerator_opening *opening, int fd)
{
    struct tracefs_accelerate event = {.index = opening->count};
    struct tracefs_use *use = NULL;

    if (opening->count >= ENGINE_EVENT_MAX || ioctl(fd, TRACEFS_ACCELERATE, &event) ||
        event.index < opening->count || event.index >= ENGINE_EVENT_MAX)
        return false;
    for (uint32_t i = opening->count; i < event.index; i++)
        core_store_relaxed(&opening->uses[i], NULL);
    if (is_our_registry(&event) && tracefs_use_adopt(event.entry, event.sample_id, &use))
        use = NULL;
    core_store_relaxed(&opening->uses[event.index], use);
    core_store_release(&opening->count, event.index + 1); /* pairs with accelerator_use_of */
    return true;
}

static void empty(struct accelerator_opening *opening)
{
    uint32_t count = opening->count;

    core_store_release(&opening->count, 0);
    for (uint32_t i = 0; i < count; i++) {
        if (opening->uses[i])
            tracefs_use_disown(opening->uses[i]);
    }
}

static struct accelerator_opening *find_unused(void)
{
    for (struct accelerator_opening *o = all_openings; o; o = o->next) {
        if (accelerator_opening_of(o->fd) != o)
            return o;
    }
    return NULL;
}

static struct accelerator_opening *take_opening(int fd)
{
    struct accelerator_opening *opening = find_unused();

    if (opening) {
        empty(opening);
    } else {
        opening = tracefs_memory_take(sizeof(*opening));
        if (!opening)
            return NULL;
        opening->next = all_openings;
        all_openings = opening;
    }
    opening->fd = fd;
    return opening;
}

static void learn(int fd)
{
    struct accelerator_opening *opening = accelerator_opening_of(fd);

    opening = opening ? opening : take_opening(fd);
    while (opening && learn_next(opening, fd))
        ;
    core_store_release(&accelerator_openings[fd], opening); /* pairs with accelerator_opening_of */
}

/* The kernel refuses to write to others. */
static bool is_writable(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

void accelerator_opening_learn(int fd)
{
    engine_lock_state lock_state;
    int saved = errno;

    if ((unsigned int)fd >= ACCELERATOR_FD_MAX || core_load_relaxed(&has_stopped) ||
        engine_is_locked_by_self() || !is_writable(fd))
        return;
    engine_lock(&lock_state);
    learn(fd);
    engine_unlock(&lock_state);
    errno = saved;
}
