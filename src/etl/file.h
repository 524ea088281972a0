/* SPDX-License-Identifier: MIT */
/* An ETL file in memory: its buffers, and the records of all processors in the order of time. */
#ifndef ETL_FILE_H
#define ETL_FILE_H

#include "etl/record.h"

struct etl_buffer {
    uint64_t at;   /* of the buffer in the file */
    uint32_t end;  /* of its records, from its beginning */
    uint32_t next; /* of the same processor: its index plus 1; 0: none */
};

struct etl_cpu {
    uint32_t number;
    uint32_t buffer; /* index of the one being read, plus 1; 0: the processor has no more */
    uint32_t last;   /* index of its last one, plus 1 */
    uint32_t offset; /* of the next record in the buffer */
    bool has_record;
    struct etl_record record; /* the next one */
};

struct etl_file {
    const uint8_t *bytes;
    size_t size;
    struct etl_buffer *buffers;
    uint32_t buffer_count;
    struct etl_cpu *cpus;
    uint32_t cpu_count;
    struct etl_cpu *last; /* the processor of the record that was returned last */
    /* From the file's head. */
    uint32_t pointer_bytes;
    uint32_t clock;     /* 1 performance counter, 2 system time, 3 cycles */
    uint64_t frequency; /* of the clock, in Hz */
    uint64_t start_filetime;
    uint64_t start_ticks;
    uint64_t lost; /* events, and at least one for each lost buffer */
    /* The first damage; the rest is read nevertheless. */
    int error;
    uint64_t error_at;
    const char *error_text;
};

/* True for the beginning of an ETL file: at least 104 bytes. */
#define ETL_HEAD_BYTES 104u
bool etl_file_is_one(const uint8_t *bytes, size_t size);

/*
 * Opens a file in memory, which must stay there. The file is zeros before.
 *
 * Returns 0; EBADMSG; EOPNOTSUPP it is compressed; ENOMEM. On failure error_text has the reason, if
 * it is in the file. Closed by the caller, also on failure.
 */
int etl_file_open(struct etl_file *file, const uint8_t *bytes, size_t size);
void etl_file_close(struct etl_file *file);

/*
 * The next record of all.
 *
 * ret_record  valid until the next call
 *
 * Returns 0; or ENODATA at the end.
 */
int etl_file_next(struct etl_file *file, const struct etl_record **ret_record, uint32_t *ret_cpu);

/* Converts a record's time: ns of the recording's clock, and since 1970. */
uint64_t etl_file_time_ns(const struct etl_file *file, uint64_t ticks);
uint64_t etl_file_wall_ns(const struct etl_file *file, uint64_t ticks);

/* Units of 100 ns since 1601 to ns since 1970; times before are 0. */
uint64_t etl_filetime_to_ns(uint64_t filetime);

#endif
