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

/* A number and its unit are one word: how many bytes the unit adds, with the blank between. */
static size_t unit_after(const char *word, size_t len)
{
	static const char *const units[] = {
		"ns", "us", "ms", "s", "min", "h", "B", "%", "Gbit/s"
	};
	const char *next = word + len;

	if (!len || word[len - 1] < '0' || word[len - 1] > '9' || *next != ' ')
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		const size_t n = strlen(units[i]);
		const char after = strncmp(next + 1, units[i], n) ? 'x' : next[1 + n];

		if (!strchr("abcdefghijklmnopqrstuvwxyz", after) || !after)
			return 1 + n + strcspn(next + 1 + n, " \n");
	}
	return 0;
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
		const size_t first = strcspn(text, " \n");
		const size_t len = first + unit_after(text, first);
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
