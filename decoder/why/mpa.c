// SPDX-License-Identifier: BSD-2-Clause
/* iWARP setups: RFC 5044, RFC 6581. */
#include "internal.h"

#define SILENCE_NS NS_PER_S
#define NOT_NEGOTIATED 0x3fffu

static const struct mpa_said *said_of(const struct look *k, enum rdt_side side)
{
	return k->note && k->note->mpa[side].known ? &k->note->mpa[side] : NULL;
}

static void rule_answer(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const struct said *a = look_said(k, RDT_ACTIVE, SAID_REJ);
	const struct said *p = look_said(k, RDT_PASSIVE, SAID_REJ);
	const struct said *rst = p ? p : a;
	struct rdt_finding *f;
	int64_t waited;

	if (c->mid)
		return;
	if (c->has_rej && c->rej_side == RDT_PASSIVE) {
		const struct said *rep = look_said(k, RDT_PASSIVE, SAID_OPEN);

		f = why_begin(k, RDT_WHY_MPA_REJ, RDT_PASSIVE, 100);
		why_add(f, RDT_WHY_V_SENT, 1, c->rej_frame, c->input);
		if (rep)
			why_add_ns(f, RDT_WHY_V_ANSWER, rep->first_ns - c->start_ns, c->rej_frame,
				   c->input);
		why_emit(k->w, f);
		return;
	}
	if (c->has_rep)
		return;
	if (p) {
		f = why_begin(k, RDT_WHY_MPA_RESET, RDT_PASSIVE, 100);
		why_add_ns(f, RDT_WHY_V_ANSWER, p->first_ns - c->start_ns, p->first_frame,
			   p->input);
		why_emit(k->w, f);
		return;
	}
	waited = (rst ? rst->first_ns : c->has_close ? c->close_ns : look_end(k)) - c->start_ns;
	if (waited < SILENCE_NS && !c->has_close && !rst)
		return;
	f = why_begin(k, RDT_WHY_MPA_NOREPLY, rst ? RDT_ACTIVE : (enum rdt_side)c->close_side, 100);
	why_add(f, RDT_WHY_V_SENT, look_sent(k, RDT_ACTIVE, SAID_OPEN), c->first_frame, c->input);
	why_add_ns(f, RDT_WHY_V_WAITED, waited, rst ? rst->first_frame : 0, c->input);
	why_emit(k->w, f);
}

static void rule_rev(const struct look *k)
{
	const struct mpa_said *a = said_of(k, RDT_ACTIVE), *p = said_of(k, RDT_PASSIVE);
	struct rdt_finding *f;

	if (!a || !p || a->rev == p->rev)
		return;
	f = why_begin(k, RDT_WHY_MPA_REV, RDT_PASSIVE, 100);
	why_add(f, RDT_WHY_V_REVISION, a->rev, a->frame, k->c->input);
	why_add(f, RDT_WHY_V_PEER_REVISION, p->rev, p->frame, k->c->input);
	why_emit(k->w, f);
}

static void rule_crc(const struct look *k)
{
	const struct mpa_said *a = said_of(k, RDT_ACTIVE), *p = said_of(k, RDT_PASSIVE);
	struct rdt_finding *f;

	if (!a || !p || a->crc == p->crc || k->c->has_rej)
		return;
	f = why_begin(k, RDT_WHY_MPA_CRC_MISMATCH, a->crc ? RDT_ACTIVE : RDT_PASSIVE, 100);
	why_add(f, RDT_WHY_V_SENT, 1, a->crc ? a->frame : p->frame, k->c->input);
	why_emit(k->w, f);
}

static void rule_markers(const struct look *k)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct mpa_said *s = said_of(k, (enum rdt_side)side);
		struct rdt_finding *f;

		if (!s || !s->markers)
			continue;
		f = why_begin(k, RDT_WHY_MPA_MARKERS, (enum rdt_side)side, 100);
		why_add(f, RDT_WHY_V_SENT, 1, s->frame, k->c->input);
		why_emit(k->w, f);
	}
}

/* The initiator lowers its depths to the reply's; a reply must not ask for more than it was offered. */
static void rule_depth(const struct look *k)
{
	const struct mpa_said *a = said_of(k, RDT_ACTIVE), *p = said_of(k, RDT_PASSIVE);
	struct rdt_finding *f;

	if (!a || !p || !a->enhanced || !p->enhanced || a->ird == NOT_NEGOTIATED ||
	    p->ord == NOT_NEGOTIATED || p->ord <= a->ird || k->c->has_rej)
		return;
	f = why_begin(k, RDT_WHY_MPA_IRD_ORD, RDT_PASSIVE, 90);
	why_add(f, RDT_WHY_V_ASKS, p->ord, p->frame, k->c->input);
	why_add(f, RDT_WHY_V_SERVES, a->ird, a->frame, k->c->input);
	why_emit(k->w, f);
}

rule_fn *const mpa_rules[] = { rule_answer, rule_rev, rule_crc, rule_markers, rule_depth, NULL };
