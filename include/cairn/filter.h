/* SPDX-License-Identifier: MIT */
/*
 * Filters: conditions that select events, in the language of ftrace's `filter` files, as Linux 6.12
 * parses it.
 *
 *     prev_prio < 100 && (prev_comm ~ "kworker*" || common_pid == 1)
 *
 * A filter is compiled for one schema, into memory of the caller, and then matched with each
 * record. It accepts and refuses the same filters as Linux, with the same errors and positions;
 * src/core/README.md lists the few differences.
 *
 * No function allocates or recurses. All functions are pure: any thread, any signal handler, any
 * interrupt.
 */
#ifndef CAIRN_FILTER_H
#define CAIRN_FILTER_H

#include <cairn/api.h>
#include <cairn/schema.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A filter of this many bytes or more is refused: Linux writes no more than a page at a time. */
#define CAIRN_FILTER_TEXT_MAX_BYTES 4096u

/* The bytes of a task's name, padded with NULs; a name of full length has none. */
#define CAIRN_FILTER_COMM_BYTES 16u

/* Limit of the CPU numbers in a list (CPUS{0-3}): this number, or the host's number of CPUs. */
#define CAIRN_FILTER_CPUS_MAX 1024u

enum cairn_filter_error_kind {
    CAIRN_FILTER_INVALID_OPERATOR = 0,
    CAIRN_FILTER_TOO_MANY_OPEN = 1,
    CAIRN_FILTER_TOO_MANY_CLOSE = 2,
    CAIRN_FILTER_MISSING_QUOTE = 3,
    CAIRN_FILTER_MISSING_BRACE_OPEN = 4,
    CAIRN_FILTER_MISSING_BRACE_CLOSE = 5,
    CAIRN_FILTER_OPERAND_TOO_LONG = 6,
    CAIRN_FILTER_EXPECT_STRING = 7,
    CAIRN_FILTER_EXPECT_DIGIT = 8,
    CAIRN_FILTER_ILLEGAL_FIELD_OPERATION = 9,
    CAIRN_FILTER_FIELD_NOT_FOUND = 10,
    CAIRN_FILTER_ILLEGAL_INTEGER = 11,
    CAIRN_FILTER_TOO_MANY_TERMS = 12,
    CAIRN_FILTER_MEANINGLESS = 13,
    CAIRN_FILTER_INVALID_CPU_LIST = 14,
    CAIRN_FILTER_INVALID_VALUE = 15,
    CAIRN_FILTER_NO_FUNCTION = 16,
    CAIRN_FILTER_UNSPECIFIC = 17, /* "Error", without a reason, as in Linux */
    CAIRN_FILTER_NO_FILTER = 18,
    CAIRN_FILTER_BAD_SYSTEM = 19, /* of a system's `filter` file; no single filter has it */
};

/* An error of a filter, in the words of Linux's error_log. */
struct cairn_filter_error {
    uint32_t position;  /* of the caret: a byte of the text, or a few bytes after what is wrong */
    const char *reason; /* "Field not found"; a constant */
    enum cairn_filter_error_kind kind;
};

/* Properties of an event, outside its record, that a filter may use. */
struct cairn_filter_task {
    uint32_t cpu;
    const char *comm; /* CAIRN_FILTER_COMM_BYTES */
};

/* A compiled filter: contains no addresses, so it can be copied to any multiple of 8. */
struct cairn_filter;

/* Memory that is enough for every filter of `length` bytes. */
CAIRN_API size_t cairn_filter_memory_bytes(size_t length);

/*
 * Compiles a filter.
 *
 * schema        of a command text or of a format text; not needed afterwards. Common fields are
 *               known even if it has none
 * text, length  ends after length bytes, or at the first NUL; spaces at its end are ignored
 * memory        at a multiple of 8; becomes the filter, including its text. Freed by the caller
 * ret_filter    set on success, to the address of memory; unchanged on failure
 * ret_error     set when EINVAL is returned; may be NULL
 *
 * Returns 0; EINVAL the filter is invalid, or memory is not at a multiple of 8 (then ret_error is
 * unchanged); E2BIG the text has CAIRN_FILTER_TEXT_MAX_BYTES or more; ENOSPC it does not fit in
 * memory.
 */
CAIRN_API int cairn_filter_compile(const struct cairn_schema *schema, const char *text,
                                   size_t length, void *memory, size_t memory_bytes,
                                   struct cairn_filter **ret_filter,
                                   struct cairn_filter_error *ret_error);

/* The same with a known number of CPUs, as in Linux: lists with other CPUs are refused, and lists
 * can contain `N` and `all`. A cpu_count of 0 or above CAIRN_FILTER_CPUS_MAX means
 * CAIRN_FILTER_CPUS_MAX. */
CAIRN_API int cairn_filter_compile_for_cpus(const struct cairn_schema *schema, uint32_t cpu_count,
                                            const char *text, size_t length, void *memory,
                                            size_t memory_bytes, struct cairn_filter **ret_filter,
                                            struct cairn_filter_error *ret_error);

/*
 * True if a filter selects a record. A record that is shorter than its schema is not selected, nor
 * is one with a dynamic field that leads out of it, if the filter reads that field.
 *
 * raw, raw_bytes   the record from its common_type on; its contents are untrusted, but must not
 *                  change during the call. Any alignment.
 * task             may be NULL if cairn_filter_needs_task returns false; with NULL a filter that
 *                  needs it selects nothing
 */
CAIRN_API bool cairn_filter_match(const struct cairn_filter *filter, const void *raw,
                                  size_t raw_bytes, const struct cairn_filter_task *task);

/* True if a filter uses CPU or COMM. */
CAIRN_API bool cairn_filter_needs_task(const struct cairn_filter *filter);

/* The text, as Linux reads it back: without the spaces at its end. NUL-terminated, in the filter.
 */
CAIRN_API const char *cairn_filter_text(const struct cairn_filter *filter);

/* The size of a compiled filter, for copying it. */
CAIRN_API size_t cairn_filter_bytes(const struct cairn_filter *filter);

/* The description of an error, as in Linux; a constant. */
CAIRN_API const char *cairn_filter_reason(enum cairn_filter_error_kind kind);

/* True if writing this text to a `filter` file removes the filter: "0", spaces around it. */
CAIRN_API bool cairn_filter_text_clears(const char *text, size_t length);

/*
 * Writes the text that a `filter` file shows after a write that failed with EINVAL: the text, a
 * caret, the reason, and an empty line.
 *
 * text, length     as given to cairn_filter_compile
 * shown, size_bytes the caller's memory, NUL-terminated on success
 * ret_length       bytes written without the NUL; may be NULL
 *
 * Returns 0; E2BIG the text is of CAIRN_FILTER_TEXT_MAX_BYTES or more; ENOSPC it does not fit.
 */
CAIRN_API int cairn_filter_write_error(const char *text, size_t length,
                                       const struct cairn_filter_error *error, char *shown,
                                       size_t size_bytes, size_t *ret_length);

#ifdef __cplusplus
}
#endif

#endif
