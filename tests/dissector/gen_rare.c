// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes what no capture of the lab shows: one packet or connection for each expert item that
 * healthy kernels do not make, and native InfiniBand in ERF records.
 *
 * usage: gen_rare rare|erf FILE
 */
#include <pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rdmatrace/encode.h"
#include "rdmatrace/field.h"
#include "rdmatrace/wire.h"

#define ACTIVE 0
#define PASSIVE 1
#define ERF_HEADER 16
#define ERF_INFINIBAND 21
#define STEP_US 15625u /* a 64th of a second */
/* Offsets in a frame of Ethernet, IPv4 without options, UDP. */
#define AT_UDP 34
#define AT_BTH 42

/* What is done to a frame after it was encoded. */
enum harm { NONE, NO_ICRC, OTHER_SPORT, SHORT_UDP, OPCODE_1F, OPCODE_C0 };

static pcap_dumper_t *out;
static enum rdt_encap encap = RDT_ENCAP_ROCEV2;
static unsigned long long now_us = 1700000000000000ull;
static uint32_t qp1_psn[2];

/* The connection that is being told; each has numbers of its own. */
static struct {
	uint32_t id[2], qpn[2];
	uint64_t tid;
	unsigned vlan;
} conn;

static void begin(uint32_t n)
{
	conn.id[ACTIVE] = 0xa0000000 + n;
	conn.id[PASSIVE] = 0xb0000000 + n;
	conn.qpn[ACTIVE] = 0x100 + n;
	conn.qpn[PASSIVE] = 0x200 + n;
	conn.tid = 0x500000000 + n;
	conn.vlan = 0;
}

static void spoil(uint8_t *frame, size_t *len, enum harm harm)
{
	switch (harm) {
	case NONE:
		break;
	case NO_ICRC:
		memset(frame + *len - RDT_LEN_icrc, 0, RDT_LEN_icrc);
		break;
	case OTHER_SPORT:
		frame[AT_UDP] ^= 0x11;
		break;
	case SHORT_UDP: /* a UDP datagram of eight bytes to the RoCE port: no BTH fits */
		*len = AT_BTH + 8;
		frame[17] = 36;
		frame[24] = frame[25] = 0;
		frame[AT_UDP + 5] = 16;
		break;
	case OPCODE_1F:
		frame[AT_BTH] = 0x1f;
		break;
	case OPCODE_C0:
		frame[AT_BTH] = 0xc5;
		break;
	}
}

/* cut: bytes captured, 0 for all. */
static void put(const struct rdt_packet *p, enum harm harm, size_t cut)
{
	uint8_t frame[ERF_HEADER + 2048] = { 0 };
	const size_t before = encap == RDT_ENCAP_IB ? ERF_HEADER : 0;
	struct pcap_pkthdr header = { 0 };
	size_t len;

	if (rdt_packet_encode(p, frame + before, sizeof(frame) - before, &len) != RDT_OK) {
		fprintf(stderr, "gen_rare: opcode 0x%02x was not encoded\n", p->opcode);
		exit(1);
	}
	spoil(frame + before, &len, harm);
	now_us += STEP_US;
	if (before) {
		/* Seconds in 32.32, little-endian; the step has no rest in it. */
		const uint64_t steps = now_us / STEP_US,
			       fixed = steps / 64 << 32 | steps % 64 << 26;

		for (unsigned i = 0; i < 8; i++)
			frame[i] = (uint8_t)(fixed >> 8 * i);
		frame[8] = ERF_INFINIBAND;
		frame[9] = 4; /* varying length */
		frame[10] = (uint8_t)((len + ERF_HEADER) >> 8);
		frame[11] = (uint8_t)(len + ERF_HEADER);
		frame[14] = (uint8_t)(len >> 8);
		frame[15] = (uint8_t)len;
	}
	header.len = (bpf_u_int32)(len + before);
	header.caplen = cut ? (bpf_u_int32)cut : header.len;
	header.ts.tv_sec = (time_t)(now_us / 1000000);
	header.ts.tv_usec = (suseconds_t)(now_us % 1000000);
	pcap_dump((u_char *)out, &header, frame);
}

static struct rdt_packet packet(unsigned from)
{
	static const uint8_t mac[2][6] = { { 2, 0, 0, 0, 0, 2 }, { 2, 0, 0, 0, 0, 1 } };
	struct rdt_packet p = { .encap = encap, .ethernet = encap != RDT_ENCAP_IB, .pkey = 0xffff };

	if (encap == RDT_ENCAP_IB) {
		p.slid = (uint16_t)(17 + from);
		p.dlid = (uint16_t)(17 + !from);
		return p;
	}
	memcpy(p.mac_src, mac[from], 6);
	memcpy(p.mac_dst, mac[!from], 6);
	p.src = rdt_addr_ipv4(from ? 0x0a000001 : 0x0a000002);
	p.dst = rdt_addr_ipv4(from ? 0x0a000002 : 0x0a000001);
	p.vlans = conn.vlan != 0;
	p.vlan[0] = (uint16_t)conn.vlan;
	return p;
}

static void put_mad(unsigned from, const uint8_t mad[RDT_MAD_LEN], size_t cut)
{
	struct rdt_packet p = packet(from);
	uint8_t deth[RDT_LEN_deth];

	rdt_qp1_deth_init(deth);
	p.opcode = RDT_OP_UD_SEND_ONLY;
	p.dest_qpn = RDT_QP1;
	p.psn = ++qp1_psn[from];
	p.ext = deth;
	p.payload = mad;
	p.payload_len = RDT_MAD_LEN;
	put(&p, NONE, cut);
}

static void data(unsigned from, unsigned opcode, uint32_t psn, size_t len, enum harm harm,
		 size_t cut)
{
	struct rdt_packet p = packet(from);

	p.opcode = (uint8_t)opcode;
	p.dest_qpn = conn.qpn[!from];
	p.psn = psn;
	p.payload_len = len;
	put(&p, harm, cut);
}

/* ---- messages ------------------------------------------------------------------------------------ */

static uint8_t *message(uint8_t mad[RDT_MAD_LEN], unsigned from, uint16_t attr)
{
	uint8_t *body = mad + RDT_LEN_mad;

	rdt_cm_mad_init(mad, attr, conn.tid);
	rdt_rtu_set_local_comm_id(body, conn.id[from]);
	if (attr != RDT_CM_ATTR_REQ)
		rdt_rtu_set_remote_comm_id(body, conn.id[!from]);
	return body;
}

static void req_to(uint16_t port, const uint8_t *text, size_t len)
{
	uint8_t mad[RDT_MAD_LEN], *b = message(mad, ACTIVE, RDT_CM_ATTR_REQ);
	const struct rdt_packet p = packet(ACTIVE);

	rdt_req_set_service_id(b, 0x0000000001060000 + port);
	rdt_req_set_local_ca_guid(b, 0x0200000000000002);
	rdt_req_set_local_qpn(b, conn.qpn[ACTIVE]);
	rdt_req_set_responder_resources(b, 4);
	rdt_req_set_initiator_depth(b, 2);
	rdt_req_set_remote_cm_resp_timeout(b, 20);
	rdt_req_set_local_cm_resp_timeout(b, 20);
	rdt_req_set_starting_psn(b, 0x100);
	rdt_req_set_retry_count(b, 7);
	rdt_req_set_rnr_retry_count(b, 7);
	rdt_req_set_max_cm_retries(b, 15);
	rdt_req_set_path_mtu(b, 3);
	rdt_req_set_primary_ack_timeout(b, 19);
	rdt_req_set_primary_local_gid(b, p.src.bytes);
	rdt_req_set_primary_remote_gid(b, p.dst.bytes);
	rdt_ipcm_set_ip_version(b + 140, 4);
	rdt_ipcm_set_src_port(b + 140, 40000);
	if (len)
		memcpy(b + 140 + RDT_LEN_ipcm, text, len);
	put_mad(ACTIVE, mad, 0);
}

static void req(void)
{
	req_to(7174, NULL, 0);
}

static void rep_with(unsigned initiator_depth, const uint8_t *text, size_t len)
{
	uint8_t mad[RDT_MAD_LEN], *b = message(mad, PASSIVE, RDT_CM_ATTR_REP);

	rdt_rep_set_local_qpn(b, conn.qpn[PASSIVE]);
	rdt_rep_set_starting_psn(b, 0x200);
	rdt_rep_set_responder_resources(b, 4);
	rdt_rep_set_initiator_depth(b, initiator_depth);
	rdt_rep_set_target_ack_delay(b, 15);
	rdt_rep_set_rnr_retry_count(b, 7);
	if (len)
		memcpy(b + 36, text, len);
	put_mad(PASSIVE, mad, 0);
}

static void rep(unsigned initiator_depth)
{
	rep_with(initiator_depth, NULL, 0);
}

static void rej_with(unsigned reason, size_t at, const uint8_t *text, size_t len)
{
	uint8_t mad[RDT_MAD_LEN], *b = message(mad, PASSIVE, RDT_CM_ATTR_REJ);

	rdt_rtu_set_local_comm_id(b, 0);
	rdt_rej_set_reason(b, reason);
	if (len)
		memcpy(b + at, text, len);
	if (at < 84)
		rdt_rej_set_info_length(b, (unsigned)len);
	put_mad(PASSIVE, mad, 0);
}

static void rej(unsigned reason)
{
	rej_with(reason, 84, NULL, 0);
}

static void dreq(uint32_t qpn)
{
	uint8_t mad[RDT_MAD_LEN], *b = message(mad, ACTIVE, RDT_CM_ATTR_DREQ);

	rdt_dreq_set_remote_qpn(b, qpn);
	put_mad(ACTIVE, mad, 0);
}

static void bare(unsigned from, uint16_t attr, size_t cut)
{
	uint8_t mad[RDT_MAD_LEN];

	message(mad, from, attr);
	put_mad(from, mad, cut);
}

static void connect_both(void)
{
	req();
	rep(2);
	bare(ACTIVE, RDT_CM_ATTR_RTU, 0);
}

/* ---- stories ------------------------------------------------------------------------------------- */

static void refused_status(void)
{
	uint8_t mad[RDT_MAD_LEN] = { 0 };

	rdt_mad_set_base_version(mad, 1);
	rdt_mad_set_mgmt_class(mad, RDT_CLASS_SA);
	rdt_mad_set_class_version(mad, 2);
	rdt_mad_set_method(mad, RDT_METHOD_GET_RESP);
	rdt_mad_set_attr_id(mad, RDT_SA_ATTR_PATH);
	rdt_mad_set_status(mad, 0x0c);
	put_mad(PASSIVE, mad, 0);
}

/* What consumers say in private data, and messages that carry records. */
static void consumers(void)
{
	static const uint8_t nvme[32] = { 0, 0, 1, 0, 128, 0, 127, 0, 0xff, 0xff };
	static const uint8_t queue[32] = { 0, 0, 128, 0 };
	static const uint8_t no_queue[4] = { 0, 0, 3, 0 };
	static const uint8_t rpc[8] = { 0xf6, 0xab, 0x0e, 0x18, 1, 1, 3, 3 };
	static const uint8_t redirect[RDT_LEN_cpi] = { 1, 2, 0, 1 };

	begin(6);
	req_to(4420, nvme, sizeof(nvme));
	rep_with(2, queue, sizeof(queue));
	bare(ACTIVE, RDT_CM_ATTR_RTU, 0);
	begin(7);
	req_to(4420, nvme, sizeof(nvme));
	rej_with(RDT_REJ_CONSUMER, 84, no_queue, sizeof(no_queue));
	begin(8);
	req_to(20049, rpc, sizeof(rpc));
	rep_with(2, rpc, sizeof(rpc));
	bare(ACTIVE, RDT_CM_ATTR_RTU, 0);
	begin(9);
	req();
	rej_with(RDT_REJ_CM_REDIRECT, 12, redirect, sizeof(redirect));
	bare(PASSIVE, RDT_CM_ATTR_SAP, 0);
	bare(ACTIVE, RDT_CM_ATTR_SPR, 0);
}

static void all_rare(void)
{
	/* a REP that wants more than was offered, a RTU, data that starts elsewhere and has a hole */
	begin(1);
	req();
	rep(8);
	bare(ACTIVE, RDT_CM_ATTR_RTU, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x2f0, 64, NONE, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x2f9, 64, NONE, 0);
	dreq(0x999);
	bare(PASSIVE, RDT_CM_ATTR_DREP, 0);
	/* what the capture path does to packets; payloads are too short for RPC over RDMA */
	begin(2);
	connect_both();
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200, 64, NO_ICRC, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x201, 64, OTHER_SPORT, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x202, 64, NONE, 70);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x203, 4, NONE, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x204, 64, SHORT_UDP, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x205, 64, OPCODE_1F, 0);
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x206, 64, OPCODE_C0, 0);
	bare(ACTIVE, RDT_CM_ATTR_DREQ, 110);
	/* the kernel's and nobody's reasons */
	begin(3);
	req();
	rej(1);
	/* an alternate path for what is not connected yet */
	begin(4);
	req();
	bare(ACTIVE, RDT_CM_ATTR_LAP, 0);
	/* one packet, seen under a VLAN and without it */
	begin(5);
	req();
	conn.vlan = 7;
	qp1_psn[ACTIVE]--;
	req();
	consumers();
	refused_status();
}

static void native(void)
{
	begin(1);
	connect_both();
	data(ACTIVE, RDT_OP_RC_SEND_ONLY, 0x200, 64, NONE, 0);
	data(PASSIVE, RDT_OP_RC_ACK, 0x200, 0, NONE, 0);
	dreq(conn.qpn[PASSIVE]);
	bare(PASSIVE, RDT_CM_ATTR_DREP, 0);
}

int main(int argc, char **argv)
{
	const bool is_erf = argc == 3 && !strcmp(argv[1], "erf");
	pcap_t *pcap = pcap_open_dead(is_erf ? DLT_ERF : DLT_EN10MB, 65535);

	if (argc == 3 && (is_erf || !strcmp(argv[1], "rare")))
		out = pcap_dump_open(pcap, argv[2]);
	if (!out) {
		fprintf(stderr, "usage: gen_rare rare|erf FILE\n");
		return 2;
	}
	if (is_erf) {
		encap = RDT_ENCAP_IB;
		native();
	} else {
		all_rare();
	}
	pcap_dump_close(out);
	pcap_close(pcap);
	return 0;
}
