/* SPDX-License-Identifier: MIT */
/*
 * Test of error codes: the kernel, cairn's two backends and `cairn run` are asked to do the same
 * things, and the codes compared. For each mistake in the table of docs/errors.md the codes are
 * those of the table; for some ten thousand other cases they are equal, unless a row of the table
 * explains the difference. The program `kernel_codes` runs the cases (codes.h).
 *
 * In the guest the kernel is asked, and kernel_codes.txt must contain its codes; because every
 * instruction is emulated there, the sides that need no kernel run the short lists only. Outside a
 * guest they run all lists, and are compared with kernel_codes.txt.
 */
#include "guest.h"

#include "tracing_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CODES_ALL   " mistakes commands writes lines deletes structs files"
#define CODES_SHORT " mistakes structs files"
#define BY_LIBRARY  CAIRN_PROGRAM " run -q --backend=local --transport=preload -- "
#define BY_MOUNT    CAIRN_PROGRAM " run -q --backend=local --transport=mount --no-accelerator -- "
#define FASTER      CAIRN_PROGRAM " run -q --backend=local --transport=mount -- "

/* An implementation of user_events. */
static const struct side {
    const char *name;
    size_t column; /* of the table */
    const char *command;
    const char *lists;
    const char *lists_in_guest;
} kernel = {"the kernel", 1, CODES_PROGRAM " calls", CODES_ALL, CODES_ALL},
  others[] = {
      {"kernel backend", 2, CODES_PROGRAM " kernel", "", CODES_ALL},
      {"local engine", 3, CODES_PROGRAM " local", CODES_ALL, CODES_SHORT},
      {"by a library", 5, BY_LIBRARY CODES_PROGRAM " calls", CODES_ALL, CODES_SHORT},
      {"by a library, the first design", 5, BY_LIBRARY CODES_PROGRAM " first", " commands writes",
       ""},
      {"by a mount", 4, BY_MOUNT CODES_PROGRAM " calls", CODES_ALL, ""},
      {"by a mount, the first design", 4, BY_MOUNT CODES_PROGRAM " first", " commands writes", ""},
      {"by a mount and accelerator", 4, FASTER CODES_PROGRAM " calls", CODES_ALL, ""},
};
enum { BACKEND, LOCAL, LIBRARY, LIBRARY_FIRST, MOUNT, MOUNT_FIRST, FASTER_MOUNT, OTHERS };

struct line {
    char *what;
    char *code;
    char *rows; /* each row ends with a semicolon, except the last */
};

struct answers {
    struct line *lines; /* NULL: not asked */
    size_t count;
};

static struct answers of_kernel;
static struct answers of_others[OTHERS];
static char page[65536];
static bool has_kernel;

/* ---- running the cases ---- */

static void add_line(struct answers *answers, const char *text)
{
    struct line line = {.what = strdup(text)};

    line.code = strchr(line.what, '\t');
    assert_non_null(line.code);
    *line.code++ = '\0';
    line.rows = strchr(line.code, '\t');
    assert_non_null(line.rows);
    *line.rows++ = '\0';
    line.rows[strcspn(line.rows, "\n")] = '\0';
    answers->lines = realloc(answers->lines, (answers->count + 1) * sizeof(line));
    assert_non_null(answers->lines);
    answers->lines[answers->count++] = line;
}

static void ask(const struct side *side, struct answers *answers)
{
    const char *lists = has_kernel ? side->lists_in_guest : side->lists;
    char command[1024];
    char *text = NULL;
    size_t capacity = 0;
    FILE *said;

    if (!*lists)
        return;
    (void)snprintf(command, sizeof(command), "%s%s", side->command, lists);
    assert_int_equal(tracing_dir_make(), 0);
    said = popen(command, "r");
    assert_non_null(said);
    while (getline(&text, &capacity, said) > 0)
        add_line(answers, text);
    free(text);
    assert_int_equal(pclose(said), 0);
    tracing_dir_remove();
}

/* ---- the table ---- */

/* Compares a cell of a row of the page, without its spaces and quotes. */
static bool cell_is(const char *row, size_t column, const char *text)
{
    size_t length = strcspn(text, " ");

    for (size_t i = 0; i <= column && row; i++)
        row = strchr(row + (i > 0), '|');
    if (!row)
        return false;
    row += 1 + strspn(row + 1, " ");
    if (column)
        row += *row == '`';
    else
        length = strlen(text);
    return !strncmp(row, text, length) && strchr("`( |", row[length]);
}

/* "any": the code depends on the machine. */
static bool cell_allows(const char *row, size_t column, const char *code)
{
    return cell_is(row, column, code) || cell_is(row, column, "any");
}

/* The row of a mistake, or NULL. */
static const char *row_of(const char *mistake)
{
    for (const char *row = page; row; row = strchr(row, '\n')) {
        row += *row == '\n';
        if (*row == '|' && cell_is(row, 0, mistake))
            return row;
    }
    return NULL;
}

/* Number of rows of the table. */
static size_t count_rows(void)
{
    const char *row = row_of("mistake");
    size_t rows = 0;

    assert_non_null(row);
    row = strchr(strchr(row, '\n') + 1, '\n'); /* after the line of dashes */
    for (; row && row[1] == '|'; row = strchr(row + 1, '\n'))
        rows++;
    return rows;
}

static bool is_mistake(const struct line *line)
{
    return !strncmp(line->what, "mistake: ", 9);
}

static int check_mistakes(const struct side *side, const struct answers *answers)
{
    int wrong = 0;

    for (size_t i = 0; i < answers->count; i++) {
        const struct line *line = &answers->lines[i];
        const char *row = row_of(line->rows);

        if (!is_mistake(line) || (row && cell_allows(row, side->column, line->code)))
            continue;
        print_message("# %s: %s: %s%s\n", line->rows, side->name, line->code,
                      row ? "" : " (not in the table)");
        wrong++;
    }
    return wrong;
}

static size_t count_mistakes(const struct answers *answers)
{
    size_t count = 0;

    for (size_t i = 0; i < answers->count; i++)
        count += is_mistake(&answers->lines[i]);
    return count;
}

/* Prints all differences before it fails. */
static void every_code_is_in_the_table(void **state)
{
    int wrong = check_mistakes(&kernel, &of_kernel);

    (void)state;
    for (size_t i = 0; i < OTHERS; i++)
        wrong += check_mistakes(&others[i], &of_others[i]);
    if (of_kernel.lines)
        assert_int_equal(count_rows(), count_mistakes(&of_kernel));
    assert_int_equal(wrong, 0);
}

/* ---- the lists ---- */

/* "0 the same" has more detail than "0"; "-" matches everything. */
static bool are_equal(const char *a, const char *b)
{
    size_t length = strcspn(a, " ");

    if (!strcmp(a, "-") || !strcmp(b, "-"))
        return true;
    if (a[length] && strchr(b, ' '))
        return !strcmp(a, b);
    return length == strcspn(b, " ") && !strncmp(a, b, length);
}

/* True if one of the rows of a line contains both codes. */
static bool is_explained(const struct side *side, const struct line *line, const char *right)
{
    char rows[512];
    char *rest = rows;

    (void)snprintf(rows, sizeof(rows), "%s", line->rows);
    for (const char *name; (name = strsep(&rest, ";"));) {
        const char *row = *name ? row_of(name) : NULL;

        if (row && cell_is(row, 1, right) && cell_allows(row, side->column, line->code))
            return true;
    }
    return false;
}

/* A cell of the second table contains the code; sizes are 0 there. */
static bool cell_has(const char *row, size_t column, const char *code)
{
    size_t length = *code >= '0' && *code <= '9' ? 1 : strlen(code);

    for (size_t i = 0; i <= column && row; i++)
        row = strchr(row + (i > 0), '|');
    for (row += row != NULL; row && *row && *row != '|'; row++) {
        if ((!strncmp(row, code, length) || (length == 1 && *row == '0')) &&
            strchr("`, ", row[-1]) && strchr("`, ", row[length]))
            return true;
    }
    return false;
}

/* True if a row of the second table, which is of calls by a transport, explains the code. The calls
 * of files are not compared with a library's: those that it does not serve are of a memory file. */
static bool is_explained_by_transport(const struct side *side, const struct line *line)
{
    const size_t column = side == &others[FASTER_MOUNT] ? 2 : side->column == 4 ? 1 : 3;
    const char *row = strstr(page, "\n| call |");

    if (side->column < 4)
        return false;
    if (column == 3 && !strncmp(line->what, "file: ", 6))
        return true;
    while (row && row[1] == '|') {
        char name[64];

        (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(row + 3, "|") - 1, row + 3);
        if (strstr(line->what, name) && cell_has(row + 1, column, line->code))
            return true;
        row = strchr(row + 1, '\n');
    }
    return false;
}

/* A side may run fewer cases than the kernel, but in the same order. */
static int compare(const struct side *side, const struct answers *answers)
{
    size_t at = 0;
    int wrong = 0;

    for (size_t i = 0; i < answers->count; i++, at++) {
        const struct line *line = &answers->lines[i];

        while (at < of_kernel.count && strcmp(of_kernel.lines[at].what, line->what) != 0)
            at++;
        if (at == of_kernel.count)
            fail_msg("%s does what the kernel was not asked: %s", side->name, line->what);
        if (are_equal(of_kernel.lines[at].code, line->code) ||
            is_explained_by_transport(side, line) ||
            is_explained(side, line, of_kernel.lines[at].code))
            continue;
        print_message("# %s: %s: %s, the kernel: %s\n", line->what, side->name, line->code,
                      of_kernel.lines[at].code);
        wrong++;
    }
    return wrong;
}

static void each_side_returns_the_codes_of_the_kernel(void **state)
{
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < OTHERS; i++)
        wrong += compare(&others[i], &of_others[i]);
    assert_int_equal(wrong, 0);
}

/* ---- the stored codes ---- */

/* kernel_codes.txt: a line "LETTER CODE" for each code, an empty one, and a letter for each answer.
 */
struct letters {
    const char *codes[128];
    const char *answers;
};

static char written_text[65536];

static void read_letters(struct letters *letters)
{
    char *at = written_text;

    (void)snprintf(written_text, sizeof(written_text), "%s", guest_read(CODES_WRITTEN));
    *letters = (struct letters){0};
    while (*at && *at != '\n') {
        char *end = at + strcspn(at, "\n");

        assert_true(*end && at[0] > 0 && at[1] == ' ');
        *end = '\0';
        letters->codes[(int)at[0]] = at + 2;
        at = end + 1;
    }
    letters->answers = at;
}

/* Returns the next answer, or NULL. */
static const char *next_answer(struct letters *letters)
{
    letters->answers += strspn(letters->answers, "\n");
    return *letters->answers > 0 ? letters->codes[(int)*letters->answers++] : NULL;
}

static void the_stored_codes_are_those_of_the_kernel(void **state)
{
    struct letters letters;
    const char *code;

    (void)state;
    read_letters(&letters);
    for (size_t i = 0; i < of_kernel.count; i++) {
        code = next_answer(&letters);
        assert_non_null(code);
        if (strcmp(code, of_kernel.lines[i].code) != 0)
            fail_msg("%s: %s, not %s", of_kernel.lines[i].what, of_kernel.lines[i].code, code);
    }
    assert_null(next_answer(&letters));
}

/* Loads the kernel's codes for the cases that `cairn run` was asked. */
static void recall_kernel(void)
{
    const struct answers *asked = &of_others[LIBRARY];
    struct letters letters;

    read_letters(&letters);
    for (size_t i = 0; i < asked->count; i++) {
        const char *code = next_answer(&letters);
        char text[8192];

        assert_non_null(code);
        (void)snprintf(text, sizeof(text), "%s\t%s\t%s", asked->lines[i].what, code,
                       asked->lines[i].rows);
        add_line(&of_kernel, text);
    }
    assert_null(next_answer(&letters));
}

/* Stores the kernel's codes in the file with this name. */
static void write_down(const char *path)
{
    const char *codes[64] = {0};
    FILE *file = fopen(path, "we");
    size_t count = 0;

    assert_non_null(file);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < of_kernel.count; i++) {
            size_t j = 0;

            while (j < count && strcmp(codes[j], of_kernel.lines[i].code) != 0)
                j++;
            assert_true(j < 64);
            if (j == count) {
                codes[count++] = of_kernel.lines[i].code;
                fprintf(file, "%c %s\n", (char)('0' + j), codes[j]);
            } else if (pass) {
                fprintf(file, "%c%s", (char)('0' + j), i % 120 == 119 ? "\n" : "");
            }
        }
        (void)fputc('\n', file);
    }
    fclose(file);
}

/* ---- */

static bool can_mount(void)
{
    bool can;

    assert_int_equal(tracing_dir_make(), 0);
    can = !system(BY_MOUNT "true 2>/dev/null");
    tracing_dir_remove();
    return can;
}

static int set_up(void **state)
{
    const char *path = getenv("CAIRN_WRITE_CODES_TO");

    (void)state;
    (void)snprintf(page, sizeof(page), "%s", guest_read(ERRORS_PAGE));
    if (has_kernel)
        ask(&kernel, &of_kernel);
    ask(&others[BACKEND], &of_others[BACKEND]);
    ask(&others[LOCAL], &of_others[LOCAL]);
    for (size_t i = LIBRARY; CODES_BY_RUN && i < OTHERS; i++) {
        if (i < MOUNT || can_mount())
            ask(&others[i], &of_others[i]);
    }
    if (!has_kernel && CODES_BY_RUN)
        recall_kernel();
    if (has_kernel && path)
        write_down(path);
    return 0;
}

static void free_answers(struct answers *answers)
{
    for (size_t i = 0; i < answers->count; i++)
        free(answers->lines[i].what);
    free(answers->lines);
}

static int tear_down(void **state)
{
    (void)state;
    free_answers(&of_kernel);
    for (size_t i = 0; i < OTHERS; i++)
        free_answers(&of_others[i]);
    return 0;
}

int main(void)
{
    const struct CMUnitTest with_kernel[] = {
        cmocka_unit_test(every_code_is_in_the_table),
        cmocka_unit_test(each_side_returns_the_codes_of_the_kernel),
        cmocka_unit_test(the_stored_codes_are_those_of_the_kernel),
    };
    const struct CMUnitTest without[] = {
        cmocka_unit_test(every_code_is_in_the_table),
        cmocka_unit_test(each_side_returns_the_codes_of_the_kernel),
    };
    const struct CMUnitTest of_engine_alone[] = {
        cmocka_unit_test(every_code_is_in_the_table),
    };

    has_kernel = access(TRACING "/user_events_data", W_OK) == 0;
    if (has_kernel)
        return cmocka_run_group_tests(with_kernel, set_up, tear_down);
    if (CODES_BY_RUN)
        return cmocka_run_group_tests(without, set_up, tear_down);
    return cmocka_run_group_tests(of_engine_alone, set_up, tear_down);
}
