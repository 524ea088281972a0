/* SPDX-License-Identifier: MIT */
/*
 * A FUSE file system with one file, `file`, whose writes are answered at once: what a round trip
 * costs. In a mount namespace of its own, for one command.
 *
 * usage: minimal-fuse DIRECTORY COMMAND [ARG...]
 */
#include "run/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOT = FUSE_ROOT_ID, NODE };

static void die(const char *what)
{
    (void)fprintf(stderr, "minimal-fuse: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct fuse_attr attributes_of(uint64_t node)
{
    return (struct fuse_attr){
        .ino = node, .mode = node == ROOT ? S_IFDIR | 0755 : S_IFREG | 0666, .nlink = 1};
}

static void find(const struct run_request *request)
{
    const struct fuse_entry_out out = {.nodeid = NODE, .attr = attributes_of(NODE)};

    run_fuse_reply(request, strcmp(request->arg, "file") ? ENOENT : 0, &out, sizeof(out));
}

static void answer(const struct run_request *request)
{
    const struct fuse_attr_out attributes = {.attr = attributes_of(request->head->nodeid)};
    const struct fuse_open_out opened = {.open_flags = FOPEN_DIRECT_IO | RUN_FOPEN_STREAM |
                                                       RUN_FOPEN_PARALLEL_WRITES};
    const struct fuse_write_in *in = request->arg;
    struct fuse_write_out written = {0};

    switch (request->head->opcode) {
    case FUSE_INIT:
        run_fuse_begin(request);
        break;
    case FUSE_LOOKUP:
        find(request);
        break;
    case FUSE_GETATTR:
        run_fuse_reply(request, 0, &attributes, sizeof(attributes));
        break;
    case FUSE_OPEN:
        run_fuse_reply(request, 0, &opened, sizeof(opened));
        break;
    case FUSE_WRITE:
        written.size = in->size;
        run_fuse_reply(request, 0, &written, sizeof(written));
        break;
    case FUSE_RELEASE:
        run_fuse_reply(request, 0, NULL, 0);
        break;
    case FUSE_FORGET:
        break;
    default:
        run_fuse_reply(request, ENOSYS, NULL, 0);
        break;
    }
}

static _Noreturn void serve(void)
{
    static _Alignas(16) uint8_t buffer[RUN_BUFFER_MAX_BYTES];
    struct run_request request;
    int error = EAGAIN;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (!error || error == EAGAIN) {
        error = run_fuse_receive(buffer, &request);
        if (!error)
            answer(&request);
    }
    _exit(0);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        errno = EINVAL;
        die("usage: minimal-fuse DIRECTORY COMMAND [ARG...]");
    }
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
        die("a mount namespace");
    errno = run_fuse_mount(argv[1], &run_fuse_connection);
    if (errno)
        die(argv[1]);
    if (fork() == 0)
        serve();
    close(run_fuse_connection);
    (void)execvp(argv[2], argv + 2);
    die(argv[2]);
}
