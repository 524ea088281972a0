/* SPDX-License-Identifier: MIT */
/*
 * Executables and libraries that recorded processes had mapped, and the symbols in them: read by
 * elfutils' libdw when the first address of a file is looked up. Without libdw there are none; a
 * static program cannot load it.
 */
#ifndef DECODE_OBJECTS_H
#define DECODE_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#define DECODE_BUILD_ID_MAX_BYTES 20u

struct decode_build_id {
    uint8_t bytes[DECODE_BUILD_ID_MAX_BYTES];
    uint8_t size_bytes; /* 0: unknown */
};

struct decode_object;

/* All zeros: none. */
struct decode_objects {
    struct decode_object **objects;
    uint32_t count;
};

/* Finds a file by its path and build id, or adds it. Returns 0; ENOMEM. */
int decode_objects_find(struct decode_objects *objects, const char *path,
                        const struct decode_build_id *build_id, uint32_t *ret_index);

const char *decode_object_path(const struct decode_objects *objects, uint32_t index);

/*
 * Finds the symbol at an offset in a file. False: there is none, the file is not here, or it is
 * another one than was recorded.
 *
 * ret_name  valid as long as the objects
 */
bool decode_object_symbol(struct decode_objects *objects, uint32_t index, uint64_t file_offset,
                          const char **ret_name, uint64_t *ret_offset);

void decode_objects_free(struct decode_objects *objects);

#endif
