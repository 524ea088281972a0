/* SPDX-License-Identifier: MIT */
/*
 * The text of a kernel tracepoint's event: its `print fmt`, compiled once and evaluated for each
 * record.
 *
 * Formats and records are untrusted. A format is limited in size and depth when it is compiled;
 * evaluating it reads only the record, and writes only the caller's memory.
 */
#ifndef DECODE_PRINT_H
#define DECODE_PRINT_H

#include <cairn/decode.h>

struct decode_print;

/*
 * Compiles a schema's print_fmt.
 *
 * schema     copied; its texts must live as long as the result
 * ret_print  destroyed by the caller
 *
 * Returns 0; ENOTSUP the format is malformed or calls a function of its kernel; ENOMEM.
 */
int decode_print_compile(const struct cairn_schema *schema, uint32_t long_size_bytes,
                         struct decode_print **ret_print);

/*
 * Makes the text one of addresses in the record, as many as an int before them says: the first and
 * the second piece of the format are for the first address and for each other.
 */
void decode_print_set_stack(struct decode_print *print, uint32_t count_offset,
                            uint32_t address_offset);

/* Accepts NULL. */
void decode_print_destroy(struct decode_print *print);

/* Names an address of the kernel, as an offset from a symbol. False if it is unknown. */
typedef bool decode_print_resolve_fn(void *context, uint64_t address, const char **ret_name,
                                     uint64_t *ret_offset);

/* Finds a string of the kernel by its address. False if it is unknown. */
typedef bool decode_print_string_fn(void *context, uint64_t address,
                                    struct cairn_slice *ret_string);

struct decode_print_record {
    const uint8_t *raw; /* common fields first */
    uint32_t raw_bytes;
    bool swap;
    decode_print_resolve_fn *resolve; /* may be NULL: addresses are printed as numbers */
    decode_print_string_fn *string;   /* may be NULL, too */
    void *kernel;                     /* the context of both */
};

/* Text longer than this is truncated, and ends with DECODE_PRINT_CUT. */
#define DECODE_PRINT_TEXT_MAX_BYTES 8192u
#define DECODE_PRINT_CUT            "..."

/*
 * Writes a record's text, without the newlines at its end and without a NUL.
 *
 * text        DECODE_PRINT_TEXT_MAX_BYTES bytes
 * ret_length  set on success
 *
 * Returns 0; EBADMSG the record ends before a field that the text needs.
 */
int decode_print_text(const struct decode_print *print, const struct decode_print_record *record,
                      char *text, uint32_t *ret_length);

/* ---- names of values ---- */

/* Returns the number of fields for whose values the format has names: flags and symbolic values. */
uint32_t decode_print_named_count(const struct decode_print *print);

/* Returns the name of such a field; index < count. */
struct cairn_slice decode_print_named_field(const struct decode_print *print, uint32_t index);

/*
 * Writes the name of the field's value in a record, as decode_print_text does.
 *
 * Returns 0; EBADMSG the record ends before the field; ENOENT the value has no name.
 */
int decode_print_named_text(const struct decode_print *print, uint32_t index,
                            const struct decode_print_record *record, char *text,
                            uint32_t *ret_length);

#endif
