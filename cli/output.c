/* SPDX-License-Identifier: BSD-2-Clause */
/* Where data goes, and how times, addresses and colours look. */
#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "options.h"

#define NS_PER_S 1000000000

/* ---- the stream --------------------------------------------------------------------------- */

static FILE *out;
static const char *out_name;
static int out_errno; /* of the first write that failed */
static char buffer[1 << 16];

FILE *cli_out(void)
{
	return out;
}

static bool want_color(const struct cli_opts *opts, const char *color, bool *ret_color)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!color || !strcmp(color, "auto"))
		*ret_color =
			opts->tty_out && !(no_color && *no_color) && term && strcmp(term, "dumb");
	else if (!strcmp(color, "always") || !strcmp(color, "never"))
		*ret_color = color[0] == 'a';
	else
		return false;
	return true;
}

int output_open(struct cli_opts *opts, const char *color)
{
	struct winsize size;

	out = stdout;
	out_name = "standard output";
	if (opts->output && strcmp(opts->output, "-")) {
		if (cli_overwrites(opts, opts->output, "-o"))
			return CLI_USAGE;
		out_name = opts->output;
		out = fopen(opts->output, "we");
		if (!out) {
			cli_error("cannot write %s: %s; choose another -o FILE", opts->output,
				  strerror(errno));
			return CLI_ENV;
		}
	}
	opts->tty_out = isatty(fileno(out));
	opts->tty_err = isatty(STDERR_FILENO);
	/* A terminal, and a pipe that somebody watches, see each line when it is made. */
	setvbuf(out, buffer, opts->tty_out ? _IOLBF : _IOFBF, sizeof(buffer));
	if (!want_color(opts, color, &opts->color)) {
		cli_error("--color %s: give auto, always or never", color);
		return CLI_USAGE;
	}
	if (opts->tty_out && !ioctl(fileno(out), TIOCGWINSZ, &size))
		opts->width = size.ws_col;
	return CLI_OK;
}

void cli_out_flush(void)
{
	if (out && fflush(out) && !out_errno)
		out_errno = errno;
}

int cli_out_done(int code)
{
	bool failed;

	if (!out)
		return code;
	cli_out_flush();
	failed = ferror(out);
	if (out != stdout && fclose(out)) {
		failed = true;
		out_errno = out_errno ? out_errno : errno;
	}
	out = NULL;
	/* The reader of a pipe went away: it has what it wanted. */
	if (!failed || out_errno == EPIPE)
		return code;
	cli_error("cannot write %s: %s; the output is not complete", out_name,
		  out_errno ? strerror(out_errno) : "a write failed");
	return CLI_ENV;
}

/* Is path the file that target describes? */
static bool is_file(const char *path, const struct stat *target)
{
	struct stat st;

	return !(strcmp(path, "-") ? stat(path, &st) : fstat(STDIN_FILENO, &st)) &&
	       st.st_dev == target->st_dev && st.st_ino == target->st_ino;
}

bool cli_overwrites(const struct cli_opts *opts, const char *path, const char *option)
{
	const char *what = NULL;
	struct stat target;

	if (stat(path, &target)) {
		/* Both are still to be made. */
		if (path == opts->write || !opts->write || strcmp(path, opts->write) != 0)
			return false;
		cli_error("%s and -w name the same file, %s; choose another", option, path);
		return true;
	}
	if (!S_ISREG(target.st_mode))
		return false;
	for (const char *const *file = opts->files; file && *file; file++)
		what = is_file(*file, &target) ? "file that is read" : what;
	for (const char *const *file = opts->ftrace; file && *file; file++) {
		const char *equals = strchr(*file, '=');

		if (is_file(*file, &target) || (equals && is_file(equals + 1, &target)))
			what = "trace that is read";
	}
	if (!what && opts->write && path != opts->write && is_file(opts->write, &target))
		what = "file of -w";
	if (what)
		cli_error("%s %s would overwrite the %s; choose another file", option, path, what);
	return what;
}

/* ---- looks -------------------------------------------------------------------------------- */

const char *cli_tone(const struct cli_opts *opts, enum cli_tone tone)
{
	static const char *const codes[] = {
		[CLI_TONE_OFF] = "\033[0m",  [CLI_TONE_GOOD] = "\033[32m",
		[CLI_TONE_BAD] = "\033[31m", [CLI_TONE_WARN] = "\033[33m",
		[CLI_TONE_DIM] = "\033[2m",  [CLI_TONE_BOLD] = "\033[1m",
	};

	return opts->color ? codes[tone] : "";
}

enum cli_tone cli_outcome_tone(enum rdt_outcome outcome)
{
	switch (outcome) {
	case RDT_OUTCOME_OPEN:
	case RDT_OUTCOME_CLOSED:
	case RDT_OUTCOME_RESOLVED:
		return CLI_TONE_GOOD;
	case RDT_OUTCOME_REJECTED:
	case RDT_OUTCOME_TIMEOUT:
	case RDT_OUTCOME_REFUSED:
		return CLI_TONE_BAD;
	case RDT_OUTCOME_UNANSWERED:
		return CLI_TONE_WARN;
	case RDT_OUTCOME_INCOMPLETE:
	case RDT_OUTCOME_COUNT:
		break;
	}
	return CLI_TONE_DIM;
}

size_t cli_text_width(const char *text)
{
	size_t n = 0;

	/* Bytes that do not continue a character. */
	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

char *cli_count_text(uint64_t n, char *buf, size_t size)
{
	char digits[24];
	const int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);
	size_t at = 0;

	for (int i = 0; i < len && at + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = 0;
	return buf;
}

/* ---- times -------------------------------------------------------------------------------- */

/* Split so that the fraction is never negative. */
static time_t split(int64_t ns, unsigned long *ret_fraction)
{
	int64_t s = ns / NS_PER_S, rest = ns % NS_PER_S;

	if (rest < 0) {
		rest += NS_PER_S;
		s--;
	}
	*ret_fraction = (unsigned long)rest;
	return (time_t)s;
}

/* By hand: a list of connections has a hundred thousand of these. */
static char *seconds_text(int64_t ns, unsigned digits, char *buf)
{
	const uint64_t abs_ns = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	uint64_t seconds = abs_ns / NS_PER_S, fraction = abs_ns % NS_PER_S;
	char text[CLI_TIME_TEXT];
	size_t at = sizeof(text);

	if (digits == 6)
		fraction /= 1000;
	text[--at] = 0;
	for (unsigned i = 0; i < digits; i++, fraction /= 10)
		text[--at] = (char)('0' + fraction % 10);
	text[--at] = '.';
	do
		text[--at] = (char)('0' + seconds % 10);
	while (seconds /= 10);
	if (ns < 0)
		text[--at] = '-';
	memcpy(buf, text + at, sizeof(text) - at);
	return buf;
}

static char *clock_text(int64_t ns, unsigned digits, bool utc, bool date, char *buf)
{
	unsigned long fraction;
	const time_t s = split(ns, &fraction);
	struct tm tm;
	size_t len;

	if (!(utc ? gmtime_r(&s, &tm) : localtime_r(&s, &tm)))
		return seconds_text(ns, digits, buf);
	len = date ? strftime(buf, CLI_TIME_TEXT, "%Y-%m-%d %H:%M:%S", &tm)
		   : strftime(buf, CLI_TIME_TEXT, "%H:%M:%S", &tm);
	if (digits == 6)
		fraction /= 1000;
	snprintf(buf + len, CLI_TIME_TEXT - len, ".%0*lu", (int)digits, fraction);
	return buf;
}

char *cli_time_text(const struct cli_opts *opts, int64_t ns, int64_t base, int64_t *prev,
		    unsigned digits, char buf[CLI_TIME_TEXT])
{
	int64_t before = ns;

	if (prev) {
		before = *prev == INT64_MIN ? ns : *prev;
		*prev = ns;
	}
	switch (opts->time) {
	case CLI_TIME_REL:
		return seconds_text(ns - base, digits, buf);
	case CLI_TIME_DELTA:
		return seconds_text(ns - before, digits, buf);
	case CLI_TIME_EPOCH:
		return seconds_text(ns, digits, buf);
	case CLI_TIME_ABS:
		return clock_text(ns, digits, false, false, buf);
	case CLI_TIME_DATE:
		return clock_text(ns, digits, false, true, buf);
	case CLI_TIME_UTC:
		return clock_text(ns, digits, true, false, buf);
	}
	return buf;
}

char *cli_rfc3339(int64_t ns, char buf[CLI_TIME_TEXT])
{
	static time_t last;
	static char second[CLI_TIME_TEXT]; /* the text of last: times come close to each other */
	unsigned long fraction;
	const time_t s = split(ns, &fraction);
	struct tm tm;
	size_t len;

	if (!*second || s != last) {
		if (!gmtime_r(&s, &tm))
			return seconds_text(ns, 9, buf);
		strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S.", &tm);
		last = s;
	}
	len = strlen(second);
	memcpy(buf, second, len);
	for (size_t i = 9; i-- > 0; fraction /= 10)
		buf[len + i] = (char)('0' + fraction % 10);
	buf[len + 9] = 'Z';
	buf[len + 10] = 0;
	return buf;
}

/* ---- addresses ---------------------------------------------------------------------------- */

/* The host name of an address, looked up once; NULL when it has none. */
static const char *host_name(const struct rdt_addr *addr)
{
	static GHashTable *names;
	struct sockaddr_in sin = { .sin_family = AF_INET };
	struct sockaddr_in6 sin6 = { .sin6_family = AF_INET6 };
	char text[RDT_ADDR_TEXT], host[NI_MAXHOST];
	gpointer known;
	int failed;

	if (addr->kind != RDT_ADDR_IPV4 && addr->kind != RDT_ADDR_GID)
		return NULL;
	if (!names)
		names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	rdt_addr_text(addr, text, sizeof(text));
	if (g_hash_table_lookup_extended(names, text, NULL, &known))
		return known;
	memcpy(&sin.sin_addr, addr->bytes + 12, 4);
	memcpy(&sin6.sin6_addr, addr->bytes, 16);
	if (addr->kind == RDT_ADDR_IPV4)
		failed = getnameinfo((struct sockaddr *)&sin, sizeof(sin), host, sizeof(host), NULL,
				     0, NI_NAMEREQD);
	else
		failed = getnameinfo((struct sockaddr *)&sin6, sizeof(sin6), host, sizeof(host),
				     NULL, 0, NI_NAMEREQD);
	known = failed ? NULL : g_strdup(host);
	g_hash_table_insert(names, g_strdup(text), known);
	return known;
}

char *cli_addr_text(const struct cli_opts *opts, const struct rdt_addr *addr, char *buf,
		    size_t size)
{
	const char *name = opts->resolve ? host_name(addr) : NULL;

	if (name)
		snprintf(buf, size, "%s", name);
	else
		rdt_addr_text(addr, buf, size);
	return buf;
}
