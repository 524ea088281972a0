/* SPDX-License-Identifier: MIT */
/* Writes the golden events with the selected backends, and prints the result of each. */
#include "golden.h"

#include <stdio.h>

int main(void)
{
    int error;

    golden_prepare();
    error = cairn_provider_register(&golden);
    for (int i = 0; !error && i < golden_event_count; i++)
        printf("%d\n", golden_events[i]());
    (void)cairn_provider_unregister(&golden);
    return error ? 1 : 0;
}
