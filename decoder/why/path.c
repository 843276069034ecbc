// SPDX-License-Identifier: BSD-2-Clause
/* What the packets of a data path tell beside answers: order, time, size, marks, what is not there. */
#include "internal.h"

#include "rdmatrace/psn.h"
#include "rdmatrace/text.h"

/* So many PSNs may have been lost before the first that was captured. */
#define PSN_SLACK 4096
/* Packets of one direction before the other one is missed. */
#define ONEWAY 16u

/* An event, the finding it makes, how sure: nothing else to be said of it. */
static const struct {
	uint8_t event, confidence;
	uint16_t code;
} simple[] = {
	{ RDT_FLOW_LATE, 80, RDT_WHY_RC_ORDER },   { RDT_FLOW_AFTER_CLOSE, 100, RDT_WHY_RC_GHOST },
	{ RDT_FLOW_EARLY, 100, RDT_WHY_RC_EARLY }, { RDT_FLOW_NO_CREDIT, 90, RDT_WHY_RC_CREDIT },
	{ RDT_FLOW_MSN_BACK, 80, RDT_WHY_RC_MSN }, { RDT_FLOW_UNSEEN, 90, RDT_WHY_CAP_LOSS },
	{ RDT_FLOW_CE, 100, RDT_WHY_NET_ECN },     { RDT_FLOW_CNP, 100, RDT_WHY_NET_CNP },
};

static void rule_simple(const struct look *k)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_flow *flow = k->flow[side];

		for (unsigned i = 0; flow && i < sizeof(simple) / sizeof(simple[0]); i++) {
			struct rdt_finding *f;

			if (!flow->events[simple[i].event].count)
				continue;
			f = why_begin(k, simple[i].code, (enum rdt_side)side, simple[i].confidence);
			add_event(f, RDT_WHY_V_PACKETS, flow, simple[i].event);
			if (simple[i].code == RDT_WHY_NET_ECN && flow->events[RDT_FLOW_CNP].count)
				add_event(f, RDT_WHY_V_MORE, flow, RDT_FLOW_CNP);
			why_emit(k->w, f);
		}
	}
}

static void rule_uc(const struct look *k)
{
	for (unsigned side = 0; k->c->service == RDT_SVC_UC && side < RDT_SIDES; side++) {
		const struct rdt_flow *flow = k->flow[side];
		struct rdt_finding *f;

		if (!flow || flow->events[RDT_FLOW_GAP].count <= flow->events[RDT_FLOW_LATE].count)
			continue;
		f = why_begin(k, RDT_WHY_UC_LOSS, (enum rdt_side)side, 80);
		why_add(f, RDT_WHY_V_PACKETS,
			flow->events[RDT_FLOW_GAP].count - flow->events[RDT_FLOW_LATE].count,
			flow->events[RDT_FLOW_GAP].first_frame,
			flow->events[RDT_FLOW_GAP].first_input);
		why_emit(k->w, f);
	}
}

static void rule_dup(const struct look *k)
{
	uint64_t n = 0;
	uint32_t frame = 0;
	struct rdt_finding *f;

	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_flow *flow = k->flow[side];

		if (flow && flow->events[RDT_FLOW_DOUBLED].count) {
			n += flow->events[RDT_FLOW_DOUBLED].count;
			frame = frame ? frame : flow->events[RDT_FLOW_DOUBLED].first_frame;
		}
		for (unsigned kind = 0; k->note && !k->data_only && kind < SAID_COUNT; kind++) {
			n += k->note->said[side][kind].doubled;
			frame = frame ? frame : k->note->said[side][kind].doubled_frame;
		}
	}
	if (!n)
		return;
	f = why_begin(k, RDT_WHY_NET_DUP, RDT_ACTIVE, 90);
	why_add(f, RDT_WHY_V_PACKETS, n, frame, k->c->input);
	why_emit(k->w, f);
}

static bool carries_rc(const struct rdt_conn *c, unsigned side)
{
	return rdt_conn_reliable(c) && c->end[side].data.pkts;
}

static uint64_t pair_key(uint32_t from, uint32_t to)
{
	return (uint64_t)from << 32 | to;
}

/*
 * Does the capture show data of a reliable connection from one address to the other? They may be
 * the answers that a connection seems to lack: where its setup was not captured, its directions can
 * stay two. Before the end that cannot be known, and the answer is yes.
 */
static bool data_between(struct rdt_why *w, uint32_t from, uint32_t to)
{
	const uint32_t count = rdt_tracker_conn_count(w->t);

	for (uint32_t i = 0; w->at_end && !w->paired && i < count; i++) {
		const struct rdt_conn *c = rdt_tracker_conn(w->t, i);

		for (unsigned side = 0; c && side < RDT_SIDES; side++)
			if (carries_rc(c, side) &&
			    !map_put(&w->pairs, pair_key(c->end[side].addr, c->end[side ^ 1].addr),
				     1))
				w->no_memory = 1;
	}
	w->paired = w->at_end;
	return !w->at_end || map_get(&w->pairs, pair_key(from, to)) != RDT_MAP_NONE;
}

/* A reliable direction that nobody answers and that repeats nothing. */
static void rule_oneway(const struct look *k)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_end *e = &k->c->end[side],
				     *peer = &k->c->end[rdt_side_other((enum rdt_side)side)];
		const struct rdt_flow *flow = k->flow[side];
		struct rdt_finding *f;

		if (!flow || !rdt_conn_reliable(k->c) || e->data.pkts < ONEWAY || peer->data.pkts ||
		    e->data.retrans || flow->ack_frame)
			continue;
		if (data_between(k->w, peer->addr, e->addr))
			continue;
		f = why_begin(k, RDT_WHY_CAP_ONEWAY, (enum rdt_side)side, 80);
		why_add(f, RDT_WHY_V_PACKETS, e->data.pkts, e->data.first_frame, k->c->input);
		why_emit(k->w, f);
	}
}

/* ---- the first PSN --------------------------------------------------------------------------------------- */

static void rule_psn(const struct look *k)
{
	/* By a REQ and a REP, or by an exchange of the programs. */
	const bool announced = !k->c->mid && !k->data_only &&
			       (k->c->kind == RDT_CONN_CM || k->c->kind == RDT_CONN_OOB);

	for (unsigned side = 0; announced && side < RDT_SIDES; side++) {
		const struct rdt_end *e = &k->c->end[side];
		const int32_t off = rdt_psn_diff(e->data.first_psn, e->psn);
		struct rdt_finding *f;

		if (!e->has_psn || !e->data.first_frame || (off >= 0 && off <= PSN_SLACK) ||
		    k->c->service == RDT_SVC_UD)
			continue;
		f = why_begin(k, RDT_WHY_CM_PSN_MISMATCH, (enum rdt_side)side, 90);
		why_add(f, RDT_WHY_V_WANT_PSN, e->psn,
			side == RDT_ACTIVE ? k->c->rep_frame : k->c->first_frame, k->c->input);
		why_add(f, RDT_WHY_V_PSN, e->data.first_psn, e->data.first_frame, k->c->input);
		why_emit(k->w, f);
	}
}

/* ---- sizes -------------------------------------------------------------------------------------------- */

static void rule_mtu(const struct look *k)
{
	const struct rdt_flow *a = k->flow[RDT_ACTIVE], *p = k->flow[RDT_PASSIVE];
	const uint32_t agreed = k->c->params.has_req ? rdt_mtu_bytes(k->c->params.path_mtu) : 0;
	struct rdt_finding *f;

	if (!rdt_conn_reliable(k->c) && k->c->service != RDT_SVC_UC)
		return;
	if ((k->c->kind == RDT_CONN_DATA || k->c->kind == RDT_CONN_OOB) && a && p && a->mtu &&
	    p->mtu && a->mtu != p->mtu) {
		f = why_begin(k, RDT_WHY_CM_MTU_SIDES, RDT_ACTIVE, 90);
		why_add(f, RDT_WHY_V_MTU, a->mtu, k->c->end[RDT_ACTIVE].data.first_frame,
			k->c->input);
		why_add(f, RDT_WHY_V_SEEN_MTU, p->mtu, k->c->end[RDT_PASSIVE].data.first_frame,
			k->c->input);
		why_emit(k->w, f);
	}
	for (unsigned side = 0; agreed && side < RDT_SIDES; side++) {
		if (!k->flow[side] || !k->flow[side]->mtu || k->flow[side]->mtu == agreed)
			continue;
		f = why_begin(k, RDT_WHY_CM_MTU, (enum rdt_side)side, 90);
		why_add(f, RDT_WHY_V_MTU, agreed, k->c->first_frame, k->c->input);
		why_add(f, RDT_WHY_V_SEEN_MTU, k->flow[side]->mtu, k->c->end[side].data.first_frame,
			k->c->input);
		why_emit(k->w, f);
	}
}

rule_fn *const path_rules[] = { rule_simple, rule_uc,  rule_dup, rule_oneway,
				rule_psn,    rule_mtu, NULL };
