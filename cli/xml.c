/* SPDX-License-Identifier: BSD-2-Clause */
#include "xml.h"

#include <glib.h>

char *xml_escape(const char *text)
{
	char *valid = g_utf8_make_valid(text, -1), *to = valid, *escaped;

	/* GLib would write control characters as references, which XML 1.0 has not. */
	for (const char *from = valid; *from; from++) {
		if ((unsigned char)*from >= ' ' || *from == '\n' || *from == '\t')
			*to++ = *from;
	}
	*to = 0;
	escaped = g_markup_escape_text(valid, -1);
	g_free(valid);
	return escaped;
}
