/* SPDX-License-Identifier: MIT */
/* Rotates the file of cairn record. */
#include "cli/rotation.h"

#include "cli/numbered.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* With a limit, a file has at most one of this number of parts of it. */
#define LIMIT_PARTS 8u

/* Smaller files would consist of tables mostly. */
#define FILE_MIN_BYTES ((size_t)65536)

/* ---- options ---- */

int cli_rotation_set(struct cli_rotation *r, const char *text)
{
    size_t bytes;

    if (cli_parse_age(text, &r->ns))
        return CLI_OK;
    if (cli_parse_size(text, &bytes) && bytes >= FILE_MIN_BYTES) {
        r->bytes = bytes;
        return CLI_OK;
    }
    cli_error(r->verb,
              "invalid --rotate %s: expected a size from 64K on, or a time: 64M, 10m, 90s, 1h",
              text);
    return CLI_USAGE;
}

int cli_rotation_set_keep(struct cli_rotation *r, const char *text)
{
    char *end;
    unsigned long keep = strtoul(text, &end, 10);

    if (*text >= '0' && *text <= '9' && !*end && keep && keep <= UINT32_MAX) {
        r->keep = (uint32_t)keep;
        return CLI_OK;
    }
    cli_error(r->verb, "invalid --keep %s: expected a number of files", text);
    return CLI_USAGE;
}

int cli_rotation_set_limit(struct cli_rotation *r, const char *text)
{
    size_t bytes;

    if (cli_parse_size(text, &bytes) && bytes >= LIMIT_PARTS * FILE_MIN_BYTES) {
        r->limit = bytes;
        return CLI_OK;
    }
    cli_error(r->verb, "invalid --limit %s: expected a size from 512K on", text);
    return CLI_USAGE;
}

static bool is_active(const struct cli_rotation *r)
{
    return r->bytes || r->ns;
}

/* ---- files ---- */

static bool add(struct cli_rotation *r, uint32_t number, uint64_t bytes)
{
    void *more = reallocarray(r->files, (size_t)r->file_count + 1, sizeof(*r->files));

    if (!more)
        return false;
    r->files = more;
    r->files[r->file_count++] = (struct cli_rotated){number, bytes};
    r->file_bytes += bytes;
    if (number >= r->next)
        r->next = number + 1;
    return true;
}

static void remove_oldest(struct cli_rotation *r, const struct cli_record_output *output)
{
    char *name = cli_numbered_name(output->target, r->files[0].number);

    if (name && unlink(name) && errno != ENOENT)
        cli_errno(r->verb, errno, "cannot remove %s", name);
    free(name);
    r->file_bytes -= r->files[0].bytes;
    memmove(r->files, r->files + 1, --r->file_count * sizeof(*r->files));
    r->removed++;
}

/* Removes the oldest files, until there is space for the file that is written and for the next one.
 */
static void remove_old(struct cli_rotation *r, const struct cli_record_output *output)
{
    while (r->file_count && ((r->keep && r->file_count > r->keep) ||
                             (r->limit && r->file_bytes + 2 * r->bytes > r->limit)))
        remove_oldest(r, output);
}

static void add_earlier(void *context, uint32_t number, uint64_t bytes)
{
    (void)add(context, number, bytes);
}

void cli_rotation_prepare(struct cli_rotation *r, bool is_resumed)
{
    const char *target = r->output->target;
    char *name;
    struct stat st;

    if ((!is_active(r) && !is_resumed) || !target || stat(target, &st) || !st.st_size)
        return;
    name = cli_numbered_name(target, cli_numbered_next(target));
    if (!name || rename(target, name))
        cli_errno(r->verb, name ? errno : ENOMEM, "cannot rename %s", target);
    free(name);
}

void cli_rotation_begin(struct cli_rotation *r)
{
    r->began_ns = cli_now_ns();
    r->has_begun = true;
    r->next = 1;
    if (!is_active(r))
        return;
    cli_numbered_each(r->output->target, add_earlier, r);
    remove_old(r, r->output);
}

/* ---- rotating ---- */

static void report(const struct cli_rotation *r, int error)
{
    cli_errno(r->verb, error, "cannot rotate %s", r->output->path);
}

/* Closes the previous file, which the session does not use any more. */
static void close_old(struct cli_rotation *r)
{
    struct stat st = {0};

    if (r->old_fd < 0)
        return;
    (void)fstat(r->old_fd, &st);
    if (fsync(r->old_fd) && errno != EINVAL && errno != EROFS && errno != ENOSYS) {
        cli_errno(r->verb, errno, "cannot write all of %s to the disk", r->output->path);
        r->is_incomplete = true;
    }
    close(r->old_fd);
    r->old_fd = -1;
    (void)add(r, r->next, (uint64_t)st.st_size);
    remove_old(r, r->output);
}

/* Renames the file and creates a new one with its name. On an error the name is that of the old
 * file again. */
static int create(const char *target, const char *old_name, int *ret_fd)
{
    int error = rename(target, old_name) ? errno : 0;

    if (error)
        return error;
    *ret_fd = open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*ret_fd >= 0)
        return 0;
    error = errno;
    (void)rename(old_name, target);
    return error;
}

/* Creates the next file. The session completes the previous one after this call, so that is closed
 * later. */
static int next_file(void *context)
{
    struct cli_rotation *r = context;
    char *name;
    int error;
    int fd = -1;

    if (!r->has_begun)
        return -1;
    close_old(r);
    name = cli_numbered_name(r->output->target, r->next);
    error = name ? create(r->output->target, name, &fd) : ENOMEM;
    free(name);
    if (error) {
        report(r, error);
        return -1;
    }
    r->old_fd = r->output->fd;
    r->output->fd = fd;
    r->began_ns = cli_now_ns();
    return fd;
}

void cli_rotation_poll(struct cli_rotation *r, struct cairn_session *session)
{
    int error;
    int fd;

    close_old(r);
    if (!r->ns || cli_now_ns() - r->began_ns < r->ns)
        return;
    r->began_ns = cli_now_ns();
    fd = next_file(r);
    error = fd < 0 ? 0 : cairn_session_rotate(session, fd);
    if (error)
        report(r, error);
    else
        close_old(r);
}

bool cli_rotation_end(struct cli_rotation *r)
{
    close_old(r);
    return !r->is_incomplete;
}

int cli_rotation_check(struct cli_rotation *r, struct cli_record_output *output,
                       struct cairn_session_options *options)
{
    uint64_t part = r->limit / LIMIT_PARTS;

    r->output = output;
    r->old_fd = -1;
    if (r->limit && (!r->bytes || r->bytes > part))
        r->bytes = part;
    if (r->keep && !is_active(r)) {
        cli_error(r->verb, "--keep needs --rotate or --limit");
        return CLI_USAGE;
    }
    if (is_active(r) && !output->target) {
        cli_error(r->verb, "only a file can be rotated: %s is none, or cannot be replaced",
                  cli_record_output_name(output));
        return CLI_USAGE;
    }
    if (!is_active(r))
        return CLI_OK;
    options->file_bytes = r->bytes;
    options->next_file = next_file;
    options->next_file_context = r;
    return CLI_OK;
}

void cli_rotation_report(const struct cli_rotation *r)
{
    char *first;
    char *last;
    char bytes[CAIRN_NUMBER_TEXT_BYTES];

    if (!r->file_count)
        return;
    first = cli_numbered_name(r->output->target, r->files[0].number);
    last = cli_numbered_name(r->output->target, r->files[r->file_count - 1].number);
    if (first && last)
        fprintf(stderr, "%s before it in %" PRIu32 " file%s, %s to %s; %" PRIu32 " removed.\n",
                cairn_size_text(r->file_bytes, bytes), r->file_count, cli_plural(r->file_count),
                first, last, r->removed);
    free(first);
    free(last);
}

void cli_rotation_free(struct cli_rotation *r)
{
    free(r->files);
}
