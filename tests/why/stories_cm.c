// SPDX-License-Identifier: BSD-2-Clause
/* Setting up and closing. */
#include "why/stories.h"

#include <string.h>

void wait_ms(struct story *s, int64_t ms)
{
	/* Ethernet, and a type that nothing is known of. */
	static const uint8_t frame[60] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5 };

	send_raw(s, ms, frame, sizeof(frame));
}

static void healthy(struct story *s)
{
	connect_both(s);
	for (unsigned i = 0; i < 20; i++) {
		send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200 + i, NULL, 64);
		send_ack(s, 1, RDT_PASSIVE, 0x200 + i, ACK, i + 1);
		send_data(s, 1, RDT_PASSIVE, RDT_OP_RC_SEND_ONLY, 0x100 + i, NULL, 64);
		send_ack(s, 1, RDT_ACTIVE, 0x100 + i, ACK, i + 1);
	}
	close_by(s, RDT_ACTIVE);
	wait_ms(s, 5000);
}

/* ---- refused ------------------------------------------------------------------------------------ */

static void backlog(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 6200, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, MRA, .service_timeout = 24);
	SAY(s, 9000, PASSIVE, REJ, .reason = 28);
}

static void refused_with_words(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 6200, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, MRA, .service_timeout = 24);
	SAY(s, 9000, PASSIVE, REJ, .reason = 28, .private_data = "no");
}

static void cut_reject(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	/* Ethernet, IP, UDP, BTH, DETH, MAD header and 12 bytes of the REJ */
	SAY(s, 1, PASSIVE, REJ, .local = NO_ID, .reason = 28, .cut = 42 + 12 + 8 + 24 + 12);
}

static void reject_12(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, REJ, .local = NO_ID, .reason = 12);
}

static void reject_26(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, REJ, .reason = 26);
}

static void simultaneous(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, REQ, .local = 0xc0000001, .tid = 0x300000001, .qpn = 0x31);
	SAY(s, 1, PASSIVE, REJ, .reason = 28);
	SAY(s, 1, ACTIVE, REJ, .local = 0xd0000001, .remote = 0xc0000001, .reason = 28,
	    .tid = 0x300000001);
}

static void storm(struct story *s)
{
	for (unsigned i = 0; i < 50; i++) {
		SAY(s, 5, ACTIVE, REQ, .local = 0xa0000100 + i, .tid = 0x200000100 + i,
		    .qpn = 0x100 + i);
		SAY(s, 1, PASSIVE, REJ, .local = NO_ID, .remote = 0xa0000100 + i,
		    .tid = 0x200000100 + i, .reason = 8);
	}
}

/* ---- not answered, late ---------------------------------------------------------------------------- */

static void sidr_silence(struct story *s)
{
	for (unsigned i = 0; i < 3; i++)
		SAY(s, i ? 4096 : 0, ACTIVE, SIDR_REQ, 0);
	wait_ms(s, 4000);
}

static void half_open(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 10, PASSIVE, REP, 0);
	wait_ms(s, 3000);
}

static void mra_and_silence(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 6200, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, MRA, .service_timeout = 24);
	wait_ms(s, 20000);
}

static void slow_answer(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 3000, PASSIVE, REP, 0);
	SAY(s, 10, ACTIVE, RTU, 0);
	close_by(s, RDT_ACTIVE);
}

/* A REQ is missing in the capture: 12.3 s are two times 6.144 s. */
static void hidden_retry(struct story *s)
{
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 12300, ACTIVE, REQ, 0);
	SAY(s, 10, PASSIVE, REP, 0);
	SAY(s, 10, ACTIVE, RTU, 0);
	close_by(s, RDT_ACTIVE);
}

static void dreq_of_another_qp(struct story *s)
{
	connect_both(s);
	SAY(s, 10, ACTIVE, DREQ, .qpn = 0x99);
	wait_ms(s, 3000);
}

/* The answer follows the copy at once: the program was not slow. A second later it can be. */
static void dreq_again(struct story *s)
{
	connect_both(s);
	SAY(s, 10, ACTIVE, DREQ, 0);
	SAY(s, 6200, ACTIVE, DREQ, 0);
	SAY(s, 2, PASSIVE, DREP, 0);
}

static void dreq_again_and_slow(struct story *s)
{
	connect_both(s);
	SAY(s, 10, ACTIVE, DREQ, 0);
	SAY(s, 6200, ACTIVE, DREQ, 0);
	SAY(s, 1600, PASSIVE, DREP, 0);
}

/* An MRA of the REP, when the close has begun. */
static void unexpected(struct story *s)
{
	connect_both(s);
	SAY(s, 10, ACTIVE, DREQ, 0);
	SAY(s, 10, PASSIVE, MRA, .about = 1, .service_timeout = 20);
	SAY(s, 10, PASSIVE, DREP, 0);
}

/* ---- used again ---------------------------------------------------------------------------------------- */

static void qpn_again(struct story *s)
{
	connect_both(s);
	SAY(s, 100, ACTIVE, REQ, .local = 0xa0000002, .tid = 0x200000002);
	SAY(s, 10, PASSIVE, REP, .local = 0xb0000002, .remote = 0xa0000002, .tid = 0x200000002,
	    .qpn = 0x22);
	SAY(s, 10, ACTIVE, RTU, .local = 0xa0000002, .remote = 0xb0000002, .tid = 0x200000002);
}

static void id_again(struct story *s)
{
	connect_both(s);
	SAY(s, 100, ACTIVE, REQ, .tid = 0x200000002, .qpn = 0x12);
	SAY(s, 10, PASSIVE, REP, .local = 0xb0000002, .tid = 0x200000002, .qpn = 0x22);
	SAY(s, 10, ACTIVE, RTU, .remote = 0xb0000002, .tid = 0x200000002);
}

/* ---- parameters -------------------------------------------------------------------------------------------- */

static void other_psn(struct story *s)
{
	connect_both(s);
	send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x9000, NULL, 64);
	send_ack(s, 1, RDT_PASSIVE, 0x9000, ACK, 1);
}

static void depths(struct story *s)
{
	s->depth[RDT_PASSIVE] = 16;
	connect_both(s);
}

static void other_gid(struct story *s)
{
	s->req_addr[RDT_ACTIVE] = rdt_addr_ipv4(0xc0a80102);
	connect_both(s);
}

static void full_private_data(struct story *s)
{
	static char text[149];

	memset(text, 'x', 148);
	SAY(s, 0, ACTIVE, REQ, 0);
	SAY(s, 1, PASSIVE, REJ, .reason = 28, .private_data = text);
}

static void no_timer(struct story *s)
{
	s->ack_timeout = 0;
	connect_both(s);
}

static void long_timer(struct story *s)
{
	s->ack_timeout = 22;
	connect_both(s);
}

static void short_timer(struct story *s)
{
	s->ack_timeout = 10; /* 4.2 ms */
	connect_both(s);
	for (unsigned i = 0; i < 10; i++) {
		send_data(s, 1, RDT_ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200 + i, NULL, 64);
		send_ack(s, 20, RDT_PASSIVE, 0x200 + i, ACK, i + 1);
	}
}

static void no_retry(struct story *s)
{
	s->retry_count = 0;
	connect_both(s);
}

static void rnr_differ(struct story *s)
{
	s->rnr_retry[RDT_PASSIVE] = 0;
	connect_both(s);
}

const struct why_story stories_cm[] = {
	{ "healthy", "", healthy },
	{ "backlog", "CM-REJ-28-BACKLOG", backlog },
	{ "refused-with-words", "CM-REJ-28", refused_with_words },
	{ "cut-reject", "CM-REJ-28-CUT CAP-TRUNC", cut_reject },
	{ "reject-12", "CM-REJ-12", reject_12 },
	{ "reject-26", "CM-REJ-26", reject_26 },
	{ "simultaneous", "CM-REJ-28 CM-SIMULTANEOUS", simultaneous },
	{ "storm", "CM-REJ-8 CM-STORM", storm },
	{ "sidr-silence", "CM-SIDR-NOANSWER", sidr_silence },
	{ "half-open", "CM-HALFOPEN", half_open },
	{ "mra-and-silence", "CM-MRA-UNANSWERED", mra_and_silence },
	{ "slow-answer", "CM-SLOW", slow_answer },
	{ "hidden-retry", "CM-REQ-RETRY", hidden_retry },
	{ "dreq-again", "CM-DREQ-RETRY", dreq_again },
	{ "dreq-again-and-slow", "CM-DREQ-SLOW", dreq_again_and_slow },
	{ "dreq-of-another-qp", "CM-DREQ-QPN", dreq_of_another_qp },
	{ "unexpected", "CM-UNEXPECTED", unexpected },
	{ "qpn-again", "CM-QPN-REUSE", qpn_again },
	{ "id-again", "CM-ID-REUSE", id_again },
	{ "other-psn", "CM-PSN-MISMATCH", other_psn },
	{ "depths", "CM-DEPTH", depths },
	{ "other-gid", "CM-GID-MISMATCH", other_gid },
	{ "full-private-data", "CM-REJ-28 CM-PDATA-LIMIT", full_private_data },
	{ "no-timer", "CM-TIMERS-ZERO", no_timer },
	{ "long-timer", "CM-TIMERS-LONG", long_timer },
	{ "short-timer", "CM-TIMERS-SHORT", short_timer },
	{ "no-retry", "CM-RETRY-ZERO", no_retry },
	{ "rnr-differ", "CM-RNR-DIFFER", rnr_differ },
	{ NULL, NULL, NULL },
};
