/* SPDX-License-Identifier: MIT */
/* Reads the texts about CPUs: "CPU: 0\nentries: 0\noverrun: 12\n", after "\nBuffer: NAME\n\n". */
#include "decode/dat_losses.h"

#include "decode/ring_page.h"
#include "perf_data/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES 512u
#define OVERRUNS_MAX   8192u

uint64_t decode_dat_buffer_of(const char *name, size_t length)
{
    return length ? perf_data_hash((const uint8_t *)name, length, PERF_DATA_HASH_K1) : 0;
}

static int add(struct decode_dat_losses *losses, uint32_t cpu, uint64_t events)
{
    if (!losses->overruns)
        losses->overruns =
            (struct decode_dat_overrun *)calloc(OVERRUNS_MAX, sizeof(*losses->overruns));
    if (!losses->overruns)
        return ENOMEM;
    if (losses->count < OVERRUNS_MAX)
        losses->overruns[losses->count++] =
            (struct decode_dat_overrun){.buffer = losses->buffer, .events = events, .cpu = cpu};
    return 0;
}

/* Returns what follows a word, or NULL. */
static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) ? NULL : text + length;
}

int decode_dat_losses_take(struct decode_dat_losses *losses, struct core_cursor text)
{
    char copy[TEXT_MAX_BYTES] = "";
    const char *begin;
    const char *name;
    const char *cpu;
    const char *overrun;
    uint64_t events;

    memcpy(copy, text.at, text.left < sizeof(copy) ? text.left : sizeof(copy) - 1);
    begin = copy + strspn(copy, "\n");
    name = after(begin, "Buffer: ");
    cpu = after(begin, "CPU: ");
    overrun = strstr(begin, "\noverrun: ");
    if (name)
        losses->buffer = decode_dat_buffer_of(name, strcspn(name, "\n"));
    if (!cpu || !overrun)
        return 0;
    events = strtoull(after(overrun, "\noverrun: "), NULL, 10);
    if (events > DECODE_LOST_MAX)
        return 0;
    return add(losses, (uint32_t)strtoul(cpu, NULL, 10), events);
}

uint64_t decode_dat_losses_of(const struct decode_dat_losses *losses, uint64_t buffer, uint32_t cpu)
{
    for (uint32_t n = 0; n < losses->count; n++) {
        if (losses->overruns[n].buffer == buffer && losses->overruns[n].cpu == cpu)
            return losses->overruns[n].events;
    }
    return 0;
}

void decode_dat_losses_free(struct decode_dat_losses *losses)
{
    free(losses->overruns);
    *losses = (struct decode_dat_losses){0};
}
