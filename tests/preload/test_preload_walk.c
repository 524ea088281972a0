/* SPDX-License-Identifier: MIT */
/* Test of functions of the C library that walk through the tracefs directory by themselves. */
#include "tracefs_test.h"

#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <wordexp.h>

static uint32_t words[2];
static uint32_t index_of;
static int data;
static char before[PATH_MAX];

static int set_up(void **state)
{
    (void)state;
    data = open_data();
    if (data < 0 || !getcwd(before, sizeof(before)) ||
        reg(data, "walk_a u32 a", &words[0], &index_of) ||
        reg(data, "walk_b u32 a", &words[1], &index_of))
        return -1;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    if (chdir(before) || unreg(data, &words[0], 0) || unreg(data, &words[1], 0))
        return -1;
    close(data);
    return !goes_away("walk_a") || !goes_away("walk_b");
}

static struct {
    int ids;
    int directories;
    int inner;     /* steps of a walk inside the walk */
    int misplaced; /* base names at wrong offsets */
    char path[PATH_MAX];
} seen;

/* Reads the file or directory at the path, too. */
static void see(const char *path, const char *name, int type)
{
    char digit;
    int fd;

    seen.directories += type == FTW_D || type == FTW_DP;
    if (type != FTW_F || strcmp(name, "id") != 0)
        return;
    fd = open(path, O_RDONLY);
    seen.ids += fd >= 0 && read(fd, &digit, 1) == 1 && digit >= '0' && digit <= '9';
    close(fd);
    (void)snprintf(seen.path, sizeof(seen.path), "%s", path);
}

static const char *base_of(const char *path)
{
    return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static int visit(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    see(path, base_of(path), type);
    seen.misplaced += strcmp(path + place->base, base_of(path)) != 0;
    return 0;
}

static int visit_there(const char *path, const struct stat *st, int type, struct FTW *place)
{
    struct stat itself;

    (void)st;
    (void)place;
    seen.misplaced += type == FTW_F && stat(base_of(path), &itself) != 0;
    see(type == FTW_F ? base_of(path) : path, base_of(path), type);
    return 0;
}

static int visit_plain(const char *path, const struct stat *st, int type)
{
    (void)st;
    see(path, base_of(path), type);
    return strcmp(base_of(path), "walk_b") ? 0 : 7;
}

static int visit_inner(const char *path, const struct stat *st, int type, struct FTW *place)
{
    (void)st;
    (void)type;
    (void)place;
    seen.inner += !strncmp(path, "/sys/kernel/debug/tracing/", 26);
    return 0;
}

static int visit_outer(const char *path, const struct stat *st, int type, struct FTW *place)
{
    if (!strcmp(base_of(path), "walk_a"))
        (void)nftw("/sys/kernel/debug/tracing/events/user_events/walk_b", visit_inner, 8, 0);
    return visit(path, st, type, place);
}

static void nftw_finds_all_files(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(nftw(TRACING "events/", visit, 16, FTW_PHYS), 0);
    assert_int_equal(seen.ids, 2);
    assert_int_equal(seen.directories, 5);
    assert_int_equal(seen.misplaced, 0);
    assert_memory_equal(seen.path, EVENT "walk_", strlen(EVENT "walk_"));
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(nftw(TRACING "events", visit_outer, 16, FTW_DEPTH), 0);
    assert_int_equal(seen.ids, 2);
    assert_int_equal(seen.inner, 5);
    assert_int_equal(nftw(TRACING "events/nothing", visit, 16, 0), -1);
    assert_int_equal(errno, ENOENT);
}

static void nftw_walks_a_relative_path_and_changes_the_working_directory(void **state)
{
    char there[PATH_MAX];

    (void)state;
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(chdir(TRACING), 0);
    assert_int_equal(nftw("events/user_events", visit, 16, 0), 0);
    assert_int_equal(seen.ids, 2);
    assert_memory_equal(seen.path, "events/user_events/walk_", 24);
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(nftw(TRACING "events", visit_there, 16, FTW_CHDIR), 0);
    assert_int_equal(seen.ids, 2);
    assert_int_equal(seen.misplaced, 0);
    assert_string_equal(getcwd(there, sizeof(there)), "/");
}

static void ftw_walks_until_the_callback_stops_it(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(ftw(EVENT, visit_plain, 16), 7);
    assert_true(seen.ids <= 1);
    memset(&seen, 0, sizeof(seen));
    assert_int_equal(ftw(EVENT "walk_a", visit_plain, 16), 0);
    assert_int_equal(seen.ids, 1);
    assert_string_equal(seen.path, EVENT "walk_a/id");
}

/* Checks names that the program used, and usable access paths. */
static void fts_walks_with(char *first, int options)
{
    char *paths[] = {first, NULL};
    FTS *fts = fts_open(paths, options, NULL);
    int files = 0;

    assert_non_null(fts);
    for (FTSENT *entry; (entry = fts_read(fts));) {
        assert_int_equal(strlen(entry->fts_path), entry->fts_pathlen);
        assert_memory_equal(entry->fts_path, TRACING "events", strlen(TRACING "events"));
        if (entry->fts_info == FTS_D && !strcmp(entry->fts_name, "walk_a"))
            assert_non_null(fts_children(fts, FTS_NAMEONLY));
        if (entry->fts_info != FTS_F || strncmp(entry->fts_parent->fts_name, "walk_", 5) != 0)
            continue;
        files++;
        assert_int_equal(access(entry->fts_accpath, R_OK), 0);
        if (!strcmp(entry->fts_name, "format"))
            assert_non_null(strstr(text_of(entry->fts_accpath), "name: walk_"));
        assert_non_null(strstr(entry->fts_path, entry->fts_name));
    }
    assert_int_equal(errno, 0);
    assert_int_equal(files, 8);
    assert_int_equal(fts_close(fts), 0);
}

static void fts_finds_all_files(void **state)
{
    char absolute[] = TRACING "events", relative[] = "events";
    char there[PATH_MAX];

    (void)state;
    skip_by_mount();
    fts_walks_with(absolute, FTS_PHYSICAL);
    assert_string_equal(getcwd(there, sizeof(there)), before);
    fts_walks_with(absolute, FTS_PHYSICAL | FTS_NOCHDIR);
    fts_walks_with(absolute, FTS_LOGICAL);
    assert_int_equal(chdir(TRACING), 0);
    fts_walks_with(relative, FTS_PHYSICAL);
    assert_string_equal(getcwd(there, sizeof(there)), "/sys/kernel/tracing");
}

static int is_walk(const struct dirent *item)
{
    return !strncmp(item->d_name, "walk_", 5);
}

static void scandir_sorts_the_names(void **state)
{
    struct dirent **list;
    int directory;

    (void)state;
    assert_int_equal(scandir(EVENT, &list, is_walk, alphasort), 2);
    assert_string_equal(list[0]->d_name, "walk_a");
    for (int i = 0; i < 2; i++)
        free(list[i]);
    free(list);
    directory = open(TRACING "events", O_RDONLY | O_DIRECTORY);
    assert_int_equal(scandirat(directory, "user_events/walk_b", &list, NULL, alphasort), 6);
    assert_string_equal(list[5]->d_name, "id");
    for (int i = 0; i < 6; i++)
        free(list[i]);
    free(list);
    close(directory);
}

static void wordexp_expands_patterns(void **state)
{
    wordexp_t found;

    (void)state;
    assert_int_equal(wordexp("before " TRACING "events/*/walk_?/id '" TRACING "*'", &found, 0), 0);
    assert_int_equal(found.we_wordc, 4);
    assert_string_equal(found.we_wordv[1], EVENT "walk_a/id");
    assert_string_equal(found.we_wordv[3], TRACING "*");
    assert_int_equal(wordexp("/sys/kernel/debug/tracing/trace", &found, WRDE_APPEND), 0);
    assert_int_equal(found.we_wordc, 5);
    wordfree(&found);
    assert_int_equal(chdir(TRACING "events"), 0);
    assert_int_equal(wordexp("user_events/walk_b/[ef]*", &found, 0), 0);
    assert_int_equal(found.we_wordc, 3);
    assert_string_equal(found.we_wordv[0], "user_events/walk_b/enable");
    wordfree(&found);
    assert_int_equal(wordexp("$(cat " EVENT "walk_a/enable)", &found, 0), 0);
    assert_int_equal(found.we_wordc, 1);
    assert_string_equal(found.we_wordv[0], "0");
    wordfree(&found);
}

/* Programs that get this error copy by reading and writing. */
static void sendfile_and_splice_are_refused(void **state)
{
    int to = open(EVENT "walk_a/enable", O_WRONLY);
    int from = open(EVENT "walk_b/enable", O_RDONLY);
    int fds[2];

    (void)state;
    skip_by_mount();
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "1", 1), 1);
    assert_int_equal(sendfile(to, from, NULL, 2), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(copy_file_range(from, NULL, to, NULL, 2, 0), -1);
    assert_int_equal(errno, EINVAL);
    assert_int_equal(splice(fds[0], NULL, to, NULL, 1, 0), -1);
    assert_int_equal(errno, EINVAL);
    close(fds[0]);
    close(fds[1]);
    close(to);
    close(from);
    assert_int_equal(words[0], 0);
    assert_int_equal(truncate(TRACING "trace", 0), 0);
    assert_int_equal(truncate(TRACING "nothing", 0), -1);
    assert_int_equal(errno, ENOENT);
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(nftw_finds_all_files),
        T(nftw_walks_a_relative_path_and_changes_the_working_directory),
        T(ftw_walks_until_the_callback_stops_it),
        T(fts_finds_all_files),
        T(scandir_sorts_the_names),
        T(wordexp_expands_patterns),
        T(sendfile_and_splice_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
