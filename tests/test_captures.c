// SPDX-License-Identifier: BSD-2-Clause
/*
 * Every real capture against what happened in it: by the programs' own output (the .log files) and
 * the table in captures/README.md. States and events are held against the kernels' traces in
 * truth/test_truth.c.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "support/story.h"

/* conn is the index of a connection, or ALL. Values are "column=value" pairs. */
#define ALL UINT32_MAX

static const struct {
	const char *capture;
	uint32_t count; /* connections in the capture */
	uint32_t conn;
	const char *want;
} rows[] = {
	{ "rping4", 1, 0,
	  "kind=cm transport=rocev2 service=rc active=10.0.0.2 passive=10.0.0.1 svc_port=7174 "
	  "app=rping "
	  "outcome=closed closed_by=active msgs=5 retries=0 unexpected=0 data_pkts=60 retrans=0 "
	  "a_first_psn=11340207 a_psn=11340207 p_first_psn=5269582 p_psn=5269582" },
	{ "rping4.server", 1, 0,
	  "outcome=closed closed_by=active msgs=5 retries=0 data_pkts=60 retrans=0 a_psn=11340207 "
	  "p_psn=5269582 a_port=40327" },
	{ "accept", 4, ALL,
	  "kind=cm outcome=closed closed_by=active msgs=5 retries=0 svc_port=7777" },
	{ "reject", 3, ALL,
	  "outcome=rejected rej_reason=28 rej_by=application msgs=2 retries=0 p_qpn=null "
	  "setup_ns=null" },
	{ "nolisten", 2, ALL,
	  "outcome=rejected rej_reason=8 rej_by=kernel msgs=2 p_rdma_state=null" },
	{ "ignore", 1, 0, "outcome=timeout rej_reason=4 msgs=4 retries=1 p_qpn=null" },
	{ "slow", 1, 0, "outcome=closed msgs=7 retries=1 setup_ns=11025869000" },
	{ "dup", 4, ALL, "outcome=closed closed_by=active unexpected=0 roles_guessed=0" },
	{ "dup", 4, 0, "msgs=12 retries=6" },
	{ "dup", 4, 1, "msgs=9 retries=2" },
	{ "dup", 4, 2, "msgs=9 retries=3" },
	{ "dup", 4, 3, "msgs=10 retries=4" },
	{ "udaddy", 3, ALL,
	  "kind=sidr service=ud outcome=resolved msgs=2 data_pkts=20 data_bytes=2000 app=udaddy" },
	{ "udaddy", 3, 2, "a_qpn=19 p_qpn=19" },
	{ "cmtime", 200, ALL, "outcome=closed closed_by=active msgs=5 retries=0 unexpected=0" },
	/* QPNs and first PSNs as the programs printed them (pingpong.client.log) */
	{ "pingpong", 3, 0,
	  "kind=oob service=rc app=pingpong a_psn=10896494 p_psn=14248558 a_qpn=17 p_qpn=17 "
	  "a_first_psn=10896494 p_first_psn=14248558" },
	{ "pingpong", 3, 1,
	  "kind=oob service=uc a_psn=4418926 p_psn=5760010 a_qpn=18 p_qpn=18 a_first_psn=4418926 "
	  "p_first_psn=5760010" },
	{ "pingpong", 3, 2,
	  "kind=oob service=ud a_psn=3432892 p_psn=6942491 a_qpn=19 p_qpn=19 a_first_psn=3432892 "
	  "p_first_psn=6942491" },
	{ "perftest", 6, 0,
	  "kind=oob app=perftest a_qpn=17 p_qpn=17 a_psn=5038830 a_rkey=null data_bytes=81920" },
	{ "perftest", 6, 1, "kind=oob a_psn=6334056 p_psn=7997857 program_version=6.06 gids=fine" },
	{ "perftest", 6, 4, "kind=cm outcome=closed a_state=DREQ_SENT app=perftest" },
	{ "perftest", 6, 5, "kind=cm outcome=rejected rej_reason=8" },
	{ "iwarp-rping", 1, 0,
	  "kind=mpa transport=iwarp outcome=closed closed_by=active svc_port=7174 a_port=46101 "
	  "setup_ns=48113000 a_comm_id=null" },
	{ "iwarp-reject", 3, ALL, "kind=mpa outcome=rejected rej_by=application rej_reason=null" },
};

static void check(struct story *s, const char *capture, uint32_t conn, const char *want)
{
	char pair[128];

	for (const char *p = want; *p; p += strspn(p, " ")) {
		const size_t len = strcspn(p, " ");
		char *value;

		snprintf(pair, sizeof(pair), "%.*s", (int)len, p);
		p += len;
		value = strchr(pair, '=');
		*value++ = '\0';
		cr_expect_str_eq(col(s, conn, pair), value, "%s connection %u: %s is %s, want %s",
				 capture, conn + 1, pair, col(s, conn, pair), value);
	}
}

Test(captures, are_what_happened)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct story s;
		uint32_t count;

		tracked_file(&s.t, rows[i].capture);
		count = rdt_tracker_conn_count(s.t.tracker);
		cr_expect_eq(count, rows[i].count, "%s: %u connections", rows[i].capture, count);
		for (uint32_t c = 0; c < count; c++)
			if (rows[i].conn == ALL || rows[i].conn == c)
				check(&s, rows[i].capture, c, rows[i].want);
		tracked_free(&s.t);
	}
}

/* The same connection seen at its two ends: the same id, messages and states. */
Test(captures, two_vantage_points_tell_the_same)
{
	static const char *const same[] = { "a_comm_id", "p_comm_id", "outcome", "msgs",
					    "a_qpn",     "p_qpn",     "a_psn",   "p_psn",
					    "data_pkts", "data_bytes" };
	struct story a, b;

	tracked_file(&a.t, "rping4");
	tracked_file(&b.t, "rping4.server");
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		cr_expect_str_eq(col(&a, 0, same[i]), col(&b, 0, same[i]), "%s", same[i]);
	cr_expect_eq(rdt_conn_id(rdt_tracker_conn(a.t.tracker, 0)),
		     rdt_conn_id(rdt_tracker_conn(b.t.tracker, 0)));
	tracked_free(&a.t);
	tracked_free(&b.t);
}

/* Every RC and UD connection of the CM sends its first request with the PSN that was announced. */
Test(captures, first_psn_is_the_announced_one)
{
	static const char *const names[] = { "rping4", "rping4.server", "perftest" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct tracked t;
		unsigned checked = 0;

		tracked_file(&t, names[i]);
		for (uint32_t c = 0; c < rdt_tracker_conn_count(t.tracker); c++) {
			const struct rdt_conn *conn = rdt_tracker_conn(t.tracker, c);

			for (unsigned side = 0; conn && side < RDT_SIDES; side++) {
				const struct rdt_end *e = &conn->end[side];

				if (!e->has_psn || !e->data.first_frame)
					continue;
				cr_expect_eq(e->data.first_psn, e->psn, "%s connection %u",
					     names[i], conn->n);
				checked++;
			}
		}
		cr_expect_geq(checked, 2, "%s", names[i]);
		tracked_free(&t);
	}
}
