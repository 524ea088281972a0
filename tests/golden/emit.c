/* SPDX-License-Identifier: MIT */
/*
 * Writes the golden events, one after the other, and prints a line for each: the result, the
 * tracepoint's name, and the payload from the session's buffers, in hexadecimal.
 */
#include "engine_test.h"
#include "golden.h"

static void print_record(void)
{
    const char *command = recorder.entries[(uint16_t)last_record.id - ENGINE_TYPE_BASE].command;

    printf("%.*s ", (int)strcspn(command, " "), command);
    for (uint32_t i = 0; i < last_payload_bytes; i++)
        printf("%02x", last_payload[i]);
}

static void print_event(int (*write_event)(void))
{
    struct engine_session session = begin("Golden_*");

    printf("%d ", write_event());
    if (read_session(&session).records)
        print_record();
    else
        printf("- ");
    putchar('\n');
    end(&session);
}

int main(void)
{
    int error = set_up(NULL);

    if (!error) {
        golden_prepare();
        error = cairn_provider_register(&golden);
        for (int i = 0; !error && i < golden_event_count; i++)
            print_event(golden_events[i]);
        cairn_provider_unregister(&golden);
    }
    tear_down(NULL);
    return error ? 1 : 0;
}
