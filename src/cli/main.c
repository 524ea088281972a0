/* SPDX-License-Identifier: MIT */
/* The program cairn: finds the verb in `cairn VERB ...` and runs it. */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The table of verbs: each is the struct cli_NAME of a file. */
#define VERBS(VERB) \
    VERB(record)    \
    VERB(live)      \
    VERB(top)       \
    VERB(decode)    \
    VERB(stats)     \
    VERB(export)    \
    VERB(report)    \
    VERB(view)      \
    VERB(session)   \
    VERB(snapshot)  \
    VERB(filter)    \
    VERB(query)     \
    VERB(ask)       \
    VERB(list)      \
    VERB(register)  \
    VERB(run)       \
    VERB(mount)     \
    VERB(umount)    \
    VERB(status)    \
    VERB(events)    \
    VERB(convert)   \
    VERB(repair)    \
    VERB(cat)       \
    VERB(doctor)

#define DECLARE(name) extern const struct cli_verb cli_##name;
#define ADDRESS(name) &cli_##name,

VERBS(DECLARE)

static const struct cli_verb *const verbs[] = {VERBS(ADDRESS) NULL};

static void print_verbs(FILE *to)
{
    fputs("usage: cairn VERB [options]\n\n", to);
    for (size_t i = 0; verbs[i]; i++)
        fprintf(to, "  %-8s  %s\n", verbs[i]->name, verbs[i]->summary);
    fputs("\ncairn VERB --help prints a verb's options, cairn --version the version.\n", to);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
    return !strcmp(word, a) || !strcmp(word, b);
}

/* Fails if the output could not be written, to a full disk for example. */
static int finish(int status)
{
    if (!fflush(stdout) && !ferror(stdout))
        return status;
    fprintf(stderr, "cairn: cannot write standard output: %s\n", strerror(errno));
    return status ? status : CLI_FAILED;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_verbs(stderr);
        return CLI_USAGE;
    }
    if (is_one_of(argv[1], "--help", "-h") || is_one_of(argv[1], "help", "help")) {
        print_verbs(stdout);
        return CLI_OK;
    }
    if (is_one_of(argv[1], "--version", "-V")) {
        puts("cairn " CAIRN_VERSION);
        return CLI_OK;
    }
    for (size_t i = 0; verbs[i]; i++) {
        if (!strcmp(argv[1], verbs[i]->name))
            return verbs[i]->run(verbs[i], argc - 1, argv + 1);
    }
    fprintf(stderr, "cairn: no such verb: %s\n", argv[1]);
    print_verbs(stderr);
    return CLI_USAGE;
}

/*
 * Fills closed standard descriptors: a file that is opened later must not get such a number, since
 * messages would be written to it. Reading from a closed standard input, and writing to a closed
 * standard output, still fail.
 */
static void fill_standard_descriptors(void)
{
    static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};

    for (int fd = 0; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
            return;
    }
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    return finish(run(argc, argv));
}
