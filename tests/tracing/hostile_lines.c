/* SPDX-License-Identifier: MIT */
/*
 * A program that writes a line for each text of standard input, which ends at a NUL: the text is a
 * message, a value, and a value of the enclosing span. usage: hostile_lines human|compact|json
 */
#include <cairn/tracing.h>

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void trace(const char *text, size_t length)
{
    CAIRN_SCOPE(INFO, "span", kv("text", cairn_string(text, length)));
    CAIRN_INFO((kv("value", text), kv("bytes", cairn_bytes(text, length)), kv("c", text[0]),
                kv("half", 0.5)),
               "%s", text);
}

static int run(const char *style)
{
    const struct cairn_stderr_options options = {
        .size = sizeof(options),
        .fd = STDOUT_FILENO,
        .style = !strcmp(style, "json")      ? CAIRN_STDERR_JSON
                 : !strcmp(style, "compact") ? CAIRN_STDERR_COMPACT
                                             : CAIRN_STDERR_HUMAN,
    };
    struct cairn_subscriber *subscriber;
    struct cairn_layer *layer;
    char *text = NULL;
    size_t capacity = 0;

    if (cairn_stderr_layer_create(&options, &layer) || cairn_subscriber_create(&subscriber) ||
        cairn_subscriber_add(subscriber, layer, NULL) || cairn_subscriber_set_global(subscriber))
        return 1;
    for (ssize_t length; (length = getdelim(&text, &capacity, '\0', stdin)) > 0;)
        trace(text, (size_t)length - 1);
    free(text);
    return cairn_subscriber_set_global(NULL) || cairn_subscriber_destroy(subscriber);
}

int main(int argc, char **argv)
{
    (void)setlocale(LC_ALL, "");
    return argc == 2 ? run(argv[1]) : 2;
}
