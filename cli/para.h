/* SPDX-License-Identifier: BSD-2-Clause */
/* Text in lines of the screen's width. */
#ifndef RDT_CLI_PARA_H
#define RDT_CLI_PARA_H

#include <stdio.h>

/*
 * Print text after what already stands in the line: column is where that ended. Words that do not
 * fit before width (0: no limit) go to a new line that begins at indent. Ends with a newline.
 * Two spaces in a row and a newline in text are kept.
 */
void para_print(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width);

/* The same without the newline at the end. */
void para_put(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width);

#endif
