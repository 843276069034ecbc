// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the host allows: how late this process wakes for 1000 times, one a millisecond, when it does
 * nothing else; and how long it is stopped while it only looks at the clock. Both bound what a
 * replay can reach.
 *
 *     bench_wait [--realtime]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replay/backend.h"
#include "replay/wait.h"

#define COUNT 1000
#define STEP_NS 1000000

static int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print(const char *what, int64_t *ns)
{
	qsort(ns, COUNT, sizeof(*ns), by_value);
	printf("%-12s p50 %6.1f us   p99 %6.1f us   max %8.1f us\n", what,
	       (double)ns[COUNT / 2] / 1e3, (double)ns[COUNT * 99 / 100] / 1e3,
	       (double)ns[COUNT - 1] / 1e3);
}

int main(int argc, char **argv)
{
	const bool realtime = argc > 1 && !strcmp(argv[1], "--realtime");
	static int64_t late[COUNT], stopped[COUNT];
	int64_t due, last, now;
	int ends[2];

	if (pipe(ends))
		return EXIT_FAILURE;
	rp_wait_prepare(realtime);
	due = rp_now();
	for (unsigned i = 0; i < COUNT; i++) {
		due += STEP_NS;
		rp_wait_fd(ends[0], due);
		late[i] = rp_now() - due;
	}
	last = rp_now();
	for (unsigned i = 0; i < COUNT; i++) {
		const int64_t end = last + STEP_NS;

		for (now = last; now < end; last = now) {
			now = rp_now();
			if (now - last > stopped[i])
				stopped[i] = now - last;
		}
	}
	print("bare wait", late);
	print("bare clock", stopped);
	return EXIT_SUCCESS;
}
