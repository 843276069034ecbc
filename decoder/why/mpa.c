// SPDX-License-Identifier: BSD-2-Clause
/* iWARP: setups (RFC 5044, RFC 6581) and streams that end with a TERMINATE or do not fit together. */
#include "internal.h"

#include "rdmatrace/setup.h"

#define SILENCE_NS NS_PER_S
#define NOT_NEGOTIATED 0x3fffu

static const struct rdt_iwarp_end *end_of(const struct look *k, enum rdt_side side)
{
	const struct rdt_iwarp *i = rdt_tracker_iwarp(k->t, k->c);

	return i && i->end[side].has_start ? &i->end[side] : NULL;
}

/* One thing that a frame shows of a side. */
static void tell(const struct look *k, enum rdt_why_code code, enum rdt_side side, uint64_t n,
		 uint32_t frame, unsigned confidence)
{
	struct rdt_finding *f = why_begin(k, code, side, confidence);

	why_add(f, RDT_WHY_V_PACKETS, n, frame, k->c->input);
	why_emit(k->w, f);
}

/* ---- the answer ------------------------------------------------------------------------------------ */

static void refused(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const struct said *rep = look_said(k, RDT_PASSIVE, SAID_OPEN);
	struct rdt_finding *f = why_begin(k, RDT_WHY_MPA_REJ, RDT_PASSIVE, 100);

	why_add(f, RDT_WHY_V_SENT, 1, c->rej_frame, c->input);
	if (rep)
		why_add_ns(f, RDT_WHY_V_ANSWER, rep->first_ns - c->start_ns, c->rej_frame,
			   c->input);
	why_emit(k->w, f);
}

/* No MPA reply: who ended it, and how? */
static void no_reply(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const struct said *reset = look_said(k, RDT_PASSIVE, SAID_REJ);
	const struct said *left = look_said(k, RDT_ACTIVE, SAID_REJ);
	const struct said *const closed[RDT_SIDES] = { look_said(k, RDT_ACTIVE, SAID_DREQ),
						       look_said(k, RDT_PASSIVE, SAID_DREQ) };
	enum rdt_side by = RDT_ACTIVE;
	struct rdt_finding *f;
	int64_t until = look_end(k);

	if (reset) {
		f = why_begin(k, RDT_WHY_MPA_RESET, RDT_PASSIVE, 100);
		why_add_ns(f, RDT_WHY_V_ANSWER, reset->first_ns - c->start_ns, reset->first_frame,
			   reset->input);
		why_emit(k->w, f);
		return;
	}
	/* Who closed first: a listener that does not know MPA, or the one that waited. */
	if (closed[RDT_PASSIVE] && (!closed[RDT_ACTIVE] || closed[RDT_PASSIVE]->first_frame <
								   closed[RDT_ACTIVE]->first_frame))
		by = RDT_PASSIVE;
	if (closed[by])
		until = closed[by]->first_ns;
	else if (left)
		until = left->first_ns;
	if (until - c->start_ns < SILENCE_NS && !closed[by] && !left)
		return;
	f = why_begin(k, RDT_WHY_MPA_NOREPLY, by, 100);
	why_add(f, RDT_WHY_V_SENT, look_sent(k, RDT_ACTIVE, SAID_OPEN), c->first_frame, c->input);
	why_add_ns(f, RDT_WHY_V_WAITED, until - c->start_ns, left ? left->first_frame : 0,
		   c->input);
	why_emit(k->w, f);
}

static void rule_answer(const struct look *k)
{
	const struct rdt_iwarp_end *p = end_of(k, RDT_PASSIVE);

	if (k->c->mid)
		return;
	if (p && p->reject)
		refused(k);
	else if (!p && !k->c->established)
		no_reply(k);
}

/* ---- the two start frames -------------------------------------------------------------------------- */

static void rule_rev(const struct look *k)
{
	const struct rdt_iwarp_end *a = end_of(k, RDT_ACTIVE), *p = end_of(k, RDT_PASSIVE);
	struct rdt_finding *f;

	if (!a || !p || a->rev == p->rev)
		return;
	f = why_begin(k, RDT_WHY_MPA_REV, RDT_PASSIVE, 100);
	why_add(f, RDT_WHY_V_REVISION, a->rev, a->start_frame, k->c->input);
	why_add(f, RDT_WHY_V_PEER_REVISION, p->rev, p->start_frame, k->c->input);
	why_emit(k->w, f);
}

static void rule_flags(const struct look *k)
{
	const struct rdt_iwarp_end *a = end_of(k, RDT_ACTIVE), *p = end_of(k, RDT_PASSIVE);

	if (a && p && a->crc != p->crc && !p->reject)
		tell(k, RDT_WHY_MPA_CRC_MISMATCH, a->crc ? RDT_ACTIVE : RDT_PASSIVE, 1,
		     (a->crc ? a : p)->start_frame, 100);
	if (a && a->markers)
		tell(k, RDT_WHY_MPA_MARKERS, RDT_ACTIVE, 1, a->start_frame, 100);
	if (p && p->markers)
		tell(k, RDT_WHY_MPA_MARKERS, RDT_PASSIVE, 1, p->start_frame, 100);
}

/* The initiator lowers its depths to the reply's; a reply must not ask for more than it was offered. */
static void rule_depth(const struct look *k)
{
	const struct rdt_iwarp_end *a = end_of(k, RDT_ACTIVE), *p = end_of(k, RDT_PASSIVE);
	struct rdt_finding *f;

	if (!a || !p || !a->enhanced || !p->enhanced || a->ird == NOT_NEGOTIATED ||
	    p->ord == NOT_NEGOTIATED || p->ord <= a->ird || p->reject)
		return;
	f = why_begin(k, RDT_WHY_MPA_IRD_ORD, RDT_PASSIVE, 90);
	why_add(f, RDT_WHY_V_ASKS, p->ord, p->start_frame, k->c->input);
	why_add(f, RDT_WHY_V_SERVES, a->ird, a->start_frame, k->c->input);
	why_emit(k->w, f);
}

static void rule_rtr(const struct look *k)
{
	const struct rdt_iwarp *i = rdt_tracker_iwarp(k->t, k->c);

	if (!i)
		return;
	if (i->rtr == RDT_RTR_IS_NO_COMMON)
		tell(k, RDT_WHY_MPA_RTR_KINDS, RDT_PASSIVE, 1, i->end[RDT_PASSIVE].start_frame, 90);
	else if (i->rtr == RDT_RTR_IS_OTHER || i->rtr == RDT_RTR_IS_MISSING)
		tell(k, RDT_WHY_MPA_RTR, RDT_ACTIVE, 1, i->end[RDT_ACTIVE].first_frame, 90);
}

/* ---- the streams --------------------------------------------------------------------------------------- */

static void terminate(const struct look *k, const struct rdt_iwarp_end *e, enum rdt_side side)
{
	struct rdt_finding *f;

	f = why_begin(k, e->term_known ? RDT_WHY_MPA_TERMINATE : RDT_WHY_MPA_TERMINATE_ODD, side,
		      100);
	why_add(f, RDT_WHY_V_PACKETS, 1, e->term_frame, k->c->input);
	if (e->term_known)
		why_add(f, RDT_WHY_V_TERM, e->term_error, e->term_frame, k->c->input);
	why_emit(k->w, f);
}

static void rule_stream(const struct look *k)
{
	const struct rdt_iwarp *i = rdt_tracker_iwarp(k->t, k->c);

	for (unsigned side = 0; i && side < RDT_SIDES; side++) {
		const struct rdt_iwarp_end *e = &i->end[side];

		if (e->term_frame)
			terminate(k, e, (enum rdt_side)side);
		if (e->crc_bad)
			tell(k, RDT_WHY_MPA_CRC, (enum rdt_side)side, e->crc_bad, e->crc_bad_frame,
			     100);
		if (e->markers_bad)
			tell(k, RDT_WHY_MPA_MARKER_WRONG, (enum rdt_side)side, e->markers_bad,
			     e->marker_bad_frame, 90);
		if (e->malformed)
			tell(k, RDT_WHY_MPA_MALFORMED, (enum rdt_side)side, e->malformed,
			     e->malformed_frame, 90);
	}
}

rule_fn *const mpa_rules[] = { rule_answer, rule_rev,    rule_flags, rule_depth,
			       rule_rtr,    rule_stream, NULL };
