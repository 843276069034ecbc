// SPDX-License-Identifier: BSD-2-Clause
/*
 * The tracker on told stories: each is a sequence that the kernel's state machines allow or that a
 * capture can show (protocol: reference sequences), with the states, events and outcome that the
 * kernel's sources give for it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/story.h"

#define RESOLVED "ADDR_RESOLVED ROUTE_RESOLVED"

Test(track, normal_connection)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	close_by(&s, RDT_ACTIVE);
	s.t.last_ns += 10 * SECOND; /* the capture goes on until TIMEWAIT is over */
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "closed_by", "active");
	EXPECT(&s, 0, "setup_ns", "20000000");
	EXPECT(&s, 0, "msgs", "5");
	EXPECT(&s, 0, "retries", "0");
	EXPECT(&s, 0, "a_port", "40000");
	EXPECT(&s, 0, "svc_port", "7174");
	EXPECT(&s, 0, "port_space_name", "tcp");
	EXPECT(&s, 0, "a_psn", "512"); /* the REP announces what the active side sends first */
	EXPECT(&s, 0, "p_psn", "256");
	EXPECT_PATH(&s, 0, ACTIVE, CM,
		    "IDLE>REQ_SENT>REP_RCVD>ESTABLISHED>DREQ_SENT>TIMEWAIT>IDLE~");
	EXPECT_PATH(&s, 0, PASSIVE, CM,
		    "IDLE>REQ_RCVD>REP_SENT>ESTABLISHED>DREQ_RCVD>TIMEWAIT>IDLE~");
	EXPECT_PATH(&s, 0, ACTIVE, QP, "RESET>INIT~>RTR~>RTS~>ERR~");
	EXPECT_PATH(&s, 0, PASSIVE, QP, "RESET>INIT~>RTR~>RTS~>ERR~");
	EXPECT_PATH(&s, 0, PASSIVE, RDMA, "IDLE>CONNECT~>DISCONNECT~");
	EXPECT_EVENTS(&s, 0, ACTIVE, RESOLVED " CONNECT_RESPONSE/ESTABLISHED DISCONNECTED");
	EXPECT_EVENTS(&s, 0, PASSIVE, "CONNECT_REQUEST ESTABLISHED DISCONNECTED");
	story_end(&s);
}

/* TIMEWAIT lasts cv(ack timeout): passive by the REQ's 19, active by lifetime 18 and delay 15. */
Test(track, timewait_ends_when_its_time_has_passed)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	close_by(&s, RDT_ACTIVE);
	s.t.last_ns += 2040 * MS; /* 2^(19-8) ms are not over */
	tracked_finish(&s.t);
	EXPECT(&s, 0, "a_state", "TIMEWAIT");
	EXPECT(&s, 0, "p_state", "TIMEWAIT");
	story_end(&s);
}

Test(track, passive_side_closes)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	close_by(&s, RDT_PASSIVE);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "closed_by", "passive");
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>REP_RCVD>ESTABLISHED>DREQ_RCVD>TIMEWAIT");
	story_end(&s);
}

/* Which event took the CM of a side into a state; NONE when nothing did. */
static enum rdt_cm_event into(struct story *s, enum rdt_side side, enum rdt_cm_state state)
{
	const struct rdt_entry *e;
	const size_t n = rdt_journal_entries(s->t.journal, 0, &e, NULL);

	for (size_t i = 0; i < n; i++)
		if (e[i].kind == RDT_REC_state && e[i].state.side == side &&
		    e[i].state.machine == RDT_MACHINE_CM && e[i].state.to == state)
			return (enum rdt_cm_event)e[i].state.event;
	return RDT_CM_EV_NONE;
}

/*
 * Both DREQ are on their way at once: at each side its own came first, whatever the capture's order. So did its
 * DREP: in TIMEWAIT nobody sends one unasked.
 */
Test(track, crossing_disconnects)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	SAY(&s, 10, ACTIVE, DREQ, 0);
	SAY(&s, 1, PASSIVE, DREQ, .tid = 9);
	SAY(&s, 1, PASSIVE, DREP, 0);
	SAY(&s, 1, ACTIVE, DREP, .tid = 9);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "unexpected", "0");
	EXPECT_PATH(&s, 0, PASSIVE, CM,
		    "IDLE>REQ_RCVD>REP_SENT>ESTABLISHED>DREQ_SENT>DREQ_RCVD>TIMEWAIT");
	EXPECT_PATH(&s, 0, ACTIVE, CM,
		    "IDLE>REQ_SENT>REP_RCVD>ESTABLISHED>DREQ_SENT>DREQ_RCVD>TIMEWAIT");
	cr_expect_eq(into(&s, RDT_PASSIVE, RDT_CM_TIMEWAIT), RDT_CM_EV_TX_DREP);
	cr_expect_eq(into(&s, RDT_ACTIVE, RDT_CM_TIMEWAIT), RDT_CM_EV_TX_DREP);
	EXPECT_EVENTS(&s, 0, PASSIVE, "CONNECT_REQUEST ESTABLISHED DISCONNECTED");
	story_end(&s);
}

/* The active side gave up just before the answer reached it; the passive had sent it in REQ_RCVD. */
Test(track, reply_crosses_the_reject)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 10, ACTIVE, REQ, 0);
	SAY(&s, 10, ACTIVE, REJ, .remote = NO_ID, .reason = 4, .about = 2);
	SAY(&s, 1, PASSIVE, REP, 0);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "timeout");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>REP_SENT>IDLE");
	story_end(&s);
}

Test(track, nobody_listens)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 1, PASSIVE, REJ, .local = NO_ID, .reason = 8);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "rejected");
	EXPECT(&s, 0, "rej_reason", "8");
	EXPECT(&s, 0, "rej_reason_name", "invalid-service-id");
	EXPECT(&s, 0, "rej_by", "kernel");
	EXPECT(&s, 0, "p_comm_id", "null");
	EXPECT_EVENTS(&s, 0, ACTIVE, RESOLVED " REJECTED(8)");
	EXPECT_EVENTS(&s, 0, PASSIVE, ""); /* no program was asked */
	EXPECT(&s, 0, "p_rdma_state", "null");
	story_end(&s);
}

/* REJ 28 by whom: id or private data show a program; neither shows the kernel. */
Test(track, who_said_28)
{
	static const struct {
		uint32_t local;
		const char *data, *by, *events;
		unsigned about;
	} rows[] = {
		{ 0xb0000001, NULL, "application", "CONNECT_REQUEST", 0 },
		{ NO_ID, NULL, "kernel", "", 0 },
		{ NO_ID, "full", "application", "CONNECT_REQUEST", 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct story s;

		story_begin(&s, NULL);
		SAY(&s, 0, ACTIVE, REQ, 0);
		SAY(&s, 1, PASSIVE, REJ, .local = rows[i].local, .reason = 28,
		    .private_data = rows[i].data);
		tracked_finish(&s.t);
		EXPECT(&s, 0, "rej_by", rows[i].by);
		EXPECT_EVENTS(&s, 0, PASSIVE, rows[i].events);
		story_end(&s);
	}
}

/* With ECE a stateless REJ carries the vendor id where its own id would stand. */
Test(track, stateless_reject_with_vendor_id)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 1, PASSIVE, REJ, .local = 0x15b3, .reason = 8);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1);
	EXPECT(&s, 0, "outcome", "rejected");
	EXPECT(&s, 0, "p_comm_id", "null");
	story_end(&s);
}

Test(track, active_side_refuses_the_reply)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 1, PASSIVE, REP, 0);
	SAY(&s, 1, ACTIVE, REJ, .reason = 28, .about = 1);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "rejected");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>REP_SENT>IDLE");
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>REP_RCVD>IDLE");
	/* the kernel delivered the answer, the program never got as far as ESTABLISHED */
	EXPECT_EVENTS(&s, 0, ACTIVE, RESOLVED " CONNECT_RESPONSE");
	EXPECT_EVENTS(&s, 0, PASSIVE, "CONNECT_REQUEST REJECTED(28)");
	story_end(&s);
}

Test(track, stale_connection)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	/* The client comes back with the same QPN; the server still has the old connection. */
	SAY(&s, 100, ACTIVE, REQ, .local = 0xa0000002, .tid = 0x200000002);
	SAY(&s, 1, PASSIVE, REJ, .local = NO_ID, .remote = 0xa0000002, .reason = 10,
	    .tid = 0x200000002);
	SAY(&s, 1, PASSIVE, DREQ, .tid = 77); /* closes the old one, by its old ids */
	SAY(&s, 1, ACTIVE, DREP, .tid = 77);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 2);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "closed_by", "passive");
	EXPECT(&s, 1, "outcome", "rejected");
	EXPECT(&s, 1, "rej_reason", "10");
	EXPECT(&s, 1, "a_state", "TIMEWAIT");
	EXPECT_EVENTS(&s, 1, ACTIVE, RESOLVED " REJECTED(10)");
	story_end(&s);
}

/* Slow accept: MRA is on the wire only because the REQ came twice. */
Test(track, slow_accept_with_mra)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 6144, ACTIVE, REQ, 0);
	SAY(&s, 1, PASSIVE, MRA, .service_timeout = 24);
	SAY(&s, 4000, PASSIVE, REP, 0);
	SAY(&s, 5, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "open");
	EXPECT(&s, 0, "retries", "1");
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>MRA_REQ_RCVD>REP_RCVD>ESTABLISHED");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>MRA_REQ_SENT>REP_SENT>ESTABLISHED");
	story_end(&s);
}

Test(track, slow_establish_with_mra)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 5, PASSIVE, REP, 0);
	SAY(&s, 4100, PASSIVE, REP, 0);
	SAY(&s, 1, ACTIVE, MRA, .about = 1, .service_timeout = 24);
	SAY(&s, 4000, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>REP_RCVD>MRA_REP_SENT>ESTABLISHED");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>REP_SENT>MRA_REP_RCVD>ESTABLISHED");
	story_end(&s);
}

Test(track, lost_rtu_is_sent_again)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	SAY(&s, 4100, PASSIVE, REP, 0);
	cr_expect_eq(SAY(&s, 1, ACTIVE, RTU, 0).copy, 1);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "retries", "2");
	EXPECT(&s, 0, "unexpected", "0");
	story_end(&s);
}

/* ---- retries and timers ------------------------------------------------------------------- */

/* 2 x 2^(18-8) + 2^(20-8) ms each, 16 sends: UNREACHABLE after 98.3 s (104.4 s with the kernel's delay). */
Test(track, req_retries_run_out)
{
	static const struct {
		int64_t after_ms;
		const char *outcome, *events;
	} rows[] = {
		{ 5000, "unanswered", RESOLVED },
		{ 8000, "timeout", RESOLVED " UNREACHABLE(-110)" },
	};

	for (size_t i = 0; i < 2; i++) {
		struct story s;

		story_begin(&s, NULL);
		for (unsigned n = 0; n < 16; n++)
			cr_expect_eq(SAY(&s, n ? 6144 : 0, ACTIVE, REQ, 0).copy, n);
		s.t.last_ns += rows[i].after_ms * MS;
		tracked_finish(&s.t);
		cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1);
		EXPECT(&s, 0, "outcome", rows[i].outcome);
		EXPECT_EVENTS(&s, 0, ACTIVE, rows[i].events);
		EXPECT_EVENTS(&s, 0, PASSIVE, "");
		story_end(&s);
	}
}

/* Four REQ seen, then silence: the kernel goes on counting while nothing leaves the host. */
Test(track, req_timer_follows_from_announced_counts)
{
	struct story s;

	story_begin(&s, NULL);
	for (unsigned n = 0; n < 4; n++)
		SAY(&s, n ? 6400 : 0, ACTIVE, REQ, 0);
	s.t.last_ns += 13 * 6400 * 107 / 100 * MS;
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "timeout");
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>IDLE~");
	story_end(&s);
}

Test(track, dreq_retries_run_out)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	for (unsigned n = 0; n < 16; n++)
		SAY(&s, 6144, ACTIVE, DREQ, 0);
	s.t.last_ns += 20 * SECOND;
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "retries", "15");
	EXPECT(&s, 0, "p_state", "DREQ_RCVD"); /* its program never reacted */
	EXPECT_PATH(&s, 0, ACTIVE, CM,
		    "IDLE>REQ_SENT>REP_RCVD>ESTABLISHED>DREQ_SENT>TIMEWAIT~>IDLE~");
	EXPECT_EVENTS(&s, 0, ACTIVE, RESOLVED " CONNECT_RESPONSE/ESTABLISHED DISCONNECTED(-110)");
	story_end(&s);
}

/* All sixteen were seen, so the wait was over when a late DREP came: the program had its event. */
Test(track, late_drep_after_all_retries)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	for (unsigned n = 0; n < 16; n++)
		SAY(&s, 4350, PASSIVE, DREQ, 0);
	SAY(&s, 10000, ACTIVE, DREP, 0);
	tracked_finish(&s.t);
	EXPECT_EVENTS(&s, 0, PASSIVE, "CONNECT_REQUEST ESTABLISHED DISCONNECTED(-110)");
	EXPECT(&s, 0, "unexpected", "0");
	EXPECT(&s, 0, "closed_by", "passive");
	story_end(&s);
}

/* Only ten were seen: the capture may lack the others, and the answer is believed. */
Test(track, late_drep_after_some_retries)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	for (unsigned n = 0; n < 10; n++)
		SAY(&s, 4350, PASSIVE, DREQ, 0);
	SAY(&s, 60000, ACTIVE, DREP, 0);
	tracked_finish(&s.t);
	EXPECT_EVENTS(&s, 0, PASSIVE, "CONNECT_REQUEST ESTABLISHED DISCONNECTED");
	story_end(&s);
}

Test(track, client_gives_up)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 6144, ACTIVE, REQ, 0);
	SAY(&s, 1, PASSIVE, MRA, .service_timeout = 24);
	SAY(&s, 50000, ACTIVE, REJ, .reason = 4, .about = 2);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "timeout");
	EXPECT(&s, 0, "rej_reason", "4");
	EXPECT_EVENTS(&s, 0, PASSIVE, "CONNECT_REQUEST REJECTED(4)");
	story_end(&s);
}

/* Repeating a REQ shows that no REP came, though the capture has it. */
Test(track, rep_that_does_not_arrive)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 10, PASSIVE, REP, 0);
	SAY(&s, 6134, ACTIVE, REQ, 0);
	SAY(&s, 10, PASSIVE, REP, 0);
	SAY(&s, 5, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>ESTABLISHED~");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>REP_SENT>ESTABLISHED");
	EXPECT_EVENTS(&s, 0, ACTIVE, "ADDR_RESOLVED ROUTE_RESOLVED CONNECT_RESPONSE/ESTABLISHED");
	EXPECT(&s, 0, "unexpected", "0");
	story_end(&s);
}

/* One that left before the REP arrived only crossed it. */
Test(track, rep_that_crosses_a_repeated_req)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 6140, PASSIVE, REP, 0);
	SAY(&s, 4, ACTIVE, REQ, 0);
	SAY(&s, 5, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>REP_RCVD>ESTABLISHED");
	story_end(&s);
}

/*
 * No REP arrives at all: the passive side gives up, takes the next REQ for a new one with an id of
 * its own, and the active side gives up after all of its 16.
 */
Test(track, passive_side_asked_again_after_it_gave_up)
{
	struct story s;
	uint32_t id;

	story_begin(&s, NULL);
	s.cm_timeout = 19; /* 2.1 s: the REP's timer is the shorter one */
	SAY(&s, 0, ACTIVE, REQ, 0);
	id = s.id[RDT_PASSIVE];
	for (unsigned n = 0; n < 16; n++)
		SAY(&s, n ? 2100 : 10, PASSIVE, REP, 0);
	SAY(&s, 6000, ACTIVE, REQ, 0);
	SAY(&s, 10, PASSIVE, REP, .local = id + 7, .qpn = 0x77);
	for (unsigned n = 2; n < 16; n++)
		SAY(&s, 6144, ACTIVE, REQ, 0);
	s.now += 60 * SECOND;
	SAY(&s, 0, ACTIVE, REQ, .local = 0x4711, .tid = 0x4711);
	tracked_finish(&s.t);
	EXPECT_EVENTS(&s, 0, PASSIVE,
		      "CONNECT_REQUEST UNREACHABLE(-110) CONNECT_REQUEST UNREACHABLE(-110)");
	EXPECT_EVENTS(&s, 0, ACTIVE, "ADDR_RESOLVED ROUTE_RESOLVED UNREACHABLE(-110)");
	EXPECT(&s, 0, "outcome", "timeout");
	EXPECT(&s, 0, "p_qpn", "119");
	EXPECT(&s, 1, "outcome", "unanswered");
	story_end(&s);
}

/* A slow program: MRA of the REP. The kernel tells it of the answer once. */
Test(track, one_response_event)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 10, PASSIVE, REP, 0);
	SAY(&s, 4300, PASSIVE, REP, 0);
	SAY(&s, 1, ACTIVE, MRA, .about = 1, .service_timeout = 20);
	SAY(&s, 3000, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	EXPECT_EVENTS(&s, 0, ACTIVE, "ADDR_RESOLVED ROUTE_RESOLVED CONNECT_RESPONSE/ESTABLISHED");
	story_end(&s);
}

/* ---- repetitions: sent again, doubled by the network, seen twice by the capture ---------------- */

Test(track, who_made_the_copy)
{
	const struct rdt_entry *e;
	struct story s;
	size_t n;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 1, ACTIVE, REQ, .same_packet = 1);
	SAY(&s, 6144, ACTIVE, REQ, 0);
	tracked_finish(&s.t);
	n = rdt_journal_entries(s.t.journal, 0, &e, NULL);
	for (size_t i = 0, copy = 0; i < n; i++) {
		static const uint8_t kinds[] = { RDT_COPY_FIRST, RDT_COPY_DUPLICATED,
						 RDT_COPY_RESENT };

		if (e[i].kind != RDT_REC_msg)
			continue;
		cr_expect_eq(e[i].msg.copy, copy);
		cr_expect_eq(e[i].msg.copy_kind, kinds[copy]);
		copy++;
	}
	story_end(&s);
}

/* The same packet under two VLANs is one packet that the capture shows twice. */
Test(track, capture_that_shows_each_frame_twice)
{
	struct story s;

	story_begin(&s, NULL);
	for (int twice = 0; twice < 2; twice++)
		SAY(&s, 0, ACTIVE, REQ, .same_packet = twice, .vlan = twice ? 0 : 7);
	for (int twice = 0; twice < 2; twice++)
		SAY(&s, twice ? 0 : 10, PASSIVE, REP, .same_packet = twice, .vlan = twice ? 0 : 7);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "retries", "0");
	EXPECT(&s, 0, "msgs", "2");
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->duplicated, 2);
	story_end(&s);
}

/* REQ and REP begin alike: what the capture cut behind that is no second sight of the first. */
Test(track, cut_frames_are_not_taken_for_one)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, .cut = 64);
	SAY(&s, 1, PASSIVE, REP, .cut = 64);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->duplicated, 0);
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->stray, 2);
	story_end(&s);
}

/* ---- reuse of ids and QPNs ------------------------------------------------------------------- */

Test(track, same_ids_again_after_the_close)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	close_by(&s, RDT_ACTIVE);
	connect_both(&s); /* the very same words: a replay does that */
	close_by(&s, RDT_ACTIVE);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 2);
	for (uint32_t i = 0; i < 2; i++) {
		EXPECT(&s, i, "outcome", "closed");
		EXPECT(&s, i, "msgs", "5");
		EXPECT(&s, i, "retries", "0");
	}
	story_end(&s);
}

/* A retry of the application is a new connection, not a repetition: its ids differ. */
Test(track, application_asks_again)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 1, PASSIVE, REJ, .local = NO_ID, .reason = 8);
	SAY(&s, 1000, ACTIVE, REQ, .local = 0xa0000002, .tid = 0x200000002, .qpn = 0x12);
	SAY(&s, 1, PASSIVE, REJ, .local = NO_ID, .remote = 0xa0000002, .reason = 8);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 2);
	EXPECT(&s, 1, "n", "2");
	EXPECT(&s, 1, "outcome", "rejected");
	story_end(&s);
}

Test(track, comm_id_reused_by_another_connection)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 10, ACTIVE, REQ, .qpn = 0x99, .starting_psn = 5); /* same id and TID, other QP */
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 2);
	story_end(&s);
}

/* ---- captures that lack a part ----------------------------------------------------------------- */

Test(track, only_what_the_active_side_sends)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 10, ACTIVE, RTU, 0);
	SAY(&s, 10, ACTIVE, DREQ, 0);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "p_comm_id", "0xb0000001"); /* the RTU tells it */
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>ESTABLISHED~>DREQ_SENT");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>ESTABLISHED~>DREQ_RCVD");
	story_end(&s);
}

Test(track, only_what_the_passive_side_sends)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, PASSIVE, REP, 0);
	SAY(&s, 1000, PASSIVE, DREP, 0);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "active", "10.0.0.2");
	EXPECT(&s, 0, "mid", "1");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "?>REP_SENT~>TIMEWAIT~");
	story_end(&s);
}

Test(track, capture_begins_with_the_close)
{
	struct story s;

	story_begin(&s, NULL);
	close_by(&s, RDT_PASSIVE);
	SAY(&s, 1, ACTIVE, DREP, 0);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1);
	EXPECT(&s, 0, "outcome", "closed");
	EXPECT(&s, 0, "roles_guessed", "1");
	EXPECT(&s, 0, "unexpected", "0");
	story_end(&s);
}

/* Every message alone, and each cut at every length: something sensible, never a crash. */
Test(track, every_message_alone_and_cut)
{
	for (unsigned msg = RDT_MSG_REQ; msg <= RDT_MSG_APR; msg++) {
		for (unsigned cut = 1; cut <= 322; cut++) {
			struct story s;

			story_begin(&s, NULL);
			say(&s, 0, (struct say){ .msg = msg, .cut = cut, .reason = 28 });
			tracked_finish(&s.t);
			cr_expect_leq(rdt_tracker_conn_count(s.t.tracker), 1);
			/* 14 + 20 + 8 + 12 + 8 bytes to the MAD, 24 to the ids, 4 or 8 of them */
			if (cut >= 14 + 20 + 8 + 12 + 8 + 24 + 8)
				cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1,
					     "msg %u cut %u", msg, cut);
			else
				cr_expect_eq(rdt_tracker_stats(s.t.tracker)->data, 0);
			story_end(&s);
		}
	}
}

/* A damaged REQ does not reach its receiver: what follows must not build on it. */
Test(track, bad_icrc_does_not_arrive)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, .bad_icrc = 1);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "p_state", "IDLE");
	EXPECT(&s, 0, "a_state", "REQ_SENT");
	EXPECT(&s, 0, "outcome", "unanswered");
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->icrc_bad, 1);
	story_end(&s);
}

Test(track, dreq_with_another_qpn_is_dropped)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	SAY(&s, 1, ACTIVE, DREQ, .qpn = 0x777);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "a_state", "DREQ_SENT");
	EXPECT(&s, 0, "p_state", "ESTABLISHED");
	story_end(&s);
}

/* ---- SIDR ---------------------------------------------------------------------------------- */

Test(track, sidr)
{
	static const struct {
		unsigned status;
		const char *outcome, *active, *passive;
	} rows[] = {
		{ 0, "resolved", RESOLVED " ESTABLISHED", "CONNECT_REQUEST" },
		{ 1, "refused", RESOLVED " UNREACHABLE(1)", "" },
		{ 2, "refused", RESOLVED " UNREACHABLE(2)", "CONNECT_REQUEST" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct story s;

		story_begin(&s, NULL);
		SAY(&s, 0, ACTIVE, SIDR_REQ, 0);
		SAY(&s, 5, PASSIVE, SIDR_REP, .about = rows[i].status);
		tracked_finish(&s.t);
		EXPECT(&s, 0, "kind", "sidr");
		EXPECT(&s, 0, "service", "ud");
		EXPECT(&s, 0, "outcome", rows[i].outcome);
		EXPECT_EVENTS(&s, 0, ACTIVE, rows[i].active);
		EXPECT_EVENTS(&s, 0, PASSIVE, rows[i].passive);
		EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>SIDR_REQ_SENT>IDLE");
		story_end(&s);
	}
}

Test(track, sidr_unanswered)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, SIDR_REQ, 0);
	SAY(&s, 4096, ACTIVE, SIDR_REQ, 0);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1);
	EXPECT(&s, 0, "outcome", "unanswered");
	EXPECT(&s, 0, "retries", "1");
	story_end(&s);
}

/* ---- alternate path --------------------------------------------------------------------------- */

Test(track, alternate_path)
{
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	SAY(&s, 1, ACTIVE, LAP, 0);
	SAY(&s, 1, ACTIVE, LAP, 0);
	SAY(&s, 1, PASSIVE, MRA, .about = 2, .service_timeout = 20);
	SAY(&s, 1, PASSIVE, APR, 0);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "open");
	EXPECT_PATH(&s, 0, ACTIVE, LAP, "LAP_UNINIT>LAP_SENT>MRA_LAP_RCVD>LAP_IDLE");
	EXPECT_PATH(&s, 0, PASSIVE, LAP, "LAP_UNINIT>LAP_RCVD>MRA_LAP_SENT>LAP_IDLE");
	EXPECT(&s, 0, "unexpected", "0");
	story_end(&s);
}

/* ---- data ------------------------------------------------------------------------------------ */

Test(track, data_belongs_to_its_connection)
{
	const uint8_t aeth[4] = { 0 };
	struct story s;

	story_begin(&s, NULL);
	connect_both(&s);
	cr_expect_eq(send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200, NULL, 16).conn, 0);
	send_data(&s, 1, RDT_PASSIVE, RDT_OP_RC_ACK, 0x200, aeth, 0);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x201, NULL, 100);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x201, NULL, 100); /* again */
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x205, NULL, 100); /* three were lost */
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1);
	EXPECT(&s, 0, "data_pkts", "5");
	EXPECT(&s, 0, "data_bytes", "316");
	EXPECT(&s, 0, "retrans", "1");
	EXPECT(&s, 0, "a_first_psn", "512");
	EXPECT(&s, 0, "a_psn", "512");
	cr_expect_eq(rdt_tracker_conn(s.t.tracker, 0)->end[RDT_ACTIVE].data.gaps, 1);
	story_end(&s);
}

/* A READ takes as many PSNs as its response has packets: 2,500 bytes at MTU 1024 are three. */
Test(track, read_takes_the_psns_of_its_response)
{
	uint8_t reth[RDT_LEN_reth] = { 0 };
	struct story s;

	rdt_reth_set_dma_len(reth, 2500);
	story_begin(&s, NULL);
	connect_both(&s);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_READ_REQUEST, 0xfffffe, reth, 0);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x000001, NULL, 4);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "retrans", "0");
	cr_expect_eq(rdt_tracker_conn(s.t.tracker, 0)->end[RDT_ACTIVE].data.gaps, 0);
	story_end(&s);
}

/* The RTU is not in the capture, but data are: decided at the end, and said to be inferred. */
Test(track, data_without_rtu)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 10, PASSIVE, REP, 0);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200, NULL, 16);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "open");
	EXPECT_PATH(&s, 0, ACTIVE, CM, "IDLE>REQ_SENT>REP_RCVD>ESTABLISHED~");
	EXPECT_PATH(&s, 0, PASSIVE, CM, "IDLE>REQ_RCVD>REP_SENT>ESTABLISHED~");
	cr_expect_eq(rdt_tracker_conn(s.t.tracker, 0)->comm_est_frame, 3);
	EXPECT(&s, 0, "setup_ns", "null");
	story_end(&s);
}

/* The passive side asked for the RTU again after data had reached it: it was not established. */
Test(track, data_then_reply_again)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, 10, PASSIVE, REP, 0);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200, NULL, 16);
	SAY(&s, 4096, PASSIVE, REP, 0);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "p_state", "REP_SENT");
	EXPECT(&s, 0, "a_state", "ESTABLISHED");
	story_end(&s);
}

/* Directions that nobody announced: an ACK names the PSN of its request. */
Test(track, data_without_cm_pairs_by_ack)
{
	const uint8_t aeth[4] = { 0 };
	struct story s;

	story_begin(&s, NULL);
	s.qpn[RDT_PASSIVE] = 0x21;
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 1000, NULL, 16);
	s.qpn[RDT_PASSIVE] = 0x22;
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 90000, NULL, 16);
	s.qpn[RDT_ACTIVE] = 0x12;
	send_data(&s, 1, RDT_PASSIVE, RDT_OP_RC_ACK, 90000, aeth, 0);
	s.qpn[RDT_ACTIVE] = 0x11;
	send_data(&s, 1, RDT_PASSIVE, RDT_OP_RC_ACK, 1000, aeth, 0);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 2);
	EXPECT(&s, 0, "kind", "data");
	EXPECT(&s, 0, "a_qpn", "17");
	EXPECT(&s, 0, "p_qpn", "33");
	EXPECT(&s, 1, "a_qpn", "18");
	EXPECT(&s, 1, "p_qpn", "34");
	story_end(&s);
}

/* Both directions began with requests; the first ACK shows that they are one connection. */
Test(track, two_halves_become_one)
{
	const uint8_t aeth[4] = { 0 };
	struct story s;

	story_begin(&s, NULL);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 1000, NULL, 16);
	send_data(&s, 1, RDT_PASSIVE, RDT_OP_RC_SEND_ONLY, 5000, NULL, 16);
	send_data(&s, 1, RDT_PASSIVE, RDT_OP_RC_ACK, 1000, aeth, 0);
	send_data(&s, 1, RDT_ACTIVE, RDT_OP_RC_ACK, 5000, aeth, 0);
	SAY(&s, 1, ACTIVE, REQ, .local = 0xa0000005, .qpn = 0x55);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 3);
	cr_expect_null(rdt_tracker_conn(s.t.tracker, 1), "merged into the first");
	EXPECT(&s, 0, "data_pkts", "4");
	EXPECT(&s, 2, "n", "2"); /* numbers have no hole */
	story_end(&s);
}

/* ---- what comes before a REQ ------------------------------------------------------------------ */

/* When the side's rdma_cm id reached a state, in ms from the story's start; -1 if never. */
static int64_t reached(struct story *s, unsigned state)
{
	const struct rdt_entry *e;
	const size_t n = rdt_journal_entries(s->t.journal, 0, &e, NULL);

	for (size_t i = 0; i < n; i++)
		if (e[i].kind == RDT_REC_state && e[i].state.machine == RDT_MACHINE_RDMA &&
		    e[i].state.to == state)
			return (e[i].state.when.ns - STORY_START) / MS;
	return -1;
}

/* An ARP exchange just before the REQ: Ethernet, then RFC 826's 28 bytes. */
static void arp(struct story *s, int64_t ms, unsigned op, uint8_t from, uint8_t to)
{
	const uint8_t frame[42] = { 2,  0, 0, 0,    0, to, 2, 0,           0, 0, 0,  from, 8, 6,
				    0,  1, 8, 0,    6, 4,  0, (uint8_t)op, 2, 0, 0,  0,    0, from,
				    10, 0, 0, from, 0, 0,  0, 0,           0, 0, 10, 0,    0, to };

	s->now += ms * MS;
	tracked_feed(&s->t, RDT_LINK_ETHERNET, frame, sizeof(frame), sizeof(frame), s->now);
}

Test(track, address_phase_from_arp)
{
	struct story s;

	story_begin(&s, NULL);
	arp(&s, 100, 1, 2, 9); /* another neighbour */
	arp(&s, 100, 1, 2, 1);
	arp(&s, 50, 1, 2, 1); /* asked again */
	arp(&s, 50, 2, 1, 2);
	SAY(&s, 100, ACTIVE, REQ, 0);
	SAY(&s, 100, ACTIVE, REQ, .local = 0xa0000002, .tid = 5, .qpn = 0x12);
	tracked_finish(&s.t);
	cr_expect_eq(reached(&s, RDT_RDMA_ADDR_QUERY), 200);
	cr_expect_eq(reached(&s, RDT_RDMA_ADDR_RESOLVED), 300);
	cr_expect_eq(reached(&s, RDT_RDMA_ROUTE_RESOLVED), 300);
	cr_expect_eq(reached(&s, RDT_RDMA_CONNECT), 400);
	story_end(&s);
}

/* Native InfiniBand: the SA is asked for the path to a GID and answers with its LID. */
Test(track, route_phase_from_path_record)
{
	const struct rdt_addr sa = rdt_addr_lid(1);
	uint8_t mad[RDT_MAD_LEN] = { 0 };
	uint8_t *record = mad + RDT_LEN_mad + RDT_LEN_rmpp + RDT_LEN_sa;
	struct story s;

	story_begin(&s, NULL);
	s.packet.encap = RDT_ENCAP_IB;
	s.packet.ethernet = 0;
	s.addr[RDT_ACTIVE] = rdt_addr_lid(17);
	s.addr[RDT_PASSIVE] = rdt_addr_lid(18);
	rdt_mad_set_base_version(mad, 1);
	rdt_mad_set_mgmt_class(mad, RDT_CLASS_SA);
	rdt_mad_set_class_version(mad, 2);
	rdt_mad_set_method(mad, RDT_METHOD_GET);
	rdt_mad_set_tid(mad, 99);
	rdt_mad_set_attr_id(mad, RDT_SA_ATTR_PATH);
	rdt_pathrec_set_dlid(record, 18);
	send_mad(&s, 10, RDT_ACTIVE, sa, mad);
	rdt_mad_set_method(mad, RDT_METHOD_GET_RESP);
	send_mad(&s, 30, RDT_PASSIVE, sa, mad);
	connect_both(&s);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "active", "lid:17");
	EXPECT(&s, 0, "outcome", "open");
	cr_expect_eq(reached(&s, RDT_RDMA_ROUTE_QUERY), 10);
	cr_expect_eq(reached(&s, RDT_RDMA_ROUTE_RESOLVED), 40);
	cr_expect_eq(reached(&s, RDT_RDMA_CONNECT), 50);
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->other_mads, 2);
	story_end(&s);
}

/* ---- bounds ------------------------------------------------------------------------------------ */

static unsigned evicted;

static void count_evicted(void *user, const struct rdt_conn *conn)
{
	(void)user;
	cr_assert_eq(conn->n, ++evicted, "evicted in order, numbered");
}

Test(track, too_many_connections_evict_the_oldest)
{
	const struct rdt_track_opts opts = { .max_conns = 100 };
	const struct rdt_sink sink = { .evict = count_evicted };
	struct story s;

	story_begin(&s, NULL);
	rdt_tracker_free(s.t.tracker);
	s.t.tracker = rdt_tracker_new(&tracked_memory, &opts, &sink);
	rdt_why_set_tracker(s.t.why, s.t.tracker);
	for (uint32_t i = 0; i < 1000; i++)
		SAY(&s, 1, ACTIVE, REQ, .local = 0xa0000010 + i, .tid = i + 1, .qpn = 0x100 + i);
	/* an id of one that is gone begins a new one; one that is here does not */
	cr_expect_eq(SAY(&s, 1, ACTIVE, DREQ, .local = 0xa0000010, .remote = 0xb).conn, 1000);
	cr_expect_eq(
		SAY(&s, 1, ACTIVE, REQ, .local = 0xa0000010 + 999, .tid = 1000, .qpn = 0x100 + 999)
			.conn,
		999);
	tracked_finish(&s.t);
	cr_expect_eq(evicted, 901);
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->evicted, 901);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1001);
	cr_expect_null(rdt_tracker_conn(s.t.tracker, 900));
	cr_expect(rdt_tracker_conn(s.t.tracker, 901));
	story_end(&s);
}

Test(track, too_many_addresses_are_counted)
{
	const struct rdt_track_opts opts = { .max_addrs = 10 };
	struct story s;

	story_begin(&s, &opts);
	for (uint32_t i = 0; i < 30; i++) {
		s.addr[0] = rdt_addr_ipv4(0x0a000100 + i);
		SAY(&s, 1, ACTIVE, REQ, .local = 0xa0000010 + i);
	}
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 9);
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->lost_addrs, 21);
	story_end(&s);
}

/* Memory ends at every point in turn: an error is returned, nothing leaks, nothing crashes. */
Test(track, out_of_memory_anywhere)
{
	bool failed = false, worked = false;

	for (unsigned budget = 0; budget < 40; budget++) {
		unsigned left = budget;
		const struct rdt_memory memory = { tracked_scarce, &left };
		struct rdt_tracker *t = rdt_tracker_new(&memory, NULL, NULL);
		struct story s;

		if (!t)
			continue;
		story_begin(&s, NULL);
		connect_both(&s);
		for (uint32_t i = 0; i < 3; i++) {
			uint8_t frame[512];
			size_t len;
			struct rdt_packet p = s.packet;
			struct rdt_frame f;
			struct rdt_when when = { STORY_START, i + 1, 0 };
			enum rdt_status status;

			p.src = s.addr[0];
			p.dst = s.addr[1];
			p.opcode = RDT_OP_RC_SEND_ONLY;
			p.dest_qpn = 5 + i;
			cr_assert_eq(rdt_packet_encode(&p, frame, sizeof(frame), &len), RDT_OK);
			rdt_frame_parse(RDT_LINK_ETHERNET, frame, len, len, 0, &f);
			status = rdt_tracker_feed(t, &f, &when, NULL);
			failed |= status == RDT_NO_MEMORY;
			worked |= status == RDT_OK;
		}
		rdt_tracker_finish(t, STORY_START);
		rdt_tracker_free(t);
		story_end(&s);
	}
	cr_expect(failed && worked);
}

/* ---- time -------------------------------------------------------------------------------------- */

Test(track, time_that_runs_backwards)
{
	struct story s;

	story_begin(&s, NULL);
	SAY(&s, 0, ACTIVE, REQ, 0);
	SAY(&s, -5000, PASSIVE, REP, 0);
	SAY(&s, -5000, ACTIVE, RTU, 0);
	tracked_finish(&s.t);
	EXPECT(&s, 0, "outcome", "open");
	EXPECT(&s, 0, "setup_ns", "null"); /* no negative duration is claimed */
	cr_expect_eq(rdt_tracker_stats(s.t.tracker)->time_back, 2);
	story_end(&s);
}

/* The id names the same connection in a capture of it that begins later, and from either end. */
Test(track, id_is_the_same_in_any_capture)
{
	struct story whole, part;
	const struct rdt_conn *a, *b;

	story_begin(&whole, NULL);
	connect_both(&whole);
	close_by(&whole, RDT_PASSIVE);
	tracked_finish(&whole.t);
	story_begin(&part, NULL);
	close_by(&part, RDT_PASSIVE);
	tracked_finish(&part.t);
	a = rdt_tracker_conn(whole.t.tracker, 0);
	b = rdt_tracker_conn(part.t.tracker, 0);
	cr_expect_eq(rdt_conn_id(a), rdt_conn_id(b));
	story_end(&whole);
	story_end(&part);
}

/* ---- other transports ---------------------------------------------------------------------------- */

static void check_transport(enum rdt_encap encap, struct rdt_addr a, struct rdt_addr p,
			    const char *transport, const char *active)
{
	struct story s;

	story_begin(&s, NULL);
	s.packet.encap = encap;
	s.packet.ethernet = encap != RDT_ENCAP_IB;
	s.packet.slid = 17;
	s.packet.dlid = 18;
	s.addr[0] = a;
	s.addr[1] = p;
	connect_both(&s);
	close_by(&s, RDT_ACTIVE);
	tracked_finish(&s.t);
	cr_expect_eq(rdt_tracker_conn_count(s.t.tracker), 1, "%s", transport);
	EXPECT(&s, 0, "transport", transport);
	EXPECT(&s, 0, "active", active);
	EXPECT(&s, 0, "outcome", "closed");
	story_end(&s);
}

Test(track, transports)
{
	static const uint8_t a6[16] = { 0xfd, [15] = 2 }, p6[16] = { 0xfd, [15] = 1 };

	check_transport(RDT_ENCAP_ROCEV2, rdt_addr_gid(a6), rdt_addr_gid(p6), "rocev2", "fd00::2");
	check_transport(RDT_ENCAP_ROCEV1, rdt_addr_gid(a6), rdt_addr_gid(p6), "rocev1", "fd00::2");
	check_transport(RDT_ENCAP_IB, rdt_addr_gid(a6), rdt_addr_gid(p6), "ib", "fd00::2");
}
