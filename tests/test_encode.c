// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the encoder writes, the parsers read back; and the frames of other senders can be written
 * again from what they carry, byte for byte.
 */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "rdmatrace/encode.h"
#include "rdmatrace/icrc.h"
#include "rdmatrace/layers.h"
#include "support/hex.h"
#include "support/pcap_read.h"

#define ROOM 5000

static const uint8_t gid_a[16] = {
	0xfe, 0x80, [8] = 0x50, 0x54, 0x00, 0xff, 0xfe, 0x00, 0x00, 0x01
};
static const uint8_t gid_b[16] = {
	0xfe, 0x80, [8] = 0x50, 0x54, 0x00, 0xff, 0xfe, 0x00, 0x00, 0x02
};

enum shape {
	V2_IPV4,
	V2_IPV6,
	V2_IPV4_RAW,
	V2_IPV6_RAW,
	V1,
	V1_MAPPED,
	IB_LOCAL,
	IB_GLOBAL,
	SHAPES,
};

/* A packet of that shape with every field set to something of its own. */
static struct rdt_packet make(enum shape shape)
{
	struct rdt_packet p = {
		.mac_src = { 0x52, 0x54, 0, 0, 0, 1 },
		.mac_dst = { 0x52, 0x54, 0, 0, 0, 2 },
		.slid = 0x1234,
		.dlid = 0x5678,
		.sl = 5,
		.tos = 0x6a,
		.ttl = 17,
		.ip_id = 0xbeef,
		.flow_label = 0xabcde,
		.sport = 0xc123,
		.se = 1,
		.migreq = 0,
		.ack_req = 1,
		.fecn = 0,
		.becn = 1,
		.pkey = 0x8001,
		.dest_qpn = 0x123456,
		.psn = 0xfedcba,
	};

	p.src = rdt_addr_ipv4(0x0a000001);
	p.dst = rdt_addr_ipv4(0x0a000002);
	p.encap = shape <= V2_IPV6_RAW ? RDT_ENCAP_ROCEV2
		  : shape <= V1_MAPPED ? RDT_ENCAP_ROCEV1
				       : RDT_ENCAP_IB;
	p.ethernet = shape == V2_IPV4 || shape == V2_IPV6;
	if (shape == V2_IPV6 || shape == V2_IPV6_RAW || shape == V1 || shape == IB_GLOBAL) {
		p.src = rdt_addr_gid(gid_a);
		p.dst = rdt_addr_gid(gid_b);
	} else if (shape == IB_LOCAL) {
		p.src = p.dst = (struct rdt_addr){ .kind = RDT_ADDR_NONE };
	}
	return p;
}

static unsigned linktype_of(enum shape shape)
{
	return shape >= IB_LOCAL      ? RDT_LINK_INFINIBAND
	       : shape == V2_IPV4_RAW ? RDT_LINK_IPV4
	       : shape == V2_IPV6_RAW ? RDT_LINK_IPV6
				      : RDT_LINK_ETHERNET;
}

static void fill(uint8_t *buf, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		buf[i] = (uint8_t)(seed >> 24);
	}
}

/* Encode into a block of exactly that size and check every field that can be read back. */
static void round_trip(enum shape shape, const struct rdt_packet *p, const uint8_t *ext,
		       size_t ext_len)
{
	const size_t pad = -p->payload_len & 3;
	uint8_t big[ROOM], *wire;
	size_t len = 0, again = 0;
	struct rdt_frame f;
	struct rdt_pkt pkt;

	cr_assert(rdt_packet_encode(p, big, sizeof(big), &len) == RDT_OK, "%#x", p->opcode);
	cr_expect(len <= RDT_PACKET_OVERHEAD + p->payload_len, "%#x: %zu", p->opcode, len);
	wire = malloc(len);
	cr_assert(wire);
	cr_expect(rdt_packet_encode(p, wire, len - 1, &again) == RDT_SPACE && !again, "%#x",
		  p->opcode);
	cr_assert(rdt_packet_encode(p, wire, len, &again) == RDT_OK && again == len, "%#x",
		  p->opcode);
	cr_expect(!memcmp(wire, big, len), "%#x", p->opcode);

	rdt_frame_parse(linktype_of(shape), wire, len, len, p->dport, &f);
	cr_assert(f.kind == RDT_FRAME_IB, "%#x shape %u", p->opcode, shape);
	cr_expect(f.encap == p->encap && f.problem == RDT_PROBLEM_NONE, "%#x shape %u: %s",
		  p->opcode, shape, rdt_frame_problem_text((enum rdt_frame_problem)f.problem));
	cr_expect(rdt_icrc_check(&f, NULL, NULL) == (p->bad_icrc ? RDT_ICRC_BAD : RDT_ICRC_OK),
		  "%#x shape %u", p->opcode, shape);
	cr_expect(f.vlans == p->vlans && !memcmp(f.vlan, p->vlan, p->vlans * sizeof(f.vlan[0])));
	if (f.eth) {
		cr_expect(rdt_eth_dst(wire) == rdt_be_load(p->mac_dst, 6) &&
			  rdt_eth_src(wire) == rdt_be_load(p->mac_src, 6));
	}
	if (shape == IB_LOCAL) {
		const struct rdt_addr src = rdt_addr_lid(p->slid), dst = rdt_addr_lid(p->dlid);

		cr_expect(rdt_addr_equal(&f.src, &src) && rdt_addr_equal(&f.dst, &dst));
	} else {
		cr_expect(rdt_addr_equal(&f.src, &p->src) && rdt_addr_equal(&f.dst, &p->dst),
			  "shape %u", shape);
		cr_expect(f.tos == p->tos && f.ttl == (p->ttl ? p->ttl : 64), "shape %u", shape);
	}
	if (p->encap == RDT_ENCAP_IB) {
		cr_expect(f.lrh == wire && f.sl == p->sl && rdt_lrh_slid(wire) == p->slid &&
			  rdt_lrh_dlid(wire) == p->dlid);
		cr_expect(rdt_lrh_pktlen(wire) * 4 + 2 == len);
		cr_expect(rdt_vcrc_value(wire + len - 2) == rdt_vcrc_compute(wire, len - 2));
	}
	if (p->encap == RDT_ENCAP_ROCEV2) {
		cr_expect(f.sport == (p->sport ? p->sport : 0xc000) &&
			  f.dport == (p->dport ? p->dport : 4791));
		cr_expect(rdt_udp_checksum(f.l4) == 0);
		if (f.src.kind == RDT_ADDR_IPV4)
			cr_expect(rdt_ipv4_id(f.net) == p->ip_id && rdt_ipv4_df(f.net) &&
				  !rdt_ipv4_mf(f.net));
	}
	if (f.net && !(p->encap == RDT_ENCAP_ROCEV2 && f.src.kind == RDT_ADDR_IPV4))
		cr_expect(rdt_grh_flow_label(f.net) == p->flow_label);

	cr_assert(f.bth_have == f.bth_len);
	cr_assert(rdt_pkt_parse(f.bth, f.bth_have, f.bth_len, &pkt) == RDT_OK, "%#x", p->opcode);
	cr_expect(pkt.payload_len == p->payload_len && rdt_bth_pad_count(f.bth) == pad, "%#x",
		  p->opcode);
	cr_expect(rdt_bth_opcode(f.bth) == p->opcode && rdt_bth_se(f.bth) == p->se &&
		  rdt_bth_migreq(f.bth) == p->migreq && rdt_bth_pkey(f.bth) == p->pkey &&
		  rdt_bth_fecn(f.bth) == p->fecn && rdt_bth_becn(f.bth) == p->becn &&
		  rdt_bth_dest_qpn(f.bth) == p->dest_qpn && rdt_bth_ack_req(f.bth) == p->ack_req &&
		  rdt_bth_psn(f.bth) == p->psn && !rdt_bth_tver(f.bth) && !rdt_bth_rsvd4(f.bth));
	cr_expect(pkt.op->hdr_len == 12 + ext_len, "%#x", p->opcode);
	if (ext_len)
		cr_expect(!memcmp(f.bth + 12, ext, ext_len), "%#x", p->opcode);
	if (p->payload_len)
		cr_expect(!memcmp(rdt_pkt_payload(&pkt), p->payload, p->payload_len));
	for (size_t i = 0; i < pad; i++)
		cr_expect(rdt_pkt_payload(&pkt)[p->payload_len + i] == 0);
	free(wire);
}

/* ---- all opcodes, encapsulations, pads ------------------------------------------------------ */

Test(encode, every_opcode_in_every_encapsulation)
{
	uint8_t ext[64], payload[64];

	fill(ext, sizeof(ext), 1);
	fill(payload, sizeof(payload), 2);
	for (unsigned shape = 0; shape < SHAPES; shape++) {
		for (unsigned opcode = 0; opcode < 256; opcode++) {
			struct rdt_packet p = make((enum shape)shape);
			const size_t hdr_len = rdt_opcodes[opcode].hdr_len;
			size_t len = 77;

			p.opcode = (uint8_t)opcode;
			if (!hdr_len) {
				uint8_t wire[512];

				cr_expect(rdt_packet_encode(&p, wire, sizeof(wire), &len) ==
						  RDT_OPCODE &&
					  len == 77);
				continue;
			}
			fill(ext, sizeof(ext), opcode);
			if (opcode >> 5 == RDT_SVC_RD)
				ext[0] = ext[4 + 4] =
					0; /* else it is taken for a vendor's transport */
			p.ext = ext;
			p.payload = payload;
			for (p.payload_len = 0;
			     p.payload_len < (rdt_opcodes[opcode].payload ? 9 : 1); p.payload_len++)
				round_trip((enum shape)shape, &p, ext, hdr_len - 12);
		}
	}
}

Test(encode, each_flag_alone)
{
	for (unsigned bit = 0; bit < 5; bit++) {
		struct rdt_packet p = make(V2_IPV4);

		p.se = bit == 0;
		p.migreq = bit == 1;
		p.ack_req = bit == 2;
		p.fecn = bit == 3;
		p.becn = bit == 4;
		p.opcode = RDT_OP_UC_SEND_ONLY;
		round_trip(V2_IPV4, &p, NULL, 0);
	}
}

Test(encode, vlan_tags)
{
	uint8_t wire[512];
	size_t len;

	for (unsigned shape = 0; shape <= V1; shape += V1) {
		for (unsigned vlans = 0; vlans <= RDT_VLAN_MAX; vlans++) {
			struct rdt_packet p = make((enum shape)shape);

			p.opcode = RDT_OP_UC_SEND_ONLY;
			p.vlans = vlans;
			for (unsigned i = 0; i < RDT_VLAN_MAX; i++)
				p.vlan[i] = (uint16_t)(0xa123 + 0x1111 * i);
			round_trip((enum shape)shape, &p, NULL, 0);
			cr_assert(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_OK);
			if (vlans)
				cr_expect(rdt_eth_type(wire) == (vlans > 1 ? 0x88a8 : 0x8100));
			if (vlans > 1)
				cr_expect(rdt_vlan_type(wire + 14) ==
					  (vlans > 2 ? 0x88a8 : 0x8100));
		}
	}
}

Test(encode, payloads_of_all_sizes)
{
	static uint8_t payload[4096];

	fill(payload, sizeof(payload), 3);
	for (unsigned shape = 0; shape < SHAPES; shape++) {
		for (size_t len = 0; len <= sizeof(payload); len += len < 20     ? 1
								    : len < 4000 ? 97
										 : 7) {
			struct rdt_packet p = make((enum shape)shape);

			p.opcode = RDT_OP_RC_SEND_MIDDLE;
			p.payload = payload;
			p.payload_len = len;
			round_trip((enum shape)shape, &p, NULL, 0);
			/* BAD at any length: not absent, not another source port. */
			p.bad_icrc = 1;
			round_trip((enum shape)shape, &p, NULL, 0);
		}
	}
}

Test(encode, zero_is_a_sensible_default)
{
	struct rdt_packet p = { .encap = RDT_ENCAP_ROCEV2,
				.ethernet = 1,
				.opcode = RDT_OP_UD_SEND_ONLY };
	uint8_t wire[128], want[128];
	size_t len = 0;

	p.src = rdt_addr_ipv4(0x0a000001);
	p.dst = rdt_addr_ipv4(0x0a000002);
	cr_assert(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_OK);
	cr_assert(
		len ==
		hex_read("000000000000 000000000000 0800 45000034 00004000 401126b7 0a000001 "
			 "0a000002"
			 "c00012b7 00200000 64000000 00000000 00000000 00000000 00000000 00000000",
			 want, sizeof(want)));
	cr_expect(!memcmp(wire, want, len - 4));
	/* no bytes of a payload are zeros too */
	p.payload_len = 3;
	cr_assert(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_OK && len == 70);
	cr_expect(rdt_bth_pad_count(wire + 42) == 1 && !memcmp(wire + 62, "\0\0\0\0", 4));
}

/* ---- what cannot be written ----------------------------------------------------------------- */

Test(encode, values_that_do_not_fit)
{
	struct rdt_packet p;
	uint8_t wire[ROOM];
	size_t len = 77;

#define REFUSED(shape, change)                                                                    \
	do {                                                                                      \
		p = make(shape);                                                                  \
		p.opcode = RDT_OP_UC_SEND_ONLY;                                                   \
		cr_assert(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_OK);             \
		len = 77;                                                                         \
		memset(wire, 0xa5, sizeof(wire));                                                 \
		change;                                                                           \
		cr_expect(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_RANGE, #change); \
		cr_expect(len == 77 && wire[0] == 0xa5, #change);                                 \
	} while (0)

	REFUSED(V2_IPV4, p.dest_qpn = 0x1000000);
	REFUSED(V2_IPV4, p.psn = 0x1000000);
	REFUSED(V2_IPV6, p.flow_label = 0x100000);
	REFUSED(V2_IPV4, p.se = 2);
	REFUSED(V2_IPV4, p.migreq = 2);
	REFUSED(V2_IPV4, p.ack_req = 2);
	REFUSED(V2_IPV4, p.fecn = 2);
	REFUSED(V2_IPV4, p.becn = 2);
	REFUSED(V2_IPV4, p.vlans = RDT_VLAN_MAX + 1);
	REFUSED(IB_LOCAL, p.sl = 16);
	REFUSED(V2_IPV4, p.encap = RDT_ENCAP_NONE);
	REFUSED(V2_IPV4, p.dst = rdt_addr_gid(gid_a));
	REFUSED(V2_IPV6, p.src = rdt_addr_lid(3));
	REFUSED(V2_IPV4, p.src = p.dst = rdt_addr_lid(3));
	REFUSED(V2_IPV4, p.src = p.dst = (struct rdt_addr){ 0 });
	REFUSED(V1, p.src = rdt_addr_lid(3));
	REFUSED(V2_IPV4, p.payload_len = 65535 - 20 - 8 - 12 - 4 + 1);
	REFUSED(V2_IPV6, p.payload_len = 65535 - 8 - 12 - 4 + 1);
	REFUSED(V1, p.payload_len = 65535 - 12 - 4 + 1);
	REFUSED(IB_LOCAL, p.payload_len = 2047 * 4 - 8 - 12 - 4 + 1);
	REFUSED(IB_GLOBAL, p.payload_len = 2047 * 4 - 8 - 40 - 12 - 4 + 1);
	REFUSED(V2_IPV4, p.payload_len = SIZE_MAX);
#undef REFUSED
}

Test(encode, the_longest_that_fit)
{
	static uint8_t wire[70000], payload[66000];
	static const struct {
		enum shape shape;
		size_t payload_len;
	} rows[] = {
		{ V2_IPV4, 65532 - 20 - 8 - 12 - 4 },
		{ V2_IPV6, 65532 - 8 - 12 - 4 },
		{ V1, 65532 - 12 - 4 },
		{ IB_LOCAL, 2047 * 4 - 8 - 12 - 4 },
		{ IB_GLOBAL, 2047 * 4 - 8 - 40 - 12 - 4 },
	};

	fill(payload, sizeof(payload), 9);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_packet p = make(rows[i].shape);
		struct rdt_frame f;
		size_t len;

		p.opcode = RDT_OP_UC_SEND_ONLY;
		p.payload = payload;
		p.payload_len = rows[i].payload_len;
		cr_assert(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_OK, "%zu", i);
		rdt_frame_parse(linktype_of(rows[i].shape), wire, len, len, 0, &f);
		cr_expect(f.kind == RDT_FRAME_IB && f.bth_len == p.payload_len + 16, "%zu", i);
		cr_expect(rdt_icrc_check(&f, NULL, NULL) == RDT_ICRC_OK, "%zu", i);
	}
}

/* ---- frames of others, written again -------------------------------------------------------- */

static const struct {
	const char *what;
	unsigned linktype;
	const char *icrc, *frame;
} frames[] = {
#define FRAME(what, linktype, icrc, frame) { what, linktype, icrc, frame },
#include "vectors/icrc.h"
};

/* The packet that a parsed frame carries. payload and ext are borrowed from it. */
static struct rdt_packet take_apart(const struct rdt_frame *f)
{
	struct rdt_packet p = { .encap = (enum rdt_encap)f->encap, .ethernet = f->eth != NULL };
	struct rdt_pkt pkt;

	cr_assert(rdt_pkt_parse(f->bth, f->bth_have, f->bth_len, &pkt) == RDT_OK);
	if (f->eth) {
		memcpy(p.mac_dst, f->eth, 6);
		memcpy(p.mac_src, f->eth + 6, 6);
	}
	if (f->lrh) {
		p.slid = (uint16_t)rdt_lrh_slid(f->lrh);
		p.dlid = (uint16_t)rdt_lrh_dlid(f->lrh);
		p.sl = f->sl;
	}
	if (f->net) {
		p.src = f->src;
		p.dst = f->dst;
	}
	p.tos = f->tos;
	p.ttl = f->ttl;
	if (f->encap == RDT_ENCAP_ROCEV2 && f->src.kind == RDT_ADDR_IPV4)
		p.ip_id = (uint16_t)rdt_ipv4_id(f->net);
	else if (f->net)
		p.flow_label = rdt_grh_flow_label(f->net);
	p.sport = f->sport;
	p.opcode = (uint8_t)rdt_bth_opcode(f->bth);
	p.se = rdt_bth_se(f->bth);
	p.migreq = rdt_bth_migreq(f->bth);
	p.ack_req = rdt_bth_ack_req(f->bth);
	p.fecn = rdt_bth_fecn(f->bth);
	p.becn = rdt_bth_becn(f->bth);
	p.pkey = (uint16_t)rdt_bth_pkey(f->bth);
	p.dest_qpn = rdt_bth_dest_qpn(f->bth);
	p.psn = rdt_bth_psn(f->bth);
	p.ext = f->bth + RDT_LEN_bth;
	p.payload = rdt_pkt_payload(&pkt);
	p.payload_len = pkt.payload_len;
	return p;
}

Test(encode, frames_of_other_senders_come_out_the_same)
{
	for (size_t i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		uint8_t wire[512], again[512];
		const size_t len = hex_read(frames[i].frame, wire, sizeof(wire));
		struct rdt_frame f;
		struct rdt_packet p;
		size_t again_len = 0;

		rdt_frame_parse(frames[i].linktype, wire, len, len, 0, &f);
		cr_assert(f.kind == RDT_FRAME_IB);
		p = take_apart(&f);
		cr_assert(rdt_packet_encode(&p, again, sizeof(again), &again_len) == RDT_OK, "%s",
			  frames[i].what);
		cr_expect(again_len == len, "%s: %zu, not %zu", frames[i].what, again_len, len);
		/* What it cannot be asked for: UDP checksums, source port 0, hop limit 0. */
		if (f.l4)
			rdt_udp_set_checksum(again + (f.l4 - wire), rdt_udp_checksum(f.l4));
		if (f.l4 && !f.sport) {
			uint8_t *l4 = again + (f.l4 - wire);

			rdt_udp_set_sport(l4, 0);
			rdt_icrc_set_value(again + len - 4,
					   rdt_icrc_compute(RDT_ENCAP_ROCEV2, NULL, again + 14, l4,
							    l4 + 8, f.bth_len - 4));
		}
		if (f.lrh && f.net && !f.ttl) {
			rdt_grh_set_hoplmt(again + 8, 0);
			rdt_vcrc_set_value(again + len - 2, rdt_vcrc_compute(again, len - 2));
		}
		for (size_t k = 0; k < len; k++)
			cr_expect(again[k] == wire[k], "%s byte %zu: %02x, not %02x",
				  frames[i].what, k, again[k], wire[k]);
	}
}

static int encode_again(const struct test_frame *frame, void *arg)
{
	unsigned *count = arg;
	struct rdt_frame f;
	struct rdt_packet p;
	uint8_t again[ROOM];
	size_t len = 0;

	rdt_frame_parse(frame->linktype, frame->bytes, frame->have, frame->wire_len, 0, &f);
	if (f.kind != RDT_FRAME_IB)
		return 0;
	p = take_apart(&f);
	cr_assert(rdt_packet_encode(&p, again, sizeof(again), &len) == RDT_OK, "frame %u",
		  frame->number);
	cr_assert(len == frame->have && !memcmp(again, frame->bytes, len), "frame %u differs",
		  frame->number);
	++*count;
	return 0;
}

/* Every RoCE packet that two kernels sent. */
Test(encode, captured_packets_come_out_the_same)
{
	static const char *const names[] = { "rping4.pcap",  "accept.pcap",   "reject.pcap",
					     "dup.pcap",     "pingpong.pcap", "udaddy.pcap",
					     "perftest.pcap" };
	unsigned count = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cr_assert(test_pcap_walk(names[i], encode_again, &count) > 0, "%s", names[i]);
	cr_expect(count > 700, "%u", count);
}

/* ---- management datagrams ------------------------------------------------------------------- */

Test(encode, cm_datagram)
{
	uint8_t mad[RDT_MAD_LEN], want[24], deth[RDT_LEN_deth], wire[400];
	struct rdt_packet p = make(V2_IPV4);
	struct rdt_layer layers[RDT_LAYERS_MAX];
	const struct rdt_layer *rtu;
	struct rdt_frame f;
	size_t len, count;

	memset(mad, 0xa5, sizeof(mad));
	rdt_cm_mad_init(mad, RDT_CM_ATTR_RTU, 0x0123456789abcdef);
	hex_read("01 07 02 03 0000 0000 0123456789abcdef 0014 0000 00000000", want, sizeof(want));
	cr_expect(!memcmp(mad, want, sizeof(want)));
	for (size_t i = sizeof(want); i < sizeof(mad); i++)
		cr_expect(mad[i] == 0);
	rdt_qp1_deth_init(deth);
	hex_read("80010000 00 000001", want, 8);
	cr_expect(!memcmp(deth, want, 8));

	rdt_rtu_set_local_comm_id(mad + RDT_LEN_mad, 0x11223344);
	rdt_rtu_set_remote_comm_id(mad + RDT_LEN_mad, 0x55667788);
	p.opcode = RDT_OP_UD_SEND_ONLY;
	p.dest_qpn = RDT_QP1;
	p.ext = deth;
	p.payload = mad;
	p.payload_len = sizeof(mad);
	cr_assert(rdt_packet_encode(&p, wire, sizeof(wire), &len) == RDT_OK);
	/* the size that every CM message has on RoCEv2 over IPv4 */
	cr_expect(len == 322);
	rdt_frame_parse(RDT_LINK_ETHERNET, wire, len, len, 0, &f);
	count = rdt_layers(wire, &f, layers);
	rtu = rdt_layer_find(layers, count, RDT_H_rtu);
	cr_assert(rtu);
	cr_expect(rtu->off == 86 && rtu->have == 232);
	cr_expect(rdt_rtu_local_comm_id(rtu->bytes) == 0x11223344 &&
		  rdt_rtu_remote_comm_id(rtu->bytes) == 0x55667788);
}
