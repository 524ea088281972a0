/* SPDX-License-Identifier: MIT */
/* Writes the golden events to a session of ETW, and prints a line for each: the result, the
 * descriptor, the ids, the metadata and the data, in hexadecimal. */
#include "../golden/golden.h"
#include "etw_imports.h"

#include <stdio.h>

static void print_bytes(const void *from, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        printf("%02x", ((const uint8_t *)from)[i]);
    putchar(bytes ? ' ' : '-');
    if (!bytes)
        putchar(' ');
}

static void print_event(int (*write_event)(void))
{
    LONG before = etw_write_count;

    printf("%d ", write_event());
    if (etw_write_count != before && etw_last.is_described) {
        print_bytes(&etw_last.descriptor, sizeof(etw_last.descriptor));
        print_bytes(&etw_last.activity, etw_last.has_activity ? 16 : 0);
        print_bytes(&etw_last.related, etw_last.has_related ? 16 : 0);
        print_bytes(etw_last.metadata, etw_last.metadata_bytes);
        print_bytes(etw_last.data, etw_last.data_bytes);
    }
    putchar('\n');
}

int main(void)
{
    int error;

    golden_prepare();
    error = cairn_provider_register(&golden);
    if (error)
        return 1;
    (void)
        golden_events[0](); /* disabled; a builder's provider is registered with its first event */
    etw_control(1, 0, 0, 0);
    printf("provider ");
    print_bytes(&etw_registered_id, sizeof(etw_registered_id));
    print_bytes(etw_traits, etw_traits_bytes);
    putchar('\n');
    for (int i = 0; i < golden_event_count; i++)
        print_event(golden_events[i]);
    return cairn_provider_unregister(&golden);
}
