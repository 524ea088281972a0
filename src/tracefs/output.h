/* SPDX-License-Identifier: MIT */
/* Text on its way into a file: gathered, and written in blocks. No memory of the program's heap. */
#ifndef TRACEFS_OUTPUT_H
#define TRACEFS_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

struct tracefs_output {
    int fd;
    int error;    /* the first failure */
    off_t offset; /* of the file, where the gathered bytes go */
    size_t used;
    char bytes[4096];
};

void tracefs_output_write(struct tracefs_output *output, const void *bytes, size_t size_bytes);
void tracefs_output_print(struct tracefs_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the rest, and truncates the file after it. Returns the first failure. */
int tracefs_output_finish(struct tracefs_output *output);

#endif
