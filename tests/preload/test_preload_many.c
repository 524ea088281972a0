/* SPDX-License-Identifier: MIT */
/* Test of as many events as the documents of the first version require, with both of the kernel's
 * interfaces. */
#include "tracefs_test.h"

#include <sys/mman.h>

#define EVENTS     32768u
#define EVENTS_FEW 8192u /* by a mount, where each is a round trip, unless everything is tried */
#define CPU_S_MOST 30    /* CPU time; comparing each event with all others would take minutes */

/* The struct of the first version. */
struct first_reg {
    uint32_t size;
    uint64_t name_args;
    uint32_t status_index;
    uint32_t write_index;
};

static uint32_t words[EVENTS];
static uint32_t count = EVENTS;

static int register_first(int fd, const char *command, uint32_t *index)
{
    struct first_reg request = {.size = sizeof(request), .name_args = (uintptr_t)command};

    if (ioctl(fd, ENGINE_USER_EVENTS_REG, &request))
        return errno;
    *index = request.write_index;
    /* Index 0 is never assigned. */
    return request.status_index && request.status_index == *index ? 0 : ERANGE;
}

static int register_number(int fd, uint32_t number, bool by_first, uint32_t *index)
{
    char command[48];

    (void)snprintf(command, sizeof(command), "many_%u u32 count", number);
    return by_first ? register_first(fd, command, index) : reg(fd, command, &words[number], index);
}

static void register_all(int fd, bool by_first)
{
    uint32_t index = 0;

    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(register_number(fd, i, by_first, &index), 0);
        if (!by_first)
            assert_int_equal(index, i);
    }
}

static void many_events_are_added_and_removed_quickly(void **state)
{
    clock_t began = clock();

    (void)state;
    for (int by_first = 0; by_first < 2; by_first++) {
        int fd = open_data();

        assert_true(fd >= 0);
        register_all(fd, by_first);
        if (!by_first)
            assert_int_equal(unreg(fd, &words[count / 2], 0), 0);
        close(fd);
    }
    assert_true((clock() - began) / CLOCKS_PER_SEC < CPU_S_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_events_are_added_and_removed_quickly),
    };

    if (getenv("CAIRN_TEST_MOUNT") && !getenv("CAIRN_TEST_ALL"))
        count = EVENTS_FEW;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
