/* SPDX-License-Identifier: MIT */
/* Records the events of the valid sources: each of their call sites must have been found. */
#include "engine_test.h"
#include "good.h"

int main(void)
{
    struct engine_session session;
    struct found found;
    int expected = 0;
    int failed;

    if (set_up(NULL))
        return 1;
    session = begin("Compile_*");
    failed = write_good_events(&expected);
    found = read_session(&session);
    end(&session);
    tear_down(NULL);
    if (failed || found.records != (uint32_t)expected)
        printf("%d failed; %u of %d events were recorded\n", failed, found.records, expected);
    return failed || found.records != (uint32_t)expected;
}
