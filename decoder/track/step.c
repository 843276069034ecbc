// SPDX-License-Identifier: BSD-2-Clause
/* State machines of one end, and telling the sink. The tables decide; this carries out. */
#include "internal.h"

static enum rdt_machine main_machine(const struct slot *s)
{
	return s->pub.kind == RDT_CONN_MPA ? RDT_MACHINE_MPA : RDT_MACHINE_CM;
}

/* No answer is on its way for longer. */
#define FLIGHT_NS INT64_C(1000000000)

/* ---- records ------------------------------------------------------------------------------ */

static void emit_state(const struct rdt_tracker *t, const struct slot *s, enum rdt_side side,
		       enum rdt_machine machine, unsigned from, enum rdt_cm_event event,
		       struct rdt_step step, const struct rdt_when *when)
{
	struct rdt_state_rec rec;

	if (!t->sink.state)
		return;
	rec = (struct rdt_state_rec){ .when = *when,
				      .side = (uint8_t)side,
				      .machine = (uint8_t)machine,
				      .from = (uint8_t)from,
				      .to = step.next,
				      .event = (uint8_t)event,
				      .basis = step.basis,
				      .why = step.why };
	t->sink.state(t->sink.user, &s->pub, &rec);
}

static void emit_event(const struct rdt_tracker *t, const struct slot *s, enum rdt_side side,
		       const struct rdt_event_row *row, const struct rdt_when *when)
{
	struct rdt_event_rec rec;

	if (!t->sink.event)
		return;
	rec = (struct rdt_event_rec){
		.when = *when,
		.side = (uint8_t)side,
		.event = row->program,
		.kernel_event = row->kernel,
		.status = row->status == RDT_STATUS_IS_REASON ? s->pub.rej_reason : row->status,
		.basis = RDT_BASIS_INFERRED,
		.why = row->why,
	};
	t->sink.event(t->sink.user, &s->pub, &rec);
}

/* ---- order of what one side saw ------------------------------------------------------------- */

static void hold(struct slot *s, enum rdt_side side, unsigned from, enum rdt_cm_event event,
		 unsigned to, const struct rdt_when *when)
{
	s->priv[side].held = (struct held){ .ns = when->ns,
					    .frame = when->frame,
					    .input = when->input,
					    .event = (uint8_t)event,
					    .from = (uint8_t)from,
					    .to = (uint8_t)to };
}

static void release(const struct rdt_tracker *t, struct slot *s, enum rdt_side side)
{
	struct held *held = &s->priv[side].held;
	struct rdt_when when;

	if (held->event == RDT_CM_EV_NONE)
		return;
	when = (struct rdt_when){ held->ns, held->frame, held->input };
	emit_state(t, s, side, RDT_MACHINE_CM, held->from, held->event,
		   fsm_step(RDT_MACHINE_CM, held->from, held->event), &when);
	held->event = RDT_CM_EV_NONE;
}

/*
 * Is this message one that the side cannot have sent after what is held, or only as a repetition of what
 * was never seen, but can before it? Then the two crossed on the way, and the capture shows them in
 * the other order.
 */
static bool crossed(const struct slot *s, enum rdt_side side, enum rdt_cm_event event,
		    struct rdt_step now)
{
	const struct held *held = &s->priv[side].held;
	unsigned before;

	if (held->event == RDT_CM_EV_NONE || !rdt_cm_event_is_tx(event) ||
	    (now.action != RDT_ACT_UNEXPECTED && now.action != RDT_ACT_IGNORE &&
	     now.action != RDT_ACT_REPEAT))
		return false;
	before = fsm_step(RDT_MACHINE_CM, held->from, event).action;
	return before != RDT_ACT_UNEXPECTED && before != RDT_ACT_IGNORE && before != RDT_ACT_REPEAT;
}

/* ---- the machines that follow the CM's ------------------------------------------------------ */

static void step_rdma(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		      enum rdt_cm_event event, const struct rdt_when *when)
{
	struct rdt_end *e = &s->pub.end[side];
	struct end_priv *priv = &s->priv[side];
	const struct rdt_event_row *row;
	struct rdt_step step;

	if (e->rdma_state == RDT_RDMA_NONE)
		return;
	row = rdt_event_row(e->rdma_state, event);
	step = fsm_step(RDT_MACHINE_RDMA, e->rdma_state, event);
	if (!row && step.action == RDT_ACT_UNEXPECTED && event != RDT_CM_EV_RX_REP)
		return;
	if (event == RDT_CM_EV_RX_REP) {
		/* The kernel delivers now; what the program gets is known when the RTU comes, or not. */
		priv->owes_response = 1;
		priv->aux = when->frame;
		return;
	}
	if (priv->owes_response && event != RDT_CM_EV_TX_RTU) {
		const struct rdt_when then = { s->pub.rep_ns, priv->aux, when->input };

		emit_event(t, s, side, rdt_event_row(RDT_RDMA_CONNECT, RDT_CM_EV_RX_REP), &then);
	}
	priv->owes_response = 0;
	if (step.action != RDT_ACT_UNEXPECTED) {
		emit_state(t, s, side, RDT_MACHINE_RDMA, e->rdma_state, event, step, when);
		e->rdma_state = step.next;
	}
	if (row)
		emit_event(t, s, side, row, when);
}

void step_qp(struct rdt_tracker *t, struct slot *s, enum rdt_side side, enum rdt_cm_event event,
	     const struct rdt_when *when)
{
	struct rdt_end *e = &s->pub.end[side];

	for (unsigned n = 0; n < RDT_QP_STATE_COUNT; n++) {
		const struct rdt_step step = fsm_step(RDT_MACHINE_QP, e->qp_state, event);

		if (step.action == RDT_ACT_UNEXPECTED)
			return;
		if (step.action != RDT_ACT_OPEN)
			emit_state(t, s, side, RDT_MACHINE_QP, e->qp_state, event, step, when);
		e->qp_state = step.next;
	}
}

static void step_lap(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		     enum rdt_cm_event event, const struct rdt_when *when)
{
	struct rdt_end *e = &s->pub.end[side];
	struct rdt_step step;

	if (event < RDT_CM_EV_TX_LAP && event != RDT_CM_EV_TX_MRA_LAP &&
	    event != RDT_CM_EV_RX_MRA_LAP)
		return; /* almost every message */
	step = fsm_step(RDT_MACHINE_LAP, e->lap_state, event);
	if (step.action == RDT_ACT_UNEXPECTED || step.next == e->lap_state)
		return;
	emit_state(t, s, side, RDT_MACHINE_LAP, e->lap_state, event, step, when);
	e->lap_state = step.next;
}

void step_resolve(struct rdt_tracker *t, struct slot *s, const struct rdt_when *own)
{
	const struct rdt_addr *from = rdt_tracker_addr(t, s->pub.end[RDT_ACTIVE].addr);
	const struct rdt_addr *to = rdt_tracker_addr(t, s->pub.end[RDT_PASSIVE].addr);
	const struct resolve *addr = resolve_take(t, from, to, 0, own->ns);
	const struct rdt_when *asked = addr ? &addr->asked : own;
	const struct rdt_when *done = addr && addr->done.frame ? &addr->done : own;
	const struct resolve *route;

	s->pub.end[RDT_ACTIVE].rdma_state = RDT_RDMA_IDLE;
	step_rdma(t, s, RDT_ACTIVE, RDT_CM_EV_RESOLVE_ADDR, asked);
	step_rdma(t, s, RDT_ACTIVE, RDT_CM_EV_ADDR_DONE, done);
	route = resolve_take(t, from, to, 1, own->ns);
	step_rdma(t, s, RDT_ACTIVE, RDT_CM_EV_RESOLVE_ROUTE, route ? &route->asked : done);
	step_rdma(t, s, RDT_ACTIVE, RDT_CM_EV_ROUTE_DONE,
		  route && route->done.frame ? &route->done : done);
}

void step_request_proven(struct rdt_tracker *t, struct slot *s)
{
	static const uint8_t asks[] = { [RDT_CONN_CM] = RDT_CM_EV_RX_REQ,
					[RDT_CONN_SIDR] = RDT_CM_EV_RX_SIDR_REQ,
					[RDT_CONN_MPA] = RDT_CM_EV_RX_MPA_REQ,
					[RDT_CONN_OOB] = RDT_CM_EV_NONE };

	if (!s->priv[RDT_PASSIVE].owes_request)
		return;
	s->priv[RDT_PASSIVE].owes_request = 0;
	s->pub.end[RDT_PASSIVE].rdma_state = RDT_RDMA_IDLE;
	step_rdma(t, s, RDT_PASSIVE, asks[s->pub.kind], &s->asked);
}

/* Does this event at the passive side show that its program was asked? */
static bool proves_request(const struct slot *s, enum rdt_cm_event event)
{
	if (event == RDT_CM_EV_TX_REJ || event == RDT_CM_EV_TX_REJ_STALE ||
	    event == RDT_CM_EV_TX_SIDR_REFUSE)
		return s->pub.rej_by == RDT_REJ_BY_APPLICATION;
	if (s->pub.kind == RDT_CONN_MPA)
		return event == RDT_CM_EV_TX_MPA_REP || event == RDT_CM_EV_TX_MPA_REJ;
	return event <= RDT_CM_EV_RX_APR && event != RDT_CM_EV_RX_REQ &&
	       event != RDT_CM_EV_RX_SIDR_REQ && event != RDT_CM_EV_RX_REJ &&
	       event != RDT_CM_EV_RX_REJ_STALE;
}

/* ---- what a step means for the connection ---------------------------------------------------- */

static void note_close(struct slot *s, enum rdt_side closer, int64_t ns)
{
	s->pub.established = 1;
	if (s->pub.has_close)
		return;
	s->pub.has_close = 1;
	s->pub.close_side = (uint8_t)closer;
	s->pub.close_ns = ns;
}

static void act(struct slot *s, enum rdt_side side, enum rdt_cm_event event, enum rdt_action action,
		int64_t ns)
{
	const enum rdt_side peer = rdt_side_other(side);

	switch (action) {
	case RDT_ACT_ESTABLISH:
		s->pub.established = 1;
		break;
	case RDT_ACT_DISCONNECT:
		note_close(s, rdt_cm_event_is_tx(event) ? side : peer, ns);
		break;
	case RDT_ACT_CLOSE:
		/* A DREP answers the other side's DREQ. */
		if (s->pub.kind == RDT_CONN_CM && event != RDT_CM_EV_TIMER_DREQ)
			note_close(s, rdt_cm_event_is_tx(event) ? peer : side, ns);
		break;
	case RDT_ACT_REJECT:
		s->pub.refused = 1;
		break;
	case RDT_ACT_GIVE_UP:
		s->pub.gave_up = 1;
		break;
	case RDT_ACT_UNEXPECTED:
	case RDT_ACT_OPEN:
	case RDT_ACT_STEP:
	case RDT_ACT_REPEAT:
	case RDT_ACT_IGNORE:
	case RDT_ACT_END:
	case RDT_ACT_COUNT:
		break;
	}
}

/* The main machine went from from by step: tell it, or hold it back. */
static void moved(struct rdt_tracker *t, struct slot *s, enum rdt_side side, unsigned from,
		  enum rdt_cm_event event, struct rdt_step step, const struct rdt_when *when)
{
	s->pub.end[side].cm_state = step.next;
	if (step.next == from)
		return;
	if (s->pub.kind != RDT_CONN_MPA && rdt_cm_event_is_rx(event))
		hold(s, side, from, event, step.next, when);
	else
		emit_state(t, s, side, main_machine(s), from, event, step, when);
}

struct rdt_step step_side(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
			  enum rdt_cm_event event, const struct rdt_when *when)
{
	struct rdt_end *e = &s->pub.end[side];
	struct end_priv *priv = &s->priv[side];
	unsigned from = e->cm_state;
	struct rdt_step step = fsm_step(main_machine(s), from, event);
	struct held later = { .event = RDT_CM_EV_NONE };
	bool repeat;

	if (crossed(s, side, event, step)) {
		later = priv->held;
		from = later.from;
		step = fsm_step(RDT_MACHINE_CM, from, event);
	} else if (step.action != RDT_ACT_REPEAT || rdt_cm_event_is_tx(event)) {
		release(t, s, side);
	}
	if (step.action == RDT_ACT_UNEXPECTED)
		return step;
	repeat = step.action == RDT_ACT_REPEAT || step.action == RDT_ACT_IGNORE;
	if (later.event != RDT_CM_EV_NONE)
		priv->held.event = RDT_CM_EV_NONE;
	if (!repeat && side == RDT_PASSIVE && proves_request(s, event))
		step_request_proven(t, s);
	moved(t, s, side, from, event, step, when);
	act(s, side, event, (enum rdt_action)step.action, when->ns);
	if (!repeat) {
		step_lap(t, s, side, event, when);
		step_rdma(t, s, side, event, when);
		step_qp(t, s, side, event, when);
	}
	timer_update(s, side, event, repeat, when->ns);
	if (later.event != RDT_CM_EV_NONE) {
		/* What it had not yet received when it sent this, it received after. */
		const struct rdt_when then = { when->ns, later.frame, later.input };
		const struct rdt_step next = fsm_step(RDT_MACHINE_CM, e->cm_state, later.event);

		if (next.action != RDT_ACT_UNEXPECTED) {
			moved(t, s, side, e->cm_state, later.event, next, &then);
			act(s, side, later.event, (enum rdt_action)next.action, when->ns);
			timer_update(s, side, later.event, false, when->ns);
		}
	}
	return step;
}

void step_reply_lost(struct slot *s, int64_t ns)
{
	struct end_priv *priv = &s->priv[RDT_ACTIVE];
	const bool doubtful = priv->held.event == RDT_CM_EV_RX_REP;

	if (!doubtful || ns - priv->held.ns < FLIGHT_NS)
		return;
	s->pub.end[RDT_ACTIVE].cm_state = priv->held.from;
	priv->held.event = RDT_CM_EV_NONE;
	priv->owes_response = 0;
	priv->reply_lost = 1;
}

void step_reopen(struct rdt_tracker *t, struct slot *s, const struct rdt_when *when)
{
	static const char why[] = "a new id and queue pair for the repeated REQ";
	struct rdt_end *e = &s->pub.end[RDT_PASSIVE];
	const struct rdt_step step = { .basis = RDT_BASIS_INFERRED, .why = why };
	struct rdt_step rdma = step, qp = step;

	rdma.next = RDT_RDMA_IDLE;
	qp.next = RDT_QP_RESET;
	if (e->rdma_state != RDT_RDMA_NONE)
		emit_state(t, s, RDT_PASSIVE, RDT_MACHINE_RDMA, e->rdma_state, RDT_CM_EV_RX_REQ,
			   rdma, when);
	if (e->qp_state != RDT_QP_NONE)
		emit_state(t, s, RDT_PASSIVE, RDT_MACHINE_QP, e->qp_state, RDT_CM_EV_RX_REQ, qp,
			   when);
	e->rdma_state = RDT_RDMA_NONE;
	e->qp_state = RDT_QP_RESET;
	e->cm_state = RDT_CM_IDLE;
	s->pub.gave_up = 0;
	s->asked = *when;
	s->priv[RDT_PASSIVE].owes_request = s->pub.port_space != 0;
}

void step_settle(struct rdt_tracker *t, struct slot *s)
{
	static const struct {
		enum rdt_side side, sender;
		enum rdt_cm_event event;
	} shown[] = { { RDT_ACTIVE, RDT_ACTIVE, RDT_CM_EV_TX_DATA },
		      { RDT_PASSIVE, RDT_ACTIVE, RDT_CM_EV_RX_DATA } };

	for (size_t i = 0; s->pub.kind == RDT_CONN_CM && i < sizeof(shown) / sizeof(shown[0]);
	     i++) {
		const enum rdt_side side = shown[i].side;
		const struct rdt_data *data = &s->pub.end[shown[i].sender].data;
		const struct rdt_when when = { data->first_ns, data->first_frame, s->pub.input };
		const struct end_priv *priv = &s->priv[side];

		if (!data->first_frame ||
		    fsm_step(RDT_MACHINE_CM, s->pub.end[side].cm_state, shown[i].event).action ==
			    RDT_ACT_UNEXPECTED)
			continue;
		/* A passive side that asked for the RTU again afterwards had not taken data as one. */
		if (side == RDT_PASSIVE && priv->copies[COPY_OPEN] > 1 &&
		    s->pub.start_ns + (int64_t)priv->resent_ms * 1000000 > data->first_ns)
			continue;
		step_side(t, s, side, shown[i].event, &when);
	}
	timer_run(t, s, t->now, true);
	for (unsigned side = 0; side < RDT_SIDES; side++) {
		release(t, s, side);
		if (s->priv[side].owes_response) {
			const struct rdt_when then = { s->pub.rep_ns, s->priv[side].aux,
						       s->pub.input };

			emit_event(t, s, side, rdt_event_row(RDT_RDMA_CONNECT, RDT_CM_EV_RX_REP),
				   &then);
			s->priv[side].owes_response = 0;
		}
	}
}
