// SPDX-License-Identifier: BSD-2-Clause
#include "replay/item.h"

#include <glib.h>
#include <string.h>

#include "rdmatrace/encode.h"
#include "rdmatrace/icrc.h"

struct rp_item *rp_item_new(enum rdt_side from, int64_t ns)
{
	struct rp_item *item = g_new0(struct rp_item, 1);

	item->from = (uint8_t)from;
	item->ns = ns;
	return item;
}

void rp_item_free(void *p)
{
	struct rp_item *item = p;

	if (!item)
		return;
	rp_op_clear(&item->op);
	g_free(item->bytes);
	g_free(item);
}

struct rp_item *rp_item_copy(const struct rp_item *item)
{
	struct rp_item *copy = g_memdup2(item, sizeof(*item));

	copy->bytes = item->bytes ? g_memdup2(item->bytes, item->len) : NULL;
	rp_op_copy(&item->op, &copy->op);
	return copy;
}

struct rdt_addr rp_addr_ip(const struct rdt_addr *addr)
{
	if (addr->kind == RDT_ADDR_IPV4 || addr->kind == RDT_ADDR_GID)
		return *addr;
	return rdt_addr_ipv4((uint32_t)addr->bytes[14] << 8 | addr->bytes[15]);
}

/* ---- frames -------------------------------------------------------------------------------- */

/* Up to the IP header, and the Ethernet type before that; at most one tag, as they are made here. */
static size_t link_len(const struct rp_item *item, unsigned *ret_type)
{
	*ret_type = 0;
	if (!item->bytes || item->len < RDT_LEN_eth + RDT_LEN_vlan)
		return 0;
	*ret_type = rdt_eth_type(item->bytes);
	if (*ret_type != RDT_ETHERTYPE_VLAN)
		return RDT_LEN_eth;
	*ret_type = rdt_vlan_type(item->bytes + RDT_LEN_eth);
	return RDT_LEN_eth + RDT_LEN_vlan;
}

uint8_t *rp_item_net(const struct rp_item *item)
{
	unsigned type;
	const size_t at = link_len(item, &type);

	if (!at || item->len < at + (type == RDT_ETHERTYPE_IPV4 ? RDT_LEN_ipv4 : RDT_LEN_ipv6))
		return NULL;
	return item->bytes + at;
}

static bool is_ipv4(const struct rp_item *item)
{
	unsigned type;

	return link_len(item, &type) && type == RDT_ETHERTYPE_IPV4;
}

static size_t net_len(const struct rp_item *item)
{
	return is_ipv4(item) ? RDT_LEN_ipv4 : RDT_LEN_ipv6;
}

enum {
	IP_TCP = 6,
	IP_UDP = 17,
};

/* What follows the header of that protocol; NULL when it is another, or less than at_least bytes. */
static const uint8_t *behind(const struct rp_item *item, unsigned protocol, size_t at_least,
			     size_t *ret_len)
{
	const uint8_t *net = rp_item_net(item);
	size_t head;

	if (!net)
		return NULL;
	head = (size_t)(net - item->bytes) + net_len(item) +
	       (protocol == IP_UDP ? RDT_LEN_udp : RDT_LEN_tcp);
	if (item->len < head + at_least ||
	    (is_ipv4(item) ? rdt_ipv4_protocol(net) : rdt_ipv6_next_header(net)) != protocol)
		return NULL;
	*ret_len = item->len - head;
	return item->bytes + head;
}

const uint8_t *rp_item_bth(const struct rp_item *item, size_t *ret_len)
{
	return behind(item, IP_UDP, RDT_LEN_bth, ret_len);
}

const uint8_t *rp_item_tcp_payload(const struct rp_item *item, size_t *ret_len)
{
	return behind(item, IP_TCP, 0, ret_len);
}

static void ipv4_checksum(uint8_t *ip)
{
	uint32_t sum = 0;

	rdt_ipv4_set_checksum(ip, 0);
	for (size_t i = 0; i < RDT_LEN_ipv4; i += 2)
		sum += (uint32_t)rdt_be_load(ip + i, 2);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	rdt_ipv4_set_checksum(ip, ~sum & 0xffff);
}

void rp_item_seal(struct rp_item *item)
{
	uint8_t *net = rp_item_net(item), *l4, *bth;
	size_t len;
	uint32_t icrc;

	if (!behind(item, IP_UDP, RDT_LEN_bth + RDT_LEN_icrc, &len))
		return;
	l4 = net + net_len(item);
	bth = l4 + RDT_LEN_udp;
	len -= RDT_LEN_icrc;
	if (is_ipv4(item))
		ipv4_checksum(net);
	if (item->cut)
		return;
	icrc = rdt_icrc_compute(RDT_ENCAP_ROCEV2, NULL, net, l4, bth, len);
	rdt_icrc_set_value(bth + len, item->bad_icrc ? ~icrc : icrc);
}

/* Ethernet and IP for a payload of that many bytes; returns where it begins. */
static uint8_t *begin_frame(struct rp_item *item, const struct rp_carrier *c, unsigned protocol,
			    size_t len)
{
	const struct rdt_addr src = rp_addr_ip(&c->src), dst = rp_addr_ip(&c->dst);
	const bool v4 = src.kind == RDT_ADDR_IPV4 && dst.kind == RDT_ADDR_IPV4;
	const size_t net = v4 ? RDT_LEN_ipv4 : RDT_LEN_ipv6;
	const size_t link = RDT_LEN_eth + (c->tagged ? RDT_LEN_vlan : 0);
	const unsigned type = v4 ? RDT_ETHERTYPE_IPV4 : RDT_ETHERTYPE_IPV6;
	uint8_t *ip;

	item->len = link + net + len;
	item->bytes = g_malloc0(item->len);
	rdt_eth_set_dst(item->bytes, RP_MAC_DST);
	rdt_eth_set_src(item->bytes, RP_MAC_SRC);
	rdt_eth_set_type(item->bytes, c->tagged ? RDT_ETHERTYPE_VLAN : type);
	if (c->tagged) {
		rdt_vlan_set_pcp(item->bytes + RDT_LEN_eth, c->vlan >> 13);
		rdt_vlan_set_dei(item->bytes + RDT_LEN_eth, c->vlan >> 12 & 1);
		rdt_vlan_set_vid(item->bytes + RDT_LEN_eth, c->vlan & 0xfff);
		rdt_vlan_set_type(item->bytes + RDT_LEN_eth, type);
	}
	ip = item->bytes + link;
	if (v4) {
		ip[0] = 0x45;
		ip[1] = c->tos;
		rdt_ipv4_set_total_len(ip, (uint32_t)(net + len));
		rdt_ipv4_set_id(ip, c->ip_id);
		rdt_ipv4_set_df(ip, true);
		rdt_ipv4_set_ttl(ip, c->ttl ? c->ttl : 64);
		rdt_ipv4_set_protocol(ip, protocol);
		memcpy(ip + 12, src.bytes + 12, 4);
		memcpy(ip + 16, dst.bytes + 12, 4);
		ipv4_checksum(ip);
	} else {
		ip[0] = (uint8_t)(0x60 | c->tos >> 4);
		ip[1] = (uint8_t)(c->tos << 4);
		rdt_ipv6_set_payload_len(ip, (uint32_t)len);
		rdt_ipv6_set_next_header(ip, protocol);
		rdt_ipv6_set_hop_limit(ip, c->ttl ? c->ttl : 64);
		memcpy(ip + 8, src.bytes, 16);
		memcpy(ip + 24, dst.bytes, 16);
	}
	return ip + net;
}

bool rp_item_encode(struct rp_item *item, const struct rdt_packet *packet)
{
	uint8_t buf[RP_FRAME_MAX];
	size_t size;

	if (rdt_packet_encode(packet, buf, sizeof(buf), &size) != RDT_OK)
		return false;
	item->bytes = g_memdup2(buf, size);
	item->len = size;
	rdt_eth_set_dst(item->bytes, RP_MAC_DST);
	rdt_eth_set_src(item->bytes, RP_MAC_SRC);
	return true;
}

bool rp_item_wrap(struct rp_item *item, const struct rp_carrier *c, const uint8_t *bth, size_t len)
{
	uint8_t *udp;

	if (len < RDT_LEN_bth + RDT_LEN_icrc || len > RP_FRAME_MAX - 128)
		return false;
	udp = begin_frame(item, c, IP_UDP, RDT_LEN_udp + len);
	rdt_udp_set_sport(udp, c->sport);
	rdt_udp_set_dport(udp, c->dport ? c->dport : RDT_ROCEV2_PORT);
	rdt_udp_set_len(udp, (uint32_t)(RDT_LEN_udp + len));
	memcpy(udp + RDT_LEN_udp, bth, len);
	rp_item_seal(item);
	return true;
}

bool rp_item_wrap_tcp(struct rp_item *item, const struct rp_carrier *c, const uint8_t *payload,
		      size_t len)
{
	uint8_t *tcp;

	if (len > RP_FRAME_MAX - 128)
		return false;
	tcp = begin_frame(item, c, IP_TCP, RDT_LEN_tcp + len);
	rdt_tcp_set_sport(tcp, c->sport);
	rdt_tcp_set_dport(tcp, c->dport);
	tcp[12] = 5 << 4;
	tcp[13] = 0x18; /* PSH ACK */
	memcpy(tcp + RDT_LEN_tcp, payload, len);
	return true;
}

bool rp_item_know(struct rp_item *item)
{
	struct rp_image image;

	if (!item->bytes || !rp_image_frame(item->bytes, item->len, 0, &image))
		return false;
	item->msg = image.msg;
	return true;
}

bool rp_item_is_malformed(struct rp_item *item)
{
	struct rdt_pkt pkt;
	size_t len;
	const uint8_t *bth = behind(item, IP_UDP, 0, &len);
	enum rdt_status status;

	if (!bth)
		return false;
	if (len < RDT_LEN_bth)
		return item->malformed = true;
	status = rdt_pkt_parse(bth, len, len, &pkt);
	item->malformed =
		status == RDT_MALFORMED || (status == RDT_OK && rdt_bth_dest_qpn(bth) <= RDT_QP1 &&
					    rdt_pkt_deth(&pkt) && pkt.payload_len < RDT_MAD_LEN);
	if (item->malformed)
		item->msg = (struct rp_msg){ RP_PACKET, (uint8_t)rdt_bth_opcode(bth) };
	return item->malformed;
}

void rp_item_cut(struct rp_item *item, size_t keep)
{
	uint8_t *net = rp_item_net(item), *udp = net + net_len(item);
	const size_t udp_len = RDT_LEN_udp + keep;

	item->len = (size_t)(udp - item->bytes) + udp_len;
	rdt_udp_set_len(udp, (uint32_t)udp_len);
	if (is_ipv4(item)) {
		rdt_ipv4_set_total_len(net, (uint32_t)(RDT_LEN_ipv4 + udp_len));
		ipv4_checksum(net);
	} else {
		rdt_ipv6_set_payload_len(net, (uint32_t)udp_len);
	}
	item->cut = item->bad_icrc = true;
	rp_item_is_malformed(item);
}

bool rp_item_image(const struct rp_item *item, struct rp_image *ret_image)
{
	if (item->msg.family == RP_OP) {
		rp_image_op(&item->op, ret_image);
		return true;
	}
	return item->bytes && !item->malformed &&
	       rp_image_frame(item->bytes, item->len, 0, ret_image);
}
