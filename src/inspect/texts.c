/* SPDX-License-Identifier: MIT */
/* Texts for people: causes of losses, numbers, sizes. */
#include <cairn/inspect.h>
#include <stdio.h>
#include <string.h>

const char *cairn_loss_text(enum cairn_loss cause)
{
    static const char *const texts[CAIRN_LOSS_CAUSES] = {
        [CAIRN_LOSS_FULL] = "their buffer was full. Use a larger --buffer-size.",
        [CAIRN_LOSS_NESTED] = "too many signal handlers interrupted each other",
        [CAIRN_LOSS_TOO_LARGE] = "they are larger than a record can be",
        [CAIRN_LOSS_PERMISSION] = "their program has no permission to use the tracing directory",
        [CAIRN_LOSS_LIMIT] =
            "their program reached one of its limits (RLIMIT_NOFILE, RLIMIT_FSIZE, "
            "RLIMIT_AS)",
        [CAIRN_LOSS_STORAGE] = "the file system of the tracing directory is full",
        [CAIRN_LOSS_UNREACHABLE] = "their program cannot find the tracing directory (chroot, "
                                   "another container, or it was removed)",
        [CAIRN_LOSS_OTHER] = "the cause is unknown",
    };

    return texts[cause < CAIRN_LOSS_CAUSES ? cause : CAIRN_LOSS_OTHER];
}

const char *cairn_number_text(uint64_t number, char text[CAIRN_NUMBER_TEXT_BYTES])
{
    char *at = text + CAIRN_NUMBER_TEXT_BYTES;
    int digits = 0;

    *--at = 0;
    do {
        if (digits && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + number % 10);
        digits++;
    } while (number /= 10);
    return memmove(text, at, (size_t)(text + CAIRN_NUMBER_TEXT_BYTES - at));
}

const char *cairn_size_text(uint64_t bytes, char text[CAIRN_NUMBER_TEXT_BYTES])
{
    static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;

    while (value >= 1000 && unit < sizeof(units) / sizeof(*units) - 1) {
        value /= 1000;
        unit++;
    }
    (void)snprintf(text, CAIRN_NUMBER_TEXT_BYTES, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
    return text;
}
