/* SPDX-License-Identifier: BSD-2-Clause */
/* Error sentences, and the word that was probably meant. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli.h"
#include "error.h"

static bool quiet;

void cli_set_quiet(bool on)
{
	quiet = on;
}

static void say(const char *fmt, va_list ap) CLI_PRINTF(1, 0);

static void say(const char *fmt, va_list ap)
{
	char text[4096], line[2 * sizeof(text)];
	size_t n = 0;

	vsnprintf(text, sizeof(text), fmt, ap);
	/* A file name may hold anything: an escape sequence must not reach the terminal. */
	for (const char *p = text; *p && n < sizeof(line) - 8; p++) {
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			n += (size_t)snprintf(line + n, sizeof(line) - n, "\\x%02x",
					      (unsigned char)*p);
		else
			line[n++] = *p;
	}
	line[n] = 0;
	fprintf(stderr, CLI_NAME ": %s\n", line);
}

void cli_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void cli_warn(const char *fmt, ...)
{
	va_list ap;

	if (quiet)
		return;
	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void cli_no_memory(void)
{
	cli_error("there is no memory left; --max-conns N keeps fewer connections");
	exit(CLI_ENV);
}

/* Edit distance between two words of at most 32 letters, case ignored. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[33], la = (unsigned)strlen(a), lb = (unsigned)strlen(b);

	if (la > 32 || lb > 32)
		return 99;
	for (unsigned j = 0; j <= lb; j++)
		row[j] = j;
	for (unsigned i = 1; i <= la; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (unsigned j = 1; j <= lb; j++) {
			unsigned change = diagonal + !!strncasecmp(a + i - 1, b + j - 1, 1);
			unsigned best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

			diagonal = row[j];
			row[j] = best < change ? best : change;
		}
	}
	return row[lb];
}

const char *cli_closest(const char *word, const char *const *candidates)
{
	const size_t len = strlen(word);
	unsigned best = (unsigned)(len / 3 + 1);
	const char *found = NULL;

	for (; *candidates; candidates++) {
		unsigned d = distance(word, *candidates);

		/* "diag" means diagnose: a beginning counts as one letter wrong. */
		if (len >= 2 && d > 1 && !strncasecmp(word, *candidates, len))
			d = 1;
		if (d < best || (d == best && !found)) {
			best = d;
			found = *candidates;
		}
	}
	return found;
}
