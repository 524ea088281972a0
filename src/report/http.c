/* SPDX-License-Identifier: MIT */
/* Parses the heads of requests. */
#include "report/http.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* Takes a line without its end off the front. False: there is none. */
static bool take_line(struct cairn_slice *text, struct cairn_slice *ret_line)
{
    const char *end = (const char *)memchr(text->text, '\n', text->length);
    uint32_t length;

    if (!end)
        return false;
    length = (uint32_t)(end - text->text);
    *ret_line = (struct cairn_slice){text->text, length && end[-1] == '\r' ? length - 1 : length};
    text->text += length + 1;
    text->length -= length + 1;
    return true;
}

/* Takes the part before a separator off the front, and the separator. False: there is none. */
static bool take_until(struct cairn_slice *text, char separator, struct cairn_slice *ret_part)
{
    const char *end = (const char *)memchr(text->text, separator, text->length);
    uint32_t length;

    if (!end)
        return false;
    length = (uint32_t)(end - text->text);
    *ret_part = (struct cairn_slice){text->text, length};
    text->text += length + 1;
    text->length -= length + 1;
    return true;
}

static bool is_word(struct cairn_slice text, const char *word)
{
    return text.length == strlen(word) && !strncasecmp(text.text, word, text.length);
}

static bool take_number(struct cairn_slice *text, uint64_t *ret_number)
{
    uint64_t number = 0;
    uint32_t n = 0;

    for (; n < text->length && text->text[n] >= '0' && text->text[n] <= '9'; n++) {
        if (n == 18) /* more than any file has */
            return false;
        number = number * 10 + (uint64_t)(text->text[n] - '0');
    }
    text->text += n;
    text->length -= n;
    *ret_number = number;
    return n > 0;
}

/* "bytes=5-9" or "bytes=5-". Other ranges are ignored, as the standard allows. */
static void parse_range(struct cairn_slice text, struct report_http_request *request)
{
    static const char unit[] = "bytes=";
    uint64_t begin;
    uint64_t end = UINT64_MAX;

    if (text.length < sizeof(unit) - 1 || strncasecmp(text.text, unit, sizeof(unit) - 1) != 0)
        return;
    text.text += sizeof(unit) - 1;
    text.length -= sizeof(unit) - 1;
    if (!take_number(&text, &begin) || !text.length || *text.text != '-')
        return;
    text.text++;
    text.length--;
    if (text.length && (!take_number(&text, &end) || text.length || end < begin))
        return;
    request->has_range = true;
    request->range_begin = begin;
    request->range_end = end;
}

static bool parse_first_line(struct cairn_slice line, struct report_http_request *request)
{
    struct cairn_slice target;
    struct cairn_slice query;

    if (!take_until(&line, ' ', &request->method) || !take_until(&line, ' ', &target))
        return false;
    if (line.length != 8 || strncmp(line.text, "HTTP/1.", 7) != 0)
        return false;
    request->closes = line.text[7] == '0';
    query = target;
    if (!take_until(&query, '?', &request->path))
        request->path = target;
    return request->method.length && request->path.length && *request->path.text == '/';
}

static bool parse_header(struct cairn_slice line, struct report_http_request *request)
{
    struct cairn_slice name;

    if (!take_until(&line, ':', &name) || !name.length)
        return false;
    while (line.length && (*line.text == ' ' || *line.text == '\t')) {
        line.text++;
        line.length--;
    }
    if (is_word(name, "host"))
        request->host = line;
    else if (is_word(name, "range"))
        parse_range(line, request);
    else if (is_word(name, "connection"))
        request->closes = request->closes || is_word(line, "close");
    else if (is_word(name, "transfer-encoding") ||
             (is_word(name, "content-length") && !is_word(line, "0")))
        request->has_body = true;
    return true;
}

int report_http_parse(const char *text, size_t size_bytes, struct report_http_request *ret_request)
{
    struct report_http_request request = {0};
    struct cairn_slice left = {text, size_bytes < UINT32_MAX ? (uint32_t)size_bytes : UINT32_MAX};
    struct cairn_slice line;

    if (!take_line(&left, &line))
        return EAGAIN;
    if (!parse_first_line(line, &request))
        return EBADMSG;
    for (;;) {
        if (!take_line(&left, &line))
            return EAGAIN;
        if (!line.length)
            break;
        if (!parse_header(line, &request))
            return EBADMSG;
    }
    request.size_bytes = (size_t)(left.text - text);
    *ret_request = request;
    return 0;
}
