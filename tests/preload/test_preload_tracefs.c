/* SPDX-License-Identifier: MIT */
/* The tracing folder: looking around, and the files that switch and show. */
#include "by_book.h"

#include <dirent.h>
#include <glob.h>
#include <linux/openat2.h>
#include <mntent.h>
#include <poll.h>
#include <sys/syscall.h>

static void an_event_has_a_folder_of_files(void **state)
{
    static const char *const names[] = {"enable", "filter", "format", "id"};
    DIR *folder = opendir(EVENT "by_book");
    int found = 0;

    (void)state;
    assert_non_null(folder);
    for (struct dirent *item; (item = readdir(folder));) {
        struct stat st;

        for (size_t i = 0; i < 4; i++)
            found += !strcmp(item->d_name, names[i]);
        assert_int_equal(fstatat(dirfd(folder), item->d_name, &st, 0), 0);
    }
    assert_true(found == 4);
    closedir(folder);
    assert_int_equal(access(EVENT "by_book/format", R_OK), 0);
    assert_int_equal(access(EVENT "by_nobody/format", R_OK), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(open(EVENT "by_nobody/enable", O_RDWR), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(open(TRACING "user_events_data", O_RDWR | O_CREAT | O_EXCL, 0600), -1);
    assert_int_equal(errno, EEXIST);
}

/* Programs that copy or follow a file look whether it is still the one at the path. */
static void an_open_file_is_the_one_at_its_path(void **state)
{
    static const char *const names[] = {"user_events_data", "user_events_status",
                                        "dynamic_events",   "trace",
                                        "events/enable",    "events/user_events/enable",
                                        "trace_pipe",       "events/user_events/by_book/id"};

    (void)state;
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

static void a_copy_has_the_text_alone(void **state)
{
    (void)state;
    assert_int_equal(system("copy=$(mktemp) && cp " TRACING "user_events_status $copy && "
                            "cat " TRACING "user_events_status | cmp - $copy; "
                            "result=$?; rm $copy; exit $result"),
                     0);
}

static void patterns_find_events_by_the_names_that_the_program_knows(void **state)
{
    glob_t found;

    (void)state;
    assert_int_equal(glob(EVENT "by_b*", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_string_equal(found.gl_pathv[0], EVENT "by_book");
    globfree(&found);
    assert_int_equal(glob("/sys/kernel/debug/tracing/events/*/by_book/id", 0, NULL, &found), 0);
    assert_string_equal(found.gl_pathv[0],
                        "/sys/kernel/debug/tracing/events/user_events/by_book/id");
    globfree(&found);
}

/* As when a mount point with a slash at its end is put before the rest. */
static void slashes_may_be_doubled_anywhere_but_in_front(void **state)
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
    for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
        assert_int_equal(access(ours[i], R_OK), 0);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        assert_int_equal(access(others[i], R_OK), -1);
}

static void relative_paths_lead_there_too(void **state)
{
    char before[512];
    int folder = open(TRACING "events", O_RDONLY | O_DIRECTORY);
    int fd;

    (void)state;
    assert_true(folder >= 0);
    fd = openat(folder, "user_events/by_book/enable", O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1\n", 2), 2);
    assert_int_equal(word, 1);
    close(fd);
    close(folder);
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

static void openat2_opens_too(void **state)
{
    struct open_how how = {.flags = O_RDWR | O_CLOEXEC};
    int fd = (int)syscall(SYS_openat2, AT_FDCWD, EVENT "by_book/enable", &how, sizeof(how));

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(word, 1);
    close(fd);
    fd = (int)syscall(SYS_openat2, AT_FDCWD, EVENT "by_book/enable", &how, 8);
    assert_int_equal(fd, -1);
    assert_int_equal(errno, EINVAL);
}

static void format_and_id_are_the_kernels_text(void **state)
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

static void a_file_read_again_from_its_beginning_is_fresh(void **state)
{
    int fd = open(EVENT "by_book/enable", O_RDWR);
    FILE *file = fopen(EVENT "by_book/enable", "r");
    char text[4] = "";

    (void)state;
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

static void reading_in_parts_is_reading(void **state)
{
    int fd = open(EVENT "by_book/enable", O_RDWR);
    char text[2][2] = {"", ""};
    struct iovec parts[] = {{text[0], 1}, {text[1], 1}};

    (void)state;
    assert_int_equal(readv(fd, parts, 2), 2);
    assert_true(text[0][0] == '0' && text[1][0] == '\n');
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(preadv(fd, parts, 2, 0), 2);
    assert_true(text[0][0] == '1' && text[1][0] == '\n');
    assert_int_equal(readv(data, parts, 2), -1);
    assert_int_equal(errno, EINVAL);
    close(fd);
}

/* Whether a stream of a mode reads a digit, or switches the event. */
static void a_stream_may_be_opened_in_every_mode(void **state)
{
    static const char *const modes[] = {"r", "re", "r+", "w", "w+", "a", "a+", "wb", "r+b", "we"};

    (void)state;
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

/* The C library keeps the stream as it is: what is written is looked at when it is closed. */
static void a_stream_may_become_one_of_a_control_file_but_not_of_the_data(void **state)
{
    FILE *file = fopen("/dev/null", "w");

    (void)state;
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
static void what_a_stream_writes_by_itself_is_done_when_it_is_flushed(void **state)
{
    FILE *file = fopen("/dev/null", "w");
    int fd = open(EVENT "by_book/enable", O_WRONLY | O_CREAT | O_TRUNC, 0666);

    (void)state;
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

static void all_events_of_a_system_are_switched_at_once(void **state)
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

static void the_status_text_is_the_documents(void **state)
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

static void trace_is_emptied_by_opening_it_to_write(void **state)
{
    (void)state;
    assert_int_equal(enable("by_book", true), 0);
    assert_int_equal(write_number(data, index_of, 1), 0);
    assert_int_equal(traced("by_book: "), 1);
    assert_int_equal(traced("by_book: "), 1); /* reading takes nothing away */
    close(open(TRACING "trace", O_WRONLY | O_TRUNC));
    assert_int_equal(traced("by_book: "), 0);
}

static void printed_to_a_descriptor_it_takes_effect_at_once(void **state)
{
    static const int flags[] = {O_WRONLY, O_RDWR};

    (void)state;
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

static void switches_read_numbers_as_the_kernel_does(void **state)
{
    static const struct {
        const char *text;
        int of_event; /* what writing it returns */
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

static void tracing_off_keeps_nothing_and_events_stay_enabled(void **state)
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

/* More than the pools of one process hold, and than the buffer of lines: the newest are there. */
static void the_oldest_lines_make_room(void **state)
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
    assert_non_null(strstr(text, "/4")); /* so many were written */
    assert_null(strstr(text, "a=0x0 (0)"));
}

static void trace_pipe_waits_and_takes_away(void **state)
{
    int fd = open(TRACING "trace_pipe", O_RDONLY);
    struct pollfd pollfd = {.fd = fd, .events = POLLIN};
    char text[4096];
    ssize_t size;

    (void)state;
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

/* What a mount is mounted from has any name: tracefs, nodev, none. */
static bool is_tracefs(const char *line)
{
    char target[256];
    char type[256];

    return sscanf(line, "%*s %255s %255s", target, type) == 2 && !strcmp(type, "tracefs") &&
           (!strcmp(target, "/sys/kernel/tracing") || !strcmp(target, "/sys/kernel/debug/tracing"));
}

static void programs_find_tracefs_among_the_mounts(void **state)
{
    FILE *mounts = setmntent("/proc/self/mounts", "r");
    bool found = false;

    (void)state;
    skip_by_mount();
    assert_non_null(mounts);
    for (struct mntent *mount; (mount = getmntent(mounts));)
        found |= !strcmp(mount->mnt_type, "tracefs");
    assert_true(found);
    (void)endmntent(mounts);
    found = false;
    for (const char *line = text_of("/proc/mounts"); line; line = strchr(line, '\n'))
        found |= is_tracefs(line += *line == '\n');
    assert_true(found);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_event_has_a_folder_of_files),
        T(an_open_file_is_the_one_at_its_path),
        T(a_copy_has_the_text_alone),
        T(patterns_find_events_by_the_names_that_the_program_knows),
        T(slashes_may_be_doubled_anywhere_but_in_front),
        T(relative_paths_lead_there_too),
        T(openat2_opens_too),
        T(format_and_id_are_the_kernels_text),
        T(a_file_read_again_from_its_beginning_is_fresh),
        T(reading_in_parts_is_reading),
        T(a_stream_may_be_opened_in_every_mode),
        T(a_stream_may_become_one_of_a_control_file_but_not_of_the_data),
        T(what_a_stream_writes_by_itself_is_done_when_it_is_flushed),
        T(all_events_of_a_system_are_switched_at_once),
        T(dynamic_events_adds_and_deletes),
        T(the_status_text_is_the_documents),
        T(trace_is_emptied_by_opening_it_to_write),
        T(printed_to_a_descriptor_it_takes_effect_at_once),
        T(switches_read_numbers_as_the_kernel_does),
        T(tracing_off_keeps_nothing_and_events_stay_enabled),
        T(the_oldest_lines_make_room),
        T(trace_pipe_waits_and_takes_away),
        T(programs_find_tracefs_among_the_mounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
