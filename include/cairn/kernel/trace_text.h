/* SPDX-License-Identifier: MIT */
/*
 * The rings as text: the files `trace`, `trace_pipe` and `per_cpu/cpuN/stats` of tracefs, as Linux
 * 6.12 shows them with its default options.
 *
 *   trace        a header, and every event that is in the rings, which are unchanged
 *   trace_pipe   events only, each shown once and removed from the rings
 */
#ifndef CAIRN_KERNEL_TRACE_TEXT_H
#define CAIRN_KERNEL_TRACE_TEXT_H

#include <cairn/api.h>
#include <cairn/kernel/text.h>
#include <cairn/kernel/trace_buffer.h>
#include <cairn/kernel/trace_line.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As in ftrace, an event's text that is longer ends in "[LINE TOO BIG]" and a line break. */
#define CAIRN_TRACE_LINE_MAX_BYTES 8155u

/* A `trace` or `trace_pipe` that is being read. Members are internal. */
struct cairn_trace_text {
    struct cairn_trace_names names;
    struct cairn_trace_buffer *buffer;
    struct cairn_trace_cursor cursor;
    uint32_t *started;    /* a bit for each CPU that has shown an event */
    char *line;           /* the text being read: a line, or the header */
    size_t line_at;       /* bytes of it that were read */
    size_t line_bytes;    /* its length */
    uint64_t event_count; /* shown so far */
    bool consume;
    bool annotate; /* a CPU's first event is announced */
};

/* The bytes of memory for reading. */
CAIRN_API size_t cairn_trace_text_memory_bytes(const struct cairn_trace_buffer *buffer);

/*
 * Opens `trace`, or with `consume` `trace_pipe`, of one CPU or of CAIRN_TRACE_ALL_CPUS.
 *
 * names    copied; called while text is read
 * memory   aligned to 16, the caller's, in use until it is closed
 *
 * Any context; one reader at a time uses a text; there may be any number of texts. Each event is
 * shown by one `trace_pipe`. Returns 0; EINVAL no such CPU, memory that is too small or not
 * aligned.
 */
CAIRN_API int cairn_trace_text_open(struct cairn_trace_text *text,
                                    const struct cairn_trace_names *names,
                                    struct cairn_trace_buffer *buffer, uint32_t cpu, bool consume,
                                    void *memory, size_t memory_bytes);

/* Reads the next whole lines, as many as fit. A line that is longer than size_bytes is read in
 * parts. Returns 0; 0 and a length of 0 at the end of a `trace`; EAGAIN a `trace_pipe` has no event
 * now; EINVAL size_bytes is 0. */
CAIRN_API int cairn_trace_text_read(struct cairn_trace_text *text, char *to, size_t size_bytes,
                                    size_t *ret_length);

/* Ends reading. The rest of a partially read line is lost. */
CAIRN_API void cairn_trace_text_close(struct cairn_trace_text *text);

/*
 * Adds the text of per_cpu/cpuN/stats.
 *
 * now_ns   the time of the host's clock
 *
 * Returns 0; EINVAL no such CPU.
 */
CAIRN_API int cairn_trace_buffer_write_stats(const struct cairn_trace_buffer *buffer, uint32_t cpu,
                                             uint64_t now_ns, struct cairn_text *to);

#ifdef __cplusplus
}
#endif

#endif
