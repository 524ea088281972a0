/* SPDX-License-Identifier: MIT */
/* Linked statically: nothing can be loaded into it. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    puts(access("/sys/kernel/tracing/user_events_data", F_OK) ? "no user_events" : "user_events");
    return 0;
}
