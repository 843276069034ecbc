// SPDX-License-Identifier: BSD-2-Clause
/*
 * Requests of one direction: the order of their PSNs, what is sent again and why, what lies before
 * the setup and after the close.
 *
 * A PSN behind the newest one was skipped before (a gap), or had been seen. A skipped one that
 * comes is late when the sender had sent it before what is newer, as its IPv4 id tells, or when
 * nothing asked for it; else it was sent again. One that had been seen was doubled by the network
 * when its IPv4 id is that of the first, and else sent again: because of a NAK, an RNR NAK, a gap
 * in the responses, or silence.
 */
#include "data.h"

#include "rdmatrace/psn.h"
#include "rdmatrace/text.h"

/* A request that is sent again after this much silence was sent by a timer, for all one can see. */
#define SILENCE_NS INT64_C(1000000)
/* A PSN so far ahead is another beginning, not a gap. */
#define JUMP 65536
/* A skipped PSN that comes after this was sent again, where the ids of IPv4 do not tell. */
#define LATE_NS INT64_C(20000000)

static void count(uint32_t *counter)
{
	if (*counter < UINT32_MAX)
		++*counter;
}

/* ---- IPv4 ids ---------------------------------------------------------------------------------- */

static bool id_of(const struct rdt_frame *frame, uint16_t *ret_id)
{
	if (frame->encap != RDT_ENCAP_ROCEV2 || frame->src.kind != RDT_ADDR_IPV4 || !frame->net)
		return false;
	*ret_id = (uint16_t)rdt_ipv4_id(frame->net);
	return true;
}

/* Do the ids count the sender's packets, so that the order of sending can be read from them? */
static bool ids_tell(const struct window *w)
{
	return w->id_steps >= ID_STEADY;
}

static void id_note(struct window *w, uint32_t psn, uint16_t id)
{
	const uint16_t step = (uint16_t)(id - w->id);

	if (step && step < 1024)
		w->id_steps = (uint8_t)(w->id_steps + (w->id_steps < UINT8_MAX));
	else if (step < 0x8000)
		w->id_steps = 0;
	if (step < 0x8000)
		w->id = id;
	w->recent[w->recent_next].psn = psn;
	w->recent[w->recent_next].id = id;
	w->recent_next = (uint8_t)((w->recent_next + 1) % RECENT_IDS);
}

static bool is_doubled(const struct window *w, uint32_t psn, uint16_t id)
{
	for (unsigned i = 0; ids_tell(w) && i < RECENT_IDS; i++)
		if (w->recent[i].psn == psn && w->recent[i].id == id && id)
			return true;
	return false;
}

/* ---- skipped PSNs ------------------------------------------------------------------------------- */

static void miss(struct window *w, uint32_t from, uint32_t to, int64_t ns)
{
	/* The oldest is forgotten: it stays counted as a gap. */
	if (w->missing_count == MISSING) {
		for (unsigned i = 1; i < MISSING; i++)
			w->missing[i - 1] = w->missing[i];
		w->missing_count--;
	}
	w->missing[w->missing_count++] = (struct psn_range){ from, to };
	w->missing_ns = ns;
}

static void drop_range(struct window *w, unsigned i)
{
	w->missing_count--;
	for (; i < w->missing_count; i++)
		w->missing[i] = w->missing[i + 1];
}

/* Take a PSN out of those that are missing; false when it is not among them. */
static bool found(struct window *w, uint32_t psn)
{
	for (unsigned i = 0; i < w->missing_count; i++) {
		struct psn_range *r = &w->missing[i];

		if (rdt_psn_diff(psn, r->from) < 0 || rdt_psn_diff(psn, r->to) > 0)
			continue;
		if (psn == r->from && psn == r->to) {
			drop_range(w, i);
		} else if (psn == r->from) {
			r->from = rdt_psn_add(psn, 1);
		} else if (psn == r->to) {
			r->to = rdt_psn_add(psn, RDT_PSN_MASK);
		} else {
			const struct psn_range rest = { rdt_psn_add(psn, 1), r->to };

			r->to = rdt_psn_add(psn, RDT_PSN_MASK);
			if (w->missing_count < MISSING)
				w->missing[w->missing_count++] = rest;
		}
		return true;
	}
	return false;
}

uint32_t path_unseen(struct window *w, uint32_t psn)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < w->missing_count;) {
		struct psn_range *r = &w->missing[i];
		const uint32_t to = rdt_psn_diff(r->to, psn) > 0 ? psn : r->to;

		if (rdt_psn_diff(r->from, psn) > 0) {
			i++;
			continue;
		}
		n += (uint32_t)rdt_psn_diff(to, r->from) + 1;
		if (to == r->to) {
			drop_range(w, i);
		} else {
			r->from = rdt_psn_add(to, 1);
			i++;
		}
	}
	return n;
}

/* ---- messages ----------------------------------------------------------------------------------- */

static void sized(struct rdt_flow *flow, uint64_t bytes)
{
	const uint32_t n = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;

	if (!flow->sized || n < flow->msg_min)
		flow->msg_min = n;
	if (n > flow->msg_max)
		flow->msg_max = n;
	flow->msg_bytes += bytes;
	count(&flow->sized);
}

/* A new request in its place: sizes of packets and messages. */
static void measure(struct rdt_tracker *t, struct window *w, const struct rdt_pkt *pkt,
		    uint32_t psn, uint32_t next)
{
	struct rdt_flow *flow = &w->pub;
	const uint8_t opcode = (uint8_t)rdt_bth_opcode(pkt->bth);
	const enum rdt_flow_op op = rdt_flow_op_of(opcode);
	const uint8_t *reth = pkt_whole(pkt) ? rdt_pkt_reth(pkt) : NULL;
	const bool begins = pkt->op->place == RDT_OP_FIRST || pkt->op->place == RDT_OP_ONLY;
	const bool ends = pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY;

	if (pkt->payload_len > flow->packet_max)
		flow->packet_max = pkt->payload_len;
	if (!ends) {
		flow->mtu = pkt->payload_len;
		if (!flow->has_full) {
			flow->has_full = 1;
			flow->full_psn = psn;
		}
	}
	if (begins) {
		count(&flow->msgs[op]);
		t->flow_times[op].msgs++;
		w->open = 0;
	}
	if (op == RDT_FLOW_OP_SEND) {
		if (begins) {
			w->open = 1;
			w->open_bytes = 0;
		} else if (w->open && psn != w->open_psn) {
			w->open = 0; /* a part of it is missing */
		}
		w->open_bytes += pkt->payload_len;
		w->open_psn = next;
		if (w->open && ends) {
			sized(flow, w->open_bytes);
			t->flow_times[op].bytes += w->open_bytes;
			w->open = 0;
		}
	} else if (begins && reth) {
		sized(flow, rdt_reth_dma_len(reth));
		t->flow_times[op].bytes += rdt_reth_dma_len(reth);
	} else if (op == RDT_FLOW_OP_ATOMIC) {
		sized(flow, 8);
		t->flow_times[op].bytes += 8;
	}
}

/* Await the acknowledge of a message. */
static void await(struct window *w, const struct rdt_pkt *pkt, uint32_t psn, uint32_t last,
		  const struct rdt_when *when)
{
	const bool ends = pkt->op->place == RDT_OP_LAST || pkt->op->place == RDT_OP_ONLY;
	struct pending *p;

	if (pkt->op->place == RDT_OP_MIDDLE || pkt->op->place == RDT_OP_LAST) {
		if (!w->tail_open)
			return;
		p = &w->pending[(w->head + w->waiting - 1u) % PENDING];
		if (rdt_psn_diff(psn, p->last) != 1)
			p->ns = INT64_MIN; /* a part is missing: not timed */
		p->last = last;
		w->tail_open = !ends;
		return;
	}
	w->tail_open = 0;
	if (w->waiting == PENDING) {
		count(&w->pub.untimed);
		return;
	}
	p = &w->pending[(w->head + w->waiting++) % PENDING];
	*p = (struct pending){ .ns = when->ns,
			       .first = psn,
			       .last = last,
			       .frame = when->frame,
			       .input = when->input,
			       .opcode = (uint8_t)rdt_bth_opcode(pkt->bth) };
	w->tail_open = !ends;
}

/* ---- sent again --------------------------------------------------------------------------------- */

/* The message that a PSN is of; NULL when it is not awaited. */
static const struct pending *pending_of(const struct window *w, uint32_t psn)
{
	for (unsigned i = 0; i < w->waiting; i++) {
		const struct pending *p = &w->pending[(w->head + i) % PENDING];

		if (rdt_psn_diff(psn, p->first) >= 0 && rdt_psn_diff(psn, p->last) <= 0)
			return p;
	}
	return NULL;
}

static void stall(struct window *w, uint32_t psn, const struct rdt_pkt *pkt, bool rnr,
		  const struct rdt_when *when)
{
	struct rdt_flow_stall *s = &w->pub.stall;
	int64_t wait;

	if (!s->tries || s->psn != psn) {
		const struct pending *p = pending_of(w, psn);

		*s = (struct rdt_flow_stall){ .psn = psn,
					      .first_ns = w->pub.last.ns,
					      .first_frame = w->pub.last.frame,
					      .first_input = w->pub.last.input,
					      .opcode = (uint8_t)rdt_bth_opcode(pkt->bth) };
		if (p && p->ns != INT64_MIN) {
			s->first_ns = p->ns;
			s->first_frame = p->frame;
			s->first_input = p->input;
		}
		s->last_ns = s->first_ns;
	}
	wait = (when->ns - s->last_ns) / 1000;
	if (s->tries < RDT_FLOW_WAITS)
		s->wait_us[s->tries] = wait < 0            ? 0
				       : wait > UINT32_MAX ? UINT32_MAX
							   : (uint32_t)wait;
	count(&s->tries);
	s->rnr = (uint8_t)(s->rnr + (rnr && s->rnr < UINT8_MAX));
	s->last_ns = when->ns;
	s->last_frame = when->frame;
	s->last_input = when->input;
}

static bool is_acked(const struct window *w, uint32_t psn)
{
	return w->pub.has_acked && rdt_psn_diff(psn, w->pub.acked) <= 0;
}

/* A round of sending again has ended: did it leave out something that was not acknowledged? */
static void end_round(struct window *w, uint32_t next)
{
	if (w->again && w->again_psn != next && !is_acked(w, w->again_psn))
		count(&w->pub.rounds_selective);
	w->again = 0;
}

/* Why a PSN is sent again that had been sent before. */
static enum rdt_flow_event cause(struct window *w, uint32_t psn, int64_t ns)
{
	const int64_t since_request = ns - w->pub.last.ns, since_answer = ns - w->pub.ack_ns;

	if (w->nak_open && psn == w->nak_psn)
		return RDT_FLOW_RESENT_NAK;
	if (w->rnr_open && psn == w->rnr_psn)
		return RDT_FLOW_RESENT_RNR;
	if (is_acked(w, psn))
		return RDT_FLOW_SPURIOUS;
	if (w->answer_open)
		return RDT_FLOW_RESENT_ANSWER;
	if (since_request >= SILENCE_NS && (!w->pub.ack_frame || since_answer >= SILENCE_NS))
		return RDT_FLOW_RESENT_TIMEOUT;
	return RDT_FLOW_RESENT_OTHER;
}

/* One packet that is sent again: it continues a round, or begins one. */
static enum rdt_flow_event again(struct window *w, const struct rdt_pkt *pkt, uint32_t psn,
				 uint32_t after, uint32_t next, const struct rdt_when *when)
{
	enum rdt_flow_event why;

	if (w->again && psn == w->again_psn) {
		w->again_psn = after;
		/* What was acknowledged meanwhile is sent for nothing, whatever began the round. */
		return w->again == RDT_FLOW_RESENT_TIMEOUT && is_acked(w, psn)
			       ? RDT_FLOW_SPURIOUS
			       : (enum rdt_flow_event)w->again;
	}
	/* Forward inside the round: what lies between was left out. */
	if (w->again && rdt_psn_diff(psn, w->again_psn) > 0) {
		if (!is_acked(w, w->again_psn))
			count(&w->pub.rounds_selective);
		w->again_psn = after;
		return (enum rdt_flow_event)w->again;
	}
	end_round(w, next);
	why = cause(w, psn, when->ns);
	count(&w->pub.rounds);
	if (why != RDT_FLOW_SPURIOUS)
		stall(w, psn, pkt, why == RDT_FLOW_RESENT_RNR, when);
	if (why == RDT_FLOW_RESENT_NAK)
		w->nak_open = 0;
	if (why == RDT_FLOW_RESENT_RNR)
		w->rnr_open = 0;
	w->answer_open = 0;
	w->again = (uint8_t)why;
	w->again_psn = after;
	return why;
}

/* A skipped PSN has come. */
static enum rdt_flow_event filled(struct window *w, const struct rdt_pkt *pkt, uint32_t psn,
				  uint32_t after, uint32_t next, bool has_id, uint16_t id,
				  const struct rdt_when *when)
{
	bool late;

	if (has_id && ids_tell(w))
		late = (uint16_t)(id - w->id) >= 0x8000;
	else
		late = !(w->again && psn == w->again_psn) && !(w->nak_open && psn == w->nak_psn) &&
		       when->ns - w->missing_ns < LATE_NS;
	if (late)
		return RDT_FLOW_LATE;
	again(w, pkt, psn, after, next, when);
	return RDT_FLOW_REFILLED;
}

/* ---- one request --------------------------------------------------------------------------------- */

/* How many PSNs a request takes: a READ as many as its response has packets; 0 when unknown. */
static uint32_t psns_of(const struct slot *s, const struct flow_pair *pair,
			const struct rdt_pkt *pkt)
{
	uint32_t mtu = rdt_mtu_bytes(s->pub.params.path_mtu), len;

	if (rdt_flow_op_of((uint8_t)rdt_bth_opcode(pkt->bth)) != RDT_FLOW_OP_READ)
		return 1;
	if (!pkt_whole(pkt))
		return 0;
	len = rdt_reth_dma_len(rdt_pkt_reth(pkt));
	if (len <= 256)
		return 1;
	/* Without a REQ: what the packets of either direction show. */
	for (unsigned side = 0; !mtu && pair && side < RDT_SIDES; side++)
		mtu = pair->side[side].pub.mtu;
	return mtu ? (len - 1) / mtu + 1 : 0;
}

static void check_stage(struct rdt_tracker *t, struct slot *s, enum rdt_side side, uint32_t psn,
			const struct rdt_when *when)
{
	switch ((enum rdt_cm_state)s->pub.end[side].cm_state) {
	case RDT_CM_REQ_SENT:
	case RDT_CM_REQ_RCVD:
	case RDT_CM_MRA_REQ_SENT:
	case RDT_CM_MRA_REQ_RCVD:
	case RDT_CM_REP_SENT:
	case RDT_CM_REP_RCVD:
	case RDT_CM_MRA_REP_SENT:
	case RDT_CM_MRA_REP_RCVD:
		flow_event(t, s, side, RDT_FLOW_EARLY, psn, 1, when);
		break;
	case RDT_CM_DREQ_SENT:
	case RDT_CM_TIMEWAIT:
	case RDT_CM_DONE:
		flow_event(t, s, side, RDT_FLOW_AFTER_CLOSE, psn, 1, when);
		break;
	case RDT_CM_NONE:
	case RDT_CM_IDLE:
	case RDT_CM_LISTEN:
	case RDT_CM_ESTABLISHED:
	case RDT_CM_DREQ_RCVD:
	case RDT_CM_SIDR_REQ_SENT:
	case RDT_CM_SIDR_REQ_RCVD:
	case RDT_CM_STATE_COUNT:
		break;
	}
}

/* A PSN behind the newest: what it is, beside new. */
static enum rdt_flow_event old_request(struct window *w, const struct rdt_frame *frame,
				       const struct rdt_pkt *pkt, uint32_t psn, uint32_t takes,
				       uint32_t next, const struct rdt_when *when)
{
	const uint32_t after = rdt_psn_add(psn, takes ? takes : 1);
	uint16_t id = 0;
	const bool has_id = id_of(frame, &id);

	if (has_id && is_doubled(w, psn, id))
		return RDT_FLOW_DOUBLED;
	if (found(w, psn))
		return filled(w, pkt, psn, after, next, has_id, id, when);
	return again(w, pkt, psn, after, next, when);
}

/* The first request of a direction. */
static void begin(struct slot *s, enum rdt_side side, uint32_t psn, const struct rdt_when *when)
{
	struct rdt_data *d = &s->pub.end[side].data;

	d->first_frame = when->frame;
	d->first_ns = when->ns;
	d->first_psn = psn;
	/* COMM_EST: a request at a side that is still waiting for the RTU. */
	if (s->pub.kind == RDT_CONN_CM && side == RDT_ACTIVE && !s->pub.has_up)
		s->pub.comm_est_frame = when->frame;
}

static void ordered(struct rdt_tracker *t, struct slot *s, enum rdt_side side, struct window *w,
		    const struct rdt_frame *frame, const struct rdt_pkt *pkt, uint32_t takes,
		    const struct rdt_when *when)
{
	struct rdt_data *d = &s->pub.end[side].data;
	const uint32_t psn = rdt_bth_psn(pkt->bth), n = takes ? takes : 1;
	const int32_t ahead = s->priv[side].data_known ? rdt_psn_diff(psn, d->next_psn) : 0;
	uint16_t id;

	if (ahead < 0) {
		const enum rdt_flow_event what =
			old_request(w, frame, pkt, psn, takes, d->next_psn, when);

		if (what != RDT_FLOW_LATE && what != RDT_FLOW_DOUBLED)
			count(&d->retrans);
		/* A READ that is asked again from its middle can reach further than it did. */
		if (what != RDT_FLOW_DOUBLED && takes &&
		    rdt_psn_diff(rdt_psn_add(psn, takes), d->next_psn) > 0)
			d->next_psn = rdt_psn_add(psn, takes);
		flow_event(t, s, side, what, psn, 1, when);
		if (what == RDT_FLOW_LATE || what == RDT_FLOW_REFILLED)
			measure(t, w, pkt, psn, rdt_psn_add(psn, n));
		if (what != RDT_FLOW_LATE && what != RDT_FLOW_DOUBLED && id_of(frame, &id))
			id_note(w, psn, id);
		return;
	}
	if (ahead > 0) {
		count(&d->gaps);
		flow_event(t, s, side, RDT_FLOW_GAP, psn, ahead < JUMP ? (uint32_t)ahead : 1, when);
		if (ahead < JUMP)
			miss(w, d->next_psn, rdt_psn_add(psn, RDT_PSN_MASK), when->ns);
		else
			w->missing_count = 0;
	}
	if (w->again)
		end_round(w, d->next_psn);
	s->priv[side].data_known = takes != 0;
	d->next_psn = rdt_psn_add(psn, n);
	measure(t, w, pkt, psn, d->next_psn);
	if (s->pub.service != RDT_SVC_UC)
		await(w, pkt, psn, rdt_psn_add(psn, n - 1), when);
	if (id_of(frame, &id))
		id_note(w, psn, id);
}

void path_request(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		  const struct rdt_frame *frame, const struct rdt_pkt *pkt,
		  const struct rdt_when *when)
{
	struct flow_pair *pair = flow_get(t, s);
	struct window *w = pair ? &pair->side[side] : NULL;
	const uint32_t psn = rdt_bth_psn(pkt->bth);

	if (!s->pub.end[side].data.first_frame)
		begin(s, side, psn, when);
	if (!w)
		return;
	if (s->pub.kind == RDT_CONN_CM && s->pub.end[side].cm_state != RDT_CM_ESTABLISHED)
		check_stage(t, s, side, psn, when);
	/* A UD QP counts over all its destinations; RD over all that share a context. */
	if (s->pub.service == RDT_SVC_UD || s->pub.service == RDT_SVC_RD)
		measure(t, w, pkt, psn, psn);
	else
		ordered(t, s, side, w, frame, pkt, psns_of(s, pair, pkt), when);
	w->pub.last = (struct rdt_flow_packet){ .ns = when->ns,
						.frame = when->frame,
						.psn = psn,
						.input = when->input,
						.opcode = (uint8_t)rdt_bth_opcode(pkt->bth) };
}
