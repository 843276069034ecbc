// SPDX-License-Identifier: BSD-2-Clause
/*
 * The phases before a REQ that a capture can show: ARP or neighbour discovery (address), SA
 * PathRecord query (route). A short memory of the last ones; a REQ takes those that fit.
 */
#include "internal.h"

#include "rdmatrace/field.h"

/* A resolution older than this did not lead to the REQ. */
#define FRESH_NS INT64_C(10000000000)

static struct resolve *newest(struct rdt_tracker *t, const struct rdt_addr *from,
			      const struct rdt_addr *to, int route)
{
	if (!t->resolves_open[route])
		return NULL;
	for (uint32_t i = 1; i <= RESOLVES; i++) {
		struct resolve *r = &t->resolves[(t->resolve_next - i) % RESOLVES];

		if (r->valid && r->route == route && rdt_addr_equal(&r->from, from) &&
		    rdt_addr_equal(&r->to, to))
			return r;
	}
	return NULL;
}

const struct resolve *resolve_take(struct rdt_tracker *t, const struct rdt_addr *from,
				   const struct rdt_addr *to, int route, int64_t before_ns)
{
	struct resolve *r = newest(t, from, to, route);

	if (!r || before_ns - r->asked.ns > FRESH_NS || r->asked.ns > before_ns)
		return NULL;
	r->valid = 0;
	t->resolves_open[route]--;
	return r;
}

static void asked(struct rdt_tracker *t, const struct rdt_addr *from, const struct rdt_addr *to,
		  int route, uint64_t tid, const struct rdt_when *when)
{
	struct resolve *r = newest(t, from, to, route);

	/* Asked again before an answer: the first time counts. */
	if (r && !r->done.frame && when->ns - r->asked.ns < FRESH_NS && r->tid == tid)
		return;
	r = &t->resolves[t->resolve_next++ % RESOLVES];
	if (r->valid)
		t->resolves_open[r->route]--;
	*r = (struct resolve){ .asked = *when,
			       .from = *from,
			       .to = *to,
			       .tid = tid,
			       .route = (uint8_t)route,
			       .valid = 1 };
	t->resolves_open[route]++;
}

static void answered(struct resolve *r, const struct rdt_when *when)
{
	if (r && !r->done.frame)
		r->done = *when;
}

static void feed_arp(struct rdt_tracker *t, const uint8_t *arp, const struct rdt_when *when)
{
	const struct rdt_addr sender = rdt_addr_ipv4(rdt_arp_sender_ip(arp));
	const struct rdt_addr target = rdt_addr_ipv4(rdt_arp_target_ip(arp));

	if (rdt_arp_op(arp) == RDT_ARP_REQUEST)
		asked(t, &sender, &target, 0, 0, when);
	else if (rdt_arp_op(arp) == RDT_ARP_REPLY)
		answered(newest(t, &target, &sender, 0), when);
}

static void feed_nd(struct rdt_tracker *t, const struct rdt_frame *frame,
		    const struct rdt_when *when)
{
	const struct rdt_addr target = rdt_addr_gid(rdt_icmpv6_nd_target(frame->payload));

	if (rdt_icmpv6_nd_type(frame->payload) == RDT_ICMPV6_NS)
		asked(t, &frame->src, &target, 0, 0, when);
	else
		answered(newest(t, &frame->dst, &target, 0), when);
}

void resolve_feed(struct rdt_tracker *t, const struct rdt_frame *frame, const struct rdt_when *when)
{
	if (frame->kind == RDT_FRAME_ARP && frame->payload_have >= RDT_LEN_arp)
		feed_arp(t, frame->payload, when);
	else if (frame->kind == RDT_FRAME_ND && frame->payload_have >= RDT_LEN_icmpv6_nd)
		feed_nd(t, frame, when);
}

void resolve_sa(struct rdt_tracker *t, const struct rdt_frame *frame, const uint8_t *mad,
		size_t have, const struct rdt_when *when)
{
	const uint8_t *record = mad + RDT_LEN_mad + RDT_LEN_rmpp + RDT_LEN_sa;
	const unsigned method = rdt_mad_method(mad);
	struct rdt_addr to;

	if (rdt_mad_attr_id(mad) != RDT_SA_ATTR_PATH ||
	    have < RDT_LEN_mad + RDT_LEN_rmpp + RDT_LEN_sa + RDT_LEN_pathrec)
		return;
	to = rdt_addr_gid(rdt_pathrec_dgid(record));
	if (method == RDT_METHOD_GET || method == RDT_METHOD_GET_TABLE) {
		asked(t, &frame->src, &to, 1, rdt_mad_tid(mad), when);
		return;
	}
	if (method != RDT_METHOD_GET_RESP && method != RDT_METHOD_GET_TABLE_RESP)
		return;
	for (uint32_t i = 1; i <= RESOLVES; i++) {
		struct resolve *r = &t->resolves[(t->resolve_next - i) % RESOLVES];

		if (r->valid && r->route && r->tid == rdt_mad_tid(mad) &&
		    rdt_addr_equal(&r->from, &frame->dst)) {
			/* On one subnet a REQ goes to the LID that the answer gives. */
			if (frame->dst.kind == RDT_ADDR_LID)
				r->to = rdt_addr_lid((uint16_t)rdt_pathrec_dlid(record));
			answered(r, when);
			return;
		}
	}
}
