/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The checksums that RDMA adds: ICRC (RoCEv1, RoCEv2, native IB), VCRC (native IB) and the
 * CRC32C of MPA. IBTA Vol 1 7.8, Annex A17; RFC 5044.
 *
 * Allocates nothing, keeps nothing, safe from any thread.
 */
#ifndef RDMATRACE_ICRC_H
#define RDMATRACE_ICRC_H

#include <stddef.h>
#include <stdint.h>

#include "frame.h"

/* What became of a check: X(symbol, JSON value, text) */
#define RDT_ICRC_LIST(X)                                                                  \
	X(UNCHECKED, "unchecked", "not checked")                                          \
	X(OK, "ok", "right")                                                              \
	X(BAD, "bad", "wrong: the packet was changed after its sender computed the ICRC") \
	X(ABSENT, "absent", "absent: captured before the sender added it")                \
	X(CUT, "cut", "cut off by the capture")                                           \
	X(SPORT, "sport-rewritten",                                                       \
	  "right for another UDP source port: the capture path rewrote it")

enum rdt_icrc_state {
#define X(symbol, key, text) RDT_ICRC_##symbol,
	RDT_ICRC_LIST(X)
#undef X
		RDT_ICRC_COUNT
};

const char *rdt_icrc_key(enum rdt_icrc_state state);
const char *rdt_icrc_text(enum rdt_icrc_state state);

/*
 * Check the ICRC of a frame of kind RDT_FRAME_IB (others, first fragments, and packets of
 * RDT_ENCAP_NONE: UNCHECKED).
 * ret_want   the value that would be right, in the byte order of the ICRC field as a number read
 *            least significant byte first; may be NULL. Set for OK, BAD, ABSENT and SPORT.
 * ret_sport  for SPORT, the source port that makes it right; may be NULL.
 *
 * ABSENT: the field is all zero (and should not be), or the packet ends before it: that can be seen
 * where the opcode says how long the packet is, with messages that have no payload and with
 * datagrams to QP1.
 * SPORT: RoCEv2 only; the captured bytes are right but for the 16 bits of the UDP source port, so
 * that exactly one other port explains all of the difference. A packet with a random wrong ICRC
 * passes for one of these with a probability of 2^-16: believe it of a sender, not of one packet.
 * Costs about 0.5 ns a byte; a wrong ICRC 1 us more.
 */
enum rdt_icrc_state rdt_icrc_check(const struct rdt_frame *frame, uint32_t *ret_want,
				   uint16_t *ret_sport);

/*
 * The ICRC of a packet, for encoders. lrh, net and l4 as in struct rdt_frame (NULL where the
 * packet has none; net is IPv4, IPv6 or GRH as encap says; between net and l4 lie the IPv4 options
 * or IPv6 extension headers). bth is len >= RDT_LEN_bth bytes up to and with the pad, without the
 * ICRC itself. Store with rdt_icrc_set_value().
 */
uint32_t rdt_icrc_compute(enum rdt_encap encap, const uint8_t *lrh, const uint8_t *net,
			  const uint8_t *l4, const uint8_t *bth, size_t len);

/*
 * The VCRC of native IB over len bytes, from the LRH to the end of the ICRC: CRC-16, polynomial
 * 0x100b reflected, register begins with and is finally inverted by 0xffff. Stored in the two bytes
 * after the ICRC, least significant byte first like the ICRC: rdt_vcrc_set_value(). (Seen in all
 * 43 packets of a public ibdump capture; one of them is in tests/vectors/icrc.h.)
 */
uint16_t rdt_vcrc_compute(const uint8_t *lrh, size_t len);

/* CRC-32 (reflected 0xedb88320, as Ethernet) continued from crc; begin with 0. */
uint32_t rdt_crc32(uint32_t crc, const uint8_t *buf, size_t len);

/* CRC-32C (reflected 0x82f63b78) continued from crc; begin with 0. "123456789" -> 0xe3069283. */
uint32_t rdt_crc32c(uint32_t crc, const uint8_t *buf, size_t len);

#endif
