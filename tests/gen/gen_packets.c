// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes a capture that real ones do not make: every assigned opcode and every CM and SA message
 * with all fields set to values that differ, over RoCEv2, RoCEv1 and VLANs. For comparing decoders.
 */
#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/encode.h"
#include "rdmatrace/field.h"
#include "rdmatrace/layers.h"

static uint32_t seed = 12345;

static uint8_t next_byte(void)
{
	seed = seed * 1103515245u + 12345u;
	return (uint8_t)(seed >> 16);
}

static void fill(uint8_t *p, size_t len)
{
	while (len--)
		*p++ = next_byte();
}

static pcap_dumper_t *out;
static long frames;

static void put(struct rdt_packet *p)
{
	uint8_t frame[4096];
	size_t len;
	struct pcap_pkthdr header = { 0 };

	if (rdt_packet_encode(p, frame, sizeof(frame), &len) != RDT_OK) {
		fprintf(stderr, "gen_packets: opcode 0x%02x was not encoded\n", p->opcode);
		exit(1);
	}
	header.caplen = header.len = (bpf_u_int32)len;
	header.ts.tv_sec = 1700000000 + frames++;
	pcap_dump((u_char *)out, &header, frame);
}

/* Kinds that a decoder would take for another protocol: their payload must not look like one. */
static void put_opcode(struct rdt_packet *p, unsigned opcode)
{
	uint8_t ext[64], payload[64];

	fill(ext, sizeof(ext));
	/* Reserved bytes of RDETH and DETH: not zero would mean a vendor's transport. */
	if (rdt_opcode_service((uint8_t)opcode) == RDT_SVC_RD)
		ext[0] = ext[8] = 0;
	fill(payload, sizeof(payload));
	p->opcode = (uint8_t)opcode;
	p->ext = ext;
	p->payload = payload;
	p->payload_len = rdt_opcodes[opcode].payload ? 48 : 0;
	if (opcode == RDT_OP_RC_ATOMIC_WRITE || opcode == RDT_OP_XRC_ATOMIC_WRITE)
		p->payload_len = 8;
	if (opcode == RDT_OP_CNP || opcode == RDT_OP_CNP_IB)
		memset(ext, 0, sizeof(ext));
	p->dest_qpn = 0x100000 + opcode;
	p->psn = 0x654300 + opcode;
	p->ack_req = opcode & 1;
	p->se = opcode >> 1 & 1;
	p->fecn = opcode >> 2 & 1;
	p->becn = opcode >> 3 & 1;
	put(p);
}

static void put_mad(struct rdt_packet *p, unsigned class, unsigned attr, unsigned method)
{
	uint8_t mad[RDT_MAD_LEN], deth[RDT_LEN_deth];

	fill(mad, sizeof(mad));
	rdt_mad_set_base_version(mad, 1);
	rdt_mad_set_mgmt_class(mad, class);
	rdt_mad_set_class_version(mad, 2);
	rdt_mad_set_method(mad, method);
	rdt_mad_set_attr_id(mad, attr);
	if (class == RDT_CLASS_SA) {
		rdt_rmpp_set_version(mad + RDT_LEN_mad, 1);
		rdt_rmpp_set_type(mad + RDT_LEN_mad, RDT_RMPP_DATA);
		rdt_rmpp_set_active(mad + RDT_LEN_mad, true);
		rdt_rmpp_set_first(mad + RDT_LEN_mad, true);
		rdt_rmpp_set_status(mad + RDT_LEN_mad, 0);
		rdt_rmpp_set_seg_num(mad + RDT_LEN_mad, 1);
		rdt_mad_set_status(mad, 0);
	}
	if (class == RDT_CLASS_CM && attr == RDT_CM_ATTR_REQ) {
		/* tshark shows GIDs as IPv4 whenever IPv4 carries the packet */
		rdt_req_set_primary_local_gid(mad + RDT_LEN_mad, p->src.bytes);
		rdt_req_set_primary_remote_gid(mad + RDT_LEN_mad, p->dst.bytes);
	}
	rdt_qp1_deth_init(deth);
	p->opcode = RDT_OP_UD_SEND_ONLY;
	p->dest_qpn = RDT_QP1;
	p->ext = deth;
	p->payload = mad;
	p->payload_len = sizeof(mad);
	put(p);
}

int main(int argc, char **argv)
{
	static const enum rdt_encap encaps[] = { RDT_ENCAP_ROCEV2, RDT_ENCAP_ROCEV2,
						 RDT_ENCAP_ROCEV1 };
	pcap_t *pcap = pcap_open_dead(DLT_EN10MB, 65535);

	out = argc == 2 ? pcap_dump_open(pcap, argv[1]) : NULL;
	if (!out) {
		fprintf(stderr, "usage: gen_packets FILE\n");
		return 2;
	}
	for (unsigned turn = 0; turn < sizeof(encaps) / sizeof(encaps[0]); turn++) {
		static const uint8_t gid[2][16] = { { 0xfd, [15] = 2 }, { 0xfd, [15] = 1 } };
		struct rdt_packet p = { .encap = encaps[turn],
					.ethernet = 1,
					.mac_src = { 2, 0, 0, 0, 0, 2 },
					.mac_dst = { 2, 0, 0, 0, 0, 1 },
					.vlans = turn,
					.vlan = { 0x2064, 0x0065 },
					.pkey = 0x8123,
					.migreq = 1 };

		p.src = turn ? rdt_addr_gid(gid[0]) : rdt_addr_ipv4(0x0a000002);
		p.dst = turn ? rdt_addr_gid(gid[1]) : rdt_addr_ipv4(0x0a000001);
		for (unsigned opcode = 0; opcode < 256; opcode++)
			if (rdt_opcodes[opcode].hdr_len)
				put_opcode(&p, opcode);
		p.fecn = p.becn = p.se = p.ack_req = 0;
		for (unsigned attr = RDT_CM_ATTR_REQ; attr <= RDT_CM_ATTR_APR; attr++)
			put_mad(&p, RDT_CLASS_CM, attr, RDT_METHOD_SEND);
		put_mad(&p, RDT_CLASS_SA, RDT_SA_ATTR_PATH, RDT_METHOD_GET_RESP);
		put_mad(&p, RDT_CLASS_SA, RDT_SA_ATTR_MCMEMBER, RDT_METHOD_GET_RESP);
		put_mad(&p, RDT_CLASS_SA, RDT_SA_ATTR_SERVICE, RDT_METHOD_GET_RESP);
	}
	pcap_dump_close(out);
	pcap_close(pcap);
	printf("%ld frames\n", frames);
	return 0;
}
