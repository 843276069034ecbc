// SPDX-License-Identifier: BSD-2-Clause
/*
 * What is answered to the requests of one direction: acknowledges, NAKs, RNR NAKs, responses of
 * READs and atomics. Every answer with a PSN acknowledges all before it.
 */
#include "data.h"

#include "rdmatrace/psn.h"
#include "rdmatrace/text.h"

/* An acknowledge so far ahead of what was captured is of another beginning. */
#define JUMP 65536

static void count(uint32_t *counter, uint32_t n)
{
	*counter = n < UINT32_MAX - *counter ? *counter + n : UINT32_MAX;
}

/* ---- what an acknowledge ends --------------------------------------------------------------------- */

static bool longer(const struct rdt_flow_stall *a, const struct rdt_flow_stall *b)
{
	if (!b->tries)
		return true;
	return a->last_ns - a->first_ns > b->last_ns - b->first_ns;
}

static void complete(struct rdt_tracker *t, struct window *w, uint32_t psn, int64_t ns)
{
	while (w->waiting) {
		const struct pending *p = &w->pending[w->head];

		if (rdt_psn_diff(p->last, psn) > 0 || (w->waiting == 1 && w->tail_open))
			break;
		if (p->ns != INT64_MIN && ns >= p->ns)
			flow_timed(t, &w->pub, p->opcode, (uint64_t)(ns - p->ns));
		w->head = (uint8_t)((w->head + 1) % PENDING);
		w->waiting--;
	}
}

/* PSNs that were acknowledged and that nobody has seen. */
static void unseen(struct rdt_tracker *t, struct slot *s, enum rdt_side side, struct window *w,
		   uint32_t psn, const struct rdt_when *when)
{
	struct rdt_data *d = &s->pub.end[side].data;
	uint32_t n = w->missing_count ? path_unseen(w, psn) : 0;
	int32_t ahead;

	if (s->priv[side].data_known && d->first_frame) {
		ahead = rdt_psn_diff(psn, d->next_psn) + 1;
		if (ahead > 0 && ahead < JUMP) {
			n += (uint32_t)ahead;
			d->next_psn = rdt_psn_add(psn, 1);
		} else if (ahead >= JUMP) {
			s->priv[side].data_known = 0;
		}
	}
	if (n)
		flow_event(t, s, side, RDT_FLOW_UNSEEN, psn, n, when);
}

/* All up to psn has arrived. Returns how many PSNs this acknowledges that were not yet. */
static uint32_t acknowledge(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
			    struct window *w, uint32_t psn, const struct rdt_when *when)
{
	struct rdt_flow *flow = &w->pub;
	const struct rdt_data *d = &s->pub.end[side].data;
	const bool first = !flow->has_acked;
	int32_t n = first ? (d->first_frame ? rdt_psn_diff(psn, d->first_psn) + 1 : 1)
			  : rdt_psn_diff(psn, flow->acked);

	if (n <= 0 && !first)
		return 0;
	/* The NAK of the very first request acknowledges what lies before it: nothing new. */
	if (n < 0)
		n = 0;
	flow->has_acked = 1;
	flow->acked = psn;
	unseen(t, s, side, w, psn, when);
	complete(t, w, psn, when->ns);
	if (flow->stall.tries && rdt_psn_diff(psn, flow->stall.psn) >= 0) {
		flow->stall.last_ns = when->ns;
		if (longer(&flow->stall, &flow->worst))
			flow->worst = flow->stall;
		flow->stall.tries = 0;
	}
	if (w->nak_open && rdt_psn_diff(psn, w->nak_psn) >= 0)
		w->nak_open = 0;
	if (w->rnr_open && rdt_psn_diff(psn, w->rnr_psn) >= 0)
		w->rnr_open = 0;
	return (uint32_t)n;
}

/* ---- NAKs ------------------------------------------------------------------------------------------ */

static const struct pending *request_of(const struct window *w, uint32_t psn)
{
	for (unsigned i = 0; i < w->waiting; i++) {
		const struct pending *p = &w->pending[(w->head + i) % PENDING];

		if (rdt_psn_diff(psn, p->first) >= 0 && rdt_psn_diff(psn, p->last) <= 0)
			return p;
	}
	return NULL;
}

static void fatal(struct window *w, unsigned code, uint32_t psn, const struct rdt_when *when)
{
	struct rdt_flow *flow = &w->pub;
	const struct pending *p = request_of(w, psn);

	flow->nak_frame = when->frame;
	flow->nak_input = when->input;
	flow->nak_code = (uint8_t)code;
	flow->nak = (struct rdt_flow_packet){ .psn = psn, .input = when->input };
	if (p)
		flow->nak = (struct rdt_flow_packet){ .ns = p->ns,
						      .frame = p->frame,
						      .psn = psn,
						      .input = p->input,
						      .opcode = p->opcode };
	else if (flow->last.frame && flow->last.psn == psn)
		flow->nak = flow->last;
}

static void nak(struct rdt_tracker *t, struct slot *s, enum rdt_side side, struct window *w,
		uint32_t psn, unsigned code, const struct rdt_when *when)
{
	static const uint8_t events[] = { RDT_FLOW_NAK_SEQUENCE, RDT_FLOW_NAK_REQUEST,
					  RDT_FLOW_NAK_ACCESS, RDT_FLOW_NAK_OPERATION,
					  RDT_FLOW_NAK_RD };

	flow_event(t, s, side, code < sizeof(events) ? events[code] : RDT_FLOW_NAK_RESERVED, psn, 1,
		   when);
	if (code != RDT_NAK_PSN) {
		fatal(w, code, psn, when);
		return;
	}
	w->nak_open = 1;
	w->nak_psn = psn;
}

static void rnr(struct rdt_tracker *t, struct slot *s, enum rdt_side side, struct window *w,
		uint32_t psn, unsigned code, const struct rdt_when *when)
{
	struct rdt_flow *flow = &w->pub;

	flow_event(t, s, side, RDT_FLOW_RNR, psn, 1, when);
	if (rdt_rnr_timer_ns(code) > (flow->rnr_ns ? rdt_rnr_timer_ns(flow->rnr_code) : 0))
		flow->rnr_code = (uint8_t)code;
	flow->rnr_ns += rdt_rnr_timer_ns(code);
	w->rnr_open = 1;
	w->rnr_psn = psn;
}

/* ---- message sequence numbers and responses --------------------------------------------------------- */

/*
 * The MSN counts messages that the responder completed: with later PSNs it does not go back, and
 * no further than a message a PSN.
 */
static void check_msn(struct rdt_tracker *t, struct slot *s, enum rdt_side side, struct window *w,
		      uint32_t psn, uint32_t msn, const struct rdt_when *when)
{
	const int32_t on = rdt_psn_diff(psn, w->msn_psn), more = rdt_psn_diff(msn, w->msn);

	if (w->msn_known && on >= 0 && (more < 0 || more > on + 1))
		flow_event(t, s, side, RDT_FLOW_MSN_BACK, psn, 1, when);
	if (w->msn_known && on < 0)
		return;
	w->msn_known = 1;
	w->msn = msn;
	w->msn_psn = psn;
}

static void response(struct rdt_tracker *t, struct slot *s, enum rdt_side side, struct window *w,
		     const struct rdt_pkt *pkt, uint32_t psn, const struct rdt_when *when)
{
	struct rdt_data *d = &s->pub.end[side].data;
	const bool begins = pkt->op->place == RDT_OP_FIRST || pkt->op->place == RDT_OP_ONLY;
	const bool ends = pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY;
	const int32_t ahead = w->resp_known ? rdt_psn_diff(psn, w->resp_psn) : 0;

	count(&w->pub.response_pkts, 1);
	if (pkt->op->place == RDT_OP_FIRST || pkt->op->place == RDT_OP_MIDDLE)
		w->pub.mtu = w->pub.mtu ? w->pub.mtu : pkt->payload_len;
	/* One that begins may be that of a later READ: others were acknowledged between. */
	if (ahead > 0 && !begins) {
		flow_event(t, s, side, RDT_FLOW_ANSWER_GAP, psn, (uint32_t)ahead, when);
		w->answer_open = 1;
	} else if (ahead < 0) {
		flow_event(t, s, side, RDT_FLOW_ANSWER_AGAIN, psn, 1, when);
		return;
	}
	w->resp_known = 1;
	w->resp_psn = rdt_psn_add(psn, 1);
	/* Where the size of its packets was not known, the end of the response tells what the READ took. */
	if (ends && d->first_frame && !s->priv[side].data_known &&
	    rdt_psn_diff(psn, d->next_psn) >= -1 &&
	    w->pub.last.psn == rdt_psn_add(d->next_psn, RDT_PSN_MASK)) {
		d->next_psn = rdt_psn_add(psn, 1);
		s->priv[side].data_known = 1;
	}
}

/* ---- one answer --------------------------------------------------------------------------------------- */

void path_answer(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		 const struct rdt_pkt *pkt, const struct rdt_when *when)
{
	struct flow_pair *pair = flow_get(t, s);
	struct window *w = pair ? &pair->side[side] : NULL;
	const uint8_t *aeth = pkt_whole(pkt) ? rdt_pkt_aeth(pkt) : NULL;
	const uint32_t psn = rdt_bth_psn(pkt->bth);
	const unsigned kind = aeth ? rdt_aeth_kind(aeth) : RDT_AETH_ACK;
	const unsigned value = aeth ? rdt_aeth_value(aeth) : 31;
	const bool ack = (rdt_bth_opcode(pkt->bth) & 0x1f) == RDT_OP_RC_ACK;
	uint32_t n;

	if (!w || s->pub.service == RDT_SVC_RD)
		return;
	w->pub.ack_ns = when->ns;
	w->pub.ack_frame = when->frame;
	w->pub.ack_input = when->input;
	if (!ack)
		response(t, s, side, w, pkt, psn, when);
	/* ACK or NAK, the capture cut it: all before its PSN arrived, whichever it is. */
	if (ack && !aeth) {
		count(&w->pub.unread, 1);
		acknowledge(t, s, side, w, rdt_psn_add(psn, RDT_PSN_MASK), when);
		return;
	}
	if (kind == RDT_AETH_NAK || kind == RDT_AETH_RNR) {
		/* What a NAK names was not taken; all before it was. */
		acknowledge(t, s, side, w, rdt_psn_add(psn, RDT_PSN_MASK), when);
		if (kind == RDT_AETH_NAK)
			nak(t, s, side, w, psn, value, when);
		else
			rnr(t, s, side, w, psn, value, when);
		return;
	}
	n = acknowledge(t, s, side, w, psn, when);
	if (aeth)
		check_msn(t, s, side, w, psn, rdt_aeth_msn(aeth), when);
	if (!ack)
		return;
	count(&w->pub.acks, 1);
	count(&w->pub.acked_psns, n);
	if (n > w->pub.ack_most)
		w->pub.ack_most = n;
	/* Credits count only where the connection uses end-to-end flow control: 31 says it does not. */
	if (!value && n)
		flow_event(t, s, side, RDT_FLOW_NO_CREDIT, psn, 1, when);
}
