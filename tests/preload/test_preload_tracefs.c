/* SPDX-License-Identifier: MIT */
/* Test of the tracefs directory: listing, and the files that enable and show events. */
#include "by_book.h"

#include <dirent.h>
#include <glob.h>
#include <linux/openat2.h>
#include <mntent.h>
#include <poll.h>
#include <sys/syscall.h>

static void an_event_has_a_directory_with_files(void **state)
{
    static const char *const names[] = {"enable", "filter", "format", "id"};
    DIR *directory = opendir(EVENT "by_book");
    int found = 0;

    (void)state;
    skip_by_library();
    assert_non_null(directory);
    for (struct dirent *item; (item = readdir(directory));) {
        struct stat st;

        for (size_t i = 0; i < 4; i++)
            found += !strcmp(item->d_name, names[i]);
        assert_int_equal(fstatat(dirfd(directory), item->d_name, &st, 0), 0);
    }
    assert_true(found == 4);
    closedir(directory);
    assert_int_equal(access(EVENT "by_book/format", R_OK), 0);
    assert_int_equal(access(EVENT "by_nobody/format", R_OK), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(open(EVENT "by_nobody/enable", O_RDWR), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(open(TRACING "user_events_data", O_RDWR | O_CREAT | O_EXCL, 0600), -1);
    assert_int_equal(errno, EEXIST);
}

/* Programs that copy or follow a file check that it is still the one at the path. */
static void an_open_file_is_the_one_at_its_path(void **state)
{
    static const char *const names[] = {"user_events_data", "user_events_status",
                                        "dynamic_events",   "trace",
                                        "events/enable",    "events/user_events/enable",
                                        "trace_pipe",       "events/user_events/by_book/id"};

    (void)state;
    skip_by_library();
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        struct stat at_path, opened, itself;
        struct statx extended;
        char path[128];
        int fd;

        (void)snprintf(path, sizeof(path), TRACING "%s", names[i]);
        assert_int_equal(stat(path, &at_path), 0);
        fd = open(path, O_RDONLY);
        assert_int_equal(fstat(fd, &opened), 0);
        assert_int_equal(fstatat(fd, "", &itself, AT_EMPTY_PATH), 0);
        assert_int_equal(statx(fd, "", AT_EMPTY_PATH, STATX_INO, &extended), 0);
        close(fd);
        assert_int_equal(opened.st_ino, at_path.st_ino);
        assert_int_equal(opened.st_dev, at_path.st_dev);
        assert_int_equal(itself.st_ino, at_path.st_ino);
        assert_int_equal(extended.stx_ino, at_path.st_ino);
    }
}

static void a_copied_file_has_the_same_text(void **state)
{
    (void)state;
    skip_by_library();
    assert_int_equal(system("copy=$(mktemp) && cp " TRACING "user_events_status $copy && "
                            "cat " TRACING "user_events_status | cmp - $copy; "
                            "result=$?; rm $copy; exit $result"),
                     0);
}

static void glob_patterns_find_events_by_the_names_that_the_program_used(void **state)
{
    glob_t found;

    (void)state;
    skip_by_library();
    assert_int_equal(glob(EVENT "by_b*", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_string_equal(found.gl_pathv[0], EVENT "by_book");
    globfree(&found);
    assert_int_equal(glob("/sys/kernel/debug/tracing/events/*/by_book/id", 0, NULL, &found), 0);
    assert_string_equal(found.gl_pathv[0],
                        "/sys/kernel/debug/tracing/events/user_events/by_book/id");
    globfree(&found);
}

/* As when a mount point that ends with a slash is put before a path. */
static void slashes_inside_a_path_may_be_doubled(void **state)
{
    static const char *const ours[] = {
        "/sys//kernel/tracing/events/user_events/by_book/id",
        "/sys/kernel/debug//tracing///events/user_events/by_book/id",
        "/sys/./kernel/tracing/./events//user_events/by_book/id",
    };
    static const char *const others[] = {
        "/sys/kernel/tracingevents/user_events/by_book/id",
        "/sys/kernel/.tracing/events/user_events/by_book/id",
        "/syskernel/tracing/events/user_events/by_book/id",
    };

    (void)state;
    skip_by_library();
    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        assert_int_equal(access(ours[i], R_OK), 0);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(access(others[i], R_OK), -1);
}

static void relative_paths_are_supported(void **state)
{
    char before[512];
    int directory = open(TRACING "events", O_RDONLY | O_DIRECTORY);
    int fd;

    (void)state;
    skip_by_library();
    assert_true(directory >= 0);
    fd = openat(directory, "user_events/by_book/enable", O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1\n", 2), 2);
    assert_int_equal(word, 1);
    close(fd);
    close(directory);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(TRACING "events/user_events"), 0);
    fd = open("../user_events/./by_book//enable", O_WRONLY);
    assert_int_equal(chdir(before), 0);
    assert_int_equal(write(fd, "0", 1), 1);
    assert_int_equal(word, 0);
    close(fd);
    fd = open("by_book/enable", O_RDWR);
    assert_int_equal(fd, -1);
}

static void openat2_is_supported(void **state)
{
    struct open_how how = {.flags = O_RDWR | O_CLOEXEC};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, EVENT "by_book/enable", &how, sizeof(how));

    (void)state;
    skip_by_library();
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(word, 1);
    close(fd);
    fd = (int)syscall(SYS_openat2, AT_FDCWD, EVENT "by_book/enable", &how, 8);
    assert_int_equal(fd, -1);
    assert_int_equal(errno, EINVAL);
}

static void format_and_id_have_the_kernels_text(void **state)
{
    int id = atoi(text_of(EVENT "by_book/id"));
    char line[64];

    (void)state;
    assert_true(id > 0);
    (void)snprintf(line, sizeof(line), "name: by_book\nID: %d\nformat:\n", id);
    assert_memory_equal(text_of(EVENT "by_book/format"), line, strlen(line));
    assert_non_null(strstr(text_of(EVENT "by_book/format"),
                           "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n\n"
                           "print fmt: \"a=%u\", REC->a\n"));
}

static void a_file_read_again_from_its_beginning_is_current(void **state)
{
    int fd = open(EVENT "by_book/enable", O_RDWR);
    FILE *file = fopen(EVENT "by_book/enable", "r");
    char text[4] = "";

    (void)state;
    skip_by_library();
    assert_int_equal(pread(fd, text, 3, 0), 2);
    assert_string_equal(text, "0\n");
    assert_int_equal(fgetc(file), '0');
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(pread(fd, text, 3, 0), 2);
    assert_string_equal(text, "1\n");
    rewind(file);
    assert_int_equal(fgetc(file), '1');
    (void)fclose(file);
    assert_int_equal(write(fd, "2", 1), -1);
    assert_int_equal(errno, EINVAL);
    close(fd);
}

static void a_file_can_be_read_and_written_in_parts(void **state)
{
    int fd = open(EVENT "by_book/enable", O_RDWR);
    char text[2][2] = {"", ""};
    struct iovec parts[] = {{text[0], 1}, {text[1], 1}};

    (void)state;
    skip_by_library();
    assert_int_equal(readv(fd, parts, 2), 2);
    assert_true(text[0][0] == '0' && text[1][0] == '\n');
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(preadv(fd, parts, 2, 0), 2);
    assert_true(text[0][0] == '1' && text[1][0] == '\n');
    assert_int_equal(readv(data, parts, 2), -1);
    assert_int_equal(errno, EINVAL);
    close(fd);
}

/* Checks that a stream opened in each mode reads a digit, or enables the event. */
static void a_stream_can_be_opened_in_every_mode(void **state)
{
    static const char *const modes[] = {"r", "re", "r+", "w", "w+", "a", "a+", "wb", "r+b", "we"};

    (void)state;
    skip_by_library();
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
        bool reads = strchr(modes[i], 'r') || strchr(modes[i], '+');
        bool writes = !strchr(modes[i], 'r') || strchr(modes[i], '+');
        FILE *file = fopen(EVENT "by_book/enable", modes[i]);

        assert_non_null(file);
        assert_int_equal(fcntl(fileno(file), F_GETFD), strchr(modes[i], 'e') ? FD_CLOEXEC : 0);
        if (writes) {
            assert_int_equal(fputs("1", file) < 0 || fflush(file), 0);
            assert_int_equal(word, 1);
        }
        rewind(file);
        assert_int_equal(fgetc(file), !reads ? EOF : writes ? '1' : '0');
        assert_int_equal(fclose(file), 0);
        assert_int_equal(enable("by_book", false), 0);
    }
    assert_null(fopen(EVENT "by_book/enable", "wx"));
    assert_int_equal(errno, EEXIST);
    assert_null(fopen(EVENT "by_book/enable", "?"));
    assert_int_equal(errno, EINVAL);
    assert_null(fopen(EVENT "by_nobody/enable", "r"));
    assert_int_equal(errno, ENOENT);
}

/* The C library keeps the stream: what was written takes effect when it is closed. */
static void freopen_can_open_a_control_file_but_not_the_data_file(void **state)
{
    FILE *file = fopen("/dev/null", "w");

    (void)state;
    skip_by_library();
    skip_by_mount();
    file = freopen(EVENT "by_book/enable", "w", file);
    assert_non_null(file);
    assert_int_equal(fputs("1", file) < 0, 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(word, 1);
    file = freopen(EVENT "by_book/enable", "r", fopen("/dev/null", "r"));
    assert_non_null(file);
    assert_int_equal(fgetc(file), '1');
    assert_int_equal(fclose(file), 0);
    file = fopen("/dev/null", "w");
    assert_null(freopen(TRACING "user_events_data", "w", file));
    assert_int_equal(errno, EOPNOTSUPP);
}

/* As a shell does with its standard output. */
static void a_stream_on_a_descriptor_takes_effect_when_flushed(void **state)
{
    FILE *file = fopen("/dev/null", "w");
    int fd = open(EVENT "by_book/enable", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    (void)state;
    skip_by_library();
    assert_non_null(file);
    assert_int_equal(dup2(fd, fileno(file)), fileno(file));
    close(fd);
    for (int i = 0; i < 3; i++) {
        assert_true(fputs(i % 2 ? "0\n" : "1\n", file) >= 0);
        assert_int_equal(word, i % 2);
        assert_int_equal(fflush(file), 0);
        assert_int_equal(word, !(i % 2));
    }
    assert_true(fputs("no number", file) >= 0);
    assert_int_equal(fflush(file), EOF);
    assert_int_equal(errno, EINVAL);
    assert_true(ferror(file));
    clearerr(file);
    assert_true(fputs("0", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(word, 0);
    assert_int_equal(fflush(NULL), 0);
}

/* As a program does before it forks. */
static void flushing_all_streams_flushes_standard_output(void **state)
{
    int saved = dup(STDOUT_FILENO);
    int fd = open(EVENT "by_book/enable", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    bool was_enabled;
    int error;

    (void)state;
    (void)fflush(stdout);
    assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
    close(fd);
    error = fputs("1\n", stdout) < 0 || fflush(NULL);
    was_enabled = word;
    assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
    close(saved);
    assert_int_equal(error, 0);
    assert_true(was_enabled);
    assert_int_equal(enable("by_book", false), 0);
}

static void all_events_of_a_system_can_be_enabled_together(void **state)
{
    (void)state;
    assert_int_equal(put(TRACING "events/user_events/enable", "1"), 0);
    assert_int_equal(word, 1);
    assert_string_equal(text_of(TRACING "events/user_events/enable"), "1\n");
    assert_string_equal(text_of(TRACING "set_event"), "user_events:by_book\n");
    assert_int_equal(put(TRACING "set_event", "!user_events:by_book"), 0);
    assert_int_equal(word, 0);
    assert_int_equal(put(TRACING "set_event", "by_b*"), 0);
    assert_int_equal(word, 1);
    assert_int_equal(put(TRACING "set_event", "no_such_event"), EINVAL);
    close(open(TRACING "set_event", O_WRONLY | O_TRUNC));
    assert_int_equal(word, 0);
}

static void dynamic_events_adds_and_deletes(void **state)
{
    (void)state;
    assert_int_equal(put(TRACING "dynamic_events", "u:by_line u32 a; struct s b 12\n"), 0);
    assert_true(exists("by_line"));
    assert_non_null(strstr(text_of(TRACING "dynamic_events"), "u:by_line u32 a; struct s b 12\n"));
    assert_int_equal(put(TRACING "dynamic_events", "u:by_line u64 a"), EADDRINUSE);
    assert_int_equal(put(TRACING "dynamic_events", "-:by_nobody"), ENOENT);
    assert_int_equal(put(TRACING "dynamic_events", "-by_line"), EINVAL);
    assert_int_equal(put(TRACING "dynamic_events", "!u:by_book u32 a"), EBUSY);
    assert_int_equal(put(TRACING "dynamic_events", " u:by_space u32 a"), EINVAL);
    assert_int_equal(put(TRACING "dynamic_events", " \n\t\n"), 0);
    assert_int_equal(put(TRACING "dynamic_events", "# a comment\n!u:user_events/by_line"), 0);
    assert_false(exists("by_line"));
}

static void the_status_text_has_the_documented_format(void **state)
{
    char line[64];

    (void)state;
    assert_non_null(strstr(text_of(TRACING "user_events_status"), ":by_book\n"));
    assert_non_null(strstr(text_of(TRACING "user_events_status"), "\n\nActive: 1\nBusy: 0\nMax: "));
    assert_int_equal(enable("by_book", true), 0);
    (void)snprintf(line, sizeof(line), ":by_book # Used by ftrace\n");
    assert_non_null(strstr(text_of(TRACING "user_events_status"), line));
    assert_non_null(strstr(text_of(TRACING "user_events_status"), "Busy: 1\n"));
}

static void opening_trace_for_writing_clears_it(void **state)
{
    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
    assert_int_equal(traced("by_book: "), 1);
    assert_int_equal(traced("by_book: "), 1); /* reading consumes nothing */
    close(open(TRACING "trace", O_WRONLY | O_TRUNC));
    assert_int_equal(traced("by_book: "), 0);
}

static void a_trace_without_losses_tells_of_none(void **state)
{
    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
    assert_int_equal(traced("by_book: "), 1);
    assert_int_equal(traced("LOST"), 0);
}

static void dprintf_takes_effect_at_once(void **state)
{
    static const int flags[] = {O_WRONLY, O_RDWR};

    (void)state;
    skip_by_library();
    for (size_t i = 0; i < 2; i++) {
        int fd = open(EVENT "by_book/enable", flags[i]);

        assert_int_equal(dprintf(fd, "%d\n", 1), 2);
        assert_true(becomes(&word, 1));
        assert_int_equal(dprintf(fd, "%d", 0), 1);
        assert_true(becomes(&word, 0));
        assert_int_equal(dprintf(fd, "%s", "neither"), -1);
        assert_int_equal(errno, EINVAL);
        close(fd);
    }
}

static void control_files_parse_numbers_as_the_kernel_does(void **state)
{
    static const struct {
        const char *text;
        int of_event; /* result of writing it */
        int of_all;
    } cases[] = {
        {"1", 0, 0},
        {"0\n", 0, 0},
        {"+1", 0, 0},
        {"01", 0, 0},
        {"2", EINVAL, 0},
        {"1\n\n", EINVAL, EINVAL},
        {"1 ", EINVAL, EINVAL},
        {" 1", EINVAL, EINVAL},
        {"-1", EINVAL, EINVAL},
        {"0x1", EINVAL, EINVAL},
        {"on", EINVAL, EINVAL},
        {"", EINVAL, EINVAL},
        {"99999999999999999999", ERANGE, ERANGE},
    };

    (void)state;
    skip_by_mount();
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(put(EVENT "by_book/enable", cases[i].text), cases[i].of_event);
        assert_int_equal(put(TRACING "tracing_on", cases[i].text), cases[i].of_all);
    }
    assert_int_equal(put(TRACING "tracing_on", "2"), 0);
    assert_string_equal(text_of(TRACING "tracing_on"), "1\n");
}

static void tracing_off_records_nothing_and_keeps_events_enabled(void **state)
{
    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
    assert_int_equal(put(TRACING "tracing_on", "0"), 0);
    assert_string_equal(text_of(TRACING "tracing_on"), "0\n");
    assert_int_equal(write_number(data, index_of, 2), 0);
    assert_int_equal(put(TRACING "tracing_on", "1"), 0);
    assert_int_equal(write_number(data, index_of, 3), 0);
    assert_int_equal(traced("by_book: "), 2);
    assert_int_equal(traced("a=0x2 (2)"), 0);
}

/* More than the pools of one process and the buffer of lines hold: the newest lines stay. */
static void new_lines_replace_the_oldest(void **state)
{
    const char *text;

    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    for (uint32_t i = 0; i < 40000; i++) {
        assert_int_equal(write_number(data, index_of, i), 0);
        if (i % 4000 == 0)
            (void)traced("by_book");
    }
    text = text_of(TRACING "trace");
    assert_non_null(strstr(text, "/4")); /* the number of written lines */
    assert_null(strstr(text, "a=0x0 (0)"));
}

static void trace_pipe_waits_for_events_and_consumes_them(void **state)
{
    int fd = open(TRACING "trace_pipe", O_RDONLY);
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    char text[4096];
    ssize_t size;

    (void)state;
    skip_by_library();
    assert_true(fd >= 0);
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(poll(&pollfd, 1, 50), 0);
    assert_int_equal(write_number(data, index_of, 8), 0);
    assert_int_equal(poll(&pollfd, 1, 100000), 1);
    size = read(fd, text, sizeof(text) - 1);
    assert_true(size > 0);
    text[size] = 0;
    assert_non_null(strstr(text, "by_book: a=0x8 (8)\n"));
    assert_int_equal(traced("by_book: "), 0);
    close(fd);
}

/* More than the buffer of a program has space for: the oldest lines are lost, as in the kernel, and
 * no events. */
static void a_trace_pipe_that_nobody_reads_has_the_latest_lines(void **state)
{
    const uint32_t count = 100000;
    const struct timespec pause = {.tv_nsec = 5000000};
    int fd = open(TRACING "trace_pipe", O_RDONLY);
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    char text[4096];
    char last[64];

    (void)state;
    skip_by_library();
    assert_true(fd >= 0);
    assert_int_equal(enable("by_book", true), 0);
    for (uint32_t i = 1; i <= count; i++) {
        assert_int_equal(write_number(data, index_of, i), 0);
        if (i % 250 == 0)
            (void)nanosleep(&pause, NULL);
    }
    (void)snprintf(last, sizeof(last), "a=0x%x (%u)\n", count, count);
    do {
        ssize_t size = poll(&pollfd, 1, 10000) == 1 ? read(fd, text, sizeof(text) - 1) : 0;

        assert_true(size > 0);
        text[size] = 0;
        assert_null(strstr(text, "LOST"));
    } while (!strstr(text, last));
    close(fd);
}

/* docs/user_events.md: a mount has the type of a FUSE file system, and by the library there is
 * none. */
static void the_mount_is_in_the_table_of_mounts(void **state)
{
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    bool found = false;

    (void)state;
    skip_by_library();
    assert_non_null(mounts);
    for (struct mntent *mount; (mount = getmntent(mounts));)
        found |= !strcmp(mount->mnt_dir, "/sys/kernel/tracing") &&
                 !strcmp(mount->mnt_type, "fuse.cairn");
    (void)endmntent(mounts);
    assert_true(found);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_event_has_a_directory_with_files),
        T(an_open_file_is_the_one_at_its_path),
        T(a_copied_file_has_the_same_text),
        T(glob_patterns_find_events_by_the_names_that_the_program_used),
        T(slashes_inside_a_path_may_be_doubled),
        T(relative_paths_are_supported),
        T(openat2_is_supported),
        T(format_and_id_have_the_kernels_text),
        T(a_file_read_again_from_its_beginning_is_current),
        T(a_file_can_be_read_and_written_in_parts),
        T(a_stream_can_be_opened_in_every_mode),
        T(freopen_can_open_a_control_file_but_not_the_data_file),
        T(a_stream_on_a_descriptor_takes_effect_when_flushed),
        T(flushing_all_streams_flushes_standard_output),
        T(all_events_of_a_system_can_be_enabled_together),
        T(dynamic_events_adds_and_deletes),
        T(the_status_text_has_the_documented_format),
        T(opening_trace_for_writing_clears_it),
        T(a_trace_without_losses_tells_of_none),
        T(dprintf_takes_effect_at_once),
        T(control_files_parse_numbers_as_the_kernel_does),
        T(tracing_off_records_nothing_and_keeps_events_enabled),
        T(new_lines_replace_the_oldest),
        T(trace_pipe_waits_for_events_and_consumes_them),
        T(a_trace_pipe_that_nobody_reads_has_the_latest_lines),
        T(the_mount_is_in_the_table_of_mounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
