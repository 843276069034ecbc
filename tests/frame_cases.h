/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One frame for each way of carrying RDMA, typed by hand, and what is to be found in it. Nothing
 * here is computed by the code under test: lengths and offsets are counted on paper.
 */
#ifndef RDT_TESTS_FRAME_CASES_H
#define RDT_TESTS_FRAME_CASES_H

#include <stddef.h>
#include <stdint.h>

#include "rdmatrace/frame.h"

/* 14 bytes, 4, 20, 40, 40, 8, 8. */
#define C_ETH(type) "0200000000b2 0200000000a1" type
#define C_VLAN(tci, type) tci type
#define C_IP4(len, proto) "45 68" len "1234 4000 40" proto "0000 0a000002 0a000001"
#define C_GID2 "fe80000000000000 505400fffe000002"
#define C_GID1 "fe80000000000000 505400fffe000001"
#define C_IP6(len, next) "66812345" len next "3f" C_GID2 C_GID1
#define C_GRH(len) "66812345" len "1b 3f" C_GID2 C_GID1
#define C_UDP(len) "c0f1 12b7" len "0000"
#define C_UDP_TO(dport, len) "d000" dport len "0000"

/* 20 bytes (0x14): RC Acknowledge, P_Key 0xffff, BECN, QP 0x12, PSN 0xabcdef; AETH; ICRC. */
#define C_ACK "11 40 ffff 40 000012 00 abcdef 1f 000007 a1b2c3d4"
/* 28 bytes (0x1c), 48 (0x30), 68 (0x44), 62 (0x3e). */
#define C_UDP_ACK C_UDP("001c") C_ACK
#define C_IP4_ACK C_IP4("0030", "11") C_UDP_ACK
#define C_IP6_ACK C_IP6("001c", "11") C_UDP_ACK
#define C_ETH_ACK C_ETH("0800") C_IP4_ACK

/* 28 and 2 bytes: VL 2, SL 3, LNH 2, DLID 17, 7 words, SLID 34; and the VCRC. */
#define C_IB_ACK "20 32 0011 0007 0022" C_ACK "beef"
/* 16 bytes; ts, type, flags, rlen, lctr, wlen. */
#define C_ERF(type) "78563412 0d0c0b0a" type "04 0040 0000 0040"
/* 20 bytes, data offset 5, PSH ACK. */
#define C_TCP "c001 1c06 00000001 00000002 50 18 ffff 0000 0000"
/* 20 bytes: CRC, enhanced, revision 2, 4 bytes of private data; then those. */
#define C_MPA                                         \
	"4d504120494420526571204672616d65 50 02 0004" \
	"8010 4020"

#define NONE (-1)

struct frame_case {
	const char *name;
	unsigned linktype;
	const char *hex;
	enum rdt_frame_kind kind;
	enum rdt_encap encap;
	enum rdt_tunnel tunnel;
	unsigned vlans;
	int eth, lrh, net, l4; /* offsets in the frame */
	int at;                /* of bth or payload */
	unsigned len;          /* of it, on the wire */
	const char *src, *dst; /* as rdt_addr_text() has them */
	const char *layers;    /* key@offset, one space between; a '?' after a guess */
};

#define C_IB(encap, tunnel) RDT_FRAME_IB, RDT_ENCAP_##encap, RDT_TUNNEL_##tunnel
#define C_V4 "10.0.0.2", "10.0.0.1"
#define C_V6 "fe80::5054:ff:fe00:2", "fe80::5054:ff:fe00:1"

/* clang-format off */
static const struct frame_case frame_cases[] = {
	{ "eth-ipv4", 1, C_ETH_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 34, 42, 20, C_V4,
	  "eth@0 ipv4@14 udp@34 bth@42 aeth@54 icrc@58" },
	{ "eth-ipv4-padded-fcs", 1, C_ETH_ACK "000000000000 deadbeef",
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 34, 42, 20, C_V4,
	  "eth@0 ipv4@14 udp@34 bth@42 aeth@54 icrc@58" },
	{ "eth-ipv4-sport-tftp", 1, C_ETH("0800") C_IP4("0030", "11") "0045 12b7 001c 0000" C_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 34, 42, 20, C_V4,
	  "eth@0 ipv4@14 udp@34 bth@42 aeth@54 icrc@58" },
	{ "eth-vlan-ipv4", 1, C_ETH("8100") C_VLAN("6005", "0800") C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 1, 0, NONE, 18, 38, 46, 20, C_V4,
	  "eth@0 vlan@14 ipv4@18 udp@38 bth@46 aeth@58 icrc@62" },
	{ "eth-qinq-ipv4", 1, C_ETH("88a8") C_VLAN("2064", "8100") C_VLAN("6005", "0800") C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 2, 0, NONE, 22, 42, 50, 20, C_V4,
	  "eth@0 vlan@14 vlan@18 ipv4@22 udp@42 bth@50 aeth@62 icrc@66" },
	{ "eth-vlan4-ipv4", 1,
	  C_ETH("9100") C_VLAN("2001", "9200") C_VLAN("2002", "88a8") C_VLAN("2003", "8100")
	  C_VLAN("6005", "0800") C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 4, 0, NONE, 30, 50, 58, 20, C_V4,
	  "eth@0 vlan@14 vlan@18 vlan@22 vlan@26 ipv4@30 udp@50 bth@58 aeth@70 icrc@74" },
	{ "eth-ipv4-options", 1,
	  C_ETH("0800") "47 68 0038 1234 4000 40 11 0000 0a000002 0a000001 0101010101010100"
	  C_UDP_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 42, 50, 20, C_V4,
	  "eth@0 ipv4@14 udp@42 bth@50 aeth@62 icrc@66" },
	{ "eth-ipv6", 1, C_ETH("86dd") C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 54, 62, 20, C_V6,
	  "eth@0 ipv6@14 udp@54 bth@62 aeth@74 icrc@78" },
	{ "eth-ipv6-mapped", 1,
	  C_ETH("86dd") "66812345 001c 11 3f 00000000000000000000ffff0a000002"
	  "00000000000000000000ffff0a000001" C_UDP_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 54, 62, 20, C_V4,
	  "eth@0 ipv6@14 udp@54 bth@62 aeth@74 icrc@78" },
	/* Hop-by-hop 8, routing 24, destination 8 bytes. */
	{ "eth-ipv6-extensions", 1,
	  C_ETH("86dd") C_IP6("0044", "00") "2b 00 050200000100"
	  "3c 02 04 00 00000000 20010db8000000000000000000000001" "11 00 010400000000" C_UDP_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 94, 102, 20, C_V6,
	  "eth@0 ipv6@14 ipv6_ext@54 ipv6_ext@62 ipv6_ext@86 udp@94 bth@102 aeth@114 icrc@118" },
	{ "eth-ipv6-atomic-fragment", 1,
	  C_ETH("86dd") C_IP6("0024", "2c") "11 00 0000 00000007" C_UDP_ACK,
	  C_IB(ROCEV2, NONE), 0, 0, NONE, 14, 62, 70, 20, C_V6,
	  "eth@0 ipv6@14 ipv6_frag@54 udp@62 bth@70 aeth@82 icrc@86" },
	{ "eth-rocev1", 1, C_ETH("8915") C_GRH("0014") C_ACK,
	  C_IB(ROCEV1, NONE), 0, 0, NONE, 14, NONE, 54, 20, C_V6,
	  "eth@0 grh@14 bth@54 aeth@66 icrc@70" },
	{ "eth-vlan-rocev1", 1, C_ETH("8100") C_VLAN("6005", "8915") C_GRH("0014") C_ACK "cafebabe",
	  C_IB(ROCEV1, NONE), 1, 0, NONE, 18, NONE, 58, 20, C_V6,
	  "eth@0 vlan@14 grh@18 bth@58 aeth@70 icrc@74" },
	{ "ib-local", 247, C_IB_ACK,
	  C_IB(IB, NONE), 0, NONE, 0, NONE, NONE, 8, 20, "lid:34", "lid:17",
	  "lrh@0 bth@8 aeth@20 icrc@24" },
	{ "ib-global", 247, "20 33 0011 0011 0022" C_GRH("0014") C_ACK "beef",
	  C_IB(IB, NONE), 0, NONE, 0, 8, NONE, 48, 20, C_V6,
	  "lrh@0 grh@8 bth@48 aeth@60 icrc@64" },
	{ "erf-ib", 197, C_ERF("15") C_IB_ACK,
	  C_IB(IB, NONE), 0, NONE, 16, NONE, NONE, 24, 20, "lid:34", "lid:17",
	  "erf@0 lrh@16 bth@24 aeth@36 icrc@40" },
	{ "erf-ib-extensions", 197, C_ERF("95") "83 00000000000001" "04 00000000000002" C_IB_ACK,
	  C_IB(IB, NONE), 0, NONE, 32, NONE, NONE, 40, 20, "lid:34", "lid:17",
	  "erf@0 erf_ext@16 erf_ext@24 lrh@32 bth@40 aeth@52 icrc@56" },
	{ "erf-eth", 197, C_ERF("02") "0000" C_ETH_ACK "deadbeef",
	  C_IB(ROCEV2, NONE), 0, 18, NONE, 32, 52, 60, 20, C_V4,
	  "erf@0 eth@18 ipv4@32 udp@52 bth@60 aeth@72 icrc@76" },
	{ "erf-color-eth", 197, C_ERF("0b") "0000" C_ETH_ACK,
	  C_IB(ROCEV2, NONE), 0, 18, NONE, 32, 52, 60, 20, C_V4,
	  "erf@0 eth@18 ipv4@32 udp@52 bth@60 aeth@72 icrc@76" },
	{ "erf-dsm-color-eth", 197, C_ERF("10") "0000" C_ETH_ACK,
	  C_IB(ROCEV2, NONE), 0, 18, NONE, 32, 52, 60, 20, C_V4,
	  "erf@0 eth@18 ipv4@32 udp@52 bth@60 aeth@72 icrc@76" },
	{ "erf-color-hash-eth", 197, C_ERF("14") "0000" C_ETH_ACK,
	  C_IB(ROCEV2, NONE), 0, 18, NONE, 32, 52, 60, 20, C_V4,
	  "erf@0 eth@18 ipv4@32 udp@52 bth@60 aeth@72 icrc@76" },
	{ "sll-ipv4", 113, "0004 0001 0006 0200000000a10000 0800" C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 16, 36, 44, 20, C_V4,
	  "sll@0 ipv4@16 udp@36 bth@44 aeth@56 icrc@60" },
	{ "sll-vlan-rocev1", 113,
	  "0000 0001 0006 0200000000a10000 8100" C_VLAN("6005", "8915") C_GRH("0014") C_ACK,
	  C_IB(ROCEV1, NONE), 1, NONE, NONE, 20, NONE, 60, 20, C_V6,
	  "sll@0 vlan@16 grh@20 bth@60 aeth@72 icrc@76" },
	{ "sll2-ipv6", 276, "86dd 0000 00000003 0001 04 06 0200000000a10000" C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 20, 60, 68, 20, C_V6,
	  "sll2@0 ipv6@20 udp@60 bth@68 aeth@80 icrc@84" },
	{ "raw-ipv4", 101, C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 0, 20, 28, 20, C_V4,
	  "ipv4@0 udp@20 bth@28 aeth@40 icrc@44" },
	{ "raw12-ipv6", 12, C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 0, 40, 48, 20, C_V6,
	  "ipv6@0 udp@40 bth@48 aeth@60 icrc@64" },
	{ "raw14-ipv4", 14, C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 0, 20, 28, 20, C_V4,
	  "ipv4@0 udp@20 bth@28 aeth@40 icrc@44" },
	{ "ipv4", 228, C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 0, 20, 28, 20, C_V4,
	  "ipv4@0 udp@20 bth@28 aeth@40 icrc@44" },
	{ "ipv6", 229, C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 0, 40, 48, 20, C_V6,
	  "ipv6@0 udp@40 bth@48 aeth@60 icrc@64" },
	{ "null-le", 0, "02000000" C_IP4_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 4, 24, 32, 20, C_V4,
	  "null@0 ipv4@4 udp@24 bth@32 aeth@44 icrc@48" },
	{ "null-be", 0, "0000001c" C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 4, 44, 52, 20, C_V6,
	  "loop@0 ipv6@4 udp@44 bth@52 aeth@64 icrc@68" },
	{ "loop-be", 108, "00000018" C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 4, 44, 52, 20, C_V6,
	  "loop@0 ipv6@4 udp@44 bth@52 aeth@64 icrc@68" },
	{ "loop-le", 108, "1e000000" C_IP6_ACK,
	  C_IB(ROCEV2, NONE), 0, NONE, NONE, 4, 44, 52, 20, C_V6,
	  "null@0 ipv6@4 udp@44 bth@52 aeth@64 icrc@68" },
	{ "vxlan", 1,
	  C_ETH("0800") C_IP4("0062", "11") C_UDP_TO("12b5", "004e") "08000000 001f4000" C_ETH_ACK,
	  C_IB(ROCEV2, VXLAN), 0, 50, NONE, 64, 84, 92, 20, C_V4,
	  "eth@0 ipv4@14 udp@34 vxlan@42 eth@50 ipv4@64 udp@84 bth@92 aeth@104 icrc@108" },
	{ "vxlan-8472-ipv6", 1,
	  C_ETH("8100") C_VLAN("2064", "86dd") C_IP6("0066", "11") C_UDP_TO("2118", "0066")
	  "08000000 001f4000" C_ETH("8100") C_VLAN("6005", "86dd") C_IP6_ACK,
	  C_IB(ROCEV2, VXLAN), 1, 74, NONE, 92, 132, 140, 20, C_V6,
	  "eth@0 vlan@14 ipv6@18 udp@58 vxlan@66 eth@74 vlan@88 ipv6@92 udp@132 bth@140 aeth@152 "
	  "icrc@156" },
	{ "vxlan-rocev1", 1,
	  C_ETH("0800") C_IP4("006e", "11") C_UDP_TO("12b5", "005a") "08000000 001f4000"
	  C_ETH("8915") C_GRH("0014") C_ACK,
	  C_IB(ROCEV1, VXLAN), 0, 50, NONE, 64, NONE, 104, 20, C_V6,
	  "eth@0 ipv4@14 udp@34 vxlan@42 eth@50 grh@64 bth@104 aeth@116 icrc@120" },
	{ "gre-ipv4", 1, C_ETH("0800") C_IP4("0048", "2f") "0000 0800" C_IP4_ACK,
	  C_IB(ROCEV2, GRE), 0, NONE, NONE, 38, 58, 66, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 ipv4@38 udp@58 bth@66 aeth@78 icrc@82" },
	{ "gre-ipv6-over-ipv6", 1, C_ETH("86dd") C_IP6("0048", "2f") "0000 86dd" C_IP6_ACK,
	  C_IB(ROCEV2, GRE), 0, NONE, NONE, 58, 98, 106, 20, C_V6,
	  "eth@0 ipv6@14 gre@54 ipv6@58 udp@98 bth@106 aeth@118 icrc@122" },
	{ "gre-eth-options", 1,
	  C_ETH("0800") C_IP4("0062", "2f") "b000 6558 abcd0000 00000042 00000007" C_ETH_ACK,
	  C_IB(ROCEV2, GRE), 0, 50, NONE, 64, 84, 92, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 gre_checksum@38 gre_key@42 gre_seq@46 eth@50 ipv4@64 udp@84 bth@92 "
	  "aeth@104 icrc@108" },
	{ "gre-key-mpls", 1,
	  C_ETH("0800") C_IP4("0050", "2f") "2000 8847 00000042 00011140" C_IP4_ACK,
	  C_IB(ROCEV2, GRE), 0, NONE, NONE, 46, 66, 74, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 gre_key@38 mpls@42 ipv4@46 udp@66 bth@74 aeth@86 icrc@90" },
	{ "erspan1", 1, C_ETH("0800") C_IP4("0056", "2f") "0000 88be" C_ETH_ACK,
	  C_IB(ROCEV2, ERSPAN), 0, 38, NONE, 52, 72, 80, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 eth@38 ipv4@52 udp@72 bth@80 aeth@92 icrc@96" },
	{ "erspan2", 1,
	  C_ETH("0800") C_IP4("0062", "2f") "1000 88be 00000009 1005 4801 00000007" C_ETH_ACK,
	  C_IB(ROCEV2, ERSPAN), 0, 50, NONE, 64, 84, 92, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 gre_seq@38 erspan2@42 eth@50 ipv4@64 udp@84 bth@92 aeth@104 "
	  "icrc@108" },
	{ "erspan3", 1,
	  C_ETH("0800") C_IP4("0066", "2f") "1000 22eb 00000009 2005 4801 11223344 0000 801c"
	  C_ETH_ACK,
	  C_IB(ROCEV2, ERSPAN), 0, 54, NONE, 68, 88, 96, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 gre_seq@38 erspan3@42 eth@54 ipv4@68 udp@88 bth@96 aeth@108 "
	  "icrc@112" },
	{ "erspan3-platform", 1,
	  C_ETH("0800") C_IP4("006e", "2f") "1000 22eb 00000009 2005 4801 11223344 0000 801d"
	  "0123456789abcdef" C_ETH_ACK,
	  C_IB(ROCEV2, ERSPAN), 0, 62, NONE, 76, 96, 104, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 gre_seq@38 erspan3@42 eth@62 ipv4@76 udp@96 bth@104 aeth@116 "
	  "icrc@120" },
	{ "erspan3-ip", 1,
	  C_ETH("0800") C_IP4("0058", "2f") "1000 22eb 00000009 2005 4801 11223344 0000 081c"
	  C_IP4_ACK,
	  C_IB(ROCEV2, ERSPAN), 0, NONE, NONE, 54, 74, 82, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 gre_seq@38 erspan3@42 ipv4@54 udp@74 bth@82 aeth@94 icrc@98" },
	{ "mpls-ipv4", 1, C_ETH("8847") "00010040 00011140" C_IP4_ACK,
	  C_IB(ROCEV2, MPLS), 0, 0, NONE, 22, 42, 50, 20, C_V4,
	  "eth@0 mpls@14 mpls@18 ipv4@22 udp@42 bth@50 aeth@62 icrc@66" },
	{ "mpls-vlan-ipv6", 1, C_ETH("8100") C_VLAN("6005", "8848") "00011140" C_IP6_ACK,
	  C_IB(ROCEV2, MPLS), 1, 0, NONE, 22, 62, 70, 20, C_V6,
	  "eth@0 vlan@14 mpls@18 ipv6@22 udp@62 bth@70 aeth@82 icrc@86" },
	{ "mpls-pseudowire", 1, C_ETH("8847") "00011140 00000007" C_ETH_ACK,
	  C_IB(ROCEV2, MPLS), 0, 22, NONE, 36, 56, 64, 20, C_V4,
	  "eth@0 mpls@14 mpls_cw@18 eth@22 ipv4@36 udp@56 bth@64 aeth@76 icrc@80" },
	{ "gre-4-deep", 1,
	  C_ETH("0800") C_IP4("0090", "2f") "0000 0800" C_IP4("0078", "2f") "0000 0800"
	  C_IP4("0060", "2f") "0000 0800" C_IP4("0048", "2f") "0000 0800" C_IP4_ACK,
	  C_IB(ROCEV2, GRE), 0, NONE, NONE, 110, 130, 138, 20, C_V4,
	  "eth@0 ipv4@14 gre@34 ipv4@38 gre@58 ipv4@62 gre@82 ipv4@86 gre@106 ipv4@110 udp@130 "
	  "bth@138 aeth@150 icrc@154" },
	{ "tcp-mpa", 1, C_ETH("0800") C_IP4("0040", "06") C_TCP C_MPA,
	  RDT_FRAME_TCP, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, 0, NONE, 14, 34, 54, 24, C_V4,
	  "eth@0 ipv4@14 tcp@34 mpa@54? mpa2@74" },
	{ "tcp-options", 1,
	  C_ETH("0800") C_IP4("0036", "06") "c001 1c06 00000001 00000002 80 10 ffff 0000 0000"
	  "0101080a 00000001 00000002" "6869 000000000000",
	  RDT_FRAME_TCP, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, 0, NONE, 14, 34, 66, 2, C_V4,
	  "eth@0 ipv4@14 tcp@34" },
	{ "tcp-segmentation-offload", 1, C_ETH("86dd") C_IP6("0000", "06") C_TCP "68656c6c6f",
	  RDT_FRAME_TCP, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, 0, NONE, 14, 54, 74, 5, C_V6,
	  "eth@0 ipv6@14 tcp@54" },
	{ "arp", 1,
	  C_ETH("0806") "0001 0800 06 04 0001 0200000000a1 0a000002 000000000000 0a000001"
	  "000000000000000000000000000000000000",
	  RDT_FRAME_ARP, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, 0, NONE, NONE, NONE, 14, 28, "-", "-",
	  "eth@0 arp@14" },
	{ "nd-solicitation", 1,
	  C_ETH("86dd") C_IP6("0020", "3a") "87 00 abcd 00000000" C_GID1 "0101 0200000000a1",
	  RDT_FRAME_ND, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, 0, NONE, 14, NONE, 54, 32, C_V6,
	  "eth@0 ipv6@14 icmpv6_nd@54" },
	{ "nd-advertisement", 229, C_IP6("0018", "3a") "88 00 abcd 60000000" C_GID1,
	  RDT_FRAME_ND, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, NONE, NONE, 0, NONE, 40, 24, C_V6,
	  "ipv6@0 icmpv6_nd@40" },
	{ "icmpv6-too-big", 229, C_IP6("0008", "3a") "02 00 abcd 00000500",
	  RDT_FRAME_ICMP, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, NONE, NONE, 0, NONE, 40, 8, C_V6,
	  "ipv6@0 icmpv6@40" },
	{ "icmp-frag-needed", 1, C_ETH("0800") C_IP4("0020", "01") "03 04 abcd 000005dc 45000030",
	  RDT_FRAME_ICMP, RDT_ENCAP_NONE, RDT_TUNNEL_NONE, 0, 0, NONE, 14, NONE, 34, 12, C_V4,
	  "eth@0 ipv4@14 icmp@34" },
};
/* clang-format on */

#define FRAME_CASES (sizeof(frame_cases) / sizeof(frame_cases[0]))

#endif
