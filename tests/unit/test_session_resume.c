/* SPDX-License-Identifier: MIT */
/* Test of sessions that are resumed, as after the death of their recorder: a session that is
 * destroyed before it is finished is left as by a process that was killed. The files that outlive a
 * recorder may contain anything. */
#include "session_test.h"

#include "engine/emit.h"
#include "engine/sweep.h"
#include "os/clock.h"
#include "session/resume_state.h"

#include <cairn/reader.h>
#include <cairn/user_events.h>
#include <sys/stat.h>

static struct cairn_tracepoint one = CAIRN_TRACEPOINT_INIT;
static struct cairn_tracepoint two = CAIRN_TRACEPOINT_INIT;
static uint32_t written; /* events of `one` */

static int make_directory(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&one, "resumed_one u32 number") ||
           cairn_tracepoint_register(&two, "resumed_two u32 number");
}

static int remove_directory(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&one);
    cairn_tracepoint_unregister(&two);
    tracing_dir_remove();
    return 0;
}

static void write_events(struct cairn_tracepoint *tp, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = tp == &one ? written++ : i;
        struct iovec part = {&number, sizeof(number)};

        assert_int_equal(cairn_tracepoint_write(tp, &part, 1), 0);
    }
}

/* ---- recorders ---- */

struct recorder {
    struct cairn_session *session;
    int fd;
};

static void file_path(uint32_t number, char path[96])
{
    (void)snprintf(path, 96, "%s/%u.cairn", tracing_dir, number);
}

static struct cairn_session_options options_for(const char *const *pattern)
{
    return (struct cairn_session_options){.size = sizeof(struct cairn_session_options),
                                          .patterns = pattern,
                                          .pattern_count = 1,
                                          .format = CAIRN_SESSION_TRACE,
                                          .resume_name = "kept"};
}

static struct recorder begin_named(uint32_t number, const char *name, const char *pattern)
{
    struct cairn_session_options options = options_for(&pattern);
    struct recorder r;
    char path[96];

    options.resume_name = name;
    file_path(number, path);
    r.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(r.fd >= 0);
    options.fd = r.fd;
    assert_int_equal(cairn_session_create(&options, &r.session), 0);
    return r;
}

static struct recorder begin(uint32_t number)
{
    return begin_named(number, "kept", "resumed_one");
}

static void poll_once(const struct recorder *r)
{
    uint32_t wait_ms;

    assert_int_equal(cairn_session_poll(r->session, &wait_ms), 0);
}

/* As a process that is killed leaves it. */
static void kill_recorder(struct recorder *r)
{
    cairn_session_destroy(r->session);
    close(r->fd);
}

static struct cairn_session_counts finish(struct recorder *r)
{
    struct cairn_session_counts counts;

    assert_int_equal(cairn_session_finish(r->session), 0);
    counts = *cairn_session_counts(r->session);
    kill_recorder(r);
    return counts;
}

/* Number of events in a file, which may end in the middle of a block. */
static uint32_t events_in(uint32_t number, const char *name)
{
    const struct cairn_event *event;
    struct cairn_reader *reader;
    uint32_t count = 0;
    char path[96];
    int error;

    file_path(number, path);
    error = cairn_reader_open(path, NULL, NULL, &reader);
    if (error)
        return 0;
    while (!cairn_reader_next(reader, &event))
        count += event->type->name.length == strlen(name) &&
                 !memcmp(event->type->name.text, name, strlen(name));
    cairn_reader_close(reader);
    return count;
}

/* ---- what is resumed ---- */

static void each_event_is_recorded_once(void **state)
{
    struct recorder r = begin(0);
    uint32_t before = written;

    (void)state;
    write_events(&one, 1000);
    poll_once(&r);
    write_events(&one, 1000);
    kill_recorder(&r);
    write_events(&one, 1000); /* while there is no recorder */
    r = begin(1);
    write_events(&one, 1000);
    assert_true(finish(&r).is_resumed);
    assert_int_equal(events_in(0, "resumed_one") + events_in(1, "resumed_one"), written - before);
}

/* A pattern that was added is part of a session until it ends: the next recorder gets it from its
 * command line, as cairn session does, or takes it over. */
static void a_pattern_that_was_added_is_resumed(void **state)
{
    static const char *const both[] = {"resumed_one", "resumed_two"};
    struct cairn_session_options options = options_for(both);
    struct recorder r = begin(0);
    char path[96];

    (void)state;
    assert_int_equal(cairn_session_pattern_add(r.session, "resumed_two", NULL), 0);
    write_events(&two, 10);
    poll_once(&r);
    kill_recorder(&r);
    write_events(&two, 10);
    file_path(1, path);
    r.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    options.fd = r.fd;
    options.pattern_count = 2;
    assert_int_equal(cairn_session_create(&options, &r.session), 0);
    write_events(&two, 10);
    assert_true(finish(&r).is_resumed);
    assert_int_equal(events_in(0, "resumed_two") + events_in(1, "resumed_two"), 30);
}

/* A recorder that is killed soon after a change leaves two sessions. */
static void an_event_that_takes_longer_than_a_change_is_resumed(void **state)
{
    struct recorder r = begin(0);
    struct engine_thread *thread;
    uint32_t number = 0;
    uint8_t *payload;

    (void)state;
    write_events(&one, 1);
    payload = engine_emit_begin(&one, one.descriptor, sizeof(number), &thread);
    if (!payload) { /* this machine has no fast path */
        (void)finish(&r);
        skip();
    }
    memcpy(payload, &number, sizeof(number));
    assert_int_equal(cairn_session_pattern_add(r.session, "nobody_*", NULL), 0);
    poll_once(&r);
    kill_recorder(&r);
    assert_int_equal(engine_emit_commit(thread, payload + sizeof(number), one.descriptor), 0);
    write_events(&one, 1);
    r = begin(1);
    assert_true(finish(&r).is_resumed);
    assert_int_equal(events_in(0, "resumed_one") + events_in(1, "resumed_one"), 3);
}

/* A process may have several sessions, of different names, that are all being changed. */
static void each_session_of_a_process_is_resumed_by_its_name(void **state)
{
    struct recorder r = begin(0);
    struct engine_thread *thread;
    struct recorder other;
    uint32_t number = 0;
    uint8_t *payload;

    (void)state;
    write_events(&one, 1);
    payload = engine_emit_begin(&one, one.descriptor, sizeof(number), &thread);
    if (!payload) { /* this machine has no fast path */
        (void)finish(&r);
        skip();
    }
    memcpy(payload, &number, sizeof(number));
    other = begin_named(1, "other", "resumed_two");
    assert_int_equal(cairn_session_pattern_add(r.session, "nobody_*", NULL), 0);
    assert_int_equal(cairn_session_pattern_add(other.session, "nobody_*", NULL), 0);
    kill_recorder(&r);
    kill_recorder(&other);
    assert_int_equal(engine_emit_commit(thread, payload + sizeof(number), one.descriptor), 0);
    write_events(&one, 1);
    write_events(&two, 1);
    r = begin(2);
    other = begin_named(3, "other", "resumed_two");
    assert_true(finish(&r).is_resumed);
    assert_true(finish(&other).is_resumed);
    assert_int_equal(events_in(0, "resumed_one") + events_in(2, "resumed_one"), 3);
    assert_int_equal(events_in(2, "resumed_two"), 0);
    assert_int_equal(events_in(1, "resumed_two") + events_in(3, "resumed_two"), 1);
}

/* ---- recorders that are killed while they begin or change ---- */

#define DEATHS 60u /* at moments that divide the time that a recorder needs into equal parts */

static uint64_t *is_changed; /* set by the recorder's process */

static pid_t start_recorder(void)
{
    pid_t pid = fork();
    struct recorder r;

    if (pid)
        return pid;
    r = begin(0);
    (void)cairn_session_pattern_add(r.session, "resumed_two", NULL);
    __atomic_store_n(is_changed, 1, __ATOMIC_RELEASE);
    for (;;)
        (void)usleep(1000);
}

static void end_process(pid_t pid)
{
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* The time until a recorder has begun and changed its patterns. */
static uint64_t time_to_change(void)
{
    uint64_t began_ns = os_clock_ns();
    pid_t pid = start_recorder();
    uint64_t end_ns;
    struct recorder r;

    while (!__atomic_load_n(is_changed, __ATOMIC_ACQUIRE))
        (void)usleep(10);
    end_ns = os_clock_ns();
    end_process(pid);
    r = begin(1);
    (void)finish(&r);
    return end_ns - began_ns;
}

static void check_death_after(uint64_t time_ns)
{
    uint32_t before = written;
    struct recorder r;
    pid_t pid = start_recorder();

    os_sleep(time_ns);
    end_process(pid);
    if (cairn_tracepoint_is_enabled(&one))
        write_events(&one, 10);
    r = begin(1);
    assert_true(cairn_tracepoint_is_enabled(&one));
    write_events(&one, 10);
    (void)finish(&r);
    assert_false(cairn_tracepoint_is_enabled(&one));
    assert_int_equal(events_in(1, "resumed_one"), written - before);
}

static void a_recorder_may_be_killed_at_any_moment(void **state)
{
    uint64_t whole_ns;

    (void)state;
    is_changed = shared_memory(sizeof(*is_changed));
    whole_ns = time_to_change();
    for (uint32_t i = 0; i < DEATHS; i++)
        check_death_after(whole_ns * i / DEATHS);
}

/* ---- registrations that were left ---- */

/* While another process has the lock, a program leaves its registration. If its session is silenced
 * when it is completed, the event is enabled with the session's others. */
static void a_registration_that_was_left_is_enabled_by_the_next_recorder(void **state)
{
    struct cairn_tracepoint late = CAIRN_TRACEPOINT_INIT;
    struct recorder r = begin_named(0, "kept", "resumed_*");
    struct engine_registry registry = {.lock_fd = -1};

    (void)state;
    kill_recorder(&r);
    assert_int_equal(engine_registry_open(&registry), 0);
    assert_int_equal(engine_registry_lock(&registry), 0);
    engine_registry_silence(&registry, UINT64_MAX);
    engine_self.local.lock_tries = 1;
    assert_int_equal(cairn_tracepoint_register(&late, "resumed_late u32 number"), 0);
    engine_self.local.lock_tries = 0;
    engine_registry_unlock(&registry);
    engine_registry_close(&registry);
    assert_false(cairn_tracepoint_is_enabled(&late));
    r = begin_named(1, "kept", "resumed_*");
    assert_true(cairn_tracepoint_is_enabled(&late));
    write_events(&late, 3);
    assert_true(finish(&r).is_resumed);
    assert_int_equal(events_in(1, "resumed_late"), 3);
    assert_int_equal(cairn_tracepoint_unregister(&late), 0);
}

/* ---- names ---- */

/* As a process that was killed and has not ended yet: it has the lock, and nobody listens. */
static pid_t hold_name(uint64_t time_ns)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[128];
    pid_t pid;
    int fd;

    (void)snprintf(path, sizeof(path), "%s/recorders/named.lock~", tracing_dir);
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);
    pid = fork();
    if (!pid) {
        os_sleep(time_ns);
        _exit(0);
    }
    close(fd);
    return pid;
}

static void a_name_whose_process_is_ending_is_waited_for(void **state)
{
    struct cairn_recorder *recorder;
    struct cairn_recorder *other;
    pid_t pid = hold_name(50000000);

    (void)state;
    assert_int_equal(cairn_recorder_open("named", &recorder), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(cairn_recorder_open("named", &other), EBUSY);
    cairn_recorder_close(recorder);
}

static void sessions_that_cannot_be_resumed_are_refused(void **state)
{
    static const char *const pattern = "resumed_one";
    struct cairn_session_options options = options_for(&pattern);
    const struct cairn_session_receiver receiver = {.size = sizeof(receiver)};
    struct cairn_session *session;

    (void)state;
    options.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    options.format = CAIRN_SESSION_PERF;
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    options.format = CAIRN_SESSION_TRACE;
    options.mode = CAIRN_PERF_PIPE;
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    options.mode = CAIRN_PERF_FILE;
    options.flight_bytes = CAIRN_SESSION_FLIGHT_MIN_BYTES;
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    options.flight_bytes = 0;
    options.receiver = &receiver;
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    options.receiver = NULL;
    options.resume_name = "../kept";
    assert_int_equal(cairn_session_create(&options, &session), EINVAL);
    close(options.fd);
}

/* ---- hostile files ---- */

/* The path of the file of a kind in a part of the tracing directory: what follows a '.' of its
 * name. */
static void find_file(const char *part, const char *ending, char path[512])
{
    char directory[128];
    DIR *dir;

    (void)snprintf(directory, sizeof(directory), "%s/%s", tracing_dir, part);
    dir = opendir(directory);
    assert_non_null(dir);
    *path = 0;
    for (struct dirent *item; (item = readdir(dir));)
        if (strchr(item->d_name + 1, '.') && strstr(item->d_name, ending) && *item->d_name != '.')
            (void)snprintf(path, 512, "%s/%s", directory, item->d_name);
    closedir(dir);
    assert_true(*path);
}

#define STATE     "recorders", ".kept~"
#define POSITIONS "sessions", "."

/* Leaves a killed recorder, changes one of its files, and lets another one take its place: it
 * may record events twice or not at all, but it records, and its file can be read. */
static void resume_after(const char *part, const char *ending,
                         void (*change)(int fd, uint64_t number), uint64_t number)
{
    struct recorder r = begin(0);
    char path[512];
    int fd;

    write_events(&one, 50);
    poll_once(&r);
    write_events(&one, 50);
    poll_once(&r);
    kill_recorder(&r);
    find_file(part, ending, path);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    change(fd, number);
    close(fd);
    r = begin(1);
    poll_once(&r);
    write_events(&one, 50);
    poll_once(&r);
    (void)finish(&r);
    (void)events_in(1, "resumed_one");
}

static void flip_bit(int fd, uint64_t bit)
{
    uint8_t byte = 0;

    (void)pread(fd, &byte, 1, (off_t)(bit / 8));
    byte ^= (uint8_t)(1u << bit % 8);
    assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
}

static void truncate_to(int fd, uint64_t size_bytes)
{
    assert_int_equal(ftruncate(fd, (off_t)size_bytes), 0);
}

/* Counts and positions that cannot be. */
static void fill_with(int fd, uint64_t value)
{
    uint64_t words[64];

    for (size_t i = 0; i < 64; i++)
        words[i] = value;
    assert_int_equal(pwrite(fd, words + 1, sizeof(words) - 8, 8), sizeof(words) - 8);
}

static const uint64_t values[] = {UINT64_MAX, 1, UINT64_C(0x7fffffff7fffffff), 1u << 17};
static const uint64_t sizes[] = {0, 1, 8, 17, 511};

/* Files of impossible sizes and contents. */
static void resume_after_each(const char *part, const char *ending)
{
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
        resume_after(part, ending, truncate_to, sizes[i]);
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        resume_after(part, ending, fill_with, values[i]);
}

/* Each bit if CAIRN_TEST_ALL_BITS is set. */
static uint64_t step(void)
{
    return getenv("CAIRN_TEST_ALL_BITS") ? 1 : 397;
}

static void a_state_that_is_damaged_is_no_danger(void **state)
{
    (void)state;
    resume_after_each(STATE);
    for (uint64_t bit = 0; bit < 8 * 256; bit += step())
        resume_after(STATE, flip_bit, bit);
    for (uint64_t bit = 8 * offsetof(struct resume_file, directories);
         bit < 8 * (offsetof(struct resume_file, directories) + sizeof(struct resume_directory));
         bit += step())
        resume_after(STATE, flip_bit, bit);
}

static void positions_that_are_damaged_are_no_danger(void **state)
{
    (void)state;
    resume_after_each(POSITIONS);
    for (uint64_t bit = 0; bit < 8 * 112; bit += step())
        resume_after(POSITIONS, flip_bit, bit);
}

/* Somebody may have put a link there. */
static void a_link_is_not_followed(void **state)
{
    char path[512];
    char victim[96];
    struct recorder r;
    struct stat st;
    int fd;

    (void)state;
    file_path(7, victim);
    fd = open(victim, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "victim", 6), 6);
    r = begin(0);
    write_events(&one, 50);
    poll_once(&r);
    kill_recorder(&r);
    find_file(POSITIONS, path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(victim, path), 0);
    r = begin(1);
    poll_once(&r);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_size, 6);
    assert_int_equal(unlink(path), 0);
    (void)finish(&r);
    close(fd);
}

/* The files of a session that has ended are not those of the next one. */
static void positions_of_another_session_are_not_used(void **state)
{
    static uint8_t kept[1 << 16];
    struct recorder r = begin(0);
    uint32_t before;
    char path[512];
    ssize_t bytes;
    int fd;

    (void)state;
    write_events(&one, 500);
    poll_once(&r);
    find_file(POSITIONS, path);
    fd = open(path, O_RDWR | O_CLOEXEC);
    bytes = read(fd, kept, sizeof(kept));
    assert_true(bytes > 0);
    close(fd);
    (void)finish(&r);
    before = written;
    r = begin(0);
    write_events(&one, 10);
    kill_recorder(&r);
    find_file(POSITIONS, path);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pwrite(fd, kept, (size_t)bytes, 0), bytes);
    close(fd);
    r = begin(1);
    poll_once(&r);
    (void)finish(&r);
    assert_int_equal(events_in(0, "resumed_one") + events_in(1, "resumed_one"), written - before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_is_recorded_once),
        cmocka_unit_test(a_pattern_that_was_added_is_resumed),
        cmocka_unit_test(an_event_that_takes_longer_than_a_change_is_resumed),
        cmocka_unit_test(each_session_of_a_process_is_resumed_by_its_name),
        cmocka_unit_test(a_recorder_may_be_killed_at_any_moment),
        cmocka_unit_test(a_registration_that_was_left_is_enabled_by_the_next_recorder),
        cmocka_unit_test(a_name_whose_process_is_ending_is_waited_for),
        cmocka_unit_test(sessions_that_cannot_be_resumed_are_refused),
        cmocka_unit_test(a_state_that_is_damaged_is_no_danger),
        cmocka_unit_test(positions_that_are_damaged_are_no_danger),
        cmocka_unit_test(a_link_is_not_followed),
        cmocka_unit_test(positions_of_another_session_are_not_used),
    };

    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
