// SPDX-License-Identifier: BSD-2-Clause
/*
 * What happens at a host although no packet shows it: retries that run out, TIMEWAIT that ends.
 * All times follow from codes that REQ and REP carry, counted as Linux does (kernel cm.c).
 * A timer fires when a packet or the end of the capture shows that its time has passed.
 */
#include "internal.h"

/* cv(code): the kernel's coarse 4.096 us x 2^code, in ms. */
static uint64_t cv(unsigned code)
{
	return UINT64_C(1) << (code > 8 ? code - 8 : 0);
}

/* The packet lifetime that a local ACK timeout was made of: lifetime + 1 where CA delay is less. */
static unsigned lifetime(const struct rdt_params *p)
{
	return p->ack_timeout ? p->ack_timeout - 1u : 0;
}

/* The active side's own ACK timeout, from the peer's target ACK delay (kernel cm_ack_timeout). */
static unsigned active_ack_timeout(const struct rdt_params *p)
{
	unsigned a = lifetime(p) + 1;
	const unsigned delay = p->target_ack_delay;

	if (a >= delay)
		a += delay >= a - 1;
	else
		a = delay + (a >= delay - 1);
	return a < 31 ? a : 31;
}

/* Interval between two sendings of the message awaited, in ms; 0 when the capture does not tell. */
static uint64_t interval(const struct slot *s, enum rdt_side side)
{
	const struct rdt_params *p = &s->pub.params;
	const struct end_priv *priv = &s->priv[side];

	if (s->pub.kind == RDT_CONN_SIDR)
		return cv(20);
	if (!p->has_req)
		return 0;
	if (priv->has_mra)
		return cv(priv->mra_timeout) + cv(p->ack_timeout);
	if (side == RDT_ACTIVE)
		return 2 * cv(lifetime(p)) + cv(p->remote_cm_resp_timeout);
	return cv(p->local_cm_resp_timeout);
}

int rdt_tracker_retry_ns(const struct rdt_tracker *t, uint32_t index, enum rdt_side side,
			 uint64_t *ret_ns)
{
	const struct slot *s = conn_slot(t, index);
	const uint64_t ms = s && s->pub.kind != RDT_CONN_MPA ? interval(s, side) : 0;

	if (!ms)
		return 0;
	*ret_ns = ms * 1000000;
	return 1;
}

static uint32_t rel_ms(const struct slot *s, int64_t ns)
{
	const int64_t ms = (ns - s->pub.start_ns) / 1000000;

	return ms < 0 ? 0 : ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
}

static void arm(struct end_priv *priv, enum rdt_cm_event event, uint64_t ms)
{
	priv->timer_event = ms < UINT32_MAX ? (uint8_t)event : RDT_CM_EV_NONE;
	priv->timer_ms = (uint32_t)ms;
}

static void arm_retries(struct slot *s, enum rdt_side side, enum rdt_cm_event event,
			enum copy_place place)
{
	struct end_priv *priv = &s->priv[side];
	const unsigned most = s->pub.kind == RDT_CONN_SIDR ? 16 : s->pub.params.max_cm_retries + 1u;
	const unsigned sent = priv->copies[place] ? priv->copies[place] : 1u;
	uint64_t each = interval(s, side);

	if (!each) {
		priv->timer_event = RDT_CM_EV_NONE;
		return;
	}
	/* Kernels are some percent late with each; believe the capture where it shows how much. */
	if (sent > 1 && !priv->has_mra && (priv->resent_ms - priv->tracked_ms) / (sent - 1) > each)
		each = (priv->resent_ms - priv->tracked_ms) / (sent - 1);
	each += each / 16;
	priv->all_sent = sent >= most;
	arm(priv, event, priv->resent_ms + each * ((sent < most ? most - sent : 0) + 1));
}

void timer_update(struct slot *s, enum rdt_side side, enum rdt_cm_event event, bool repeat,
		  int64_t ns)
{
	struct end_priv *priv = &s->priv[side];
	const struct rdt_params *p = &s->pub.params;

	if (s->pub.kind == RDT_CONN_MPA)
		return;
	if (event == RDT_CM_EV_TX_REQ || event == RDT_CM_EV_TX_REP || event == RDT_CM_EV_TX_DREQ ||
	    event == RDT_CM_EV_TX_SIDR_REQ) {
		priv->resent_ms = rel_ms(s, ns);
		if (!repeat) {
			priv->tracked_ms = priv->resent_ms;
			priv->has_mra = 0;
		}
	} else if (event == RDT_CM_EV_RX_MRA_REQ || event == RDT_CM_EV_RX_MRA_REP) {
		priv->resent_ms = rel_ms(s, ns);
	} else if (repeat) {
		return;
	}
	switch ((enum rdt_cm_state)s->pub.end[side].cm_state) {
	case RDT_CM_REQ_SENT:
	case RDT_CM_MRA_REQ_RCVD:
		arm_retries(s, side, RDT_CM_EV_TIMER_REQ, COPY_OPEN);
		break;
	case RDT_CM_REP_SENT:
	case RDT_CM_MRA_REP_RCVD:
		arm_retries(s, side, RDT_CM_EV_TIMER_REP, COPY_OPEN);
		break;
	case RDT_CM_DREQ_SENT:
		arm_retries(s, side, RDT_CM_EV_TIMER_DREQ, COPY_DREQ);
		break;
	case RDT_CM_SIDR_REQ_SENT:
		arm_retries(s, side, RDT_CM_EV_TIMER_SIDR, COPY_OPEN);
		break;
	case RDT_CM_TIMEWAIT:
		if (p->has_req && !repeat)
			arm(priv, RDT_CM_EV_TIMER_TIMEWAIT,
			    rel_ms(s, ns) + cv(side == RDT_ACTIVE ? active_ack_timeout(p)
								  : p->ack_timeout));
		break;
	case RDT_CM_NONE:
	case RDT_CM_IDLE:
	case RDT_CM_LISTEN:
	case RDT_CM_REQ_RCVD:
	case RDT_CM_MRA_REQ_SENT:
	case RDT_CM_REP_RCVD:
	case RDT_CM_MRA_REP_SENT:
	case RDT_CM_ESTABLISHED:
	case RDT_CM_DREQ_RCVD:
	case RDT_CM_SIDR_REQ_RCVD:
	case RDT_CM_DONE:
	case RDT_CM_STATE_COUNT:
		priv->timer_event = RDT_CM_EV_NONE;
		break;
	}
}

void timer_run(struct rdt_tracker *t, struct slot *s, int64_t now, bool give_up)
{
	if (s->priv[RDT_ACTIVE].timer_event == RDT_CM_EV_NONE &&
	    s->priv[RDT_PASSIVE].timer_event == RDT_CM_EV_NONE)
		return;
	/* Each firing arms at most one more: bounded by the states that have a timer. */
	for (unsigned n = 0; n < 2 * RDT_CM_STATE_COUNT; n++) {
		unsigned next = RDT_SIDES;
		struct rdt_when when = { .input = s->pub.input };

		for (unsigned side = 0; side < RDT_SIDES; side++) {
			const struct end_priv *priv = &s->priv[side];
			const int64_t end = s->pub.start_ns + (int64_t)priv->timer_ms * 1000000;

			if (priv->timer_event == RDT_CM_EV_NONE || end >= now)
				continue;
			/*
			 * A wait for the peer that seems over may go on while the capture does: it
			 * may lack some of the sendings. It is over when all were seen.
			 */
			if (!give_up && !priv->all_sent &&
			    priv->timer_event != RDT_CM_EV_TIMER_TIMEWAIT)
				continue;
			if (next == RDT_SIDES || end < when.ns) {
				next = side;
				when.ns = end;
			}
		}
		if (next == RDT_SIDES)
			return;
		{
			const enum rdt_cm_event event = s->priv[next].timer_event;

			s->priv[next].timer_event = RDT_CM_EV_NONE;
			step_side(t, s, next, event, &when);
		}
	}
}
