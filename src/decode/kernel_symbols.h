/* SPDX-License-Identifier: MIT */
/*
 * Names of a kernel's addresses: from the table (/proc/kallsyms) that the recording has, as those
 * of trace-cmd do; for other recordings of this boot from the running kernel's. It is read when the
 * first name is needed. Without the right to see addresses (kernel.kptr_restrict), and for other
 * recordings of other kernels, nothing is named.
 */
#ifndef DECODE_KERNEL_SYMBOLS_H
#define DECODE_KERNEL_SYMBOLS_H

#include "decode/kernel_strings.h"

#include <stdbool.h>
#include <stdint.h>

struct cairn_decoder;
struct decode_kernel_symbol;

/* Zeros mean that the kernel is not known. */
struct decode_kernel_symbols {
    char reference[16]; /* a symbol of the recorded kernel, and its address there */
    uint64_t reference_address;
    struct cairn_slice recorded; /* the recording's table */
    bool was_read;
    struct decode_kernel_symbol *symbols; /* by address, each address once */
    uint32_t count;
    char *text; /* the table; names refer to it */
    struct decode_kernel_strings strings;
};

void decode_kernel_symbols_close(struct decode_kernel_symbols *table);

/* True if the recording has no table and is of this boot, and the kernel's can be read. */
bool decode_kernel_is_running(struct decode_kernel_symbols *table);

/* Returns the contents of a file of the kernel, with a NUL, for free; NULL: it cannot be read. */
char *decode_kernel_read_file(const char *path);

/* A decode_print_resolve_fn: `context` is a table. The name lives as long as the table. */
bool decode_kernel_symbols_resolve(void *context, uint64_t address, const char **ret_name,
                                   uint64_t *ret_offset);

/* Returns a decoder's table. */
struct decode_kernel_symbols *decode_kernel_of(struct cairn_decoder *decoder);

/* Sets the tables that a recording has, which must live as long as the decoder: the texts of
 * printk_formats and of /proc/kallsyms; empty ones are not there. */
void decode_kernel_note_tables(struct cairn_decoder *decoder, struct cairn_slice strings,
                               struct cairn_slice symbols);

/* Sets the address that a symbol, "_text", had in the recorded kernel. */
void decode_kernel_note(struct cairn_decoder *decoder, const char *symbol, uint64_t address);

#endif
