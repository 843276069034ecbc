// SPDX-License-Identifier: BSD-2-Clause
#include "filter.h"

#include <glib.h>

#define LINE_MAX_SHOWN 100 /* bytes of a long expression that are shown around the place */

/* Bytes that continue a UTF-8 character take no column of their own. */
static bool is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* One character of the expression; what would move the cursor is a blank. */
static void put(FILE *out, char c)
{
	putc(g_ascii_iscntrl(c) ? ' ' : c, out);
}

void rdt_filter_error_print(FILE *out, const char *before, const char *expr, size_t len,
			    const struct rdt_filter_error *err)
{
	const size_t at = MIN(err->at, len);
	size_t from = at > LINE_MAX_SHOWN / 2 && len > LINE_MAX_SHOWN ? at - LINE_MAX_SHOWN / 2 : 0;
	size_t to = MIN(len, from + LINE_MAX_SHOWN);
	size_t mark = MAX(err->len, 1);

	while (from && is_continuation(expr[from]))
		from--;
	while (to < len && is_continuation(expr[to]))
		to++;
	fprintf(out, "%s%s\n  %s", before ? before : "", err->what, from ? "..." : "");
	for (size_t i = from; i < to; i++)
		put(out, expr[i]);
	fprintf(out, "%s\n  %s", to < len ? "..." : "", from ? "   " : "");
	for (size_t i = from; i < at; i++)
		if (!is_continuation(expr[i]))
			putc(' ', out);
	putc('^', out);
	mark = MIN(mark, at < to ? to - at : 1);
	for (size_t i = 1; i < mark; i++)
		if (!is_continuation(expr[at + i]))
			putc('~', out);
	putc('\n', out);
	if (err->hint[0])
		fprintf(out, "  %s\n", err->hint);
}
