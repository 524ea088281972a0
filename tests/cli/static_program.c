/* SPDX-License-Identifier: MIT */
/* A statically linked program, into which no library can be loaded. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    puts(access("/sys/kernel/tracing/user_events_data", F_OK) ? "no user_events" : "user_events");
    return 0;
}
