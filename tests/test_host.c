// SPDX-License-Identifier: BSD-2-Clause
/* The kernels' traces joined to the captures of the same runs. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "rdmatrace/host.h"
#include "rdmatrace/states.h"
#include "rdmatrace/vocab.h"
#include "support/tracked.h"

static struct rdt_host *load(const char *name, const char *role)
{
	struct rdt_host *h = rdt_host_new(&tracked_memory);
	char path[512], text[2048];
	gzFile file;

	snprintf(path, sizeof(path), "%s/%s.%s.trace.gz", RDT_CAPTURES, name, role);
	file = gzopen(path, "rb");
	cr_assert(h && file, "%s", path);
	while (gzgets(file, text, sizeof(text))) {
		struct rdt_ftrace line;

		if (rdt_ftrace_parse(text, strcspn(text, "\n"), &line))
			cr_assert_eq(rdt_host_add(h, &line), RDT_OK);
	}
	gzclose(file);
	return h;
}

/* Everything agrees on the healthy captures, and the clock is found from the messages alone. */
Test(host, joins_every_capture)
{
	static const struct {
		const char *name;
		unsigned sends[2]; /* icm_send lines of client and server, counted with grep */
	} rows[] = {
		{ "accept", { 12, 8 } }, { "cmtime", { 600, 400 } }, { "dup", { 15, 11 } },
		{ "ignore", { 2, 1 } },  { "reject", { 3, 3 } },     { "rping4", { 3, 2 } },
		{ "slow", { 3, 3 } },    { "udaddy", { 3, 3 } },
	};
	static const char *const roles[] = { "client", "server" };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (unsigned r = 0; r < 2; r++) {
			struct tracked t;
			struct rdt_host *h;
			struct rdt_host_stats stats;
			struct rdt_host_clock clock;

			tracked_file(&t, rows[i].name);
			h = load(rows[i].name, roles[r]);
			cr_assert_eq(rdt_host_join(h, t.tracker, t.journal), RDT_OK);
			stats = rdt_host_stats(h);
			clock = rdt_host_clock(h);
			cr_expect_eq(stats.compared, rows[i].sends[r], "%s %s: %u compared",
				     rows[i].name, roles[r], stats.compared);
			cr_expect_eq(stats.conflicts, 0, "%s %s", rows[i].name, roles[r]);
			cr_expect_eq(stats.unsent, 0, "%s %s: %u unsent", rows[i].name, roles[r],
				     stats.unsent);
			/* In one run the emulated server's clock jumped by twenty seconds: joined by order. */
			cr_expect_eq(clock.unsteady, !strcmp(rows[i].name, "cmtime") && r == 1,
				     "%s %s", rows[i].name, roles[r]);
			if (!clock.unsteady)
				cr_expect_lt(clock.doubt_ns, 60000000, "%s %s: %lu", rows[i].name,
					     roles[r], (unsigned long)clock.doubt_ns);
			for (uint32_t c = 0; c < rdt_tracker_conn_count(t.tracker); c++)
				cr_expect_eq(rdt_host_side(h, c), r, "%s", rows[i].name);
			rdt_host_free(h);
			tracked_free(&t);
		}
	}
}

static size_t find(const struct rdt_entry *e, size_t n, enum rdt_cm_event event)
{
	size_t i = 0;

	while (i < n && (e[i].kind != RDT_REC_state || e[i].state.event != event))
		i++;
	return i;
}

/* What only the host knows: the armed MRA, the resend, the event and when it came. */
Test(host, tells_what_no_packet_shows)
{
	const struct rdt_entry *e;
	struct tracked t;
	struct rdt_host *h;
	size_t n, i;

	tracked_file(&t, "slow");
	h = load("slow", "server");
	cr_assert_eq(rdt_host_join(h, t.tracker, t.journal), RDT_OK);
	n = rdt_host_entries(h, 0, &e);
	i = find(e, n, RDT_CM_EV_ARM_MRA);
	cr_assert_lt(i, n);
	cr_expect_eq(e[i].state.from, RDT_CM_REQ_RCVD);
	cr_expect_eq(e[i].state.to, RDT_CM_MRA_REQ_SENT);
	cr_expect_eq(e[i].state.basis, RDT_BASIS_KERNEL);
	/* armed at once, six seconds before the MRA is on the wire */
	i = find(e, n, RDT_CM_EV_TX_MRA_REQ);
	cr_assert_lt(i, n);
	cr_expect_eq(e[i].state.when.frame, 19);
	cr_expect_eq(e[n - 1].kind, RDT_REC_event, "TIMEWAIT_EXIT ends the server's trace");
	cr_expect_eq(e[n - 1].event.kernel_event, RDT_EVENT_TIMEWAIT_EXIT);
	rdt_host_free(h);

	h = load("slow", "client");
	cr_assert_eq(rdt_host_join(h, t.tracker, t.journal), RDT_OK);
	n = rdt_host_entries(h, 0, &e);
	for (i = 0; i < n && (e[i].kind != RDT_REC_state ||
			      strncmp(e[i].state.why, "the timer ran out", 17));
	     i++)
		;
	cr_assert_lt(i, n, "the client's REQ timer");
	cr_expect_eq(e[i].state.when.frame, 18);
	cr_expect_eq(e[0].event.kernel_event, RDT_EVENT_ADDR_RESOLVED);
	cr_expect_eq(e[1].event.kernel_event, RDT_EVENT_ROUTE_RESOLVED);
	rdt_host_free(h);
	tracked_free(&t);
}

/* The wire lacks a message that the kernel sent, and shows a state that it denies. */
Test(host, says_what_is_missing_and_what_disagrees)
{
	static const char *const lines[] = {
		"x-1 [000] .. 5.000000: icm_send_req: local_id=1 remote_id=0 state=IDLE "
		"lap_state=LAP_UNINIT",
	};
	size_t count;
	struct tracked t;
	struct rdt_host *h;
	struct rdt_ftrace line;
	char text[256];

	tracked_file(&t, "accept");
	h = rdt_host_new(&tracked_memory);
	/* a connection that is not in the capture */
	cr_assert(rdt_ftrace_parse(lines[0], strlen(lines[0]), &line));
	cr_assert_eq(rdt_host_add(h, &line), RDT_OK);
	/* the first one's REQ in a state that cannot be, and a DREP it never sent */
	snprintf(text, sizeof(text),
		 "x-1 [000] .. 6.0: icm_send_req: local_id=%u remote_id=0 state=TIMEWAIT",
		 rdt_tracker_conn(t.tracker, 0)->end[RDT_ACTIVE].comm_id);
	cr_assert(rdt_ftrace_parse(text, strlen(text), &line));
	cr_assert_eq(rdt_host_add(h, &line), RDT_OK);
	snprintf(text, sizeof(text),
		 "x-1 [000] .. 6.1: icm_send_drep: local_id=%u remote_id=0 state=TIMEWAIT",
		 rdt_tracker_conn(t.tracker, 0)->end[RDT_ACTIVE].comm_id);
	cr_assert(rdt_ftrace_parse(text, strlen(text), &line));
	cr_assert_eq(rdt_host_add(h, &line), RDT_OK);
	cr_assert_eq(rdt_host_join(h, t.tracker, t.journal), RDT_OK);
	cr_expect_eq(rdt_host_stats(h).joined, 2);
	cr_expect_eq(rdt_host_stats(h).unsent, 1);
	cr_assert_eq(rdt_host_conflicts(h, &count)[0].kernel, RDT_CM_TIMEWAIT);
	cr_expect_eq(count, 1);
	cr_expect_eq(rdt_host_conflicts(h, &count)[0].wire, RDT_CM_IDLE);
	cr_expect_eq(rdt_host_conflicts(h, &count)[0].frame, 17);
	rdt_host_free(h);
	tracked_free(&t);
}

Test(host, nothing_to_join)
{
	const struct rdt_entry *e;
	struct tracked t;
	struct rdt_host *h = rdt_host_new(&tracked_memory);

	tracked_file(&t, "accept");
	cr_assert_eq(rdt_host_join(h, t.tracker, t.journal), RDT_OK);
	cr_expect_eq(rdt_host_clock(h).sends, 0);
	cr_expect_eq(rdt_host_entries(h, 0, &e), 0);
	cr_expect_eq(rdt_host_side(h, 0), RDT_SIDES);
	rdt_host_free(h);
	tracked_free(&t);
}
