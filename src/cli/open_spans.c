/* SPDX-License-Identifier: MIT */
/* Activities that are open, as text. */
#include "cli/open_spans.h"

#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>

#define LINE_BYTES 512

const char *cli_duration_text(double ns, char text[CAIRN_NUMBER_TEXT_BYTES])
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    size_t unit = 0;

    for (; ns >= 1000 && unit + 1 < sizeof(units) / sizeof(*units); unit++)
        ns /= 1000;
    (void)snprintf(text, CAIRN_NUMBER_TEXT_BYTES, unit ? "%.3g %s" : "%.0f %s", ns, units[unit]);
    return text;
}

/* An hour and more is not four digits of seconds. */
static const char *age_text(uint64_t ns, char text[CAIRN_NUMBER_TEXT_BYTES])
{
    uint64_t minutes = ns / UINT64_C(60000000000);

    if (!minutes)
        return cli_duration_text((double)ns, text);
    (void)snprintf(text, CAIRN_NUMBER_TEXT_BYTES, "%" PRIu64 ":%02u:%02u", minutes / 60,
                   (unsigned)(minutes % 60), (unsigned)(ns / 1000000000 % 60));
    return text;
}

static bool has_process(void *context, uint32_t pid)
{
    return !pid || cairn_session_has_process(context, pid);
}

int cli_open_spans_print(const struct cli_open_spans *open)
{
    const struct cairn_stats_span *spans;
    uint64_t now = cli_now_ns();
    char line[LINE_BYTES];
    char age[CAIRN_NUMBER_TEXT_BYTES];
    size_t count;
    int error;

    cairn_stats_look_for_ended(open->stats, has_process, (void *)(uintptr_t)open->session);
    error = cairn_stats_spans(open->stats, &spans, &count);
    if (error)
        return error;
    (void)snprintf(line, sizeof(line), "%10s %8s %8s  SPAN", "AGE", "PID", "TID");
    error = open->print(open->context, line);
    for (size_t i = 0; !error && i < count && i + 1 < open->lines; i++) {
        uint64_t start = spans[i].start_ns;

        (void)snprintf(line, sizeof(line), "%10s %8" PRIu32 " %8" PRIu32 "  %s",
                       age_text(now > start ? now - start : 0, age), spans[i].pid, spans[i].tid,
                       spans[i].name);
        error = open->print(open->context, line);
    }
    return error;
}
