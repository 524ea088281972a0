/* SPDX-License-Identifier: MIT */
/* Creates the output of cairn cat, convert and repair, and removes it if a signal ends them. */
#include "cli/made_output.h"

#include "cli/inputs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGXFSZ};

/* For the signal handler: the file to be removed; "": none. */
static char temporary[PATH_MAX];

static void remove_temporary(int number)
{
    if (temporary[0])
        (void)unlink(temporary);
    (void)raise(number); /* SA_RESETHAND: it ends the program when this function returns */
}

/* A signal that is ignored stays ignored. */
static void catch_signals(void)
{
    const struct sigaction action = {.sa_handler = remove_temporary, .sa_flags = (int)SA_RESETHAND};
    struct sigaction former;

    for (size_t n = 0; n < sizeof(ending_signals) / sizeof(*ending_signals); n++) {
        if (!sigaction(ending_signals[n], NULL, &former) && former.sa_handler == SIG_DFL)
            (void)sigaction(ending_signals[n], &action, NULL);
    }
}

int cli_made_output_open(struct cli_record_output *output)
{
    sigset_t ending;
    sigset_t former;
    int status = cli_record_output_open(output);

    if (status)
        return status;
    sigemptyset(&ending);
    for (size_t n = 0; n < sizeof(ending_signals) / sizeof(*ending_signals); n++)
        sigaddset(&ending, ending_signals[n]);
    (void)sigprocmask(SIG_BLOCK, &ending, &former);
    status = cli_record_output_create(output);
    if (!status && output->temporary && strlen(output->temporary) < sizeof(temporary)) {
        memcpy(temporary, output->temporary, strlen(output->temporary) + 1);
        catch_signals();
    }
    (void)sigprocmask(SIG_SETMASK, &former, NULL);
    return status;
}

int cli_made_output_empty(const struct cli_record_output *output, const char *const *inputs,
                          size_t count)
{
    int err = output->mode == CAIRN_PERF_FILE && !output->temporary
                  ? cli_paths_empty(inputs, count, output->fd)
                  : 0;

    if (err)
        cli_error(output->verb, "cannot write %s: %s", output->path, cli_paths_error(err));
    return err ? CLI_FAILED : CLI_OK;
}

void cli_made_output_keep(struct cli_record_output *output)
{
    temporary[0] = 0;
    cli_record_output_keep(output);
}
