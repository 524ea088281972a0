/* SPDX-License-Identifier: MIT */
/* Text on its way into a file: gathered, and written in blocks. No memory of the program's heap. */
#ifndef TRACEFS_OUTPUT_H
#define TRACEFS_OUTPUT_H

#include <stddef.h>
#include <sys/types.h>

struct cairn_output {
    int fd;
    int error;    /* the first failure */
    off_t offset; /* of the file, where the gathered bytes go */
    size_t used;
    char bytes[4096];
};

void cairn_output_write(struct cairn_output *output, const void *bytes, size_t size_bytes);
void cairn_output_print(struct cairn_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the rest, and truncates the file after it. Returns the first failure. */
int cairn_output_finish(struct cairn_output *output);

#endif
