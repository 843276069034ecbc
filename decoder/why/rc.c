// SPDX-License-Identifier: BSD-2-Clause
/* The data path of reliable services: NAKs, receivers that are not ready, repetitions, silence. */
#include "internal.h"

#include "rdmatrace/psn.h"
#include "rdmatrace/text.h"

#define SILENCE_NS NS_PER_S
/* The timer of an RNR NAK, and some time for the packet itself. */
#define RNR_SLACK_NS (NS_PER_S / 10)

static const struct rdt_flow_count *event_of(const struct rdt_flow *flow, enum rdt_flow_event event)
{
	return &flow->events[event];
}

void add_event(struct rdt_finding *f, enum rdt_why_value value, const struct rdt_flow *flow,
	       enum rdt_flow_event event)
{
	const struct rdt_flow_count *c = event_of(flow, event);

	why_add(f, value, c->count, c->first_frame, c->first_input);
}

/* How the sender's QP was told to retry: the REQ's retry count is for both sides. */
static void add_retry(struct rdt_finding *f, const struct look *k)
{
	const struct rdt_params *p = &k->c->params;

	if (!p->has_req)
		return;
	why_add(f, RDT_WHY_V_RETRY, p->retry_count, k->c->first_frame, k->c->input);
	if (p->ack_timeout)
		why_add(f, RDT_WHY_V_ACK_TIMEOUT, rdt_cm_timeout_ns(p->ack_timeout),
			k->c->first_frame, k->c->input);
}

static void add_waits(struct rdt_finding *f, const struct rdt_flow_stall *stall)
{
	for (unsigned i = 0; i < stall->tries && i < RDT_FLOW_WAITS; i++)
		why_add(f, RDT_WHY_V_WAIT, (uint64_t)stall->wait_us[i] * 1000, 0, 0);
}

static void add_stall(struct rdt_finding *f, const struct rdt_flow_stall *stall)
{
	why_add(f, RDT_WHY_V_PSN, stall->psn, stall->first_frame, stall->first_input);
	why_add(f, RDT_WHY_V_OPCODE, stall->opcode, stall->first_frame, stall->first_input);
	why_add(f, RDT_WHY_V_SENT, stall->tries, stall->last_frame, stall->last_input);
	why_add_ns(f, RDT_WHY_V_WAITED, stall->last_ns - stall->first_ns, stall->last_frame,
		   stall->last_input);
}

/* ---- NAKs that end the connection --------------------------------------------------------------- */

static void nak(const struct look *k, const struct rdt_flow *flow, enum rdt_side side)
{
	static const uint16_t codes[] = { RDT_WHY_RC_NAK, RDT_WHY_RC_NAK_1, RDT_WHY_RC_NAK_2,
					  RDT_WHY_RC_NAK_3 };
	struct rdt_finding *f;

	if (!flow->nak_frame)
		return;
	f = why_begin(k, flow->nak_code < 4 ? codes[flow->nak_code] : RDT_WHY_RC_NAK, side, 100);
	why_add(f, RDT_WHY_V_NAK, flow->nak_code, flow->nak_frame, flow->nak_input);
	why_add(f, RDT_WHY_V_PSN, flow->nak.psn, flow->nak.frame, flow->nak.input);
	if (flow->nak.frame)
		why_add(f, RDT_WHY_V_OPCODE, flow->nak.opcode, flow->nak.frame, flow->nak.input);
	why_emit(k->w, f);
}

/* ---- receiver not ready --------------------------------------------------------------------------- */

static bool rnr_is_last(const struct look *k, const struct rdt_flow *flow)
{
	const struct rdt_flow_count *c = event_of(flow, RDT_FLOW_RNR);
	const int64_t wait = (int64_t)rdt_rnr_timer_ns(flow->rnr_code) + RNR_SLACK_NS;

	/* The last answer of all was an RNR NAK, and the sender had time to try again, or gave up. */
	return c->last_frame == flow->ack_frame && c->last_input == flow->ack_input &&
	       (k->c->has_close || look_end(k) - flow->ack_ns > wait);
}

static void rnr(const struct look *k, const struct rdt_flow *flow, enum rdt_side side)
{
	const struct rdt_end *receiver = &k->c->end[rdt_side_other(side)];
	const bool announced = k->c->kind == RDT_CONN_CM && k->c->params.has_req &&
			       (side == RDT_PASSIVE || k->c->params.has_rep);
	enum rdt_why_code code = RDT_WHY_RC_RNR;
	struct rdt_finding *f;

	if (!event_of(flow, RDT_FLOW_RNR)->count)
		return;
	if (rnr_is_last(k, flow))
		code = announced && !receiver->rnr_retry ? RDT_WHY_RC_RNR_ZERO : RDT_WHY_RC_RNR_EXC;
	f = why_begin(k, code, side, code == RDT_WHY_RC_RNR ? 100 : 90);
	add_event(f, RDT_WHY_V_PACKETS, flow, RDT_FLOW_RNR);
	why_add(f, RDT_WHY_V_RNR_TIME, flow->rnr_ns, 0, 0);
	if (code != RDT_WHY_RC_RNR) {
		const struct rdt_flow_stall *s = &flow->stall;

		why_add(f, RDT_WHY_V_PSN, s->tries ? s->psn : flow->last.psn,
			s->tries ? s->first_frame : flow->last.frame, k->c->input);
		why_add(f, RDT_WHY_V_SENT, s->tries, s->last_frame, s->last_input);
		if (announced)
			why_add(f, RDT_WHY_V_RNR_RETRY, receiver->rnr_retry, 0, 0);
	}
	why_emit(k->w, f);
}

/* ---- no answer at all -------------------------------------------------------------------------------- */

/* The first of the messages of several packets was never acknowledged, shorter ones were. */
static bool full_packets_lost(const struct rdt_flow *flow)
{
	return flow->has_full && flow->stall.psn == flow->full_psn && flow->acks &&
	       !event_of(flow, RDT_FLOW_NAK_SEQUENCE)->count && flow->stall.tries > 1;
}

static void no_answer(const struct look *k, const struct rdt_flow *flow, enum rdt_side side)
{
	const struct rdt_flow_stall *s = &flow->stall;
	const unsigned silent = s->tries > s->rnr ? s->tries - s->rnr : 0;
	const bool read = rdt_flow_op_of(s->opcode) == RDT_FLOW_OP_READ &&
			  flow->ack_ns > s->first_ns && flow->acks;
	enum rdt_why_code code = RDT_WHY_RC_RETRY_EXC;
	struct rdt_finding *f;
	unsigned confidence;

	/*
	 * A fatal NAK or an RNR NAK that was the last answer says more. Where the capture cut answers
	 * in front of the AETH, nobody can tell whether one of them was such.
	 */
	if (flow->unread || !s->tries || !silent || flow->nak_frame ||
	    (event_of(flow, RDT_FLOW_RNR)->count && rnr_is_last(k, flow)))
		return;
	if (!k->c->has_close && look_end(k) - s->last_ns < SILENCE_NS)
		return;
	/* One time and then the close: that happens when a program ends in the middle. */
	confidence = k->c->params.has_req && silent >= k->c->params.retry_count ? 100
		     : silent > 1                                               ? 80
										: 50;
	if (full_packets_lost(flow))
		code = RDT_WHY_NET_MTU_LOSS;
	else if (read && silent > 1)
		code = RDT_WHY_RC_READ_NOANSWER;
	f = why_begin(k, code, side, code == RDT_WHY_RC_RETRY_EXC ? confidence : 60);
	add_stall(f, s);
	if (code == RDT_WHY_NET_MTU_LOSS)
		why_add(f, RDT_WHY_V_SIZE, flow->mtu, s->first_frame, s->first_input);
	if (code == RDT_WHY_RC_READ_NOANSWER)
		why_add(f, RDT_WHY_V_MORE, flow->acked_psns, 0, 0);
	add_retry(f, k);
	if (code == RDT_WHY_RC_RETRY_EXC)
		add_waits(f, s);
	why_emit(k->w, f);
}

static void stopped(const struct look *k, const struct rdt_flow *flow, enum rdt_side side)
{
	const uint32_t open = rdt_flow_unanswered(k->c, flow, side);
	const int64_t waited = look_end(k) - flow->last.ns;
	struct rdt_finding *f;

	/* Without any answer the capture may lack the other direction: CAP_ONEWAY. */
	if (flow->unread || !open || flow->stall.tries || flow->nak_frame || !flow->ack_frame ||
	    !flow->last.frame)
		return;
	if (k->c->has_close || waited < SILENCE_NS || event_of(flow, RDT_FLOW_RNR)->count)
		return;
	f = why_begin(k, RDT_WHY_RC_STOPPED, side, 60);
	why_add(f, RDT_WHY_V_PACKETS, open, flow->last.frame, flow->last.input);
	why_add_ns(f, RDT_WHY_V_WAITED, waited, 0, 0);
	why_emit(k->w, f);
}

/* ---- sent again ---------------------------------------------------------------------------------------- */

static uint32_t resent(const struct rdt_flow *flow)
{
	static const uint8_t events[] = { RDT_FLOW_RESENT_NAK, RDT_FLOW_RESENT_ANSWER,
					  RDT_FLOW_REFILLED };
	/* Answers that were cut can be the RNR NAKs for which it was sent again. */
	uint32_t n = flow->unread ? 0 : event_of(flow, RDT_FLOW_RESENT_TIMEOUT)->count;

	for (unsigned i = 0; i < sizeof(events); i++)
		n += event_of(flow, events[i])->count;
	return n;
}

static void retransmissions(const struct look *k, const struct rdt_flow *flow, enum rdt_side side)
{
	/* What is sent again to the end without an answer is told of as that. */
	const bool told = flow->stall.tries && !flow->worst.tries &&
			  !event_of(flow, RDT_FLOW_NAK_SEQUENCE)->count;
	const uint32_t lost = told ? 0 : resent(flow);
	const uint32_t other = event_of(flow, RDT_FLOW_RESENT_OTHER)->count;
	const uint32_t spurious = event_of(flow, RDT_FLOW_SPURIOUS)->count;
	const struct rdt_flow_count *c;
	struct rdt_finding *f;

	if (lost) {
		c = event_of(flow, RDT_FLOW_RESENT_NAK)->count ? event_of(flow, RDT_FLOW_RESENT_NAK)
		    : event_of(flow, RDT_FLOW_RESENT_TIMEOUT)->count
			    ? event_of(flow, RDT_FLOW_RESENT_TIMEOUT)
		    : event_of(flow, RDT_FLOW_REFILLED)->count
			    ? event_of(flow, RDT_FLOW_REFILLED)
			    : event_of(flow, RDT_FLOW_RESENT_ANSWER);
		f = why_begin(k, RDT_WHY_RC_RETRANS, side,
			      lost == event_of(flow, RDT_FLOW_RESENT_TIMEOUT)->count ? 60 : 90);
		why_add(f, RDT_WHY_V_PACKETS, lost + other, c->first_frame, c->first_input);
		why_add(f, RDT_WHY_V_ROUNDS, flow->rounds, 0, 0);
		if (flow->rounds_selective)
			why_add(f, RDT_WHY_V_SELECTIVE, flow->rounds_selective, 0, 0);
		if (event_of(flow, RDT_FLOW_NAK_SEQUENCE)->count)
			add_event(f, RDT_WHY_V_NAKS, flow, RDT_FLOW_NAK_SEQUENCE);
		if (flow->worst.tries)
			why_add_ns(f, RDT_WHY_V_WAITED, flow->worst.last_ns - flow->worst.first_ns,
				   flow->worst.first_frame, flow->worst.first_input);
		why_emit(k->w, f);
	}
	if (!spurious && (lost || !other))
		return;
	f = why_begin(k, RDT_WHY_RC_SPURIOUS, side, 80);
	c = event_of(flow, spurious ? RDT_FLOW_SPURIOUS : RDT_FLOW_RESENT_OTHER);
	why_add(f, RDT_WHY_V_PACKETS, spurious + (lost ? 0 : other), c->first_frame,
		c->first_input);
	if (spurious)
		add_event(f, RDT_WHY_V_ACKED, flow, RDT_FLOW_SPURIOUS);
	if (other && !lost)
		add_event(f, RDT_WHY_V_MORE, flow, RDT_FLOW_RESENT_OTHER);
	why_emit(k->w, f);
}

/* Waits that double, and begin far below what was announced. */
static void adaptive(const struct look *k, const struct rdt_flow *flow, enum rdt_side side)
{
	const struct rdt_flow_stall *s =
		flow->stall.tries > flow->worst.tries ? &flow->stall : &flow->worst;
	const uint64_t timeout = rdt_cm_timeout_ns(k->c->params.ack_timeout);
	const unsigned n = s->tries < RDT_FLOW_WAITS ? s->tries : RDT_FLOW_WAITS;
	struct rdt_finding *f;

	if (n < 3 || s->rnr || flow->unread || !k->c->params.has_req || !k->c->params.ack_timeout ||
	    (uint64_t)s->wait_us[0] * 1000 * 2 > timeout)
		return;
	for (unsigned i = 1; i < 3; i++)
		if (s->wait_us[i] < s->wait_us[i - 1] / 2 * 3 ||
		    s->wait_us[i] > s->wait_us[i - 1] * 3)
			return;
	f = why_begin(k, RDT_WHY_RC_ADAPTIVE, side, 70);
	why_add(f, RDT_WHY_V_PSN, s->psn, s->first_frame, s->first_input);
	why_add(f, RDT_WHY_V_ACK_TIMEOUT, timeout, k->c->first_frame, k->c->input);
	add_waits(f, s);
	why_emit(k->w, f);
}

static void rule_reliable(const struct look *k)
{
	for (unsigned side = 0; rdt_conn_reliable(k->c) && side < RDT_SIDES; side++) {
		const struct rdt_flow *flow = k->flow[side];

		if (!flow)
			continue;
		nak(k, flow, (enum rdt_side)side);
		rnr(k, flow, (enum rdt_side)side);
		no_answer(k, flow, (enum rdt_side)side);
		stopped(k, flow, (enum rdt_side)side);
		retransmissions(k, flow, (enum rdt_side)side);
		adaptive(k, flow, (enum rdt_side)side);
	}
}

rule_fn *const rc_rules[] = { rule_reliable, NULL };
