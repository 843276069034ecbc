// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/encode.h"

#include <string.h>

#include "rdmatrace/field.h"
#include "rdmatrace/icrc.h"

#define DEFAULT_TTL 64
#define DEFAULT_SPORT 0xc000

/* Lengths of the parts, known before a byte is written. */
struct plan {
	const struct rdt_opcode *op;
	int has_grh, ipv6;
	size_t pad;
	size_t transport; /* BTH to ICRC */
	size_t link;      /* Ethernet and VLAN, or LRH */
	size_t net;       /* IPv4, IPv6 or GRH, and UDP */
	size_t total;
};

static int fits(uint32_t value, unsigned bits)
{
	return !(value >> bits);
}

static int is_ip(const struct rdt_addr *a)
{
	return a->kind == RDT_ADDR_IPV4 || a->kind == RDT_ADDR_GID;
}

static enum rdt_status plan_make(const struct rdt_packet *p, struct plan *ret)
{
	struct plan plan = { .op = &rdt_opcodes[p->opcode], .pad = -p->payload_len & 3 };

	if (!plan.op->hdr_len)
		return RDT_OPCODE;
	if (!fits(p->dest_qpn, 24) || !fits(p->psn, 24) || !fits(p->flow_label, 20) || p->se > 1 ||
	    p->migreq > 1 || p->ack_req > 1 || p->fecn > 1 || p->becn > 1 || p->sl > 15 ||
	    p->vlans > RDT_VLAN_MAX || p->payload_len > UINT16_MAX)
		return RDT_RANGE;
	plan.transport = plan.op->hdr_len + p->payload_len + plan.pad + RDT_LEN_icrc;
	if (p->ethernet || p->encap == RDT_ENCAP_ROCEV1)
		plan.link = RDT_LEN_eth + (size_t)p->vlans * RDT_LEN_vlan;
	switch (p->encap) {
	case RDT_ENCAP_ROCEV2:
		if (p->src.kind != p->dst.kind || !is_ip(&p->src))
			return RDT_RANGE;
		plan.ipv6 = p->src.kind == RDT_ADDR_GID;
		plan.net = (plan.ipv6 ? RDT_LEN_ipv6 : RDT_LEN_ipv4) + RDT_LEN_udp;
		/* The length field of IPv4 counts its own header, that of IPv6 does not. */
		if (plan.transport + (plan.ipv6 ? RDT_LEN_udp : plan.net) > UINT16_MAX)
			return RDT_RANGE;
		break;
	case RDT_ENCAP_ROCEV1:
		if (p->src.kind == RDT_ADDR_LID || p->dst.kind == RDT_ADDR_LID)
			return RDT_RANGE;
		plan.has_grh = 1;
		break;
	case RDT_ENCAP_IB:
		plan.has_grh = is_ip(&p->src) || is_ip(&p->dst);
		plan.link = RDT_LEN_lrh;
		break;
	case RDT_ENCAP_NONE:
		return RDT_RANGE;
	}
	if (plan.has_grh) {
		plan.net = RDT_LEN_grh;
		if (plan.transport > UINT16_MAX)
			return RDT_RANGE;
	}
	plan.total = plan.link + plan.net + plan.transport;
	if (p->encap == RDT_ENCAP_IB) {
		if (!fits((uint32_t)(plan.total / 4), 11))
			return RDT_RANGE;
		plan.total += RDT_LEN_vcrc;
	}
	*ret = plan;
	return RDT_OK;
}

static uint8_t *put_ethernet(const struct rdt_packet *p, const struct plan *plan, uint8_t *at)
{
	const uint32_t inner = p->encap == RDT_ENCAP_ROCEV1 ? RDT_ETHERTYPE_ROCE
			       : plan->ipv6                 ? RDT_ETHERTYPE_IPV6
							    : RDT_ETHERTYPE_IPV4;

	rdt_eth_set_dst(at, rdt_be_load(p->mac_dst, sizeof(p->mac_dst)));
	rdt_eth_set_src(at, rdt_be_load(p->mac_src, sizeof(p->mac_src)));
	rdt_eth_set_type(at, inner);
	for (unsigned i = 0; i < p->vlans; i++) {
		/* Only the innermost of several tags is the customer's. */
		const uint32_t tag = i + 1 < p->vlans ? RDT_ETHERTYPE_QINQ : RDT_ETHERTYPE_VLAN;

		if (i)
			rdt_vlan_set_type(at, tag);
		else
			rdt_eth_set_type(at, tag);
		at += i ? RDT_LEN_vlan : RDT_LEN_eth;
		rdt_vlan_set_pcp(at, p->vlan[i] >> 13);
		rdt_vlan_set_dei(at, p->vlan[i] >> 12 & 1);
		rdt_vlan_set_vid(at, p->vlan[i]);
		rdt_vlan_set_type(at, inner);
	}
	return at + (p->vlans ? RDT_LEN_vlan : RDT_LEN_eth);
}

static uint8_t *put_lrh(const struct rdt_packet *p, const struct plan *plan, uint8_t *at)
{
	memset(at, 0, RDT_LEN_lrh);
	rdt_lrh_set_sl(at, p->sl);
	rdt_lrh_set_lnh(at, plan->has_grh ? RDT_LNH_GLOBAL : RDT_LNH_LOCAL);
	rdt_lrh_set_dlid(at, p->dlid);
	rdt_lrh_set_pktlen(at, (uint32_t)((plan->total - RDT_LEN_vcrc) / 4));
	rdt_lrh_set_slid(at, p->slid);
	return at + RDT_LEN_lrh;
}

/* RFC 1071 over the 20 bytes of a header whose checksum is zero. */
static uint32_t ipv4_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < RDT_LEN_ipv4; i += 2)
		sum += (uint32_t)rdt_be_load(ip + i, 2);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16)) & 0xffff;
}

static uint8_t *put_ipv4(const struct rdt_packet *p, const struct plan *plan, uint8_t *at)
{
	memset(at, 0, RDT_LEN_ipv4);
	rdt_ipv4_set_version(at, 4);
	rdt_ipv4_set_ihl(at, RDT_LEN_ipv4 / 4);
	rdt_ipv4_set_dscp(at, p->tos >> 2);
	rdt_ipv4_set_ecn(at, p->tos);
	rdt_ipv4_set_total_len(at, (uint32_t)(plan->net + plan->transport));
	rdt_ipv4_set_id(at, p->ip_id);
	rdt_ipv4_set_df(at, true);
	rdt_ipv4_set_ttl(at, p->ttl ? p->ttl : DEFAULT_TTL);
	rdt_ipv4_set_protocol(at, RDT_PROTO_UDP);
	rdt_ipv4_set_src(at, (uint32_t)rdt_be_load(p->src.bytes + 12, 4));
	rdt_ipv4_set_dst(at, (uint32_t)rdt_be_load(p->dst.bytes + 12, 4));
	rdt_ipv4_set_checksum(at, ipv4_checksum(at));
	return at + RDT_LEN_ipv4;
}

/* A GRH is an IPv6 header with other names. */
static uint8_t *put_grh(const struct rdt_packet *p, size_t len, uint32_t next, uint8_t *at)
{
	memset(at, 0, RDT_LEN_grh);
	rdt_grh_set_ipver(at, 6);
	rdt_grh_set_tclass(at, p->tos);
	rdt_grh_set_flow_label(at, p->flow_label);
	rdt_grh_set_paylen(at, (uint32_t)len);
	rdt_grh_set_nxthdr(at, next);
	rdt_grh_set_hoplmt(at, p->ttl ? p->ttl : DEFAULT_TTL);
	rdt_grh_set_sgid(at, p->src.bytes);
	rdt_grh_set_dgid(at, p->dst.bytes);
	return at + RDT_LEN_grh;
}

/* The checksum stays 0, as rxe and adapters send it. */
static uint8_t *put_udp(const struct rdt_packet *p, const struct plan *plan, uint8_t *at)
{
	memset(at, 0, RDT_LEN_udp);
	rdt_udp_set_sport(at, p->sport ? p->sport : DEFAULT_SPORT);
	rdt_udp_set_dport(at, p->dport ? p->dport : RDT_ROCEV2_PORT);
	rdt_udp_set_len(at, (uint32_t)(RDT_LEN_udp + plan->transport));
	return at + RDT_LEN_udp;
}

/* BTH to pad; the ICRC is not known yet. */
static uint8_t *put_transport(const struct rdt_packet *p, const struct plan *plan, uint8_t *at)
{
	const size_t ext_len = plan->op->hdr_len - (size_t)RDT_LEN_bth;

	memset(at, 0, plan->transport);
	rdt_bth_set_opcode(at, p->opcode);
	rdt_bth_set_se(at, p->se);
	rdt_bth_set_migreq(at, p->migreq);
	rdt_bth_set_pad_count(at, (uint32_t)plan->pad);
	rdt_bth_set_pkey(at, p->pkey);
	rdt_bth_set_fecn(at, p->fecn);
	rdt_bth_set_becn(at, p->becn);
	rdt_bth_set_dest_qpn(at, p->dest_qpn);
	rdt_bth_set_ack_req(at, p->ack_req);
	rdt_bth_set_psn(at, p->psn);
	at += RDT_LEN_bth;
	if (p->ext && ext_len)
		memcpy(at, p->ext, ext_len);
	at += ext_len;
	if (p->payload && p->payload_len)
		memcpy(at, p->payload, p->payload_len);
	return at + p->payload_len + plan->pad;
}

enum rdt_status rdt_packet_encode(const struct rdt_packet *packet, uint8_t *buf, size_t size,
				  size_t *ret_len)
{
	const uint8_t *lrh = NULL, *net = NULL, *l4 = NULL, *bth;
	uint8_t *at = buf;
	enum rdt_status status;
	struct plan plan;
	uint32_t icrc;

	status = plan_make(packet, &plan);
	if (status != RDT_OK)
		return status;
	if (size < plan.total)
		return RDT_SPACE;

	if (packet->encap == RDT_ENCAP_IB) {
		lrh = at;
		at = put_lrh(packet, &plan, at);
	} else if (plan.link) {
		at = put_ethernet(packet, &plan, at);
	}
	if (plan.has_grh) {
		net = at;
		at = put_grh(packet, plan.transport, RDT_PROTO_IBA, at);
	} else if (packet->encap == RDT_ENCAP_ROCEV2) {
		net = at;
		at = plan.ipv6 ? put_grh(packet, RDT_LEN_udp + plan.transport, RDT_PROTO_UDP, at)
			       : put_ipv4(packet, &plan, at);
		l4 = at;
		at = put_udp(packet, &plan, at);
	}
	bth = at;
	at = put_transport(packet, &plan, at);

	icrc = rdt_icrc_compute(packet->encap, lrh, net, l4, bth, (size_t)(at - bth));
	/* Wrong in every bit, but not 0, which would mean that there is none. */
	if (packet->bad_icrc)
		icrc = icrc == UINT32_MAX ? 1 : ~icrc;
	rdt_icrc_set_value(at, icrc);
	at += RDT_LEN_icrc;
	if (packet->encap == RDT_ENCAP_IB)
		rdt_vcrc_set_value(at, rdt_vcrc_compute(buf, (size_t)(at - buf)));
	*ret_len = plan.total;
	return RDT_OK;
}

void rdt_cm_mad_init(uint8_t mad[RDT_MAD_LEN], uint16_t attr, uint64_t tid)
{
	memset(mad, 0, RDT_MAD_LEN);
	rdt_mad_set_base_version(mad, 1);
	rdt_mad_set_mgmt_class(mad, RDT_CLASS_CM);
	rdt_mad_set_class_version(mad, 2);
	rdt_mad_set_method(mad, RDT_METHOD_SEND);
	rdt_mad_set_tid(mad, tid);
	rdt_mad_set_attr_id(mad, attr);
}

void rdt_qp1_deth_init(uint8_t deth[RDT_LEN_deth])
{
	memset(deth, 0, RDT_LEN_deth);
	rdt_deth_set_qkey(deth, RDT_QP1_QKEY);
	rdt_deth_set_src_qpn(deth, RDT_QP1);
}
