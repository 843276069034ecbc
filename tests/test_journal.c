// SPDX-License-Identifier: BSD-2-Clause
/* The journal: order, bounds, copies of bodies; and the vocabulary's tables. */
#include <criterion/criterion.h>
#include <string.h>

#include "support/story.h"

Test(journal, sorts_by_time_and_cause)
{
	const struct rdt_entry *e;
	struct story s;
	size_t n;

	story_begin(&s, NULL);
	connect_both(&s);
	close_by(&s, RDT_ACTIVE);
	tracked_finish(&s.t);
	n = rdt_journal_entries(s.t.journal, 0, &e, NULL);
	cr_assert_gt(n, 20);
	for (size_t i = 1; i < n; i++) {
		cr_expect_leq(e[i - 1].msg.when.ns, e[i].msg.when.ns);
		/* a message before what it causes */
		if (e[i].kind == RDT_REC_msg)
			cr_expect_lt(e[i - 1].msg.when.ns, e[i].msg.when.ns);
	}
	story_end(&s);
}

Test(journal, keeps_bodies_of_first_messages_only)
{
	const struct rdt_entry *e;
	struct story s;
	size_t n;
	unsigned kept = 0;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, .starting_psn = 0x123456);
	SAY(&s, 6144, ACTIVE, REQ, .starting_psn = 0x123456);
	tracked_finish(&s.t);
	n = rdt_journal_entries(s.t.journal, 0, &e, NULL);
	for (size_t i = 0; i < n; i++) {
		if (e[i].kind != RDT_REC_msg)
			continue;
		cr_expect_eq(e[i].msg.body != NULL, e[i].msg.copy == 0);
		if (!e[i].msg.body)
			continue;
		cr_expect_eq(e[i].msg.body_have, 232);
		cr_expect_eq(rdt_req_starting_psn(e[i].msg.body), 0x123456);
		kept++;
	}
	cr_expect_eq(kept, 1);
	story_end(&s);
}

Test(journal, is_bounded_and_counts_what_it_drops)
{
	const struct rdt_entry *e;
	struct story s;
	uint64_t lost;

	story_begin(&s, NULL);
	connect_both(&s);
	for (unsigned i = 0; i < 2 * TRACKED_ENTRIES; i++)
		SAY(&s, 1, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_journal_entries(s.t.journal, 0, &e, &lost), TRACKED_ENTRIES);
	cr_expect_gt(lost, TRACKED_ENTRIES);
	cr_expect_eq(rdt_journal_entries(s.t.journal, 99, &e, &lost), 0);
	story_end(&s);
}

static int second_only(void *user, const struct rdt_conn *conn)
{
	return conn->tid == *(const uint64_t *)user;
}

Test(journal, filter)
{
	uint64_t tid = 0x77;
	const struct rdt_entry *e;
	struct story s;

	story_begin(&s, NULL);
	rdt_journal_set_filter(s.t.journal, second_only, &tid);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 1, ACTIVE, REQ, .local = 0xa0000002, .tid = tid);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_journal_entries(s.t.journal, 0, &e, NULL), 0);
	cr_expect_gt(rdt_journal_entries(s.t.journal, 1, &e, NULL), 0);
	story_end(&s);
}

/* ---- vocabulary ---------------------------------------------------------------------------- */

Test(vocab, names_are_unique_and_found)
{
	for (size_t i = 0; i < RDT_COL_COUNT; i++) {
		const struct rdt_col *c = &rdt_cols[i];

		cr_expect_eq(rdt_col_find(c->rec, c->key, strlen(c->key)), i, "%s is there twice",
			     c->key);
		cr_expect(*c->label);
		if (i)
			cr_expect_geq(c->rec, rdt_cols[i - 1].rec,
				      "rows of a record stand together");
	}
	cr_expect_eq(rdt_col_find(RDT_REC_conn, "outcom", 6), RDT_COL_COUNT);
}

/* The keys that the machine-readable contract promises, in its words. */
Test(vocab, has_what_the_contract_promises)
{
	static const char *const promised[RDT_REC_COUNT] = {
		"n id kind transport service active passive a_port svc port_space svc_port app "
		"a_comm_id "
		"p_comm_id a_qpn p_qpn a_psn p_psn start rel_ns setup_ns life_ns outcome a_state "
		"p_state "
		"rej_reason rej_reason_name rej_by closed_by msgs retries data_pkts data_bytes "
		"retrans",
		"conn frame rel_ns from msg copy local_comm_id remote_comm_id tid icrc snapped",
		"conn rel_ns frame side machine from to event why basis",
		"conn rel_ns frame side event kernel_event status basis",
	};

	for (unsigned rec = 0; rec < RDT_REC_COUNT; rec++) {
		for (const char *p = promised[rec]; *p; p += strspn(p, " ")) {
			const size_t len = strcspn(p, " ");

			cr_expect_neq(rdt_col_find(rec, p, len), RDT_COL_COUNT, "%s %.*s",
				      rdt_rec_key(rec), (int)len, p);
			p += len;
		}
	}
}
