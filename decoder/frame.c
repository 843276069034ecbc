// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/frame.h"

#include "frame_walk.h"
#include "rdmatrace/field.h"

#define PORT_VXLAN 4789
#define PORT_VXLAN_LINUX 8472 /* Linux's own before IANA gave one; still its default */

/* Bounds for what a packet may nest without a limit of its own. */
#define EXT_MAX 8    /* IPv6 extension headers */
#define LABEL_MAX 16 /* MPLS labels */

/* What to look at next, at walk.off. */
enum step {
	STEP_END,
	STEP_ETH,
	STEP_TYPE, /* what walk.type says */
	STEP_IP,   /* what the version says */
	STEP_IPV4,
	STEP_IPV6,
	STEP_MPLS,
	STEP_LRH,
	STEP_GRH,
};

/* Where a walk is. off <= cap <= end always, so that cap - off is what can be read. */
struct walk {
	const uint8_t *buf;
	struct rdt_frame *f;
	size_t off;
	size_t cap;    /* where the captured bytes of the packet at hand end */
	size_t end;    /* where it ended on the wire */
	uint16_t type; /* Ethernet type of what is at off */
	bool v6;       /* the last IP header was IPv6 */
	bool more;     /* first fragment: the datagram goes on in others */
	bool unsized;  /* the IP length is 0: segmentation offload */
	unsigned tunnels;
	struct rdt_layer *layers; /* NULL when nobody wants the list */
	size_t count, max;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static bool fits(const struct walk *w, size_t n)
{
	return w->cap - w->off >= n;
}

/* Write down a header that begins at off, as much of it as there is. */
static void list(struct walk *w, enum rdt_hdr_id hdr, size_t len)
{
	if (!w->layers || w->count == w->max || w->cap == w->off)
		return;
	w->layers[w->count++] = (struct rdt_layer){ .hdr = hdr,
						    .bytes = w->buf + w->off,
						    .have = (uint32_t)least(len, w->cap - w->off),
						    .off = (uint32_t)w->off };
}

#define LIST(w, h) list(w, RDT_H_##h, RDT_LEN_##h)

/* Only the first problem is kept: those after it often follow from it. */
static void note(struct walk *w, enum rdt_frame_problem problem, size_t off)
{
	if (w->f->problem != RDT_PROBLEM_NONE)
		return;
	w->f->problem = (uint8_t)problem;
	w->f->problem_off = (uint32_t)off;
}

static enum step fail(struct walk *w, enum rdt_frame_problem problem)
{
	note(w, problem, w->off);
	return STEP_END;
}

/* The packet ends at end, what was captured of it no later. */
static void end_at(struct walk *w, size_t end)
{
	w->end = end;
	w->cap = least(w->cap, end);
}

/* rdt_addr_ipv4() for every packet: written in place, no call. */
RDT_INLINE void addr_ipv4(struct rdt_addr *a, uint32_t ip)
{
	ip = RDT_BE32(ip);
	memset(a->bytes, 0, 10);
	memset(a->bytes + 10, 0xff, 2);
	memcpy(a->bytes + 12, &ip, sizeof(ip));
	a->kind = RDT_ADDR_IPV4;
}

/* ---- transport ------------------------------------------------------------------------ */

static enum step found_bth(struct walk *w, enum rdt_encap encap)
{
	struct rdt_frame *f = w->f;

	if (w->end - w->off < RDT_LEN_bth + RDT_LEN_icrc)
		return fail(w, RDT_PROBLEM_BTH_SHORT);
	f->kind = RDT_FRAME_IB;
	f->encap = (uint8_t)encap;
	f->bth = w->buf + w->off;
	f->bth_have = (uint32_t)(w->cap - w->off);
	f->bth_len = (uint32_t)(w->end - w->off);
	if (f->bth_have < f->bth_len)
		note(w, RDT_PROBLEM_SNAPPED_PAYLOAD, w->cap);
	return STEP_END;
}

/* A packet inside this one: count it and forget the addresses of the outer one. */
static enum step enter(struct walk *w, enum rdt_tunnel tunnel, enum step inner)
{
	struct rdt_frame *f = w->f;

	if (w->tunnels++ == RDT_TUNNEL_MAX)
		return fail(w, RDT_PROBLEM_TUNNEL_DEPTH);
	if (f->tunnel == RDT_TUNNEL_NONE)
		f->tunnel = (uint8_t)tunnel;
	f->tos = f->ttl = 0;
	f->sport = f->dport = 0;
	f->src = f->dst = (struct rdt_addr){ .kind = RDT_ADDR_NONE };
	f->net = f->l4 = NULL;
	/* Labels lie between the link and the packet: its Ethernet header is still the last one. */
	if (tunnel != RDT_TUNNEL_MPLS || inner == STEP_ETH) {
		f->eth = NULL;
		f->vlans = 0;
		memset(f->vlan, 0, sizeof(f->vlan));
	}
	return inner;
}

static enum step vxlan(struct walk *w)
{
	/* Whoever else uses these ports does not set the one flag that VXLAN must set. */
	if (w->end - w->off < RDT_LEN_vxlan || (fits(w, 1) && !rdt_vxlan_valid(w->buf + w->off)))
		return STEP_END;
	LIST(w, vxlan);
	if (!fits(w, RDT_LEN_vxlan))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	w->off += RDT_LEN_vxlan;
	return enter(w, RDT_TUNNEL_VXLAN, STEP_ETH);
}

static enum step udp(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	const size_t ip_len = w->end - w->off;
	struct rdt_frame *f = w->f;
	size_t len;
	bool roce;

	LIST(w, udp);
	if (ip_len < RDT_LEN_udp)
		return fail(w, RDT_PROBLEM_IP_LENGTH);
	if (!fits(w, RDT_LEN_udp))
		return fail(w, RDT_PROBLEM_SNAPPED_TRANSPORT);
	f->l4 = hdr;
	f->sport = (uint16_t)rdt_udp_sport(hdr);
	f->dport = (uint16_t)rdt_udp_dport(hdr);
	/* The source port is entropy: it may look like that of any service. */
	roce = f->dport == f->port;
	if (!roce && f->dport != PORT_VXLAN && f->dport != PORT_VXLAN_LINUX)
		return STEP_END;

	len = rdt_udp_len(hdr);
	if (len < RDT_LEN_udp)
		return fail(w, RDT_PROBLEM_UDP_LENGTH);
	if (!w->more) {
		if (len != ip_len)
			note(w, RDT_PROBLEM_UDP_LENGTH, w->off);
		len = least(len, ip_len);
	}
	end_at(w, w->off + len);
	w->off += RDT_LEN_udp;
	return roce ? found_bth(w, RDT_ENCAP_ROCEV2) : vxlan(w);
}

static enum step tcp(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	const size_t ip_len = w->end - w->off;
	struct rdt_frame *f = w->f;
	size_t len;

	LIST(w, tcp);
	if (ip_len < RDT_LEN_tcp)
		return fail(w, RDT_PROBLEM_IP_LENGTH);
	if (!fits(w, RDT_LEN_tcp))
		return fail(w, RDT_PROBLEM_SNAPPED_TRANSPORT);
	f->l4 = hdr;
	f->sport = (uint16_t)rdt_tcp_sport(hdr);
	f->dport = (uint16_t)rdt_tcp_dport(hdr);
	len = rdt_tcp_data_off(hdr) * 4;
	if (len < RDT_LEN_tcp || len > ip_len)
		return fail(w, RDT_PROBLEM_TCP_LENGTH);
	f->kind = RDT_FRAME_TCP;
	f->payload_len = (uint32_t)(ip_len - len);
	if (!fits(w, len))
		return fail(w, RDT_PROBLEM_SNAPPED_TRANSPORT);
	w->off += len;
	f->payload = w->buf + w->off;
	f->payload_have = (uint32_t)(w->cap - w->off);
	if (f->payload_have < f->payload_len)
		note(w, RDT_PROBLEM_SNAPPED_PAYLOAD, w->cap);
	return STEP_END;
}

static enum step icmp(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	const size_t ip_len = w->end - w->off;
	size_t need = RDT_LEN_icmp;
	struct rdt_frame *f = w->f;
	uint32_t type;

	if (ip_len < RDT_LEN_icmp)
		return fail(w, RDT_PROBLEM_IP_LENGTH);
	if (!fits(w, 1))
		return fail(w, RDT_PROBLEM_SNAPPED_TRANSPORT);
	type = rdt_icmpv6_type(hdr);
	f->kind = RDT_FRAME_ICMP;
	if (!w->v6) {
		LIST(w, icmp);
	} else if ((type == RDT_ICMPV6_NS || type == RDT_ICMPV6_NA) &&
		   ip_len >= RDT_LEN_icmpv6_nd) {
		f->kind = RDT_FRAME_ND;
		need = RDT_LEN_icmpv6_nd;
		LIST(w, icmpv6_nd);
	} else {
		LIST(w, icmpv6);
	}
	f->payload = hdr;
	f->payload_have = (uint32_t)(w->cap - w->off);
	f->payload_len = (uint32_t)ip_len;
	if (f->payload_have < need)
		return fail(w, RDT_PROBLEM_SNAPPED_TRANSPORT);
	if (f->payload_have < f->payload_len)
		note(w, RDT_PROBLEM_SNAPPED_PAYLOAD, w->cap);
	return STEP_END;
}

/* Is the header whole? When not: did the IP length leave no room for it, or was it cut? */
static bool tunnel_fits(struct walk *w, size_t len)
{
	if (w->end - w->off < len)
		note(w, RDT_PROBLEM_IP_LENGTH, w->off);
	else if (!fits(w, len))
		note(w, RDT_PROBLEM_SNAPPED_LINK, w->off);
	else
		return true;
	return false;
}

static enum step erspan2(struct walk *w)
{
	LIST(w, erspan2);
	if (!tunnel_fits(w, RDT_LEN_erspan2) || rdt_erspan2_version(w->buf + w->off) != 1)
		return STEP_END;
	w->off += RDT_LEN_erspan2;
	return enter(w, RDT_TUNNEL_ERSPAN, STEP_ETH);
}

static enum step erspan3(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	size_t len;

	LIST(w, erspan3);
	if (!tunnel_fits(w, RDT_LEN_erspan3) || rdt_erspan3_version(hdr) != 2)
		return STEP_END;
	len = RDT_LEN_erspan3 + (rdt_erspan3_optional(hdr) ? 8 : 0);
	if (!tunnel_fits(w, len))
		return STEP_END;
	w->off += len;
	switch (rdt_erspan3_frame_type(hdr)) {
	case RDT_ERSPAN_FT_ETH:
		return enter(w, RDT_TUNNEL_ERSPAN, STEP_ETH);
	case RDT_ERSPAN_FT_IP:
		return enter(w, RDT_TUNNEL_ERSPAN, STEP_IP);
	default:
		return STEP_END;
	}
}

/* One of the words that a flag of the GRE header announces. */
static bool gre_word(struct walk *w, enum rdt_hdr_id hdr)
{
	const size_t len = RDT_LEN_gre_key; /* all three are alike */

	list(w, hdr, len);
	if (!tunnel_fits(w, len))
		return false;
	w->off += len;
	return true;
}

static enum step gre(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;

	LIST(w, gre);
	/* Version 1 is PPTP. Source routes were withdrawn with RFC 2784. */
	if (!tunnel_fits(w, RDT_LEN_gre) || rdt_gre_version(hdr) || rdt_gre_has_routing(hdr))
		return STEP_END;
	w->type = (uint16_t)rdt_gre_protocol(hdr);
	w->off += RDT_LEN_gre;
	if ((rdt_gre_has_checksum(hdr) && !gre_word(w, RDT_H_gre_checksum)) ||
	    (rdt_gre_has_key(hdr) && !gre_word(w, RDT_H_gre_key)) ||
	    (rdt_gre_has_seq(hdr) && !gre_word(w, RDT_H_gre_seq)))
		return STEP_END;
	switch (w->type) {
	case RDT_ETHERTYPE_IPV4:
	case RDT_ETHERTYPE_IPV6:
	case RDT_ETHERTYPE_MPLS:
	case RDT_ETHERTYPE_MPLS_MC:
		return enter(w, RDT_TUNNEL_GRE, STEP_TYPE);
	case RDT_ETHERTYPE_TEB:
		return enter(w, RDT_TUNNEL_GRE, STEP_ETH);
	case RDT_ETHERTYPE_ERSPAN2:
		/* Type I has no sequence number and no header of its own. */
		return rdt_gre_has_seq(hdr) ? erspan2(w) : enter(w, RDT_TUNNEL_ERSPAN, STEP_ETH);
	case RDT_ETHERTYPE_ERSPAN3:
		return erspan3(w);
	default:
		return STEP_END;
	}
}

static enum step transport(struct walk *w, uint32_t proto)
{
	/* With length 0 the packet takes the whole frame. Only TCP is segmented by hardware so. */
	if (w->unsized && proto != RDT_PROTO_TCP)
		return proto == RDT_PROTO_NONE ? STEP_END : fail(w, RDT_PROBLEM_IP_LENGTH);
	switch (proto) {
	case RDT_PROTO_UDP:
		return udp(w);
	case RDT_PROTO_TCP:
		return tcp(w);
	case RDT_PROTO_GRE:
		return gre(w);
	case RDT_PROTO_ICMP:
		return w->v6 ? STEP_END : icmp(w);
	case RDT_PROTO_ICMPV6:
		return w->v6 ? icmp(w) : STEP_END;
	default:
		return STEP_END;
	}
}

/* ---- network -------------------------------------------------------------------------- */

static enum step step_ipv4(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	struct rdt_frame *f = w->f;
	size_t len, total;

	LIST(w, ipv4);
	if (!fits(w, 1))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	len = rdt_ipv4_ihl(hdr) * 4;
	if (rdt_ipv4_version(hdr) != 4)
		return fail(w, RDT_PROBLEM_IP_VERSION);
	if (len < RDT_LEN_ipv4)
		return fail(w, RDT_PROBLEM_IP_HEADER);
	if (!fits(w, RDT_LEN_ipv4))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	f->net = hdr;
	f->tos = (uint8_t)(rdt_ipv4_dscp(hdr) << 2 | rdt_ipv4_ecn(hdr));
	f->ttl = (uint8_t)rdt_ipv4_ttl(hdr);
	addr_ipv4(&f->src, rdt_ipv4_src(hdr));
	addr_ipv4(&f->dst, rdt_ipv4_dst(hdr));

	total = rdt_ipv4_total_len(hdr);
	w->v6 = false;
	w->unsized = !total;
	if (total) {
		if (total < len)
			return fail(w, RDT_PROBLEM_IP_LENGTH);
		end_at(w, w->off + total);
	}
	if (rdt_ipv4_frag_off(hdr))
		return fail(w, RDT_PROBLEM_FRAGMENT);
	w->more = rdt_ipv4_mf(hdr);
	if (w->more)
		note(w, RDT_PROBLEM_FRAGMENT, w->off);
	if (!fits(w, len))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	w->off += len;
	return transport(w, rdt_ipv4_protocol(hdr));
}

static bool is_extension(uint32_t proto)
{
	return proto == RDT_PROTO_HOPOPTS || proto == RDT_PROTO_ROUTING ||
	       proto == RDT_PROTO_DSTOPTS || proto == RDT_PROTO_FRAGMENT;
}

static enum step step_ipv6(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	struct rdt_frame *f = w->f;
	uint32_t proto;
	size_t len;

	LIST(w, ipv6);
	if (!fits(w, 1))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	if (rdt_ipv6_version(hdr) != 6)
		return fail(w, RDT_PROBLEM_IP_VERSION);
	if (!fits(w, RDT_LEN_ipv6))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	f->net = hdr;
	f->tos = (uint8_t)(rdt_ipv6_dscp(hdr) << 2 | rdt_ipv6_ecn(hdr));
	f->ttl = (uint8_t)rdt_ipv6_hop_limit(hdr);
	f->src = rdt_addr_gid(rdt_ipv6_src(hdr));
	f->dst = rdt_addr_gid(rdt_ipv6_dst(hdr));

	len = rdt_ipv6_payload_len(hdr);
	proto = rdt_ipv6_next_header(hdr);
	w->v6 = true;
	w->unsized = !len;
	w->more = false;
	w->off += RDT_LEN_ipv6;
	if (len)
		end_at(w, w->off + len);
	for (unsigned i = 0; is_extension(proto); i++) {
		const uint8_t *ext = w->buf + w->off;

		if (i == EXT_MAX)
			return fail(w, RDT_PROBLEM_IP_EXTENSION);
		if (w->end - w->off < RDT_LEN_ipv6_ext)
			return fail(w, RDT_PROBLEM_IP_LENGTH);
		if (proto == RDT_PROTO_FRAGMENT)
			LIST(w, ipv6_frag);
		else
			LIST(w, ipv6_ext);
		if (!fits(w, RDT_LEN_ipv6_ext))
			return fail(w, RDT_PROBLEM_SNAPPED_NET);
		if (proto == RDT_PROTO_FRAGMENT) {
			len = RDT_LEN_ipv6_frag;
			if (rdt_ipv6_frag_frag_off(ext))
				return fail(w, RDT_PROBLEM_FRAGMENT);
			w->more = rdt_ipv6_frag_more(ext);
			if (w->more)
				note(w, RDT_PROBLEM_FRAGMENT, w->off);
		} else {
			len = RDT_LEN_ipv6_ext + rdt_ipv6_ext_len(ext) * 8;
		}
		if (w->end - w->off < len)
			return fail(w, RDT_PROBLEM_IP_LENGTH);
		if (!fits(w, len))
			return fail(w, RDT_PROBLEM_SNAPPED_NET);
		proto = rdt_ipv6_ext_next_header(ext);
		w->off += len;
	}
	return transport(w, proto);
}

static enum step step_ip(struct walk *w)
{
	if (!fits(w, 1))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	switch (rdt_ipv4_version(w->buf + w->off)) {
	case 4:
		return STEP_IPV4;
	case 6:
		return STEP_IPV6;
	default:
		return fail(w, RDT_PROBLEM_IP_VERSION);
	}
}

static enum step step_grh(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	struct rdt_frame *f = w->f;
	size_t len;

	LIST(w, grh);
	if (!fits(w, 1))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	if (rdt_grh_ipver(hdr) != 6)
		return fail(w, RDT_PROBLEM_IP_VERSION);
	if (!fits(w, RDT_LEN_grh))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	f->net = hdr;
	f->tos = (uint8_t)rdt_grh_tclass(hdr);
	f->ttl = (uint8_t)rdt_grh_hoplmt(hdr);
	f->src = rdt_addr_gid(rdt_grh_sgid(hdr));
	f->dst = rdt_addr_gid(rdt_grh_dgid(hdr));
	if (rdt_grh_nxthdr(hdr) != RDT_PROTO_IBA)
		return fail(w, RDT_PROBLEM_GRH_NEXT);
	len = rdt_grh_paylen(hdr);
	if (f->lrh) { /* step_lrh saw to it that the GRH lies before the end */
		const size_t rest = w->end - w->off - RDT_LEN_grh;

		if (len != rest)
			note(w, RDT_PROBLEM_GRH_LENGTH, w->off);
		len = least(len, rest);
	}
	w->off += RDT_LEN_grh;
	end_at(w, w->off + len);
	return found_bth(w, f->lrh ? RDT_ENCAP_IB : RDT_ENCAP_ROCEV1);
}

static enum step step_lrh(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	struct rdt_frame *f = w->f;
	size_t len, need;
	uint32_t next;

	LIST(w, lrh);
	if (!fits(w, RDT_LEN_lrh))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	f->lrh = hdr;
	f->sl = (uint8_t)rdt_lrh_sl(hdr);
	f->src = rdt_addr_lid((uint16_t)rdt_lrh_slid(hdr));
	f->dst = rdt_addr_lid((uint16_t)rdt_lrh_dlid(hdr));
	len = rdt_lrh_pktlen(hdr) * 4;
	next = rdt_lrh_lnh(hdr);
	need = RDT_LEN_lrh + (next == RDT_LNH_GLOBAL ? RDT_LEN_grh : 0);
	if (len < need)
		return fail(w, RDT_PROBLEM_LRH_LENGTH);
	end_at(w, w->off + len);
	switch (next) {
	case RDT_LNH_LOCAL:
		w->off += RDT_LEN_lrh;
		return found_bth(w, RDT_ENCAP_IB);
	case RDT_LNH_GLOBAL:
		w->off += RDT_LEN_lrh;
		return STEP_GRH;
	default:
		note(w, RDT_PROBLEM_LRH_NEXT, w->off);
		w->off += RDT_LEN_lrh;
		if (next == RDT_LNH_RAW && w->end - w->off >= RDT_LEN_rwh)
			LIST(w, rwh);
		return STEP_END;
	}
}

static enum step arp(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	struct rdt_frame *f = w->f;

	if (!fits(w, 8))
		return fail(w, RDT_PROBLEM_SNAPPED_NET);
	if (rdt_arp_hw_type(hdr) != RDT_ARPHRD_ETHER ||
	    rdt_arp_proto_type(hdr) != RDT_ETHERTYPE_IPV4 || rdt_arp_hw_len(hdr) != 6 ||
	    rdt_arp_proto_len(hdr) != 4)
		return STEP_END;
	LIST(w, arp);
	f->kind = RDT_FRAME_ARP;
	f->payload = hdr;
	f->payload_have = (uint32_t)least(w->cap - w->off, RDT_LEN_arp);
	f->payload_len = RDT_LEN_arp;
	return f->payload_have < RDT_LEN_arp ? fail(w, RDT_PROBLEM_SNAPPED_NET) : STEP_END;
}

/* ---- link ----------------------------------------------------------------------------- */

static bool is_vlan(uint16_t type)
{
	return type == RDT_ETHERTYPE_VLAN || type == RDT_ETHERTYPE_QINQ ||
	       type == RDT_ETHERTYPE_VLAN_9100 || type == RDT_ETHERTYPE_VLAN_9200;
}

static enum step step_type(struct walk *w)
{
	struct rdt_frame *f = w->f;

	while (is_vlan(w->type)) {
		const uint8_t *tag = w->buf + w->off;

		if (f->vlans == RDT_VLAN_MAX)
			return fail(w, RDT_PROBLEM_VLAN_DEPTH);
		LIST(w, vlan);
		if (!fits(w, RDT_LEN_vlan))
			return fail(w, RDT_PROBLEM_SNAPPED_LINK);
		f->vlan[f->vlans++] =
			(uint16_t)(rdt_vlan_pcp(tag) << 13 | (uint32_t)rdt_vlan_dei(tag) << 12 |
				   rdt_vlan_vid(tag));
		w->type = (uint16_t)rdt_vlan_type(tag);
		w->off += RDT_LEN_vlan;
	}
	switch (w->type) {
	case RDT_ETHERTYPE_IPV4:
		return STEP_IPV4;
	case RDT_ETHERTYPE_IPV6:
		return STEP_IPV6;
	case RDT_ETHERTYPE_ROCE:
		return STEP_GRH;
	case RDT_ETHERTYPE_MPLS:
	case RDT_ETHERTYPE_MPLS_MC:
		return STEP_MPLS;
	case RDT_ETHERTYPE_ARP:
		return arp(w);
	default:
		return STEP_END;
	}
}

static enum step step_eth(struct walk *w)
{
	LIST(w, eth);
	if (!fits(w, RDT_LEN_eth))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	w->f->eth = w->buf + w->off;
	w->type = (uint16_t)rdt_eth_type(w->f->eth);
	w->off += RDT_LEN_eth;
	return STEP_TYPE;
}

static enum step step_mpls(struct walk *w)
{
	const uint8_t *hdr;
	unsigned labels = 0;

	do {
		hdr = w->buf + w->off;
		if (labels++ == LABEL_MAX)
			return fail(w, RDT_PROBLEM_TUNNEL_DEPTH);
		LIST(w, mpls);
		if (!fits(w, RDT_LEN_mpls))
			return fail(w, RDT_PROBLEM_SNAPPED_LINK);
		w->off += RDT_LEN_mpls;
	} while (!rdt_mpls_bottom(hdr));

	/* Labels do not say what follows. RFC 4928: the first four bits must tell. */
	if (!fits(w, 1))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	hdr = w->buf + w->off;
	switch (rdt_ipv4_version(hdr)) {
	case 4:
		return enter(w, RDT_TUNNEL_MPLS, STEP_IPV4);
	case 6:
		return enter(w, RDT_TUNNEL_MPLS, STEP_IPV6);
	case 0:
		/*
		 * The control word of an Ethernet pseudowire (RFC 4448) holds only a sequence
		 * number. Other bits are another pseudowire, or a MAC address without the word.
		 */
		if (!fits(w, RDT_LEN_mpls_cw))
			return fail(w, RDT_PROBLEM_SNAPPED_LINK);
		if (rdt_mpls_cw_flags(hdr) || rdt_mpls_cw_frag(hdr) || rdt_mpls_cw_len(hdr))
			return STEP_END;
		LIST(w, mpls_cw);
		w->off += RDT_LEN_mpls_cw;
		return enter(w, RDT_TUNNEL_MPLS, STEP_ETH);
	default:
		return STEP_END;
	}
}

static enum step sll(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;

	LIST(w, sll);
	if (!fits(w, RDT_LEN_sll))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	w->f->outgoing = rdt_sll_packet_type(hdr) == RDT_SLL_OUTGOING;
	w->type = (uint16_t)rdt_sll_protocol(hdr);
	w->off += RDT_LEN_sll;
	return STEP_TYPE;
}

static enum step sll2(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;

	LIST(w, sll2);
	if (!fits(w, RDT_LEN_sll2))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	w->f->outgoing = rdt_sll2_packet_type(hdr) == RDT_SLL_OUTGOING;
	w->f->ifindex = rdt_sll2_ifindex(hdr);
	w->type = (uint16_t)rdt_sll2_protocol(hdr);
	w->off += RDT_LEN_sll2;
	return STEP_TYPE;
}

/* The family is in the byte order of the host that captured, or not: only its value tells. */
static enum step loopback(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	const bool le = fits(w, RDT_LEN_null) && !(rdt_null_family(hdr) >> 16);
	uint32_t family;

	if (le)
		LIST(w, null);
	else
		LIST(w, loop);
	if (!fits(w, RDT_LEN_null))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	family = le ? rdt_null_family(hdr) : rdt_loop_family(hdr);
	w->off += RDT_LEN_null;
	switch (family) {
	case RDT_FAMILY_IPV4:
		return STEP_IPV4;
	case RDT_FAMILY_IPV6_NETBSD:
	case RDT_FAMILY_IPV6_FREEBSD:
	case RDT_FAMILY_IPV6_DARWIN:
		return STEP_IPV6;
	default:
		return STEP_END;
	}
}

int rdt_erf_link(unsigned erf_type)
{
	switch (erf_type) {
	case RDT_ERF_INFINIBAND:
		return RDT_LINK_INFINIBAND;
	case RDT_ERF_ETH:
	case RDT_ERF_COLOR_ETH:
	case RDT_ERF_DSM_COLOR_ETH:
	case RDT_ERF_COLOR_HASH_ETH:
		return RDT_LINK_ETHERNET;
	default:
		return -1;
	}
}

static enum step erf_record(struct walk *w)
{
	const uint8_t *hdr = w->buf + w->off;
	const size_t start = w->off;
	bool more;

	LIST(w, erf);
	if (!fits(w, RDT_LEN_erf))
		return fail(w, RDT_PROBLEM_SNAPPED_LINK);
	w->off += RDT_LEN_erf;
	for (more = rdt_erf_ext(hdr); more; w->off += RDT_LEN_erf_ext) {
		LIST(w, erf_ext);
		if (!fits(w, RDT_LEN_erf_ext))
			return fail(w, RDT_PROBLEM_SNAPPED_LINK);
		more = rdt_erf_ext_more(w->buf + w->off);
	}
	switch (rdt_erf_link(rdt_erf_type(hdr))) {
	case RDT_LINK_INFINIBAND:
		return STEP_LRH;
	case RDT_LINK_ETHERNET:
		/* An offset and a pad byte, so that what follows the MAC addresses is aligned. */
		if (!fits(w, 2))
			return fail(w, RDT_PROBLEM_SNAPPED_LINK);
		w->off += 2;
		return STEP_ETH;
	default:
		note(w, RDT_PROBLEM_ERF_TYPE, start);
		return STEP_END;
	}
}

/* ---- the walk ------------------------------------------------------------------------- */

/* Link type numbers that mean the same as RDT_LINK_RAW on some system. */
#define LINK_RAW_BSD 12
#define LINK_RAW_OPENBSD 14

static enum step first(struct walk *w, unsigned linktype)
{
	switch (linktype) {
	case RDT_LINK_ETHERNET:
		return STEP_ETH;
	case RDT_LINK_RAW:
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
		return STEP_IP;
	case RDT_LINK_IPV4:
		return STEP_IPV4;
	case RDT_LINK_IPV6:
		return STEP_IPV6;
	case RDT_LINK_INFINIBAND:
		return STEP_LRH;
	case RDT_LINK_SLL:
		return sll(w);
	case RDT_LINK_SLL2:
		return sll2(w);
	case RDT_LINK_ERF:
		return erf_record(w);
	case RDT_LINK_NULL:
	case RDT_LINK_LOOP:
		return loopback(w);
	default:
		return fail(w, RDT_PROBLEM_LINK_UNKNOWN);
	}
}

/* Every step ends or moves off on, and tunnels are counted, so this ends. */
static void walk(struct walk *w, unsigned linktype)
{
	enum step step = first(w, linktype);

	while (step != STEP_END) {
		switch (step) {
		case STEP_ETH:
			step = step_eth(w);
			break;
		case STEP_TYPE:
			step = step_type(w);
			break;
		case STEP_IP:
			step = step_ip(w);
			break;
		case STEP_IPV4:
			step = step_ipv4(w);
			break;
		case STEP_IPV6:
			step = step_ipv6(w);
			break;
		case STEP_MPLS:
			step = step_mpls(w);
			break;
		case STEP_LRH:
			step = step_lrh(w);
			break;
		case STEP_GRH:
			step = step_grh(w);
			break;
		case STEP_END:
			return;
		}
	}
}

size_t rdt_frame_walk(const uint8_t *buf, const struct rdt_frame *frame, struct rdt_layer *layers,
		      size_t max)
{
	struct rdt_frame again = { .linktype = frame->linktype, .port = frame->port };
	struct walk w = { .buf = buf,
			  .f = &again,
			  .cap = frame->have,
			  .end = frame->wire_len,
			  .layers = layers,
			  .max = max };

	if (frame->have)
		walk(&w, frame->linktype);
	return w.count;
}

/*
 * The packet that all others are compared with: Ethernet, no tag, IPv4 without options or
 * fragments, UDP to the port, lengths that agree. Says no to everything else, which costs little.
 */
static bool plain_rocev2(const uint8_t *buf, size_t have, struct rdt_frame *f)
{
	const uint8_t *ip, *l4;
	size_t total, left;

	if (have < RDT_LEN_eth + RDT_LEN_ipv4 + RDT_LEN_udp)
		return false;
	ip = buf + RDT_LEN_eth;
	l4 = ip + RDT_LEN_ipv4;
	if (rdt_eth_type(buf) != RDT_ETHERTYPE_IPV4 || rdt_ipv4_version(ip) != 4 ||
	    rdt_ipv4_ihl(ip) * 4 != RDT_LEN_ipv4 || rdt_ipv4_protocol(ip) != RDT_PROTO_UDP ||
	    rdt_udp_dport(l4) != f->port)
		return false;
	total = rdt_ipv4_total_len(ip);
	if (rdt_ipv4_mf(ip) || rdt_ipv4_frag_off(ip) ||
	    total < RDT_LEN_ipv4 + RDT_LEN_udp + RDT_LEN_bth + RDT_LEN_icrc ||
	    rdt_udp_len(l4) != total - RDT_LEN_ipv4)
		return false;

	f->kind = RDT_FRAME_IB;
	f->encap = RDT_ENCAP_ROCEV2;
	f->tos = (uint8_t)(rdt_ipv4_dscp(ip) << 2 | rdt_ipv4_ecn(ip));
	f->ttl = (uint8_t)rdt_ipv4_ttl(ip);
	f->sport = (uint16_t)rdt_udp_sport(l4);
	f->dport = f->port;
	addr_ipv4(&f->src, rdt_ipv4_src(ip));
	addr_ipv4(&f->dst, rdt_ipv4_dst(ip));
	f->eth = buf;
	f->net = ip;
	f->l4 = l4;
	f->bth = l4 + RDT_LEN_udp;
	f->bth_len = (uint32_t)(total - RDT_LEN_ipv4 - RDT_LEN_udp);
	left = have - RDT_LEN_eth - RDT_LEN_ipv4 - RDT_LEN_udp;
	if (left < f->bth_len) {
		f->bth_have = (uint32_t)left;
		f->problem = RDT_PROBLEM_SNAPPED_PAYLOAD;
		f->problem_off = (uint32_t)have;
	} else {
		f->bth_have = f->bth_len;
	}
	return true;
}

void rdt_frame_parse(unsigned linktype, const uint8_t *buf, size_t have, size_t wire_len,
		     uint16_t port, struct rdt_frame *ret_frame)
{
	const size_t cap = least(have, UINT32_MAX);
	const size_t end = least(wire_len > cap ? wire_len : cap, UINT32_MAX);
	const size_t numbers = offsetof(struct rdt_frame, eth);
	struct walk w;

	/* In two parts: gcc makes "rep stos" of more than 96 bytes, which costs 15 ns. */
	memset(ret_frame, 0, numbers);
	memset((uint8_t *)ret_frame + numbers, 0, sizeof(*ret_frame) - numbers);
	ret_frame->linktype = (uint16_t)least(linktype, UINT16_MAX);
	ret_frame->port = port ? port : RDT_ROCEV2_PORT;
	ret_frame->have = (uint32_t)cap;
	ret_frame->wire_len = (uint32_t)end;
	if (linktype == RDT_LINK_ETHERNET && plain_rocev2(buf, cap, ret_frame))
		return;
	w = (struct walk){ .buf = buf, .f = ret_frame, .cap = cap, .end = end };
	if (cap)
		walk(&w, linktype);
	else
		note(&w, RDT_PROBLEM_SNAPPED_LINK, 0);
}

/* ---- texts ---------------------------------------------------------------------------- */

const char *rdt_link_text(unsigned linktype)
{
	switch (linktype) {
#define X(symbol, number, text) \
	case RDT_LINK_##symbol: \
		return text;
		RDT_LINK_LIST(X)
#undef X
	case LINK_RAW_BSD:
	case LINK_RAW_OPENBSD:
		return rdt_link_text(RDT_LINK_RAW);
	default:
		return NULL;
	}
}

const char *rdt_frame_problem_text(enum rdt_frame_problem problem)
{
	switch (problem) {
#define X(symbol, capture, text)   \
	case RDT_PROBLEM_##symbol: \
		return text;
		RDT_FRAME_PROBLEM_LIST(X)
#undef X
	case RDT_PROBLEM_COUNT:
		break;
	}
	return "unknown problem";
}

bool rdt_frame_problem_is_snap(enum rdt_frame_problem problem)
{
	switch (problem) {
#define X(symbol, capture, text)   \
	case RDT_PROBLEM_##symbol: \
		return capture;
		RDT_FRAME_PROBLEM_LIST(X)
#undef X
	case RDT_PROBLEM_COUNT:
		break;
	}
	return false;
}
