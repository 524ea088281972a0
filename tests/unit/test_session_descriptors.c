/* SPDX-License-Identifier: MIT */
/* Test of the table of descriptors: processes of a family share it, a recorder reads it, and any of
 * them may be killed or lie. */
#include "engine/descriptors.h"
#include "engine/engine.h"
#include "session/internal.h"
#include "session_test.h"

#include <cairn/eventheader.h>
#include <cairn/user_events.h>
#include <pthread.h>

#define FORKS 100u

static struct cairn_tracepoint plain = CAIRN_TRACEPOINT_INIT;

CAIRN_PROVIDER(described, "Described");

static int write_number(uint32_t number)
{
    return cairn_tracepoint_write_bytes(&plain, &number, sizeof(number));
}

static struct engine_descriptor *descriptor_of(uint32_t id)
{
    uint8_t *units = (void *)engine_descriptors();

    return (void *)(units + (size_t)(id / ENGINE_ID_VARIANTS) * ENGINE_DESCRIPTOR_UNIT);
}

static int open_pool_file(void)
{
    char path[192];
    int fd;

    (void)snprintf(path, sizeof(path), "%s/pools/%s", tracing_dir, engine_self.pool_name);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void run_child(uint32_t number)
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(write_number(number) | CAIRN_WRITE_EVENT(described, "Same", u32("number", number)) |
              CAIRN_WRITE_EVENT(described, "Other", u32("number", number)));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void end_without_damage(struct recording *r, uint64_t events)
{
    end_recording(r, NULL, NULL);
    assert_int_equal(r->counts.lost, 0);
    assert_int_equal(r->counts.damaged, 0);
    assert_int_equal(r->counts.events, events);
}

/* ---- a family ---- */

/* A unit that a killed process took, and did not write to, is nobody's. */
static void children_that_use_the_same_call_sites_share_their_descriptors(void **state)
{
    struct engine_descriptor_table *table = engine_descriptors();
    struct recording r = begin_recording("[Dd]escribed*", 0);
    uint32_t used;

    (void)state;
    table->used_units += 5;
    run_child(0);
    used = table->used_units;
    assert_true(used > ENGINE_TABLE_HEAD_UNITS + 5);
    for (uint32_t i = 1; i < FORKS; i++) {
        run_child(i);
        poll_recording(&r);
    }
    assert_int_equal(table->used_units, used);
    end_without_damage(&r, 3 * FORKS);
}

/* ---- a recorder ---- */

/* The end of one that is longer than its texts may be the beginning of another. */
static void a_descriptor_of_a_wrong_size_costs_its_records(void **state)
{
    struct recording r = begin_recording("described*", 0);

    (void)state;
    assert_int_equal(write_number(1), 0);
    descriptor_of(plain.descriptor)->size_bytes += ENGINE_DESCRIPTOR_UNIT;
    poll_recording(&r);
    descriptor_of(plain.descriptor)->size_bytes -= ENGINE_DESCRIPTOR_UNIT;
    assert_int_equal(cairn_session_counts(r.session)->damaged, 1);
    end_recording(&r, NULL, NULL);
}

/* Returns the id of a descriptor that contains those after it. */
static uint32_t make_large(uint32_t unit)
{
    const uint32_t metadata_bytes = 60000;
    struct engine_descriptor *d = descriptor_of(unit * ENGINE_ID_VARIANTS);

    memcpy(d, descriptor_of(plain.descriptor), sizeof(*d));
    d->metadata_bytes = (uint16_t)metadata_bytes;
    d->size_bytes =
        (uint32_t)sizeof(*d) + metadata_bytes / ENGINE_DESCRIPTOR_UNIT * ENGINE_DESCRIPTOR_UNIT;
    return unit * ENGINE_ID_VARIANTS;
}

/* A table of 1 MiB may claim 6 GiB. */
static void descriptors_that_contain_one_another_take_little_memory(void **state)
{
    const uint32_t first = ENGINE_TABLE_UNITS / 2;
    const uint32_t id = plain.descriptor;
    struct engine_descriptor_table *table = engine_descriptors();
    struct recording r = begin_recording("described*", 0);
    uint32_t backed = table->backed_units;
    int fd = open_pool_file();

    (void)state;
    assert_int_equal(engine_descriptors_back(fd, table, ENGINE_TABLE_BYTES), 0);
    for (uint32_t i = 0; i < 1000; i++) {
        plain.descriptor = make_large(first + i);
        assert_int_equal(write_number(i), 0);
        plain.descriptor = id;
    }
    poll_recording(&r);
    assert_true(r.session->directories->pools->descriptor_count > 1);
    assert_true(r.session->directories->pools->descriptor_bytes <= ENGINE_TABLE_BYTES);
    assert_true(cairn_session_counts(r.session)->damaged > 900);
    end_recording(&r, NULL, NULL);
    memset(descriptor_of(first * ENGINE_ID_VARIANTS), 0,
           (ENGINE_TABLE_UNITS - first) * (size_t)ENGINE_DESCRIPTOR_UNIT);
    table->backed_units = backed;
    close(fd);
}

/* ---- memory ---- */

#define TIMES 2000u

struct backing {
    struct engine_descriptor_table *table;
    pthread_barrier_t barrier;
    int fd;
};

static void *back_less(void *arg)
{
    struct backing *b = arg;

    for (uint32_t i = 0; i < TIMES; i++) {
        (void)pthread_barrier_wait(&b->barrier);
        (void)engine_descriptors_back(b->fd, b->table, ENGINE_TABLE_FIRST_BYTES);
        (void)pthread_barrier_wait(&b->barrier);
    }
    return NULL;
}

/* A recorder adds memory at any time, without the registry's lock. Descriptors beyond a number that
 * has decreased would not be found. */
static void memory_does_not_decrease_when_two_processes_allocate_it(void **state)
{
    struct backing b = {.table = engine_descriptors(), .fd = open_pool_file()};
    const size_t more_bytes = 4 * ENGINE_TABLE_FIRST_BYTES;
    pthread_t thread;

    (void)state;
    (void)pthread_barrier_init(&b.barrier, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, back_less, &b), 0);
    for (uint32_t i = 0; i < TIMES; i++) {
        b.table->backed_units = ENGINE_PAGE_BYTES / ENGINE_DESCRIPTOR_UNIT;
        (void)pthread_barrier_wait(&b.barrier);
        assert_int_equal(engine_descriptors_back(b.fd, b.table, more_bytes), 0);
        (void)pthread_barrier_wait(&b.barrier);
        assert_int_equal(b.table->backed_units, more_bytes / ENGINE_DESCRIPTOR_UNIT);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    (void)pthread_barrier_destroy(&b.barrier);
    close(b.fd);
}

static int set_up(void **state)
{
    (void)state;
    return tracing_dir_make() || cairn_tracepoint_register(&plain, "described_plain u32 number") ||
           cairn_provider_register(&described);
}

static int tear_down(void **state)
{
    (void)state;
    cairn_tracepoint_unregister(&plain);
    (void)cairn_provider_unregister(&described);
    tracing_dir_remove();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_that_use_the_same_call_sites_share_their_descriptors),
        cmocka_unit_test(a_descriptor_of_a_wrong_size_costs_its_records),
        cmocka_unit_test(descriptors_that_contain_one_another_take_little_memory),
        cmocka_unit_test(memory_does_not_decrease_when_two_processes_allocate_it),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
