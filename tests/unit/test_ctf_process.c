/* SPDX-License-Identifier: MIT */
/* Frames of the process that reads CTF are not trusted. */
#include "ctf/process.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void put_frame(int fd, enum ctf_frame_kind kind, int error, const char *text)
{
    const struct ctf_frame frame = {
        .kind = kind, .error = error, .name_bytes = text ? (uint32_t)strlen(text) + 1 : 0};

    assert_int_equal(write(fd, &frame, sizeof(frame)), sizeof(frame));
    assert_int_equal(write(fd, text, frame.name_bytes), frame.name_bytes);
}

/* Opens a pipe with these frames, and an end after them. Returns what opening returned. */
static int open_frames(struct ctf_process *process, bool is_opened, int error, const char *text)
{
    int fds[2];

    assert_int_equal(pipe(fds), 0);
    if (is_opened)
        put_frame(fds[1], CTF_FRAME_OPENED, 0, NULL);
    put_frame(fds[1], CTF_FRAME_END, error, text);
    close(fds[1]);
    *process = (struct ctf_process){0};
    return ctf_process_open_pipe(process, fds[0]);
}

static int next_error(int error)
{
    struct ctf_process_event event;
    struct ctf_process process;
    int err;

    assert_int_equal(open_frames(&process, true, error, ""), 0);
    err = ctf_process_next(&process, &event);
    assert_int_equal(ctf_process_next(&process, &event), err);
    ctf_process_close(&process);
    return err;
}

static int open_error(int error)
{
    struct ctf_process process;
    int err = open_frames(&process, false, error, "");

    ctf_process_close(&process);
    return err;
}

/* EAGAIN means to readers that there will be more events: they would ask forever. */
static void an_end_has_no_other_error_than_those_of_reading(void **state)
{
    (void)state;
    assert_int_equal(next_error(ENODATA), ENODATA);
    assert_int_equal(next_error(ENOMEM), ENOMEM);
    assert_int_equal(next_error(EBADMSG), EBADMSG);
    assert_int_equal(next_error(EAGAIN), EBADMSG);
    assert_int_equal(next_error(0), EBADMSG);
    assert_int_equal(next_error(-1), EBADMSG);
}

static void opening_has_no_other_error_than_those_of_opening(void **state)
{
    (void)state;
    assert_int_equal(open_error(EOPNOTSUPP), EOPNOTSUPP);
    assert_int_equal(open_error(ENOMEM), ENOMEM);
    assert_int_equal(open_error(ENODATA), EBADMSG);
    assert_int_equal(open_error(EAGAIN), EBADMSG);
}

static void the_text_of_an_error_does_not_control_the_terminal(void **state)
{
    struct ctf_process process;

    (void)state;
    assert_int_equal(
        open_frames(&process, false, EBADMSG, "in \"a\x1b[2J\nb\x7f\": \xc2\x9b\xc3\xa9"), EBADMSG);
    assert_string_equal(process.error_text, "in \"a?[2J?b?\": ????");
    ctf_process_close(&process);
}

static void a_frame_of_another_kind_is_damage(void **state)
{
    struct ctf_process_event event;
    struct ctf_process process = {0};
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    put_frame(fds[1], CTF_FRAME_OPENED, 0, NULL);
    put_frame(fds[1], CTF_FRAME_OPENED, ENODATA, NULL);
    close(fds[1]);
    assert_int_equal(ctf_process_open_pipe(&process, fds[0]), 0);
    assert_int_equal(ctf_process_next(&process, &event), EBADMSG);
    assert_non_null(strstr(process.error_text, "damaged"));
    ctf_process_close(&process);
}

/* It would take the end of any of them. */
static void a_pipe_leaves_the_programs_children_alone(void **state)
{
    struct ctf_process process = {0};
    pid_t child = fork();
    int fds[2];

    (void)state;
    if (!child)
        _exit(3);
    assert_true(child > 0);
    assert_int_equal(pipe(fds), 0);
    close(fds[1]);
    assert_int_equal(ctf_process_open_pipe(&process, fds[0]), EBADMSG);
    ctf_process_close(&process);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_has_no_other_error_than_those_of_reading),
        cmocka_unit_test(opening_has_no_other_error_than_those_of_opening),
        cmocka_unit_test(the_text_of_an_error_does_not_control_the_terminal),
        cmocka_unit_test(a_frame_of_another_kind_is_damage),
        cmocka_unit_test(a_pipe_leaves_the_programs_children_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
