// SPDX-License-Identifier: BSD-2-Clause
#include "rdmatrace/icrc.h"

#include "crc32.h"

#include <endian.h>

const char *rdt_icrc_key(enum rdt_icrc_state state)
{
	static const char *const keys[RDT_ICRC_COUNT] = {
#define X(symbol, key, text) [RDT_ICRC_##symbol] = key,
		RDT_ICRC_LIST(X)
#undef X
	};

	return state < RDT_ICRC_COUNT ? keys[state] : "unknown";
}

const char *rdt_icrc_text(enum rdt_icrc_state state)
{
	static const char *const texts[RDT_ICRC_COUNT] = {
#define X(symbol, key, text) [RDT_ICRC_##symbol] = text,
		RDT_ICRC_LIST(X)
#undef X
	};

	return state < RDT_ICRC_COUNT ? texts[state] : "unknown";
}

/* ---- CRC tables --------------------------------------------------------------------------- */

/*
 * The compiler makes the tables from the polynomials. A CRC is linear, so an entry is the xor of
 * one constant for each bit of its index, and these constants are one sequence: the polynomial,
 * then each the step (one bit of input zero) of the one before. Number 8 k + n of the sequence is
 * that of bit 7 - n in table k. It is kept in halves because an enumerator must fit an int.
 */
/* clang-format off */
#define STEP(p, poly, k, n, k1, n1)                                                                \
	p##_HI_##k##_##n = p##_HI_##k1##_##n1 >> 1 ^ (p##_LO_##k1##_##n1 & 1 ? (poly) >> 16 : 0),  \
	p##_LO_##k##_##n = p##_LO_##k1##_##n1 >> 1 ^ (p##_HI_##k1##_##n1 & 1) << 15 ^              \
			  (p##_LO_##k1##_##n1 & 1 ? (poly) & 0xffff : 0),
#define STEPS7(p, y, k)                                                                            \
	STEP(p, y, k, 1, k, 0) STEP(p, y, k, 2, k, 1) STEP(p, y, k, 3, k, 2) STEP(p, y, k, 4, k, 3)\
	STEP(p, y, k, 5, k, 4) STEP(p, y, k, 6, k, 5) STEP(p, y, k, 7, k, 6)
#define STEPS8(p, y, k, before) STEP(p, y, k, 0, before, 7) STEPS7(p, y, k)
#define SEQUENCE(p, y)                                                                             \
	p##_HI_0_0 = (y) >> 16, p##_LO_0_0 = (y) & 0xffff,                                         \
	STEPS7(p, y, 0) STEPS8(p, y, 1, 0) STEPS8(p, y, 2, 1) STEPS8(p, y, 3, 2)                   \
	STEPS8(p, y, 4, 3) STEPS8(p, y, 5, 4) STEPS8(p, y, 6, 5) STEPS8(p, y, 7, 6)                \
	STEPS8(p, y, 8, 7) STEPS8(p, y, 9, 8) STEPS8(p, y, 10, 9) STEPS8(p, y, 11, 10)             \
	STEPS8(p, y, 12, 11) STEPS8(p, y, 13, 12) STEPS8(p, y, 14, 13) STEPS8(p, y, 15, 14)

#define POLY_CRC32 0xedb88320
#define POLY_CRC32C 0x82f63b78
#define POLY_VCRC 0xd008 /* 0x100b with its bits in reverse */

enum { SEQUENCE(E, POLY_CRC32) };
enum { SEQUENCE(C, POLY_CRC32C) };
enum { SEQUENCE(V, POLY_VCRC) };

#define BIT(p, k, n, i, b)                                                                         \
	((i) >> (b) & 1 ? (uint32_t)p##_HI_##k##_##n << 16 | (uint32_t)p##_LO_##k##_##n : 0)
#define ENTRY(p, k, i)                                                                             \
	(BIT(p, k, 7, i, 0) ^ BIT(p, k, 6, i, 1) ^ BIT(p, k, 5, i, 2) ^ BIT(p, k, 4, i, 3) ^       \
	 BIT(p, k, 3, i, 4) ^ BIT(p, k, 2, i, 5) ^ BIT(p, k, 1, i, 6) ^ BIT(p, k, 0, i, 7)),
#define ENTRIES4(p, k, i)                                                                          \
	ENTRY(p, k, i) ENTRY(p, k, (i) + 1) ENTRY(p, k, (i) + 2) ENTRY(p, k, (i) + 3)
#define ENTRIES16(p, k, i)                                                                         \
	ENTRIES4(p, k, i) ENTRIES4(p, k, (i) + 4) ENTRIES4(p, k, (i) + 8) ENTRIES4(p, k, (i) + 12)
#define ENTRIES64(p, k, i)                                                                         \
	ENTRIES16(p, k, i) ENTRIES16(p, k, (i) + 16) ENTRIES16(p, k, (i) + 32)                     \
	ENTRIES16(p, k, (i) + 48)
#define TABLE(p, k)                                                                                \
	{ ENTRIES64(p, k, 0) ENTRIES64(p, k, 64) ENTRIES64(p, k, 128) ENTRIES64(p, k, 192) },
#define TABLES(p)                                                                                  \
	TABLE(p, 0) TABLE(p, 1) TABLE(p, 2) TABLE(p, 3) TABLE(p, 4) TABLE(p, 5) TABLE(p, 6)        \
	TABLE(p, 7) TABLE(p, 8) TABLE(p, 9) TABLE(p, 10) TABLE(p, 11) TABLE(p, 12) TABLE(p, 13)    \
	TABLE(p, 14) TABLE(p, 15)
/* clang-format on */

static const uint32_t crc32_table[16][256] = { TABLES(E) };
static const uint32_t crc32c_table[16][256] = { TABLES(C) };
static const uint16_t vcrc_table[1][256] = { TABLE(V, 0) };

/* Eight bytes: each one's effect on the register after the last is in its own table. */
RDT_INLINE uint32_t crc_eight(const uint32_t table[8][256], uint64_t v)
{
	return table[7][v & 0xff] ^ table[6][v >> 8 & 0xff] ^ table[5][v >> 16 & 0xff] ^
	       table[4][v >> 24 & 0xff] ^ table[3][v >> 32 & 0xff] ^ table[2][v >> 40 & 0xff] ^
	       table[1][v >> 48 & 0xff] ^ table[0][v >> 56];
}

RDT_INLINE uint64_t load_le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* Sixteen bytes a turn. */
RDT_INLINE uint32_t crc_run(const uint32_t table[16][256], uint32_t crc, const uint8_t *p,
			    size_t len)
{
	crc = ~crc;
	for (; len >= 16; p += 16, len -= 16)
		crc = crc_eight(table + 8, load_le64(p) ^ crc) ^ crc_eight(table, load_le64(p + 8));
	if (len >= 8) {
		crc = crc_eight(table, load_le64(p) ^ crc);
		p += 8;
		len -= 8;
	}
	for (; len; p++, len--)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return ~crc;
}

uint32_t rdt_crc32(uint32_t crc, const uint8_t *buf, size_t len)
{
	/* Below that, setting up costs more than it saves. */
	if (len >= 32 && crc32_x86_usable()) {
		const size_t blocks = len & ~(size_t)15;

		crc = ~crc32_x86(~crc, buf, blocks);
		buf += blocks;
		len -= blocks;
	}
	return crc_run(crc32_table, crc, buf, len);
}

uint32_t rdt_crc32c(uint32_t crc, const uint8_t *buf, size_t len)
{
	return crc_run(crc32c_table, crc, buf, len);
}

uint16_t rdt_vcrc_compute(const uint8_t *lrh, size_t len)
{
	uint16_t crc = 0xffff;

	for (size_t i = 0; i < len; i++)
		crc = (uint16_t)(crc >> 8 ^ vcrc_table[0][(crc ^ lrh[i]) & 0xff]);
	return (uint16_t)~crc;
}

/* ---- the ICRC ------------------------------------------------------------------------------- */

/* IP header, GRH or LRH as the ICRC sees it: what routers and switches may change reads as ones. */
static size_t masked_net(enum rdt_encap encap, const uint8_t *net, uint8_t *out)
{
	if (encap == RDT_ENCAP_ROCEV2 && rdt_ipv4_version(net) == 4) {
		memcpy(out, net, RDT_LEN_ipv4);
		rdt_ipv4_set_dscp(out, ~0u);
		rdt_ipv4_set_ecn(out, ~0u);
		rdt_ipv4_set_ttl(out, ~0u);
		rdt_ipv4_set_checksum(out, ~0u);
		return RDT_LEN_ipv4;
	}
	/* An IPv6 header and a GRH are laid out alike. */
	memcpy(out, net, RDT_LEN_grh);
	rdt_grh_set_tclass(out, ~0u);
	rdt_grh_set_flow_label(out, ~0u);
	rdt_grh_set_hoplmt(out, ~0u);
	return RDT_LEN_grh;
}

/* Up to that many bytes after the BTH, a copy behind the head costs less than a second run; a MAD is one. */
#define SHORT 512u

uint32_t rdt_icrc_compute(enum rdt_encap encap, const uint8_t *lrh, const uint8_t *net,
			  const uint8_t *l4, const uint8_t *bth, size_t len)
{
	uint8_t head[RDT_LEN_lrh + RDT_LEN_grh + RDT_LEN_udp + RDT_LEN_bth + SHORT];
	const size_t rest = len - RDT_LEN_bth;
	size_t n = RDT_LEN_lrh;
	uint32_t crc = 0;

	/* Eight bytes of ones stand for the LRH wherever routers may replace it. */
	memset(head, 0xff, RDT_LEN_lrh);
	if (net) {
		n += masked_net(encap, net, head + n);
	} else if (lrh) {
		memcpy(head, lrh, RDT_LEN_lrh);
		rdt_lrh_set_vl(head, ~0u);
	}
	if (l4 && encap == RDT_ENCAP_ROCEV2) {
		const size_t net_len = n - RDT_LEN_lrh;

		if (net && (size_t)(l4 - net) > net_len) {
			crc = rdt_crc32(crc, head, n);
			crc = rdt_crc32(crc, net + net_len, (size_t)(l4 - net) - net_len);
			n = 0;
		}
		memcpy(head + n, l4, RDT_LEN_udp);
		rdt_udp_set_checksum(head + n, ~0u);
		n += RDT_LEN_udp;
	}
	memcpy(head + n, bth, RDT_LEN_bth);
	rdt_bth_set_fecn(head + n, true);
	rdt_bth_set_becn(head + n, true);
	rdt_bth_set_rsvd4(head + n, ~0u);
	n += RDT_LEN_bth;
	if (rest <= SHORT) {
		memcpy(head + n, bth + RDT_LEN_bth, rest);
		return rdt_crc32(crc, head, n + rest);
	}
	crc = rdt_crc32(crc, head, n);
	return rdt_crc32(crc, bth + RDT_LEN_bth, rest);
}

/*
 * Arithmetic of polynomials over GF(2) modulo the CRC-32 polynomial, in the register's form: the
 * most significant bit is x^0.
 */
static uint32_t poly_mul(uint32_t a, uint32_t b)
{
	uint32_t product = 0;

	for (; a; a <<= 1) {
		if (a & 0x80000000u)
			product ^= b;
		b = b >> 1 ^ (b & 1 ? POLY_CRC32 : 0);
	}
	return product;
}

/* x^(-8 n): multiplying by it takes n zero bytes of input back out of a register. */
static uint32_t poly_unshift(size_t n)
{
	uint32_t power = 0x80000000u, result = 0x80000000u;

	for (unsigned i = 0; i < 8; i++)
		power = power & 0x80000000u ? (power ^ POLY_CRC32) << 1 | 1 : power << 1;
	for (; n; n >>= 1) {
		if (n & 1)
			result = poly_mul(result, power);
		power = poly_mul(power, power);
	}
	return result;
}

/*
 * Which source port makes the ICRC right? diff is the xor of the stored ICRC and the one computed
 * with the captured port; after is the number of bytes that it covers after the port.
 *
 * CRCs are linear: diff is the register that the xor of the two ports leaves, fed into an empty
 * register and followed by after zero bytes. Taken back over these and over the port itself, the
 * register is the xor of the ports (first byte lowest) and nothing else, or no port explains diff.
 */
static bool solve_sport(uint32_t diff, size_t after, uint16_t sport, uint16_t *ret_sport)
{
	const uint32_t delta = poly_mul(diff, poly_unshift(after + 2));

	if (!delta || delta >> 16)
		return false;
	*ret_sport = (uint16_t)(sport ^ (delta << 8 & 0xff00) ^ delta >> 8);
	return true;
}

/*
 * Does the packet end where its ICRC should begin? Only where the opcode says how long the
 * transport packet is: without a payload, or with the one MAD of a datagram to QP1. Not in the
 * opcodes of RD, where a vendor's headers may be of any length.
 */
static bool ends_before_icrc(const struct rdt_frame *frame)
{
	const uint8_t opcode = (uint8_t)rdt_bth_opcode(frame->bth);
	const struct rdt_opcode *op = &rdt_opcodes[opcode];
	size_t payload = 0;

	if (!op->hdr_len || rdt_opcode_service(opcode) == RDT_SVC_RD ||
	    rdt_bth_pad_count(frame->bth))
		return false;
	if (op->payload) {
		if (opcode != RDT_OP_UD_SEND_ONLY || rdt_bth_dest_qpn(frame->bth) != RDT_QP1)
			return false;
		payload = RDT_MAD_LEN;
	}
	return frame->bth_len == op->hdr_len + payload;
}

enum rdt_icrc_state rdt_icrc_check(const struct rdt_frame *frame, uint32_t *ret_want,
				   uint16_t *ret_sport)
{
	const uint8_t *net = frame->net, *l4 = frame->l4;
	uint32_t want, have;
	uint16_t sport;
	size_t len;

	/*
	 * The first fragment of a datagram does not end with the ICRC, and of a packet without what
	 * carried it some of what the ICRC covers is not there.
	 */
	if (frame->kind != RDT_FRAME_IB || frame->encap == RDT_ENCAP_NONE ||
	    frame->bth_len < RDT_LEN_bth + RDT_LEN_icrc || frame->problem == RDT_PROBLEM_FRAGMENT)
		return RDT_ICRC_UNCHECKED;
	if (frame->bth_have < frame->bth_len)
		return RDT_ICRC_CUT;
	len = frame->bth_len - RDT_LEN_icrc;
	want = rdt_icrc_compute((enum rdt_encap)frame->encap, frame->lrh, net, l4, frame->bth, len);
	have = rdt_icrc_value(frame->bth + len);
	if (ret_want)
		*ret_want = want;
	if (have == want)
		return RDT_ICRC_OK;
	if (ends_before_icrc(frame)) {
		if (ret_want)
			*ret_want = rdt_icrc_compute((enum rdt_encap)frame->encap, frame->lrh, net,
						     l4, frame->bth, frame->bth_len);
		return RDT_ICRC_ABSENT;
	}
	if (!have)
		return RDT_ICRC_ABSENT;
	if (frame->encap == RDT_ENCAP_ROCEV2 && l4 &&
	    solve_sport(want ^ have, RDT_LEN_udp - 2 + len, (uint16_t)rdt_udp_sport(l4), &sport)) {
		if (ret_sport)
			*ret_sport = sport;
		return RDT_ICRC_SPORT;
	}
	return RDT_ICRC_BAD;
}
