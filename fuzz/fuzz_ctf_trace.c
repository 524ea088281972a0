/* SPDX-License-Identifier: MIT */
/*
 * Traces that `cairn export -f ctf` makes of any events, read again: as many events as were
 * exported, each of which the decoder reads to its end. The library reads them in this process, so
 * damaged traces, which may crash it, are not among the inputs.
 *
 * The input is described in exchange_input.h.
 */
#include "ctf/messages.h"
#include "ctf_check.h"
#include "exchange_input.h"

#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char directory[64];

static void remove_trace(void)
{
    static const char *const files[] = {"metadata", "stream", "stacks"};
    char path[128];

    for (unsigned i = 0; i < sizeof(files) / sizeof(*files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", directory, files[i]);
        (void)unlink(path);
    }
    (void)rmdir(directory);
}

/* ---- exporting ---- */

/* Returns how many events there were. */
static uint64_t export_all(const struct exchange_input *input)
{
    struct cairn_exporter_options options = CAIRN_EXPORTER_OPTIONS_INIT;
    struct cairn_exporter *exporter;
    uint64_t count;

    options.format = CAIRN_EXCHANGE_CTF;
    options.path = directory;
    remove_trace(); /* of a run that failed */
    assert(!cairn_exporter_create(&options, &exporter));
    count = exchange_input_export(input, exporter);
    assert(!cairn_exporter_finish(exporter, NULL));
    cairn_exporter_destroy(exporter);
    return count;
}

/* ---- reading ---- */

/* Returns the number of events. */
static uint64_t read_events(struct ctf_messages *messages)
{
    struct ctf_event event = {.bt = messages->bt};
    const bt_message *message;
    uint64_t count = 0;
    int err;

    for (; !(err = ctf_messages_next(messages, &message)); count++) {
        ctf_check_convert(&event, message, false, NULL);
        assert(event.has_time);
    }
    if (err != ENODATA)
        (void)fprintf(stderr, "%s\n", messages->error_text);
    assert(err == ENODATA);
    ctf_event_free(&event);
    return count;
}

static void read_trace(uint64_t expected)
{
    struct ctf_messages messages = {0};
    struct ctf_paths paths;
    int err;

    assert(!ctf_paths_find(directory, &paths) && paths.count == 1);
    err = ctf_messages_open(&messages, &paths);
    if (err)
        (void)fprintf(stderr, "%s\n", messages.error_text);
    assert(!err && read_events(&messages) == expected);
    assert(!messages.lost && !messages.lost_packets);
    ctf_messages_close(&messages);
    ctf_paths_free(&paths);
}

/* Keeps the plugins loaded: loading them takes longer than all else. */
static void begin(void)
{
    static const bt_plugin_set *plugins;

    if (plugins)
        return;
    (void)bt_plugin_find_all(BT_TRUE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &plugins);
    (void)snprintf(directory, sizeof(directory), "/dev/shm/cairn-fuzz-ctf-%d", (int)getpid());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct exchange_input input;

    begin();
    if (!exchange_input_open(&input, data, size))
        return 0;
    read_trace(export_all(&input));
    remove_trace();
    exchange_input_close(&input);
    return 0;
}
