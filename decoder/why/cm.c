// SPDX-License-Identifier: BSD-2-Clause
/* Setups that were refused or not answered. IBTA Vol 1, 12.6.7 and 12.9; Linux drivers/infiniband/core/cm.c. */
#include "internal.h"

#include "rdmatrace/text.h"

/* Silence shorter than this at the end of a capture says nothing. */
#define SILENCE_NS NS_PER_S

static bool is_cm(const struct look *k)
{
	return k->c->kind == RDT_CONN_CM;
}

const struct said *look_said(const struct look *k, enum rdt_side side, enum said_kind kind)
{
	const struct said *s = k->note ? &k->note->said[side][kind] : NULL;

	return s && s->sent ? s : NULL;
}

unsigned look_sent(const struct look *k, enum rdt_side side, enum said_kind kind)
{
	const struct said *s = look_said(k, side, kind);

	if (s)
		return s->sent;
	if (kind == SAID_OPEN)
		return side == RDT_ACTIVE ? !k->c->mid : k->c->has_rep;
	return 0;
}

int64_t look_end(const struct look *k)
{
	return k->w->end_ns > k->c->last_ns ? k->w->end_ns : k->c->last_ns;
}

/* ---- timers, as Linux counts them ------------------------------------------------------------- */

static uint64_t linux_ns(unsigned code)
{
	return rdt_linux_timeout_ns(code);
}

uint64_t side_timer_ns(const struct look *k, enum rdt_side side)
{
	const struct rdt_params *p = &k->c->params;
	const unsigned lifetime = p->ack_timeout ? p->ack_timeout - 1u : 0;

	/* Not in the message: Linux uses code 20 for SIDR. */
	if (k->c->kind == RDT_CONN_SIDR)
		return linux_ns(20);
	if (!p->has_req)
		return 0;
	if (side == RDT_PASSIVE)
		return linux_ns(p->local_cm_resp_timeout);
	return 2 * linux_ns(lifetime) + linux_ns(p->remote_cm_resp_timeout);
}

void add_timer(const struct look *k, struct rdt_finding *f, enum rdt_side side)
{
	const struct rdt_params *p = &k->c->params;
	const uint64_t timer = side_timer_ns(k, side);
	const uint32_t frame = k->c->kind == RDT_CONN_SIDR ? 0 : k->c->first_frame;

	if (!timer)
		return;
	why_add(f, RDT_WHY_V_TIMER, timer, frame, k->c->input);
	if (!frame)
		return;
	if (side == RDT_ACTIVE) {
		why_add(f, RDT_WHY_V_LIFETIME, linux_ns(p->ack_timeout ? p->ack_timeout - 1u : 0),
			frame, k->c->input);
		why_add(f, RDT_WHY_V_RESPONSE, linux_ns(p->remote_cm_resp_timeout), frame,
			k->c->input);
	}
	why_add(f, RDT_WHY_V_TOTAL, timer * (p->max_cm_retries + 1u), frame, k->c->input);
}

void add_missed(struct rdt_finding *f, const struct sending *list, unsigned sent, uint64_t timer)
{
	uint64_t missed = 0;

	for (unsigned i = 1; timer && i < sent && i < TIMES; i++) {
		const int64_t wait = list[i].ns - list[i - 1].ns;

		/* Timers are some percent late; what is nearly twice as long lacks one between. */
		if (list[i].frame && wait > 0 && (uint64_t)wait > timer + timer / 2)
			missed += ((uint64_t)wait + timer / 4) / timer - 1;
	}
	if (missed)
		why_add(f, RDT_WHY_V_MISSED, missed, 0, 0);
}

void add_sendings(struct rdt_finding *f, const struct look *k, const struct sending *list,
		  unsigned sent)
{
	for (unsigned i = 0; i < sent && i < TIMES; i++)
		if (list[i].frame)
			why_add_ns(f, RDT_WHY_V_AT, list[i].ns - list[0].ns, list[i].frame,
				   k->c->input);
}

static unsigned neighbour_state(const struct look *k, enum rdt_side side)
{
	const struct neighbour *n =
		net_neighbour(k->w, rdt_tracker_addr(k->t, k->c->end[side].addr));

	if (!n)
		return RDT_WHY_NEIGHBOUR_UNKNOWN;
	if (n->asked > 2)
		return RDT_WHY_NEIGHBOUR_SILENT;
	return n->answered_frame ? RDT_WHY_NEIGHBOUR_ANSWERED : RDT_WHY_NEIGHBOUR_UNKNOWN;
}

/* ---- refused ------------------------------------------------------------------------------------ */

/* When the REJ was captured. After it a connection says nothing more, as a rule. */
static int64_t rej_ns(const struct look *k)
{
	const struct said *s = look_said(k, (enum rdt_side)k->c->rej_side, SAID_REJ);

	return s ? s->first_ns : k->c->last_ns;
}

static enum rdt_why_code consumer_code(const struct look *k, unsigned *ret_confidence)
{
	const struct rdt_conn *c = k->c;

	*ret_confidence = 100;
	if (c->rej_side == RDT_ACTIVE)
		return RDT_WHY_CM_REJ_28_ACTIVE;
	if (c->rej_msg != RDT_REJECTED_REQ)
		return RDT_WHY_CM_REJ_28_PASSIVE;
	if (c->rej_by == RDT_REJ_BY_KERNEL)
		return RDT_WHY_CM_REJ_28_KERNEL;
	if (c->rej_by == RDT_REJ_BY_UNKNOWN)
		return RDT_WHY_CM_REJ_28_CUT;
	if (look_said(k, RDT_PASSIVE, SAID_MRA) && !k->note->rej_pdata) {
		*ret_confidence = 70;
		return RDT_WHY_CM_REJ_28_BACKLOG;
	}
	return RDT_WHY_CM_REJ_28;
}

static enum rdt_why_code rej_code(const struct look *k, unsigned *ret_confidence)
{
	const struct rdt_conn *c = k->c;

	*ret_confidence = 100;
	switch (c->rej_reason) {
	case RDT_REJ_INVALID_SERVICE_ID:
		return c->rej_side == RDT_PASSIVE ? RDT_WHY_CM_REJ_8 : RDT_WHY_CM_REJ;
	case RDT_REJ_TIMEOUT:
		if (c->rej_side == RDT_PASSIVE)
			return RDT_WHY_CM_REJ;
		return look_said(k, RDT_PASSIVE, SAID_MRA) ? RDT_WHY_CM_ABORT_MRA
							   : RDT_WHY_CM_ABORT;
	case RDT_REJ_STALE_CONN:
		return RDT_WHY_CM_STALE;
	case RDT_REJ_PRIMARY_GID:
		return c->rej_side == RDT_PASSIVE ? RDT_WHY_CM_REJ_12 : RDT_WHY_CM_REJ;
	case RDT_REJ_CONSUMER:
		return consumer_code(k, ret_confidence);
	case RDT_REJ_VENDOR_OPTION:
		return c->rej_side == RDT_PASSIVE ? RDT_WHY_CM_REJ_35 : RDT_WHY_CM_REJ;
	default:
		return RDT_WHY_CM_REJ;
	}
}

void add_older(struct rdt_finding *f, const struct look *k, enum rdt_reuse what)
{
	const struct rdt_conn *older;

	if (!k->note || !k->note->older[what])
		return;
	older = rdt_tracker_conn(k->t, rdt_tracker_conn_final(k->t, k->note->older[what] - 1));
	if (older && older->n)
		why_add(f, RDT_WHY_V_OTHER_CONN, older->n, older->first_frame, older->input);
}

/* The passive side's REJ that ends a wait for the RTU: the wait is the cause. */
static bool rep_in_vain(const struct look *k)
{
	const struct rdt_conn *c = k->c;

	return c->has_rej && c->rej_side == RDT_PASSIVE && c->rej_msg != RDT_REJECTED_REQ &&
	       c->rep_frame && !c->rtu_frame && look_sent(k, RDT_PASSIVE, SAID_OPEN) > 1;
}

static void rule_rej(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	struct rdt_finding *f;
	enum rdt_why_code code;
	unsigned confidence;
	int64_t asked;

	if (!is_cm(k) || !c->has_rej || rep_in_vain(k))
		return;
	code = rej_code(k, &confidence);
	f = why_begin(k, code, (enum rdt_side)c->rej_side, confidence);
	why_add(f, RDT_WHY_V_REASON, c->rej_reason, c->rej_frame, c->input);
	why_add(f, RDT_WHY_V_STAGE, c->rej_msg, c->rej_frame, c->input);
	asked = c->has_rep && (c->rej_msg != RDT_REJECTED_REQ || c->rej_side == RDT_ACTIVE)
			? c->rep_ns
			: c->start_ns;
	if (code == RDT_WHY_CM_ABORT || code == RDT_WHY_CM_ABORT_MRA) {
		why_add(f, RDT_WHY_V_SENT, look_sent(k, RDT_ACTIVE, SAID_OPEN), c->first_frame,
			c->input);
		if (look_said(k, RDT_PASSIVE, SAID_MRA))
			why_add(f, RDT_WHY_V_MRA, look_sent(k, RDT_PASSIVE, SAID_MRA),
				look_said(k, RDT_PASSIVE, SAID_MRA)->first_frame, c->input);
		if (!c->mid)
			why_add_ns(f, RDT_WHY_V_WAITED, rej_ns(k) - c->start_ns, c->rej_frame,
				   c->input);
		why_add(f, RDT_WHY_V_NEIGHBOUR, neighbour_state(k, RDT_PASSIVE), 0, 0);
	} else if (!c->mid) {
		why_add_ns(f, RDT_WHY_V_ANSWER, rej_ns(k) - asked, c->rej_frame, c->input);
	}
	if (code == RDT_WHY_CM_STALE)
		add_older(f, k, RDT_REUSE_QPN);
	why_emit(k->w, f);
}

static void rule_sidr(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	struct rdt_finding *f;

	if (c->kind != RDT_CONN_SIDR || !c->has_rep || !c->sidr_status)
		return;
	f = why_begin(k,
		      c->sidr_status == RDT_SIDR_UNSUPPORTED ? RDT_WHY_CM_SIDR_1 : RDT_WHY_CM_SIDR,
		      RDT_PASSIVE, 100);
	why_add(f, RDT_WHY_V_STATUS, c->sidr_status, c->rep_frame, c->input);
	if (!c->mid)
		why_add_ns(f, RDT_WHY_V_ANSWER, c->rep_ns - c->start_ns, c->rep_frame, c->input);
	why_emit(k->w, f);
}

/* ---- not answered ---------------------------------------------------------------------------------- */

/* MRAs, and nothing after them. */
static bool mra_unanswered(const struct look *k, enum rdt_side by, enum rdt_msg msg, int64_t since)
{
	const struct said *mra = look_said(k, by, SAID_MRA);
	struct rdt_finding *f;

	if (!mra || (msg == RDT_MSG_REP) != (k->note->mra_of_rep_frame != 0))
		return false;
	f = why_begin(k, RDT_WHY_CM_MRA_UNANSWERED, by, 100);
	why_add(f, RDT_WHY_V_MSG, msg, 0, 0);
	why_add(f, RDT_WHY_V_MRA, mra->sent, mra->first_frame, mra->input);
	why_add_ns(f, RDT_WHY_V_WAITED, look_end(k) - since, 0, 0);
	why_emit(k->w, f);
	return true;
}

static void rule_no_answer(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const bool sidr = c->kind == RDT_CONN_SIDR;
	const unsigned sent = look_sent(k, RDT_ACTIVE, SAID_OPEN);
	const int64_t waited = look_end(k) - c->start_ns;
	struct rdt_finding *f;

	if (c->has_rep || c->has_rej || c->established || c->mid || !sent)
		return;
	if (waited < SILENCE_NS || mra_unanswered(k, RDT_PASSIVE, RDT_MSG_REQ, c->start_ns))
		return;
	f = why_begin(k, sidr ? RDT_WHY_CM_SIDR_NOANSWER : RDT_WHY_CM_REQ_NOANSWER, RDT_ACTIVE,
		      sent > 1 ? 100 : 80);
	why_add(f, RDT_WHY_V_SENT, sent, c->first_frame, c->input);
	why_add_ns(f, RDT_WHY_V_WAITED, waited, 0, 0);
	why_add(f, RDT_WHY_V_NEIGHBOUR, neighbour_state(k, RDT_PASSIVE), 0, 0);
	add_timer(k, f, RDT_ACTIVE);
	if (k->note && sent > 1)
		add_sendings(f, k, k->note->open[RDT_ACTIVE], sent);
	why_emit(k->w, f);
}

static void rule_no_rtu(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const unsigned sent = look_sent(k, RDT_PASSIVE, SAID_OPEN);
	const struct said *reps = look_said(k, RDT_PASSIVE, SAID_OPEN);
	const int64_t waited = look_end(k) - (reps ? reps->first_ns : c->rep_ns);
	struct rdt_finding *f;

	if (!is_cm(k) || !c->has_rep || !c->rep_frame || c->rtu_frame ||
	    (c->has_rej && !rep_in_vain(k)) || c->has_close ||
	    c->end[RDT_ACTIVE].data.first_frame || c->end[RDT_PASSIVE].data.first_frame)
		return;
	if (waited < SILENCE_NS || mra_unanswered(k, RDT_ACTIVE, RDT_MSG_REP, c->rep_ns))
		return;
	f = why_begin(k, sent > 1 ? RDT_WHY_CM_REP_NOANSWER : RDT_WHY_CM_HALFOPEN, RDT_PASSIVE,
		      sent > 1 ? 100 : 70);
	why_add(f, RDT_WHY_V_SENT, sent, c->rep_frame, c->input);
	why_add_ns(f, RDT_WHY_V_WAITED, waited, 0, 0);
	add_timer(k, f, RDT_PASSIVE);
	if (k->note && sent > 1)
		add_sendings(f, k, k->note->open[RDT_PASSIVE], sent);
	why_emit(k->w, f);
}

rule_fn *const cm_rules[] = { rule_rej, rule_sidr, rule_no_answer, rule_no_rtu, NULL };
