// SPDX-License-Identifier: BSD-2-Clause
/* What frames outside of connections tell of the network: ICRC, ICMP, ARP and neighbour discovery. */
#include "internal.h"

#include <string.h>

#include "rdmatrace/icrc.h"

#define MOST_SENDERS 65536u
/* So many questions without an answer: Linux asks three times. */
#define ASKED 3u
/* Wrong ones before a sender is said to compute the ICRC wrongly. */
#define SENDER_BAD 4u

/* ---- ICRC, by sender ------------------------------------------------------------------------- */

static struct sender *sender_of(struct rdt_why *w, uint32_t addr)
{
	uint32_t i;

	if (w->sender_count && w->senders[w->sender_last].addr == addr)
		return &w->senders[w->sender_last];
	i = map_get(&w->sender_of, addr);
	if (i == RDT_MAP_NONE) {
		if (w->sender_count == MOST_SENDERS ||
		    !why_grow(w, &w->senders, &w->sender_room, w->sender_count,
			      sizeof(*w->senders)))
			return NULL;
		i = w->sender_count;
		if (!map_put(&w->sender_of, addr, i)) {
			w->no_memory = 1;
			return NULL;
		}
		memset(&w->senders[i], 0, sizeof(*w->senders));
		w->senders[i].addr = addr;
		w->sender_count++;
	}
	w->sender_last = i;
	return &w->senders[i];
}

static void count_icrc(struct rdt_why *w, struct sender *s, enum rdt_icrc_state state,
		       uint16_t sport, bool padded, const struct rdt_when *when)
{
	switch (state) {
	case RDT_ICRC_OK:
		w->stats.icrc_checked++;
		s->good++;
		s->padded_good += padded;
		break;
	case RDT_ICRC_BAD:
		w->stats.icrc_checked++;
		w->stats.icrc_bad++;
		s->bad++;
		s->padded_bad += padded;
		if (!s->first_frame) {
			s->first_frame = when->frame;
			s->input = when->input;
		}
		s->last_frame = when->frame;
		break;
	case RDT_ICRC_ABSENT:
		if (!s->absent++)
			s->absent_frame = when->frame;
		break;
	case RDT_ICRC_SPORT:
		w->stats.icrc_checked++;
		if (!s->sport++)
			s->sport_frame = when->frame;
		s->port = sport;
		break;
	case RDT_ICRC_UNCHECKED:
	case RDT_ICRC_CUT:
	case RDT_ICRC_COUNT:
		break;
	}
}

static void look_at_icrc(struct rdt_why *w, const struct rdt_frame *frame,
			 const struct rdt_when *when, const struct rdt_verdict *verdict)
{
	const struct rdt_conn *conn = rdt_tracker_conn(w->t, verdict->conn);
	enum rdt_icrc_state state = (enum rdt_icrc_state)verdict->icrc;
	struct sender *s;

	if (!conn)
		return;
	/* Who has checked a data packet already says so in the verdict. */
	if (!verdict->is_msg && state == RDT_ICRC_UNCHECKED)
		state = w->opts.icrc ? rdt_icrc_check(frame, NULL, NULL) : RDT_ICRC_UNCHECKED;
	if (state == RDT_ICRC_UNCHECKED || state == RDT_ICRC_CUT)
		return;
	s = sender_of(w, conn->end[verdict->side].addr);
	if (!s)
		return;
	s->transport = conn->transport;
	count_icrc(w, s, state, frame->sport,
		   frame->bth_have >= RDT_LEN_bth && rdt_bth_pad_count(frame->bth), when);
}

static void icrc_finding(struct rdt_why *w, const struct sender *s, enum rdt_why_code code,
			 uint32_t n, uint32_t frame, unsigned confidence)
{
	struct rdt_finding *f = why_begin_capture(w, code, confidence);

	f->address = *rdt_tracker_addr(w->t, s->addr);
	f->transport = s->transport;
	why_add(f, RDT_WHY_V_ADDRESS, 0, frame, s->input);
	why_add(f, RDT_WHY_V_PACKETS, n, frame, s->input);
	why_add(f, RDT_WHY_V_MORE, s->good, 0, 0);
	if (code == RDT_WHY_NET_ICRC_SPORT)
		why_add(f, RDT_WHY_V_PORT, s->port, frame, s->input);
	why_emit(w, f);
}

static void icrc_rules(struct rdt_why *w)
{
	for (uint32_t i = 0; i < w->sender_count; i++) {
		const struct sender *s = &w->senders[i];
		uint32_t bad = s->bad;

		if (s->absent)
			icrc_finding(w, s, RDT_WHY_NET_ICRC_ABSENT, s->absent, s->absent_frame,
				     100);
		/* One packet can look so by chance: believe it of several. */
		if (s->sport > 1 && s->sport > s->bad)
			icrc_finding(w, s, RDT_WHY_NET_ICRC_SPORT, s->sport, s->sport_frame, 100);
		else
			bad += s->sport;
		if (!bad)
			continue;
		if (s->padded_bad == s->bad && s->padded_bad > 1 && !s->padded_good && s->good)
			icrc_finding(w, s, RDT_WHY_NET_ICRC_PAD, bad, s->first_frame, 80);
		else if (!s->good && bad >= SENDER_BAD)
			icrc_finding(w, s, RDT_WHY_NET_ICRC_SENDER, bad, s->first_frame, 80);
		else
			icrc_finding(w, s, RDT_WHY_NET_ICRC, bad,
				     s->first_frame ? s->first_frame : s->sport_frame, 90);
	}
}

/* ---- neighbours ----------------------------------------------------------------------------------- */

const struct neighbour *net_neighbour(const struct rdt_why *w, const struct rdt_addr *addr)
{
	for (uint32_t i = 0; i < w->neighbour_count; i++)
		if (rdt_addr_equal(&w->neighbours[i].addr, addr))
			return &w->neighbours[i];
	return NULL;
}

static struct neighbour *neighbour_get(struct rdt_why *w, const struct rdt_addr *addr)
{
	struct neighbour *n;

	for (uint32_t i = 0; i < w->neighbour_count; i++)
		if (rdt_addr_equal(&w->neighbours[i].addr, addr))
			return &w->neighbours[i];
	if (!w->neighbours)
		w->neighbours = w->memory.resize(w->memory.user, NULL, 0,
						 NEIGHBOURS * sizeof(*w->neighbours));
	if (!w->neighbours) {
		w->no_memory = 1;
		return NULL;
	}
	if (w->neighbour_count == NEIGHBOURS || addr->kind == RDT_ADDR_NONE)
		return NULL;
	n = &w->neighbours[w->neighbour_count++];
	memset(n, 0, sizeof(*n));
	n->addr = *addr;
	return n;
}

static void asked(struct rdt_why *w, const struct rdt_addr *from, const struct rdt_addr *addr,
		  const struct rdt_when *when)
{
	struct neighbour *n = neighbour_get(w, addr);

	if (!n)
		return;
	if (!n->asked++) {
		n->asked_ns = when->ns;
		n->asked_frame = when->frame;
		n->input = when->input;
	}
	n->from = *from;
	n->last_ns = when->ns;
	n->last_frame = when->frame;
}

static void answered(struct rdt_why *w, const struct rdt_addr *addr, uint64_t mac, bool known,
		     const struct rdt_when *when)
{
	struct neighbour *n = neighbour_get(w, addr);

	if (!n)
		return;
	n->asked = 0;
	n->answered_frame = when->frame;
	if (!known)
		return;
	if (!n->macs || n->mac != mac) {
		if (n->macs++)
			n->move_frame = when->frame;
		n->mac = mac;
	}
}

static void look_at_arp(struct rdt_why *w, const struct rdt_frame *frame,
			const struct rdt_when *when)
{
	const uint8_t *arp = frame->payload;
	struct rdt_addr from, to;

	if (frame->payload_have < RDT_LEN_arp)
		return;
	from = rdt_addr_ipv4(rdt_arp_sender_ip(arp));
	to = rdt_addr_ipv4(rdt_arp_target_ip(arp));
	if (rdt_arp_op(arp) == RDT_ARP_REPLY)
		answered(w, &from, rdt_arp_sender_mac(arp), true, when);
	else if (rdt_arp_op(arp) == RDT_ARP_REQUEST && rdt_arp_sender_ip(arp) &&
		 !rdt_addr_equal(&from, &to))
		asked(w, &from, &to, when);
}

static void look_at_nd(struct rdt_why *w, const struct rdt_frame *frame,
		       const struct rdt_when *when)
{
	const uint8_t *nd = frame->payload;
	struct rdt_addr target;

	if (frame->payload_have < RDT_LEN_icmpv6_nd)
		return;
	target = rdt_addr_gid(rdt_icmpv6_nd_target(nd));
	if (rdt_icmpv6_nd_type(nd) != RDT_ICMPV6_NS)
		answered(w, &target, 0, false, when);
	else if (frame->src.kind != RDT_ADDR_NONE) /* not a host that looks for its own address */
		asked(w, &frame->src, &target, when);
}

/* What RDMA of this capture has to do with an address. */
enum use { USE_NONE, USE_OVER, USE_OPEN };

/* USE_OVER: all its connections ended as they should before. */
static enum use use_of(const struct rdt_why *w, const struct rdt_addr *addr)
{
	const uint32_t count = rdt_tracker_conn_count(w->t);
	enum use use = USE_NONE;

	for (uint32_t i = 0; i < count && use != USE_OPEN; i++) {
		const struct rdt_conn *c = rdt_tracker_conn(w->t, i);

		for (unsigned side = 0; c && side < RDT_SIDES; side++) {
			if (!rdt_addr_equal(rdt_tracker_addr(w->t, c->end[side].addr), addr))
				continue;
			use = rdt_conn_outcome(c) == RDT_OUTCOME_CLOSED && c->drep_frame ? USE_OVER
											 : USE_OPEN;
		}
	}
	return use;
}

/* Where there is RDMA, only its hosts are of interest, as long as they have something to say. */
static bool of_interest(const struct rdt_why *w, const struct neighbour *n)
{
	const enum use use = use_of(w, &n->addr);

	if (!rdt_tracker_stats(w->t)->rdma)
		return true;
	return use == USE_OPEN || (use == USE_NONE && use_of(w, &n->from) != USE_NONE);
}

static void neighbour_rules(struct rdt_why *w)
{
	for (uint32_t i = 0; i < w->neighbour_count; i++) {
		const struct neighbour *n = &w->neighbours[i];
		struct rdt_finding *f;

		if (n->asked < ASKED && n->macs < 2)
			continue;
		if (!of_interest(w, n))
			continue;
		if (n->asked >= ASKED) {
			f = why_begin_capture(w, RDT_WHY_NET_ARP_NOANSWER,
					      rdt_tracker_stats(w->t)->rdma ? 90 : 60);
			f->address = n->addr;
			f->first_ns = f->last_ns = n->asked_ns;
			why_add(f, RDT_WHY_V_ADDRESS, 0, n->asked_frame, n->input);
			why_add(f, RDT_WHY_V_SENT, n->asked, n->asked_frame, n->input);
			why_add_ns(f, RDT_WHY_V_WAITED,
				   (w->end_ns > n->last_ns ? w->end_ns : n->last_ns) - n->asked_ns,
				   n->last_frame, n->input);
			why_emit(w, f);
		}
		if (n->macs > 1) {
			f = why_begin_capture(w, RDT_WHY_NET_ARP_MOVE, 90);
			f->address = n->addr;
			why_add(f, RDT_WHY_V_ADDRESS, 0, n->move_frame, n->input);
			why_add(f, RDT_WHY_V_MACS, n->macs, n->move_frame, n->input);
			why_emit(w, f);
		}
	}
}

/* ---- ICMP ------------------------------------------------------------------------------------------- */

static struct complaint *complaint_get(struct rdt_why *w, const struct rdt_addr *from,
				       const struct rdt_addr *to, const struct rdt_addr *who,
				       bool too_big, const struct rdt_when *when)
{
	struct complaint *c;

	for (uint32_t i = 0; i < w->complaint_count; i++) {
		c = &w->complaints[i];
		if (rdt_addr_equal(&c->from, from) && rdt_addr_equal(&c->to, to) &&
		    rdt_addr_equal(&c->who, who) && c->too_big == too_big)
			return c;
	}
	if (w->complaint_count == COMPLAINTS)
		return NULL;
	c = &w->complaints[w->complaint_count++];
	*c = (struct complaint){ .from = *from,
				 .to = *to,
				 .who = *who,
				 .first_frame = when->frame,
				 .first_ns = when->ns,
				 .input = when->input,
				 .too_big = too_big };
	return c;
}

static void complain(struct rdt_why *w, const struct rdt_frame *frame, const struct rdt_addr *from,
		     const struct rdt_addr *to, bool too_big, uint32_t mtu,
		     const struct rdt_when *when)
{
	struct complaint *c = complaint_get(w, from, to, &frame->src, too_big, when);

	if (!c)
		return;
	c->count++;
	c->last_frame = when->frame;
	if (mtu && (!c->mtu || mtu < c->mtu))
		c->mtu = mtu;
}

static void look_at_icmp4(struct rdt_why *w, const struct rdt_frame *frame,
			  const struct rdt_when *when)
{
	const uint8_t *icmp = frame->payload, *ip = icmp + RDT_LEN_icmp;
	struct rdt_addr from, to;
	uint32_t have, hdr;

	if (frame->payload_have < RDT_LEN_icmp + RDT_LEN_ipv4 || rdt_icmp_type(icmp) != 3)
		return;
	have = frame->payload_have - RDT_LEN_icmp;
	hdr = rdt_ipv4_ihl(ip) * 4u;
	if (hdr < RDT_LEN_ipv4 || have < hdr + RDT_NEED_udp_dport || rdt_ipv4_protocol(ip) != 17 ||
	    rdt_udp_dport(ip + hdr) != frame->port)
		return;
	from = rdt_addr_ipv4(rdt_ipv4_src(ip));
	to = rdt_addr_ipv4(rdt_ipv4_dst(ip));
	complain(w, frame, &from, &to, rdt_icmp_code(icmp) == 4,
		 rdt_icmp_code(icmp) == 4 ? rdt_icmp_rest(icmp) & 0xffff : 0, when);
}

static void look_at_icmp6(struct rdt_why *w, const struct rdt_frame *frame,
			  const struct rdt_when *when)
{
	const uint8_t *icmp = frame->payload, *ip = icmp + RDT_LEN_icmpv6;
	struct rdt_addr from, to;
	unsigned type;

	if (frame->payload_have < RDT_LEN_icmpv6 + RDT_LEN_ipv6 + RDT_NEED_udp_dport)
		return;
	type = rdt_icmpv6_type(icmp);
	if ((type != 1 && type != 2) || rdt_ipv6_next_header(ip) != 17 ||
	    rdt_udp_dport(ip + RDT_LEN_ipv6) != frame->port)
		return;
	from = rdt_addr_gid(rdt_ipv6_src(ip));
	to = rdt_addr_gid(rdt_ipv6_dst(ip));
	complain(w, frame, &from, &to, type == 2, type == 2 ? rdt_icmpv6_rest(icmp) : 0, when);
}

static void icmp_rules(struct rdt_why *w)
{
	for (uint32_t i = 0; i < w->complaint_count; i++) {
		const struct complaint *c = &w->complaints[i];
		struct rdt_finding *f = why_begin_capture(
			w, c->too_big ? RDT_WHY_NET_MTU : RDT_WHY_NET_UNREACHABLE, 100);

		f->address = c->who;
		f->has_path = 1;
		f->path[RDT_ACTIVE] = c->from;
		f->path[RDT_PASSIVE] = c->to;
		f->side = RDT_ACTIVE;
		f->first_ns = f->last_ns = c->first_ns;
		why_add(f, RDT_WHY_V_ADDRESS, 0, c->first_frame, c->input);
		why_add(f, RDT_WHY_V_PACKETS, c->count, c->first_frame, c->input);
		if (c->mtu)
			why_add(f, RDT_WHY_V_MTU, c->mtu, c->first_frame, c->input);
		why_emit(w, f);
	}
}

/* ---- one frame ----------------------------------------------------------------------------------------- */

void net_frame(struct rdt_why *w, const struct rdt_frame *frame, const struct rdt_when *when,
	       const struct rdt_verdict *verdict)
{
	const struct rdt_conn *conn;

	switch ((enum rdt_frame_kind)frame->kind) {
	case RDT_FRAME_IB:
		if (verdict->conn == RDT_CONN_NONE)
			return;
		if (w->opts.icrc || verdict->is_msg)
			look_at_icrc(w, frame, when, verdict);
		if (frame->encap != RDT_ENCAP_ROCEV1)
			return;
		conn = rdt_tracker_conn(w->t, verdict->conn);
		if (conn && conn->transport == RDT_TRANSPORT_ROCEV2)
			note_version(w, conn, verdict->conn, when);
		return;
	case RDT_FRAME_ARP:
		look_at_arp(w, frame, when);
		return;
	case RDT_FRAME_ND:
		look_at_nd(w, frame, when);
		return;
	case RDT_FRAME_ICMP:
		if (!frame->payload)
			return;
		if (frame->src.kind == RDT_ADDR_IPV4)
			look_at_icmp4(w, frame, when);
		else
			look_at_icmp6(w, frame, when);
		return;
	case RDT_FRAME_OTHER:
	case RDT_FRAME_TCP:
		return;
	}
}

void net_rules(struct rdt_why *w)
{
	icrc_rules(w);
	icmp_rules(w);
	neighbour_rules(w);
}
