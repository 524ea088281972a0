/* SPDX-License-Identifier: MIT */
/* The tree of a mount. */
#include "run/answers.h"
#include "tracefs/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTING_BYTES 8192
#define BLOCK_BYTES   4096
#define DOTS          2   /* entries: . and .. */
#define FIXED_NODES   128 /* numbers below are of files that are always there */
#define PERMISSIONS   07777u

/* The attributes of files that always exist, if chmod or chown has changed them: until the mount
 * ends. */
static struct fuse_attr changed[FIXED_NODES];

/* Nothing is cached: events come and go, and the kernel asks again each time. */
static int find_attributes(tracefs_node node, struct fuse_attr *ret_attributes)
{
    struct tracefs_file file;
    int error = tracefs_node_file(node, &file);

    if (error)
        return error;
    *ret_attributes = (struct fuse_attr){
        .ino = node,
        .size = file.size_bytes,
        .mode = file.mode,
        .nlink = 1, /* of a directory: its subdirectories were not counted */
        .uid = geteuid(),
        .gid = getegid(),
        .blksize = BLOCK_BYTES,
    };
    if (node < FIXED_NODES && changed[node].ino)
        *ret_attributes = changed[node];
    return 0;
}

void run_directories_find(const struct run_request *request)
{
    struct fuse_entry_out out = {0};
    tracefs_node node;
    int error = tracefs_node_find(request->head->nodeid, request->arg, &node);

    if (!error)
        error = find_attributes(node, &out.attr);
    out.nodeid = out.attr.ino;
    run_fuse_reply(request, error, &out, sizeof(out));
}

void run_directories_attributes(const struct run_request *request)
{
    struct fuse_attr_out out = {0};
    int error = find_attributes(request->head->nodeid, &out.attr);

    run_fuse_reply(request, error, &out, sizeof(out));
}

/* The kernel has checked that the caller may do that. */
static int change(tracefs_node node, const struct fuse_setattr_in *in)
{
    struct fuse_attr attributes;

    if (node >= FIXED_NODES || find_attributes(node, &attributes))
        return EPERM;
    if (in->valid & FATTR_MODE)
        attributes.mode = (attributes.mode & ~PERMISSIONS) | (in->mode & PERMISSIONS);
    if (in->valid & FATTR_UID)
        attributes.uid = in->uid;
    if (in->valid & FATTR_GID)
        attributes.gid = in->gid;
    changed[node] = attributes;
    return 0;
}

/* Sizes and times can be set without effect, as in a tracefs; modes and owners of the files that
 * are always there. */
void run_directories_set_attributes(const struct run_request *request)
{
    const struct fuse_setattr_in *in = request->arg;
    const uint32_t changes = FATTR_MODE | FATTR_UID | FATTR_GID;
    int error = in->valid & changes ? change(request->head->nodeid, in) : 0;

    if (error)
        run_fuse_reply(request, error, NULL, 0);
    else
        run_directories_attributes(request);
}

void run_directories_open(const struct run_request *request)
{
    const struct fuse_open_out out = {0};

    run_fuse_reply(request, 0, &out, sizeof(out));
}

/* Returns the bytes that the entry takes; 0: it does not fit. */
static size_t put(uint8_t *to, size_t space, const struct tracefs_node_entry *entry,
                  uint64_t offset)
{
    struct fuse_dirent item = {
        .ino = entry->node,
        .off = offset,
        .namelen = (uint32_t)strlen(entry->name),
        .type = entry->mode >> 12,
    };
    size_t size = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + item.namelen);

    if (size > space)
        return 0;
    memset(to, 0, size);
    memcpy(to, &item, FUSE_NAME_OFFSET);
    memcpy(to + FUSE_NAME_OFFSET, entry->name, item.namelen);
    return size;
}

/* The entry after an offset, which is its successor's then: first the directory itself and its
 * parent. */
static bool next_entry(tracefs_node directory, uint64_t *offset, struct tracefs_node_entry *entry)
{
    uint64_t position = *offset - DOTS;

    if (*offset < DOTS) {
        *entry = (struct tracefs_node_entry){.node = directory, .mode = S_IFDIR, .name = ".."};
        entry->name[++*offset] = 0;
        return true;
    }
    if (!tracefs_node_list(directory, &position, entry))
        return false;
    *offset = position + DOTS;
    return true;
}

void run_directories_read(const struct run_request *request)
{
    const struct fuse_read_in *in = request->arg;
    size_t space = in->size < LISTING_BYTES ? in->size : LISTING_BYTES;
    struct tracefs_node_entry entry;
    uint64_t offset = in->offset;
    uint8_t bytes[LISTING_BYTES];
    size_t used = 0;
    size_t size;

    while (next_entry(request->head->nodeid, &offset, &entry)) {
        size = put(bytes + used, space - used, &entry, offset);
        if (!size)
            break;
        used += size;
    }
    run_fuse_reply(request, 0, bytes, used);
}

void run_directories_statfs(const struct run_request *request)
{
    const struct fuse_statfs_out out = {
        .st = {.bsize = BLOCK_BYTES, .frsize = BLOCK_BYTES, .namelen = 255},
    };

    run_fuse_reply(request, 0, &out, sizeof(out));
}
