/* SPDX-License-Identifier: BSD-2-Clause */
/* From the command line to struct cli_opts. Rows stand in options.def. */
#ifndef RDMA_TRACE_OPTIONS_H
#define RDMA_TRACE_OPTIONS_H

#include "cli.h"

/*
 * Parse argv (argv[0] is the program or the command, not looked at) for a command.
 *
 * Returns -1 when the command shall run; else the program shall exit with that code: the message,
 * the help or the version was printed. *ret_opts is filled in the first case.
 */
int options_parse(const struct rdt_cmd *cmd, int argc, char **argv, struct cli_opts *ret_opts);

/* One line an option, for the tests of the man page and the completion. */
void options_dump(FILE *out);

/* Free what options_parse() allocated. */
void options_free(struct cli_opts *opts);

/* --version (main.c). */
void cli_version(FILE *out);

/* Decided once, by output.c: where data goes, how wide and how colourful the terminal is. */
int output_open(struct cli_opts *opts, const char *color);

#endif
