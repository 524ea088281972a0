/* SPDX-License-Identifier: MIT */
/*
 * Counts the events and the losses in a perf.data file or in a trace file whose blocks are not
 * compressed: prints `samples N` and `lost N`. It shares no code with cairn, so that a recorder's
 * own report need not be trusted.
 *
 * usage: count-samples FILE
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct file_header {
    char magic[8];
    uint64_t size;
    uint64_t attr_size;
    uint64_t attrs[2]; /* offset and size, as in data */
    uint64_t data[2];
};

struct counts {
    uint64_t samples;
    uint64_t lost;
};

static int count_records(const unsigned char *at, uint64_t left, struct counts *ret_counts)
{
    struct counts counts = {0, 0};

    while (left) {
        struct perf_event_header head;
        uint64_t lost[2]; /* id, count */

        if (left < sizeof(head))
            return EBADMSG;
        memcpy(&head, at, sizeof(head));
        if (head.size < sizeof(head) || head.size > left)
            return EBADMSG;
        if (head.type == PERF_RECORD_SAMPLE) {
            counts.samples++;
        } else if (head.type == PERF_RECORD_LOST && head.size >= sizeof(head) + sizeof(lost)) {
            memcpy(lost, at + sizeof(head), sizeof(lost));
            counts.lost += lost[1];
        }
        at += head.size;
        left -= head.size;
    }
    *ret_counts = counts;
    return 0;
}

/* ---- trace files, by docs/trace-format.md ---- */

#define EVENTS_BLOCK  7
#define LOSSES_BLOCK  8
#define LOSSES_OF     1 /* kind: events */
#define LOSS_CAUSES   8
#define LONG_RECORD   0xffff
#define PROLOG_BYTES  16
#define PIECE_BYTES   48
#define PIECE_RECORDS 4 /* where the size of its records is */

struct block_header {
    char magic[4];
    uint16_t type;
    uint16_t flags;
    uint32_t stored_bytes;
    uint32_t unused[5];
};

static uint32_t u32_at(const unsigned char *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* Each record is looked at: what the head of a piece says is not trusted. */
static int count_piece(const unsigned char *at, uint64_t left, struct counts *counts)
{
    while (left) {
        uint16_t words[2]; /* id, size */
        uint64_t size;

        if (left < 8)
            return EBADMSG;
        memcpy(words, at, sizeof(words));
        size = words[1];
        if (words[0] == LONG_RECORD)
            size = left < 16 ? 0 : u32_at(at + 12);
        size = (size + 3) & ~UINT64_C(3);
        if (size < 8 || size > left)
            return EBADMSG;
        counts->samples += words[0] != 0;
        at += size;
        left -= size;
    }
    return 0;
}

static int count_events(const unsigned char *at, uint64_t left, struct counts *counts)
{
    int err = 0;

    while (left && !err) {
        uint32_t size = left < PIECE_BYTES ? 0 : u32_at(at);
        uint32_t record_bytes = size ? u32_at(at + PIECE_RECORDS) : 0;

        if (size < PIECE_BYTES || size > left || record_bytes > size - PIECE_BYTES)
            return EBADMSG;
        err = count_piece(at + PIECE_BYTES, record_bytes, counts);
        at += size;
        left -= size;
    }
    return err;
}

/* The last entry of a cause is its total. */
static int count_losses(const unsigned char *at, uint64_t left, uint64_t lost[LOSS_CAUSES])
{
    while (left) {
        struct {
            uint32_t size;
            uint32_t kind;
            uint32_t cause;
            uint32_t count[2];
        } entry;

        if (left < sizeof(entry))
            return EBADMSG;
        memcpy(&entry, at, sizeof(entry));
        if (entry.size < sizeof(entry) || entry.size > left)
            return EBADMSG;
        if (entry.kind == LOSSES_OF)
            memcpy(&lost[entry.cause % LOSS_CAUSES], entry.count, sizeof(*lost));
        at += entry.size;
        left -= entry.size;
    }
    return 0;
}

static int count_trace(const unsigned char *at, uint64_t left, struct counts *counts)
{
    uint64_t lost[LOSS_CAUSES] = {0};
    int err = 0;

    while (left && !err) {
        struct block_header header;
        uint64_t size;

        if (left < sizeof(header))
            return EBADMSG;
        memcpy(&header, at, sizeof(header));
        size = sizeof(header) + ((header.stored_bytes + UINT64_C(7)) & ~UINT64_C(7));
        if (memcmp(header.magic, "CBLK", sizeof(header.magic)) != 0 || size > left)
            return EBADMSG;
        if (header.type == EVENTS_BLOCK)
            err = header.flags ? EOPNOTSUPP
                               : count_events(at + sizeof(header), header.stored_bytes, counts);
        else if (header.type == LOSSES_BLOCK)
            err = count_losses(at + sizeof(header), header.stored_bytes, lost);
        at += size;
        left -= size;
    }
    for (int cause = 0; cause < LOSS_CAUSES; cause++)
        counts->lost += lost[cause];
    return err;
}

static int count_file(const unsigned char *bytes, uint64_t size, struct counts *ret_counts)
{
    struct file_header header;

    if (size >= PROLOG_BYTES && !memcmp(bytes,
                                        "\x89"
                                        "CAIRN\r\n",
                                        8))
        return count_trace(bytes + PROLOG_BYTES, size - PROLOG_BYTES, ret_counts);
    if (size < sizeof(header))
        return EBADMSG;
    memcpy(&header, bytes, sizeof(header));
    if (memcmp(header.magic, "PERFILE2", sizeof(header.magic)) != 0 || header.data[0] > size ||
        header.data[1] > size - header.data[0])
        return EBADMSG;
    return count_records(bytes + header.data[0], header.data[1], ret_counts);
}

static int count_path(const char *path, struct counts *ret_counts)
{
    struct stat status;
    void *bytes;
    int err = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return errno;
    bytes = fstat(fd, &status) ? MAP_FAILED
                               : mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED)
        err = errno;
    close(fd);
    if (err)
        return err;
    err = count_file(bytes, (uint64_t)status.st_size, ret_counts);
    munmap(bytes, (size_t)status.st_size);
    return err;
}

int main(int argc, char **argv)
{
    struct counts counts = {0, 0};
    int err = argc == 2 ? count_path(argv[1], &counts) : EINVAL;

    if (err) {
        fprintf(stderr, "count-samples: %s: %s\n", argc == 2 ? argv[1] : "usage", strerror(err));
        return 1;
    }
    printf("samples %" PRIu64 "\nlost %" PRIu64 "\n", counts.samples, counts.lost);
    return 0;
}
