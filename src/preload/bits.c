/* SPDX-License-Identifier: MIT */
/* The status page as kernels up to Linux 6.3 had it: a bit for each event. */
#include "preload/bits.h"
#include "core/atomic.h"
#include "tracefs/abi.h"
#include "engine/engine.h"
#include "tracefs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BITS_BYTES ((size_t)TRACEFS_BITS_MAX / 8)

/* The same memory twice: for us, and only to be read, for the program to have mappings like it. */
static uint8_t *bits;
static void *view;

/* The size that the kernel maps: that of the bits, or of a page if pages are larger. */
static size_t page_bytes(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);

    return size > BITS_BYTES ? size : BITS_BYTES;
}

bool preload_bits_any(void)
{
    return bits != NULL;
}

void preload_bits_update(void)
{
    const uint8_t *status = engine_self.local.status;

    for (uint32_t i = 0; bits && i < BITS_BYTES; i++) {
        uint8_t byte = 0;

        for (uint32_t bit = 0; bit < 8; bit++)
            byte |= (uint8_t)((core_load_relaxed(&status[i * 8 + bit]) != 0) << bit);
        if (bits[i] != byte)
            core_store_relaxed(&bits[i], byte);
    }
}

/* Another mapping of what is mapped: no descriptor is needed for that. */
static void *duplicate(void *memory, void *address)
{
    return mremap(memory, 0, page_bytes(), MREMAP_MAYMOVE | (address ? MREMAP_FIXED : 0), address);
}

static int make_page(void)
{
    uint8_t *made =
        mmap(NULL, page_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    void *to_read = made == MAP_FAILED ? MAP_FAILED : duplicate(made, NULL);

    if (to_read == MAP_FAILED || mprotect(to_read, page_bytes(), PROT_READ)) {
        int error = errno;

        if (to_read != MAP_FAILED)
            (void)munmap(to_read, page_bytes());
        if (made != MAP_FAILED)
            (void)munmap(made, page_bytes());
        return error;
    }
    view = to_read;
    bits = made;
    return 0;
}

/* ---- what was mapped before ---- */

struct mapping {
    uint64_t begin;
    uint64_t end;
};

/* Takes a number, and what ends it. */
static bool take_number(const char **at, int base, char end, uint64_t *ret_number)
{
    char *rest;

    *ret_number = strtoull(*at, &rest, base);
    *at = rest + 1;
    return *rest == end;
}

static bool take_text(const char **at, const char *text)
{
    size_t length = strlen(text);
    bool is_there = !strncmp(*at, text, length);

    *at += is_there ? length : 0;
    return is_there;
}

/* One page of the file, from its beginning, to be read: as programs map it, and not as we do. */
static bool is_page_of(const char *line, const struct stat *file, struct mapping *mapping)
{
    uint64_t major_number;
    uint64_t minor_number;
    uint64_t inode;

    return take_number(&line, 16, '-', &mapping->begin) &&
           take_number(&line, 16, ' ', &mapping->end) && take_text(&line, "r--s 00000000 ") &&
           take_number(&line, 16, ':', &major_number) &&
           take_number(&line, 16, ' ', &minor_number) && take_number(&line, 10, ' ', &inode) &&
           makedev((unsigned int)major_number, (unsigned int)minor_number) == file->st_dev &&
           inode == file->st_ino && mapping->end - mapping->begin == page_bytes();
}

/* Takes the next line out of a file of any length. False: there is none. */
static bool next_line(int fd, char *text, size_t space, size_t *used, char *line)
{
    char *end;

    while (!(end = memchr(text, '\n', *used))) {
        ssize_t size = *used < space ? read(fd, text + *used, space - *used) : 0;

        if (size <= 0)
            return false;
        *used += (size_t)size;
    }
    *end = 0;
    memcpy(line, text, (size_t)(end - text) + 1);
    *used -= (size_t)(end - text) + 1;
    memmove(text, end + 1, *used);
    return true;
}

static void replace_pages(const struct stat *file)
{
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    char text[ENGINE_PATH_MAX + 256];
    char line[ENGINE_PATH_MAX + 256];
    struct mapping mapping;
    size_t used = 0;

    while (fd >= 0 && next_line(fd, text, sizeof(text), &used, line)) {
        if (is_page_of(line, file, &mapping))
            (void)duplicate(view, (void *)(uintptr_t)mapping.begin); // NOLINT(*-int-to-ptr)
    }
    if (fd >= 0)
        close(fd);
}

int tracefs_transport_begin_bits(struct tracefs_program *program)
{
    struct stat file;
    int error;
    int fd;

    (void)program;
    if (bits)
        return 0;
    fd = engine_directory_open(&engine_self.local.directory, "user_events_status", O_RDONLY);
    if (fd < 0)
        return errno;
    error = fstat(fd, &file) ? errno : make_page();
    close(fd);
    if (error)
        return error;
    preload_bits_update();
    replace_pages(&file);
    return 0;
}

int preload_bits_map(void *address, size_t size_bytes, int protection, int flags, void **ret_memory)
{
    void *memory;

    if (size_bytes == 0 || (size_bytes + page_bytes() - 1) / page_bytes() != 1)
        return EINVAL;
    if (protection & PROT_WRITE)
        return EACCES;
    memory = duplicate(view, flags & MAP_FIXED ? address : NULL);
    if (memory == MAP_FAILED)
        return errno;
    *ret_memory = memory;
    return 0;
}
