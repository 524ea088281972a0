/* SPDX-License-Identifier: MIT */
/* Text that grows: what a file of tracefs shows. */
#ifndef ENGINE_OUTPUT_H
#define ENGINE_OUTPUT_H

#include <stddef.h>

/* {0} is an empty one. */
struct engine_output {
    char *bytes;
    size_t size_bytes;
    size_t space_bytes;
    int error; /* ENOMEM: the rest is missing */
};

void engine_output_write(struct engine_output *output, const void *bytes, size_t size_bytes);
void engine_output_print(struct engine_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The bytes from an offset on, at most as many as wanted; *ret_from points to them. */
size_t engine_output_read(const struct engine_output *output, size_t offset, size_t wanted,
                          const char **ret_from);

void engine_output_free(struct engine_output *output);

#endif
