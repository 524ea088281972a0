/* SPDX-License-Identifier: MIT */
/* Snapshots of the tracing directory, and diagnoses, as programs get them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tracing_dir.h"

#include <cairn/inspect.h>
#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <sys/vfs.h>
#include <unistd.h>

static struct cairn_tracepoint tick = CAIRN_TRACEPOINT_INIT;
static struct cairn_tracepoint other = CAIRN_TRACEPOINT_INIT;

static struct cairn_inspection *inspect(const struct cairn_inspection_options *options)
{
    struct cairn_inspection *inspection;

    assert_int_equal(cairn_inspection_create(options, &inspection), 0);
    return inspection;
}

/* ---- lines of dynamic_events ---- */

static void lines_are_executed_up_to_the_first_that_fails(void **state)
{
    static const char *const lines[] = {"u:inspect_line u32 a", "u:inspect_line u64 a",
                                        "u:inspect_late"};
    static const char *const none[] = {"-:inspect_absent"};
    static const char *const deletes[] = {"-:inspect_line"};
    struct cairn_inspection *inspection;
    size_t done;

    (void)state;
    assert_int_equal(cairn_directory_execute(lines, 3, &done), EADDRINUSE);
    assert_int_equal(done, 1);
    inspection = inspect(NULL);
    assert_int_equal(cairn_inspection_event_count(inspection), 3);
    assert_string_equal(cairn_inspection_event(inspection, 2)->name, "inspect_line");
    cairn_inspection_destroy(inspection);
    assert_int_equal(cairn_directory_execute(none, 1, &done), ENOENT);
    assert_int_equal(done, 0);
    assert_int_equal(cairn_directory_execute(deletes, 1, &done), 0);
    assert_int_equal(done, 1);
    assert_int_equal(cairn_directory_execute(NULL, 0, &done), 0);
    assert_int_equal(done, 0);
}

static void lines_need_a_directory(void **state)
{
    static const char *const lines[] = {"u:inspect_line u32 a"};
    char *directory = strdup(getenv("CAIRN_TRACING_DIR"));
    size_t done = 0;

    (void)state;
    assert_int_equal(setenv("CAIRN_TRACING_DIR", "/dev/null", 1), 0);
    assert_int_equal(cairn_directory_execute(lines, 1, &done), ENOTDIR);
    assert_true(done == SIZE_MAX);
    assert_int_equal(setenv("CAIRN_TRACING_DIR", directory, 1), 0);
    free(directory);
}

/* ---- the session of tracefs's trace ---- */

static uint32_t count_sessions(void)
{
    const struct cairn_inspection_options options = {.size = sizeof(options),
                                                     .with_sessions = true};
    struct cairn_inspection *inspection = inspect(&options);
    uint32_t count = cairn_inspection_session_count(inspection);

    cairn_inspection_destroy(inspection);
    return count;
}

/* In a child: a session lasts as long as the process that began it. */
static int hold_twice(void)
{
    char path[4096];
    char same[4096];
    int first, second;

    if (cairn_session_hold_text(path, 4, &first) != ERANGE || count_sessions() != 0)
        return 1;
    if (cairn_session_hold_text(path, sizeof(path), &first) ||
        cairn_session_hold_text(same, sizeof(same), &second))
        return 2;
    if (strcmp(path, same) != 0 || access(path, F_OK) || fcntl(first, F_GETFD) != FD_CLOEXEC)
        return 3;
    return count_sessions() == 1 ? 0 : 4;
}

static void holders_share_a_session(void **state)
{
    pid_t pid = fork();
    int status;

    (void)state;
    if (pid == 0)
        _exit(hold_twice());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(count_sessions(), 0);
}

/* ---- events ---- */

static void assert_tick(const struct cairn_inspected_event *event, uint32_t listeners)
{
    assert_string_equal(event->name, "inspect_tick");
    assert_string_equal(event->fields, " u32 number");
    assert_int_equal(event->listeners, listeners);
    assert_int_equal(event->registrations, 1);
    assert_true(event->number > 0 && event->number < 49152);
}

static void events_are_in_the_order_of_their_numbers(void **state)
{
    struct cairn_inspection *inspection = inspect(NULL);
    const struct cairn_inspected_event *first = cairn_inspection_event(inspection, 0);
    const struct cairn_inspected_event *second = cairn_inspection_event(inspection, 1);

    (void)state;
    assert_int_equal(cairn_inspection_event_count(inspection), 2);
    assert_int_equal(cairn_inspection_event_max(inspection), 49152);
    assert_tick(first, 0);
    assert_string_equal(second->name, "inspect_other");
    assert_string_equal(second->fields, "");
    assert_true(first->number < second->number);
    assert_null(cairn_inspection_event(inspection, 2));
    assert_int_equal(cairn_inspection_session_count(inspection), 0);
    assert_null(cairn_inspection_session(inspection, 0));
    assert_null(cairn_inspection_buffer(inspection, 0));
    cairn_inspection_destroy(inspection);
    cairn_inspection_destroy(NULL);
}

static void events_of_all_users_are_in_the_order_of_their_names(void **state)
{
    struct cairn_inspection_options options = CAIRN_INSPECTION_OPTIONS_INIT;
    struct cairn_inspection *inspection;

    (void)state;
    options.all_users = true;
    inspection = inspect(&options);
    assert_int_equal(cairn_inspection_event_count(inspection), 2);
    assert_string_equal(cairn_inspection_event(inspection, 0)->name, "inspect_other");
    assert_tick(cairn_inspection_event(inspection, 1), 0);
    cairn_inspection_destroy(inspection);
}

static void patterns_select_events(void **state)
{
    static const char *const patterns[] = {"nothing", "*_tick"};
    struct cairn_inspection_options options = CAIRN_INSPECTION_OPTIONS_INIT;
    struct cairn_inspection *inspection;

    (void)state;
    options.patterns = patterns;
    options.pattern_count = 2;
    inspection = inspect(&options);
    assert_int_equal(cairn_inspection_event_count(inspection), 1);
    assert_tick(cairn_inspection_event(inspection, 0), 0);
    cairn_inspection_destroy(inspection);
    options.pattern_count = 1;
    inspection = inspect(&options);
    assert_int_equal(cairn_inspection_event_count(inspection), 0);
    cairn_inspection_destroy(inspection);
}

/* ---- sessions ---- */

static struct cairn_session *begin(void)
{
    static const char *const patterns[] = {"inspect_*", "later_*"};
    struct cairn_session_options options = CAIRN_SESSION_OPTIONS_INIT;
    struct cairn_session *session;

    options.patterns = patterns;
    options.pattern_count = 2;
    options.buffer_bytes = CAIRN_SESSION_BUFFER_MIN_BYTES;
    options.mode = CAIRN_PERF_FILE;
    options.fd = memfd_create("inspect", MFD_CLOEXEC);
    assert_true(options.fd >= 0);
    assert_int_equal(cairn_session_create(&options, &session), 0);
    return session;
}

/* Returns how many events were lost: nobody reads the buffer. */
static uint64_t write_until_full(void)
{
    static const uint8_t payload[4096];
    uint64_t lost = 0;

    for (uint32_t i = 0; i < 4 * CAIRN_SESSION_BUFFER_MIN_BYTES / sizeof(payload); i++)
        lost += cairn_tracepoint_write_bytes(&tick, payload, sizeof(payload)) == ENOSPC;
    return lost;
}

static void assert_session(const struct cairn_inspected_session *session, uint64_t lost)
{
    assert_true(session->id > 0);
    assert_int_equal(session->pid, getpid());
    assert_int_equal(session->listener, CAIRN_LISTENER_RECORDER);
    assert_int_equal(session->pattern_count, 2);
    assert_string_equal(session->patterns[0], "inspect_*");
    assert_string_equal(session->patterns[1], "later_*");
    assert_int_equal(session->event_count, 2);
    assert_int_equal(session->buffer_bytes, CAIRN_SESSION_BUFFER_MIN_BYTES);
    assert_int_equal(session->lost_by_cause[CAIRN_LOSS_FULL], lost);
}

static void assert_buffer(const struct cairn_inspected_buffer *buffer, uint64_t session,
                          uint64_t lost)
{
    assert_int_equal(buffer->session, session);
    assert_int_equal(buffer->pid, getpid());
    assert_int_equal(buffer->error, 0);
    assert_int_equal(buffer->size_bytes, CAIRN_SESSION_BUFFER_MIN_BYTES);
    assert_int_equal(buffer->lost, lost);
}

static void a_session_is_listed_with_its_buffers_and_losses(void **state)
{
    struct cairn_inspection_options options = CAIRN_INSPECTION_OPTIONS_INIT;
    struct cairn_session *session = begin();
    struct cairn_inspection *inspection;
    uint64_t lost = write_until_full();

    (void)state;
    assert_true(lost > 0);
    options.with_sessions = true;
    inspection = inspect(&options);
    assert_tick(cairn_inspection_event(inspection, 0), CAIRN_LISTENER_RECORDER);
    assert_int_equal(cairn_inspection_session_count(inspection), 1);
    assert_session(cairn_inspection_session(inspection, 0), lost);
    assert_int_equal(cairn_inspection_buffer_count(inspection), 1);
    assert_buffer(cairn_inspection_buffer(inspection, 0),
                  cairn_inspection_session(inspection, 0)->id, lost);
    cairn_session_destroy(session);
    /* A snapshot does not change. */
    assert_session(cairn_inspection_session(inspection, 0), lost);
    cairn_inspection_destroy(inspection);
    inspection = inspect(&options);
    assert_int_equal(cairn_inspection_session_count(inspection), 0);
    assert_int_equal(cairn_inspection_buffer_count(inspection), 0);
    cairn_inspection_destroy(inspection);
}

/* ---- errors ---- */

static void options_of_other_versions_are_checked(void **state)
{
    struct {
        struct cairn_inspection_options options;
        uint64_t later;
    } larger = {CAIRN_INSPECTION_OPTIONS_INIT, 1};
    struct cairn_inspection *inspection = NULL;

    (void)state;
    larger.options.size = 1;
    assert_int_equal(cairn_inspection_create(&larger.options, &inspection), EINVAL);
    larger.options.size = sizeof(larger);
    assert_int_equal(cairn_inspection_create(&larger.options, &inspection), E2BIG);
    assert_null(inspection);
}

static void set_directory(const char *path)
{
    assert_int_equal(setenv("CAIRN_TRACING_DIR", path, 1), 0);
}

static void a_directory_that_cannot_be_used_is_an_error(void **state)
{
    struct cairn_inspection *inspection = NULL;
    char text[256] = "";

    (void)state;
    set_directory("/proc/nowhere");
    assert_int_equal(cairn_inspection_create(NULL, &inspection), ENOENT);
    assert_int_equal(cairn_directory_locate(text, sizeof(text), NULL), ENOENT);
    assert_int_equal(cairn_directory_explain(ENOENT, text, sizeof(text)), ENOENT);
    set_directory(tracing_dir);
    assert_null(inspection);
    assert_string_equal(text, "");
}

static void overwrite_registry(const char *directory, off_t offset, const char *bytes, size_t size)
{
    char path[256];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/registry", directory);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, bytes, size, offset), (ssize_t)size);
    close(fd);
}

static void a_damaged_registry_is_explained(void **state)
{
    struct cairn_inspection *inspection = NULL;
    char directory[] = "/tmp/cairn-inspect-XXXXXX";
    char command[128];
    char text[256];

    (void)state;
    assert_non_null(mkdtemp(directory));
    set_directory(directory);
    cairn_inspection_destroy(inspect(NULL));
    overwrite_registry(directory, 0, "damaged!", 8);
    assert_int_equal(cairn_inspection_create(NULL, &inspection), EBADMSG);
    assert_int_equal(cairn_directory_explain(EBADMSG, text, sizeof(text)), 0);
    assert_non_null(strstr(text, "has a damaged registry"));
    assert_int_equal(strncmp(text, directory, strlen(directory)), 0);
    assert_int_equal(cairn_directory_explain(EBADMSG, text, 8), 0);
    assert_int_equal(strlen(text), 7); /* cut */
    set_directory(tracing_dir);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
}

static void the_directory_is_located(void **state)
{
    uint32_t properties = ~UINT32_C(0);
    char path[256] = "";

    (void)state;
    assert_int_equal(cairn_directory_locate(path, 4, &properties), ERANGE);
    assert_string_equal(path, "");
    assert_int_equal(cairn_directory_locate(path, sizeof(path), &properties), 0);
    assert_string_equal(path, tracing_dir);
    assert_int_equal(properties & ~(uint32_t)CAIRN_DIRECTORY_ON_DISK, 0);
}

/* ---- diagnosis ---- */

static const struct cairn_finding *find(const struct cairn_diagnosis *diagnosis,
                                        const char *subject)
{
    for (uint32_t i = 0; i < cairn_diagnosis_finding_count(diagnosis); i++) {
        const struct cairn_finding *finding = cairn_diagnosis_finding(diagnosis, i);

        if (!strcmp(finding->subject, subject))
            return finding;
    }
    return NULL;
}

static struct cairn_diagnosis *diagnose(void)
{
    struct cairn_diagnosis *diagnosis;

    assert_int_equal(cairn_diagnosis_create(&diagnosis), 0);
    return diagnosis;
}

static bool has_finding(const char *subject)
{
    struct cairn_diagnosis *diagnosis = diagnose();
    bool has = find(diagnosis, subject) != NULL;

    cairn_diagnosis_destroy(diagnosis);
    return has;
}

/* The tests run in the build directory, which is on a disk as a rule. */
static void a_directory_on_a_disk_is_a_problem(void **state)
{
    char command[PATH_MAX + 16];
    char directory[PATH_MAX];
    char path[PATH_MAX];
    uint32_t properties;
    struct statfs fs;
    bool is_on_disk;

    (void)state;
    assert_non_null(getcwd(directory, sizeof(directory) - 16));
    strcat(directory, "/cairn-XXXXXX");
    assert_non_null(mkdtemp(directory));
    assert_int_equal(statfs(directory, &fs), 0);
    is_on_disk = fs.f_type != TMPFS_MAGIC && fs.f_type != RAMFS_MAGIC;
    set_directory(directory);
    assert_int_equal(cairn_directory_locate(path, sizeof(path), &properties), 0);
    assert_int_equal((properties & CAIRN_DIRECTORY_ON_DISK) != 0, is_on_disk);
    assert_int_equal(has_finding("storage"), is_on_disk);
    set_directory(tracing_dir);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", directory);
    assert_int_equal(system(command), 0);
}

static void a_diagnosis_finds_what_works(void **state)
{
    struct cairn_diagnosis *diagnosis = diagnose();
    uint32_t count = cairn_diagnosis_finding_count(diagnosis);
    const struct cairn_finding *local = find(diagnosis, "local");

    (void)state;
    assert_int_equal(cairn_diagnosis_backends(diagnosis), CAIRN_BACKEND_LOCAL);
    assert_int_equal(local->severity, CAIRN_SEVERITY_FINE);
    assert_non_null(strstr(local->text, tracing_dir));
    assert_null(local->advice);
    assert_int_equal(find(diagnosis, "clock")->severity, CAIRN_SEVERITY_FINE);
    assert_string_equal(cairn_diagnosis_finding(diagnosis, count - 1)->subject, "choice");
    assert_null(cairn_diagnosis_finding(diagnosis, count));
    assert_null(find(diagnosis, "losses"));
    cairn_diagnosis_destroy(diagnosis);
    cairn_diagnosis_destroy(NULL);
}

static void a_problem_has_an_advice(void **state)
{
    struct cairn_diagnosis *diagnosis;

    (void)state;
    set_directory("/proc/nowhere");
    diagnosis = diagnose();
    set_directory(tracing_dir);
    assert_int_equal(cairn_diagnosis_backends(diagnosis), 0);
    assert_int_equal(find(diagnosis, "local")->severity, CAIRN_SEVERITY_PROBLEM);
    assert_string_equal(find(diagnosis, "local")->advice, "mkdir -m 700 -p '/proc/nowhere'");
    assert_int_equal(find(diagnosis, "choice")->severity, CAIRN_SEVERITY_PROBLEM);
    cairn_diagnosis_destroy(diagnosis);
}

static void a_diagnosis_finds_losses(void **state)
{
    struct cairn_session *session = begin();
    uint64_t lost = write_until_full();
    struct cairn_diagnosis *diagnosis = diagnose();
    const struct cairn_finding *losses = find(diagnosis, "losses");
    char number[CAIRN_NUMBER_TEXT_BYTES];
    char text[256];

    (void)state;
    assert_int_equal(losses->severity, CAIRN_SEVERITY_PROBLEM);
    (void)snprintf(text, sizeof(text), "recorder %d lost %s events so far: %s", getpid(),
                   cairn_number_text(lost, number), cairn_loss_text(CAIRN_LOSS_FULL));
    assert_string_equal(losses->text, text);
    cairn_diagnosis_destroy(diagnosis);
    cairn_session_destroy(session);
}

/* ---- backends and texts ---- */

static void backends_are_parsed(void **state)
{
    uint32_t backends = 0;

    (void)state;
    assert_int_equal(cairn_backend_parse("sideways", &backends), EINVAL);
    assert_int_equal(backends, 0);
    assert_int_equal(cairn_backend_parse("auto", &backends), 0);
    assert_int_equal(backends, CAIRN_BACKEND_LOCAL | CAIRN_BACKEND_KERNEL);
    assert_int_equal(cairn_backend_parse("none", &backends), 0);
    assert_int_equal(backends, CAIRN_BACKEND_REQUIRED);
    assert_int_equal(cairn_backend_chosen(), CAIRN_BACKEND_LOCAL | CAIRN_BACKEND_REQUIRED);
}

static void the_path_of_tracefs_must_fit(void **state)
{
    char path[1] = {'x'};
    char whole[4096] = "x";
    int error = cairn_backend_probe_kernel(NULL, 0);

    (void)state;
    assert_int_equal(cairn_backend_probe_kernel(whole, sizeof(whole)), error);
    assert_int_equal(cairn_backend_probe_kernel(path, 1), *whole ? ERANGE : error);
}

static void numbers_and_sizes_are_for_people(void **state)
{
    char text[CAIRN_NUMBER_TEXT_BYTES];

    (void)state;
    assert_string_equal(cairn_number_text(0, text), "0");
    assert_string_equal(cairn_number_text(1234567, text), "1,234,567");
    assert_string_equal(cairn_number_text(UINT64_MAX, text), "18,446,744,073,709,551,615");
    assert_string_equal(cairn_size_text(999, text), "999 bytes");
    assert_string_equal(cairn_size_text(12340000, text), "12.3 MB");
    assert_string_equal(cairn_loss_text((enum cairn_loss)99), cairn_loss_text(CAIRN_LOSS_OTHER));
}

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&tick, "inspect_tick u32 number") ||
           cairn_tracepoint_register(&other, "inspect_other");
}

static int tear_down(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&tick);
    cairn_tracepoint_unregister(&other);
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_in_the_order_of_their_numbers),
        cmocka_unit_test(lines_are_executed_up_to_the_first_that_fails),
        cmocka_unit_test(lines_need_a_directory),
        cmocka_unit_test(holders_share_a_session),
        cmocka_unit_test(events_of_all_users_are_in_the_order_of_their_names),
        cmocka_unit_test(patterns_select_events),
        cmocka_unit_test(a_session_is_listed_with_its_buffers_and_losses),
        cmocka_unit_test(options_of_other_versions_are_checked),
        cmocka_unit_test(a_directory_that_cannot_be_used_is_an_error),
        cmocka_unit_test(a_damaged_registry_is_explained),
        cmocka_unit_test(the_directory_is_located),
        cmocka_unit_test(a_directory_on_a_disk_is_a_problem),
        cmocka_unit_test(a_diagnosis_finds_what_works),
        cmocka_unit_test(a_problem_has_an_advice),
        cmocka_unit_test(a_diagnosis_finds_losses),
        cmocka_unit_test(backends_are_parsed),
        cmocka_unit_test(the_path_of_tracefs_must_fit),
        cmocka_unit_test(numbers_and_sizes_are_for_people),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
