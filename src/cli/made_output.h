/* SPDX-License-Identifier: MIT */
/* The output of a verb that makes a recording of others. */
#ifndef CLI_MADE_OUTPUT_H
#define CLI_MADE_OUTPUT_H

#include "cli/record_output.h"

/*
 * Opens the output and creates its file. A signal that ends the program removes the temporary file
 * from then on. Reports errors. Returns an exit status.
 */
int cli_made_output_open(struct cli_record_output *output);

/* Empties a file that is written in place, unless it is one of the inputs. Reports errors. Returns
 * an exit status. */
int cli_made_output_empty(const struct cli_record_output *output, const char *const *inputs,
                          size_t count);

/* As cli_record_output_keep. */
void cli_made_output_keep(struct cli_record_output *output);

#endif
