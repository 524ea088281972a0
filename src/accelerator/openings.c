/* SPDX-License-Identifier: MIT */
/* The openings of the mount's user_events_data, and their events by write index. */
#include "accelerator/openings.h"
#include "accelerator/descriptors.h"
#include "engine/engine.h"
#include "tracefs/abi.h"
#include "tracefs/program.h"

#include <errno.h>
#include <fcntl.h>

/* Its memory is used again once the descriptor is unknown, and never freed. */
struct known_opening {
    struct tracefs_data data;   /* the first: a pointer to one is a pointer to both */
    struct known_opening *next; /* among all */
    int fd;                     /* the last descriptor that it was of */
};

/* Under the engine's lock. */
static struct known_opening *all_openings;

/* True if the server writes to the registry that this process uses: the program may have changed
 * its environment. */
static bool is_our_registry(const struct tracefs_accelerate *event)
{
    return !engine_attach() && engine_self.local.device == event->registry_device &&
           engine_self.local.inode == event->registry_inode;
}

/* Asks for the event of the next write index. Returns false if there is none. */
static bool learn_next(struct tracefs_data *data, int fd)
{
    struct tracefs_accelerate event = {.index = data->count};
    struct tracefs_reference *reference = NULL;

    if (data->count >= ENGINE_EVENT_MAX || ioctl(fd, TRACEFS_ACCELERATE, &event) ||
        event.index < data->count || event.index >= ENGINE_EVENT_MAX)
        return false;
    if (is_our_registry(&event) &&
        tracefs_reference_adopt(event.entry, event.sample_id, &reference))
        reference = NULL;
    tracefs_data_set(data, reference, event.index);
    return true;
}

static void empty(struct tracefs_data *data)
{
    uint32_t count = data->count;

    core_store_release(&data->count, 0); /* pairs with tracefs_data_reference */
    for (uint32_t i = 0; i < count; i++) {
        if (data->references[i])
            tracefs_reference_disown(data->references[i]);
    }
}

static struct known_opening *find_unused(void)
{
    for (struct known_opening *o = all_openings; o; o = o->next) {
        if (accelerator_data_of(o->fd) != &o->data)
            return o;
    }
    return NULL;
}

static struct tracefs_data *take_opening(int fd)
{
    struct known_opening *opening = find_unused();

    if (opening) {
        empty(&opening->data);
    } else {
        opening = tracefs_memory_take(sizeof(*opening));
        if (!opening)
            return NULL;
        opening->next = all_openings;
        all_openings = opening;
    }
    opening->fd = fd;
    return &opening->data;
}

/* The kernel refuses writes to other openings. */
static bool is_writable(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

void accelerator_opening_learn(int fd)
{
    struct tracefs_data *data;
    engine_lock_state lock_state;
    int saved = errno;

    if ((unsigned int)fd < ACCELERATOR_FD_MAX && !engine_is_locked_by_self() && is_writable(fd)) {
        engine_lock(&lock_state);
        data = accelerator_data_of(fd);
        data = data ? data : take_opening(fd);
        while (data && learn_next(data, fd))
            ;
        accelerator_descriptors_know(fd, data);
        engine_unlock(&lock_state);
    }
    errno = saved;
}
