/* SPDX-License-Identifier: MIT */
/* Parses lines of the kernel's trace file. */
#include "decode/text_line.h"

#include "core/slice.h"
#include "decode/ring_page.h"

#include <string.h>

#define NAME_AT       16u  /* the width of a thread's name */
#define HEAD_MAX      128u /* before the CPU: a name, and the numbers of thread and group */
#define NS_PER_SECOND UINT64_C(1000000000)

static void skip(struct cairn_slice *rest, uint32_t count)
{
    rest->text += count;
    rest->length -= count;
}

static void skip_blanks(struct cairn_slice *rest)
{
    while (rest->length && *rest->text == ' ')
        skip(rest, 1);
}

static bool take_char(struct cairn_slice *rest, char c)
{
    if (!rest->length || *rest->text != c)
        return false;
    skip(rest, 1);
    return true;
}

static bool is_digit(const struct cairn_slice *rest)
{
    return rest->length && *rest->text >= '0' && *rest->text <= '9';
}

/* Digits. False: there are none, or too many. */
static bool take_number(struct cairn_slice *rest, uint64_t *ret_number)
{
    uint64_t number = 0;

    if (!is_digit(rest))
        return false;
    for (; is_digit(rest); skip(rest, 1)) {
        if (number > UINT64_MAX / 10 - 1)
            return false;
        number = 10 * number + (uint64_t)(*rest->text - '0');
    }
    *ret_number = number;
    return true;
}

static bool take_u32(struct cairn_slice *rest, uint32_t *ret_number)
{
    uint64_t number;

    if (!take_number(rest, &number) || number > UINT32_MAX)
        return false;
    *ret_number = (uint32_t)number;
    return true;
}

static bool ends_with(struct cairn_slice text, char c)
{
    return text.length && text.text[text.length - 1] == c;
}

static struct cairn_slice without_blanks_at_end(struct cairn_slice text)
{
    while (ends_with(text, ' '))
        text.length--;
    return text;
}

/* Removes the thread group at the end of a text, if there is one, and the blanks around it. */
static struct cairn_slice without_group(struct cairn_slice text)
{
    struct cairn_slice group = without_blanks_at_end(text);

    if (!ends_with(group, ')'))
        return group;
    while (group.length && !ends_with(group, '('))
        group.length--;
    return without_blanks_at_end(core_slice_first(group, group.length ? group.length - 1 : 0));
}

/* "bash-1977", before a '[' that may be that of the CPU. The name may have any characters. */
static bool take_thread(struct cairn_slice *rest, uint32_t bracket, struct decode_text_line *line)
{
    struct cairn_slice thread = without_group(core_slice_first(*rest, bracket));
    struct cairn_slice name = thread;
    bool has_blank = thread.length < bracket && rest->text[thread.length] == ' ';

    while (name.length && core_is_digit(name.text[name.length - 1]))
        name.length--;
    if (!has_blank || name.length < 2 || !ends_with(name, '-'))
        return false;
    skip(rest, name.length);
    name.length--;
    skip_blanks(&name);
    line->comm = name;
    return take_u32(rest, &line->tid);
}

/* "(   1977)", or "(-------)" if it is unknown. */
static bool take_group(struct cairn_slice *rest, struct decode_text_line *line)
{
    uint32_t end = core_slice_find(*rest, ')');

    if (end == rest->length)
        return false;
    skip(rest, 1);
    skip_blanks(rest);
    line->has_pid = take_u32(rest, &line->pid);
    skip(rest, core_slice_find(*rest, ')'));
    return take_char(rest, ')');
}

static bool take_cpu(struct cairn_slice *rest, struct decode_text_line *line)
{
    skip_blanks(rest);
    if (rest->length && *rest->text == '(' && !take_group(rest, line))
        return false;
    skip_blanks(rest);
    if (!take_char(rest, '[') || !take_u32(rest, &line->cpu) || !take_char(rest, ']'))
        return false;
    skip_blanks(rest);
    if (!is_digit(rest) || core_slice_find(*rest, ' ') < core_slice_find(*rest, ':')) /* flags */
        skip(rest, core_slice_find(*rest, ' '));
    skip_blanks(rest);
    return true;
}

/* "3889.993472", or a number of another clock. */
static bool take_time(struct cairn_slice *rest, struct decode_text_line *line)
{
    uint64_t unit = NS_PER_SECOND;

    if (!take_number(rest, &line->time_ns))
        return false;
    if (!take_char(rest, '.'))
        return take_char(rest, ':');
    if (!is_digit(rest) || line->time_ns > UINT64_MAX / NS_PER_SECOND - 1)
        return false;
    line->time_ns *= NS_PER_SECOND;
    for (; is_digit(rest); skip(rest, 1)) {
        unit /= 10;
        line->time_ns += unit * (uint64_t)(*rest->text - '0');
    }
    return take_char(rest, ':');
}

/* Events of the kernel's own that have no name in the text: stacks, and calls of functions. */
static bool take_nameless(struct cairn_slice rest, struct decode_text_line *line)
{
    bool is_of_kernel = core_slice_is(rest, "<stack trace>");

    line->is_stack = is_of_kernel || core_slice_is(rest, "<user stack trace>");
    if (line->is_stack) {
        line->name = is_of_kernel ? (struct cairn_slice){"kernel_stack", 12}
                                  : (struct cairn_slice){"user_stack", 10};
    } else {
        line->name = (struct cairn_slice){"function", 8}; /* "do_exit <-do_group_exit" */
        line->text = rest;
    }
    return rest.length;
}

/* The thread, the CPU and the time. A name may have a '[', too: the first one that fits counts. */
static bool take_head(struct cairn_slice *rest, struct decode_text_line *line)
{
    uint32_t end = rest->length < HEAD_MAX ? rest->length : HEAD_MAX;

    for (uint32_t n = 0; n < end; n++) {
        struct cairn_slice after = *rest;
        struct decode_text_line tried = *line;

        if (rest->text[n] == '[' && take_thread(&after, n, &tried) && take_cpu(&after, &tried) &&
            take_time(&after, &tried)) {
            *rest = after;
            *line = tried;
            return true;
        }
    }
    return false;
}

static bool take_event(struct cairn_slice rest, struct decode_text_line *line)
{
    uint32_t colon;

    if (!take_head(&rest, line))
        return false;
    skip_blanks(&rest);
    colon = core_slice_find(rest, ':');
    line->name = core_slice_first(rest, colon);
    if (!colon || colon == rest.length || core_slice_find(line->name, ' ') < colon)
        return take_nameless(rest, line);
    skip(&rest, colon + 1);
    take_char(&rest, ' ');
    line->text = rest;
    return true;
}

/* "CPU:1 [LOST 17 EVENTS]"; a number that is not known counts as 1. */
static bool take_lost(struct cairn_slice rest, struct decode_text_line *line)
{
    static const char begin[] = "CPU:";
    static const char middle[] = " [LOST ";

    if (rest.length < sizeof(begin) || memcmp(rest.text, begin, sizeof(begin) - 1) != 0)
        return false;
    skip(&rest, sizeof(begin) - 1);
    if (!take_u32(&rest, &line->cpu) || rest.length < sizeof(middle) ||
        memcmp(rest.text, middle, sizeof(middle) - 1) != 0)
        return false;
    skip(&rest, sizeof(middle) - 1);
    if (!take_number(&rest, &line->lost) || line->lost > DECODE_LOST_MAX)
        line->lost = 1;
    return true;
}

bool decode_text_is_trace(const uint8_t begin[DECODE_TEXT_MAGIC_BYTES])
{
    static const char comment[] = "# tracer: ";
    struct cairn_slice first = {(const char *)begin, DECODE_TEXT_MAGIC_BYTES};
    struct decode_text_line line;

    if (!memcmp(begin, comment, sizeof(comment) - 1) || take_lost(first, &line))
        return true;
    for (size_t n = 0; n < NAME_AT; n++) { /* a name may have bytes that are not ASCII */
        if (begin[n] < ' ' || begin[n] == 0x7f)
            return false;
    }
    return begin[NAME_AT] == '-' && begin[NAME_AT + 1] >= '0' && begin[NAME_AT + 1] <= '9';
}

/*
 * "# entries-in-buffer/entries-written: 232/15773   #P:2", of all CPUs: the others were
 * overwritten. Counts nothing of other comments.
 */
static void take_overwritten(struct cairn_slice rest, struct decode_text_line *line)
{
    static const char begin[] = "# entries-in-buffer/entries-written: ";
    uint64_t kept;
    uint64_t written;

    if (rest.length < sizeof(begin) || memcmp(rest.text, begin, sizeof(begin) - 1) != 0)
        return;
    skip(&rest, sizeof(begin) - 1);
    if (take_number(&rest, &kept) && take_char(&rest, '/') && take_number(&rest, &written) &&
        written > kept && written <= DECODE_LOST_MAX)
        line->lost = written - kept;
}

void decode_text_line_parse(struct cairn_slice line, struct decode_text_line *ret_line)
{
    *ret_line = (struct decode_text_line){.kind = DECODE_TEXT_OTHER};
    while (line.length && (line.text[line.length - 1] == '\r' || line.text[line.length - 1] == ' '))
        line.length--;
    if (!line.length || *line.text == '#') {
        ret_line->kind = DECODE_TEXT_COMMENT;
        take_overwritten(line, ret_line);
    } else if (take_event(line, ret_line)) {
        ret_line->kind = DECODE_TEXT_EVENT;
    } else if (take_lost(line, ret_line)) {
        ret_line->kind = DECODE_TEXT_LOST;
    }
}
