/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Building packets: the mirror of frame.h and wire.h. What is written here parses back to the
 * same values. Used by replay and by the tests' captures.
 *
 * The caller owns the buffer; nothing is allocated or kept; safe from any thread.
 */
#ifndef RDMATRACE_ENCODE_H
#define RDMATRACE_ENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "frame.h"
#include "status.h"
#include "wire.h"

/* One transport packet and what carries it. Zero is a sensible default for what is not named. */
struct rdt_packet {
	enum rdt_encap encap; /* ROCEV2 over IPv4 or IPv6, by the kind of src and dst; ROCEV1; IB */
	int ethernet;         /* 1: begin with an Ethernet header (always so for ROCEV1) */
	uint8_t mac_src[6], mac_dst[6];
	unsigned vlans; /* 0..RDT_VLAN_MAX tags of vlan[], outermost first */
	uint16_t vlan[RDT_VLAN_MAX];
	struct rdt_addr src, dst; /* RoCE: IPV4 or GID; IB: NONE, or GIDs, which add a GRH */
	uint16_t slid, dlid;      /* IB only */
	uint8_t sl;               /* IB only */
	uint8_t tos, ttl;         /* ttl 0 means 64 */
	uint16_t ip_id;           /* IPv4 only; DF is set */
	uint32_t flow_label;      /* IPv6 and GRH, 20 bits */
	uint16_t sport;           /* UDP source port, 0 means 0xc000 */
	uint16_t dport;           /* UDP destination port, 0 means 4791 */
	uint8_t opcode;           /* BTH from here on */
	uint8_t se, migreq, ack_req, fecn, becn;
	uint16_t pkey;
	uint32_t dest_qpn, psn; /* 24 bits */
	const uint8_t *ext;     /* extended headers as the opcode wants them; NULL: zeros */
	const uint8_t *payload; /* message bytes; NULL: zeros */
	size_t payload_len;     /* pad to 4 bytes and the ICRC are added */
	int bad_icrc;           /* 1: store a wrong ICRC on purpose */
};

/*
 * Write the whole frame: link and network headers with their lengths and checksums, BTH,
 * extended headers, payload, pad, ICRC and, for IB, VCRC. Of several VLAN tags the innermost has
 * Ethernet type 0x8100, the others 0x88a8.
 *
 * Returns RDT_OK and the length in ret_len; RDT_SPACE when size is too small (no frame is longer
 * than RDT_PACKET_OVERHEAD + payload_len); RDT_OPCODE when the opcode is not assigned;
 * RDT_RANGE when a value does not fit its field, a length not its header, or the addresses not the
 * encapsulation. buf and ret_len are then untouched.
 */
RDT_NODISCARD enum rdt_status rdt_packet_encode(const struct rdt_packet *packet, uint8_t *buf,
						size_t size, size_t *ret_len);

#define RDT_PACKET_OVERHEAD 256

/*
 * Begin a management datagram: zero 256 bytes and fill its header for a CM message (class 7,
 * version 2, method Send). attr is an RDT_CM_ATTR_ value; the message's fields are then set on
 * mad + RDT_LEN_mad with the rdt_<message>_set_ functions.
 */
void rdt_cm_mad_init(uint8_t mad[RDT_MAD_LEN], uint16_t attr, uint64_t tid);

/* Extended header of a datagram to QP1 from QP1: fills the 8 bytes of a DETH. */
void rdt_qp1_deth_init(uint8_t deth[RDT_LEN_deth]);

#endif
