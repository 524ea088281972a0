/* SPDX-License-Identifier: MIT */
/*
 * Constant strings of the recorded kernel, by address: events such as rcu_utilization have only a
 * pointer to one. The recording has them (the file printk_formats of tracefs), or else the running
 * kernel, for recordings of this boot. An address with different strings, which a recording of
 * several kernels may have, has none.
 */
#ifndef DECODE_KERNEL_STRINGS_H
#define DECODE_KERNEL_STRINGS_H

#include "core/slice.h"

#include <stdbool.h>
#include <stdint.h>

struct cairn_decoder;
struct decode_kernel_string;
struct decode_kernel_symbols;

/* All zeros is none. */
struct decode_kernel_strings {
    struct cairn_slice table; /* printk_formats of the recording, or `text` */
    bool was_read;
    struct decode_kernel_string *strings; /* by address */
    uint32_t count;
    char *text; /* that of the running kernel, or NULL */
};

void decode_kernel_strings_close(struct decode_kernel_strings *strings);

/* A decode_print_string_fn: `context` is a struct decode_kernel_symbols. The string, without the
 * newline at its end, lives as long as that. */
bool decode_kernel_strings_find(void *context, uint64_t address, struct cairn_slice *ret_string);

/* Returns the text of printk_formats; empty: it is not known. It lives as long as `kernel` and the
 * recording. */
struct cairn_slice decode_kernel_strings_text(struct decode_kernel_symbols *kernel);

#endif
