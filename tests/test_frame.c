// SPDX-License-Identifier: BSD-2-Clause
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <string.h>

#include "frame_cases.h"
#include "frame_props.h"
#include "support/hex.h"
#include "support/pcap_read.h"

static int offset(const uint8_t *buf, const uint8_t *p)
{
	return p ? (int)(p - buf) : NONE;
}

static void expect_addr(const struct rdt_addr *a, const char *text, const char *name)
{
	char buf[RDT_ADDR_TEXT];

	rdt_addr_text(a, buf, sizeof(buf));
	cr_expect(strcmp(buf, text) == 0, "%s: %s is not %s", name, buf, text);
}

/* ---- every way of carrying RDMA --------------------------------------------------------- */

ParameterizedTestParameters(frame, finds_the_transport)
{
	static size_t rows[FRAME_CASES];

	for (size_t i = 0; i < FRAME_CASES; i++)
		rows[i] = i;
	return cr_make_param_array(size_t, rows, FRAME_CASES);
}

ParameterizedTest(size_t *row, frame, finds_the_transport)
{
	const struct frame_case *c = &frame_cases[*row];
	uint8_t buf[512];
	const size_t have = hex_read(c->hex, buf, sizeof(buf));
	const bool ib = c->kind == RDT_FRAME_IB;
	struct rdt_frame f;

	rdt_frame_parse(c->linktype, buf, have, have, 0, &f);
	cr_expect(eq(int, f.kind, c->kind), "%s", c->name);
	cr_expect(eq(int, f.encap, c->encap), "%s", c->name);
	cr_expect(eq(int, f.tunnel, c->tunnel), "%s", c->name);
	cr_expect(eq(int, f.problem, RDT_PROBLEM_NONE), "%s: %s", c->name,
		  rdt_frame_problem_text((enum rdt_frame_problem)f.problem));
	cr_expect(eq(uint, f.vlans, c->vlans), "%s", c->name);
	if (c->vlans)
		cr_expect(eq(u16, f.vlan[c->vlans - 1], 0x6005), "%s", c->name);
	cr_expect(eq(int, offset(buf, f.eth), c->eth), "%s eth", c->name);
	cr_expect(eq(int, offset(buf, f.lrh), c->lrh), "%s lrh", c->name);
	cr_expect(eq(int, offset(buf, f.net), c->net), "%s net", c->name);
	cr_expect(eq(int, offset(buf, f.l4), c->l4), "%s l4", c->name);
	cr_expect(eq(int, offset(buf, f.bth), ib ? c->at : NONE), "%s bth", c->name);
	cr_expect(eq(u32, f.bth_len, ib ? c->len : 0), "%s", c->name);
	cr_expect(eq(u32, f.bth_have, ib ? c->len : 0), "%s", c->name);
	cr_expect(eq(int, offset(buf, f.payload), ib ? NONE : c->at), "%s payload", c->name);
	cr_expect(eq(u32, f.payload_len, ib ? 0 : c->len), "%s", c->name);
	cr_expect(eq(u32, f.payload_have, ib ? 0 : c->len), "%s", c->name);
	expect_addr(&f.src, c->src, c->name);
	expect_addr(&f.dst, c->dst, c->name);
	cr_expect(eq(uint, f.linktype, c->linktype));
	cr_expect(eq(uint, f.port, 4791));
	cr_expect(eq(u32, f.have, (uint32_t)have));
	if (f.lrh)
		cr_expect(eq(uint, f.sl, 3), "%s", c->name);
	if (f.net) {
		/* All network headers of the table have traffic class 0x68. */
		cr_expect(eq(uint, f.tos, 0x68), "%s", c->name);
		cr_expect(eq(uint, f.ttl, buf[c->net] >> 4 == 4 ? 0x40 : 0x3f), "%s", c->name);
	}
	if (f.l4) {
		cr_expect(eq(uint, f.sport, (unsigned)buf[c->l4] << 8 | buf[c->l4 + 1]), "%s",
			  c->name);
		cr_expect(eq(uint, f.dport, ib ? 4791 : 7174), "%s", c->name);
	}
	if (ib)
		cr_expect(eq(u32, rdt_bth_psn(f.bth), 0xabcdef), "%s", c->name);
}

/*
 * Cut at every byte, with the capture saying so, silent about it, and wrong: the same is found as
 * in the whole frame, or the capture is blamed; never the packet.
 */
ParameterizedTestParameters(frame, snapped_is_not_malformed)
{
	static size_t rows[FRAME_CASES];

	for (size_t i = 0; i < FRAME_CASES; i++)
		rows[i] = i;
	return cr_make_param_array(size_t, rows, FRAME_CASES);
}

ParameterizedTest(size_t *row, frame, snapped_is_not_malformed)
{
	const struct frame_case *c = &frame_cases[*row];
	uint8_t buf[512];
	const size_t full = hex_read(c->hex, buf, sizeof(buf));
	const size_t end = (size_t)c->at + c->len;

	for (size_t have = 0; have <= full; have++) {
		const size_t wires[] = { full, have, 0 };

		for (size_t i = 0; i < 3; i++) {
			struct rdt_frame f;
			const char *wrong = props_parse(c->linktype, buf, have, wires[i], 0, &f);
			const uint32_t got = f.kind == RDT_FRAME_IB ? f.bth_have : f.payload_have;
			const uint32_t len = f.kind == RDT_FRAME_IB ? f.bth_len : f.payload_len;
			const enum rdt_frame_problem problem = (enum rdt_frame_problem)f.problem;

			cr_expect(wrong == NULL, "%s cut at %zu: %s", c->name, have, wrong);
			/* Segmentation offload: only the frame says how long the packet is. */
			if (have < end && !(wires[i] < full && strstr(c->name, "offload")))
				cr_expect(rdt_frame_problem_is_snap(problem), "%s cut at %zu: %s",
					  c->name, have, rdt_frame_problem_text(problem));
			if (have >= end)
				cr_expect(eq(int, problem, RDT_PROBLEM_NONE), "%s cut at %zu: %s",
					  c->name, have, rdt_frame_problem_text(problem));
			if (c->kind == RDT_FRAME_IB)
				cr_expect(
					eq(int, f.kind,
					   have >= (size_t)c->at ? RDT_FRAME_IB : RDT_FRAME_OTHER),
					"%s cut at %zu", c->name, have);
			if (f.kind != RDT_FRAME_OTHER && have >= (size_t)c->at &&
			    wires[i] >= full) {
				cr_expect(eq(u32, len, c->len), "%s cut at %zu", c->name, have);
				cr_expect(eq(u32, got,
					     (uint32_t)((have < end ? have : end) - (size_t)c->at)),
					  "%s cut at %zu", c->name, have);
			}
		}
	}
}

/* Where exactly the capture is said to have cut. */
Test(frame, names_the_header_that_was_cut)
{
	static const struct {
		size_t have;
		enum rdt_frame_problem problem;
		uint32_t off;
	} rows[] = {
		{ 0, RDT_PROBLEM_SNAPPED_LINK, 0 },
		{ 13, RDT_PROBLEM_SNAPPED_LINK, 0 },
		{ 14, RDT_PROBLEM_SNAPPED_NET, 14 },
		{ 33, RDT_PROBLEM_SNAPPED_NET, 14 },
		{ 34, RDT_PROBLEM_SNAPPED_TRANSPORT, 34 },
		{ 41, RDT_PROBLEM_SNAPPED_TRANSPORT, 34 },
		{ 42, RDT_PROBLEM_SNAPPED_PAYLOAD, 42 },
		{ 61, RDT_PROBLEM_SNAPPED_PAYLOAD, 61 },
		{ 62, RDT_PROBLEM_NONE, 0 },
	};
	uint8_t buf[128];

	cr_assert(eq(sz, hex_read(C_ETH_ACK, buf, sizeof(buf)), 62));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rdt_frame f;

		cr_expect(props_parse(1, buf, rows[i].have, 62, 0, &f) == NULL);
		cr_expect(eq(int, f.problem, rows[i].problem), "cut at %zu", rows[i].have);
		cr_expect(eq(u32, f.problem_off, rows[i].off), "cut at %zu", rows[i].have);
		cr_expect(eq(int, f.l4 != NULL, rows[i].have >= 42), "cut at %zu", rows[i].have);
		cr_expect(eq(int, f.net != NULL, rows[i].have >= 34), "cut at %zu", rows[i].have);
		cr_expect(eq(int, f.eth != NULL, rows[i].have >= 14), "cut at %zu", rows[i].have);
	}
}

Test(frame, no_bytes_at_all)
{
	struct rdt_frame f;

	for (unsigned linktype = 0; linktype < 300; linktype++) {
		rdt_frame_parse(linktype, NULL, 0, 0, 0, &f);
		cr_expect(eq(int, f.kind, RDT_FRAME_OTHER));
		cr_expect(eq(int, f.problem, RDT_PROBLEM_SNAPPED_LINK));
	}
}

/* ---- what contradicts itself ------------------------------------------------------------ */

struct wrong {
	const char *name;
	unsigned linktype;
	const char *hex;
	enum rdt_frame_kind kind;
	enum rdt_frame_problem problem;
	uint32_t off;       /* that the problem is about */
	uint32_t have, len; /* of the BTH */
};

#define OTHER(problem, off) RDT_FRAME_OTHER, RDT_PROBLEM_##problem, off, 0, 0
#define STILL_IB(problem, off, have, len) RDT_FRAME_IB, RDT_PROBLEM_##problem, off, have, len
#define OPTS8 "01010101 01010101"
/* A hop-by-hop header that another one follows. */
#define HOP "00 00 050200000100"
#define MPLS4 "00010040 00010040 00010040 00010040"

/* clang-format off */
static const struct wrong wrongs[] = {
	{ "link type", 105, C_ETH_ACK, OTHER(LINK_UNKNOWN, 0) },
	{ "five VLAN tags", 1,
	  C_ETH("9100") C_VLAN("2001", "9200") C_VLAN("2002", "88a8") C_VLAN("2003", "8100")
	  C_VLAN("2004", "8100") C_VLAN("6005", "0800") C_IP4_ACK, OTHER(VLAN_DEPTH, 30) },
	{ "five tunnels", 101,
	  C_IP4("00a8", "2f") "0000 0800" C_IP4("0090", "2f") "0000 0800"
	  C_IP4("0078", "2f") "0000 0800"
	  C_IP4("0060", "2f") "0000 0800" C_IP4("0048", "2f") "0000 0800" C_IP4_ACK,
	  OTHER(TUNNEL_DEPTH, 120) },
	{ "17 labels", 1, C_ETH("8847") MPLS4 MPLS4 MPLS4 MPLS4 "00010140" C_IP4_ACK,
	  OTHER(TUNNEL_DEPTH, 78) },
	{ "IPv5", 101, "55 68 0030 1234 4000 40 11 0000 0a000002 0a000001" C_UDP_ACK,
	  OTHER(IP_VERSION, 0) },
	{ "IPv6 in an IPv4 frame", 1, C_ETH("0800") C_IP6_ACK, OTHER(IP_VERSION, 14) },
	{ "IPv4 in an IPv6 frame", 229, C_IP4_ACK, OTHER(IP_VERSION, 0) },
	{ "IPv4 in a GRH", 1, C_ETH("8915") "46812345 0014 1b 3f" C_GID2 C_GID1 C_ACK,
	  OTHER(IP_VERSION, 14) },
	{ "IHL 4", 101, "44 68 0030 1234 4000 40 11 0000 0a000002 0a000001" C_UDP_ACK,
	  OTHER(IP_HEADER, 0) },
	{ "IP length 19", 101, C_IP4("0013", "11") C_UDP_ACK, OTHER(IP_LENGTH, 0) },
	{ "IP length shorter than its options", 101,
	  "47 68 001b 1234 4000 40 11 0000 0a000002 0a000001" OPTS8 C_UDP_ACK,
	  OTHER(IP_LENGTH, 0) },
	{ "IP length without room for UDP", 101, C_IP4("001b", "11") C_UDP_ACK,
	  OTHER(IP_LENGTH, 20) },
	{ "IP length without room for TCP", 101, C_IP4("0027", "06") C_TCP, OTHER(IP_LENGTH, 20) },
	{ "IP length without room for ICMP", 101, C_IP4("001b", "01") "0304abcd000005dc",
	  OTHER(IP_LENGTH, 20) },
	{ "IP length without room for GRE", 101, C_IP4("0017", "2f") "0000 0800" C_IP4_ACK,
	  OTHER(IP_LENGTH, 20) },
	{ "IP length without room for a GRE key", 101, C_IP4("001b", "2f") "2000 0800 00000001"
	  C_IP4_ACK,
	  OTHER(IP_LENGTH, 24) },
	{ "IP length without room for ERSPAN", 101, C_IP4("0023", "2f")
	  "1000 88be 00000009 1005 4801 00000007" C_ETH_ACK, OTHER(IP_LENGTH, 28) },
	{ "IP length 0 with UDP", 101, C_IP4("0000", "11") C_UDP_ACK, OTHER(IP_LENGTH, 20) },
	{ "IPv6 length 0 with UDP", 101, C_IP6("0000", "11") C_UDP_ACK, OTHER(IP_LENGTH, 40) },
	{ "nine extension headers", 101,
	  C_IP6("0064", "00") HOP HOP HOP HOP HOP HOP HOP HOP HOP C_UDP_ACK,
	  OTHER(IP_EXTENSION, 104) },
	{ "extension header longer than the packet", 101,
	  C_IP6("0024", "00") "11 04 050200000100" C_UDP_ACK, OTHER(IP_LENGTH, 40) },
	{ "IPv6 length without room for an extension header", 101,
	  C_IP6("0007", "00") "11 00 050200000100" C_UDP_ACK, OTHER(IP_LENGTH, 40) },
	{ "later IPv4 fragment", 101, "45 68 0030 1234 0086 40 11 0000 0a000002 0a000001" C_UDP_ACK,
	  OTHER(FRAGMENT, 0) },
	{ "later IPv4 fragment, more to come", 101,
	  "45 68 0030 1234 2001 40 11 0000 0a000002 0a000001" C_UDP_ACK, OTHER(FRAGMENT, 0) },
	{ "first IPv4 fragment", 101,
	  "45 68 0030 1234 2000 40 11 0000 0a000002 0a000001" C_UDP("0430") C_ACK,
	  STILL_IB(FRAGMENT, 0, 20, 0x428) },
	{ "later IPv6 fragment", 101, C_IP6("0024", "2c") "11 00 0430 00000007" C_UDP_ACK,
	  OTHER(FRAGMENT, 40) },
	{ "first IPv6 fragment", 101, C_IP6("0024", "2c") "11 00 0001 00000007" C_UDP("0430") C_ACK,
	  STILL_IB(FRAGMENT, 40, 20, 0x428) },
	{ "UDP length 7", 101, C_IP4("0030", "11") C_UDP("0007") C_ACK, OTHER(UDP_LENGTH, 20) },
	{ "UDP longer than IP", 101, C_IP4("0030", "11") C_UDP("001d") C_ACK,
	  STILL_IB(UDP_LENGTH, 20, 20, 20) },
	{ "UDP shorter than IP", 101, C_IP4("0030", "11") C_UDP("001b") C_ACK,
	  STILL_IB(UDP_LENGTH, 20, 19, 19) },
	{ "UDP shorter than a BTH", 101, C_IP4("0030", "11") C_UDP("0017") C_ACK,
	  OTHER(UDP_LENGTH, 20) },
	{ "no room for BTH and ICRC", 101, C_IP4("002b", "11") C_UDP("0017") C_ACK,
	  OTHER(BTH_SHORT, 28) },
	{ "just room for BTH and ICRC", 101, C_IP4("002c", "11") C_UDP("0018") C_ACK,
	  STILL_IB(NONE, 0, 16, 16) },
	{ "no room for BTH and ICRC, Ethernet", 1, C_ETH("0800") C_IP4("002b", "11") C_UDP("0017")
	  C_ACK,
	  OTHER(BTH_SHORT, 42) },
	{ "TCP header of 4 words", 101,
	  C_IP4("0028", "06") "c001 1c06 00000001 00000002 40 18 ffff 0000 0000",
	  OTHER(TCP_LENGTH, 20) },
	{ "TCP header longer than IP", 101,
	  C_IP4("0028", "06") "c001 1c06 00000001 00000002 60 18 ffff 0000 0000 00000000",
	  OTHER(TCP_LENGTH, 20) },
	{ "GRH that says UDP", 1, C_ETH("8915") "66812345 0014 11 3f" C_GID2 C_GID1 C_ACK,
	  OTHER(GRH_NEXT, 14) },
	{ "GRH with 15 bytes", 1, C_ETH("8915") C_GRH("000f") C_ACK, OTHER(BTH_SHORT, 54) },
	{ "GRH shorter than LRH", 247, "20 33 0011 0011 0022" C_GRH("0010") C_ACK "beef",
	  STILL_IB(GRH_LENGTH, 8, 16, 16) },
	{ "GRH longer than LRH", 247, "20 33 0011 0011 0022" C_GRH("0018") C_ACK "beef",
	  STILL_IB(GRH_LENGTH, 8, 20, 20) },
	{ "LRH of one word", 247, "20 32 0011 0001 0022" C_ACK "beef", OTHER(LRH_LENGTH, 0) },
	{ "LRH without room for a GRH", 247, "20 33 0011 000b 0022" C_GRH("0014") C_ACK "beef",
	  OTHER(LRH_LENGTH, 0) },
	{ "LRH without room for BTH and ICRC", 247, "20 32 0011 0005 0022" C_ACK "beef",
	  OTHER(BTH_SHORT, 8) },
	{ "raw packet with an Ethernet type", 247, "20 30 0011 0007 0022 0000 0800" C_ACK,
	  OTHER(LRH_NEXT, 0) },
	{ "raw IPv6", 247, "20 31 0011 0013 0022" C_IP6_ACK, OTHER(LRH_NEXT, 0) },
	{ "ERF link packet", 197, C_ERF("19") C_IB_ACK, OTHER(ERF_TYPE, 0) },
	{ "ERF HDLC", 197, C_ERF("01") C_IB_ACK, OTHER(ERF_TYPE, 0) },
	/* Nothing wrong, but nothing for us either. */
	{ "unknown Ethernet type", 1, C_ETH("88cc") C_IP4_ACK, OTHER(NONE, 0) },
	{ "802.3 length", 1, C_ETH("0030") C_IP4_ACK, OTHER(NONE, 0) },
	{ "unknown address family", 0, "07000000" C_IP4_ACK, OTHER(NONE, 0) },
	{ "another UDP port", 101, C_IP4("0030", "11") "12b7 c0f1 001c 0000" C_ACK,
	  OTHER(NONE, 0) },
	{ "port of VXLAN without its flag", 101, C_IP4("006e", "11") C_UDP_TO("12b5", "005a")
	  "00000000 001f4000" C_ETH_ACK, OTHER(NONE, 0) },
	{ "port of VXLAN with 7 bytes", 101, C_IP4("0023", "11") C_UDP_TO("12b5", "000f")
	  "08000000 001f40", OTHER(NONE, 0) },
	{ "GRE version 1", 101, C_IP4("0048", "2f") "0001 0800" C_IP4_ACK, OTHER(NONE, 0) },
	{ "GRE with a route", 101, C_IP4("0048", "2f") "4000 0800" C_IP4_ACK, OTHER(NONE, 0) },
	{ "GRE of something else", 101, C_IP4("0048", "2f") "0000 88cc" C_IP4_ACK, OTHER(NONE, 0) },
	{ "ERSPAN of another version", 101,
	  C_IP4("0062", "2f") "1000 88be 00000009 3005 4801 00000007"
	  C_ETH_ACK, OTHER(NONE, 0) },
	{ "labels over something else", 1, C_ETH("8847") "00011140" "10000000" C_IP4_ACK,
	  OTHER(NONE, 0) },
	{ "pseudowire with another control word", 1, C_ETH("8847") "00011140" "0c000001" C_ETH_ACK,
	  OTHER(NONE, 0) },
	{ "ICMPv6 in IPv4", 101, C_IP4("001c", "3a") "8700abcd 00000000", OTHER(NONE, 0) },
	{ "ICMP in IPv6", 101, C_IP6("0008", "01") "0304abcd 00000000", OTHER(NONE, 0) },
	{ "solicitation without a target", 101, C_IP6("0008", "3a") "8700abcd 00000000",
	  RDT_FRAME_ICMP, RDT_PROBLEM_NONE, 0, 0, 0 },
	{ "SCTP", 101, C_IP4("0030", "84") C_UDP_ACK, OTHER(NONE, 0) },
	{ "no next header", 101, C_IP6("0000", "3b"), OTHER(NONE, 0) },
	{ "ARP over InfiniBand", 113, "0000 0020 0014 0000000000000000 0806"
	  "0020 0800 14 04 0001 00000000000000000000000000000000", OTHER(NONE, 0) },
};
/* clang-format on */

#define WRONGS (sizeof(wrongs) / sizeof(wrongs[0]))

ParameterizedTestParameters(frame, says_what_is_wrong)
{
	static size_t rows[WRONGS];

	for (size_t i = 0; i < WRONGS; i++)
		rows[i] = i;
	return cr_make_param_array(size_t, rows, WRONGS);
}

ParameterizedTest(size_t *row, frame, says_what_is_wrong)
{
	const struct wrong *c = &wrongs[*row];
	uint8_t buf[512];
	const size_t full = hex_read(c->hex, buf, sizeof(buf));
	struct rdt_frame f;

	rdt_frame_parse(c->linktype, buf, full, full, 0, &f);
	cr_expect(eq(int, f.kind, c->kind), "%s", c->name);
	cr_expect(eq(int, f.problem, c->problem), "%s: %s", c->name,
		  rdt_frame_problem_text((enum rdt_frame_problem)f.problem));
	cr_expect(eq(u32, f.problem_off, c->off), "%s", c->name);
	cr_expect(eq(u32, f.bth_have, c->have), "%s", c->name);
	cr_expect(eq(u32, f.bth_len, c->len), "%s", c->name);
	for (size_t have = 0; have <= full; have++) {
		const char *wrong = props_parse(c->linktype, buf, have, full, 0, &f);

		cr_expect(wrong == NULL, "%s cut at %zu: %s", c->name, have, wrong);
	}
}

/* The other of the two problems may come first, but a fragment stays a fragment when cut. */
Test(frame, a_cut_first_fragment)
{
	uint8_t buf[128];
	const size_t full =
		hex_read("45 68 0030 1234 2000 40 11 0000 0a000002 0a000001" C_UDP("0430") C_ACK,
			 buf, sizeof(buf));
	struct rdt_frame f;

	for (size_t have = 28; have <= full; have++) {
		cr_expect(props_parse(101, buf, have, full, 0, &f) == NULL);
		cr_expect(eq(int, f.kind, RDT_FRAME_IB));
		cr_expect(eq(int, f.problem, RDT_PROBLEM_FRAGMENT));
		cr_expect(eq(u32, f.bth_have, (uint32_t)have - 28));
	}
}

/* A mirror that cuts the frame before it wraps it: the inner length says more than is there. */
Test(frame, cut_by_a_mirror)
{
	uint8_t buf[512];
	const size_t full = hex_read(
		C_ETH("0800")
			C_IP4("0062", "2f") "1000 88be 00000009 1005 4c01 00000007" C_ETH("0800")
				C_IP4("0140", "11") C_UDP("012c") C_ACK "000000000000 deadbeef",
		buf, sizeof(buf));
	struct rdt_frame f;

	cr_assert(eq(sz, full, 122));
	cr_expect(props_parse(1, buf, full, full, 0, &f) == NULL);
	cr_expect(eq(int, f.kind, RDT_FRAME_IB));
	cr_expect(eq(int, f.problem, RDT_PROBLEM_SNAPPED_PAYLOAD));
	cr_expect(eq(u32, f.problem_off, 112)); /* where the outer packet ends, not its padding */
	cr_expect(eq(u32, f.bth_have, 20));
	cr_expect(eq(u32, f.bth_len, 0x12c - 8));
}

/* ---- parameters ------------------------------------------------------------------------- */

Test(frame, only_the_destination_port_decides)
{
	uint8_t buf[128];
	const size_t n = hex_read(C_ETH("0800") C_IP4("0030", "11") "12b7 1b58 001c 0000" C_ACK,
				  buf, sizeof(buf));
	struct rdt_frame f;

	rdt_frame_parse(1, buf, n, n, 0, &f);
	cr_expect(eq(int, f.kind, RDT_FRAME_OTHER));
	cr_expect(eq(uint, f.sport, 4791));
	cr_expect(eq(uint, f.dport, 7000));
	rdt_frame_parse(1, buf, n, n, 7000, &f);
	cr_expect(eq(int, f.kind, RDT_FRAME_IB));
	cr_expect(eq(uint, f.port, 7000));
	cr_expect(eq(u32, f.bth_len, 20));
}

/* The user may say that RoCE is on a port that is VXLAN's otherwise. */
Test(frame, the_chosen_port_goes_before_vxlan)
{
	uint8_t buf[128];
	const size_t n =
		hex_read(C_IP4("0030", "11") "c0f1 12b5 001c 0000" C_ACK, buf, sizeof(buf));
	struct rdt_frame f;

	rdt_frame_parse(101, buf, n, n, 4789, &f);
	cr_expect(eq(int, f.kind, RDT_FRAME_IB));
	cr_expect(eq(int, f.tunnel, RDT_TUNNEL_NONE));
}

Test(frame, the_larger_of_captured_and_wire_length_counts)
{
	uint8_t buf[128];
	const size_t n =
		hex_read(C_ETH("86dd") C_IP6("0000", "06") C_TCP "68656c6c6f", buf, sizeof(buf));
	struct rdt_frame f;

	rdt_frame_parse(1, buf, n, 60, 0, &f);
	cr_expect(eq(u32, f.payload_len, 5));
	cr_expect(eq(u32, f.wire_len, (uint32_t)n));
	rdt_frame_parse(1, buf, n, n + 95, 0, &f);
	cr_expect(eq(u32, f.payload_len, 100));
	cr_expect(eq(u32, f.payload_have, 5));
	cr_expect(eq(int, f.problem, RDT_PROBLEM_SNAPPED_PAYLOAD));
}

Test(frame, cooked_captures_tell_the_direction)
{
	uint8_t buf[128];
	size_t n = hex_read("0004 0001 0006 0200000000a10000 0800" C_IP4_ACK, buf, sizeof(buf));
	struct rdt_frame f;

	rdt_frame_parse(RDT_LINK_SLL, buf, n, n, 0, &f);
	cr_expect(eq(uint, f.outgoing, 1));
	buf[1] = 3;
	rdt_frame_parse(RDT_LINK_SLL, buf, n, n, 0, &f);
	cr_expect(eq(uint, f.outgoing, 0));
	n = hex_read("0800 0000 00000003 0001 04 06 0200000000a10000" C_IP4_ACK, buf, sizeof(buf));
	rdt_frame_parse(RDT_LINK_SLL2, buf, n, n, 0, &f);
	cr_expect(eq(uint, f.outgoing, 1));
	buf[10] = 0;
	rdt_frame_parse(RDT_LINK_SLL2, buf, n, n, 0, &f);
	cr_expect(eq(uint, f.outgoing, 0));
}

Test(frame, vlan_tags_are_of_the_innermost_packet)
{
	uint8_t buf[256];
	const size_t n = hex_read(C_ETH("8100") C_VLAN("2064", "0800") C_IP4("0062", "11")
					  C_UDP_TO("12b5", "004e") "08000000 001f4000" C_ETH_ACK,
				  buf, sizeof(buf));
	struct rdt_frame f;

	rdt_frame_parse(1, buf, n, n, 0, &f);
	cr_expect(eq(int, f.kind, RDT_FRAME_IB));
	cr_expect(eq(uint, f.vlans, 0));
	cr_expect(eq(u16, f.vlan[0], 0));
}

/* ---- one packet, any link --------------------------------------------------------------- */

/* The short cut for the common packet and the walk for all others find the same. */
Test(frame, short_cut_and_walk_agree)
{
	uint8_t eth[128], raw[128];
	const size_t n = hex_read(C_ETH_ACK, eth, sizeof(eth));

	for (size_t at = 14; at < n; at++)
		for (unsigned v = 0; v < 256; v++) {
			struct rdt_frame a, b;
			const uint8_t keep = eth[at];

			eth[at] = (uint8_t)v;
			memcpy(raw, eth + 14, n - 14);
			rdt_frame_parse(1, eth, n, n, 0, &a);
			rdt_frame_parse(228, raw, n - 14, n - 14, 0, &b);
			eth[at] = keep;
			cr_assert(eq(int, a.kind, b.kind), "byte %zu is %u", at, v);
			cr_assert(eq(int, a.problem, b.problem), "byte %zu is %u", at, v);
			cr_assert(eq(u32, a.bth_have, b.bth_have), "byte %zu is %u", at, v);
			cr_assert(eq(u32, a.bth_len, b.bth_len), "byte %zu is %u", at, v);
			cr_assert(eq(u32, a.tos, b.tos), "byte %zu is %u", at, v);
			cr_assert(eq(u32, a.ttl, b.ttl), "byte %zu is %u", at, v);
			cr_assert(eq(u32, a.sport, b.sport), "byte %zu is %u", at, v);
			cr_assert(eq(u32, a.dport, b.dport), "byte %zu is %u", at, v);
			cr_assert(rdt_addr_equal(&a.src, &b.src), "byte %zu is %u", at, v);
			cr_assert(rdt_addr_equal(&a.dst, &b.dst), "byte %zu is %u", at, v);
			if (a.bth)
				cr_assert(eq(int, offset(eth, a.bth), offset(raw, b.bth) + 14));
		}
}

/* Whatever one byte of any frame becomes, the properties hold. */
Test(frame, one_byte_changed)
{
	for (size_t i = 0; i < FRAME_CASES; i++) {
		uint8_t buf[512];
		const size_t n = hex_read(frame_cases[i].hex, buf, sizeof(buf));

		for (size_t at = 0; at < n; at++) {
			static const uint8_t xor
				[] = { 0x01, 0x04, 0x0f, 0x10, 0x40, 0x80, 0xf0, 0xff };

			for (size_t k = 0; k < sizeof(xor); k++) {
				struct rdt_frame f;
				const char *wrong;

				buf[at] ^= xor[k];
				wrong = props_parse(frame_cases[i].linktype, buf, n, n, 0, &f);
				buf[at] ^= xor[k];
				cr_assert(wrong == NULL, "%s byte %zu: %s", frame_cases[i].name, at,
					  wrong);
			}
		}
	}
}

/* ---- texts ------------------------------------------------------------------------------ */

Test(frame, texts)
{
	cr_expect(strcmp(rdt_link_text(1), "Ethernet") == 0);
	cr_expect(strcmp(rdt_link_text(12), "raw IP") == 0);
	cr_expect(strcmp(rdt_link_text(247), "native InfiniBand") == 0);
	cr_expect(rdt_link_text(105) == NULL);
	for (int i = 0; i < RDT_PROBLEM_COUNT; i++)
		cr_expect(rdt_frame_problem_text((enum rdt_frame_problem)i) != NULL);
	cr_expect(strcmp(rdt_frame_problem_text(RDT_PROBLEM_COUNT), "unknown problem") == 0);
	cr_expect(rdt_frame_problem_is_snap(RDT_PROBLEM_SNAPPED_PAYLOAD));
	cr_expect(not(rdt_frame_problem_is_snap(RDT_PROBLEM_NONE)));
	cr_expect(not(rdt_frame_problem_is_snap(RDT_PROBLEM_UDP_LENGTH)));
	cr_expect(not(rdt_frame_problem_is_snap(RDT_PROBLEM_COUNT)));
}

/* ---- real captures ---------------------------------------------------------------------- */

struct counts {
	unsigned kinds[RDT_FRAME_ICMP + 1], problems;
};

static int count_frame(const struct test_frame *frame, void *arg)
{
	struct counts *c = arg;
	struct rdt_frame f;
	const char *wrong;

	wrong = props_parse(frame->linktype, frame->bytes, frame->have, frame->wire_len, 0, &f);
	cr_expect(wrong == NULL, "frame %u: %s", frame->number, wrong);
	c->kinds[f.kind]++;
	c->problems += f.problem != RDT_PROBLEM_NONE;
	return 0;
}

/* Counted with tshark 4.0.17: infiniband.bth.opcode, tcp, arp, NS and NA, other ICMP. */
Test(frame, real_captures)
{
	static const struct {
		const char *name;
		int frames;
		unsigned ib, tcp, arp, nd, icmp;
	} rows[] = {
		{ "accept.pcap", 36, 20, 0, 2, 2, 12 },
		{ "cmtime.pcap", 1019, 1000, 0, 4, 2, 13 },
		{ "dup.pcap", 64, 40, 0, 6, 2, 16 },
		{ "ignore.pcap", 28, 4, 0, 4, 2, 18 },
		{ "iwarp-reject.pcap", 50, 0, 34, 2, 2, 12 },
		{ "iwarp-rping.pcap", 80, 0, 64, 2, 2, 12 },
		{ "nolisten.pcap", 20, 4, 0, 2, 2, 12 },
		{ "perftest.pcap", 541, 366, 157, 2, 2, 14 },
		{ "pingpong.pcap", 302, 250, 34, 2, 2, 14 },
		{ "reject.pcap", 22, 6, 0, 2, 2, 12 },
		{ "rping4.pcap", 81, 65, 0, 2, 2, 12 },
		{ "rping4.server.pcap", 85, 65, 0, 5, 2, 13 },
		{ "slow.pcap", 27, 7, 0, 4, 2, 14 },
		{ "udaddy.pcap", 82, 66, 0, 2, 2, 12 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct counts c = { .problems = 0 };
		const int frames = test_pcap_walk(rows[i].name, count_frame, &c);

		if (frames < 0)
			cr_skip_test("no captures in " RDT_CAPTURES);
		cr_expect(eq(int, frames, rows[i].frames), "%s", rows[i].name);
		cr_expect(eq(uint, c.kinds[RDT_FRAME_IB], rows[i].ib), "%s", rows[i].name);
		cr_expect(eq(uint, c.kinds[RDT_FRAME_TCP], rows[i].tcp), "%s", rows[i].name);
		cr_expect(eq(uint, c.kinds[RDT_FRAME_ARP], rows[i].arp), "%s", rows[i].name);
		cr_expect(eq(uint, c.kinds[RDT_FRAME_ND], rows[i].nd), "%s", rows[i].name);
		cr_expect(eq(uint, c.kinds[RDT_FRAME_ICMP], rows[i].icmp), "%s", rows[i].name);
		cr_expect(eq(uint, c.problems, 0), "%s", rows[i].name);
	}
}
