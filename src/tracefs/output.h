/* SPDX-License-Identifier: MIT */
/* Text that a file shows. */
#ifndef TRACEFS_OUTPUT_H
#define TRACEFS_OUTPUT_H

#include <stddef.h>

/* {0} is an empty one. */
struct tracefs_output {
    char *bytes;
    size_t size_bytes;
    size_t space_bytes;
    int error; /* ENOMEM: the rest is missing */
};

void tracefs_output_write(struct tracefs_output *output, const void *bytes, size_t size_bytes);
void tracefs_output_print(struct tracefs_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The bytes from an offset on, at most as many as wanted; *ret_from points to them. */
size_t tracefs_output_read(const struct tracefs_output *output, size_t offset, size_t wanted,
                           const char **ret_from);

void tracefs_output_free(struct tracefs_output *output);

#endif
