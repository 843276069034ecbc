// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any packet through the encoder. Input: 64 bytes for the fields of struct rdt_packet as take()
 * reads them, then extended headers (as many bytes as the opcode has), then payload.
 *
 * Checked: what is written parses back to the same values with a right ICRC; what the parsers
 * found, encoded again, gives the same bytes; a buffer one byte too small is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "rdmatrace/encode.h"
#include "rdmatrace/icrc.h"

#define FIELDS 64

static struct rdt_addr take_addr(const uint8_t *p)
{
	switch (p[0] & 3) {
	case 0:
		return rdt_addr_ipv4((uint32_t)rdt_be_load(p + 4, 4));
	case 1:
		return rdt_addr_gid(p + 1);
	case 2:
		return rdt_addr_lid((uint16_t)rdt_be_load(p + 4, 2));
	default:
		return (struct rdt_addr){ .kind = RDT_ADDR_NONE };
	}
}

static struct rdt_packet take(const uint8_t *p)
{
	struct rdt_packet packet = {
		.encap = (enum rdt_encap)(p[0] & 3),
		.ethernet = p[0] >> 2 & 1,
		.vlans = p[0] >> 3 & 7,
		.se = p[1] & 1,
		.migreq = p[1] >> 1 & 1,
		.ack_req = p[1] >> 2 & 1,
		.fecn = p[1] >> 3 & 1,
		.becn = p[1] >> 4 & 1,
		.bad_icrc = p[1] >> 5 & 1,
		.sl = p[2] & 31,
		.tos = p[3],
		.ttl = p[4],
		.opcode = p[5],
		.ip_id = (uint16_t)rdt_be_load(p + 6, 2),
		.flow_label = (uint32_t)rdt_be_load(p + 8, 3) >> 3,
		.sport = (uint16_t)rdt_be_load(p + 11, 2),
		.pkey = (uint16_t)rdt_be_load(p + 13, 2),
		.dest_qpn = (uint32_t)rdt_be_load(p + 15, 4) >> 7,
		.psn = (uint32_t)rdt_be_load(p + 19, 4) >> 7,
		.slid = (uint16_t)rdt_be_load(p + 23, 2),
		.dlid = (uint16_t)rdt_be_load(p + 25, 2),
		.src = take_addr(p + 27),
		.dst = take_addr(p + 44),
	};

	memcpy(packet.mac_src, p + 27, 6);
	memcpy(packet.mac_dst, p + 44, 6);
	for (unsigned i = 0; i < RDT_VLAN_MAX; i++)
		packet.vlan[i] = (uint16_t)(packet.pkey * (i + 1));
	return packet;
}

static unsigned linktype_of(const struct rdt_packet *p)
{
	if (p->encap == RDT_ENCAP_IB)
		return RDT_LINK_INFINIBAND;
	if (p->encap == RDT_ENCAP_ROCEV1 || p->ethernet)
		return RDT_LINK_ETHERNET;
	return p->src.kind == RDT_ADDR_IPV4 ? RDT_LINK_IPV4 : RDT_LINK_IPV6;
}

static void check_parse(const struct rdt_packet *p, const uint8_t *wire, size_t len)
{
	const struct rdt_opcode *op = &rdt_opcodes[p->opcode];
	struct rdt_frame f;
	struct rdt_pkt pkt;
	enum rdt_icrc_state icrc;
	enum rdt_status status;

	rdt_frame_parse(linktype_of(p), wire, len, len, 0, &f);
	require(f.kind == RDT_FRAME_IB && f.encap == p->encap && f.problem == RDT_PROBLEM_NONE);
	require(f.bth_have == f.bth_len && f.vlans == (f.eth ? p->vlans : 0));
	/* 252 bytes to QP1 with a wrong ICRC look like a MAD without one. */
	icrc = rdt_icrc_check(&f, NULL, NULL);
	require(p->bad_icrc
			? icrc == RDT_ICRC_BAD || (icrc == RDT_ICRC_ABSENT &&
						   p->dest_qpn == RDT_QP1 && p->payload_len == 252)
			: icrc == RDT_ICRC_OK);
	require(f.bth_len == op->hdr_len + p->payload_len + (-p->payload_len & 3) + RDT_LEN_icrc);
	require(rdt_bth_opcode(f.bth) == p->opcode && rdt_bth_psn(f.bth) == p->psn &&
		rdt_bth_dest_qpn(f.bth) == p->dest_qpn && rdt_bth_pkey(f.bth) == p->pkey &&
		rdt_bth_se(f.bth) == p->se && rdt_bth_migreq(f.bth) == p->migreq &&
		rdt_bth_ack_req(f.bth) == p->ack_req && rdt_bth_fecn(f.bth) == p->fecn &&
		rdt_bth_becn(f.bth) == p->becn);
	if (p->encap == RDT_ENCAP_IB)
		require(rdt_vcrc_value(wire + len - 2) == rdt_vcrc_compute(wire, len - 2));
	if (f.net)
		require(f.tos == p->tos && f.ttl == (p->ttl ? p->ttl : 64));

	status = rdt_pkt_parse(f.bth, f.bth_have, f.bth_len, &pkt);
	if (status == RDT_OPCODE && rdt_pkt_is_vendor(f.bth, f.bth_have, f.bth_len))
		return;
	require(status == RDT_OK && pkt.payload_len == p->payload_len);
	require(!memcmp(f.bth + RDT_LEN_bth, p->ext, op->hdr_len - (size_t)RDT_LEN_bth));
	require(!p->payload_len || !memcmp(rdt_pkt_payload(&pkt), p->payload, p->payload_len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t ext[64] = { 0 }, *wire, *again;
	struct rdt_packet packet;
	size_t ext_len, len = 0, again_len = 0;
	enum rdt_status status;

	if (size < FIELDS)
		return 0;
	packet = take(data);
	ext_len = rdt_opcodes[packet.opcode].hdr_len;
	ext_len -= ext_len ? RDT_LEN_bth : 0;
	data += FIELDS;
	size -= FIELDS;
	if (ext_len > size)
		ext_len = size;
	memcpy(ext, data, ext_len);
	packet.ext = ext;
	packet.payload = data + ext_len;
	packet.payload_len = size - ext_len;

	wire = malloc(RDT_PACKET_OVERHEAD + packet.payload_len);
	require(wire != NULL);
	status = rdt_packet_encode(&packet, wire, RDT_PACKET_OVERHEAD + packet.payload_len, &len);
	if (status == RDT_OK) {
		/* blocks of exactly the length, so that ASan sees a byte too many */
		again = malloc(len);
		require(again != NULL);
		require(rdt_packet_encode(&packet, again, len - 1, &again_len) == RDT_SPACE);
		require(rdt_packet_encode(&packet, again, len, &again_len) == RDT_OK &&
			again_len == len);
		require(!memcmp(wire, again, len));
		check_parse(&packet, again, len);
		free(again);
	} else {
		require(status == RDT_OPCODE || status == RDT_RANGE);
	}
	free(wire);
	return 0;
}
