/* SPDX-License-Identifier: MIT */
/* Memory files: the files that descriptors of served files refer to. */
#include "preload/memory_file.h"
#include "preload/next.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* The name of a memory file: the file that it stands for, and the flags of its opening. */
#define NAME_FORMAT       "cairn:%x:%x:%x:%" PRIx64 ":%x"
#define NAME_NUMBERS      5
#define PRELOAD_NAME_ROOM 80

static dev_t memory_device; /* of all memory files; 0: not known yet */

static unsigned int mode_of(uint32_t kind)
{
    return kind == PRELOAD_PLACE_MOUNTS ? 0440 : tracefs_place_mode(kind);
}

int preload_memory_file_make(const struct tracefs_place *place, int flags)
{
    char name[PRELOAD_NAME_ROOM];
    int fd;

    (void)snprintf(name, sizeof(name), NAME_FORMAT, place->kind, place->system, place->index,
                   place->generation, (unsigned int)flags & (O_ACCMODE | O_APPEND));
    fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0)
        (void)fchmod(fd, mode_of(place->kind));
    return fd;
}

bool preload_memory_file_parse(const char *name, struct tracefs_place *ret_place, int *ret_flags)
{
    static const char memory[] = "/memfd:cairn:";
    unsigned long long numbers[NAME_NUMBERS];
    struct tracefs_place place;
    const char *at;
    char *end;

    if (strncmp(name, memory, sizeof(memory) - 1) != 0)
        return false;
    at = name + sizeof(memory) - 1;
    for (size_t i = 0; i < NAME_NUMBERS; i++) {
        numbers[i] = strtoull(at, &end, 16);
        if (end == at || (*end != ':' && i + 1 < NAME_NUMBERS))
            return false;
        at = end + 1;
    }
    place = (struct tracefs_place){(uint32_t)numbers[0], (uint32_t)numbers[1], (uint32_t)numbers[2],
                                   numbers[3]};
    if (place.kind <= TRACEFS_PLACE_NONE || place.kind > PRELOAD_PLACE_MOUNTS)
        return false;
    *ret_place = place;
    *ret_flags = (int)numbers[4];
    return true;
}

static dev_t find_memory_device(void)
{
    int fd = memfd_create("cairn", MFD_CLOEXEC);
    struct stat st = {0};

    if (fd < 0)
        return 0;
    (void)PRELOAD_NEXT(fstat)(fd, &st);
    (void)PRELOAD_NEXT(close)(fd);
    return st.st_dev;
}

bool preload_memory_file_may_be(const struct stat *st)
{
    if (S_ISREG(st->st_mode) && !memory_device)
        memory_device = find_memory_device();
    return memory_device && st->st_dev == memory_device;
}
