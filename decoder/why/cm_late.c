// SPDX-License-Identifier: BSD-2-Clause
/* Setups and closes that came late or not at all, and numbers that were used again too early. */
#include "internal.h"

/* An answer that takes this long is worth telling; kernels answer within milliseconds. */
#define SLOW_NS NS_PER_S
/* An answer that comes so soon after a message that was sent again is the answer to that copy. */
#define AT_ONCE_NS (NS_PER_S / 10)

static bool is_cm(const struct look *k)
{
	return k->c->kind == RDT_CONN_CM;
}

static void add_rtt(struct rdt_finding *f, const struct look *k)
{
	for (unsigned side = 0; side < RDT_SIDES; side++)
		if (k->flow[side] && k->flow[side]->timed) {
			why_add(f, RDT_WHY_V_RTT, k->flow[side]->wait_min_ns, 0, 0);
			return;
		}
}

/* The sending that the answer at ns can be of: the last one before it. */
static const struct sending *last_before(const struct sending *list, unsigned sent, int64_t ns)
{
	const struct sending *last = NULL;

	for (unsigned i = 0; i < sent && i < TIMES; i++)
		if (list[i].frame && list[i].ns <= ns)
			last = &list[i];
	return last;
}

/* ---- the REQ, and what answered it -------------------------------------------------------------- */

static void mra_slow(const struct look *k, enum rdt_side by, enum rdt_msg msg, int64_t asked_ns,
		     int64_t answer_ns, uint32_t frame)
{
	struct rdt_finding *f = why_begin(k, RDT_WHY_CM_MRA_SLOW, by, 100);
	const struct said *mra = look_said(k, by, SAID_MRA);

	why_add(f, RDT_WHY_V_MSG, msg, 0, 0);
	why_add(f, RDT_WHY_V_MRA, mra->sent, mra->first_frame, mra->input);
	why_add_ns(f, RDT_WHY_V_ANSWER, answer_ns - asked_ns, frame, k->c->input);
	add_rtt(f, k);
	why_emit(k->w, f);
}

static void slow(const struct look *k, enum rdt_side by, enum rdt_msg msg, int64_t asked_ns,
		 int64_t answer_ns, uint32_t frame)
{
	struct rdt_finding *f = why_begin(k, RDT_WHY_CM_SLOW, by, 70);

	why_add(f, RDT_WHY_V_MSG, msg, 0, 0);
	why_add_ns(f, RDT_WHY_V_ANSWER, answer_ns - asked_ns, frame, k->c->input);
	add_rtt(f, k);
	why_emit(k->w, f);
}

static void retried(const struct look *k, enum rdt_why_code code, enum rdt_side side,
		    int64_t answer_ns, uint32_t frame)
{
	const struct sending *list = k->note->open[side];
	const unsigned sent = look_sent(k, side, SAID_OPEN);
	const struct sending *last = last_before(list, sent, answer_ns);
	struct rdt_finding *f = why_begin(k, code, side, 80);

	why_add(f, RDT_WHY_V_SENT, sent, list[0].frame, k->c->input);
	why_add_ns(f, RDT_WHY_V_ANSWER, answer_ns - list[0].ns, frame, k->c->input);
	if (last && sent <= TIMES)
		why_add_ns(f, RDT_WHY_V_LAST_ANSWER, answer_ns - last->ns, frame, k->c->input);
	add_timer(k, f, side);
	add_missed(f, list, sent, side_timer_ns(k, side));
	add_sendings(f, k, list, sent);
	why_emit(k->w, f);
}

/* Was the message sent again before ns, its sender having no answer? */
static bool again_before(const struct look *k, enum rdt_side side, int64_t ns)
{
	return k->note && look_sent(k, side, SAID_OPEN) > 1 && k->note->open[side][1].frame &&
	       k->note->open[side][1].ns < ns;
}

static void rule_req_late(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const bool sidr = c->kind == RDT_CONN_SIDR;
	int64_t rep_ns = c->rep_ns;

	if (!c->has_rep || c->mid)
		return;
	/* The REP of a passive side that had given up and was asked again is not the first one. */
	if (look_said(k, RDT_PASSIVE, SAID_OPEN) &&
	    look_said(k, RDT_PASSIVE, SAID_OPEN)->first_ns < rep_ns)
		rep_ns = look_said(k, RDT_PASSIVE, SAID_OPEN)->first_ns;
	if (again_before(k, RDT_ACTIVE, rep_ns)) {
		if (!sidr && look_said(k, RDT_PASSIVE, SAID_MRA))
			mra_slow(k, RDT_PASSIVE, RDT_MSG_REQ, c->start_ns, rep_ns, c->rep_frame);
		else
			retried(k, sidr ? RDT_WHY_CM_SIDR_RETRY : RDT_WHY_CM_REQ_RETRY, RDT_ACTIVE,
				rep_ns, c->rep_frame);
	} else if (rep_ns - c->start_ns >= SLOW_NS) {
		slow(k, RDT_PASSIVE, sidr ? RDT_MSG_SIDR_REQ : RDT_MSG_REQ, c->start_ns, rep_ns,
		     c->rep_frame);
	}
}

/* ---- the REP, and the RTU that answers it --------------------------------------------------------- */

static void rtu_lost(const struct look *k)
{
	const struct said *rtu = look_said(k, RDT_ACTIVE, SAID_RTU);
	struct rdt_finding *f = why_begin(k, RDT_WHY_CM_RTU_LOST, RDT_ACTIVE, 90);

	why_add(f, RDT_WHY_V_SENT, look_sent(k, RDT_PASSIVE, SAID_OPEN), k->c->rep_frame,
		k->c->input);
	why_add_ns(f, RDT_WHY_V_WAITED, rtu->last_ns - rtu->first_ns, rtu->last_frame, rtu->input);
	why_emit(k->w, f);
}

static void rule_rep_late(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const unsigned sent = look_sent(k, RDT_PASSIVE, SAID_OPEN);

	if (!is_cm(k) || !c->rep_frame || !c->rtu_frame)
		return;
	if (again_before(k, RDT_PASSIVE, c->up_ns)) {
		if (look_said(k, RDT_ACTIVE, SAID_MRA) && k->note->mra_of_rep_frame)
			mra_slow(k, RDT_ACTIVE, RDT_MSG_REP, c->rep_ns, c->up_ns, c->rtu_frame);
		else
			retried(k, RDT_WHY_CM_REP_RETRY, RDT_PASSIVE, c->up_ns, c->rtu_frame);
	} else if (sent > 1 && look_sent(k, RDT_ACTIVE, SAID_RTU) > 1) {
		rtu_lost(k);
	} else if (c->up_ns - c->rep_ns >= SLOW_NS) {
		slow(k, RDT_ACTIVE, RDT_MSG_REP, c->rep_ns, c->up_ns, c->rtu_frame);
	}
}

/* ---- closing ------------------------------------------------------------------------------------- */

static bool crossing(const struct look *k)
{
	const struct said *a = look_said(k, RDT_ACTIVE, SAID_DREQ);
	const struct said *p = look_said(k, RDT_PASSIVE, SAID_DREQ);

	return a && p;
}

static void rule_dreq_cross(const struct look *k)
{
	const struct said *a, *p;
	struct rdt_finding *f;

	if (!is_cm(k) || !crossing(k))
		return;
	a = look_said(k, RDT_ACTIVE, SAID_DREQ);
	p = look_said(k, RDT_PASSIVE, SAID_DREQ);
	/* The second was sent after the first had been confirmed: no crossing. */
	if (k->c->drep_frame && k->c->drep_ns < (a->first_ns > p->first_ns ? a : p)->first_ns)
		return;
	f = why_begin(k, RDT_WHY_CM_DREQ_CROSS, (enum rdt_side)k->c->close_side, 100);
	why_add(f, RDT_WHY_V_SENT, a->sent, a->first_frame, a->input);
	why_add(f, RDT_WHY_V_SENT, p->sent, p->first_frame, p->input);
	why_emit(k->w, f);
}

/* DREPs seen before the DREQ was sent again: the first one did not arrive. */
static void drep_lost(const struct look *k, enum rdt_side side, const struct said *s)
{
	struct rdt_finding *f = why_begin(k, RDT_WHY_CM_DREP_LOST, side, 90);

	why_add(f, RDT_WHY_V_SENT, s->sent, k->c->dreq_frame, k->c->input);
	why_add_ns(f, RDT_WHY_V_WAITED, s->last_ns - s->first_ns, s->last_frame, s->input);
	add_sendings(f, k, k->note->dreq[side], s->sent);
	why_emit(k->w, f);
}

/*
 * One DREP, and it came at once after a repeated DREQ. A kernel that had confirmed before answers a
 * copy so; a program that was slow reacts at any time, only by chance just then.
 */
static bool answered_copy(const struct look *k, const struct said *s)
{
	const uint64_t timer = side_timer_ns(k, (enum rdt_side)k->c->close_side);
	const int64_t after = k->c->drep_ns - s->last_ns;

	return k->c->drep_frame && s->sent > 1 && after >= 0 && after < AT_ONCE_NS &&
	       (!timer || (uint64_t)after < timer / 8);
}

static void dreq_lost(const struct look *k, enum rdt_side side, const struct said *s)
{
	struct rdt_finding *f = why_begin(k, RDT_WHY_CM_DREQ_RETRY, side, 80);

	why_add(f, RDT_WHY_V_SENT, s->sent, k->c->dreq_frame, k->c->input);
	why_add_ns(f, RDT_WHY_V_ANSWER, k->c->drep_ns - k->c->close_ns, k->c->drep_frame,
		   k->c->input);
	why_add_ns(f, RDT_WHY_V_LAST_ANSWER, k->c->drep_ns - s->last_ns, s->last_frame, s->input);
	if (side_timer_ns(k, side))
		why_add(f, RDT_WHY_V_TIMER, side_timer_ns(k, side), 0, 0);
	add_missed(f, k->note->dreq[side], s->sent, side_timer_ns(k, side));
	add_sendings(f, k, k->note->dreq[side], s->sent);
	why_emit(k->w, f);
}

static void rule_dreq(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const enum rdt_side side = (enum rdt_side)c->close_side;
	const struct said *s = look_said(k, side, SAID_DREQ);
	const unsigned sent = s ? s->sent : 1;
	bool answered = c->drep_frame;
	struct rdt_finding *f;
	int64_t took;

	if (!is_cm(k) || !c->dreq_frame || (k->note && k->note->dreq_qpn_frame))
		return;
	if (answered && sent > 1 && c->drep_ns < s->last_ns) {
		drep_lost(k, side, s);
		return;
	}
	took = (answered ? c->drep_ns : look_end(k)) - c->close_ns;
	if (s && answered_copy(k, s)) {
		dreq_lost(k, side, s);
		return;
	}
	/* Both closed: each waits for the other's program, and a DREP may be missing. */
	if (took < SLOW_NS || (crossing(k) && sent == 1))
		return;
	/* An answer that came when all had been sent and the last had timed out came too late. */
	if (c->params.has_req && sent > c->params.max_cm_retries)
		answered = false;
	f = why_begin(k, answered ? RDT_WHY_CM_DREQ_SLOW : RDT_WHY_CM_DREQ_NOANSWER, side,
		      sent > 1   ? (answered ? 90 : 100)
		      : answered ? 100
				 : 80);
	why_add(f, RDT_WHY_V_SENT, sent, c->dreq_frame, c->input);
	if (c->drep_frame)
		why_add_ns(f, RDT_WHY_V_ANSWER, took, c->drep_frame, c->input);
	if (!answered)
		why_add_ns(f, RDT_WHY_V_WAITED,
			   s && c->drep_frame ? s->last_ns - s->first_ns : took, 0, 0);
	if (s && sent > 1) {
		why_add(f, RDT_WHY_V_TIMER, side_timer_ns(k, side), 0, 0);
		add_missed(f, k->note->dreq[side], sent, side_timer_ns(k, side));
		add_sendings(f, k, k->note->dreq[side], sent);
	}
	why_emit(k->w, f);
}

static void rule_dreq_qpn(const struct look *k)
{
	struct rdt_finding *f;

	if (!is_cm(k) || !k->note || !k->note->dreq_qpn_frame)
		return;
	f = why_begin(k, RDT_WHY_CM_DREQ_QPN, (enum rdt_side)k->note->dreq_qpn_side, 100);
	why_add(f, RDT_WHY_V_QPN, k->note->dreq_qpn, k->note->dreq_qpn_frame, k->c->input);
	why_emit(k->w, f);
}

static void rule_unexpected(const struct look *k)
{
	struct rdt_finding *f;

	if (!k->c->unexpected || k->c->mid || !k->note)
		return;
	f = why_begin(k, RDT_WHY_CM_UNEXPECTED, RDT_ACTIVE, 80);
	why_add(f, RDT_WHY_V_PACKETS, k->c->unexpected, k->note->unexpected_first,
		k->note->unexpected_input);
	why_emit(k->w, f);
}

/* ---- used again ------------------------------------------------------------------------------------ */

static void rule_reuse(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	struct rdt_finding *f;
	enum rdt_side side;

	/* REJ 10 says it already, and better. */
	if (!is_cm(k) || !k->note || (c->has_rej && c->rej_reason == RDT_REJ_STALE_CONN))
		return;
	if (k->note->older[RDT_REUSE_QPN]) {
		side = (enum rdt_side)k->note->reuse_side[RDT_REUSE_QPN];
		f = why_begin(k, RDT_WHY_CM_QPN_REUSE, side, 80);
		why_add(f, RDT_WHY_V_QPN, c->end[side].qpn,
			side == RDT_ACTIVE ? c->first_frame : c->rep_frame, c->input);
		add_older(f, k, RDT_REUSE_QPN);
		why_emit(k->w, f);
	}
	if (k->note->older[RDT_REUSE_COMM_ID]) {
		side = (enum rdt_side)k->note->reuse_side[RDT_REUSE_COMM_ID];
		f = why_begin(k, RDT_WHY_CM_ID_REUSE, side, 80);
		why_add(f, RDT_WHY_V_COMM_ID, c->end[side].comm_id,
			side == RDT_ACTIVE ? c->first_frame : c->rep_frame, c->input);
		add_older(f, k, RDT_REUSE_COMM_ID);
		why_emit(k->w, f);
	}
}

rule_fn *const cm_late_rules[] = { rule_req_late, rule_rep_late,   rule_dreq,  rule_dreq_cross,
				   rule_dreq_qpn, rule_unexpected, rule_reuse, NULL };
