// SPDX-License-Identifier: BSD-2-Clause
/*
 * Data packets: to which connection they belong, and counts. What their order tells is the matter
 * of data_path.c and data_answer.c.
 *
 * A direction is (source, destination, destination QPN), never a QPN alone. Directions that no
 * CM message announced are joined to pairs by what they show: an acknowledge repeats the PSN of
 * its request (RC); for services without acknowledges, only when there is one candidate.
 */
#include "data.h"

#include "rdmatrace/psn.h"

/* Candidates looked at when a direction is joined to its opposite; and how often one is tried. */
#define CANDIDATES 64
#define TRIES 16
/* An acknowledge is at most this many PSNs behind the newest request. */
#define ACK_WINDOW 65536

static uint64_t half_key(uint32_t src, uint32_t dst)
{
	return flow_key(src, dst, 0);
}

static void count(uint32_t *counter)
{
	if (*counter < UINT32_MAX)
		++*counter;
}

static void count_packet(struct rdt_tracker *t, struct slot *s, enum rdt_side side,
			 const struct rdt_frame *frame, const struct rdt_pkt *pkt,
			 const struct rdt_when *when, struct rdt_verdict *verdict)
{
	struct rdt_data *d = &s->pub.end[side].data;

	count(&d->pkts);
	if (pkt->op->payload)
		d->bytes += pkt->payload_len;
	if (pkt->op->kind == RDT_OP_REQUEST)
		path_request(t, s, side, frame, pkt, when);
	else if (pkt->op->kind == RDT_OP_RESPONSE)
		path_answer(t, s, rdt_side_other(side), pkt, when);
	if ((frame->tos & 3) == RDT_ECN_CE)
		flow_event(t, s, side, RDT_FLOW_CE, rdt_bth_psn(pkt->bth), 1, when);
	if (when->ns > s->pub.last_ns)
		s->pub.last_ns = when->ns;
	t->stats.data++;
	verdict->conn = s->index;
	verdict->side = (uint8_t)side;
}

/* ---- directions that nobody announced ----------------------------------------------------------- */

static void chain_half(struct rdt_tracker *t, struct slot *s)
{
	const uint64_t key = half_key(s->pub.end[RDT_ACTIVE].addr, s->pub.end[RDT_PASSIVE].addr);
	const uint32_t head = map_get(&t->halves, key);

	s->next_half = head == RDT_MAP_NONE ? SLOT_NONE : head;
	map_put(&t->halves, key, s->index);
}

static void unchain_half(struct rdt_tracker *t, const struct slot *s)
{
	const uint64_t key = half_key(s->pub.end[RDT_ACTIVE].addr, s->pub.end[RDT_PASSIVE].addr);
	uint32_t at = map_get(&t->halves, key);
	struct slot *before;

	if (at == s->index) {
		if (s->next_half == SLOT_NONE)
			map_remove(&t->halves, key, s->index);
		else
			map_put(&t->halves, key, s->next_half);
		return;
	}
	/* Bounded: what lies deeper stays in the chain, marked bound, and is skipped there. */
	for (unsigned n = 0; at != RDT_MAP_NONE && at != SLOT_NONE && n < CANDIDATES; n++) {
		before = conn_slot(t, at);
		if (!before)
			return;
		if (before->next_half == s->index) {
			before->next_half = s->next_half;
			return;
		}
		at = before->next_half;
	}
}

void data_unbind(struct rdt_tracker *t, const struct slot *s)
{
	if (!s->pub.bound && !s->pub.merged)
		unchain_half(t, s);
}

/*
 * The unpaired direction to which a packet from src to dst answers: by PSN when it is a response,
 * else when there is only one candidate of its service.
 */
static struct slot *find_half(const struct rdt_tracker *t, uint32_t src, uint32_t dst,
			      const struct rdt_pkt *pkt, const struct slot *not_this)
{
	const enum rdt_service service = rdt_opcode_service((uint8_t)rdt_bth_opcode(pkt->bth));
	const bool response = pkt->op->kind == RDT_OP_RESPONSE;
	uint32_t at = map_get(&t->halves, half_key(dst, src));
	struct slot *best = NULL;
	int32_t best_age = ACK_WINDOW;
	bool tie = false;

	if (!response && service != RDT_SVC_UC)
		return NULL;
	for (unsigned n = 0; at != RDT_MAP_NONE && at != SLOT_NONE && n < CANDIDATES; n++) {
		struct slot *s = conn_slot(t, at);
		int32_t age = 0;

		if (!s)
			break;
		at = s->next_half;
		if (s == not_this || s->pub.bound || s->pub.service != conn_service(service))
			continue;
		if (response) {
			age = rdt_psn_diff(s->pub.end[RDT_ACTIVE].data.next_psn,
					   rdt_bth_psn(pkt->bth)) -
			      1;
			if (age < 0 || age >= ACK_WINDOW ||
			    !s->pub.end[RDT_ACTIVE].data.first_frame)
				continue;
		}
		tie = best && age == best_age;
		if (!best || age < best_age) {
			best = s;
			best_age = age;
		}
	}
	return tie ? NULL : best;
}

/* s carries the other direction of half: from now on one connection. */
static void join(struct rdt_tracker *t, struct slot *half, uint32_t qpn)
{
	unchain_half(t, half);
	half->pub.bound = 1;
	conn_bind_qpn(t, half, RDT_ACTIVE, qpn);
}

/* Two directions, each known as half a connection, are one: the earlier takes over the later. */
static struct slot *merge(struct rdt_tracker *t, struct slot *a, struct slot *b)
{
	struct slot *first = a->index < b->index ? a : b;
	struct slot *second = first == a ? b : a;

	unchain_half(t, second);
	map_remove(&t->flows,
		   flow_key(second->pub.end[RDT_ACTIVE].addr, second->pub.end[RDT_PASSIVE].addr,
			    second->pub.end[RDT_PASSIVE].qpn),
		   second->index << 1 | RDT_ACTIVE);
	first->pub.end[RDT_PASSIVE].data = second->pub.end[RDT_ACTIVE].data;
	first->priv[RDT_PASSIVE].data_known = second->priv[RDT_ACTIVE].data_known;
	flow_move(t, first, second);
	if (second->pub.last_ns > first->pub.last_ns)
		first->pub.last_ns = second->pub.last_ns;
	second->pub.merged = 1;
	second->next_half = first->index; /* where it went */
	join(t, first, second->pub.end[RDT_PASSIVE].qpn);
	return first;
}

static struct slot *begin_half(struct rdt_tracker *t, const struct rdt_frame *frame,
			       const struct rdt_pkt *pkt, uint32_t src, uint32_t dst,
			       const struct rdt_when *when)
{
	struct slot *s = conn_new(t, RDT_CONN_DATA, frame, when, src, dst);

	if (!s)
		return NULL;
	s->pub.service = conn_service(rdt_opcode_service((uint8_t)rdt_bth_opcode(pkt->bth)));
	s->pub.mid = 1;
	s->pub.roles_guessed = 1;
	s->pub.established = 1;
	conn_bind_qpn(t, s, RDT_PASSIVE, rdt_bth_dest_qpn(pkt->bth));
	chain_half(t, s);
	return s;
}

static struct slot *feed_connected(struct rdt_tracker *t, const struct rdt_frame *frame,
				   const struct rdt_pkt *pkt, uint32_t src, uint32_t dst,
				   const struct rdt_when *when, enum rdt_side *ret_side)
{
	const uint32_t owner = map_get(&t->flows, flow_key(src, dst, rdt_bth_dest_qpn(pkt->bth)));
	struct slot *s = owner == RDT_MAP_NONE ? NULL : conn_slot(t, owner >> 1);
	struct slot *half;

	*ret_side = owner & 1;
	if (!s) {
		s = find_half(t, src, dst, pkt, NULL);
		*ret_side = s ? RDT_PASSIVE : RDT_ACTIVE;
		if (s)
			join(t, s, rdt_bth_dest_qpn(pkt->bth));
		else
			s = begin_half(t, frame, pkt, src, dst, when);
		return s;
	}
	if (s->pub.kind == RDT_CONN_DATA && !s->pub.bound && pkt->op->kind == RDT_OP_RESPONSE &&
	    s->pair_tries < TRIES) {
		s->pair_tries++;
		half = find_half(t, src, dst, pkt, s);
		if (half) {
			*ret_side = half->index < s->index ? RDT_PASSIVE : RDT_ACTIVE;
			s = merge(t, half, s);
		}
	}
	return s;
}

/* ---- UD: one QP talks to many, so a direction is known by both QPNs -------------------------------- */

static uint64_t ud_key(uint32_t src, uint32_t dst, uint32_t src_qpn, uint32_t dst_qpn)
{
	return map_mix(flow_key(src, dst, dst_qpn)) ^ src_qpn;
}

void data_bind_ud(struct rdt_tracker *t, struct slot *s, uint32_t a_qpn)
{
	const struct rdt_end *a = &s->pub.end[RDT_ACTIVE], *p = &s->pub.end[RDT_PASSIVE];

	s->pub.end[RDT_ACTIVE].qpn = a_qpn;
	s->pub.end[RDT_ACTIVE].has_qpn = 1;
	s->pub.bound = 1;
	map_put(&t->ud_flows, ud_key(a->addr, p->addr, a_qpn, p->qpn), s->index << 1 | RDT_ACTIVE);
	map_put(&t->ud_flows, ud_key(p->addr, a->addr, p->qpn, a_qpn), s->index << 1 | RDT_PASSIVE);
}

void data_unbind_ud(struct rdt_tracker *t, const struct slot *s)
{
	const struct rdt_end *a = &s->pub.end[RDT_ACTIVE], *p = &s->pub.end[RDT_PASSIVE];

	if (!s->pub.bound)
		return;
	map_remove(&t->ud_flows, ud_key(a->addr, p->addr, a->qpn, p->qpn),
		   s->index << 1 | RDT_ACTIVE);
	map_remove(&t->ud_flows, ud_key(p->addr, a->addr, p->qpn, a->qpn),
		   s->index << 1 | RDT_PASSIVE);
}

/* A SIDR answer named the QP that src talks to, and nobody has used that answer yet. */
static struct slot *sidr_waiting(const struct rdt_tracker *t, uint32_t src, uint32_t dst,
				 uint32_t qpn)
{
	const uint32_t owner = map_get(&t->flows, flow_key(src, dst, qpn));
	struct slot *s = owner == RDT_MAP_NONE ? NULL : conn_slot(t, owner >> 1);

	return s && s->pub.kind == RDT_CONN_SIDR && !s->pub.bound ? s : NULL;
}

static struct slot *feed_ud(struct rdt_tracker *t, const struct rdt_frame *frame,
			    const struct rdt_pkt *pkt, uint32_t src, uint32_t dst,
			    const struct rdt_when *when, enum rdt_side *ret_side)
{
	const uint32_t to = rdt_bth_dest_qpn(pkt->bth), from = rdt_deth_src_qpn(rdt_pkt_deth(pkt));
	const uint32_t owner = map_get(&t->ud_flows, ud_key(src, dst, from, to));
	struct slot *s = owner == RDT_MAP_NONE ? NULL : conn_slot(t, owner >> 1);

	*ret_side = owner & 1;
	if (s)
		return s;
	*ret_side = RDT_ACTIVE;
	s = sidr_waiting(t, src, dst, to);
	if (s) {
		data_bind_ud(t, s, from);
		return s;
	}
	s = sidr_waiting(t, dst, src, from);
	if (s) {
		*ret_side = RDT_PASSIVE;
		data_bind_ud(t, s, to);
		return s;
	}
	s = conn_new(t, RDT_CONN_DATA, frame, when, src, dst);
	if (!s)
		return NULL;
	s->pub.service = RDT_SVC_UD;
	s->pub.mid = s->pub.roles_guessed = s->pub.established = 1;
	s->pub.end[RDT_PASSIVE].qpn = to;
	s->pub.end[RDT_PASSIVE].has_qpn = 1;
	data_bind_ud(t, s, from);
	return s;
}

/* ---- one packet ---------------------------------------------------------------------------------- */

void data_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_pkt *pkt,
	       const struct rdt_when *when, struct rdt_verdict *verdict)
{
	const enum rdt_service service = rdt_opcode_service((uint8_t)rdt_bth_opcode(pkt->bth));
	enum rdt_side side;
	uint32_t src, dst;
	struct slot *s;

	if (!addr_pair(t, frame, &src, &dst))
		return;
	if (service == RDT_SVC_CNP) {
		/* Names the QP that shall slow down: the one whose own packets it goes against. */
		const uint32_t owner =
			map_get(&t->flows, flow_key(src, dst, rdt_bth_dest_qpn(pkt->bth)));

		t->stats.cnp++;
		s = owner == RDT_MAP_NONE ? NULL : conn_slot(t, owner >> 1);
		if (s) {
			verdict->conn = s->index;
			verdict->side = owner & 1;
			flow_event(t, s, rdt_side_other(verdict->side), RDT_FLOW_CNP, 0, 1, when);
		}
		return;
	}
	if (service == RDT_SVC_UD)
		s = feed_ud(t, frame, pkt, src, dst, when, &side);
	else
		s = feed_connected(t, frame, pkt, src, dst, when, &side);
	if (s)
		count_packet(t, s, side, frame, pkt, when, verdict);
}
