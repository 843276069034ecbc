// SPDX-License-Identifier: BSD-2-Clause
/*
 * iWARP: a TCP connection whose streams begin with MPA frames, on any port. Start frames are
 * small and come in one segment; TCP itself is not rebuilt here.
 */
#include "internal.h"

#include <string.h>

static const char req_key[] = "MPA ID Req Frame", rep_key[] = "MPA ID Rep Frame";

static uint64_t stream_key(uint32_t src, uint32_t dst, uint16_t sport, uint16_t dport)
{
	return map_mix(flow_key(src, dst, 0)) ^ ((uint64_t)sport << 16 | dport);
}

static void bind_stream(struct rdt_tracker *t, const struct slot *s)
{
	const struct rdt_end *a = &s->pub.end[RDT_ACTIVE], *p = &s->pub.end[RDT_PASSIVE];

	map_put(&t->streams, stream_key(a->addr, p->addr, s->pub.a_port, s->pub.p_port),
		s->index << 1 | RDT_ACTIVE);
	map_put(&t->streams, stream_key(p->addr, a->addr, s->pub.p_port, s->pub.a_port),
		s->index << 1 | RDT_PASSIVE);
}

void mpa_unbind(struct rdt_tracker *t, const struct slot *s)
{
	const struct rdt_end *a = &s->pub.end[RDT_ACTIVE], *p = &s->pub.end[RDT_PASSIVE];

	map_remove(&t->streams, stream_key(a->addr, p->addr, s->pub.a_port, s->pub.p_port),
		   s->index << 1 | RDT_ACTIVE);
	map_remove(&t->streams, stream_key(p->addr, a->addr, s->pub.p_port, s->pub.a_port),
		   s->index << 1 | RDT_PASSIVE);
}

static struct slot *find_stream(const struct rdt_tracker *t, const struct rdt_frame *frame,
				enum rdt_side *ret_side)
{
	const uint32_t src = addr_find(t, &frame->src), dst = addr_find(t, &frame->dst);
	uint32_t owner;

	if (!t->streams.used || src == RDT_CONN_NONE || dst == RDT_CONN_NONE)
		return NULL;
	owner = map_get(&t->streams, stream_key(src, dst, frame->sport, frame->dport));
	if (owner == RDT_MAP_NONE)
		return NULL;
	*ret_side = owner & 1;
	return conn_slot(t, owner >> 1);
}

/* A start frame opens a connection, or continues one whose request came before the capture. */
static struct slot *begin(struct rdt_tracker *t, const struct rdt_frame *frame,
			  const struct rdt_when *when, enum rdt_side from)
{
	struct slot *s;
	uint32_t src, dst;

	if (!addr_pair(t, frame, &src, &dst))
		return NULL;
	s = conn_new(t, RDT_CONN_MPA, frame, when, from == RDT_ACTIVE ? src : dst,
		     from == RDT_ACTIVE ? dst : src);
	if (!s)
		return NULL;
	s->pub.a_port = from == RDT_ACTIVE ? frame->sport : frame->dport;
	s->pub.p_port = from == RDT_ACTIVE ? frame->dport : frame->sport;
	s->pub.has_a_port = 1;
	bind_stream(t, s);
	if (from == RDT_PASSIVE) {
		s->pub.mid = 1;
		return s;
	}
	s->pub.end[RDT_ACTIVE].cm_state = s->pub.end[RDT_PASSIVE].cm_state = RDT_MPA_IDLE;
	s->priv[RDT_PASSIVE].owes_request = 1;
	step_resolve(t, s, when);
	return s;
}

static void tell(struct rdt_tracker *t, struct slot *s, enum rdt_side from, enum rdt_msg msg,
		 enum rdt_cm_event tx, bool again, const struct rdt_frame *frame,
		 const struct rdt_when *when, struct rdt_verdict *verdict)
{
	const enum copy_place place = msg == RDT_MSG_TCP_FIN   ? COPY_DREQ
				      : msg == RDT_MSG_TCP_RST ? COPY_REJ
							       : COPY_OPEN;
	struct rdt_msg_rec rec = { .when = *when,
				   .msg = (uint8_t)msg,
				   .from = (uint8_t)from,
				   .icrc = RDT_ICRC_UNCHECKED,
				   .body = frame->payload,
				   .body_have = frame->payload_have };
	struct rdt_step sent = { .action = RDT_ACT_REPEAT }, got = sent;

	rec.copy = copy_count(s, from, place, 0, &rec.copy_kind);
	if (rec.copy)
		rec.copy_kind = RDT_COPY_RESENT;
	if (!again) {
		sent = step_side(t, s, from, tx, when);
		got = step_side(t, s, rdt_side_other(from), (enum rdt_cm_event)(tx + 1), when);
	}
	rec.unexpected = sent.action == RDT_ACT_UNEXPECTED || got.action == RDT_ACT_UNEXPECTED;
	msg_emit(t, s, &rec, verdict);
}

static void feed_start(struct rdt_tracker *t, struct slot *s, enum rdt_side from,
		       const struct rdt_frame *frame, const struct rdt_when *when,
		       struct rdt_verdict *verdict)
{
	const uint8_t *mpa = frame->payload;
	const bool again = s->priv[from].copies[COPY_OPEN] > 0;

	s->priv[from].aux = rdt_tcp_seq(frame->l4);
	if (from == RDT_ACTIVE) {
		tell(t, s, from, RDT_MSG_MPA_REQ, RDT_CM_EV_TX_MPA_REQ, again, frame, when,
		     verdict);
		return;
	}
	if (!again && rdt_mpa_reject(mpa)) {
		s->pub.has_rej = 1;
		s->pub.rej_frame = when->frame;
		s->pub.rej_side = RDT_PASSIVE;
		s->pub.rej_by = RDT_REJ_BY_APPLICATION;
	} else if (!again) {
		s->pub.has_rep = s->pub.has_up = 1;
		s->pub.rep_ns = s->pub.up_ns = when->ns;
	}
	tell(t, s, from, RDT_MSG_MPA_REP,
	     rdt_mpa_reject(mpa) ? RDT_CM_EV_TX_MPA_REJ : RDT_CM_EV_TX_MPA_REP, again, frame, when,
	     verdict);
}

/* Bytes after the start frames, and those that TCP sent again. */
static void count_data(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
		       const struct rdt_frame *frame, const struct rdt_when *when,
		       struct rdt_verdict *verdict)
{
	struct rdt_data *d = &s->pub.end[side].data;
	const uint32_t seq = rdt_tcp_seq(frame->l4);

	d->pkts += d->pkts < UINT32_MAX;
	if (!d->first_frame) {
		d->first_frame = when->frame;
		d->first_ns = when->ns;
	} else if ((int32_t)(seq - d->next_psn) < 0) {
		d->retrans += d->retrans < UINT32_MAX;
	}
	if (!s->priv[side].data_known || (int32_t)(seq + frame->payload_len - d->next_psn) > 0) {
		d->bytes += frame->payload_len;
		d->next_psn = seq + frame->payload_len;
		s->priv[side].data_known = 1;
	}
	t->stats.data++;
	verdict->conn = s->index;
	verdict->side = (uint8_t)side;
}

void mpa_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_when *when,
	      struct rdt_verdict *verdict)
{
	const bool start =
		frame->payload_have >= RDT_LEN_mpa && !memcmp(frame->payload, "MPA ID Re", 9);
	const bool req = start && !memcmp(frame->payload, req_key, RDT_SIZE_mpa_key);
	const bool rep = start && !memcmp(frame->payload, rep_key, RDT_SIZE_mpa_key);
	enum rdt_side side = rep ? RDT_PASSIVE : RDT_ACTIVE;
	struct slot *s;

	if (!req && !rep && !t->streams.used)
		return;
	s = find_stream(t, frame, &side);
	/* The ports may be used again: a request with another sequence number is another connection. */
	if (s && req && side == RDT_ACTIVE && s->priv[side].aux != rdt_tcp_seq(frame->l4))
		s = NULL;
	if (!s && (req || rep)) {
		side = req ? RDT_ACTIVE : RDT_PASSIVE;
		s = begin(t, frame, when, side);
	}
	if (!s)
		return;
	t->stats.rdma++;
	if (when->ns > s->pub.last_ns)
		s->pub.last_ns = when->ns;
	verdict->conn = s->index;
	verdict->side = (uint8_t)side;
	if ((req && side == RDT_ACTIVE) || (rep && side == RDT_PASSIVE))
		feed_start(t, s, side, frame, when, verdict);
	else if (frame->payload_len)
		count_data(t, s, side, frame, when, verdict);
	if (rdt_tcp_rst(frame->l4))
		tell(t, s, side, RDT_MSG_TCP_RST, RDT_CM_EV_TX_RST, false, frame, when, verdict);
	else if (rdt_tcp_fin(frame->l4))
		tell(t, s, side, RDT_MSG_TCP_FIN, RDT_CM_EV_TX_FIN,
		     s->priv[side].copies[COPY_DREQ] > 0, frame, when, verdict);
}
