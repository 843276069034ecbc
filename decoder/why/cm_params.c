// SPDX-License-Identifier: BSD-2-Clause
/* What REQ and REP agree on that does not fit, or that the packets do not keep to. */
#include "internal.h"

#include "rdmatrace/text.h"

/* A dead peer that is noticed later than this is told of. */
#define LONG_NS (60 * NS_PER_S)
/* Answers that must have been timed before a timer is called too short. */
#define TIMED 8u

static bool is_cm(const struct look *k)
{
	return k->c->kind == RDT_CONN_CM;
}

/*
 * The active side lowers what it asked for to what the REP grants: only the passive side can ask
 * for more than it is served.
 */
static void rule_depth(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const struct rdt_end *a = &c->end[RDT_ACTIVE], *p = &c->end[RDT_PASSIVE];
	struct rdt_finding *f;

	if (!is_cm(k) || !c->params.has_req || !c->params.has_rep || p->depth <= a->resources)
		return;
	f = why_begin(k, RDT_WHY_CM_DEPTH, RDT_PASSIVE, 90);
	why_add(f, RDT_WHY_V_ASKS, p->depth, c->rep_frame, c->input);
	why_add(f, RDT_WHY_V_SERVES, a->resources, c->first_frame, c->input);
	why_emit(k->w, f);
}

static void rule_gid(const struct look *k)
{
	for (unsigned side = 0; is_cm(k) && side < RDT_SIDES; side++) {
		const uint32_t alt = rdt_tracker_alt_addr(k->t, k->index, (enum rdt_side)side);
		const struct rdt_addr *says, *has;
		struct rdt_finding *f;

		if (alt == RDT_CONN_NONE)
			continue;
		says = rdt_tracker_addr(k->t, alt);
		has = rdt_tracker_addr(k->t, k->c->end[side].addr);
		/* Packets of one subnet have a LID only: the GID is another name of the port. */
		if (has->kind == RDT_ADDR_LID || says->kind == RDT_ADDR_LID ||
		    says->kind == RDT_ADDR_NONE)
			continue;
		f = why_begin(k, RDT_WHY_CM_GID_MISMATCH, (enum rdt_side)side, 90);
		f->address = *says;
		why_add(f, RDT_WHY_V_GID, 0, k->c->first_frame, k->c->input);
		why_emit(k->w, f);
	}
}

static void rule_gid_type(const struct look *k)
{
	struct rdt_finding *f;

	if (!k->note || !k->note->other_version_pkts)
		return;
	f = why_begin(k, RDT_WHY_CM_GID_TYPE, RDT_ACTIVE, 100);
	why_add(f, RDT_WHY_V_PACKETS, k->note->other_version_pkts, k->note->other_version_frame,
		k->c->input);
	why_emit(k->w, f);
}

static void rule_pdata(const struct look *k)
{
	struct rdt_finding *f;

	if (!k->note || !k->note->pdata_frame)
		return;
	f = why_begin(k, RDT_WHY_CM_PDATA_LIMIT, (enum rdt_side)k->note->pdata_side, 60);
	why_add(f, RDT_WHY_V_MSG, k->note->pdata_msg, k->note->pdata_frame, k->c->input);
	why_add(f, RDT_WHY_V_SIZE, k->note->pdata_size, k->note->pdata_frame, k->c->input);
	why_emit(k->w, f);
}

/* ---- timers and retry counts -------------------------------------------------------------------- */

static void timers_short(const struct look *k, uint64_t timeout)
{
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		const struct rdt_flow *flow = k->flow[side];
		struct rdt_finding *f;

		if (!flow || flow->timed < TIMED || flow->wait_min_ns <= timeout)
			continue;
		f = why_begin(k, RDT_WHY_CM_TIMERS_SHORT, (enum rdt_side)side, 80);
		why_add(f, RDT_WHY_V_ACK_TIMEOUT, timeout, k->c->first_frame, k->c->input);
		why_add(f, RDT_WHY_V_RTT, flow->wait_min_ns, 0, 0);
		why_emit(k->w, f);
	}
}

static void rule_timers(const struct look *k)
{
	const struct rdt_params *p = &k->c->params;
	const uint64_t timeout = rdt_cm_timeout_ns(p->ack_timeout);
	struct rdt_finding *f;

	if (!is_cm(k) || !p->has_req || k->c->service != RDT_SVC_RC)
		return;
	if (!p->ack_timeout) {
		f = why_begin(k, RDT_WHY_CM_TIMERS_ZERO, RDT_ACTIVE, 100);
		why_add(f, RDT_WHY_V_ACK_TIMEOUT, 0, k->c->first_frame, k->c->input);
		why_emit(k->w, f);
	} else if (timeout * (p->retry_count + 1u) > LONG_NS) {
		f = why_begin(k, RDT_WHY_CM_TIMERS_LONG, RDT_ACTIVE, 90);
		why_add(f, RDT_WHY_V_ACK_TIMEOUT, timeout, k->c->first_frame, k->c->input);
		why_add(f, RDT_WHY_V_RETRY, p->retry_count, k->c->first_frame, k->c->input);
		why_add(f, RDT_WHY_V_TOTAL, timeout * (p->retry_count + 1u), k->c->first_frame,
			k->c->input);
		why_emit(k->w, f);
	} else {
		timers_short(k, timeout);
	}
	if (!p->retry_count) {
		f = why_begin(k, RDT_WHY_CM_RETRY_ZERO, RDT_ACTIVE, 100);
		why_add(f, RDT_WHY_V_RETRY, 0, k->c->first_frame, k->c->input);
		why_emit(k->w, f);
	}
}

static void rule_rnr(const struct look *k)
{
	const struct rdt_conn *c = k->c;
	const struct rdt_end *a = &c->end[RDT_ACTIVE], *p = &c->end[RDT_PASSIVE];
	const enum rdt_side less = a->rnr_retry < p->rnr_retry ? RDT_ACTIVE : RDT_PASSIVE;
	struct rdt_finding *f;

	if (!is_cm(k) || !c->params.has_req || !c->params.has_rep || a->rnr_retry == p->rnr_retry ||
	    c->end[less].rnr_retry)
		return;
	f = why_begin(k, RDT_WHY_CM_RNR_DIFFER, less, 100);
	why_add(f, RDT_WHY_V_RNR_RETRY, c->end[less].rnr_retry,
		less == RDT_ACTIVE ? c->first_frame : c->rep_frame, c->input);
	why_emit(k->w, f);
}

rule_fn *const cm_params_rules[] = { rule_depth,  rule_gid, rule_gid_type, rule_pdata,
				     rule_timers, rule_rnr, NULL };
