/* SPDX-License-Identifier: MIT */
/* Test of paths that lead to the tracefs directory, and inside it. */
#include "tracefs_test.h"

#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <sys/xattr.h>

static uint32_t word;
static uint32_t index_of;
static int data;
static char before[PATH_MAX];
static char own[] = "/tmp/cairn-paths-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    word = 0;
    data = open_data();
    if (data < 0 || !getcwd(before, sizeof(before)) || reg(data, "way u32 a", &word, &index_of))
        return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (chdir(before) || enable("way", false) || unreg(data, &word, 0))
        return -1;
    close(data);
    return !goes_away("way");
}

/* Checks that a path leads to the event's `enable` file, with every function that takes a path. */
static void leads_to_switch(int directory, const char *path)
{
    ssize_t link = readlinkat(directory, path, (char[8]){0}, 8);
    bool is_missing = link < 0 && errno != EINVAL;
    int fd = openat(directory, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct statx extended;
    struct stat st;

    assert_false(is_missing);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1", 1), 1);
    assert_int_equal(word, 1);
    assert_int_equal(write(fd, "0", 1), 1);
    assert_int_equal(word, 0);
    close(fd);
    assert_int_equal(fstatat(directory, path, &st, 0), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(faccessat(directory, path, R_OK | W_OK, 0), 0);
    assert_int_equal(statx(directory, path, 0, STATX_TYPE, &extended), 0);
}

/* Checks that a directory lists the four files of an event. */
static void lists_event(const char *path)
{
    DIR *directory = opendir(path);
    int found = 0;

    assert_non_null(directory);
    for (struct dirent *item; (item = readdir(directory));) {
        struct stat st;

        assert_int_equal(fstatat(dirfd(directory), item->d_name, &st, 0), 0);
        found += S_ISREG(st.st_mode);
    }
    closedir(directory);
    assert_int_equal(found, 4);
}

static void paths_may_contain_dots(void **state)
{
    static const char *const paths[] = {
        "/sys/kernel/tracing/../tracing/events/user_events/way/enable",
        "/sys/kernel/../kernel/./tracing/events/user_events/way/../way/enable",
        "/sys/../sys/kernel/debug/tracing/events/user_events/way/enable",
        "/sys/kernel/tracing/../debug/tracing/events/user_events/way/enable",
        "/tmp/../sys/kernel/tracing/events/user_events/way/enable",
        "/../sys/kernel/tracing/events/../events/user_events/way/enable",
        "//sys/kernel/tracing//events/user_events//way/enable",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        leads_to_switch(AT_FDCWD, paths[i]);
    assert_int_equal(access("/sys/kernel/tracing/../events/user_events/way/enable", F_OK), -1);
}

static void paths_may_begin_outside(void **state)
{
    int directory = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    leads_to_switch(directory, "kernel/tracing/events/user_events/way/enable");
    leads_to_switch(directory, "./kernel/../kernel/tracing/events/user_events/way/enable");
    close(directory);
    assert_int_equal(chdir("/"), 0);
    leads_to_switch(AT_FDCWD, "sys/kernel/tracing/events/user_events/way/enable");
    assert_int_equal(chdir("/sys/kernel"), 0);
    leads_to_switch(AT_FDCWD, "tracing/events/user_events/way/enable");
    assert_int_equal(access("tracing/events/user_events/nobody/enable", F_OK), -1);
    assert_int_equal(errno, ENOENT);
}

/* Text read by a stream; the kernel's tracefs may have the same. */
static void streams_open_by_a_link(const char *link)
{
    char path[PATH_MAX];
    char line[64] = "";
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/dynamic_events", link);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_string_equal(line, "u:way u32 a\n");
    (void)fclose(file);
    (void)snprintf(path, sizeof(path), "%s/events/user_events/way/id", link);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fgetc(file) >= '0');
    (void)fclose(file);
}

static void paths_may_contain_symbolic_links(void **state)
{
    char directory[64], event[64], file[64], text[PATH_MAX];

    (void)state;
    (void)snprintf(directory, sizeof(directory), "%s/directory", own);
    (void)snprintf(event, sizeof(event), "%s/event", own);
    (void)snprintf(file, sizeof(file), "%s/enable", own);
    assert_int_equal(symlink("/sys/kernel/tracing", directory), 0);
    assert_int_equal(symlink("directory/events/user_events/way", event), 0);
    assert_int_equal(symlink("event/enable", file), 0);
    leads_to_switch(AT_FDCWD, file);
    (void)snprintf(text, sizeof(text), "%s/events/user_events/way/enable", directory);
    leads_to_switch(AT_FDCWD, text);
    (void)snprintf(text, sizeof(text), "%s/enable", event);
    leads_to_switch(AT_FDCWD, text);
    streams_open_by_a_link(directory);
    lists_event(event);
    assert_string_equal(realpath(event, text), EVENT "way");
    assert_int_equal(chdir(event), 0);
    leads_to_switch(AT_FDCWD, "enable");
    assert_string_equal(getcwd(text, sizeof(text)), EVENT "way");
}

/* Links in a circle lead nowhere. */
static void links_to_other_files_are_not_tracefs(void **state)
{
    char circle[64], file[64];
    FILE *made;

    (void)state;
    (void)snprintf(circle, sizeof(circle), "%s/trace", own);
    (void)snprintf(file, sizeof(file), "%s/enable", own);
    assert_int_equal(symlink("trace", circle), 0);
    assert_int_equal(open(circle, O_RDONLY), -1);
    assert_int_equal(errno, ELOOP);
    unlink(circle);
    (void)unlink(file);
    made = fopen(file, "w");
    assert_non_null(made);
    assert_int_equal(fputs("mine", made) < 0 || fclose(made), 0);
    assert_string_equal(text_of(file), "mine");
    unlink(file);
}

static void dot_dot_leads_to_the_real_parent_directory(void **state)
{
    struct stat up, outside;
    char text[PATH_MAX];

    (void)state;
    assert_int_equal(chdir(TRACING "events/user_events/way"), 0);
    assert_string_equal(getcwd(text, sizeof(text)), EVENT "way");
    assert_null(getcwd(text, 10));
    assert_int_equal(errno, ERANGE);
    assert_int_equal(stat("../../../..", &up), 0);
    assert_int_equal(stat("/sys/kernel", &outside), 0);
    assert_true(up.st_ino == outside.st_ino && up.st_dev == outside.st_dev);
    assert_int_equal(access("../../../../../../dev/null", R_OK), 0);
    leads_to_switch(AT_FDCWD, "../../../../tracing/events/user_events/way/enable");
    assert_int_equal(chdir("../.."), 0);
    assert_string_equal(getcwd(text, sizeof(text)), TRACING "events");
    assert_int_equal(chdir("../.."), 0);
    assert_string_equal(getcwd(text, sizeof(text)), "/sys/kernel");
}

static void a_file_has_one_canonical_name(void **state)
{
    char text[PATH_MAX];
    char *name;

    (void)state;
    assert_string_equal(realpath(TRACING "events/../trace", text), TRACING "trace");
    assert_null(realpath(TRACING "events/nothing", text));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(chdir(TRACING "events"), 0);
    name = canonicalize_file_name("user_events/way");
    assert_string_equal(name, EVENT "way");
    free(name);
    name = get_current_dir_name();
    assert_string_equal(name, TRACING "events");
    free(name);
    name = getcwd(NULL, 0);
    assert_string_equal(name, TRACING "events");
    free(name);
}

static void descriptors_of_directories_work_in_openat_and_fchdir(void **state)
{
    int directory = open(TRACING "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int event = openat(directory, "user_events/way", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int again = dup(event);

    (void)state;
    assert_true(directory >= 0 && event >= 0 && again >= 0);
    leads_to_switch(directory, "user_events/way/enable");
    leads_to_switch(event, "enable");
    leads_to_switch(again, "../way/enable");
    assert_int_equal(fchdir(event), 0);
    leads_to_switch(AT_FDCWD, "enable");
    close(again);
    close(event);
    close(directory);
}

static void extended_attributes_can_be_requested(void **state)
{
    (void)state;
    assert_true(listxattr(EVENT "way/format", NULL, 0) >= 0 || errno == ENOTSUP);
    assert_true(llistxattr(EVENT "way", NULL, 0) >= 0 || errno == ENOTSUP);
    assert_int_equal(getxattr(EVENT "way", "user.none", NULL, 0), -1);
    assert_true(errno == ENODATA || errno == ENOTSUP);
    assert_int_equal(lgetxattr(EVENT "nobody", "user.none", NULL, 0), -1);
    assert_int_equal(errno, ENOENT);
}

static void glob_patterns_may_begin_at_any_directory(void **state)
{
    static const char *const patterns[] = {"/sys/*/tracing/events/*/way/id",
                                           TRACING "events/../events/user_events/w?y/id"};
    glob_t found;

    (void)state;
    for (size_t i = access(TRACING, F_OK) ? 1 : 0; i < 2; i++) {
        assert_int_equal(glob(patterns[i], 0, NULL, &found), 0);
        assert_int_equal(found.gl_pathc, 1);
        globfree(&found);
    }
    assert_int_equal(chdir(TRACING "events"), 0);
    assert_int_equal(glob("*/way/[ie]*", 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 2);
    assert_string_equal(found.gl_pathv[0], "user_events/way/enable");
    assert_int_equal(glob("user_events_multi/*", GLOB_APPEND, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 4);
    globfree(&found);
}

static void files_cannot_be_created_or_removed(void **state)
{
    struct stat st;

    (void)state;
    skip_by_mount();
    assert_int_equal(chdir(TRACING), 0);
    assert_int_equal(mkdir("events/new", 0700), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(mkdir(TRACING "events", 0700), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(symlink("trace", TRACING "link"), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(link("trace", "again"), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(unlink("events/user_events/way/id"), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(remove(EVENT "way/id"), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(unlink(EVENT "nobody/id"), -1);
    assert_int_equal(errno, ENOENT);
    assert_int_equal(rmdir(EVENT "way"), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(rename(EVENT "way", EVENT "path"), -1);
    assert_int_equal(errno, EPERM);
    assert_int_equal(open("new", O_WRONLY | O_CREAT, 0600), -1);
    assert_int_equal(chmod(EVENT "way/enable", 0600), 0);
    assert_int_equal(stat(EVENT "way/enable", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(chmod(EVENT "way/enable", 0640), 0);
    lists_event(EVENT "way");
}

static void a_file_is_not_a_directory(void **state)
{
    struct stat st;

    (void)state;
    assert_int_equal(open(TRACING "trace/", O_RDONLY), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(stat(EVENT "way/id/", &st), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(stat(EVENT "way/", &st), 0);
    assert_int_equal(access(TRACING "trace/x", F_OK), -1);
    assert_int_equal(errno, ENOTDIR);
    assert_null(opendir(TRACING "trace"));
    assert_int_equal(errno, ENOTDIR);
    assert_int_equal(open(TRACING "events", O_WRONLY), -1);
    assert_int_equal(errno, EISDIR);
}

static int listed(const char *name)
{
    DIR *directory = opendir(TRACING "events/user_events");
    int count = 0;

    assert_non_null(directory);
    for (struct dirent *item; (item = readdir(directory));)
        count += !strcmp(item->d_name, name);
    closedir(directory);
    return count;
}

static void events_may_be_added_and_removed_while_a_directory_is_read(void **state)
{
    DIR *open_directory;

    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(put(TRACING "dynamic_events", "u:guest u32 a\n"), 0);
        open_directory = opendir(EVENT "guest");
        assert_non_null(open_directory);
        assert_int_equal(listed("guest"), 1);
        lists_event(EVENT "guest");
        assert_int_equal(put(TRACING "dynamic_events", "!u:guest\n"), 0);
        assert_int_equal(listed("guest"), 0);
        assert_false(exists("guest"));
        assert_false(exists("guest/id"));
        for (int item = 0; readdir(open_directory); item++)
            assert_true(item < 8);
        closedir(open_directory);
        assert_int_equal(listed("way"), 1);
    }
}

/* A name may belong to another event immediately after its release. */
static void a_reused_name_has_the_files_of_the_new_event(void **state)
{
    int first = open_data();
    int second = open_data();
    uint32_t other;

    (void)state;
    assert_int_equal(reg(first, "again u32 a", &other, NULL), 0);
    lists_event(EVENT "again");
    assert_int_equal(unreg(first, &other, 0), 0);
    close(first);
    assert_int_equal(del_soon(second, "again") & ~ENOENT, 0);
    assert_int_equal(reg(second, "again u64 b", &other, NULL), 0);
    lists_event(EVENT "again");
    assert_non_null(strstr(text_of(EVENT "again/format"), "u64 b"));
    assert_int_equal(unreg(second, &other, 0), 0);
    close(second);
    assert_true(goes_away("again"));
}

static int make_own(void **state)
{
    (void)state;
    return mkdtemp(own) ? 0 : -1;
}

static int remove_own(void **state)
{
    static const char *const names[] = {"directory", "event", "enable"};
    char path[64];

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", own, names[i]);
        (void)unlink(path);
    }
    return rmdir(own);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(paths_may_contain_dots),
        T(paths_may_begin_outside),
        T(paths_may_contain_symbolic_links),
        T(links_to_other_files_are_not_tracefs),
        T(dot_dot_leads_to_the_real_parent_directory),
        T(a_file_has_one_canonical_name),
        T(descriptors_of_directories_work_in_openat_and_fchdir),
        T(extended_attributes_can_be_requested),
        T(files_cannot_be_created_or_removed),
        T(a_file_is_not_a_directory),
        T(glob_patterns_may_begin_at_any_directory),
        T(events_may_be_added_and_removed_while_a_directory_is_read),
        T(a_reused_name_has_the_files_of_the_new_event),
    };

    return cmocka_run_group_tests(tests, make_own, remove_own);
}
