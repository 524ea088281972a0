/* SPDX-License-Identifier: MIT */
/*
 * perf.data: reading and writing, as a file and as a pipe stream.
 *
 * The format is the one of the kernel's tools/perf/Documentation/perf.data-file-format.txt: a
 * header, attrs (which events, and how their samples look), a stream of records, and features
 * (facts about the machine, and the tracing data: the tracefs `format` text of each tracepoint).
 * In a pipe stream attrs and features are records among the others.
 *
 * A reader or a writer is used by one thread at a time. Nothing here is for signal handlers.
 */
#ifndef CAIRN_PERF_DATA_H
#define CAIRN_PERF_DATA_H

#include <cairn/loss.h>
#include <cairn/record.h>
#include <cairn/schema.h>
#include <cairn/tracepoint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Record types that the reader returns; perf_event_open(2) lists the kernel's others. */
enum cairn_perf_record_type {
    CAIRN_PERF_RECORD_LOST = 2,
    CAIRN_PERF_RECORD_COMM = 3,
    CAIRN_PERF_RECORD_FORK = 7,
    CAIRN_PERF_RECORD_SAMPLE = 9,
    CAIRN_PERF_RECORD_LOST_SAMPLES = 13,
    CAIRN_PERF_RECORD_USER_FIRST = 64, /* from here on: made by tools, not by the kernel */
    CAIRN_PERF_RECORD_HEADER_ATTR = 64,
    CAIRN_PERF_RECORD_HEADER_EVENT_TYPE = 65,
    CAIRN_PERF_RECORD_HEADER_TRACING_DATA = 66,
    CAIRN_PERF_RECORD_HEADER_BUILD_ID = 67,
    CAIRN_PERF_RECORD_FINISHED_ROUND = 68,
    CAIRN_PERF_RECORD_AUXTRACE = 71,
    CAIRN_PERF_RECORD_EVENT_UPDATE = 78,
    CAIRN_PERF_RECORD_HEADER_FEATURE = 80,
    CAIRN_PERF_RECORD_COMPRESSED = 81,
    CAIRN_PERF_RECORD_FINISHED_INIT = 82,
    CAIRN_PERF_RECORD_COMPRESSED2 = 83,
};

/* Features by their number in the file. */
enum cairn_perf_feature {
    CAIRN_PERF_FEATURE_TRACING_DATA = 1,
    CAIRN_PERF_FEATURE_BUILD_ID = 2,
    CAIRN_PERF_FEATURE_HOSTNAME = 3,
    CAIRN_PERF_FEATURE_OSRELEASE = 4,
    CAIRN_PERF_FEATURE_VERSION = 5,
    CAIRN_PERF_FEATURE_ARCH = 6,
    CAIRN_PERF_FEATURE_NRCPUS = 7,
    CAIRN_PERF_FEATURE_CPUDESC = 8,
    CAIRN_PERF_FEATURE_CPUID = 9,
    CAIRN_PERF_FEATURE_TOTAL_MEM = 10,
    CAIRN_PERF_FEATURE_CMDLINE = 11,
    CAIRN_PERF_FEATURE_EVENT_DESC = 12,
    CAIRN_PERF_FEATURE_SAMPLE_TIME = 21,
    CAIRN_PERF_FEATURE_CLOCKID = 23,
    CAIRN_PERF_FEATURE_COMPRESSED = 27,
    CAIRN_PERF_FEATURE_CLOCK_DATA = 29,
    CAIRN_PERF_FEATURE_COUNT = 64, /* features of higher numbers are skipped */
};

/* PERF_TYPE_TRACEPOINT: an attr's config is then the id in the tracepoint's format text. */
#define CAIRN_PERF_TYPE_TRACEPOINT 2u

#define CAIRN_PERF_ERROR_NO_OFFSET UINT64_MAX

/* An error, and its position in the file. */
struct cairn_perf_error {
    int code;         /* an errno code; 0: no error */
    uint64_t offset;  /* byte offset in the file; CAIRN_PERF_ERROR_NO_OFFSET: unknown */
    const char *text; /* "a record's size is below that of its header"; a constant */
};

/* ---- Descriptions of a file's events ---- */

/*
 * One attr: an event and the layout of its samples. Valid, at the same address, until the file is
 * closed; in a pipe stream name and format may be added while it is read.
 */
struct cairn_perf_attr {
    uint32_t index;       /* from 0, in the file's order: for tables on the side */
    uint32_t type;        /* CAIRN_PERF_TYPE_TRACEPOINT, or another PERF_TYPE_ */
    uint64_t config;      /* of a tracepoint: its id */
    uint64_t sample_type; /* PERF_SAMPLE_ bits */
    uint64_t read_format; /* PERF_FORMAT_ bits */
    uint64_t flags;    /* the attr's bit field: bit 0 disabled, 18 sample_id_all, 25 use_clockid */
    int32_t clockid;   /* when use_clockid is set */
    uint32_t id_count; /* number of its sample ids */
    const uint64_t *ids;       /* them */
    const char *name;          /* "sched:sched_switch"; "" if unknown */
    struct cairn_slice system; /* of a tracepoint: "sched"; "" when not known */
    struct cairn_slice format; /* of a tracepoint: its format text; "" when not known */
};

/* A format text of the tracing data. An attr may have a format of its own: prefer that. */
struct cairn_perf_format {
    struct cairn_slice system; /* "sched"; "ftrace" for ftrace's own */
    struct cairn_slice text;
    uint32_t id; /* the number of its line "ID:" */
};

/* The tracing data apart from its formats. Slices are "" when absent. */
struct cairn_perf_tracing {
    struct cairn_slice header_page;
    struct cairn_slice header_event;
    struct cairn_slice kallsyms;
    struct cairn_slice printk;
    struct cairn_slice cmdlines; /* lines "PID COMM" */
    uint32_t page_size_bytes;    /* 0 when there is no tracing data */
    uint32_t long_size_bytes;    /* 4 or 8, of the machine recorded; 8 when not known */
};

/* Facts about the machine and the recording program; NULL or 0 when not known. */
struct cairn_perf_host {
    const char *hostname;
    const char *osrelease; /* uname -r */
    const char *version;   /* of the recording program: "6.1.90", "cairn 0.1.0" */
    const char *arch;      /* uname -m */
    const char *cpudesc;   /* "AMD EPYC 7B13" */
    const char *cpuid;     /* "AuthenticAMD,25,1,1" */
    uint32_t cpus_available;
    uint32_t cpus_online;
    uint64_t total_mem_kib;
    uint32_t arg_count;
    const char *const *args; /* the command that recorded; arg_count strings */
};

/* The clock of the time stamps, and its relation to the time of day. */
struct cairn_perf_clock {
    int32_t clockid;        /* CLOCK_MONOTONIC...; -1: not known (perf's own clock) */
    bool wall_clock_known;  /* the two below are set */
    uint64_t resolution_ns; /* 0: not known */
    uint64_t wall_clock_ns; /* CLOCK_REALTIME ... */
    uint64_t time_ns;       /* ... when the clock showed this */
};

/* The time of day of a time stamp in ns since 1970; the clock's wall_clock_known must be set. */
static inline uint64_t cairn_perf_clock_wall_ns(const struct cairn_perf_clock *clock,
                                                uint64_t time_ns)
{
    return clock->wall_clock_ns + (time_ns - clock->time_ns);
}

/* ---- Reading ---- */

struct cairn_perf_file;

/* A record as it is in the file. */
struct cairn_perf_record {
    const uint8_t *data; /* size_bytes bytes in the file's byte order, the header of 8 included */
    uint64_t offset;     /* in the file; of a decompressed record: near where it was compressed */
    uint64_t time_ns;    /* 0 when it has no time */
    const struct cairn_perf_attr *attr; /* NULL: a tool's record, or the attr is unknown */
    uint32_t type;                      /* enum cairn_perf_record_type or another PERF_RECORD_ */
    uint16_t misc;
    uint16_t size_bytes; /* without the data after AUXTRACE and TRACING_DATA records */
};

/* The fields of a sample. Those that its attr's sample_type lacks are 0. */
struct cairn_perf_sample {
    const struct cairn_perf_attr *attr;
    uint64_t id;
    uint64_t stream_id;
    uint64_t ip;
    uint64_t addr;
    uint64_t time_ns;
    uint64_t period;
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;
    uint32_t raw_size_bytes;
    const uint8_t *raw;       /* NULL when none; in the file's byte order; of no alignment */
    const uint8_t *callchain; /* NULL when none; callchain_count u64 in the file's byte order */
    uint64_t callchain_count;
};

/* Counts of records read so far. */
struct cairn_perf_counts {
    uint64_t records;      /* handed out */
    uint64_t samples;      /* of them */
    uint64_t lost_events;  /* sum of the PERF_RECORD_LOST records; a count beyond 2^48 is damage */
    uint64_t lost_samples; /* sum of the PERF_RECORD_LOST_SAMPLES records */
    uint64_t rounds;       /* PERF_RECORD_FINISHED_ROUND */
    uint64_t late;         /* returned in time order, but before an earlier one was known */
};

/* Events and processes that are missing from a recording. */
struct cairn_perf_missing {
    uint64_t lost[CAIRN_LOSS_CAUSES];      /* events, by cause (enum cairn_loss) */
    uint64_t processes[CAIRN_LOSS_CAUSES]; /* none of whose events could be recorded, by cause */
    uint64_t damaged;                      /* invalid records, which were left out */
    uint32_t directory_gone;               /* not 0: the tracing directory was removed meanwhile */
    /* not 0: the recorder took the place of one that was killed: the kernel's events that the other
     * had not written, and those in between, are missing */
    uint32_t kernel_gap;
    /* times that programs stopped writing because the recorder had not run for 5 s: their events
     * until it continued are missing */
    uint32_t silences;
    uint32_t changed_cpus; /* went offline or online: the kernel's events on them are missing */
    uint32_t directories_left_out; /* tracing directories that were not recorded */
};

/*
 * Opens a perf.data file, or with path "-" standard input, which need not be seekable: a pipe
 * stream is read as it comes; a file that comes through a pipe is copied to a temporary file first.
 * A pipe stream that was stored in a file is recognised. Both byte orders, any age.
 *
 * ret_error  set on failure; may be NULL
 * ret_file   closed by the caller
 *
 * A file is mapped: it must not become shorter while it is open (a read after its end is a SIGBUS).
 *
 * A file that is damaged after its header opens: the readable records are returned, and then the
 * error (see cairn_perf_file_next).
 *
 * Of a directory that `perf record --kcore` made its file is opened.
 *
 * Returns 0; EBADMSG not perf.data, or an invalid header or attrs; EOPNOTSUPP a directory that
 * `perf record --threads` made; EISDIR another directory; ENOMEM; or the error of open, read or
 * mmap.
 */
CAIRN_API int cairn_perf_file_open(const char *path, struct cairn_perf_error *ret_error,
                                   struct cairn_perf_file **ret_file);

/* The same for an open file descriptor, which stays the caller's and open until after close. */
CAIRN_API int cairn_perf_file_open_fd(int fd, struct cairn_perf_error *ret_error,
                                      struct cairn_perf_file **ret_file);

/* Everything that the file returned becomes invalid. Accepts NULL. */
CAIRN_API void cairn_perf_file_close(struct cairn_perf_file *file);

/*
 * Reads the next record in the order of the file: all of them, tools' records included;
 * decompressed records replace compressed ones. Records of metadata (attrs, features, tracing data)
 * are applied before they are returned.
 *
 * ret_record  valid until the next call; filled in place, so undefined on failure
 *
 * Returns 0; ENODATA the end; otherwise the first error, after the last record that is readable,
 * and again at each further call: EBADMSG cut short or malformed; EOPNOTSUPP a compression that
 * this build lacks; ENOMEM; or the error of read. cairn_perf_file_error has the position.
 */
CAIRN_API int cairn_perf_file_next(struct cairn_perf_file *file,
                                   struct cairn_perf_record *ret_record);

/*
 * Reads the next record in the order of time, as `perf script` does: sorted by time, those of equal
 * time in the order of the file; records without time as soon as they are read. Records before a
 * FINISHED_ROUND are held until the next but one guarantees that no earlier record follows. A
 * stream without rounds is held whole, up to 256 MiB of records: then its earlier half is returned.
 *
 * Arguments and codes as above. A file is read with this or with cairn_perf_file_next, not both.
 */
CAIRN_API int cairn_perf_file_next_ordered(struct cairn_perf_file *file,
                                           struct cairn_perf_record *ret_record);

/*
 * Parses a PERF_RECORD_SAMPLE.
 *
 * ret_sample  filled in place, so undefined on failure
 *
 * Returns 0; EINVAL not a sample; ENOENT its attr is unknown; EBADMSG shorter than its attr
 * requires.
 */
CAIRN_API int cairn_perf_sample_parse(const struct cairn_perf_file *file,
                                      const struct cairn_perf_record *record,
                                      struct cairn_perf_sample *ret_sample);

/* The first error so far; code is 0 when there was none. The file's own, changes as it is read. */
CAIRN_API const struct cairn_perf_error *cairn_perf_file_error(const struct cairn_perf_file *file);

/* True when the file's bytes are of the other order than this machine's. */
CAIRN_API bool cairn_perf_file_is_swapped(const struct cairn_perf_file *file);

/* True for a pipe stream, stored or not: attrs and features may come at any time. */
CAIRN_API bool cairn_perf_file_is_pipe(const struct cairn_perf_file *file);

CAIRN_API uint32_t cairn_perf_file_attr_count(const struct cairn_perf_file *file);

/* Returns the attr of an index below the count. */
CAIRN_API const struct cairn_perf_attr *cairn_perf_file_attr(const struct cairn_perf_file *file,
                                                             uint32_t index);

/* Returns the attr of a sample id, or NULL. */
CAIRN_API const struct cairn_perf_attr *
cairn_perf_file_attr_of_id(const struct cairn_perf_file *file, uint64_t sample_id);

CAIRN_API uint32_t cairn_perf_file_format_count(const struct cairn_perf_file *file);

/* The format text of an index below the count; those of ftrace itself come first. */
CAIRN_API const struct cairn_perf_format *cairn_perf_file_format(const struct cairn_perf_file *file,
                                                                 uint32_t index);

/* The following are the file's own: valid until it is closed, filled as far as it was read. */
CAIRN_API const struct cairn_perf_tracing *
cairn_perf_file_tracing(const struct cairn_perf_file *file);
CAIRN_API const struct cairn_perf_host *cairn_perf_file_host(const struct cairn_perf_file *file);
CAIRN_API const struct cairn_perf_clock *cairn_perf_file_clock(const struct cairn_perf_file *file);
CAIRN_API const struct cairn_perf_counts *
cairn_perf_file_counts(const struct cairn_perf_file *file);

/*
 * Returns the losses that the recorder reported, as far as the file has been read: all of them at
 * the end. Zeros if there are none, or if another tool than cairn recorded. Lost events are in
 * cairn_perf_file_counts too.
 */
CAIRN_API const struct cairn_perf_missing *
cairn_perf_file_missing(const struct cairn_perf_file *file);

/*
 * Returns a feature's bytes in the file's byte order, for features without a function above.
 *
 * Returns 0; ENOENT the file lacks it, so far.
 */
CAIRN_API int cairn_perf_file_feature(const struct cairn_perf_file *file,
                                      enum cairn_perf_feature feature, const void **ret_data,
                                      size_t *ret_size_bytes);

/*
 * Returns the name of a thread at the time of the record returned last: from COMM and FORK records,
 * and from the tracing data. Thread 0, the idle one, is "swapper" when these have no name of it.
 * NULL when not known. Valid until the next call of next.
 */
CAIRN_API const char *cairn_perf_file_comm(const struct cairn_perf_file *file, uint32_t tid);

/* ---- Writing ---- */

enum cairn_perf_mode {
    CAIRN_PERF_FILE = 0, /* to a regular file */
    CAIRN_PERF_PIPE = 1, /* to anything that can be written to */
};

struct cairn_perf_writer;

/* A tracepoint to be described in the file. All texts are copied. */
struct cairn_perf_tracepoint {
    const char *system; /* "user_events" */
    const char *name;
    uint32_t id; /* common_type of its records, and "ID:" of its format text */
    const char *format;
    size_t format_bytes;
    const uint64_t *sample_ids; /* at least one */
    size_t sample_id_count;
    uint64_t
        sample_type; /* 0: CAIRN_RECORD_SAMPLE_TYPE; else it must have IDENTIFIER, TIME and RAW */
};

/*
 * Begins a recording. Facts about the machine are collected here.
 *
 * A file that is not finished, because the recorder died, is a pipe stream stored in a file: perf
 * and cairn read it up to the last flush. Finishing makes a file of it.
 *
 * fd          stays the caller's; open until the writer is destroyed. CAIRN_PERF_FILE needs a
 *             regular file open for writing without O_APPEND; what it held is truncated.
 * ret_writer  destroyed by the caller
 *
 * Returns 0; EINVAL fd is not of the kind that the mode needs, or there is no such mode; ENOMEM; or
 * an errno code of the system.
 */
CAIRN_API int cairn_perf_writer_create(int fd, enum cairn_perf_mode mode,
                                       struct cairn_perf_writer **ret_writer);

/* Writes nothing: without finish the file stays unfinished. Accepts NULL. */
CAIRN_API void cairn_perf_writer_destroy(struct cairn_perf_writer *writer);

/* The clock of the records; best read with cairn_perf_clock_read. Before the first record.
 * Returns 0; EBUSY records were written already. */
CAIRN_API int cairn_perf_writer_set_clock(struct cairn_perf_writer *writer,
                                          const struct cairn_perf_clock *clock);

/* Reads a clock and the time of day together. Returns 0; EINVAL no such clock. */
CAIRN_API int cairn_perf_clock_read(int32_t clockid, struct cairn_perf_clock *ret_clock);

/* The command that records, copied. Before the first record. Returns 0; EBUSY; ENOMEM. */
CAIRN_API int cairn_perf_writer_set_command(struct cairn_perf_writer *writer, int arg_count,
                                            const char *const *args);

/*
 * For a stream: sets the function that waits while the reader accepts no output. `wait` returns 0
 * if fd is writable, or an errno code to give up, with which the write then fails. Best with an fd
 * of O_NONBLOCK; otherwise it is called before each write, and writes are small. Without it, or
 * with NULL, the writer waits without a limit.
 */
CAIRN_API void cairn_perf_writer_set_wait(struct cairn_perf_writer *writer,
                                          int (*wait)(void *context, int fd), void *context);

/*
 * Describes a tracepoint: at any time before the first of its records is written. The same one may
 * be added again with other sample ids; an id may be used again with another name or format, if its
 * sample ids differ, too.
 *
 * Best before the first record is written. In a stream, and in a file that is never finished, one
 * that is added later is known to cairn's reader, but to perf it is a "bpf-output" event with name,
 * time and raw bytes: perf accepts tracing data only once. A finished file has no such difference.
 *
 * perf's parser accepts identifiers as names of events, of fields and of types; if an event's name
 * has other bytes, perf refuses the whole recording. If the format text has such names, perf gets a
 * text of its own: each other byte of a name is "_x" and two hexadecimal digits ("my-event" is
 * "my_x2devent"). The event's name, as `perf script` prints it, and everything that cairn's reader
 * returns are unchanged.
 *
 * Returns 0; EINVAL a text is missing, a sample id is 0, an unsuitable sample type; EEXIST a sample
 * id is in use; E2BIG more than 8000 sample ids, a system over 255 bytes, a name over 4095, a
 * format over 1 MiB, or, of one that comes later, has an id that another has too, or has names that
 * perf refuses, all together over 65,000 bytes; ENOMEM; codes as write.
 */
CAIRN_API int cairn_perf_writer_add_tracepoint(struct cairn_perf_writer *writer,
                                               const struct cairn_perf_tracepoint *tracepoint);

/*
 * Appends complete records of added tracepoints, as they are in the file. Records other than
 * samples end with the fields that sample_id_all asks for (perf_event_open(2)): readers look for
 * time and id there. Blocks below 64 KiB are collected; cairn_perf_writer_flush writes them.
 *
 * Returns 0; EINVAL size_bytes is no multiple of 8; or the error of write (ENOSPC, EPIPE...), also
 * of an earlier call: the first error persists.
 */
CAIRN_API int cairn_perf_writer_write(struct cairn_perf_writer *writer, const void *records,
                                      size_t size_bytes);

/*
 * Reports that `lost` events of a sample id, or with id 0 of unknown ones, are missing. time_ns:
 * the approximate time; 0: unknown. Codes as write, EINVAL also: no tracepoint has the sample id.
 */
CAIRN_API int cairn_perf_writer_lost(struct cairn_perf_writer *writer, uint64_t sample_id,
                                     uint64_t lost, uint64_t time_ns);

/*
 * Reports the losses of the recording since its beginning; the last call is valid. perf skips it.
 * Report lost events to cairn_perf_writer_lost, too. Codes as write.
 */
CAIRN_API int cairn_perf_writer_missing(struct cairn_perf_writer *writer,
                                        const struct cairn_perf_missing *missing);

/* A thread's name, at most 15 bytes of it, from time_ns on; 0: from the beginning. Codes as write.
 */
CAIRN_API int cairn_perf_writer_comm(struct cairn_perf_writer *writer, uint32_t pid, uint32_t tid,
                                     const char *comm, uint64_t time_ns);

/*
 * Ends a round: the caller promises that no record written from now on is earlier than the latest
 * one written before the round before this. Readers sort round by round. Codes as write.
 */
CAIRN_API int cairn_perf_writer_round(struct cairn_perf_writer *writer);

/* Writes everything so far to the fd. Codes as write. */
CAIRN_API int cairn_perf_writer_flush(struct cairn_perf_writer *writer);

/*
 * Ends the recording. After an error, too, it finishes as much as possible: the records that are in
 * the file remain readable. Nothing may be written after it.
 *
 * Returns 0; the first error of this writer.
 */
CAIRN_API int cairn_perf_writer_finish(struct cairn_perf_writer *writer);

/* Bytes written to the fd so far, and collected ones. */
CAIRN_API uint64_t cairn_perf_writer_size_bytes(const struct cairn_perf_writer *writer);

#ifdef __cplusplus
}
#endif

#endif
