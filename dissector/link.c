/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From Wireshark's packet to the decoder's frame: link types, ports, what was cut. */
#include <string.h>

#include "rdmacm.h"

/* The most that Wireshark has of them: WTAP_ENCAP_ numbers are small. */
#define ENCAPS 256

static int16_t links[ENCAPS]; /* LINKTYPE of a WTAP_ENCAP; -1 for those that carry no RDMA */
static dissector_table_t udp_ports;
static int proto_infiniband;

void link_handoff(void)
{
	static const uint16_t known[] = {
#define X(symbol, number, text) number,
		RDT_LINK_LIST(X)
#undef X
	};

	for (size_t i = 0; i < ENCAPS; i++)
		links[i] = -1;
	for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
		const int encap = wtap_pcap_encap_to_wtap_encap(known[i]);

		if (encap > 0 && encap < ENCAPS && links[encap] < 0)
			links[encap] = (int16_t)known[i];
	}
	/* Wiretap reads it from ERF, and from pcap only in some versions. */
	links[WTAP_ENCAP_INFINIBAND] = RDT_LINK_INFINIBAND;
	udp_ports = find_dissector_table("udp.port");
	proto_infiniband = proto_get_id_by_filter_name("infiniband");
}

static int link_of(const packet_info *pinfo)
{
	int encap;

	if (!pinfo->rec || pinfo->rec->rec_type != REC_TYPE_PACKET)
		return -1;
	encap = pinfo->rec->rec_header.packet_header.pkt_encap;
	/* Wiretap takes the header of an ERF record off. */
	if (encap == WTAP_ENCAP_ERF)
		return pinfo->pseudo_header
			       ? rdt_erf_link(pinfo->pseudo_header->erf.phdr.type & 0x7f)
			       : -1;
	return encap > 0 && encap < ENCAPS ? links[encap] : -1;
}

/* Does Wireshark take this UDP port for RoCEv2, by its preference or by Decode As? */
static bool is_roce_port(uint32_t port)
{
	dissector_handle_t handle = dissector_get_uint_handle(udp_ports, port);

	return handle && dissector_handle_get_protocol_index(handle) == proto_infiniband;
}

bool link_parse(packet_info *pinfo, tvbuff_t *tvb, struct rdt_frame *ret_frame)
{
	const uint16_t port = (uint16_t)rdmacm_prefs.port;
	const size_t have = tvb_captured_length(tvb), len = tvb_reported_length(tvb);
	const int link = link_of(pinfo);
	const uint8_t *bytes;

	if (link < 0 || !have)
		return false;
	bytes = tvb_get_ptr(tvb, 0, (int)have);
	rdt_frame_parse((unsigned)link, bytes, have, len, port, ret_frame);
	if (ret_frame->kind == RDT_FRAME_OTHER && ret_frame->l4 && ret_frame->dport != port &&
	    udp_ports && is_roce_port(ret_frame->dport))
		rdt_frame_parse((unsigned)link, bytes, have, len, ret_frame->dport, ret_frame);
	return true;
}

static struct rdt_addr addr_of(const address *a)
{
	uint32_t ip;

	if (a->type == AT_IPv4 && a->len == (int)sizeof(ip)) {
		memcpy(&ip, a->data, sizeof(ip));
		return rdt_addr_ipv4(g_ntohl(ip));
	}
	if (a->type == AT_IPv6 && a->len == 16)
		return rdt_addr_gid(a->data);
	return (struct rdt_addr){ .kind = RDT_ADDR_NONE };
}

bool link_bare(packet_info *pinfo, tvbuff_t *tvb, struct rdt_frame *ret_frame)
{
	const uint32_t have = tvb_captured_length(tvb), len = tvb_reported_length(tvb);

	if (len < RDT_LEN_bth + RDT_LEN_icrc || !have)
		return false;
	*ret_frame = (struct rdt_frame){
		.kind = RDT_FRAME_IB,
		.encap = RDT_ENCAP_NONE,
		.src = addr_of(&pinfo->src),
		.dst = addr_of(&pinfo->dst),
		.bth = tvb_get_ptr(tvb, 0, (int)have),
		.bth_have = have,
		.bth_len = len,
		.problem = have < len ? RDT_PROBLEM_SNAPPED_PAYLOAD : RDT_PROBLEM_NONE,
	};
	return true;
}
