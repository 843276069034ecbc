/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a captured frame to the bytes of the RDMA transport and the addresses of its ends.
 *
 * Knows links, VLAN tags, IP, tunnels and native InfiniBand; knows nothing of connections.
 * It tells apart what the capture cut (snapped) from what contradicts itself (malformed):
 * the first is the capture's fault, the second the packet's.
 *
 * Allocates nothing, keeps nothing, safe from any thread. The result borrows the frame's bytes.
 */
#ifndef RDMATRACE_FRAME_H
#define RDMATRACE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "status.h"
#include "wire.h"

/* What the first byte of a frame belongs to. X(symbol, LINKTYPE number, text) */
#define RDT_LINK_LIST(X)                        \
	X(NULL, 0, "BSD loopback")              \
	X(ETHERNET, 1, "Ethernet")              \
	X(RAW, 101, "raw IP")                   \
	X(LOOP, 108, "OpenBSD loopback")        \
	X(SLL, 113, "Linux cooked v1")          \
	X(ERF, 197, "ERF (ibdump, DAG)")        \
	X(IPV4, 228, "raw IPv4")                \
	X(IPV6, 229, "raw IPv6")                \
	X(INFINIBAND, 247, "native InfiniBand") \
	X(SLL2, 276, "Linux cooked v2")

enum rdt_link {
#define X(symbol, number, text) RDT_LINK_##symbol = (number),
	RDT_LINK_LIST(X)
#undef X
};

/* The link's text; NULL for a link type that this library does not read. */
const char *rdt_link_text(unsigned linktype);

/*
 * The link type of what an ERF record of this type (7 bits) holds, for those who have its header
 * taken off: RDT_LINK_INFINIBAND, RDT_LINK_ETHERNET, or -1.
 */
int rdt_erf_link(unsigned erf_type);

/* What was found in the frame. */
enum rdt_frame_kind {
	RDT_FRAME_OTHER, /* none of the others, or it could not be told: see problem */
	RDT_FRAME_IB,    /* a BTH: bth, bth_have, bth_len */
	RDT_FRAME_TCP,   /* TCP: l4 and payload */
	RDT_FRAME_ARP,   /* ARP for IPv4 over Ethernet: payload is the ARP header */
	RDT_FRAME_ND, /* IPv6 neighbour solicitation or advertisement: payload is the ICMPv6 header */
	RDT_FRAME_ICMP, /* other ICMP and ICMPv6: payload is its header */
};

/* What carried the BTH. */
enum rdt_encap {
	RDT_ENCAP_NONE,
	RDT_ENCAP_ROCEV2, /* UDP over IPv4 or IPv6 */
	RDT_ENCAP_ROCEV1, /* Ethernet type 0x8915 and a GRH */
	RDT_ENCAP_IB,     /* LRH, with or without a GRH */
};

/* The outermost tunnel that was opened on the way. */
enum rdt_tunnel {
	RDT_TUNNEL_NONE,
	RDT_TUNNEL_VXLAN,
	RDT_TUNNEL_GRE,
	RDT_TUNNEL_ERSPAN,
	RDT_TUNNEL_MPLS,
};

/* The first thing wrong or noteworthy: X(symbol, is the capture to blame, text) */
#define RDT_FRAME_PROBLEM_LIST(X)                                                               \
	X(NONE, 0, "")                                                                          \
	X(SNAPPED_LINK, 1, "the capture cut the frame inside its link header")                  \
	X(SNAPPED_NET, 1, "the capture cut the frame inside its IP, GRH or LRH header")         \
	X(SNAPPED_TRANSPORT, 1, "the capture cut the frame inside its UDP, TCP or ICMP header") \
	X(SNAPPED_PAYLOAD, 1, "the capture cut the frame after its transport header")           \
	X(LINK_UNKNOWN, 0, "the link type is not one that carries RDMA")                        \
	X(VLAN_DEPTH, 0, "more than four VLAN tags")                                            \
	X(TUNNEL_DEPTH, 0, "more than four tunnels inside each other")                          \
	X(IP_VERSION, 0, "the IP version is neither 4 nor 6")                                   \
	X(IP_HEADER, 0, "the IP header length is shorter than a header")                        \
	X(IP_LENGTH, 0, "the IP length is shorter than its headers")                            \
	X(IP_EXTENSION, 0, "too many IPv6 extension headers")                                   \
	X(FRAGMENT, 0, "an IP fragment: its RDMA headers, if any, are in the first one")        \
	X(UDP_LENGTH, 0, "the UDP length contradicts the IP length")                            \
	X(TCP_LENGTH, 0, "the TCP header length contradicts the IP length")                     \
	X(GRH_LENGTH, 0, "the GRH payload length contradicts the frame")                        \
	X(LRH_LENGTH, 0, "the LRH packet length contradicts the frame")                         \
	X(LRH_NEXT, 0, "the LRH says that no InfiniBand transport follows")                     \
	X(GRH_NEXT, 0, "the GRH says that no InfiniBand transport follows")                     \
	X(ERF_TYPE, 0, "the ERF record type is not one that carries RDMA")                      \
	X(BTH_SHORT, 0, "too few bytes for a BTH and its ICRC")

enum rdt_frame_problem {
#define X(symbol, capture, text) RDT_PROBLEM_##symbol,
	RDT_FRAME_PROBLEM_LIST(X)
#undef X
		RDT_PROBLEM_COUNT
};

const char *rdt_frame_problem_text(enum rdt_frame_problem problem);

/* True when the capture, not the packet, is to blame. */
bool rdt_frame_problem_is_snap(enum rdt_frame_problem problem);

#define RDT_VLAN_MAX 4
#define RDT_TUNNEL_MAX 4

struct rdt_frame {
	uint8_t kind;     /* enum rdt_frame_kind */
	uint8_t encap;    /* enum rdt_encap */
	uint8_t tunnel;   /* enum rdt_tunnel */
	uint8_t problem;  /* enum rdt_frame_problem: the first one met */
	uint8_t vlans;    /* how many of vlan[] are valid, outermost first, innermost packet only */
	uint8_t tos;      /* IPv4 TOS, IPv6 or GRH traffic class: DSCP in 6 bits, ECN below */
	uint8_t ttl;      /* IPv4 TTL, IPv6 or GRH hop limit */
	uint8_t sl;       /* native IB: service level */
	uint8_t outgoing; /* cooked captures: 1 when the capturing host sent the frame */
	uint16_t linktype;           /* as given */
	uint16_t port;               /* as given, 4791 for 0 */
	uint32_t have, wire_len;     /* as given, 32 bits of them; wire_len is at least have */
	uint16_t vlan[RDT_VLAN_MAX]; /* tag control: PCP 3, DEI 1, VID 12 bits */
	uint16_t sport, dport;       /* UDP or TCP, 0 otherwise */
	uint32_t ifindex;            /* cooked v2: the interface it was seen on, 0 otherwise */
	uint32_t problem_off;        /* byte offset in the frame that the problem is about */
	struct rdt_addr src, dst;    /* IP, GID or LID of the (innermost) packet */
	const uint8_t *eth;          /* innermost Ethernet header, NULL without one */
	const uint8_t *lrh;          /* LRH, NULL without one */
	const uint8_t *net;          /* IPv4, IPv6 header or GRH, NULL without one */
	const uint8_t *l4;           /* UDP or TCP header, NULL without one */
	const uint8_t *bth;          /* first byte of the BTH; NULL unless kind is RDT_FRAME_IB */
	uint32_t bth_have;           /* bytes captured from there, the ICRC included; may be 0 */
	uint32_t bth_len;            /* bytes on the wire from there to the end of the ICRC */
	const uint8_t *payload;      /* TCP payload, ARP or ICMP header; NULL when cut before it */
	uint32_t payload_have;       /* bytes captured of it */
	uint32_t payload_len;        /* bytes on the wire of it */
};

/*
 * Find the transport in a captured frame.
 *
 * linktype   LINKTYPE number of the interface (enum rdt_link; others give kind OTHER).
 * buf, have  the captured bytes.
 * wire_len   bytes the frame had on the wire. May be smaller than have in broken captures;
 *            the larger of both counts.
 * port       UDP destination port of RoCEv2, 0 for 4791.
 * ret_frame  always filled.
 *
 * Lengths come from the IP, GRH or LRH header, so that Ethernet padding, a kept FCS and mirror
 * trailers are no part of the packet. A UDP datagram to the port whose payload is shorter than
 * a BTH and an ICRC is kind OTHER with BTH_SHORT. When two lengths contradict each other
 * (UDP_LENGTH, GRH_LENGTH) but there is room for a BTH, the packet is kind IB all the same, as
 * long as the shorter says. The first fragment of a datagram is parsed, with problem FRAGMENT.
 *
 * Pointers are set only where the fixed part of that header was captured whole. bth, payload:
 * see their _have. A length that goes beyond what encloses it (a mirror that cuts frames before
 * it wraps them) is the capture's fault like any other cut.
 *
 * About 8 ns for RoCEv2 over IPv4 over Ethernet.
 */
void rdt_frame_parse(unsigned linktype, const uint8_t *buf, size_t have, size_t wire_len,
		     uint16_t port, struct rdt_frame *ret_frame);

#endif
