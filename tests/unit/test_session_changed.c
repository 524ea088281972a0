/* SPDX-License-Identifier: MIT */
/* Test of programs that register their events and then give up rights, descriptors or system calls,
 * before a recorder starts: the recording has all their events. */
#include "session_test.h"

#include <cairn/eventheader.h>
#include <cairn/eventheader_dynamic.h>
#include <cairn/user_events.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define EVENTS  500u /* of each type, of each thread */
#define KINDS   3u
#define THREADS 2u

/* Memory that the changing process and the test share. */
struct stage {
    uint32_t started;            /* threads that make no more system calls */
    uint32_t turns[THREADS + 1]; /* rounds of each thread since then */
    uint32_t ready;              /* the process has changed, or failed to */
    uint32_t skipped;            /* the errno code if it failed to */
    uint32_t go;
    uint32_t done;    /* threads that have written everything */
    uint32_t refused; /* events whose write failed */
};

static struct stage *stage;
static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
CAIRN_PROVIDER(changed, "changed_Macro");
static struct cairn_dynamic_provider *dynamic;
static struct cairn_event_set *set;
static struct cairn_builder *builders[THREADS + 1];

/* Waits without a system call: they may be forbidden. */
static void spin_until(const uint32_t *word, uint32_t value)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) < value)
        ;
}

/* ---- the changes; each returns 0 or an errno code ---- */

static int code(int result)
{
    return result ? errno : 0;
}

static int limit(int which, rlim_t value)
{
    struct rlimit limits = {value, value};

    return code(setrlimit(which, &limits));
}

/* Sanitizers need address space and system calls of their own: without sanitizers only. */
#define WITHOUT_SANITIZERS __attribute__((unused))

static int become_nobody(void)
{
    if (geteuid())
        return EPERM;
    return code(setgroups(0, NULL) || setresgid(65534, 65534, 65534) ||
                setresuid(65534, 65534, 65534));
}

static int change_root(void)
{
    return code(chroot("/proc") || chdir("/"));
}

static int have_three_descriptors(void)
{
    return limit(RLIMIT_NOFILE, 3);
}

static int have_files_of_no_bytes(void)
{
    return limit(RLIMIT_FSIZE, 0);
}

WITHOUT_SANITIZERS static int have_no_more_address_space(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");

    if (!statm)
        return errno;
    if (fscanf(statm, "%lu", &pages) != 1)
        pages = 0;
    (void)fclose(statm);
    return pages ? limit(RLIMIT_AS, (rlim_t)pages * 4096) : ENODATA;
}

static int close_all(void)
{
#ifdef SYS_close_range
    return code((int)syscall(SYS_close_range, 0u, ~0u, 0u));
#else
    return ENOSYS;
#endif
}

static int enter_user_namespace(void)
{
    return code(unshare(CLONE_NEWUSER));
}

/* All capabilities; the user stays the same. */
static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {0};

    return code((int)syscall(SYS_capset, &header, data));
}

/* Every path is another file system's then, also that of the tracing directory. */
static int change_mounts(void)
{
    return code(unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                mount("none", tracing_dir, "tmpfs", 0, "size=0,mode=0") ||
                mount("none", "/proc", "tmpfs", 0, "size=0,mode=0"));
}

/* A new root file system, and the old one is gone. */
static int pivot(void)
{
    return code(unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
                mount("none", "/mnt", "tmpfs", 0, NULL) || mkdir("/mnt/old", 0700) ||
                chdir("/mnt") || (int)syscall(SYS_pivot_root, ".", "old") ||
                umount2("/old", MNT_DETACH) || chdir("/"));
}

/* Landlock forbids all access to files that it knows. */
static int forbid_files(void)
{
    const struct landlock_ruleset_attr rules = {.handled_access_fs =
                                                    (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1};
    int fd = (int)syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0);

    if (fd < 0)
        return errno;
    return code(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
                (int)syscall(SYS_landlock_restrict_self, fd, 0) || close(fd));
}

/* Files that it creates have no rights, and its directory is gone. */
static int be_nowhere(void)
{
    char path[] = "/tmp/cairn-nowhere-XXXXXX";

    (void)umask(0777);
    return code(!mkdtemp(path) || chdir(path) || rmdir(path));
}

/* All limits but those of memory, which tests of their own lower. */
static int have_nothing(void)
{
    static const int limits[] = {RLIMIT_CORE,       RLIMIT_FSIZE,    RLIMIT_NOFILE, RLIMIT_NPROC,
                                 RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE, RLIMIT_LOCKS,  RLIMIT_MEMLOCK};
    int error = 0;

    for (size_t i = 0; !error && i < sizeof(limits) / sizeof(*limits); i++)
        error = limit(limits[i], 0);
    return error;
}

WITHOUT_SANITIZERS static int have_no_heap_and_little_stack(void)
{
    int error = limit(RLIMIT_DATA, 0);

    return error ? error : limit(RLIMIT_STACK, 64 << 10);
}

/* The process that writes is a child, whose number is 1 there. */
static int enter_pid_namespace(void)
{
    int status;
    pid_t pid;

    if (unshare(CLONE_NEWPID))
        return errno;
    pid = fork();
    if (pid <= 0)
        return code((int)pid);
    _exit(waitpid(pid, &status, 0) == pid && !status ? 0 : 1);
}

/* The process that writes is a child by clone() itself, with new namespaces of all kinds. */
static int enter_all_namespaces(void)
{
    const unsigned long flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET |
                                CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWCGROUP;
    pid_t pid = (pid_t)syscall(SYS_clone, flags | SIGCHLD, NULL, NULL, NULL, NULL);
    int status;

    if (pid <= 0)
        return code((int)pid);
    _exit(waitpid(pid, &status, 0) == pid && !status ? 0 : 1);
}

static int be_secret(void)
{
    return code(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
}

static int become_daemon(void)
{
    return code(daemon(0, 0));
}

static int lock_memory(void)
{
    return code(mlockall(MCL_CURRENT | MCL_FUTURE));
}

/* The C library changes the user of each thread in a signal handler, which makes a system call to
 * return. */
static void wait_for_handlers(void)
{
    for (uint32_t i = 1; i <= stage->started; i++)
        spin_until(&stage->turns[i], __atomic_load_n(&stage->turns[i], __ATOMIC_ACQUIRE) + 2);
}

/* Permits write, exit and exit_group; any other system call kills. For all threads. */
WITHOUT_SANITIZERS static int give_up_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

    wait_for_handlers();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return errno;
    return code(
        (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

/* A filter that answers with an error: nothing would show that a call was tried, but its result. */
WITHOUT_SANITIZERS static int get_errors_of_system_calls(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(*filter), filter};

    wait_for_handlers();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return errno;
    return code(
        (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program));
}

static int change_much(void)
{
    int error = change_root();

    if (!error)
        error = become_nobody();
    if (!error)
        error = be_secret();
    if (!error)
        error = have_files_of_no_bytes();
    if (!error)
        error = close_all();
    return error ? error : have_three_descriptors();
}

WITHOUT_SANITIZERS static int give_up_everything(void)
{
    int error = have_no_more_address_space();

    if (!error)
        error = change_much();
    return error ? error : give_up_system_calls();
}

/* ---- the changing process ---- */

static void write_all(uint32_t thread)
{
    struct cairn_builder *b = builders[thread];
    uint32_t refused = 0;

    for (uint32_t i = 0; i < EVENTS; i++) {
        refused += cairn_tracepoint_write_bytes(&tp, &i, sizeof(i)) != 0;
        refused += CAIRN_WRITE_EVENT(changed, "Event", u32("Number", i)) != 0;
        cairn_builder_begin(b, "Event", 0);
        cairn_builder_u32(b, "Number", i);
        refused += cairn_builder_write(b, set, NULL, NULL) != 0;
    }
    add_to_word(&stage->refused, refused);
    add_to_word(&stage->done, 1);
}

static void *write_in_thread(void *arg)
{
    add_to_word(&stage->started, 1);
    while (!__atomic_load_n(&stage->go, __ATOMIC_ACQUIRE))
        add_to_word(&stage->turns[(size_t)arg], 1);
    write_all((uint32_t)(size_t)arg);
    spin_until(&stage->go, 2); /* never comes: a thread needs system calls to end */
    return NULL;
}

static int register_all(void)
{
    int error = cairn_tracepoint_register(&tp, "changed_event u32 number");

    if (!error)
        error = cairn_provider_register(&changed);
    if (!error)
        error = cairn_dynamic_provider_create("changed_Dynamic", NULL, &dynamic);
    if (!error)
        error = cairn_event_set_register(dynamic, CAIRN_LEVEL_INFORMATION, 1, &set);
    for (uint32_t i = 0; !error && i <= THREADS; i++) {
        error = cairn_builder_create(&builders[i]);
        if (!error) { /* it has all its memory now */
            cairn_builder_begin(builders[i], "Event", 0);
            cairn_builder_u32(builders[i], "Number", 0);
            (void)cairn_builder_write(builders[i], set, NULL, NULL);
        }
    }
    return error;
}

static _Noreturn void be_changed(int (*change)(void), uint32_t threads)
{
    pthread_t thread;
    int error = register_all();

    for (uint32_t i = 1; !error && i <= threads; i++)
        error = pthread_create(&thread, NULL, write_in_thread, (void *)(size_t)i);
    if (error)
        _exit(10);
    spin_until(&stage->started, threads);
    error = change();
    if (error)
        set_word(&stage->skipped, (uint32_t)error);
    set_word(&stage->ready, 1);
    spin_until(&stage->go, 1);
    write_all(0);
    spin_until(&stage->done, threads + 1);
    _exit(0);
}

/* ---- the recording ---- */

struct found {
    uint32_t events;
    uint32_t disorder;
    uint32_t tids[THREADS + 1];
    uint32_t of_tid[THREADS + 1];
};

static void count_event(const struct cairn_perf_sample *sample, void *arg)
{
    struct found *found = arg;

    found->events++;
    for (uint32_t i = 0; i <= THREADS; i++) {
        if (!found->tids[i])
            found->tids[i] = sample->tid;
        if (found->tids[i] == sample->tid) {
            found->of_tid[i]++;
            return;
        }
    }
    found->disorder++;
}

static off_t bytes_of_pools(void)
{
    char path[400];
    struct stat st;
    off_t bytes = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/pools", tracing_dir);
    dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *item; (item = readdir(dir));) {
        (void)snprintf(path, sizeof(path), "%s/pools/%s", tracing_dir, item->d_name);
        if (item->d_name[0] != '.' && !stat(path, &st))
            bytes += st.st_blocks * 512;
    }
    closedir(dir);
    return bytes;
}

static int wait_for_all(void)
{
    int status;
    int worst = 0;

    while (waitpid(-1, &status, 0) > 0)
        worst = status ? status : worst;
    return worst;
}

static void check_change(int (*change)(void), uint32_t threads)
{
    struct found found = {0};
    struct recording r;

    memset(stage, 0, sizeof(*stage));
    if (fork() == 0)
        be_changed(change, threads);
    while (!__atomic_load_n(&stage->ready, __ATOMIC_ACQUIRE)) {
        siginfo_t info = {0};

        if (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid &&
            (info.si_code != CLD_EXITED || info.si_status))
            fail_msg("the process ended too early: %d %d", info.si_code, info.si_status);
        (void)usleep(500);
    }
    if (stage->skipped) {
        set_word(&stage->go, 1);
        (void)wait_for_all();
        print_message("it cannot be tried here: %s\n", strerror((int)stage->skipped));
        skip();
    }
    r = begin_recording("changed_*", 0);
    set_word(&stage->go, 1);
    assert_int_equal(wait_for_all(), 0);
    assert_true(bytes_of_pools() < (off_t)48 << 20);
    end_recording(&r, count_event, &found);
    assert_int_equal(stage->refused, 0);
    assert_int_equal(r.counts.lost, 0);
    assert_int_equal(r.counts.unrecorded, 0);
    assert_int_equal(found.disorder, 0);
    assert_int_equal(found.events, (threads + 1) * KINDS * EVENTS);
    for (uint32_t i = 0; i <= threads; i++)
        assert_int_equal(found.of_tid[i], KINDS * EVENTS);
}

/* ---- tests ---- */

#define CHANGED(name, change, threads) \
    static void name(void **state)     \
    {                                  \
        (void)state;                   \
        check_change(change, threads); \
    }

CHANGED(a_process_that_changed_to_user_nobody_is_recorded, become_nobody, 0)
CHANGED(a_process_in_another_root_directory_is_recorded, change_root, 0)
CHANGED(a_process_without_free_descriptors_is_recorded, have_three_descriptors, THREADS)
CHANGED(a_process_with_a_file_size_limit_of_0_is_recorded, have_files_of_no_bytes, 0)
CHANGED(a_process_that_has_closed_all_descriptors_is_recorded, close_all, 0)
CHANGED(a_process_in_another_user_namespace_is_recorded, enter_user_namespace, 0)
CHANGED(a_process_that_is_not_dumpable_is_recorded, be_secret, 0)
CHANGED(a_process_that_has_become_a_daemon_is_recorded, become_daemon, 0)
CHANGED(a_process_that_has_locked_its_memory_is_recorded_in_the_same_memory, lock_memory, THREADS)
CHANGED(a_process_that_has_changed_in_many_ways_is_recorded, change_much, THREADS)
CHANGED(a_process_without_capabilities_is_recorded, drop_capabilities, THREADS)
CHANGED(a_process_that_has_mounted_over_the_directory_is_recorded, change_mounts, 0)
CHANGED(a_process_with_another_root_file_system_is_recorded, pivot, 0)
CHANGED(a_process_that_may_access_no_file_is_recorded, forbid_files, 0)
CHANGED(a_process_in_a_directory_that_is_gone_is_recorded, be_nowhere, THREADS)
CHANGED(a_process_with_limits_of_0_is_recorded, have_nothing, THREADS)
CHANGED(a_child_in_another_pid_namespace_is_recorded, enter_pid_namespace, 0)
CHANGED(a_cloned_child_in_namespaces_of_its_own_is_recorded, enter_all_namespaces, 0)
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
CHANGED(a_process_whose_system_calls_all_fail_is_recorded, get_errors_of_system_calls, THREADS)
CHANGED(a_process_without_heap_is_recorded, have_no_heap_and_little_stack, THREADS)
CHANGED(a_process_without_free_address_space_is_recorded, have_no_more_address_space, THREADS)
CHANGED(a_process_and_its_threads_without_system_calls_are_recorded, give_up_system_calls, THREADS)
CHANGED(a_process_that_has_given_up_everything_is_recorded, give_up_everything, THREADS)
#endif

static int set_up(void **state)
{
    (void)state;
    stage = shared_memory(sizeof(*stage));
    /* The parent of a daemon ends: this process becomes the daemon's parent, and waits for both. */
    return tracing_dir_make() || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

static int tear_down(void **state)
{
    (void)state;
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_changed_to_user_nobody_is_recorded),
        cmocka_unit_test(a_process_in_another_root_directory_is_recorded),
        cmocka_unit_test(a_process_without_free_descriptors_is_recorded),
        cmocka_unit_test(a_process_with_a_file_size_limit_of_0_is_recorded),
        cmocka_unit_test(a_process_that_has_closed_all_descriptors_is_recorded),
        cmocka_unit_test(a_process_in_another_user_namespace_is_recorded),
        cmocka_unit_test(a_process_that_is_not_dumpable_is_recorded),
        cmocka_unit_test(a_process_that_has_become_a_daemon_is_recorded),
        cmocka_unit_test(a_process_that_has_locked_its_memory_is_recorded_in_the_same_memory),
        cmocka_unit_test(a_process_that_has_changed_in_many_ways_is_recorded),
        cmocka_unit_test(a_process_without_capabilities_is_recorded),
        cmocka_unit_test(a_process_that_has_mounted_over_the_directory_is_recorded),
        cmocka_unit_test(a_process_with_another_root_file_system_is_recorded),
        cmocka_unit_test(a_process_that_may_access_no_file_is_recorded),
        cmocka_unit_test(a_process_in_a_directory_that_is_gone_is_recorded),
        cmocka_unit_test(a_process_with_limits_of_0_is_recorded),
        cmocka_unit_test(a_child_in_another_pid_namespace_is_recorded),
        cmocka_unit_test(a_cloned_child_in_namespaces_of_its_own_is_recorded),
/* Sanitizers' libraries need system calls and address space of their own. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(a_process_whose_system_calls_all_fail_is_recorded),
        cmocka_unit_test(a_process_without_heap_is_recorded),
        cmocka_unit_test(a_process_without_free_address_space_is_recorded),
        cmocka_unit_test(a_process_and_its_threads_without_system_calls_are_recorded),
        cmocka_unit_test(a_process_that_has_given_up_everything_is_recorded),
#endif
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
