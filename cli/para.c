// SPDX-License-Identifier: BSD-2-Clause
#include "para.h"

#include <string.h>

/* Columns of len bytes of UTF-8. */
static unsigned columns(const char *text, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

static unsigned new_line(FILE *out, unsigned indent)
{
	fprintf(out, "\n%*s", (int)indent, "");
	return indent;
}

void para_put(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width)
{
	unsigned blanks = 0;

	while (*text) {
		const size_t len = strcspn(text, " \n");
		const unsigned word = columns(text, len);

		if (len) {
			/* A word longer than the line has to stand somewhere. */
			if (width && column + blanks + word > width && column > indent) {
				column = new_line(out, indent);
				blanks = 0;
			}
			fprintf(out, "%*s%.*s", (int)blanks, "", (int)len, text);
			column += blanks + word;
			blanks = 0;
			text += len;
		} else if (*text == '\n') {
			column = new_line(out, indent);
			blanks = 0;
			text++;
		} else {
			blanks++;
			text++;
		}
	}
}

void para_print(FILE *out, const char *text, unsigned column, unsigned indent, unsigned width)
{
	para_put(out, text, column, indent, width);
	putc('\n', out);
}
