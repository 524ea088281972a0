/* SPDX-License-Identifier: MIT */
/* A copy of the kernel's files becomes a trace.dat: its formats first, then the pages. */
#include "decode/tracefs_copy.h"

#include "perf_data/bytes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define TEXT_MAX_BYTES ((size_t)16 << 20)
#define CPUS_MAX       8192u
#define PAGE_MIN_BYTES 64u
#define PAGE_MAX_BYTES (1u << 20)
#define COPY_BYTES     ((size_t)64 << 10)

struct copy {
    const char *directory;
    struct cairn_bytes head; /* of the trace.dat */
    uint32_t page_bytes;
    uint32_t long_bytes;
    bool swap;          /* the machine that was recorded has the other byte order */
    uint32_t *cpus;     /* number of a CPU's pages, by its number */
    uint32_t cpu_count; /* the highest number, plus 1 */
    const char *text;   /* of an error */
};

/* ---- files ---- */

static int path_of(const struct copy *copy, const char *file, char **ret_path)
{
    if (asprintf(ret_path, "%s/%s", copy->directory, file) >= 0)
        return 0;
    *ret_path = NULL;
    return ENOMEM;
}

/* Adds the contents of a file. Returns 0; EFBIG; ENOMEM; or the error of open or read. */
static int read_text(const struct copy *copy, const char *file, struct cairn_bytes *to)
{
    size_t before = to->size;
    ssize_t n = -1;
    char *path;
    int err = path_of(copy, file, &path);
    int fd = err ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        err = err ? err : errno;
    while (!err && n) {
        uint8_t *space = perf_data_bytes_room(to, COPY_BYTES);

        n = space ? read(fd, space, COPY_BYTES) : 0;
        if (n < 0)
            err = errno == EINTR ? 0 : errno;
        else
            to->size += (size_t)n;
        if (to->size - before > TEXT_MAX_BYTES)
            err = EFBIG;
    }
    if (fd >= 0)
        close(fd);
    free(path);
    return err ? err : to->error;
}

/* ---- numbers and texts of the head ---- */

static void put_number(struct copy *copy, struct cairn_bytes *to, uint64_t value, unsigned size)
{
    bool is_big = copy->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint8_t bytes[8];

    for (unsigned i = 0; i < size; i++)
        bytes[is_big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
    perf_data_bytes_put(to, bytes, size);
}

/* A text of a file after its size. A file that is missing is an empty text. */
static int put_file(struct copy *copy, struct cairn_bytes *to, const char *file,
                    unsigned size_bytes)
{
    struct cairn_bytes text = {0};
    int err = read_text(copy, file, &text);

    if (err && err != ENOMEM) {
        text.size = 0;
        err = 0;
    }
    if (!err) {
        put_number(copy, to, text.size, size_bytes);
        perf_data_bytes_put(to, text.data, text.size);
    }
    perf_data_bytes_free(&text);
    return err;
}

/* ---- the page's header ---- */

/* A number of a field's description: "offset:8;" */
static uint32_t number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);

    return at ? (uint32_t)strtoul(at + strlen(key), NULL, 10) : 0;
}

static int fail(struct copy *copy, int err, const char *text)
{
    copy->text = text;
    return err;
}

/* Finds the sizes of pages and of long. */
static int read_header_page(struct copy *copy)
{
    struct cairn_bytes text = {0};
    int err = read_text(copy, "events/header_page", &text);
    const char *commit;
    const char *data;

    perf_data_bytes_put_zeros(&text, 1);
    if (err || text.error) {
        perf_data_bytes_free(&text);
        return err ? err : ENOMEM;
    }
    commit = strstr((const char *)text.data, " commit;");
    data = strstr((const char *)text.data, " data;");
    if (commit && data) {
        copy->long_bytes = number_after(commit, "size:");
        copy->page_bytes = number_after(data, "offset:") + number_after(data, "size:");
    }
    perf_data_bytes_free(&text);
    if ((copy->long_bytes != 4 && copy->long_bytes != 8) || copy->page_bytes < PAGE_MIN_BYTES ||
        copy->page_bytes > PAGE_MAX_BYTES)
        return fail(copy, EBADMSG, "events/header_page is invalid");
    return 0;
}

/* ---- formats ---- */

static int put_format(struct copy *copy, const char *system, const char *event,
                      struct cairn_bytes *formats, uint32_t *count)
{
    struct cairn_bytes text = {0};
    char *file;
    int err = asprintf(&file, "events/%s/%s/format", system, event) < 0 ? ENOMEM : 0;

    if (err)
        return err;
    err = read_text(copy, file, &text);
    free(file);
    if (!err) {
        put_number(copy, formats, text.size, 8);
        perf_data_bytes_put(formats, text.data, text.size);
        ++*count;
    }
    perf_data_bytes_free(&text);
    return err == ENOMEM ? ENOMEM : formats->error;
}

/* Calls a function for each name in a directory, but for those that begin with a dot. */
typedef int each_fn(struct copy *copy, const char *name, void *context);

static int each(struct copy *copy, const char *directory, each_fn *call, void *context)
{
    struct dirent **entries = NULL;
    char *path;
    int err = path_of(copy, directory, &path);
    int count;

    if (err)
        return err;
    count = scandir(path, &entries, NULL, versionsort);
    free(path);
    for (int i = 0; i < count; i++) {
        if (!err && entries[i]->d_name[0] != '.')
            err = call(copy, entries[i]->d_name, context);
        free(entries[i]);
    }
    free((void *)entries);
    return err;
}

/* The formats of a system. */
struct system {
    const char *name;
    struct cairn_bytes formats;
    uint32_t count;
};

static int add_event(struct copy *copy, const char *name, void *context)
{
    struct system *system = (struct system *)context;

    return put_format(copy, system->name, name, &system->formats, &system->count);
}

static int read_system(struct copy *copy, struct system *system)
{
    char *directory;
    int err = asprintf(&directory, "events/%s", system->name) < 0 ? ENOMEM : 0;

    if (err)
        return err;
    err = each(copy, directory, add_event, system);
    free(directory);
    return err;
}

static void put_formats(struct copy *copy, struct cairn_bytes *to, const struct system *system)
{
    put_number(copy, to, system->count, 4);
    perf_data_bytes_put(to, system->formats.data, system->formats.size);
}

/* All systems but ftrace, whose formats come first. */
struct systems {
    struct cairn_bytes bytes;
    uint32_t count;
};

static int add_system(struct copy *copy, const char *name, void *context)
{
    struct systems *systems = (struct systems *)context;
    struct system system = {.name = name};
    int err = strcmp(name, "ftrace") ? read_system(copy, &system) : 0;

    if (!err && system.count) {
        perf_data_bytes_put(&systems->bytes, name, strlen(name) + 1);
        put_formats(copy, &systems->bytes, &system);
        systems->count++;
        err = systems->bytes.error;
    }
    perf_data_bytes_free(&system.formats);
    return err;
}

static int put_all_formats(struct copy *copy)
{
    struct system ftrace = {.name = "ftrace"};
    struct systems systems = {0};
    int err = read_system(copy, &ftrace);

    if (!err)
        err = each(copy, "events", add_system, &systems);
    put_formats(copy, &copy->head, &ftrace);
    put_number(copy, &copy->head, systems.count, 4);
    perf_data_bytes_put(&copy->head, systems.bytes.data, systems.bytes.size);
    perf_data_bytes_free(&ftrace.formats);
    perf_data_bytes_free(&systems.bytes);
    return err;
}

/* ---- pages ---- */

/* Returns 0; ENOENT there is no file; ENOMEM; or the error of open. */
static int open_pages(const struct copy *copy, uint32_t cpu, int *ret_fd)
{
    char file[64];
    char *path;
    struct stat st;
    int err;

    (void)snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
    err = path_of(copy, file, &path);
    if (err)
        return err;
    *ret_fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    free(path);
    if (*ret_fd < 0)
        return errno;
    if (fstat(*ret_fd, &st) || !S_ISREG(st.st_mode)) {
        close(*ret_fd);
        return ENOENT;
    }
    return 0;
}

/* The byte order: that in which a page has no more bytes than it can. */
static void find_order(struct copy *copy, int fd)
{
    uint8_t bytes[16];
    uint64_t commit = 0;

    if (pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return;
    for (uint32_t i = 0; i < copy->long_bytes; i++)
        commit |= (uint64_t)bytes[8 + i] << (8 * i);
    commit &= ~(uint64_t)0xc0000000; /* without the flags */
    copy->swap = (commit > copy->page_bytes) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static int count_pages(struct copy *copy, const char *name, void *context)
{
    bool *has_order = (bool *)context;
    struct stat st;
    char *end;
    unsigned long cpu;
    uint64_t pages;
    int fd;
    int err;

    if (strncmp(name, "cpu", 3) != 0)
        return 0;
    cpu = strtoul(name + 3, &end, 10);
    if (*end || end == name + 3 || cpu >= CPUS_MAX)
        return 0;
    err = open_pages(copy, (uint32_t)cpu, &fd);
    if (err) /* without its pages, events of the CPU would be missing */
        return err == ENOENT || err == ENOTDIR ? 0 : err;
    if (!fstat(fd, &st) && st.st_size > 0) {
        pages = ((uint64_t)st.st_size + copy->page_bytes - 1) / copy->page_bytes;
        copy->cpus[cpu] = pages > UINT32_MAX ? UINT32_MAX : (uint32_t)pages;
        if (!*has_order)
            find_order(copy, fd);
        *has_order = true;
    }
    if (cpu >= copy->cpu_count)
        copy->cpu_count = (uint32_t)cpu + 1;
    close(fd);
    return 0;
}

/* Adds the places of all CPUs' pages, which follow the head. */
static void put_cpus(struct copy *copy)
{
    uint64_t at;

    put_number(copy, &copy->head, copy->cpu_count, 4);
    perf_data_bytes_put(&copy->head, "flyrecord", 10);
    at = copy->head.size + 16 * (uint64_t)copy->cpu_count;
    for (uint32_t n = 0; n < copy->cpu_count; n++) {
        uint64_t size = (uint64_t)copy->cpus[n] * copy->page_bytes;

        put_number(copy, &copy->head, at, 8);
        put_number(copy, &copy->head, size, 8);
        at += size;
    }
}

/* Copies `size` bytes. Returns 0; EIO the file became shorter; or the error of read or fwrite. */
static int copy_bytes(int fd, uint64_t size, FILE *to)
{
    uint8_t bytes[4096];

    while (size) {
        ssize_t n = read(fd, bytes, size < sizeof(bytes) ? (size_t)size : sizeof(bytes));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        if (fwrite(bytes, (size_t)n, 1, to) != 1)
            return errno;
        size -= (size_t)n;
    }
    return 0;
}

/* A page that is cut short is passed on as one that is invalid, so that it is reported. */
static int put_invalid_page(const struct copy *copy, FILE *to)
{
    for (uint32_t n = 0; n < copy->page_bytes; n++) {
        if (putc(0xff, to) == EOF)
            return errno;
    }
    return 0;
}

static int write_cpu(const struct copy *copy, uint32_t cpu, FILE *to)
{
    struct stat st;
    int fd;
    int err = open_pages(copy, cpu, &fd);

    if (err)
        return err;
    err = fstat(fd, &st) ? errno : 0;
    if (!err) {
        uint64_t whole = (uint64_t)st.st_size / copy->page_bytes;
        uint64_t pages = copy->cpus[cpu];

        err = copy_bytes(fd, (whole < pages ? whole : pages) * copy->page_bytes, to);
        for (; !err && whole < pages; whole++)
            err = put_invalid_page(copy, to);
    }
    close(fd);
    return err;
}

static int write_pages(const struct copy *copy, FILE *to)
{
    int err = 0;

    for (uint32_t n = 0; n < copy->cpu_count && !err; n++) {
        if (copy->cpus[n])
            err = write_cpu(copy, n, to);
    }
    return err;
}

/* ---- the whole ---- */

static int make_head(struct copy *copy)
{
    static const char magic[] = "\027\010\104tracing6";
    bool has_order = false;
    int err = read_header_page(copy);

    if (!err)
        err = each(copy, "per_cpu", count_pages, &has_order);
    if (err)
        return err;
    if (!has_order)
        return ENOENT;
    perf_data_bytes_put(&copy->head, magic, sizeof(magic));
    put_number(copy, &copy->head, copy->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__), 1);
    put_number(copy, &copy->head, copy->long_bytes, 1);
    put_number(copy, &copy->head, copy->page_bytes, 4);
    perf_data_bytes_put(&copy->head, "header_page", 12);
    err = put_file(copy, &copy->head, "events/header_page", 8);
    perf_data_bytes_put(&copy->head, "header_event", 13);
    if (!err)
        err = put_file(copy, &copy->head, "events/header_event", 8);
    if (!err)
        err = put_all_formats(copy);
    put_number(copy, &copy->head, 0, 4); /* no addresses */
    if (!err)
        err = put_file(copy, &copy->head, "printk_formats", 4);
    if (!err)
        err = put_file(copy, &copy->head, "saved_cmdlines", 8);
    put_cpus(copy);
    return err ? err : copy->head.error;
}

static int write_all(struct copy *copy, struct perf_data_source *ret_source)
{
    FILE *file = tmpfile();
    int err = file ? 0 : errno;

    if (!err && fwrite(copy->head.data, copy->head.size, 1, file) != 1)
        err = errno;
    if (!err)
        err = write_pages(copy, file);
    if (!err && fflush(file))
        err = errno;
    if (!err)
        err = perf_data_source_open_fd(ret_source, fileno(file), NULL);
    if (file)
        (void)fclose(file); /* its map stays */
    return err;
}

bool decode_tracefs_copy_is_one(const char *directory)
{
    const struct copy copy = {.directory = directory};
    struct stat st;
    char *path;
    bool is;

    if (path_of(&copy, "events/header_page", &path))
        return false;
    is = !stat(path, &st) && S_ISREG(st.st_mode);
    free(path);
    return is;
}

int decode_tracefs_copy_open(const char *directory, struct perf_data_source *ret_source,
                             const char **ret_text)
{
    struct copy copy = {.directory = directory};
    struct statfs fs;
    int err = 0;

    *ret_text = NULL;
    if (!statfs(directory, &fs) && fs.f_type == TRACEFS_MAGIC) {
        *ret_text = "reading the kernel's own pages removes them: copy the files first";
        return EOPNOTSUPP;
    }
    copy.cpus = (uint32_t *)calloc(CPUS_MAX, sizeof(*copy.cpus));
    if (!copy.cpus)
        return ENOMEM;
    err = make_head(&copy);
    if (!err)
        err = write_all(&copy, ret_source);
    if (err == ENOENT) {
        err = EBADMSG;
        copy.text = "there are no pages: per_cpu/cpuN/trace_pipe_raw";
    }
    *ret_text = copy.text;
    free(copy.cpus);
    perf_data_bytes_free(&copy.head);
    return err;
}
