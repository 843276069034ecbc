/* SPDX-License-Identifier: BSD-2-Clause */
#include "progress.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

static volatile sig_atomic_t stop;
static const uint64_t *volatile packets;
static uint64_t last_position, last_size;
static int64_t begun_ns, drawn_ns;
static bool shown, drawn;

int64_t progress_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool progress_stopped(void)
{
	return stop;
}

/* ---- signals: only what may be called in a handler ------------------------------------------ */

static size_t put_text(char *buf, size_t at, const char *text)
{
	while (*text)
		buf[at++] = *text++;
	return at;
}

static size_t put_number(char *buf, size_t at, uint64_t n)
{
	char digits[20];
	size_t len = 0;

	do
		digits[len++] = (char)('0' + n % 10);
	while (n /= 10);
	while (len)
		buf[at++] = digits[--len];
	return at;
}

static void on_usr1(int sig)
{
	const uint64_t *count = packets;
	char line[128];
	size_t at = 0;

	(void)sig;
	if (drawn)
		at = put_text(line, at, "\r\033[K");
	at = put_text(line, at, CLI_NAME ": ");
	at = put_number(line, at, count ? *count : 0);
	at = put_text(line, at, " packets read");
	if (last_size) {
		at = put_text(line, at, ", ");
		at = put_number(line, at, last_position / (last_size / 100 + 1));
		at = put_text(line, at, " % of the input");
	}
	at = put_text(line, at, "\n");
	if (write(STDERR_FILENO, line, at) < 0)
		return; /* nowhere to say it */
}

static void on_stop(int sig)
{
	(void)sig;
	stop = 1;
}

/* ---- the line --------------------------------------------------------------------------------- */

void progress_init(void)
{
	struct sigaction action = { 0 };

	action.sa_handler = on_usr1;
	action.sa_flags = SA_RESTART;
	sigaction(SIGUSR1, &action, NULL);
}

void progress_catch_stop(void)
{
	struct sigaction action = { 0 };

	/* Not restarted: a read that waits for a pipe must end. */
	action.sa_handler = on_stop;
	action.sa_flags = (int)SA_RESETHAND;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

void progress_begin(bool show, const uint64_t *counter)
{
	packets = counter;
	last_position = last_size = 0;
	begun_ns = progress_now_ns();
	shown = show;
	drawn = false;
	progress_catch_stop();
}

void progress_at(uint64_t position, uint64_t size)
{
	char count[32];
	int64_t now;

	last_position = position;
	last_size = size;
	if (!shown)
		return;
	now = progress_now_ns();
	if (now - begun_ns < 1000000000 || now - drawn_ns < 200000000)
		return;
	drawn_ns = now;
	drawn = true;
	fprintf(stderr, "\r\033[K%s packets", cli_count_text(*packets, count, sizeof(count)));
	if (size)
		fprintf(stderr, ", %" PRIu64 " %%", position / (size / 100 + 1));
	fflush(stderr);
}

void progress_end(void)
{
	if (drawn)
		fputs("\r\033[K", stderr);
	drawn = false;
	packets = NULL;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}
