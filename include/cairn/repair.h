/* SPDX-License-Identifier: MIT */
/*
 * Repair of trace files (docs/trace-format.md): of those that have no end, since their recorder was
 * killed, and of those that are damaged. A repair is used by one thread at a time.
 */
#ifndef CAIRN_REPAIR_H
#define CAIRN_REPAIR_H

#include <cairn/api.h>
#include <cairn/perf_data.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cairn_repair;

/* A part of the file that is not a valid block; of no bytes if blocks are missing there. */
struct cairn_repair_damage {
    uint64_t offset;
    uint64_t end;
    const char *text; /* static */
};

struct cairn_repair_report {
    uint64_t size_bytes;  /* of the file when it was read */
    uint64_t blocks;      /* that are valid, and kept */
    uint64_t events;      /* in them */
    uint64_t undescribed; /* of these, events that no reader can decode */
    uint64_t lost;        /* events in the damaged parts, as far as the index has their numbers */
    size_t damage_count;
    bool is_whole;   /* nothing is to be done */
    bool can_append; /* only the end is missing: cairn_repair_append */
};

/*
 * The file. Begins with CAIRN_REPAIR_OPTIONS_INIT, or with zeros and a size. Members are added at
 * the end; zero is then the behaviour before.
 */
struct cairn_repair_options {
    size_t size;      /* of this struct, as the caller was compiled */
    const char *path; /* of the trace file; used by cairn_repair_create only */
};

#define CAIRN_REPAIR_OPTIONS_INIT                 \
    {                                             \
        sizeof(struct cairn_repair_options), NULL \
    }

/*
 * Reads all of a file.
 *
 * ret_error   says more, if its code is set; may be NULL
 * ret_repair  destroyed by the caller
 *
 * Returns 0, also if there is damage; EBADMSG not a trace file; EINVAL not a file but a stream, no
 * path, or options of a wrong size; E2BIG options that this version lacks are set; EOPNOTSUPP of a
 * later version or of the other byte order, or a compression that this build lacks; ENOMEM; or the
 * error of opening or reading.
 */
CAIRN_API int cairn_repair_create(const struct cairn_repair_options *options,
                                  struct cairn_perf_error *ret_error,
                                  struct cairn_repair **ret_repair);

CAIRN_API void cairn_repair_destroy(struct cairn_repair *repair); /* may be NULL */

/* The findings; valid as long as the repair. */
CAIRN_API const struct cairn_repair_report *cairn_repair_report(const struct cairn_repair *repair);

/* A damage by its number, below damage_count. False: there is none of this number. */
CAIRN_API bool cairn_repair_damage(const struct cairn_repair *repair, size_t number,
                                   struct cairn_repair_damage *ret_damage);

/*
 * Writes the index and the end into the file itself, which is open for writing as fd. Until they
 * are written, the file is one without its end. Returns 0; EINVAL report->can_append is false; or
 * the error of ftruncate or write.
 */
CAIRN_API int cairn_repair_append(struct cairn_repair *repair, int fd);

/* Writes a whole file: the valid blocks, what is lost, the index and the end. Returns 0, ENOMEM, or
 * the error of write. */
CAIRN_API int cairn_repair_copy(struct cairn_repair *repair, int fd);

#ifdef __cplusplus
}
#endif

#endif
