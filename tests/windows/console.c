/* SPDX-License-Identifier: MIT */
/* The lines of CAIRN_LOG on a console of Windows: UTF-16, and colours if the console shows them.
 * The console is that of the functions below. */
#include <cairn/tracing.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static wchar_t shown[0x20000];
static size_t shown_units;
static BOOL is_console = TRUE;
static BOOL has_colours = TRUE;
static DWORD console_mode = 3;
static DWORD units_at_once = 0x10000;

static BOOL WINAPI get_mode(HANDLE handle, LPDWORD mode)
{
    (void)handle;
    *mode = console_mode;
    return is_console;
}

static BOOL WINAPI set_mode(HANDLE handle, DWORD mode)
{
    (void)handle;
    if (has_colours)
        console_mode = mode;
    return has_colours;
}

static BOOL WINAPI write_units(HANDLE handle, const void *units, DWORD count, LPDWORD written,
                               LPVOID unused)
{
    (void)handle;
    (void)unused;
    *written = count < units_at_once ? count : units_at_once;
    if (count > 0x10000 || shown_units + count > sizeof(shown) / sizeof(*shown))
        return FALSE;
    memcpy(shown + shown_units, units, *written * sizeof(*shown));
    shown_units += *written;
    return TRUE;
}

/* The library calls through these pointers. */
PVOID __imp_GetConsoleMode = (PVOID)get_mode;
PVOID __imp_SetConsoleMode = (PVOID)set_mode;
PVOID __imp_WriteConsoleW = (PVOID)write_units;

static int failures;

static void check(int is_true, int line, const char *text)
{
    if (is_true)
        return;
    failures++;
    printf("line %d: %s\n", line, text);
}
#define CHECK(condition) check(!!(condition), __LINE__, #condition)

static int is_shown(const wchar_t *text)
{
    shown[shown_units] = 0;
    return wcsstr(shown, text) != NULL;
}

static struct cairn_layer *make_layer(struct cairn_subscriber **ret_subscriber)
{
    struct cairn_layer *layer = NULL;

    shown_units = 0;
    CHECK(!cairn_subscriber_create(ret_subscriber) && !cairn_stderr_layer_create(NULL, &layer));
    CHECK(!cairn_subscriber_add(*ret_subscriber, layer, NULL));
    CHECK(!cairn_subscriber_set_global(*ret_subscriber));
    return layer;
}

static void end_layer(struct cairn_subscriber *subscriber)
{
    CHECK(!cairn_subscriber_set_global(NULL) && !cairn_subscriber_destroy(subscriber));
}

static void text_is_utf_16(void)
{
    struct cairn_subscriber *subscriber;

    make_layer(&subscriber);
    CAIRN_INFO((kv("price", "3 \xe2\x82\xac")), "\xf0\x9f\x98\x80");
    CHECK(is_shown(L"3 \x20ac") && is_shown(L"\xd83d\xde00") && shown[shown_units - 1] == L'\n');
    CHECK(is_shown(L"\x1b[") && console_mode == 7);
    end_layer(subscriber);
}

/* Characters that are split over calls would become U+FFFD. */
static void long_lines_are_whole(void)
{
    static char text[3 * 4000 + 1];
    struct cairn_subscriber *subscriber;
    size_t found = 0;

    for (size_t i = 0; i < 4000; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3);
    make_layer(&subscriber);
    units_at_once = 1000;
    CAIRN_INFO((kv("text", text)), "long");
    units_at_once = 0x10000;
    for (size_t i = 0; i < shown_units; i++) {
        found += shown[i] == 0x20ac;
        CHECK(shown[i] != 0xfffd);
    }
    CHECK(found == 4000 && shown[shown_units - 1] == L'\n' && !cairn_tracing_lost());
    end_layer(subscriber);
}

static void no_colours_without_them(void)
{
    struct cairn_subscriber *subscriber;

    console_mode = 3;
    has_colours = FALSE;
    make_layer(&subscriber);
    CAIRN_INFO((kv("a", 1)), "plain");
    CHECK(is_shown(L"plain") && !is_shown(L"\x1b["));
    end_layer(subscriber);
    has_colours = TRUE;
    CHECK(!_putenv("NO_COLOR=1"));
    make_layer(&subscriber);
    CAIRN_INFO((kv("a", 1)), "plain");
    CHECK(is_shown(L"plain") && !is_shown(L"\x1b["));
    end_layer(subscriber);
    CHECK(!_putenv("NO_COLOR="));
}

/* A file gets the bytes as they are, without colours. */
static void files_get_utf_8(void)
{
    struct cairn_subscriber *subscriber;

    is_console = FALSE;
    make_layer(&subscriber);
    CAIRN_INFO((kv("price", "3 \xe2\x82\xac")), "to a file");
    CHECK(!shown_units);
    end_layer(subscriber);
}

int main(void)
{
    text_is_utf_16();
    long_lines_are_whole();
    no_colours_without_them();
    files_get_utf_8();
    printf(failures ? "%d failures\n" : "all as expected\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
