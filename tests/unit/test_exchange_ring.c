/* SPDX-License-Identifier: MIT */
/* Pages of a ring buffer, as trace.dat has them. */
#include "exchange/ring_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* A recording may have no time of day, and another one has. */
static void a_time_that_is_decades_later_begins_a_page(void **state)
{
    const uint64_t times[] = {1, UINT64_C(1) << 58, UINT64_C(1795676492946617634)};
    struct exchange_spool spool;
    struct exchange_ring ring = {0};

    (void)state;
    assert_int_equal(exchange_spool_open(&spool), 0);
    for (size_t n = 0; n < sizeof(times) / sizeof(*times); n++)
        assert_int_equal(exchange_ring_add(&spool, &ring, times[n], "data", 4), 0);
    assert_int_equal(ring.page_count, 1);
    assert_int_equal(exchange_ring_finish(&spool, &ring), 0);
    assert_int_equal(ring.page_count, 2);
    assert_true(ring.page_ns == times[2]);
    exchange_ring_free(&ring);
    exchange_spool_close(&spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_that_is_decades_later_begins_a_page),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
