/* SPDX-License-Identifier: MIT */
/*
 * Counts the events and the losses in a perf.data file: prints `samples N` and `lost N`. It shares
 * no code with cairn, so that a recorder's own report need not be trusted.
 *
 * usage: count-samples PERF_DATA_FILE
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

static int count_file(const unsigned char *bytes, uint64_t size, struct counts *ret_counts)
{
    struct file_header header;

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
