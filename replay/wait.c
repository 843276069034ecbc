// SPDX-License-Identifier: BSD-2-Clause
#define _GNU_SOURCE /* ppoll */
#include "replay/wait.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "replay/backend.h"

/* A timer is late by some 50 us, with priority by some 20: the rest is spent looking at the clock. */
#define SPIN_NS 120000
#define SPIN_REALTIME_NS 300000

static int64_t spin_ns = SPIN_NS;

const char *rp_wait_prepare(bool realtime)
{
	const struct sched_param param = { .sched_priority = 10 };

	prctl(PR_SET_TIMERSLACK, 1UL);
	spin_ns = SPIN_NS;
	if (!realtime)
		return NULL;
	spin_ns = SPIN_REALTIME_NS;
	if (sched_setscheduler(0, SCHED_FIFO, &param))
		return "real-time priority is not allowed (CAP_SYS_NICE or ulimit -r): only the "
		       "busy wait is used";
	mlockall(MCL_CURRENT | MCL_FUTURE);
	return NULL;
}

int rp_wait_fd(int fd, int64_t until)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	for (;;) {
		const int64_t left = until == INT64_MAX ? INT64_MAX : until - rp_now();
		struct timespec ts = { 0, 0 };
		const bool spin = left < spin_ns;
		int n;

		if (left <= 0)
			return poll(&pfd, 1, 0) > 0 ? 1 : 0;
		if (!spin && left != INT64_MAX) {
			ts.tv_sec = (left - spin_ns) / 1000000000;
			ts.tv_nsec = (left - spin_ns) % 1000000000;
		}
		n = ppoll(&pfd, 1, left == INT64_MAX ? NULL : &ts, NULL);
		if (n > 0)
			return 1;
		if (n < 0)
			return errno == EINTR ? -1 : 1;
	}
}
